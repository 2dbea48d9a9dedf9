//! Pages that are read together before a run begins: one request for many. Each counts for one look, at once.

use crate::client::Client;
use crate::page::Found;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many are read at once.
const MANY: usize = 50;

/// How long what was read counts.
const FRESH: Duration = Duration::from_secs(5);

/// The pages that a run is about to look at.
#[derive(Debug, Default)]
pub(super) struct Ahead(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    asked: BTreeSet<u64>,
    read: BTreeMap<u64, (Instant, Found)>,
}

impl Ahead {
    /// A page will be looked at soon.
    pub(super) fn ask(&self, id: u64) {
        let mut inner = self.held();
        inner.read.remove(&id);
        inner.asked.insert(id);
    }

    /// A page was read a moment ago, and will be looked at soon.
    pub(super) fn put(&self, found: Found) {
        let mut inner = self.held();
        inner.asked.remove(&found.page.id);
        inner.read.insert(found.page.id, (Instant::now(), found));
    }

    /// Nothing counts any more that was read before.
    pub(super) fn forget(&self) {
        *self.held() = Inner::default();
    }

    /// A page that was asked for, once; none if it has to be read by itself.
    pub(super) fn take(&self, id: u64, client: &Client) -> Option<Found> {
        let mut inner = self.held();
        if inner.asked.contains(&id) {
            let ids: Vec<u64> = inner.asked.range(id..).take(MANY).copied().collect();
            for id in &ids {
                inner.asked.remove(id);
            }
            // What cannot be read together is read by itself, and says why.
            let found = if ids.len() > 1 { client.pages_of(&ids).unwrap_or_default() } else { Vec::new() };
            let now = Instant::now();
            inner.read.extend(found.into_iter().map(|found| (found.page.id, (now, found))));
        }
        inner.read.remove(&id).filter(|(at, _)| at.elapsed() < FRESH).map(|(_, found)| found)
    }

    fn held(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
