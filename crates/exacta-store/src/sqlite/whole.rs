//! A plan with everything that belongs to it: its row, its body, what people said, and its runs.

use super::db::Db;
use super::plans::{Body, PlanRow, Said};
use super::runs::{self, RunRow};
use super::sheet::Sheet;
use crate::error::StoreError;
use crate::record::PlanRecord;
use exacta_kernel::hash::Digest;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// The body of the plan that was last compared with the log. It never changes, so it need not be read and hashed again; and
/// whatever somebody puts in its place meanwhile is not used.
#[derive(Debug, Default)]
pub struct Seen(RefCell<Option<(String, Arc<Body>)>>);

impl Seen {
    /// Keeps the body of a plan, which is as the log has it.
    pub fn keep(&self, plan: &Whole) {
        self.0.replace(plan.body.as_ref().map(|body| (plan.row.id.clone(), Arc::clone(body))));
    }

    fn body(&self, id: &str) -> Option<Arc<Body>> {
        self.0.borrow().as_ref().filter(|(seen, _)| seen == id).map(|(_, body)| Arc::clone(body))
    }
}

/// All of a plan.
#[derive(Debug)]
pub struct Whole {
    pub row: PlanRow,
    /// `None` if it was taken away.
    pub body: Option<Arc<Body>>,
    pub said: Said,
    /// Oldest first.
    pub runs: Vec<RunRow>,
}

impl Whole {
    /// The plan of this id, as it is found; but for its body, if that was seen and compared before.
    pub fn load(db: &Db<'_>, id: &str, seen: &Seen) -> Result<Option<Self>, StoreError> {
        let Some(row) = PlanRow::load(db, id)? else { return Ok(None) };
        let body = match seen.body(id) {
            Some(body) => Some(body),
            None => Body::load(db, id)?.map(Arc::new),
        };
        Ok(Some(Self { row, body, said: Said::load(db, id)?, runs: runs::of_plan(db, id)? }))
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

    /// The content of the plan's file, in parts.
    pub fn file(&self, db: &Db<'_>) -> Result<[Cow<'_, str>; 3], StoreError> {
        let body = self.body.as_deref().ok_or_else(|| self.row.odd(db, "body"))?;
        self.row.file(body, &self.said, &self.runs)
    }

    /// The plan, to be handed out.
    pub fn record(self, db: &Db<'_>) -> Result<PlanRecord, StoreError> {
        let runs = self.runs.iter().map(|run| run.record(db)).collect::<Result<Vec<_>, _>>()?;
        let run = runs.into_iter().find(|run| run.undoes.is_none());
        let body = self.body.ok_or_else(|| self.row.odd(db, "body"))?;
        self.row.record(db, &body, self.said, run)
    }
}
