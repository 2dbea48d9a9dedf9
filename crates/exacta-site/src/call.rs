//! One approved call of a tool that writes: what is sent, what the page is then, and what puts it back.

use crate::kses::block_form;
use crate::page::Page;
use exacta_kernel::effect::site::SiteCall;
use exacta_kernel::hash::Digest;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What a call does to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the tools")]
pub enum Op {
    Create,
    Update,
    Publish,
    Trash,
}

/// One call, as it was approved.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What it does.
    pub op: Op,
    arguments: Arguments,
}

/// The arguments of a call that writes. Every field that is there is written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Arguments {
    id: Option<u64>,
    #[serde(flatten)]
    fields: Fields,
    #[serde(default)]
    stored: Stored,
    before: Option<Digest>,
    /// The status of that state: what the tier of the call was judged by.
    status: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
struct Fields {
    title: Option<String>,
    slug: Option<String>,
    content: Option<String>,
    excerpt: Option<String>,
    parent: Option<u64>,
    template: Option<String>,
    meta: Option<Map<String, Value>>,
}

/// What WordPress stores where that is not what is sent: predicted when the plan was made, and shown.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    title: Option<String>,
    slug: Option<String>,
    content: Option<String>,
}

/// Why bytes are no call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the act is none of this program: {0}")]
pub struct BadCall(String);

/// The page as it is to be. What is named in `any` cannot be known before.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    page: Page,
    any: &'static [&'static str],
    /// Whether only the meta fields that are named count.
    some_meta: bool,
}

/// How a page stands to what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Match {
    Exact,
    /// The attributes of its blocks are written in another way, and are the same.
    Normalised,
    /// These fields differ.
    Differs(Vec<&'static str>),
}

impl Call {
    /// The call of an effect's bytes.
    ///
    /// # Errors
    /// [`BadCall`] if they are none.
    pub fn parse(bytes: &[u8]) -> Result<Self, BadCall> {
        let bad = |why: String| BadCall(why);
        let SiteCall { tool, arguments, .. } = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
        let op = match tool.as_str() {
            "content.create_page" => Op::Create,
            "content.update_page" => Op::Update,
            "content.publish_page" => Op::Publish,
            "content.trash_page" => Op::Trash,
            other => return Err(bad(format!("nothing performs `{other}`"))),
        };
        let names: Vec<String> = arguments.keys().cloned().collect();
        // A flattened struct cannot refuse unknown fields by itself.
        if let Some(odd) = names.iter().find(|name| !ARGUMENTS.contains(&name.as_str())) {
            return Err(bad(format!("it has an argument `{odd}`")));
        }
        let arguments: Arguments =
            serde_json::from_value(Value::Object(arguments)).map_err(|error| bad(error.to_string()))?;
        if (op == Op::Create) != (arguments.id.is_none() && arguments.before.is_none())
            || (op != Op::Create && arguments.id.is_none())
            || (op != Op::Update && arguments.status.is_some())
        {
            return Err(bad("its page and the state it was made on do not fit the tool".to_owned()));
        }
        Ok(Self { op, arguments })
    }

    /// The page; none for one that is to be created.
    #[must_use]
    pub const fn id(&self) -> Option<u64> {
        self.arguments.id
    }

    /// The state of the page that the plan was made on.
    #[must_use]
    pub const fn before(&self) -> Option<Digest> {
        self.arguments.before
    }

    /// Whether the page as it was has the status that the call was judged by.
    pub(crate) fn was_judged_by(&self, before: &Page) -> bool {
        self.arguments.status.as_ref().is_none_or(|status| *status == before.status)
    }

    /// What is sent: for a page that is created, under its marker instead of its slug.
    pub(crate) fn body(&self, marker: &str) -> Value {
        let mut body = self.fields();
        match self.op {
            Op::Create => {
                body.insert("slug".to_owned(), marker.into());
                body.insert("status".to_owned(), "draft".into());
            }
            Op::Publish => drop(body.insert("status".to_owned(), "publish".into())),
            Op::Update | Op::Trash => {}
        }
        Value::Object(body)
    }

    /// The slug that a created page gets in the end.
    pub(crate) fn slug(&self) -> &str {
        self.arguments.fields.slug.as_deref().unwrap_or_default()
    }

