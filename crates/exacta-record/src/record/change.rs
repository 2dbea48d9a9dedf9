//! One change of the record: the rows and the entries about them in one transaction.

use super::Record;
use super::publish::{Affected, Outputs};
use super::turn::Turn;
use super::verified::Verified;
use crate::error::RecordError;
use crate::log::Pending;
use crate::proof::head::LogHead;
use crate::proof::log_state::{LogState, note_records};
use crate::row::{DocumentRow, StoredPlan};
use crate::sqlite::db::Db;
use crate::sqlite::{log, schema};
use exacta_kernel::audit::EntryDraft;
use exacta_kernel::id::RunId;
use exacta_kernel::time::Timestamp;
use rusqlite::{Transaction, TransactionBehavior};
use serde_json::Value;

/// What an attempt at a change came to.
pub enum Attempt<T> {
    /// Nothing happens, and nothing is recorded.
    Nothing(T),
    /// Rows were changed.
    Change(T, Touched),
}

/// What a change touched.
#[derive(Default)]
pub struct Touched {
    /// The plans as they are to be then.
    pub plans: Vec<StoredPlan>,
    pub runs: Vec<RunId>,
    /// Autopilots and occasions as they are to be then.
    pub documents: Vec<DocumentRow>,
    /// Entries that come before the caller's.
    pub entries: Vec<EntryDraft>,
    /// Whether another change of the same plan follows for certain, so that its files for people are written then.
    pub goes_on: bool,
    /// Whether it has happened in the project already, so that it is entered also where the log cannot be written.
    pub happened: bool,
}

impl Touched {
    /// One plan, as it is to be then.
    pub fn of(plan: StoredPlan) -> Self {
        Self { plans: vec![plan], ..Self::default() }
    }
}

impl Record {
    /// Makes a change when it is this process's turn; see [`Turn::change`].
    pub(super) fn change<T>(
        &mut self,
        entries: &[EntryDraft],
        clock: Timestamp,
        act: impl FnOnce(&Verified<'_>, Timestamp) -> Result<Attempt<T>, RecordError>,
    ) -> Result<T, RecordError> {
        self.turn()?.change(entries, clock, act)
    }

    /// Where the change is written to, if the log ends with these entries, the last of a number of them.
    pub(super) fn outputs(&self, last: &[Pending], size: u64) -> Result<Outputs<'_>, RecordError> {
        let outputs = Outputs::open(&self.folder, size == 0)?;
        outputs.log.check_written(last, size)?;
        Ok(outputs)
    }

    /// A commit that failed may have left all of itself at the end of the write-ahead log, and whoever opens the database next
    /// would take it for one that was made. Another commit, of nothing new, is written over it.
    fn overwrite_failed_commit(&self) {
        // Where this fails too, nothing more can be done.
        let _failed = schema::commit_nothing(&self.db());
    }
}

