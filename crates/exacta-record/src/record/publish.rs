//! From the database to the files, once a change is committed and pinned: the log; then its sync, and plan and operation files, side
//! by side; and only after all of them the checkpoint, so that one of some size shows that everything before it was done, as
//! durably as was asked for. The files of a plan whose run has begun wait for its end.

use super::Record;
use crate::error::{Place, RecordError, Tampered};
use crate::folder::{CHECKPOINT, ENTRIES, Folder, PLANS};
use crate::log::{LogFile, Pending};
use crate::operation_file;
use crate::proof::head::LogHead;
use crate::proof::log_state::LogState;
use crate::row::StoredPlan;
use crate::sqlite::db::Db;
use crate::sqlite::log;
use exacta_kernel::audit::{Entry, SignedCheckpoint};
use exacta_kernel::id::CorrelationId;
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::thread::{self, Scope};

impl Record {
    /// Finishes what a process that died left, and checks what anybody else left. The folder must be locked.
    pub(super) fn heal(&self, db: &Db<'_>, head: &LogHead) -> Result<(), RecordError> {
        let LogHead { log, pending, pinned, .. } = head;
        if log.size() == self.complete.get() {
            return Ok(());
        }
        let signed = self.checkpoint_of(log)?;
        let size = signed.map_or(0, |signed| signed.size());
        let sign = || self.owner().sign(log);
        // Its process died before it could: from here on nobody can set the records back to before it.
        if *pinned < log.size() {
            self.signer.pin(&sign()?, self.durable)?;
        }
        let outputs = Outputs::open(&self.folder, log.size() == pending.len() as u64)?;
        outputs.log.complete(pending, size)?;
        if size < log.size() {
            self.write_files(db, &outputs, pending, &Affected::of(pending.iter().filter(|line| line.seq >= size))?)?;
            self.put_checkpoint(&sign()?, size == 0)?;
        }
        self.complete.set(log.size());
        Ok(())
    }

    /// Brings a committed change into the files; into those for people of what it is about, if given. The folder must be locked.
    pub(super) fn publish(
        &self,
        outputs: &Outputs<'_>,
        pending: &[Pending],
        signed: &SignedCheckpoint,
        affected: Option<&Affected>,
    ) -> Result<(), RecordError> {
        let log = &outputs.log;
        let unsynced = log.write(pending, 0)?.filter(|_| self.durable);
        let write = || affected.map_or(Ok(()), |affected| self.write_files(&self.db(), outputs, pending, affected));
        match unsynced {
            None => write()?,
            Some(from) if affected.is_none() => log.sync(from)?,
            Some(from) => thread::scope(|scope| {
                let synced = beside(scope, || log.sync(from));
                let written = write();
                written.and(synced())
            })?,
        }
        self.put_checkpoint(signed, signed.size() == pending.len() as u64)?;
        self.complete.set(signed.size());
        Ok(())
    }

    /// Replaces the checkpoint in the folder. If it is the first, its name is made durable: from then on it is never missing.
    fn put_checkpoint(&self, signed: &SignedCheckpoint, first: bool) -> Result<(), RecordError> {
        self.folder.replace(CHECKPOINT, &[signed.note().as_bytes()])?;
        if first { self.folder.sync() } else { Ok(()) }
    }

