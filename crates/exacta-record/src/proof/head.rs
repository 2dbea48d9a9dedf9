//! The head of the log: how the log stands, and that it stands so by our own doing.
//!
//! The database says how, and anybody can write there. It is believed if it is what was pinned outside the project; or, where
//! a process died before it could pin, if our key signed it and the pinned log is its beginning.

use super::log_state::LogState;
use super::tree;
use crate::error::{Place, RecordError, Tampered, index_changed};
use crate::log::Pending;
use crate::signer::{CheckpointSigner, Pin};
use exacta_kernel::audit::merkle::{self, leaf_hash};
use exacta_kernel::audit::{Checkpoint, Origin, SignedCheckpoint};
use exacta_kernel::hash::Digest;
use exacta_kernel::time::Timestamp;
use serde::Deserialize;

/// The head of a log that is ours.
#[derive(Debug)]
pub struct LogHead {
    pub log: LogState,
    /// The entries of the last change.
    pub pending: Vec<Pending>,
    /// The root of the tree of all records, which the last entry carries.
    pub records: Digest,
    /// When the last entry was made.
    pub last_at: Timestamp,
    /// How many entries the pinned checkpoint covers.
    pub pinned: u64,
}

/// Whose log it must be.
#[derive(Clone, Copy)]
pub struct Owner<'a> {
    pub origin: &'a Origin,
    pub signer: &'a dyn CheckpointSigner,
}

impl Owner<'_> {
    /// The log as it stands, signed.
    pub fn sign(&self, log: &LogState) -> Result<SignedCheckpoint, RecordError> {
        let (size, root) = log.end();
        let checkpoint = Checkpoint { origin: self.origin.clone(), size, root };
        Ok(checkpoint.sign(&self.signer.public_key(), |bytes| self.signer.sign(bytes))?)
    }
}

impl LogHead {
    /// The head, if it is ours; `None` if its last entry does not vouch for the records. `leaves` are those of all entries, where [`is_recent`] says that they are needed.
    ///
    /// INVARIANT: the pin was read before the database was: then it cannot be ahead of it by another process's doing.
    pub fn check(
        log: LogState,
        pending: Vec<Pending>,
        owner: Owner<'_>,
        pin: Option<Pin>,
        leaves: Option<&[Digest]>,
    ) -> Result<Option<Self>, RecordError> {
        check_outbox(&log, &pending)?;
        check_head(&log, owner, pin, leaves)?;
        let (records, last_at) = match pending.last() {
            None => (tree::EMPTY, Timestamp::from_millis(0)),
            Some(line) => match parse_last(&line.bytes) {
                Some(line) => (line.data.state_sha256, line.at),
                None => return Ok(None),
            },
        };
        Ok(Some(Self { log, pending, records, last_at, pinned: pin.map_or(0, |pin| pin.size) }))
    }
}

/// Whether the root at a pin is known without reading all leaves: the log as it is, or before its last change. It is not only after
/// a crash of the machine.
pub fn is_recent(log: &LogState, pin: Option<Pin>) -> bool {
    pin.is_none_or(|pin| pin.size > log.size() || [log.size(), log.before.size()].contains(&pin.size))
}

/// What is needed of a change's last entry.
#[derive(Deserialize)]
struct Last {
    at: Timestamp,
    data: LastData,
}

#[derive(Deserialize)]
struct LastData {
    state_sha256: Digest,
}

fn parse_last(line: &[u8]) -> Option<Last> {
    serde_json::from_slice(line).ok()
}

/// The root of the tree of records that an entry carries.
pub fn state_root(line: &[u8]) -> Option<Digest> {
    parse_last(line).map(|line| line.data.state_sha256)
}

/// The outbox must hold the very last entries: with them the log grows from what it was to what it is.
pub fn check_outbox(log: &LogState, pending: &[Pending]) -> Result<(), RecordError> {
    let reaches = pending.last().map_or(0, Pending::end);
    let mut frontier = log.before.clone();
    let follows = pending.iter().all(|line| {
        let follows = line.seq == frontier.size();
        frontier.push(leaf_hash(line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes)));
        follows
    });
    if reaches == log.bytes && follows && frontier == log.frontier {
        return Ok(());
    }
    Err(index_changed("it does not hold the last entries"))
}

fn check_head(
    log: &LogState,
    owner: Owner<'_>,
    pin: Option<Pin>,
    leaves: Option<&[Digest]>,
) -> Result<(), RecordError> {
    let (size, root) = log.end();
    let pinned = pin.map_or(0, |pin| pin.size);
    let changed = |what: &str| Tampered { place: Place::Lines(1, pinned), what: what.to_owned() };
    if pinned > size {
        return Err(changed("the log is shorter than when its checkpoint was remembered in your configuration").into());
    }
    if pinned < size {
        let signed = SignedCheckpoint::verify(&log.note, owner.origin, &[owner.signer.public_key()]);
        if !signed.is_ok_and(|signed| (signed.size(), signed.root()) == (size, root)) {
            return Err(index_changed("its last entries were not written by us"));
        }
    }
    let Some(pin) = pin else { return Ok(()) };
    if root_at(log, pin.size, leaves)? == pin.root {
        return Ok(());
    }
    Err(changed("the log differs from the checkpoint remembered in your configuration").into())
}

/// The root when the log had this many entries.
fn root_at(log: &LogState, size: u64, leaves: Option<&[Digest]>) -> Result<Digest, RecordError> {
    for frontier in [&log.frontier, &log.before] {
        if frontier.size() == size {
            return Ok(frontier.root());
        }
    }
    let leaves = leaves.unwrap_or_default();
    if merkle::root(leaves) != log.frontier.root() {
        return Err(index_changed("its hashes do not fit its entries"));
    }
    let count = usize::try_from(size).unwrap_or(usize::MAX);
    Ok(merkle::root(leaves.get(..count).unwrap_or_default()))
}
