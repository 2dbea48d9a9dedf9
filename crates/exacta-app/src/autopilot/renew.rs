//! What waited too long for a person: its plan expired, the occasion and its bytes did not.

use super::occasion::OccasionState;
use crate::app::App;
use crate::caller::Act;
use crate::error::Error;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;

/// How many of the newest occasions are looked at for one that waits.
const NEWEST: u32 = 50;

impl App {
    /// The plan that a person means to review. One that an occasion waits with, and that expired undecided, is made again from the same bytes, without
    /// reading anything again.
    ///
    /// # Errors
    /// As [`App::resolve`] and [`App::resubmit`].
    pub fn to_review(&mut self, name: &str) -> Result<PlanId, Error> {
        self.authorize(Act::Read)?;
        let found = match self.resolve(name) {
            Err(error) if name == "@" => self.left_by_occasion()?.ok_or(error)?,
            found => found?,
        };
        if self.consider(&found)?.plan.status != Some(Status::Expired) || !self.is_left(&found)? {
            return Ok(found);
        }
        let again = self.resubmit(&found)?.plan_id;
        let again = again.and_then(|id| PlanId::parse(&id).ok());
        again.ok_or_else(|| Error::fault("internal", "a plan that was made again has no id"))
    }

    /// Whether an occasion still waits with this plan.
    fn is_left(&mut self, plan: &PlanId) -> Result<bool, Error> {
        let identity = crate::stored::identity(&self.record(plan)?)?;
        let Some(occasion) = identity.binding.autopilot.and_then(|bound| bound.occasion) else { return Ok(false) };
        let occasion = self.settled_occasion(&occasion)?;
        Ok(occasion.state == OccasionState::NeedsApproval && occasion.plan_id.as_deref() == Some(plan.as_str()))
    }

    /// The plan of the newest occasion that waits for a decision.
    fn left_by_occasion(&mut self) -> Result<Option<PlanId>, Error> {
        let waits = self.settled_occasions(None, NEWEST)?;
        let waits = waits.into_iter().filter(|occasion| occasion.state == OccasionState::NeedsApproval);
        Ok(waits.filter_map(|occasion| occasion.plan_id.and_then(|id| PlanId::parse(&id).ok())).next())
    }
}
