//! The records as the log has them: whatever was changed from outside is refused, one record at a time.

use super::body_cache::BodyCache;
use super::change::Touched;
use crate::error::{Place, RecordError, Tampered, index_changed};
use crate::proof::hash::{OPEN_RUNS, open_runs};
use crate::proof::head::LogHead;
use crate::proof::tree::RecordTree;
use crate::row::{DocumentRow, RunRow, StoredPlan, document_key};
use crate::sqlite::db::Db;
use crate::sqlite::{documents, runs};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_kernel::time::Timestamp;

/// Records by id, each with its hash.
pub type Hashes = Vec<(String, Digest)>;

/// The records, each compared with what the log vouches for.
pub struct Verified<'a> {
    pub db: Db<'a>,
    tree: RecordTree<Db<'a>>,
    bodies: &'a BodyCache,
    /// When the last entry was made.
    pub last_at: Timestamp,
}

impl<'a> Verified<'a> {
    /// The records that the log's head vouches for.
    pub const fn new(db: Db<'a>, head: &LogHead, bodies: &'a BodyCache) -> Self {
        Self { db, tree: RecordTree::new(db, head.records), bodies, last_at: head.last_at }
    }

    /// What vouches for all records.
    pub const fn root(&self) -> Digest {
        self.tree.root()
    }

    /// The plan of this id; `None` if there never was one.
    pub fn plan(&self, id: &str) -> Result<Option<StoredPlan>, RecordError> {
        let (found, known) = (self.bodies.plan(&self.db, id)?, self.tree.get(id)?);
        let hash = found.as_ref().and_then(|plan| Some(plan.hash_with_runs(plan.hash()?)));
        match (&found, known) {
            (None, None) => Ok(None),
            (Some(plan), Some(_)) if hash == known => {
                self.bodies.keep(plan);
                Ok(found)
            }
            (Some(_), None) => Err(changed(id, "the database has it, but no entry of the log is about it")),
            (None, Some(_)) => Err(changed(id, "the log knows it, but it is missing from the database")),
            (Some(_), Some(_)) => {
                Err(changed(id, "its record in the database is not the one the log was written with"))
            }
        }
    }

    /// The document of this name; `None` if there never was one.
    pub fn document(&self, kind: &str, id: &str) -> Result<Option<DocumentRow>, RecordError> {
        let key = document_key(kind, id);
        let (found, known) = (documents::row(&self.db, kind, id)?, self.tree.get(&key)?);
        if found.as_ref().map(DocumentRow::hash) == known {
            return Ok(found);
        }
        let what = match (&found, known) {
            (Some(_), None) => "the database has it, but no entry of the log is about it",
            (None, _) => "the log knows it, but it is missing from the database",
            _ => "its record in the database is not the one the log was written with",
        };
        Err(Tampered { place: Place::Record(key), what: what.to_owned() }.into())
    }

    /// The plan of this id, which must be there.
    pub fn existing(&self, id: &PlanId) -> Result<StoredPlan, RecordError> {
        self.plan(id.as_str())?.ok_or_else(|| RecordError::UnknownPlan(id.clone()))
    }

    /// The run of this id, found through the plan it belongs to.
    pub fn run(&self, id: &str) -> Result<Option<RunRow>, RecordError> {
        let Some(plan) = runs::plan_of(&self.db, id)? else { return Ok(None) };
        let runs = self.plan(&plan)?.map(|plan| plan.runs).unwrap_or_default();
        let run = runs.into_iter().find(|run| run.id == id);
        run.ok_or_else(|| index_changed("a run in it belongs to no plan")).map(Some)
    }

    /// The runs without an end.
    pub fn open_runs(&self) -> Result<Vec<RunRow>, RecordError> {
        let mut open = Vec::new();
        for id in self.open_run_ids()? {
            open.extend(self.run(&id)?);
        }
        Ok(open)
    }

    /// The ids of the runs without an end, if they are exactly those of which the log says so.
    pub fn open_run_ids(&self) -> Result<Vec<String>, RecordError> {
        let (open, known) = (runs::open(&self.db)?, self.tree.get(OPEN_RUNS)?);
        if open_runs(&open) == known.unwrap_or_else(|| open_runs(&[])) {
            return Ok(open);
        }
        Err(index_changed("the runs without an end are others than the log knows"))
    }

    /// Vouches for records that were just changed, as they were meant to be: where the database gives back anything else, for none.
    /// `open` are the runs that had no end before. The hashes of the records.
    pub fn vouch_for(&mut self, touched: &Touched, mut open: Vec<String>) -> Result<Hashes, RecordError> {
        let mut hashes = Vec::new();
        for plan in &touched.plans {
            let id = plan.row.id.as_str();
            let hash = plan.hash().ok_or_else(|| plan.row.impossible(self.db.path, "body"))?;
            let stored = self.bodies.plan(&self.db, id)?;
            if stored.and_then(|stored| Some(stored.hash_with_runs(stored.hash()?))) != Some(plan.hash_with_runs(hash))
            {
                return Err(changed(id, "the database gives back another record than was written into it"));
            }
            self.tree.set(id, plan.hash_with_runs(hash))?;
            hashes.push((id.to_owned(), hash));
            for run in plan.runs.iter().filter(|run| touched.runs.iter().any(|id| id.as_str() == run.id)) {
                hashes.push((run.id.clone(), run.hash()));
                open.retain(|id| *id != run.id);
                open.extend(Some(run.id.clone()).filter(|_| run.is_open()));
            }
        }
        for document in &touched.documents {
            let (key, hash) = (document.key(), document.hash());
            if documents::row(&self.db, &document.kind, &document.id)?.as_ref() != Some(document) {
                return Err(changed(&key, "the database gives back another record than was written into it"));
            }
            self.tree.set(&key, hash)?;
            hashes.push((key, hash));
        }
        open.sort_unstable();
        if runs::open(&self.db)? != open {
            return Err(index_changed("the runs without an end are others than were written into it"));
        }
        if !touched.runs.is_empty() {
            self.tree.set(OPEN_RUNS, open_runs(&open))?;
        }
        Ok(hashes)
    }
}

fn changed(id: &str, what: &str) -> RecordError {
    Tampered { place: Place::Plan(id.to_owned()), what: what.to_owned() }.into()
}
