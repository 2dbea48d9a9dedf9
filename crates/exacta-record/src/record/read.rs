//! What can be asked of the record. Single plans and runs are compared with the log first, unless it was opened only to look.

use super::Record;
use super::verified::Verified;
use crate::error::RecordError;
use crate::log::{LogFile, tampered};
use crate::plan::{EntryFilter, Filter, PlanRecord, PlanSummary};
use crate::run::{RunFilter, RunRecord, RunState};
use crate::sqlite::db::Db;
use crate::sqlite::{log, plans, runs};
use exacta_kernel::audit::merkle::{self, leaf_hash};
use exacta_kernel::audit::{Entry, LogReceipt, SignedCheckpoint};
use exacta_kernel::id::{CorrelationId, PlanId, RunId};

impl Record {
    /// The plan of this id.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn plan(&self, id: &PlanId) -> Result<Option<PlanRecord>, RecordError> {
        let plan = if self.unverified {
            self.bodies.plan(&self.db(), id.as_str())?
        } else {
            self.read_verified(|verified| verified.plan(id.as_str()))?
        };
        plan.map(|plan| plan.record(&self.path)).transpose()
    }

    /// Plans, newest first.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn list(&self, filter: &Filter) -> Result<Vec<PlanSummary>, RecordError> {
        plans::list(&self.db(), filter)
    }

    /// Runs, newest first.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, RecordError> {
        runs::list(&self.db(), filter)
    }

    /// The run of this id.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn run(&self, id: &RunId) -> Result<Option<RunRecord>, RecordError> {
        let run = if self.unverified {
            runs::row(&self.db(), id.as_str())?
        } else {
            self.read_verified(|verified| verified.run(id.as_str()))?
        };
        run.map(|run| run.record(&self.path)).transpose()
    }

    /// The runs without an end: going on, crashed and not yet recovered, or in need of a person. Exactly those, also where
    /// somebody hid one.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn open_runs(&self) -> Result<Vec<RunRecord>, RecordError> {
        if self.unverified {
            let state = RunState::ALL.into_iter().filter(|state| state.is_open()).collect();
            return runs::list(&self.db(), &RunFilter { state, ..RunFilter::default() });
        }
        let open = self.read_verified(|verified| verified.open_runs())?;
        open.iter().map(|run| run.record(&self.path)).collect()
    }

    /// The runs that are going on, or crashed and not yet recovered.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn running(&self) -> Result<Vec<RunRecord>, RecordError> {
        Ok(self.open_runs()?.into_iter().filter(|run| run.state.is_under_way()).collect())
    }

    /// Audit entries, in the order of the log.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, RecordError> {
        let correlation = filter.correlation_id.as_ref().map(CorrelationId::as_str);
        // One state of the database, and the file after it: what is not pending then is in the file.
        let tx = self.connection.unchecked_transaction().map_err(RecordError::database(&self.path))?;
        let db = Db { connection: &tx, path: &self.path };
        let pending = log::outbox(&db)?;
        let file = LogFile::read(&self.folder)?;
        let lines = log::lines(&db, file.as_ref(), &pending, correlation, filter.last)?;
        if let Some(line) = lines.iter().find(|line| leaf_hash(&line.bytes) != line.leaf) {
            return Err(tampered(line.seq + 1, "the line was changed").into());
        }
        lines.iter().map(|line| Ok(Entry::parse(&line.bytes)?)).collect()
    }

    /// The newest signed checkpoint; `None` while the log is empty.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn checkpoint(&self) -> Result<Option<SignedCheckpoint>, RecordError> {
        self.read_checkpoint()
    }

    /// Proof that an entry is in the log, to be checked offline; `None` if there is no such entry.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn receipt(&self, seq: u64) -> Result<Option<LogReceipt>, RecordError> {
        let Some(signed) = self.read_checkpoint()? else { return Ok(None) };
        let leaves = log::leaves(&self.db(), signed.size())?;
        let Some(hashes) = merkle::inclusion_proof(&leaves, seq) else { return Ok(None) };
        Ok(Some(LogReceipt { index: seq, hashes, checkpoint: signed.note().to_owned() }))
    }

    /// Reads at one moment, and only what the log vouches for.
    pub(super) fn read_verified<T>(
        &self,
        read: impl FnOnce(&Verified<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let pin = self.signer.pinned()?;
        let tx = self.connection.unchecked_transaction().map_err(RecordError::database(&self.path))?;
        let db = Db { connection: &tx, path: &self.path };
        let head = self.head(&db, pin)?;
        read(&Verified::new(db, &head, &self.bodies))
    }
}
