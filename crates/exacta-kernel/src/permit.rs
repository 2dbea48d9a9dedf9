//! The permit: proof that a plan is approved and that nothing has drifted. The executor acts on nothing else.

mod undo;

pub use undo::{Completed, Transition, UndoRefused, permit_undo};

use crate::approval::{self, ApprovalError, Approver, Demand, SignedStatement};
use crate::binding::Identity;
use crate::check::ValidPlan;
use crate::drift::{self, Answer, Drift, Standing};
use crate::gate::{Decision, Verdict};
use crate::hash::Digest;
use crate::id::{CorrelationId, PlanId, ProjectId, RunId};
use crate::lifecycle::Status;
use crate::plan::Change;
use crate::prelude::*;
use crate::proposal::Domain;

/// Consumed by one run. It has no public constructor but [`permit`] and [`permit_undo`].
#[derive(Debug)]
pub struct Permit {
    work: Work,
}

/// What a run is to do, spelled out to the byte.
#[derive(Debug)]
pub struct Work {
    /// The run this work was permitted for.
    pub run_id: RunId,
    /// The plan it carries out.
    pub plan_id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// What was approved.
    pub plan_hash: Digest,
    /// Whether the policy alone permits it, so that no person was asked.
    pub automatic: bool,
    /// The run that is taken back, if this is an undo.
    pub undoes: Option<RunId>,
    /// What happens to each file, sorted by path.
    pub changes: Vec<Change>,
}

/// A stored plan, derived again from its proposal and the world as it is now.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// The project at hand.
    pub project: &'a ProjectId,
    /// What the plan was made against, as stored.
    pub identity: &'a Identity,
    /// The plan's hash, as stored.
    pub recorded_hash: Digest,
    /// Its status, as stored.
    pub status: Status,
    /// The plan, sealed and checked anew.
    pub plan: &'a ValidPlan,
    /// What the gates say now.
    pub decision: &'a Decision,
    /// Decisions of people, as stored: they count only with a valid signature.
    pub approvals: &'a [SignedStatement],
    /// Whose signatures count.
    pub approvers: &'a [Approver],
    /// The world as it is now.
    pub standing: &'a Standing<'a>,
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
    Denied(Decision),
    /// A person has to approve it, or approve it again.
    #[error("{}", needs(.drifts, .error.as_ref()))]
    NeedsApproval {
        /// What drifted since the approval that there was; empty if nothing did.
        drifts: Vec<Drift>,
        /// Why no stored approval counts, where there is one.
        error: Option<ApprovalError>,
    },
    /// Nothing can carry its steps out.
    #[error("the plan acts in the {} domain, and only changes of files can be carried out", .0.name())]
    NoExecutor(Domain),
    /// The hash could not be computed.
    #[error("the plan cannot be written in canonical form")]
    NotCanonical,
}

/// Checks that a plan is approved and that the approval still holds against the world as it is now.
///
/// An automatic approval is never believed from storage: `decision` must allow the plan now. A person's approval counts only
/// with a listed approver's signature over the plan as it stands, which after a change of policy means a fresh one.
///
/// # Errors
/// [`Refused`] says what does not hold.
pub fn permit(candidate: &Candidate<'_>, run_id: RunId) -> Result<Permit, Refused> {
    let Candidate { identity, plan, decision, status, .. } = candidate;
    if !status.is_approved() {
        return Err(Refused::NotApproved(*status));
    }
    let content_hash = plan.plan().content_hash();
    let drifts = drift::drift(identity, candidate.standing);
    match drift::answer(&drifts) {
        Some(Answer::Expired) => return Err(Refused::Expired(drifts)),
        Some(Answer::Regenerate) => return Err(Refused::Regenerate(drifts)),
        _ => {}
    }
    if identity.plan_hash(content_hash).map_err(|_| Refused::NotCanonical)? != candidate.recorded_hash {
        return Err(Refused::HashMismatch);
    }
    if decision.verdict == Verdict::Deny {
        return Err(Refused::Denied((*decision).clone()));
    }
    let domain = plan.plan().domain();
    if domain != Domain::Files {
        return Err(Refused::NoExecutor(domain));
    }
    let fresh = drift::answer(&drifts) == Some(Answer::Reapprove);
    let plan_hash = current_hash(identity, candidate.standing, content_hash).map_err(|_| Refused::NotCanonical)?;
    let automatic = *status == Status::AutoApproved && decision.verdict == Verdict::Allow && !fresh;
    if !automatic {
        approved_by_a_person(candidate, plan_hash).map_err(|error| Refused::NeedsApproval { drifts, error })?;
    }
    let work = Work {
        run_id,
        plan_id: identity.plan_id.clone(),
        correlation_id: identity.correlation_id.clone(),
        plan_hash,
        automatic,
        undoes: None,
        changes: plan.plan().changes(),
    };
    Ok(Permit { work })
}

/// The hash an approver signs now: the recorded one, unless policy or model version drifted since the plan was made.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the types rule out.
pub fn current_hash(
    identity: &Identity,
    standing: &Standing<'_>,
    content_hash: Digest,
) -> Result<Digest, serde_json::Error> {
    identity.rebound(standing.authority, standing.model).plan_hash(content_hash)
}

/// Whether some stored approval is a listed approver's over exactly this hash; else the last reason why not.
fn approved_by_a_person(candidate: &Candidate<'_>, plan_hash: Digest) -> Result<(), Option<ApprovalError>> {
    let now = candidate.standing.now;
    let demand = Demand { project: candidate.project, plan_id: &candidate.identity.plan_id, plan_hash, now };
    let mut last = None;
    for signed in candidate.approvals {
        match approval::verify(signed, candidate.approvers, &demand) {
            Ok(_) => return Ok(()),
            Err(error) => last = Some(error),
        }
    }
    Err(last)
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

fn drifts(drifts: &[Drift]) -> String {
    let messages: Vec<&str> = drifts.iter().map(|drift| drift.message.as_str()).collect();
    messages.join("; ")
}

fn reasons(decision: &Decision) -> String {
    let denied = decision.gates.iter().filter(|gate| gate.verdict == Verdict::Deny);
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
