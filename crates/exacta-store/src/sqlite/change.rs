//! One change of the records: the rows and the entries about them in one transaction.

use super::book::Book;
use super::db::Db;
use super::head::{Head, Owner};
use super::ledger::{self, Ledger};
use super::publish::{About, Outputs};
use super::whole::Whole;
use super::{SqliteStore, schema};
use crate::error::StoreError;
use crate::log::Pending;
use crate::store::Deed;
use exacta_kernel::audit::EntryDraft;
use exacta_kernel::id::RunId;
use exacta_kernel::time::Timestamp;
use rusqlite::{Transaction, TransactionBehavior};
use serde_json::Value;

/// What a change came to.
pub enum Act<T> {
    /// Nothing happens, and nothing is recorded.
    Nothing(T),
    /// Rows were changed.
    Change(T, Touched),
}

/// What a change touched.
#[derive(Default)]
pub struct Touched {
    /// The plans as they are to be then.
    pub plans: Vec<Whole>,
    pub runs: Vec<RunId>,
    /// Entries that come before the caller's.
    pub entries: Vec<EntryDraft>,
    /// Whether another change of the same plan follows for certain, so that its files for people are written then.
    pub goes_on: bool,
    /// Whether it has happened in the project already, so that it is entered also where the log cannot be written.
    pub happened: bool,
}

impl Touched {
    /// One plan, as it is to be then.
    pub fn of(plan: Whole) -> Self {
        Self { plans: vec![plan], ..Self::default() }
    }
}

impl SqliteStore {
    /// Makes a change and records it. `act` changes rows at the time it is given, or finds that nothing is to be done.
    pub(super) fn change<T>(
        &mut self,
        entries: &[EntryDraft],
        clock: Timestamp,
        act: impl FnOnce(&Book<'_>, Timestamp) -> Result<Act<T>, StoreError>,
    ) -> Result<T, StoreError> {
        self.change_with(entries, clock, &mut (), act)
    }

    /// The same, together with something outside the records: the last thing that is done before the commit.
    pub(super) fn change_with<T>(
        &mut self,
        entries: &[EntryDraft],
        clock: Timestamp,
        deed: &mut dyn Deed,
        act: impl FnOnce(&Book<'_>, Timestamp) -> Result<Act<T>, StoreError>,
    ) -> Result<T, StoreError> {
        let _lock = self.folder.lock()?;
        self.check_place()?;
        let failed = || StoreError::database(&self.path);
        // Nobody else has a transaction open on this connection: they all end before their callers return.
        let tx = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).map_err(failed())?;
        // INVARIANT: from here until the new pin is in its place, no other process moves it. The pin is read only now: while this one
        // waited for the database, which may be a copy, another may have recorded a decision in the other copy.
        let held = self.signer.hold()?;
        let pin = self.signer.pinned()?;
        let db = Db { connection: &tx, path: &self.path };
        schema::check(&db)?;
        let owner = Owner { origin: &self.origin, signer: &*self.signer };
        let head = Head::load(&db, owner, pin)?;
        self.settle(&db, &head)?;
        let Head { mut ledger, pending: before, state, last_at, .. } = head;
        let mut book = Book::new(db, state, &self.seen);
        let open = book.open_run_ids()?;
        let at = clock.max(last_at);
        let (value, mut touched) = match act(&book, at)? {
            Act::Nothing(value) => return Ok(value),
            Act::Change(value, touched) => (value, touched),
        };
        let outputs = match self.outputs(&before, ledger.size()) {
            Err(error) if !touched.happened => return Err(error),
            outputs => outputs,
        };
        let (pending, about) =
            record(&mut book, &mut ledger, Stood { pending: &before, open }, &mut touched, entries, [clock, at])?;
        let signed = owner.sign(&ledger)?;
        ledger.note = signed.note().to_owned();
        ledger.save(&db)?;
        // Until here nothing has happened, and nothing does where this fails.
        let pin = self.signer.stage(&signed, self.durable)?;
        if !deed.act() {
            return Ok(value);
        }
        if let Err(cause) = tx.commit() {
            self.overwrite_failed_commit();
            deed.put_back();
            return Err(failed()(cause));
        }
        // From here on it has happened, and nobody can set the records back to before it: what the files lack the database gives them.
        pin().map_err(unfinished)?;
        drop(held);
        let about = Some(&about).filter(|_| !touched.goes_on);
        match outputs.and_then(|outputs| self.publish(&outputs, &pending, &signed, about)) {
            // Nothing may be done to the project that the log does not announce; and how a run ended is told as far as it is known.
            Err(error) if touched.goes_on || touched.happened => Err(unfinished(error)),
            _ => Ok(value),
        }
    }

    /// Where the change is written to, if the log ends with these entries, the last of so many.
    fn outputs(&self, last: &[Pending], size: u64) -> Result<Outputs<'_>, StoreError> {
        let outputs = Outputs::open(&self.folder, size == 0)?;
        outputs.log.begun(last, size)?;
        Ok(outputs)
    }

    /// A commit that failed may have left all of itself at the end of the write-ahead log, and whoever opens the database next
    /// would take it for one that was made. Another commit, of nothing new, is written over it.
    fn overwrite_failed_commit(&self) {
        // Where this fails too, nothing more can be done.
        let _failed = schema::commit_nothing(&self.db());
    }
}

/// The change is made, and something was left to the next command.
fn unfinished(error: impl Into<StoreError>) -> StoreError {
    StoreError::Unfinished(Box::new(error.into()))
}

/// What stood before a change.
struct Stood<'a> {
    /// The entries of the change before it.
    pending: &'a [Pending],
    /// The runs without an end.
    open: Vec<String>,
}

/// Writes the entries of a change, at the time that counts; the last one carries the hashes of the records as they are after it. The entries, and what
/// they are about.
fn record(
    book: &mut Book<'_>,
    ledger: &mut Ledger,
    stood: Stood<'_>,
    touched: &mut Touched,
    entries: &[EntryDraft],
    [clock, at]: [Timestamp; 2],
) -> Result<(Vec<Pending>, About), StoreError> {
    let mut drafts: Vec<EntryDraft> = touched.entries.iter().chain(entries).cloned().collect();
    let last = ledger.size() + drafts.len() as u64;
    let db = book.db;
    for plan in &mut touched.plans {
        plan.touch(&db, &drafts, last.saturating_sub(1))?;
    }
    let hashes = book.reseal(touched, stood.open)?;
    let about = About {
        plans: touched.plans.iter().map(|plan| plan.row.id.clone()).collect(),
        operations: drafts.iter().filter_map(|draft| draft.correlation_id.clone()).collect(),
        last_plan: touched.plans.pop(),
    };
    ledger::note_records(drafts.last_mut().ok_or(StoreError::Unrecorded)?, hashes, book.root());
    ledger.before = ledger.frontier.clone();
    // The entries of the change before are in the file; on disk too, unless that change was not to be durable.
    if db.run("DELETE FROM outbox", [])? != stood.pending.len() {
        return Err(db.tampered("it does not give up what is deleted from it"));
    }
    let mut pending = Vec::new();
    for mut draft in drafts {
        if at > clock {
            // The clock was set back; what it said is kept beside the time that counts.
            draft.data.insert("clock".to_owned(), Value::String(clock.to_string()));
        }
        pending.push(ledger.append(&db, at, draft)?);
    }
    Ok((pending, about))
}

#[cfg(test)]
mod tests;
