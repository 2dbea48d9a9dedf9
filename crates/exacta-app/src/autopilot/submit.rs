//! An agent's plan for an autopilot: held against the autopilot's words and lists, never against its own.

use super::standing::StandingNow;
use crate::app::App;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::error::{Error, Exit};
use crate::lineage::For;
use crate::lineage::Lineage;
use crate::pipeline::Origin;
use exacta_kernel::autopilot::AutopilotName;
use exacta_kernel::binding::Identity;
use exacta_kernel::check::Allowed;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::CorrelationId;
use exacta_view::PlanView;
use std::collections::BTreeSet;

impl App {
    /// Submits an agent's plan for an autopilot. What the autopilot allows comes with the answer.
    ///
    /// # Errors
    /// If the autopilot's words do not count, or the record cannot be used. A text that is not a plan is not an error.
    pub fn submit_for(&mut self, name: &AutopilotName, text: &[u8]) -> Result<(PlanView, Allowed), Error> {
        self.authorize(Act::Propose)?;
        let autopilot = self.verified(name)?.autopilot;
        let made_for = For::new(name, None, StandingNow::of(&self.home, &autopilot, &BTreeSet::new())?);
        let allowed = made_for.allowed.clone();
        let lineage = Lineage { autopilot: Some(made_for), ..Lineage::new(new_id(CorrelationId::parse)?, 1) };
        let view = self.register(text, Origin::Outside, &[], lineage)?;
        Ok((view, allowed))
    }

    /// The autopilot that a stored plan was made for, if it still is what it was then: only so may a new plan be made of the same bytes,
    /// and only while what was read is kept.
    pub(crate) fn made_for(&self, identity: &Identity) -> Result<Option<For>, Error> {
        let Some(bound) = &identity.binding.autopilot else { return Ok(None) };
        let name = super::name(&bound.name)?;
        let kept = self.verified(&name)?.autopilot;
        let read = bound.occasion.as_deref().map(|id| self.occasion(id)).transpose()?;
        let correspondents = read.as_ref().map(|occasion| occasion.correspondents.clone()).unwrap_or_default();
        let standing = StandingNow::of(&self.home, &kept, &correspondents)?;
        let blocked = |why: String| {
            Error::new(Exit::Drifted, "plan_drifted", format!("plan `{}` is blocked: {why}", identity.plan_id))
                .hint(hint!["plan again: ", Remedy::AutopilotRun(name.to_string())])
        };
        if standing.sha256 != bound.sha256 {
            return Err(blocked(format!("autopilot `{name}` changed since")));
        }
        if let Some(occasion) = read {
            if occasion.state.is_over() {
                return Err(blocked(format!("its occasion is {}: {}", occasion.state.name(), occasion.reason)));
            }
            if occasion.at.plus_seconds(u64::from(kept.tuning.keep_days) * 86_400) < now() {
                return Err(blocked("what was read for it is no longer kept".to_owned()));
            }
        }
        Ok(Some(For::new(&name, bound.occasion.as_deref(), standing)))
    }
}
