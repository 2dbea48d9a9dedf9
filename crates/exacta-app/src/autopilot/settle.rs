//! What became of an occasion: its plan may have been decided, executed, or left; a later occasion takes its place.

use super::occasion::{Execution, Occasion, OccasionState, Sent};
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_effect::Stand;
use exacta_kernel::autopilot::AutopilotName;
use exacta_kernel::effect::SEND;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_record::{PlanRecord, RunRecord, RunState};
use serde_json::{Value, json};

/// Why an occasion ends whose place a later one took.
pub(super) const SUPERSEDED: &str = "a later occasion took its place";

/// How many occasions are looked at for one that still waits: more than one never does.
const NEWEST: u32 = 20;

impl App {
    /// An occasion, after it was compared with what became of its plan.
    ///
    /// # Errors
    /// If there is none, or the record cannot be written.
    pub fn settled_occasion(&mut self, id: &str) -> Result<Occasion, Error> {
        self.authorize(Act::Read)?;
        let occasion = self.occasion(id)?;
        if occasion.state.is_over() { Ok(occasion) } else { self.compared(occasion) }
    }

    /// An occasion after its plan was looked at.
    fn compared(&mut self, mut occasion: Occasion) -> Result<Occasion, Error> {
        let plan = occasion.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
        let Some(plan) = plan else { return Ok(occasion) };
        let record = self.record(&plan)?;
        let stands = record.run.as_ref().map(|run| self.stands(&run.id)).transpose()?.unwrap_or_default();
        if settle(&mut occasion, &record, &stands) {
            self.update_occasion(&occasion)?;
        }
        Ok(occasion)
    }

    /// The same for all that may still change, newest first.
    ///
    /// # Errors
    /// If the record cannot be read or written.
    pub fn settled_occasions(&mut self, name: Option<&AutopilotName>, limit: u32) -> Result<Vec<Occasion>, Error> {
        self.authorize(Act::Read)?;
        let found = self.occasions(name, limit)?;
        found.into_iter().map(|occasion| self.settled_occasion(&occasion.run_id)).collect()
    }

    /// Ends an occasion before its plan runs; the plan goes with it.
    ///
    /// # Errors
    /// If it is over already.
    pub fn cancel_occasion(&mut self, id: &str) -> Result<Occasion, Error> {
        self.authorize(Act::Adjust)?;
        let mut occasion = self.settled_occasion(id)?;
        if occasion.state.is_over() {
            let message = format!("occasion `{id}` is {}: there is nothing to cancel", occasion.state.name());
            return Err(
                Error::new(Exit::Drifted, "wrong_state", message).hint(hint![Remedy::AutopilotRuns, " shows them"])
            );
        }
        self.give_up(&mut occasion, "somebody canceled it")?;
        Ok(occasion)
    }

    /// A later occasion takes the place of the one that waits: at most one plan of an autopilot does.
    pub(super) fn supersede(&mut self, name: &AutopilotName, by: &str) -> Result<(), Error> {
        for occasion in self.occasions(Some(name), NEWEST)? {
            if occasion.run_id == by || occasion.state.is_over() {
                continue;
            }
            let mut occasion = self.settled_occasion(&occasion.run_id)?;
            let waits = occasion.plan_id.is_some() || occasion.state == OccasionState::NeedsClarification;
            if !occasion.state.is_over() && waits {
                self.give_up(&mut occasion, SUPERSEDED)?;
            }
        }
        Ok(())
    }