    /// Whether changes from now on are on the disk when they are made. If not, a crash of the machine can lose the last ones
    /// and leave the pinned checkpoint ahead of the records; a crash of the process cannot.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn set_durable(&mut self, durable: bool) -> Result<(), RecordError> {
        if self.durable == durable {
            return Ok(());
        }
        self.durable = durable;
        // Even then nothing that is half written is ever taken for whole.
        let how = if durable { "full" } else { "normal" };
        self.connection.pragma_update(None, "synchronous", how).map_err(RecordError::database(&self.path))
    }

    /// The checkpoint in the folder, checked; `None` if there is none, or a crash left it empty.
    pub(super) fn read_checkpoint(&self) -> Result<Option<SignedCheckpoint>, RecordError> {
        let Some(note) = self.folder.read(CHECKPOINT)?.filter(|note| !note.is_empty()) else { return Ok(None) };
        let note = String::from_utf8(note).map_err(|_| self.bad_checkpoint("it is not text"))?;
        // Whoever opens the records asks for the very same one again with the first change.
        if let Some(known) = self.verified.borrow().as_ref().filter(|known| known.note() == note) {
            return Ok(Some(known.clone()));
        }
        let signed = SignedCheckpoint::verify(&note, &self.origin, &[self.signer.public_key()])
            .map_err(|error| self.bad_checkpoint(&error.to_string()))?;
        self.verified.replace(Some(signed.clone()));
        Ok(Some(signed))
    }

    /// The checkpoint in the folder, where it can be one of this log.
    pub(super) fn checkpoint_of(&self, log: &LogState) -> Result<Option<SignedCheckpoint>, RecordError> {
        let (signed, stands) = (self.read_checkpoint()?, log.end());
        let fits = |signed: &SignedCheckpoint| signed.size() < stands.0 || (signed.size(), signed.root()) == stands;
        if signed.as_ref().is_none_or(fits) {
            return Ok(signed);
        }
        Err(self.bad_checkpoint("it is not a checkpoint of this log").into())
    }

    fn bad_checkpoint(&self, what: &str) -> Tampered {
        Tampered { place: Place::File(self.folder.path().join(CHECKPOINT)), what: what.to_owned() }
    }

    /// Writes the files of every plan and operation that a change is about; `pending` is what may not be in the log file yet.
    fn write_files(
        &self,
        db: &Db<'_>,
        outputs: &Outputs<'_>,
        pending: &[Pending],
        affected: &Affected,
    ) -> Result<(), RecordError> {
        for id in &affected.plans {
            let write = |plan: &StoredPlan| {
                let parts = plan.file(db.path)?;
                outputs.plans.replace(&format!("{id}.json"), &parts.each_ref().map(|part| part.as_bytes()))
            };
            match affected.last_plan.as_ref().filter(|plan| plan.row.id == *id) {
                Some(plan) => write(plan)?,
                None => self.bodies.plan(db, id)?.as_ref().map_or(Ok(()), write)?,
            }
        }
        for id in &affected.operations {
            let lines = log::lines(db, Some(&outputs.log), pending, Some(id.as_str()), None)?;
            outputs.operations.replace(&format!("{id}.json"), &[&operation_file::entries_text(id.as_str(), &lines)])?;
        }
        Ok(())
    }
}

/// Where a change is written to, held open from before it is made: what lies in the place of one of them stops it in time.
pub struct Outputs<'a> {
    pub log: LogFile<'a>,
    plans: Folder,
    operations: Folder,
}

impl<'a> Outputs<'a> {
    /// Opens them; makes the log if it is still empty. The folder must be locked.
    pub fn open(folder: &'a Folder, empty: bool) -> Result<Self, RecordError> {
        let log = LogFile::open(folder, empty)?;
        Ok(Self { log, plans: folder.inner(PLANS)?, operations: folder.inner(ENTRIES)? })
    }
}

/// Does something on a thread of its own, beside what comes next; the function that is given back waits for it. Where no thread
/// is to be had, it is done then.
fn beside<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl Fn() -> Result<(), RecordError> + Copy + Send + 'scope,
) -> impl FnOnce() -> Result<(), RecordError> {
    let thread = thread::Builder::new().spawn_scoped(scope, work);
    move || match thread {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => work(),
    }
}

/// What a change is about: what has files for people.
pub struct Affected {
    pub plans: BTreeSet<String>,
    pub operations: BTreeSet<CorrelationId>,
    /// One of the plans as it is now, where it need not be read again.
    pub last_plan: Option<StoredPlan>,
}

impl Affected {
    /// What entries are about that a process left unfinished.
    fn of<'a>(pending: impl Iterator<Item = &'a Pending>) -> Result<Self, RecordError> {
        let (mut plans, mut operations) = (BTreeSet::new(), BTreeSet::new());
        for line in pending {
            let entry = Entry::parse(line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes))?;
            let changed = entry.data.get("record_sha256").and_then(|records| records.as_object());
            // Runs are noted by hash too; no plan has such an id, and they are part of their plan's file.
            plans.extend(changed.into_iter().flat_map(|records| records.keys().cloned()));
            operations.extend(entry.correlation_id);
        }
        Ok(Self { plans, operations, last_plan: None })
    }
}
