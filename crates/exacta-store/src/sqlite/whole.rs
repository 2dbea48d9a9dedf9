//! A plan with everything that belongs to it: its row, its body, what people said, and its runs.

use super::db::Db;
use super::plans::{Body, PlanRow, Said};
use super::runs::{self, RunRow};
use super::sheet::Sheet;
use crate::error::StoreError;
use crate::record::{PlanRecord, RunRecord};
use exacta_kernel::hash::Digest;

/// All of a plan.
#[derive(Debug)]
pub struct Whole {
    pub row: PlanRow,
    /// `None` if it was taken away.
    pub body: Option<Body>,
    pub said: Said,
    /// Oldest first.
    pub runs: Vec<RunRow>,
}

impl Whole {
    /// The plan of this id, as it is found.
    pub fn load(db: &Db<'_>, id: &str) -> Result<Option<Self>, StoreError> {
        let Some(row) = PlanRow::load(db, id)? else { return Ok(None) };
        let (body, said, runs) = (Body::load(db, id)?, Said::load(db, id)?, runs::of_plan(db, id)?);
        Ok(Some(Self { row, body, said, runs }))
    }

    /// The hash of the plan as it stands, without its runs; `None` if a part is missing.
    pub fn hash(&self) -> Option<Digest> {
        self.body.as_ref().map(|body| self.row.hash(body, &self.said))
    }

    /// The hash of all of it, given that of the plan: no run can be hidden, added or moved from one plan to another.
    pub fn seal(&self, hash: Digest) -> Digest {
        let runs: Vec<Digest> = self.runs.iter().map(RunRow::hash).collect();
        Sheet::default().hashes("plan", &[hash]).hashes("runs", &runs).hash()
    }

    /// The content of the plan's file.
    pub fn file(&self, db: &Db<'_>) -> Result<String, StoreError> {
        self.row.file(self.body(db)?, &self.said, &self.run_records(db)?)
    }

    /// The plan, to be handed out.
    pub fn record(self, db: &Db<'_>) -> Result<PlanRecord, StoreError> {
        let run = self.run_records(db)?.into_iter().find(|run| run.undoes.is_none());
        let body = self.body.ok_or_else(|| self.row.odd(db, "body"))?;
        self.row.record(db, body, self.said, run)
    }

    fn body(&self, db: &Db<'_>) -> Result<&Body, StoreError> {
        self.body.as_ref().ok_or_else(|| self.row.odd(db, "body"))
    }

    fn run_records(&self, db: &Db<'_>) -> Result<Vec<RunRecord>, StoreError> {
        self.runs.iter().map(|run| run.record(db)).collect()
    }
}
