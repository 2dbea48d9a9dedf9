//! The second act: an approved plan is judged again and, if everything still holds, run.

use crate::app::App;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::current::{Current, Stored};
use crate::decide::wrong_status;
use crate::entry::{data, reason, scored};
use crate::error::{Error, ErrorCode, Exit};
use crate::pipeline::Evaluation;
use crate::run::begin::{Beginning, Lost};
use crate::run::preconditions::Preconditions;
use crate::run::transitions;
use crate::run::{Execution, NOTICE};
use crate::stored::{expired, messages, tampered};
use exacta_kernel::approval::{self, Demand, NoApproval, Verb, VerifiedApproval};
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::drift::DriftKind;
use exacta_kernel::gate::Decision;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::permit::{self, Permit, Refused};
use exacta_record::{ChangesRequested, PlanRecord};
use exacta_view::RunView;
use serde_json::json;
use std::sync::atomic::AtomicBool;

impl App {
    /// Runs an approved plan, once, all or nothing.
    ///
    /// # Errors
    /// If the approval no longer holds, the run could not start, or it failed and was rolled back.
    pub fn execute(&mut self, id: &PlanId, execution: Execution<'_>) -> Result<RunView, Error> {
        self.authorize_start(id)?;
        self.safe_on_tampering(|app| {
            let ended = app.retry_after_dead_runs(execution, |app, execution| app.execute_plan(id, execution));
            // The run is over, whatever comes of this: the next look at the occasion finds out what became of its plan.
            let _next_look = app.settle_occasion_of(id);
            app.tell_ended(id, &ended);
            ended
        })
    }

    fn execute_plan(&mut self, id: &PlanId, execution: Execution<'_>) -> Result<RunView, Error> {
        let run_id = new_id(RunId::parse)?;
        let Current { stored, evaluation } = self.current_verified(id, execution.cancel)?;
        stored.known()?;
        self.note_policy(stored.in_force())?;
        if let Some(run) = &stored.record.run {
            // Its own run changed the targets: that is no drift, and does not expire the plan.
            return Err(already_run(id, run.id.as_str()));
        }
        let checks = self.checks(&stored.in_force().policy, evaluation.has_build());
        let (why, notice) = (reason(evaluation.verdicts()), evaluation.verdicts().notice_reason());
        let permit = match self.permit(&stored, evaluation, run_id.clone())? {
            Ok(permit) => permit,
            Err(refused) => return Err(self.refused(&stored, refused)?),
        };
        self.authorize_start_as(start(&permit), id)?;
        if let Err(error) = self.site_is_as_bound(&stored.identity) {
            self.note_refusal(&stored, Event::RunRefused, &error.message)?;
            return Err(error);
        }
        if let Err(error) = checks.see(permit.work().changes()) {
            self.note_refusal(&stored, Event::RunRefused, &error.to_string())?;
            return Err(Error::new(Exit::Denied, "unseen_by_check", error.to_string()).hint(error.hint()));
        }
        let mut entry = scored(EntryDraft::new(Event::RunStarted, self.actor(), why), &stored.record);
        entry.run_id = Some(run_id);
        entry.decision = Some("allow".to_owned());
        let notice = notice.filter(|_| permit.work().is_automatic());
        entry.data = data(json!({ "plan_hash": permit.work().plan_hash(), "changes": transitions(&permit) }));
        entry.data.extend(notice.iter().map(|why| (NOTICE.to_owned(), why.as_str().into())));
        let concurrency = stored.in_force().policy.concurrency();
        let lost = |lost: Lost| match lost {
            Lost::To(run) => already_run(id, run.as_str()),
            Lost::Status(status) => wrong_status(id, status),
        };
        let from = &[Status::AutoApproved, Status::UserApproved];
        let preconditions = Preconditions::Plan(stored.bound());
        let ended = self.run_permitted(
            permit,
            Beginning { from, concurrency, entry, preconditions, lost: &lost },
            &checks,
            execution,
        );
        match ended {
            Err(error) if error.code == ErrorCode::PLAN_EXPIRED => {
                self.expire(id, &error.message)?;
                Err(error)
            }
            Err(error) if error.did_not_begin() => {
                // What kept the run from beginning, such as a full disk, may keep this from being recorded.
                let _unrecorded = self.note_refusal(&stored, Event::RunRefused, &error.message);
                Err(error)
            }
            ended => ended.map(|run| RunView { notice, ..run }),
        }
    }