    /// Whether this call writes a field.
    pub(crate) fn sends(&self, field: &str) -> bool {
        let fields = &self.arguments.fields;
        match (self.op, field) {
            (Op::Create, _) => true,
            (Op::Publish | Op::Trash, "status") => true,
            (Op::Update, "title") => fields.title.is_some(),
            (Op::Update, "content") => fields.content.is_some(),
            (Op::Update, "excerpt") => fields.excerpt.is_some(),
            (Op::Update, "template") => fields.template.is_some(),
            (Op::Update, "meta") => fields.meta.is_some(),
            (Op::Update, "parent") => fields.parent.is_some(),
            // Beneath another page a slug may have to be another.
            (Op::Update, "slug") => fields.slug.is_some() || fields.parent.is_some(),
            _ => false,
        }
    }

    /// What puts a page back to what it was: of the fields that this call changes those that are another now, and no other.
    pub(crate) fn reverse(&self, before: &Page, now: Option<&Page>) -> Value {
        let mut body = Map::new();
        let mut put = |name: &str, was: Value, is: Option<Value>| {
            if is.as_ref() != Some(&was) {
                body.insert(name.to_owned(), was);
            }
        };
        let text = |was: &String, is: Option<&String>| (Value::from(was.as_str()), is.map(|is| is.as_str().into()));
        let texts = [
            ("title", text(&before.title, now.map(|now| &now.title))),
            ("content", text(&before.content, now.map(|now| &now.content))),
            ("excerpt", text(&before.excerpt, now.map(|now| &now.excerpt))),
            ("template", text(&before.template, now.map(|now| &now.template))),
            ("status", text(&before.status, now.map(|now| &now.status))),
        ];
        for (name, (was, is)) in texts.into_iter().filter(|(name, _)| self.sends(name)) {
            put(name, was, is);
        }
        if self.sends("parent") {
            put("parent", before.parent.into(), now.map(|now| now.parent.into()));
        }
        if self.sends("slug") || self.op != Op::Update {
            put("slug", before.slug.clone().into(), now.map(|now| now.slug.clone().into()));
        }
        if self.op != Op::Update {
            let date = |page: &Page| page.date.clone().map_or(Value::Null, Value::String);
            put("date", date(before), now.map(date));
        }
        if let Some(sent) = &self.arguments.fields.meta {
            let was = sent.keys().filter_map(|name| Some((name.clone(), before.meta.get(name)?.clone())));
            let other = was.filter(|(name, was)| now.is_none_or(|now| now.meta.get(name) != Some(was)));
            put("meta", Value::Object(other.collect()), Some(json!({})));
        }
        Value::Object(body)
    }

    /// The page as it is after this call.
    pub(crate) fn expected(&self, before: Option<&Page>) -> Expected {
        let Arguments { fields, stored, .. } = &self.arguments;
        let mut page = before.cloned().unwrap_or_else(|| Page {
            id: 0,
            title: String::new(),
            status: "draft".to_owned(),
            slug: String::new(),
            parent: 0,
            template: String::new(),
            author: 0,
            menu_order: 0,
            comment_status: String::new(),
            ping_status: String::new(),
            date: None,
            meta: Map::new(),
            excerpt: String::new(),
            content: String::new(),
        });
        let texts = [
            (&mut page.title, stored.title.as_ref().or(fields.title.as_ref())),
            (&mut page.slug, stored.slug.as_ref().or(fields.slug.as_ref())),
            (&mut page.content, stored.content.as_ref().or(fields.content.as_ref())),
            (&mut page.excerpt, fields.excerpt.as_ref()),
            (&mut page.template, fields.template.as_ref()),
        ];
        for (field, value) in texts {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        page.parent = fields.parent.unwrap_or(page.parent);
        page.meta.extend(fields.meta.clone().unwrap_or_default());
        let floated = before.is_some_and(|before| before.date.is_none());
        match self.op {
            Op::Create => {
                return Expected { page, any: &["id", "author", "comment_status", "ping_status"], some_meta: true };
            }
            Op::Update => {}
            Op::Publish => "publish".clone_into(&mut page.status),
            Op::Trash => {
                "trash".clone_into(&mut page.status);
                page.slug = trashed(&page.slug);
            }
        }
        Expected { page, any: if floated && self.op != Op::Update { &["date"] } else { &[] }, some_meta: false }
    }

    /// The fields that are sent, by name.
    fn fields(&self) -> Map<String, Value> {
        let Fields { title, slug, content, excerpt, parent, template, meta } = self.arguments.fields.clone();
        let all = json!({ "title": title, "slug": slug, "content": content, "excerpt": excerpt, "parent": parent, "template": template, "meta": meta });
        let all = if let Value::Object(all) = all { all } else { Map::new() };
        all.into_iter().filter(|(_, value)| !value.is_null()).collect()
    }
}

impl Expected {
    pub(crate) fn compare(&self, page: &Page) -> Match {
        let (want, mut differs) = (&self.page, Vec::new());
        let mut check = |name: &'static str, same: bool| {
            if !same && !self.any.contains(&name) {
                differs.push(name);
            }
        };
        check("id", want.id == page.id);
        check("title", want.title == page.title);
        check("status", want.status == page.status);
        check("slug", want.slug == page.slug);
        check("parent", want.parent == page.parent);
        check("template", want.template == page.template);
        check("author", want.author == page.author);
        check("menu_order", want.menu_order == page.menu_order);
        check("comment_status", want.comment_status == page.comment_status);
        check("ping_status", want.ping_status == page.ping_status);
        check("date", want.date == page.date);
        check("excerpt", want.excerpt == page.excerpt);
        let named = |name: &String| !self.some_meta || want.meta.contains_key(name);
        let same = page.meta.iter().filter(|(name, _)| named(name)).eq(want.meta.iter());
        check("meta", same);
        let exact = want.content == page.content;
        check("content", exact || block_form(&want.content) == block_form(&page.content));
        match differs.is_empty() {
            true if exact => Match::Exact,
            true => Match::Normalised,
            false => Match::Differs(differs),
        }
    }

