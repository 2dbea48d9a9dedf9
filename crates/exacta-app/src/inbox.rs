//! What waits for a person, each plan with why.

use crate::app::App;
use crate::caller::Act;
use crate::error::Error;
use crate::read::stored_view;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::rows::ask;
use exacta_view::{PlanLine, Row};

/// A plan that waits for a person.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// The plan in a line.
    pub line: PlanLine,
    /// Why a person is asked: what the gates said when it was made. Whoever opens it is told what they say now.
    pub why: Vec<Row>,
}

impl App {
    /// The plans that wait for a person, newest first. Nothing is judged for that.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn inbox(&self, limit: u32) -> Result<Vec<Waiting>, Error> {
        self.authorize(Act::Read)?;
        let lines = self.list(Some(Status::Pending.name()), Some(limit))?;
        lines.into_iter().map(|line| Ok(Waiting { why: self.why_asked(&line)?, line })).collect()
    }

    fn why_asked(&self, line: &PlanLine) -> Result<Vec<Row>, Error> {
        let id = PlanId::parse(&line.plan_id).map_err(|error| Error::fault("internal", error.to_string()))?;
        Ok(ask::reasons(&stored_view(&self.record(&id)?)?))
    }
}
