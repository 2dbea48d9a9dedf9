//! A call of `wait`: looked at now and then, while other calls are answered.

use crate::place::Place;
use crate::resource;
use crate::result::{done, failed};
use exacta_app::{App, Error, Options};
use exacta_kernel::id::PlanId;
use exacta_mcp::{Job, ToolResult};
use exacta_view::{Report, Rights};
use std::time::{Duration, Instant};

/// The longest that is waited: clients give up on a call after a minute.
pub const LONGEST: u64 = 50;

/// How often what a plan is bound to is compared with what there is: that reads its targets.
const COMPARE: Duration = Duration::from_secs(1);

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// That somebody decided.
    Decided,
    /// That its run is over, or there will be none.
    Applied,
}

/// Waits for an answer to one plan.
pub struct Waiting {
    options: Options,
    rights: Rights,
    plan: PlanId,
    until: Until,
    limit: Duration,
    begun: Instant,
    compared: Option<Instant>,
}

impl Waiting {
    /// Begins to wait.
    pub fn new(place: &impl Place, plan: PlanId, until: Until, seconds: u64) -> Self {
        let options = place.options();
        let rights = resource::rights(&options);
        let limit = Duration::from_secs(seconds.min(LONGEST));
        Self { options, rights, plan, until, limit, begun: Instant::now(), compared: None }
    }

    /// How the plan stands, once there is nothing more to wait for.
    fn report(&mut self) -> Result<Option<Report>, Error> {
        let app = App::look(&self.options)?;
        let compare = self.compared.is_none_or(|last| last.elapsed() >= COMPARE);
        if compare {
            self.compared = Some(Instant::now());
        }
        let answer = app.answer(&self.plan, compare)?;
        let is_late = self.begun.elapsed() >= self.limit;
        if is_late || exacta_app::is_over(&answer, self.until == Until::Applied) {
            return Ok(Some(Report::standing(&app.show(&self.plan)?, self.rights)));
        }
        Ok(None)
    }
}

impl Job for Waiting {
    fn look(&mut self) -> Option<ToolResult> {
        match self.report() {
            Ok(report) => report.map(|report| done(&report)),
            Err(error) => Some(failed(&error)),
        }
    }

    fn words(&self) -> String {
        "not decided yet: a person is asked".to_owned()
    }

    fn limit(&self) -> Duration {
        self.limit
    }
}