    /// The page itself.
    pub(crate) const fn page(&self) -> &Page {
        &self.page
    }

    /// The same in the trash, under any slug and of any date.
    pub(crate) fn in_trash(&self, slug: &str) -> Self {
        let page = Page { slug: slug.to_owned(), status: "trash".to_owned(), ..self.page.clone() };
        Self { page, any: &["id", "author", "comment_status", "ping_status", "date"], some_meta: true }
    }

    /// The same, under another slug: what a page is on its way.
    pub(crate) fn on_the_way(&self, slug: &str) -> Self {
        Self { page: Page { slug: slug.to_owned(), ..self.page.clone() }, ..self.clone() }
    }
}

/// The slug that WordPress gives a page in the trash.
pub(crate) fn trashed(slug: &str) -> String {
    /// Of the 200 bytes that a slug may have.
    const ROOM: usize = 191;
    let end = (0..=slug.len().min(ROOM)).rev().find(|end| slug.is_char_boundary(*end)).unwrap_or(0);
    format!("{}__trashed", slug.get(..end).unwrap_or_default().trim_end_matches('-'))
}

/// The names of all arguments.
const ARGUMENTS: &[&str] =
    &["id", "title", "slug", "content", "excerpt", "parent", "template", "meta", "stored", "before", "status"];

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, arguments: Value) -> Result<Call, BadCall> {
        Call::parse(json!({ "site": "s", "tool": tool, "arguments": arguments }).to_string().as_bytes())
    }

    #[test]
    fn calls_are_closed() {
        let hash = Digest::of(b"x").to_string();
        for (tool, arguments, is) in [
            ("content.create_page", json!({ "title": "a" }), true),
            ("content.create_page", json!({ "title": "a", "id": 4 }), false),
            ("content.create_page", json!({ "title": "a", "status": "publish" }), false),
            ("content.update_page", json!({ "id": 4, "title": "a", "before": hash }), true),
            ("content.update_page", json!({ "title": "a", "before": hash }), false),
            ("content.update_page", json!({ "id": 4, "title": "a", "before": hash, "status": "draft" }), true),
            ("content.create_page", json!({ "title": "a", "status": "draft" }), false),
            ("content.trash_page", json!({ "id": 4, "before": hash }), true),
            ("content.trash_page", json!({ "id": 4, "before": hash, "force": true }), false),
            ("content.delete_page", json!({ "id": 4, "before": hash }), false),
        ] {
            assert_eq!(call(tool, arguments.clone()).is_ok(), is, "{tool} {arguments}");
        }
    }

    #[test]
    fn a_slug_in_the_trash() {
        assert_eq!(trashed("hello"), "hello__trashed");
        assert_eq!(trashed(""), "__trashed");
        assert_eq!(trashed(&"a".repeat(200)).len(), 200);
    }
}
