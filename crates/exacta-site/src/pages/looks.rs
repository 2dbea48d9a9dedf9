//! What was seen of pages at the last look. A person who saves between that look and our write is found in the page's revisions
//! afterwards: WordPress has no compare-and-swap.

use crate::client::Client;
use crate::images::Images;
use crate::page::{Found, Page};
use exacta_effect::Fault;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The last look at each page, by the key of its act.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    looks: BTreeMap<String, Look>,
    /// The page that was seen last: an act begins with a look at its own.
    last: Option<(String, Page)>,
}

#[derive(Debug)]
struct Look {
    /// Its newest revision then; 0 where it had none.
    newest: u64,
    /// Whether something was sent since.
    sent: bool,
    /// Whose words were overwritten, in words.
    overwritten: Option<String>,
}

impl Looks {
    /// A page was seen from which an act may begin.
    pub(super) fn seen(&self, key: &str, found: &Found) {
        let look = Look { newest: found.newest, sent: false, overwritten: None };
        let mut inner = self.held();
        inner.looks.insert(key.to_owned(), look);
        inner.last = Some((key.to_owned(), found.page.clone()));
    }

    /// An act begins now; what was seen by a process that died counts if nobody has looked since.
    pub(super) fn sent(&self, key: &str, newest: Option<u64>) {
        let mut inner = self.held();
        if let Some(look) = inner.looks.get_mut(key) {
            look.sent = true;
        } else if let Some(newest) = newest {
            inner.looks.insert(key.to_owned(), Look { newest, sent: true, overwritten: None });
        }
    }

    /// The newest revision of a page at the last look.
    pub(super) fn newest(&self, key: &str) -> Option<u64> {
        self.held().looks.get(key).map(|look| look.newest)
    }

    /// The page of an act, if it was looked at last.
    pub(super) fn page(&self, key: &str) -> Option<Page> {
        self.held().last.as_ref().filter(|(seen, _)| seen == key).map(|(_, page)| page.clone())
    }

    /// Whose words our write has overwritten; none if nobody saved between the last look and it. They are kept on this machine then.
    pub(super) fn overwritten(
        &self,
        (client, images): (&Client, &Images),
        key: &str,
        found: &Found,
        known: &[&Page],
    ) -> Result<Option<String>, Fault> {
        let newest = match self.held().looks.get(key) {
            Some(look) if look.overwritten.is_some() => return Ok(look.overwritten.clone()),
            Some(look) if look.sent && look.newest != found.newest => look.newest,
            _ => return Ok(None),
        };
        let list = client.revisions_after(found.page.id, newest).map_err(|error| Fault(error.to_string()))?;
        let told = match list.iter().find(|revision| revision.is_of_somebody(&found.page, known)) {
            None => None,
            Some(theirs) => {
                let kept = images.keep(theirs.text.as_bytes()).map_err(|error| Fault(error.to_string()))?;
                Some(format!(
                    "somebody saved page {} between the last look and our write; their words are its revision {}, kept here as {kept}",
                    found.page.id, theirs.id
                ))
            }
        };
        if let Some(look) = self.held().looks.get_mut(key) {
            (look.newest, look.sent, look.overwritten) = (found.newest, false, told.clone());
        }
        Ok(told)
    }

    fn held(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
