//! Where pages stand: before an act, after it, or changed by somebody. What was approved and what is kept decide, never an answer.

use super::{Act, Pages, Place, fault, io, marker};
use crate::call::{Call, Expected, Match};
use crate::client::Client;
use crate::images::Noted;
use crate::page::{Found, Page};
use exacta_effect::{Fault, Seen, Trace};
use exacta_kernel::facts::FileState;
use std::ops::Deref;

impl<C: Deref<Target = Client>> Pages<C> {
    /// An act with all that is needed for it, by what it leaves.
    pub(super) fn act(&self, trace: &Trace) -> Result<Act, Fault> {
        self.is_own(trace)?;
        let FileState::File { sha256, .. } = &trace.after else { return Err(Fault("it leaves nothing".to_owned())) };
        let bytes = self.images.get(sha256).map_err(io)?;
        let bytes = bytes.ok_or_else(|| Fault("what was approved is not kept on this machine any more".to_owned()))?;
        let call = Call::parse(&bytes).map_err(|bad| Fault(bad.to_string()))?;
        let before =
            match call.before() {
                None => None,
                Some(sha256) => {
                    let image = self.images.get(&sha256).map_err(io)?;
                    let page = image.and_then(|bytes| Page::parse(str::from_utf8(&bytes).ok()?));
                    Some(page.ok_or_else(|| {
                        Fault("the page's before-image is not kept on this machine any more".to_owned())
                    })?)
                }
            };
        if before.as_ref().is_some_and(|before| !call.was_judged_by(before)) {
            return Err(Fault("the page's status is not the one that the call was judged by".to_owned()));
        }
        let expected = call.expected(before.as_ref());
        Ok(Act { call, before, expected, key: trace.key.as_str().to_owned() })
    }

    /// That an act is one on this site.
    pub(super) fn is_own(&self, trace: &Trace) -> Result<(), Fault> {
        match trace.place.as_str().split('/').nth(1) {
            Some(name) if name == self.site => Ok(()),
            _ => Err(Fault(format!("`{}` is no place on the site `{}`", trace.place, self.site))),
        }
    }

    /// Where the page of an act stands.
    pub(super) fn place(&self, act: &Act) -> Result<Place, Fault> {
        match act.call.id() {
            None => self.created(act),
            Some(id) => self.changed(act, id).map(Place::Seen),
        }
    }

    /// Where a page is that was there before.
    fn changed(&self, act: &Act, id: u64) -> Result<Seen, Fault> {
        let found = match self.ahead.take(id, &self.client) {
            Some(found) => Some(found),
            None => self.client.found(id).map_err(fault)?,
        };
        let Some(found) = found else { return Ok(Seen::Other(format!("page {id} is gone"))) };
        if let Some(told) = self.overwritten(act, &found)? {
            return Ok(Seen::Other(told));
        }
        let seen = if act.before.as_ref() == Some(&found.page) {
            Seen::Before
        } else {
            match act.expected.compare(&found.page) {
                Match::Differs(fields) => return Ok(Seen::Other(differs(id, &fields))),
                how @ (Match::Exact | Match::Normalised) => self.left(act, &found.page, &how)?,
            }
        };
        self.looks.seen(&act.key, &found);
        Ok(seen)
    }

    /// Whose words our last write has overwritten.
    pub(super) fn overwritten(&self, act: &Act, found: &Found) -> Result<Option<String>, Fault> {
        let known: Vec<&Page> = act.before.iter().chain([act.expected.page()]).collect();
        self.looks.overwritten((&self.client, &self.images), &act.key, found, &known)
    }

    /// Done, if the page still is to the byte as it was first seen after the act. What it was then is noted.
    fn left(&self, act: &Act, page: &Page, how: &Match) -> Result<Seen, Fault> {
        let sha256 = page.sha256();
        match self.images.noted(&act.key).map_err(io)? {
            Some(Noted { sha256: Some(left), .. }) if left == sha256 => Ok(Seen::Done),
            Some(Noted { stored: Some(stored), .. }) if stored != "differs" => {
                Ok(Seen::Other(format!("page {} was changed after this run had left it", page.id)))
            }
            _ => self.note(act, page, how).map(|()| Seen::Done),
        }
    }

    /// Notes what is stored, for receipts and for a later undo.
    pub(super) fn note(&self, act: &Act, page: &Page, how: &Match) -> Result<(), Fault> {
        let stored = match how {
            Match::Exact => "exact",
            Match::Normalised => "normalised",
            Match::Differs(_) => "differs",
        };
        let noted =
            Noted { page: Some(page.id), sha256: Some(page.sha256()), count: None, stored: Some(stored.to_owned()) };
        self.images.note(&act.key, &noted).map_err(io)
    }

    /// Where a page is that an act makes.
    fn created(&self, act: &Act) -> Result<Place, Fault> {
        // INVARIANT: nothing reaches the site under this key before the act is noted as begun.
        if !self.images.is_begun(&act.key).map_err(io)? {
            return Ok(Place::Seen(Seen::Before));
        }
        let marker = marker(&act.key);
        let id = match self.images.made_by(&act.key).map_err(io)? {
            Some(made) => made.page,
            None => {
                match self.client.with_slugs(&[&marker, &crate::call::trashed(&marker)]).map_err(fault)?.as_slice() {
                    [] => return Ok(Place::Seen(Seen::Before)),
                    [found] => {
                        self.images.made(&act.key, found.page.id, None).map_err(io)?;
                        found.page.id
                    }
                    more => {
                        return Ok(Place::Seen(Seen::Other(format!("the page is there {} times", more.len()))));
                    }
                }
            }
        };
        let Some(page) = self.client.page(id).map_err(fault)? else {
            return Ok(Place::Seen(Seen::Other(format!("page {id}, which this run made, was deleted for good"))));
        };
        if page.status == "trash" {
            return self.in_trash(act, &page).map(Place::Seen);
        }
        Ok(match act.expected.compare(&page) {
            how @ (Match::Exact | Match::Normalised) => Place::Seen(self.left(act, &page, &how)?),
            Match::Differs(fields) => match act.expected.on_the_way(&marker).compare(&page) {
                Match::Exact | Match::Normalised => Place::Half(id),
                Match::Differs(_) => Place::Seen(Seen::Other(differs(id, &fields))),
            },
        })
    }

    /// In the trash a page that was made is as if it had never been, unless somebody's words are in it.
    fn in_trash(&self, act: &Act, page: &Page) -> Result<Seen, Fault> {
        let stored = self.images.made_by(&act.key).map_err(io)?.and_then(|made| made.stored);
        let as_approved = |expected: &Expected| !matches!(expected.compare(page), Match::Differs(_));
        let ours = match stored {
            Some(stored) => page.made() == stored,
            None => as_approved(&act.expected.in_trash(&page.slug)),
        };
        Ok(match ours {
            true => Seen::Before,
            false => {
                Seen::Other(format!("page {}, which this run made, is in the trash with somebody's words", page.id))
            }
        })
    }
}

/// That a page is neither as the plan saw it nor as approved.
pub(super) fn differs(id: u64, fields: &[&'static str]) -> String {
    format!("page {id} is neither as the plan saw it nor as approved: {} differ", fields.join(", "))
}
