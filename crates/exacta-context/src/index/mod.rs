//! What is known of every file, from a cache outside the project as far as that is certainly still true.
//!
//! A file is read again unless its size, both its times and its inode are what they were. A file that changed within [`GRAIN`] of the
//! moment it was read could change once more without any of them showing it, so it is read again whatever they say, as git does. What
//! is sent to a model is always read afresh: the index only ranks.

mod cache;
mod record;

pub(crate) use record::Record;

use crate::beneath;
use crate::error::ContextError;
use crate::gate::{Barred, FILE_CAP};
use crate::walk::{self, Seen, Stamp};
use exacta_kernel::hash::Digest;
use exacta_source::Mapper;
use rustix::fd::BorrowedFd;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// How coarse the times of a file system may be, in nanoseconds: two seconds, as on FAT.
const GRAIN: i128 = 2_000_000_000;
/// So few files are read again next time, rather than written down now.
const FEW: usize = 200;

/// All files of a project that may be shown.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// By path, in order.
    pub files: Vec<File>,
    /// How many are barred, and why.
    pub barred: BTreeMap<Barred, u64>,
    /// Whether there are more files than are looked at.
    pub more: bool,
    /// How many were read, and not known already.
    pub read: usize,
}

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub seen: Seen,
    pub record: Record,
    /// Whether its stamp alone vouches for the record.
    settled: bool,
}

/// One file as it is in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    path: String,
    stamp: Stamp,
    settled: bool,
    record: Record,
}

impl Index {
    /// Looks at every file, and reads those that the cache does not vouch for.
    pub fn refresh(
        root: BorrowedFd<'_>,
        cache: Option<BorrowedFd<'_>>,
        user_ignores: &str,
    ) -> Result<Self, ContextError> {
        let now = now();
        let found = walk::walk(root, user_ignores)?;
        let place = cache.and_then(|folder| cache::Place::of(root, folder));
        let known = place.as_ref().and_then(cache::Place::load);
        let fresh = known.is_none();
        let matched = matched(found.files, known.unwrap_or_default());
        let work =
            |mapper: &mut Mapper, (seen, entry): &(Seen, Option<Entry>)| read(root, now, mapper, seen, entry.as_ref());
        let read = crate::pair::map(&matched, Mapper::default, work);
        let mut index = Self { barred: found.barred, more: found.more, ..Self::default() };
        for ((seen, entry), read) in matched.into_iter().zip(read) {
            index.read += usize::from(read.is_some());
            let kept = entry.map(|entry| (entry.record, entry.settled));
            if let Some((record, settled)) = read.or(kept) {
                index.files.push(File { seen, record, settled });
            }
        }
        if let Some(place) = place.filter(|_| fresh || index.read > FEW) {
            // Without a cache the next time takes longer, and that is all.
            let _ = place.save(&index.files);
        }
        Ok(index)
    }

    /// The place of a file.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.seen.path.as_str().cmp(path)).ok()
    }
}

/// The files with what is remembered of each; both come in order.
fn matched(files: Vec<Seen>, known: Vec<Entry>) -> Vec<(Seen, Option<Entry>)> {
    let mut known = known.into_iter().peekable();
    let with = |seen: Seen| {
        while known.next_if(|entry| entry.path.as_str() < seen.path.as_str()).is_some() {}
        let entry = known.next_if(|entry| entry.path == seen.path.as_str());
        (seen, entry)
    };
    files.into_iter().map(with).collect()
}

/// Reads a file again; none if what is remembered still holds.
fn read(
    root: BorrowedFd<'_>,
    now: i128,
    mapper: &mut Mapper,
    seen: &Seen,
    known: Option<&Entry>,
) -> Option<(Record, bool)> {
    let known = known.filter(|entry| entry.stamp == seen.stamp);
    if known.is_some_and(|entry| entry.settled) {
        return None;
    }
    let settled = |stamp: &Stamp| *stamp == seen.stamp && stamp.modified.max(stamp.changed) + GRAIN < now;
    if seen.stamp.size > FILE_CAP {
        return Some((Record::unread(seen), settled(&seen.stamp)));
    }
    let Some((stat, bytes)) = beneath::file(root, seen.path.as_str(), FILE_CAP).ok().flatten() else {
        return Some((Record::unread(seen), false));
    };
    let settled = settled(&Stamp::of(&stat));
    let same = known.filter(|entry| entry.record.digest == Some(Digest::of(&bytes)));
    let record = same.map_or_else(|| Record::read(seen, &bytes, mapper), |entry| entry.record.clone());
    Some((record, settled))
}

fn now() -> i128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(0))
}
