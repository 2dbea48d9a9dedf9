//! The second act: an approved plan is judged again and, if everything still holds, carried out.

use crate::app::App;
use crate::begin::{Beginning, Lost};
use crate::checks::CheckEvent;
use crate::clock::{new_id, now};
use crate::current::{Current, EXPIRED, expired, messages, regenerate, tampered};
use crate::decide::wrong_status;
use crate::error::{Error, Exit};
use crate::pipeline::Evaluation;
use crate::run::{ROLLED_BACK, TARGET_REFUSED, transitions};
use crate::submit::{data, reason, scored};
use crate::terms::Terms;
use crate::view::RunView;
use exacta_exec::Event as Progress;
use exacta_kernel::approval::Verb;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::drift::{self, Answer, DriftKind};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::permit::{self, Candidate, Permit, Refused};
use exacta_kernel::proposal::Action;
use exacta_store::{ChangesRequested, PlanRecord, Store};
use serde_json::json;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Where the entry of a run's beginning says that no person was asked.
pub(crate) const NOTICE: &str = "notice";

/// How a run is carried out.
pub struct Execution<'a> {
    /// Whether every write is made durable; without it a run survives a crash of the process, not a power cut.
    pub sync: bool,
    /// How long to wait for targets that another run holds, and for a place among the runs that may go on at the same time.
    pub wait: Duration,
    /// Set to cancel between steps.
    pub cancel: &'a AtomicBool,
    /// Told about every step.
    pub observer: &'a mut dyn FnMut(Progress),
    /// Told about every check.
    pub check_observer: &'a mut dyn FnMut(CheckEvent<'_>),
}

impl App {
    /// Carries out an approved plan, once, all or nothing.
    ///
    /// # Errors
    /// If the approval no longer holds, the run could not start, or it failed and was rolled back.
    pub fn execute(&mut self, id: &PlanId, execution: Execution<'_>) -> Result<RunView, Error> {
        self.wary(|app| app.patiently(execution, |app, execution| app.execute_plan(id, execution)))
    }

    fn execute_plan(&mut self, id: &PlanId, execution: Execution<'_>) -> Result<RunView, Error> {
        let run_id = new_id(RunId::parse)?;
        let current = self.current(id)?;
        current.known()?;
        self.note_policy(current.world())?;
        if let Some(run) = &current.record.run {
            // Its own run changed the targets: that is no drift, and does not expire the plan.
            return Err(already_run(id, run.id.as_str()));
        }
        let permit = match self.permit(&current, run_id.clone()) {
            Ok(permit) => permit,
            Err(refused) => return Err(self.refused(&current, refused)?),
        };
        let checks = self.checks(&current.world().policy, has_build(&current.evaluation));
        if let Err(error) = checks.see(&permit.work().changes) {
            self.note_refusal(&current, Event::RunRefused, &error.to_string())?;
            return Err(Error::new(Exit::Denied, "unseen_by_check", error.to_string()).hint(error.hint()));
        }
        let why = reason(current.evaluation.decision());
        let mut entry = scored(EntryDraft::new(Event::RunStarted, self.actor(), why), &current.record);
        entry.run_id = Some(run_id);
        entry.decision = Some("allow".to_owned());
        let notice = current.evaluation.decision().notice_reason().filter(|_| permit.work().automatic);
        entry.data = data(json!({ "plan_hash": permit.work().plan_hash, "changes": transitions(&permit) }));
        entry.data.extend(notice.iter().map(|why| (NOTICE.to_owned(), why.as_str().into())));
        let concurrency = current.world().policy.concurrency();
        let lost = |lost: Lost| match lost {
            Lost::To(run) => already_run(id, run.as_str()),
            Lost::Status(status) => wrong_status(id, status),
        };
        let from = &[Status::AutoApproved, Status::UserApproved];
        let terms = Terms::Plan(current.bound());
        let ended =
            self.carry_out(permit, Beginning { from, concurrency, entry, terms, lost: &lost }, &checks, execution);
        match ended {
            Err(error) if error.code == EXPIRED => {
                self.expire(id, &error.message)?;
                Err(error)
            }
            Err(error) if matches!(error.code, TARGET_REFUSED | ROLLED_BACK) && error.run_id.is_none() => {
                // What kept the run from beginning, such as a full disk, may keep this from being recorded.
                let _unrecorded = self.note_refusal(&current, Event::RunRefused, &error.message);
                Err(error)
            }
            ended => ended.map(|run| RunView { notice, ..run }),
        }
    }

    /// Whether it is approved, has not run, and no approval there is counts any more.
    pub(crate) fn wants_approval(&self, current: &Current) -> bool {
        let record = &current.record;
        let refused = || new_id(RunId::parse).ok().and_then(|run| self.permit(current, run).err());
        record.status.is_approved() && record.run.is_none() && matches!(refused(), Some(Refused::NeedsApproval { .. }))
    }

