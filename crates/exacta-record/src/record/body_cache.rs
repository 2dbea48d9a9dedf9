//! The body of the plan that was last compared with the log.

use crate::error::RecordError;
use crate::row::{PlanBody, StoredPlan};
use crate::sqlite::db::Db;
use crate::sqlite::{plans, runs};
use std::cell::RefCell;
use std::sync::Arc;

/// The body of the plan that was last compared with the log. It never changes, so it need not be read and hashed again; and
/// whatever somebody puts in its place meanwhile is not used.
#[derive(Debug, Default)]
pub struct BodyCache(RefCell<Option<(String, Arc<PlanBody>)>>);

impl BodyCache {
    /// Keeps the body of a plan, which is as the log has it.
    pub fn keep(&self, plan: &StoredPlan) {
        self.0.replace(plan.body.as_ref().map(|body| (plan.row.id.clone(), Arc::clone(body))));
    }

    /// The plan of this id, as it is found; but for its body, if that was seen and compared before.
    pub fn plan(&self, db: &Db<'_>, id: &str) -> Result<Option<StoredPlan>, RecordError> {
        let Some(row) = plans::row(db, id)? else { return Ok(None) };
        let body = match self.body(id) {
            Some(body) => Some(body),
            None => plans::body(db, id)?.map(Arc::new),
        };
        Ok(Some(StoredPlan { row, body, statements: plans::statements(db, id)?, runs: runs::of_plan(db, id)? }))
    }

    fn body(&self, id: &str) -> Option<Arc<PlanBody>> {
        self.0.borrow().as_ref().filter(|(seen, _)| seen == id).map(|(_, body)| Arc::clone(body))
    }
}
