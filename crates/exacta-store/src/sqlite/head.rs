//! The head of the log: how the log stands, and that it stands so by our own doing.
//!
//! The database says how, and anybody can write there. It is believed if it is what was pinned outside the project; or, where
//! a process died before it could pin, if our key signed it and the pinned log is its beginning.

use super::db::Db;
use super::ledger::{self, Ledger, index_changed};
use super::state::State;
use crate::error::{Place, StoreError, Tampered};
use crate::log::Pending;
use crate::signer::{CheckpointSigner, Pin};
use exacta_kernel::audit::merkle::{self, leaf_hash};
use exacta_kernel::audit::{Checkpoint, Origin, SignedCheckpoint};
use exacta_kernel::hash::Digest;
use exacta_kernel::time::Timestamp;
use serde::Deserialize;

/// The head of a log that is ours.
pub struct Head {
    pub ledger: Ledger,
    /// The entries of the last change.
    pub pending: Vec<Pending>,
    /// What the last entry says of all records: the root of their [`State`].
    pub state: Digest,
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
    pub fn sign(&self, ledger: &Ledger) -> Result<SignedCheckpoint, StoreError> {
        let checkpoint = Checkpoint { origin: self.origin.clone(), size: ledger.size(), root: ledger.frontier.root() };
        Ok(checkpoint.sign(&self.signer.public_key(), |bytes| self.signer.sign(bytes))?)
    }
}

impl Head {
    /// Reads the head. The pin must have been read before `db` began to see the database: then it cannot be ahead of it.
    pub fn load(db: &Db<'_>, owner: Owner<'_>, pin: Option<Pin>) -> Result<Self, StoreError> {
        let ledger = Ledger::load(db)?.ok_or_else(|| db.corrupt("it holds no log"))?;
        let pending = ledger::outbox(db)?;
        check_outbox(&ledger, &pending)?;
        check_head(db, &ledger, owner, pin)?;
        let (state, last_at) = match pending.last() {
            None => (State::empty(), Timestamp::from_millis(0)),
            Some(line) => {
                let line = last(&line.bytes);
                let line = line.ok_or_else(|| db.corrupt("its last entry does not vouch for the records"))?;
                (line.data.state_sha256, line.at)
            }
        };
        Ok(Self { ledger, pending, state, last_at, pinned: pin.map_or(0, |pin| pin.size) })
    }
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

fn last(line: &[u8]) -> Option<Last> {
    serde_json::from_slice(line).ok()
}

/// The root of the records that an entry carries.
pub fn stated(line: &[u8]) -> Option<Digest> {
    last(line).map(|line| line.data.state_sha256)
}

/// The outbox must hold the very last entries: with them the log grows from what it was to what it is.
pub fn check_outbox(ledger: &Ledger, pending: &[Pending]) -> Result<(), StoreError> {
    let reaches = pending.last().map_or(0, |last| last.start + last.bytes.len() as u64);
    let mut frontier = ledger.before.clone();
    let follows = pending.iter().all(|line| {
        let follows = line.seq == frontier.size();
        frontier.push(leaf_hash(line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes)));
        follows
    });
    if reaches == ledger.bytes && follows && frontier == ledger.frontier {
        return Ok(());
    }
    Err(index_changed("it does not hold the last entries"))
}

fn check_head(db: &Db<'_>, ledger: &Ledger, owner: Owner<'_>, pin: Option<Pin>) -> Result<(), StoreError> {
    let size = ledger.size();
    let pinned = pin.map_or(0, |pin| pin.size);
    let changed = |what: &str| Tampered { place: Place::Lines(1, pinned), what: what.to_owned() };
    if pinned > size {
        return Err(changed("the log is shorter than when its checkpoint was remembered in your configuration").into());
    }
    if pinned < size {
        let signed = SignedCheckpoint::verify(&ledger.note, owner.origin, &[owner.signer.public_key()]);
        if !signed.is_ok_and(|signed| (signed.size(), signed.root()) == (size, ledger.frontier.root())) {
            return Err(index_changed("its last entries were not written by us"));
        }
    }
    let Some(pin) = pin else { return Ok(()) };
    if root_at(db, ledger, pin.size)? == pin.root {
        return Ok(());
    }
    Err(changed("the log differs from the checkpoint remembered in your configuration").into())
}

/// The root when the log had so many entries. Costs nothing to speak of for now and for before the last change; others are
/// asked for only after a crash of the machine.
fn root_at(db: &Db<'_>, ledger: &Ledger, size: u64) -> Result<Digest, StoreError> {
    for frontier in [&ledger.frontier, &ledger.before] {
        if frontier.size() == size {
            return Ok(frontier.root());
        }
    }
    let leaves = ledger::leaves(db, ledger.size())?;
    if merkle::root(&leaves) != ledger.frontier.root() {
        return Err(index_changed("its hashes do not fit its entries"));
    }
    let count = usize::try_from(size).unwrap_or(usize::MAX);
    Ok(merkle::root(leaves.get(..count).unwrap_or_default()))
}
