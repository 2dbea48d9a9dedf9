//! The revisions of a page: where a person's words are that were overwritten.

use crate::client::Client;
use crate::error::SiteError;
use crate::page::Page;
use serde_json::Value;

/// One revision.
#[derive(Debug, Clone)]
pub(crate) struct Revision {
    pub(crate) id: u64,
    /// As the site has it.
    pub(crate) text: String,
    autosave: bool,
    words: [String; 3],
}

impl Revision {
    /// Whether it is neither what is there now nor any of what is known, and was saved by somebody on purpose.
    pub(crate) fn is_of_somebody(&self, now: &Page, known: &[&Page]) -> bool {
        let is = |page: &Page| self.words == [page.title.as_str(), &page.content, &page.excerpt];
        !self.autosave && !is(now) && !known.iter().any(|page| is(page))
    }
}

impl Client {
    /// The revisions of a page that came after one, newest first.
    pub(crate) fn revisions_after(&self, id: u64, newest: u64) -> Result<Vec<Revision>, SiteError> {
        /// Those of some hundredths of a second.
        const MOST: &str = "20";
        let query = [
            ("context", "edit".to_owned()),
            ("per_page", MOST.to_owned()),
            ("_fields", "id,slug,author,date_gmt,title,content,excerpt".to_owned()),
        ];
        let reply = self.get(&format!("/wp/v2/pages/{id}/revisions"), &query)?;
        let list = reply.body.as_array().ok_or_else(|| SiteError::Strange("it is no list of revisions".to_owned()))?;
        Ok(list.iter().map(revision).filter(|revision| revision.id > newest).collect())
    }
}

fn revision(answer: &Value) -> Revision {
    let raw = |name: &str| {
        let raw = answer.get(name).and_then(|field| field.get("raw")).and_then(Value::as_str);
        raw.unwrap_or_default().to_owned()
    };
    Revision {
        id: answer.get("id").and_then(Value::as_u64).unwrap_or_default(),
        text: answer.to_string(),
        autosave: answer.get("slug").and_then(Value::as_str).is_some_and(|slug| slug.contains("-autosave-")),
        words: [raw("title"), raw("content"), raw("excerpt")],
    }
}
