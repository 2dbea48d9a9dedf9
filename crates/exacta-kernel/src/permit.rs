//! The permit: proof that a plan is approved and that nothing has drifted. The executor acts on nothing else.

mod undo;

pub use undo::{Completed, Transition, UndoRefused, permit_undo, permit_undo_of_effects};

use crate::approval::{ApprovalError, Demand, NoApproval, VerifiedApproval};
use crate::binding::Identity;
use crate::drift::{self, Answer, Drift, Present};
use crate::effect::{self, Effect};
use crate::gate::{Decision, Verdict, Verdicts};
use crate::hash::Digest;
use crate::id::{CorrelationId, PlanId, ProjectId, RunId};
use crate::lifecycle::Status;
use crate::plan::Change;
use crate::prelude::*;
use crate::proposal::Domain;

/// Consumed by one run. [`permit`], [`permit_undo`] and [`permit_undo_of_effects`] alone make it.
#[derive(Debug)]
pub struct Permit {
    work: Work,
}

/// What a run is to do, spelled out to the byte. Only a permit holds it.
#[derive(Debug)]
pub struct Work {
    run_id: RunId,
    plan_id: PlanId,
    correlation_id: CorrelationId,
    plan_hash: Digest,
    automatic: bool,
    undoes: Option<RunId>,
    acts: Acts,
}

/// What is done: a run acts in one domain.
#[derive(Debug)]
enum Acts {
    /// To each file, sorted by path.
    Files(Vec<Change>),
    /// What lies in each file already is adopted: nothing is written. Sorted by path.
    Adoption(Vec<Change>),
    /// Outside the project, in order.
    Effects(Vec<Effect>),
}

/// A plan as the record has it.
#[derive(Debug, Clone)]
pub struct Recorded<'a> {
    /// The project at hand.
    pub project: &'a ProjectId,
    /// What the plan was made against.
    pub identity: &'a Identity,
    /// The plan's hash.
    pub plan_hash: Digest,
    /// Its status.
    pub status: Status,
}

/// Why there is no permit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nobody approved it, or it is over.
    #[error("the plan is {0}, not approved")]
    NotApproved(Status),
    /// The stored plan is not the one that was recorded.
    #[error("the plan does not match its recorded hash: the record was changed")]
    HashMismatch,
    /// It drifted and is over.
    #[error("the plan expired: {}", drifts(.0))]
    Expired(Vec<Drift>),
    /// It drifted and has to be made again.
    #[error("the plan is blocked: {}", drifts(.0))]
    Regenerate(Vec<Drift>),
    /// The gates deny it now.
    #[error("the plan is denied: {}", reasons(.0))]
    Denied(Verdicts),
    /// A person has to approve it, or approve it again.
    #[error("{}", needs(.drifts, .error.as_ref()))]
    NeedsApproval {
        /// What drifted since the approval that there was; empty if nothing did.
        drifts: Vec<Drift>,
        /// Why no stored approval counts, where there is one.
        error: Option<ApprovalError>,
    },
    /// Nothing can carry its steps out.
    #[error("the plan acts in the {} domain, and nothing performs all of its steps", .0.name())]
    NoExecutor(Domain),
    /// The hash could not be computed.
    #[error("the plan cannot be written in canonical form")]
    NotCanonical,
}

/// Checks that a plan is approved and that the approval still holds against the state of things now (INV-GATE): the only way to a [`Permit`] for
/// a plan.
///
/// `decision` owns the plan, derived again from its proposal, so nothing but that plan can be permitted. An automatic
/// approval is never believed from storage: the decision must allow the plan now. A person's approval counts only over
/// the plan as it is now, which after a change of policy means a fresh one.
///
/// # Errors
/// [`Refused`] says what does not hold.
pub fn permit(
    recorded: &Recorded<'_>,
    decision: Decision,
    approval: Result<VerifiedApproval, NoApproval>,
    present: Present<'_>,
    run_id: RunId,
) -> Result<Permit, Refused> {
    let granted = examine(recorded, &decision, approval.as_ref(), &present)?;
    let plan = decision.plan().plan();
    let acts = match plan.domain() {
        Domain::Files if plan.adopts() => Acts::Adoption(plan.changes()),
        Domain::Files => Acts::Files(plan.changes()),
        domain => Acts::Effects(effect::of_plan(plan, &run_id).map_err(|_| Refused::NoExecutor(domain))?),
    };
    let work = Work {
        run_id,
        plan_id: recorded.identity.plan_id.clone(),
        correlation_id: recorded.identity.correlation_id.clone(),
        plan_hash: granted.plan_hash,
        automatic: granted.automatic,
        undoes: None,
        acts,
    };
    Ok(Permit { work })
}

/// Why [`permit`] would give no permit; `None` if it would. Nothing is consumed, and nothing is permitted.
#[must_use]
pub fn refusal(
    recorded: &Recorded<'_>,
    decision: &Decision,
    approval: Result<&VerifiedApproval, &NoApproval>,
    present: &Present<'_>,
) -> Option<Refused> {
    examine(recorded, decision, approval, present).err()
}

/// Why a recorded plan gets no permit that is not valid any more: its targets or the policy changed.
#[must_use]
pub fn refusal_of_invalid(recorded: &Recorded<'_>, verdicts: &Verdicts, present: &Present<'_>) -> Refused {
    match usable(recorded, present) {
        Err(refused @ (Refused::NotApproved(_) | Refused::Expired(_))) => refused,
        _ => Refused::Denied(verdicts.clone()),
    }
}