    fn permit(&self, current: &Current, run_id: RunId) -> Result<Permit, Refused> {
        let status = current.record.status;
        if status == Status::Pending && drift::answer(&current.drifts) == Some(Answer::Expired) {
            return Err(Refused::Expired(current.drifts.clone()));
        }
        if !status.is_approved() {
            return Err(Refused::NotApproved(status));
        }
        let standing = current.standing();
        match &current.evaluation {
            Evaluation::Valid(valid) => {
                let candidate = Candidate {
                    project: &self.project.id,
                    identity: &current.identity,
                    recorded_hash: current.record.plan_hash,
                    status: current.record.status,
                    plan: &valid.plan,
                    decision: &valid.decision,
                    approvals: &current.record.approvals,
                    approvers: &current.world().approvers,
                    standing: &standing,
                };
                permit::permit(&candidate, run_id)
            }
            // A plan that was valid is no longer: its targets or the policy changed.
            _ if drift::answer(&current.drifts) == Some(Answer::Expired) => {
                Err(Refused::Expired(current.drifts.clone()))
            }
            other => Err(Refused::Denied(other.decision().clone())),
        }
    }

    /// What a refusal means: recorded where it ends the plan, and told with the command that helps.
    fn refused(&mut self, current: &Current, refused: Refused) -> Result<Error, Error> {
        let id = &current.record.id;
        Ok(match refused {
            Refused::NotApproved(Status::Pending) => {
                current.record.feedback.last().map_or_else(|| waits(id), |asked| changes_requested(id, asked))
            }
            Refused::NotApproved(Status::Rejected) => self.rejected(&current.record),
            Refused::NotApproved(_) => self.over(&current.record),
            Refused::HashMismatch | Refused::NotCanonical => {
                self.fall_to_safe("a stored plan did not match its recorded hash")?;
                tampered(id)
            }
            Refused::Expired(drifts) => {
                self.expire(id, &messages(&drifts))?;
                expired(id, &messages(&drifts))
            }
            Refused::Regenerate(drifts) => {
                self.note_refusal(current, Event::ModelDrift, &messages(&drifts))?;
                regenerate(id, &messages(&drifts))
            }
            Refused::Denied(decision) => {
                let why = reason(&decision);
                self.note_refusal(current, Event::RunRefused, &why)?;
                if decision.is_denied_by_security() {
                    self.fall_to_safe("the security gate denied a plan at execution")?;
                }
                Error::new(Exit::Denied, "plan_denied", format!("plan `{id}` is denied: {why}"))
                    .hint("no approval can override this; `exacta policy explain` says which rule spoke")
            }
            Refused::NoExecutor(domain) => {
                let why = format!("nothing carries steps of the {} domain out", domain.name());
                self.note_refusal(current, Event::RunRefused, &why)?;
                Error::new(Exit::Denied, "no_executor", format!("plan `{id}` cannot be executed: {why}"))
                    .hint("it stays readable with `exacta show`; only changes of files can be carried out")
            }
            Refused::NeedsApproval { drifts, error } if drifts.is_empty() => {
                let why = error.map_or_else(String::new, |error| format!(": {error}"));
                self.note_refusal(current, Event::RunRefused, &format!("it needs a person's approval{why}"))?;
                Error::new(Exit::Confirm, "approval_needed", format!("plan `{id}` needs a person's approval{why}"))
                    .hint(format!("look at it with `exacta review {id}`, or approve it with `exacta approve {id}`"))
            }
            Refused::NeedsApproval { drifts, .. } => {
                let is_model = drifts.iter().all(|drift| drift.kind == DriftKind::ModelVersion);
                let event = if is_model { Event::ModelDrift } else { Event::RunRefused };
                self.note_refusal(current, event, &messages(&drifts))?;
                let message = format!("plan `{id}` needs a fresh approval: {}", messages(&drifts));
                Error::new(Exit::Drifted, "approval_outdated", message)
                    .hint(format!("look at it with `exacta show {id}` and approve it again with `exacta approve {id}`"))
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
            .hint("that is final; submit a proposal that answers the reason: `exacta submit FILE`")
    }

    fn note_refusal(&mut self, current: &Current, event: Event, why: &str) -> Result<(), Error> {
        let mut entry = scored(EntryDraft::new(event, self.actor(), why), &current.record);
        entry.decision = Some("deny".to_owned());
        Ok(self.store.record(&[entry], now())?)
    }
}

/// Nobody has decided yet.
#[must_use]
pub fn waits(id: &PlanId) -> Error {
    Error::new(Exit::Confirm, "approval_needed", format!("plan `{id}` waits for a person's decision"))
        .hint(format!("look at it with `exacta review {id}`, or approve it with `exacta approve {id}`"))
}

/// A person asked for changes, so that the plan waits for its proposer.
fn changes_requested(id: &PlanId, asked: &ChangesRequested) -> Error {
    let message = format!("plan `{id}` waits for its proposer: {} asked for changes: {}", asked.by, asked.text);
    Error::new(Exit::ChangesRequested, "changes_requested", message)
        .hint(format!("answer with a new version: `exacta submit FILE --revises {id}`"))
}

/// There was a run of the plan.
#[must_use]
pub fn already_run(id: &PlanId, run: &str) -> Error {
    let message = format!("plan `{id}` has had its run, `{run}`: one run per plan, ever, however it ended");
    Error::new(Exit::Drifted, "already_run", message)
        .hint(format!("`exacta resubmit {id}` makes a new plan from the same proposal"))
}

fn has_build(evaluation: &Evaluation) -> bool {
    evaluation.plan().is_some_and(|plan| plan.proposal().steps.iter().any(|step| step.action == Action::Build))
}