impl Turn<'_> {
    /// Makes a change and records it. `act`, which is code of this crate alone, changes rows at the time it is given, or finds that
    /// nothing is to be done.
    pub(super) fn change<T>(
        self,
        entries: &[EntryDraft],
        clock: Timestamp,
        act: impl FnOnce(&Verified<'_>, Timestamp) -> Result<Attempt<T>, RecordError>,
    ) -> Result<T, RecordError> {
        let (record, _lock) = self.into_parts();
        let failed = || RecordError::database(&record.path);
        // Nobody else has a transaction open on this connection: they all end before their callers return.
        let tx = Transaction::new_unchecked(&record.connection, TransactionBehavior::Immediate).map_err(failed())?;
        // INVARIANT: from here until the new pin is in its place, no other process moves it. The pin is read only now: while this one
        // waited for the database, which may be a copy, another may have recorded a decision in the other copy.
        let held = record.signer.hold()?;
        let pin = record.signer.pinned()?;
        let db = Db { connection: &tx, path: &record.path };
        schema::check(&db)?;
        let head = record.head(&db, pin)?;
        record.heal(&db, &head)?;
        let mut verified = Verified::new(db, &head, &record.bodies);
        let LogHead { mut log, pending: before, last_at, .. } = head;
        let open = verified.open_run_ids()?;
        // INVARIANT: no entry has an earlier time than the one before it.
        let at = clock.max(last_at);
        let (value, mut touched) = match act(&verified, at)? {
            Attempt::Nothing(value) => return Ok(value),
            Attempt::Change(value, touched) => (value, touched),
        };
        let outputs = match record.outputs(&before, log.size()) {
            Err(error) if !touched.happened => return Err(error),
            outputs => outputs,
        };
        let before = Before { pending: &before, open };
        let (pending, affected) = write(&mut verified, &mut log, before, &mut touched, entries, [clock, at])?;
        let signed = record.owner().sign(&log)?;
        signed.note().clone_into(&mut log.note);
        log::save(&db, &log.row())?;
        // INVARIANT: until here nothing has happened, and nothing does where this fails.
        let pin = record.signer.stage(&signed, record.durable)?;
        if let Err(cause) = tx.commit() {
            record.overwrite_failed_commit();
            return Err(failed()(cause));
        }
        // INVARIANT: from here on it has happened, and nobody can set the record back to before it: what the files lack the database
        // gives them.
        pin().map_err(unfinished)?;
        drop(held);
        let affected = Some(&affected).filter(|_| !touched.goes_on);
        match outputs.and_then(|outputs| record.publish(&outputs, &pending, &signed, affected)) {
            // Nothing may be done to the project that the log does not announce; and how a run ended is told as far as it is known.
            Err(error) if touched.goes_on || touched.happened => Err(unfinished(error)),
            _ => Ok(value),
        }
    }
}

/// The change is made, and something was left to the next command.
fn unfinished(error: impl Into<RecordError>) -> RecordError {
    RecordError::Unfinished(Box::new(error.into()))
}

/// What was there before a change.
struct Before<'a> {
    /// The entries of the change before it.
    pending: &'a [Pending],
    /// The runs without an end.
    open: Vec<String>,
}

/// Writes the rows of a change and its entries, at the time that counts; the last entry carries the hashes of the records as they are
/// after it. The entries, and what they are about.
fn write(
    verified: &mut Verified<'_>,
    log: &mut LogState,
    before: Before<'_>,
    touched: &mut Touched,
    entries: &[EntryDraft],
    [clock, at]: [Timestamp; 2],
) -> Result<(Vec<Pending>, Affected), RecordError> {
    let mut drafts: Vec<EntryDraft> = touched.entries.iter().chain(entries).cloned().collect();
    let last = log.size() + drafts.len() as u64;
    let db = verified.db;
    for plan in &mut touched.plans {
        plan.touch(&db, &drafts, last.saturating_sub(1))?;
    }
    let hashes = verified.vouch_for(touched, before.open)?;
    let affected = Affected {
        plans: touched.plans.iter().map(|plan| plan.row.id.clone()).collect(),
        operations: drafts.iter().filter_map(|draft| draft.correlation_id.clone()).collect(),
        last_plan: touched.plans.pop(),
    };
    note_records(drafts.last_mut().ok_or(RecordError::Unrecorded)?, hashes, verified.root());
    log.before = log.frontier.clone();
    // The entries of the change before are in the file; on disk too, unless that change was not to be durable.
    log::clear_outbox(&db, before.pending.len())?;
    let mut pending = Vec::new();
    for mut draft in drafts {
        if at > clock {
            // The clock was set back; what it said is kept beside the time that counts.
            draft.data.insert("clock".to_owned(), Value::String(clock.to_string()));
        }
        let entry = log.append(at, draft)?;
        log::append(&db, &entry)?;
        pending.push(entry.line);
    }
    Ok((pending, affected))
}

#[cfg(test)]
mod tests;
