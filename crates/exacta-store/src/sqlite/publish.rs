//! From the database to the files: log, plan and operation files, pin, checkpoint; in this order, so that a checkpoint of
//! some size shows that everything before it was done.

use super::SqliteStore;
use super::db::Db;
use super::head::{Head, Owner};
use super::ledger;
use super::whole::Whole;
use crate::error::{Place, StoreError, Tampered};
use crate::files;
use crate::folder::{CHECKPOINT, ENTRIES, PLANS};
use crate::log::{LogFile, Pending};
use exacta_kernel::audit::{Entry, SignedCheckpoint};
use std::collections::BTreeSet;
use std::thread;

impl SqliteStore {
    /// Finishes what a process that died left, and checks what anybody else left. The folder must be locked.
    pub(super) fn settle(&self, db: &Db<'_>, head: &Head) -> Result<(), StoreError> {
        let Head { ledger, pending, pinned, .. } = head;
        if ledger.size() == self.settled.get() {
            return Ok(());
        }
        let signed = self.read_checkpoint()?;
        let size = signed.as_ref().map_or(0, |signed| signed.size());
        let same_root = signed.as_ref().is_none_or(|signed| signed.root() == ledger.frontier.root());
        if size > ledger.size() || (size == ledger.size() && !same_root) {
            return Err(self.bad_checkpoint("it is not a checkpoint of this log").into());
        }
        LogFile::open(&self.folder, ledger.size() == pending.len() as u64)?.settle(pending, size)?;
        match signed {
            Some(_) if size == ledger.size() && size == *pinned => {}
            Some(signed) if size == ledger.size() => self.signer.pin(&signed, self.durable)?,
            _ => {
                let unfinished: Vec<Pending> = pending.iter().filter(|line| line.seq >= size).cloned().collect();
                self.write_files(db, &unfinished)?;
                if ledger.size() > 0 {
                    let signed = Owner { origin: &self.origin, signer: &*self.signer }.sign(ledger)?;
                    self.signer.pin(&signed, self.durable)?;
                    self.put_checkpoint(&signed, size == 0)?;
                }
            }
        }
        self.settled.set(ledger.size());
        Ok(())
    }

    /// Brings a committed change into the files; into those for people if `files`. The folder must be locked.
    pub(super) fn publish(
        &self,
        pending: &[Pending],
        signed: &SignedCheckpoint,
        files: bool,
    ) -> Result<(), StoreError> {
        let log = LogFile::open(&self.folder, signed.size() == pending.len() as u64)?;
        let unsynced = log.write(pending, 0)?.filter(|_| self.durable);
        if files {
            self.write_files(&self.db(), pending)?;
        }
        // What is pinned is committed, so the database can always give back what the file lacks: neither waits for the other.
        let (synced, pinned) = thread::scope(|scope| {
            let sync = || unsynced.map_or(Ok(()), |from| log.sync(from));
            let syncing = unsynced.map(|_| thread::Builder::new().spawn_scoped(scope, sync));
            let pinned = self.signer.pin(signed, self.durable);
            let synced = match syncing {
                Some(Ok(thread)) => {
                    thread.join().unwrap_or_else(|_| Err(self.db().corrupt("the log could not be synced")))
                }
                // No thread is to be had: then one after the other.
                Some(Err(_)) => sync(),
                None => Ok(()),
            };
            (synced, pinned)
        });
        synced?;
        pinned?;
        self.put_checkpoint(signed, signed.size() == pending.len() as u64)?;
        self.settled.set(signed.size());
        Ok(())
    }

    /// Replaces the checkpoint in the folder. If it is the first, its name is made durable: from then on it is never missing.
    fn put_checkpoint(&self, signed: &SignedCheckpoint, first: bool) -> Result<(), StoreError> {
        self.folder.replace(CHECKPOINT, signed.note().as_bytes())?;
        if first { self.folder.sync() } else { Ok(()) }
    }

    /// Whether changes from now on are on the disk when they are made. If not, a crash of the machine can lose the last ones
    /// and leave the pinned checkpoint ahead of the records; a crash of the process cannot.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn set_durable(&mut self, durable: bool) -> Result<(), StoreError> {
        if self.durable == durable {
            return Ok(());
        }
        self.durable = durable;
        // Even then nothing that is half written is ever taken for whole.
        let how = if durable { "full" } else { "normal" };
        self.connection.pragma_update(None, "synchronous", how).map_err(StoreError::database(&self.path))
    }

    /// The checkpoint in the folder, checked; `None` if there is none, or a crash left it empty.
    pub(super) fn read_checkpoint(&self) -> Result<Option<SignedCheckpoint>, StoreError> {
        let Some(note) = self.folder.read(CHECKPOINT)?.filter(|note| !note.is_empty()) else { return Ok(None) };
        let note = String::from_utf8(note).map_err(|_| self.bad_checkpoint("it is not text"))?;
        SignedCheckpoint::verify(&note, &self.origin, &[self.signer.public_key()])
            .map(Some)
            .map_err(|error| self.bad_checkpoint(&error.to_string()).into())
    }

    fn bad_checkpoint(&self, what: &str) -> Tampered {
        Tampered { place: Place::File(self.folder.path().join(CHECKPOINT)), what: what.to_owned() }
    }

    /// Writes the files of every plan and operation that these entries are about.
    fn write_files(&self, db: &Db<'_>, pending: &[Pending]) -> Result<(), StoreError> {
        let (mut plans, mut operations) = (BTreeSet::new(), BTreeSet::new());
        for line in pending {
            let entry = Entry::parse(line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes))?;
            let changed = entry.data.get("record_sha256").and_then(|records| records.as_object());
            plans.extend(changed.into_iter().flat_map(|records| records.keys().cloned()));
            operations.extend(entry.correlation_id);
        }
        let folder = self.folder.inner(PLANS)?;
        for id in plans {
            // Runs are noted by hash too; they are part of their plan's file.
            if let Some(plan) = Whole::load(db, &id, &self.seen)? {
                folder.replace(&format!("{id}.json"), plan.file(db)?.as_bytes())?;
            }
        }
        let log = LogFile::read(&self.folder)?;
        let folder = self.folder.inner(ENTRIES)?;
        for id in operations {
            let lines = ledger::lines(db, (log.as_ref(), pending), Some(id.as_str()), None)?;
            folder.replace(&format!("{id}.json"), &files::entries_text(id.as_str(), &lines))?;
        }
        Ok(())
    }
}
