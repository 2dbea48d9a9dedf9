//! The records as the log has them: whatever was changed from outside is refused, one record at a time.

use super::change::Touched;
use super::db::Db;
use super::ledger::index_changed;
use super::runs::{self, RunRow};
use super::state::State;
use super::whole::{Seen, Whole};
use crate::error::{Place, StoreError, Tampered};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;

/// The name under which the map of records holds the runs that have no end.
pub const OPEN_RUNS: &str = "open-runs";

/// Records by id, each with its hash.
pub type Hashes = Vec<(String, Digest)>;

/// The records, and what the log vouches for.
pub struct Book<'a> {
    pub db: Db<'a>,
    state: State<'a>,
    seen: &'a Seen,
}

impl<'a> Book<'a> {
    /// The records that the log's head vouches for.
    pub const fn new(db: Db<'a>, state: Digest, seen: &'a Seen) -> Self {
        Self { db, state: State::new(db, state), seen }
    }

    /// What vouches for all records.
    pub const fn root(&self) -> Digest {
        self.state.root()
    }

    /// The plan of this id; `None` if there never was one.
    pub fn plan(&self, id: &str) -> Result<Option<Whole>, StoreError> {
        let (found, known) = (Whole::load(&self.db, id, self.seen)?, self.state.get(id)?);
        let seal = found.as_ref().and_then(|plan| Some(plan.seal(plan.hash()?)));
        match (&found, known) {
            (None, None) => Ok(None),
            (Some(plan), Some(_)) if seal == known => {
                self.seen.keep(plan);
                Ok(found)
            }
            (Some(_), None) => Err(changed(id, "the database has it, but no entry of the log is about it")),
            (None, Some(_)) => Err(changed(id, "the log knows it, but it is missing from the database")),
            (Some(_), Some(_)) => {
                Err(changed(id, "its record in the database is not the one the log was written with"))
            }
        }
    }

    /// The plan of this id, which must be there.
    pub fn existing(&self, id: &PlanId) -> Result<Whole, StoreError> {
        self.plan(id.as_str())?.ok_or_else(|| StoreError::UnknownPlan(id.clone()))
    }

    /// The run of this id, found through the plan it belongs to.
    pub fn run(&self, id: &str) -> Result<Option<RunRow>, StoreError> {
        let Some(plan) = runs::plan_of(&self.db, id)? else { return Ok(None) };
        let runs = self.plan(&plan)?.map(|plan| plan.runs).unwrap_or_default();
        let run = runs.into_iter().find(|run| run.id == id);
        run.ok_or_else(|| index_changed("a run in it belongs to no plan")).map(Some)
    }

    /// The runs without an end.
    pub fn open_runs(&self) -> Result<Vec<RunRow>, StoreError> {
        let mut open = Vec::new();
        for id in self.open_run_ids()? {
            open.extend(self.run(&id)?);
        }
        Ok(open)
    }

    /// The ids of the runs without an end, if they are exactly those of which the log says so.
    pub fn open_run_ids(&self) -> Result<Vec<String>, StoreError> {
        let (open, known) = (runs::open(&self.db)?, self.state.get(OPEN_RUNS)?);
        if open_hash(&open) == known.unwrap_or_else(|| open_hash(&[])) {
            return Ok(open);
        }
        Err(index_changed("the runs without an end are others than the log knows"))
    }

    /// Vouches for records that were just changed, as they were meant to be: where the database gives back anything else, for none.
    /// `open` are the runs that had no end before. The hashes of the records.
    pub fn reseal(&mut self, touched: &Touched, mut open: Vec<String>) -> Result<Hashes, StoreError> {
        let mut hashes = Vec::new();
        for plan in &touched.plans {
            let id = plan.row.id.as_str();
            let hash = plan.hash().ok_or_else(|| plan.row.odd(&self.db, "body"))?;
            let stored = Whole::load(&self.db, id, self.seen)?;
            if stored.and_then(|stored| Some(stored.seal(stored.hash()?))) != Some(plan.seal(hash)) {
                return Err(changed(id, "the database gives back another record than was written into it"));
            }
            self.state.set(id, plan.seal(hash))?;
            hashes.push((id.to_owned(), hash));
            for run in plan.runs.iter().filter(|run| touched.runs.iter().any(|id| id.as_str() == run.id)) {
                hashes.push((run.id.clone(), run.hash()));
                open.retain(|id| *id != run.id);
                open.extend(Some(run.id.clone()).filter(|_| run.is_open()));
            }
        }
        open.sort_unstable();
        if runs::open(&self.db)? != open {
            return Err(index_changed("the runs without an end are others than were written into it"));
        }
        if !touched.runs.is_empty() {
            self.state.set(OPEN_RUNS, open_hash(&open))?;
        }
        Ok(hashes)
    }
}

/// The hash of a list of runs.
pub fn open_hash(ids: &[String]) -> Digest {
    Digest::of(ids.join("\n").as_bytes())
}

fn changed(id: &str, what: &str) -> StoreError {
    Tampered { place: Place::Plan(id.to_owned()), what: what.to_owned() }.into()
}