/// What a permit rests on.
struct Granted {
    plan_hash: Digest,
    automatic: bool,
}

fn examine(
    recorded: &Recorded<'_>,
    decision: &Decision,
    approval: Result<&VerifiedApproval, &NoApproval>,
    present: &Present<'_>,
) -> Result<Granted, Refused> {
    let Recorded { project, identity, status, .. } = recorded;
    let drifts = usable(recorded, present)?;
    let plan = decision.plan().plan();
    let is_its_kind = plan.adopts() == identity.binding.adopts.is_some();
    if !is_its_kind || identity.plan_hash(plan.content_hash()).map_err(|_| Refused::NotCanonical)? != recorded.plan_hash
    {
        return Err(Refused::HashMismatch);
    }
    if decision.verdict() == Verdict::Deny {
        return Err(Refused::Denied(decision.verdicts().clone()));
    }
    if plan.domain() != Domain::Files && !effect::are_performed(plan) {
        return Err(Refused::NoExecutor(plan.domain()));
    }
    let fresh = drift::answer(&drifts) == Some(Answer::Reapprove);
    let plan_hash = current_hash(identity, present, plan.content_hash()).map_err(|_| Refused::NotCanonical)?;
    let automatic = *status == Status::AutoApproved && decision.verdict() == Verdict::Allow && !fresh;
    if !automatic {
        let demand = Demand { project, plan_id: &identity.plan_id, plan_hash, now: present.now };
        let covered = match approval {
            Ok(approval) => approval.covers(&demand).map_err(Some),
            Err(NoApproval(error)) => Err(error.clone()),
        };
        covered.map_err(|error| Refused::NeedsApproval { drifts, error })?;
    }
    Ok(Granted { plan_hash, automatic })
}

/// The drift of a plan that is approved, and neither over nor to be made again.
fn usable(recorded: &Recorded<'_>, present: &Present<'_>) -> Result<Vec<Drift>, Refused> {
    let drifts = drift::drift(recorded.identity, present);
    let answer = drift::answer(&drifts);
    match (recorded.status, answer) {
        (Status::Pending, Some(Answer::Expired)) => Err(Refused::Expired(drifts)),
        (status, _) if !status.is_approved() => Err(Refused::NotApproved(status)),
        (_, Some(Answer::Expired)) => Err(Refused::Expired(drifts)),
        (_, Some(Answer::Regenerate)) => Err(Refused::Regenerate(drifts)),
        _ => Ok(drifts),
    }
}

/// The hash an approver signs now: the recorded one, unless policy or model version drifted since the plan was made.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the types rule out.
pub fn current_hash(
    identity: &Identity,
    present: &Present<'_>,
    content_hash: Digest,
) -> Result<Digest, serde_json::Error> {
    identity.rebound(present.authority, present.model).plan_hash(content_hash)
}

impl Permit {
    /// The work, given up to the executor; the permit is gone.
    #[must_use]
    pub fn into_work(self) -> Work {
        self.work
    }

    /// The work, to look at.
    #[must_use]
    pub const fn work(&self) -> &Work {
        &self.work
    }
}

impl Work {
    /// The run this work was permitted for.
    #[must_use]
    pub const fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// The plan it executes.
    #[must_use]
    pub const fn plan_id(&self) -> &PlanId {
        &self.plan_id
    }

    /// The operation it belongs to.
    #[must_use]
    pub const fn correlation_id(&self) -> &CorrelationId {
        &self.correlation_id
    }

    /// What was approved.
    #[must_use]
    pub const fn plan_hash(&self) -> Digest {
        self.plan_hash
    }

    /// Whether the policy alone permits it, so that no person was asked.
    #[must_use]
    pub const fn is_automatic(&self) -> bool {
        self.automatic
    }

    /// The run that is undone, if this is an undo.
    #[must_use]
    pub const fn undoes(&self) -> Option<&RunId> {
        self.undoes.as_ref()
    }

    /// What happens to each file, or happened to it before it is [adopted](Work::adopts), sorted by path.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        match &self.acts {
            Acts::Files(changes) | Acts::Adoption(changes) => changes,
            Acts::Effects(_) => &[],
        }
    }

    /// What is done outside the project, in order; none for a run that changes files.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        match &self.acts {
            Acts::Files(_) | Acts::Adoption(_) => &[],
            Acts::Effects(effects) => effects,
        }
    }

    /// Whether what lies in the files already is adopted, so that nothing is written: they are found as [`Work::changes`] leaves them.
    #[must_use]
    pub const fn adopts(&self) -> bool {
        matches!(self.acts, Acts::Adoption(_))
    }

    /// Whether it acts outside the project, and so needs another executor than files do.
    #[must_use]
    pub const fn is_outside(&self) -> bool {
        matches!(self.acts, Acts::Effects(_))
    }
}

fn drifts(drifts: &[Drift]) -> String {
    let messages: Vec<&str> = drifts.iter().map(|drift| drift.message.as_str()).collect();
    messages.join("; ")
}

fn reasons(verdicts: &Verdicts) -> String {
    let denied = verdicts.gates().iter().filter(|gate| gate.verdict == Verdict::Deny);
    let reasons: Vec<&str> = denied.map(|gate| gate.reason.as_str()).collect();
    reasons.join("; ")
}

fn needs(changed: &[Drift], error: Option<&ApprovalError>) -> String {
    match (changed, error) {
        ([], None) => "a person has to approve the plan".to_owned(),
        ([], Some(error)) => format!("a person has to approve the plan: {error}"),
        (changed, _) => format!("a person has to approve the plan again: {}", drifts(changed)),
    }
}