    /// A plan as it stands now; where the operator wants that, the provider of its model was asked who answers there.
    fn current_verified(&mut self, id: &PlanId, cancel: &AtomicBool) -> Result<Current, Error> {
        let current = self.current(id)?;
        let (stored, asked) = (&current.stored, &current.stored.identity.binding.asked);
        let can_run = stored.record.status.is_approved() && stored.record.run.is_none();
        let Some(asked) =
            asked.as_ref().filter(|_| can_run && stored.in_force().policy.safety().verify_model_at_execution)
        else {
            return Ok(current);
        };
        if let Err(error) = crate::ask::verify_model(&self.home, &asked.provider, cancel) {
            self.note_refusal(stored, Event::RunRefused, &error.message)?;
            return Err(error);
        }
        self.current(id)
    }

    /// Whether it is approved, has not run, and no approval there is counts any more.
    pub(crate) fn wants_approval(&self, current: &Current) -> Result<bool, Error> {
        let Current { stored, evaluation: Evaluation::Valid(valid) } = current else { return Ok(false) };
        let (recorded, present) = (stored.recorded(&self.project.id), stored.present());
        let approval = self.approval(stored, &valid.decision)?;
        let refused = permit::refusal(&recorded, &valid.decision, approval.as_ref(), &present);
        Ok(stored.record.run.is_none() && matches!(refused, Some(Refused::NeedsApproval { .. })))
    }

    fn permit(&self, stored: &Stored, evaluation: Evaluation, run_id: RunId) -> Result<Result<Permit, Refused>, Error> {
        let (recorded, present) = (stored.recorded(&self.project.id), stored.present());
        Ok(match evaluation {
            Evaluation::Valid(valid) => {
                let approval = self.approval(stored, &valid.decision)?;
                permit::permit(&recorded, valid.decision, approval, present, run_id)
            }
            other => Err(permit::refusal_of_invalid(&recorded, other.verdicts(), &present)),
        })
    }

    /// The stored approval of the plan as it is now, if one counts.
    fn approval(&self, stored: &Stored, decision: &Decision) -> Result<Result<VerifiedApproval, NoApproval>, Error> {
        let content = decision.plan().plan().content_hash();
        let plan_hash = permit::current_hash(&stored.identity, &stored.present(), content)?;
        let demand = Demand { project: &self.project.id, plan_id: &stored.record.id, plan_hash, now: stored.now };
        Ok(approval::find(&stored.record.approvals, &stored.in_force().approvers, &demand))
    }