    fn give_up(&mut self, occasion: &mut Occasion, why: &str) -> Result<(), Error> {
        if let Some(plan) = occasion.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok()) {
            let record = self.record(&plan)?;
            if record.run.is_none() && !record.status.is_final() {
                self.expire(&plan, why)?;
            }
        }
        occasion.over(OccasionState::Canceled, why);
        self.update_occasion(occasion)
    }

    /// Tells the occasion of a plan what became of it, if it has one.
    pub(crate) fn settle_occasion_of(&mut self, plan: &PlanId) -> Result<(), Error> {
        let identity = crate::stored::identity(&self.record(plan)?)?;
        match identity.binding.autopilot.and_then(|bound| bound.occasion) {
            Some(occasion) => {
                let occasion = self.occasion(&occasion)?;
                // One whose run failed may come to another end: a person said what became of it.
                let may_change = !occasion.state.is_over() || occasion.state == OccasionState::Failed;
                if may_change { self.compared(occasion).map(drop) } else { Ok(()) }
            }
            None => Ok(()),
        }
    }

    /// A new plan of the same bytes takes the place of the occasion's old one.
    pub(crate) fn replan_occasion(&mut self, occasion: &str, view: &exacta_view::PlanView) -> Result<(), Error> {
        let mut occasion = self.occasion(occasion)?;
        super::look::waits(&mut occasion, view);
        self.update_occasion(&occasion)
    }
}

/// Whether the plan's fate changes where the occasion stands.
fn settle(occasion: &mut Occasion, plan: &PlanRecord, stands: &[Stand]) -> bool {
    if let Some(run) = &plan.run {
        occasion.execution = Some(Execution { run_id: run.id.to_string() });
        if !run.state.is_under_way() {
            occasion.sends = sends(plan, run, stands);
        }
        match run.state {
            RunState::Completed | RunState::Undone => occasion.over(OccasionState::Succeeded, "its plan was executed"),
            RunState::RolledBack | RunState::Cancelled => {
                occasion.over(OccasionState::Failed, "its run failed, and everything is as before");
            }
            RunState::NeedsAttention => {
                occasion.over(OccasionState::Failed, "its run ended in a way that a person has to look at");
            }
            RunState::Unknown => {
                occasion.over(OccasionState::Failed, "nobody knows how its run ended: look, and say what you see");
            }
            _ => return false,
        }
        account(occasion, plan, run);
        return true;
    }
    match plan.status {
        Status::Rejected => {
            occasion.over(OccasionState::Canceled, "its plan was rejected");
            true
        }
        Status::Expired if !occasion.reason.contains("expired") => {
            "its plan expired undecided: resubmit it, and it is made again from the same bytes"
                .clone_into(&mut occasion.reason);
            true
        }
        _ => false,
    }
}

/// What the receipt of an occasion tells of its run: who approved, what was written and sent.
fn account(occasion: &mut Occasion, plan: &PlanRecord, run: &RunRecord) {
    let by: Vec<String> = plan.approvals.iter().map(|signed| signed.statement.approver.to_string()).collect();
    let steps = run.receipts.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
    let written: Vec<Value> = steps.iter().filter_map(|step| step.get("path").cloned()).collect();
    let sends = serde_json::to_value(&occasion.sends).unwrap_or_default();
    if let Some(receipt) = occasion.receipt.as_mut().and_then(Value::as_object_mut) {
        receipt.insert("approved_by".to_owned(), json!(by));
        receipt.insert("written".to_owned(), json!(written));
        receipt.insert("sends".to_owned(), sends);
    }
}

/// The mails of a plan, and what became of each, by the run's journal; without one none was sent.
fn sends(plan: &PlanRecord, run: &RunRecord, stands: &[Stand]) -> Vec<Sent> {
    let outcome = |step: &str| match stands.iter().find(|stand| stand.act == SEND && stand.step == step) {
        Some(Stand { done: Some(true), .. }) => "sent",
        Some(Stand { done: None, .. }) => "unknown",
        _ => "not_sent",
    };
    let kept = plan.proposal.as_deref().and_then(|text| serde_json::from_slice::<Value>(text).ok()).unwrap_or_default();
    let steps = kept.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
    let sends = steps.iter().filter(|step| step.get("type").and_then(Value::as_str) == Some(SEND));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    sends
        .map(|step| {
            let id = text(step.get("id"));
            let from = text(step.get("from"));
            let host = from.rsplit('@').next().unwrap_or_default();
            let to = match step.get("to") {
                Some(Value::Array(all)) => all.iter().map(|one| text(Some(one))).collect(),
                one => vec![text(one)],
            };
            Sent { message_id: format!("<{}.{id}@{host}>", run.id), outcome: outcome(&id).to_owned(), step: id, to }
        })
        .collect()
}