    /// What a refusal means: recorded where it ends the plan, and told with the command that helps.
    fn refused(&mut self, stored: &Stored, refused: Refused) -> Result<Error, Error> {
        let id = &stored.record.id;
        Ok(match refused {
            Refused::NotApproved(Status::Pending) => {
                stored.record.feedback.last().map_or_else(|| waits(id), |asked| changes_requested(id, asked))
            }
            Refused::NotApproved(Status::Rejected) => self.rejected(&stored.record),
            Refused::NotApproved(_) => self.over(&stored.record),
            Refused::HashMismatch | Refused::NotCanonical => {
                self.fall_to_safe("a stored plan did not match its recorded hash")?;
                tampered(id)
            }
            Refused::Expired(drifts) => {
                self.expire(id, &messages(&drifts))?;
                expired(id, &messages(&drifts))
            }
            Refused::Regenerate(drifts) => {
                self.note_refusal(stored, Event::ModelDrift, &messages(&drifts))?;
                stored.model_notice(&drifts)
            }
            Refused::Denied(verdicts) => {
                let why = reason(&verdicts);
                self.note_refusal(stored, Event::RunRefused, &why)?;
                if verdicts.is_denied_by_security() {
                    self.fall_to_safe("the security gate denied a plan at execution")?;
                }
                Error::new(Exit::Denied, "plan_denied", format!("plan `{id}` is denied: {why}")).hint(hint![
                    "no approval can override this; ",
                    Remedy::PolicyExplain,
                    " says which rule spoke"
                ])
            }
            Refused::NoExecutor(domain) => {
                let why = format!("nothing runs steps of the {} domain", domain.name());
                self.note_refusal(stored, Event::RunRefused, &why)?;
                Error::new(Exit::Denied, "no_executor", format!("plan `{id}` cannot be executed: {why}")).hint(hint![
                    "it stays readable with ",
                    Remedy::Show(None),
                    "; only changes of files can run"
                ])
            }
            Refused::NeedsApproval { drifts, error } if drifts.is_empty() => {
                let why = error.map_or_else(String::new, |error| format!(": {error}"));
                self.note_refusal(stored, Event::RunRefused, &format!("it needs a person's approval{why}"))?;
                Error::new(Exit::Confirm, "approval_needed", format!("plan `{id}` needs a person's approval{why}"))
                    .hint(hint![
                        "look at it with ",
                        Remedy::Review(id.clone()),
                        ", or approve it with ",
                        Remedy::Approve(id.clone())
                    ])
            }
            Refused::NeedsApproval { drifts, .. } => {
                let is_model = drifts.iter().all(|drift| drift.kind == DriftKind::ModelVersion);
                let event = if is_model { Event::ModelDrift } else { Event::RunRefused };
                self.note_refusal(stored, event, &messages(&drifts))?;
                let both =
                    stored.both_models().filter(|_| is_model).map_or_else(String::new, |both| format!("; {both}"));
                let message = format!("plan `{id}` needs a fresh approval: {}{both}", messages(&drifts));
                Error::new(Exit::Drifted, "approval_outdated", message).hint(hint![
                    "look at it with ",
                    Remedy::Show(Some(id.clone())),
                    " and approve it again with ",
                    Remedy::Approve(id.clone())
                ])
            }
        })
    }

    /// A person or the policy refused it for good, and why.
    fn rejected(&self, record: &PlanRecord) -> Error {
        let id = &record.id;
        let person = record.approvals.iter().map(|signed| &signed.statement).rfind(|it| it.verb == Verb::Reject);
        let by = person.map_or_else(String::new, |statement| format!(" by {}", statement.approver));
        let why = self.why_over(record).ok().flatten().map_or_else(String::new, |why| format!(": {why}"));
        Error::new(Exit::Denied, "plan_rejected", format!("plan `{id}` was rejected{by}{why}"))
            .hint(hint!["that is final; submit a proposal that answers the reason: ", Remedy::Submit])
    }

    fn note_refusal(&mut self, stored: &Stored, event: Event, why: &str) -> Result<(), Error> {
        let mut entry = scored(EntryDraft::new(event, self.actor(), why), &stored.record);
        entry.decision = Some("deny".to_owned());
        Ok(self.store.record(&[entry], now())?)
    }
}

/// Nobody has decided yet.
#[must_use]
pub fn waits(id: &PlanId) -> Error {
    Error::new(Exit::Confirm, "approval_needed", format!("plan `{id}` waits for a person's decision")).hint(hint![
        "look at it with ",
        Remedy::Review(id.clone()),
        ", or approve it with ",
        Remedy::Approve(id.clone())
    ])
}

/// A person asked for changes, so that the plan waits for its proposer.
fn changes_requested(id: &PlanId, asked: &ChangesRequested) -> Error {
    let message = format!("plan `{id}` waits for its proposer: {} asked for changes: {}", asked.by, asked.text);
    Error::new(Exit::ChangesRequested, "changes_requested", message)
        .hint(hint!["answer with a new version: ", Remedy::SubmitVersion(id.clone())])
}

/// There was a run of the plan.
#[must_use]
pub fn already_run(id: &PlanId, run: &str) -> Error {
    let message = format!("plan `{id}` has had its run, `{run}`: one run per plan, ever, however it ended");
    Error::new(Exit::Drifted, "already_run", message)
        .hint(hint![Remedy::Resubmit(Some(id.clone())), " makes a new plan from the same proposal"])
}

/// What kind of start a permit is for.
fn start(permit: &Permit) -> Act {
    if permit.work().is_automatic() { Act::StartAllowed } else { Act::StartApproved }
}
