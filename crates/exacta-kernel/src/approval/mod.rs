//! A person's decision, and the proof that a listed approver took it.
//!
//! What is signed is a statement in canonical JSON behind a prefix that names its kind. [`Statement`] is about a plan;
//! [`setting`] is about policy, profile and approvers. Neither can be passed off as the other, nor one verb as another: the
//! verb is inside the signed bytes. Signing needs a key and happens outside; verifying is pure and happens here.

mod key;
pub mod setting;
mod shown;

pub use key::{ApproverName, BadKey, BadName, BadSignature, PublicKey, Signature};
pub use shown::{Shown, TooShort};

use crate::hash::{Digest, canonical_json};
use crate::hint;
use crate::hint::{Hint, Remedy};
use crate::id::{PlanId, ProjectId};
use crate::prelude::*;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a signer's clock may be ahead of ours, in seconds.
pub const CLOCK_SKEW_SECONDS: u64 = 120;

/// The schema of a decision about a plan. Also, with a NUL, the prefix of what is signed.
pub const SCHEMA: &str = "exacta.approval/1";
crate::schema_name::schema_name!(SCHEMA);

/// What a person decided about a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// The plan may run.
    Approve,
    /// The plan never runs.
    Reject,
    /// The plan goes back with a request.
    RequestChanges,
    /// An approval that has not been used no longer counts.
    Withdraw,
    /// What became of an act of its run that nobody else could tell of; the hash is that of the word given.
    Resolve,
}

/// A decision about a plan, as it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    schema: Schema,
    /// What was decided.
    pub verb: Verb,
    /// The project the plan belongs to.
    pub project: ProjectId,
    /// The plan.
    pub plan_id: PlanId,
    /// The plan as it was shown.
    pub plan_hash: Digest,
    /// Who decided.
    pub approver: ApproverName,
    /// When.
    pub at: Timestamp,
    /// Until when the decision counts.
    pub expires_at: Timestamp,
}

/// A statement with its signature: what is stored. It proves nothing until [`verify`] has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedStatement {
    /// What was decided.
    pub statement: Statement,
    /// The approver's signature over [`Statement::signing_bytes`].
    pub signature: Signature,
}

/// One entry in the list of approvers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approver {
    /// The name that statements carry.
    pub name: ApproverName,
    /// The key that must have signed them.
    pub public_key: PublicKey,
    /// When it was added.
    pub added_at: Timestamp,
    /// When it was taken off the list. The entry stays, so that old decisions can be explained; it no longer counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
}

/// What a statement must say to count here and now.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    /// The project at hand.
    pub project: &'a ProjectId,
    /// The plan at hand.
    pub plan_id: &'a PlanId,
    /// That plan as it is now.
    pub plan_hash: Digest,
    /// The time.
    pub now: Timestamp,
}

/// Proof that a listed approver approved exactly this plan. Made by [`verify`] and [`find`] alone, and consumed by the permit.
#[derive(Debug, PartialEq, Eq)]
pub struct VerifiedApproval(VerifiedDecision);

/// No stored approval counts; with the reason why the last one does not, where there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoApproval(pub Option<ApprovalError>);

/// Proof that a listed approver took this decision about this plan. Made by [`verify_decision`] and nothing else.
#[derive(Debug, PartialEq, Eq)]
pub struct VerifiedDecision {
    signed: SignedStatement,
    key: PublicKey,
}

/// Why a signed decision does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// Nobody of that name is on the list.
    #[error("`{0}` is not on the list of approvers")]
    NotAnApprover(ApproverName),
    /// The approver was taken off the list.
    #[error("`{0}` was removed from the list of approvers")]
    Removed(ApproverName),
    /// The signature is not that approver's over this statement.
    #[error("the signature of `{0}` does not fit the decision it is attached to")]
    BadSignature(ApproverName),
    /// Another verb than the one asked for.
    #[error("the signed decision is another one than was asked for")]
    WrongVerb,
    /// Signed for another project.
    #[error("the decision was signed for another project")]
    WrongProject,
    /// Signed for another plan.
    #[error("the decision was signed for plan `{0}`")]
    WrongPlan(PlanId),
    /// The plan is not the one that was shown.
    #[error("the plan is not the one that was decided on: its hash differs")]
    WrongHash,
    /// Signed for another policy, profile or approver.
    #[error("the decision was signed for another setting")]
    WrongSubject,
    /// No longer valid.
    #[error("the decision expired at {0}")]
    Expired(Timestamp),
    /// Signed in the future: a clock is wrong, or was set back.
    #[error("the decision was signed at {0}, which is in the future")]
    FromTheFuture(Timestamp),
    /// It cannot be written in canonical form.
    #[error("the decision cannot be written in canonical form")]
    NotCanonical,
}

impl ApprovalError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::NotAnApprover(_) | Self::Removed(_) => {
                hint!["see ", Remedy::ApproverList, "; an approver on it must decide"]
            }
            Self::BadSignature(_) | Self::NotCanonical => hint!["the record was changed: run ", Remedy::AuditVerify],
            Self::WrongVerb | Self::WrongProject | Self::WrongPlan(_) | Self::WrongHash => {
                hint!["look at the plan with ", Remedy::Show(None), " and decide again"]
            }
            Self::WrongSubject => hint!["give the command again"],
            Self::Expired(_) => {
                hint!["decide again; ", Remedy::Resubmit(None), " makes a new plan from an expired one"]
            }
            Self::FromTheFuture(_) => hint!["set this machine's clock right and decide again"],
        }
    }
}

impl Statement {
    /// A decision taken `at` some time about a plan as it was shown.
    #[must_use]
    pub const fn new(
        verb: Verb,
        project: ProjectId,
        plan_id: PlanId,
        plan_hash: Digest,
        approver: ApproverName,
        at: Timestamp,
        expires_at: Timestamp,
    ) -> Self {
        Self { schema: Schema, verb, project, plan_id, plan_hash, approver, at, expires_at }
    }

    /// The exact bytes to sign: the schema, a NUL, and the statement in canonical JSON.
    ///
    /// The NUL keeps them apart from everything else that Exacta signs: checkpoints are text without control characters.
    ///
    /// # Errors
    /// [`ApprovalError::NotCanonical`], which the types rule out.
    pub fn signing_bytes(&self) -> Result<Vec<u8>, ApprovalError> {
        prefixed(SCHEMA, self)
    }

    /// This statement with a signature made elsewhere.
    #[must_use]
    pub const fn with_signature(self, signature: Signature) -> SignedStatement {
        SignedStatement { statement: self, signature }
    }
}

impl VerifiedApproval {
    /// What was signed.
    #[must_use]
    pub const fn statement(&self) -> &Statement {
        self.0.statement()
    }

    /// What was signed, with the signature, to be stored.
    #[must_use]
    pub const fn signed(&self) -> &SignedStatement {
        &self.0.signed
    }

    /// The key that signed it.
    #[must_use]
    pub const fn key(&self) -> PublicKey {
        self.0.key
    }

    /// Whether it is about this plan as it is now, and still counts. The permit asks again, because the approval may have been
    /// verified for another plan, or long ago.
    pub(crate) fn covers(&self, demand: &Demand<'_>) -> Result<(), ApprovalError> {
        demanded(self.statement(), demand)
    }
}

impl VerifiedDecision {
    /// What was signed.
    #[must_use]
    pub const fn statement(&self) -> &Statement {
        &self.signed.statement
    }

    /// What was signed, with the signature, to be stored.
    #[must_use]
    pub const fn signed(&self) -> &SignedStatement {
        &self.signed
    }

    /// The key that signed it.
    #[must_use]
    pub const fn key(&self) -> PublicKey {
        self.key
    }
}

/// Checks that a listed approver approved exactly this plan and that the approval still counts.
///
/// # Errors
/// [`ApprovalError`] says what does not hold. A rejection, however well signed, is [`ApprovalError::WrongVerb`].
pub fn verify(
    signed: &SignedStatement,
    approvers: &[Approver],
    demand: &Demand<'_>,
) -> Result<VerifiedApproval, ApprovalError> {
    verify_decision(signed, approvers, demand, Verb::Approve).map(VerifiedApproval)
}

/// Checks that a listed approver took this decision about exactly this plan and that it still counts.
///
/// # Errors
/// As [`verify`].
pub fn verify_decision(
    signed: &SignedStatement,
    approvers: &[Approver],
    demand: &Demand<'_>,
    verb: Verb,
) -> Result<VerifiedDecision, ApprovalError> {
    let statement = &signed.statement;
    let key = verify_signature(approvers, &statement.approver, &statement.signing_bytes()?, &signed.signature)?;
    if statement.verb != verb {
        return Err(ApprovalError::WrongVerb);
    }
    demanded(statement, demand)?;
    Ok(VerifiedDecision { signed: signed.clone(), key })
}

/// The first of some stored decisions that is a listed approver's approval of exactly this plan.
///
/// # Errors
/// [`NoApproval`] with the reason why the last one does not count.
pub fn find(
    stored: &[SignedStatement],
    approvers: &[Approver],
    demand: &Demand<'_>,
) -> Result<VerifiedApproval, NoApproval> {
    let mut last = None;
    for signed in stored {
        match verify(signed, approvers, demand) {
            Ok(approval) => return Ok(approval),
            Err(error) => last = Some(error),
        }
    }
    Err(NoApproval(last))
}

/// Whether a statement is about this plan of this project, and counts now.
fn demanded(statement: &Statement, demand: &Demand<'_>) -> Result<(), ApprovalError> {
    if statement.project != *demand.project {
        return Err(ApprovalError::WrongProject);
    }
    if statement.plan_id != *demand.plan_id {
        return Err(ApprovalError::WrongPlan(statement.plan_id.clone()));
    }
    if statement.plan_hash != demand.plan_hash {
        return Err(ApprovalError::WrongHash);
    }
    in_time(statement.at, statement.expires_at, demand.now)
}

/// The key of the listed approver of that name that signed these bytes.
///
/// A name that was removed and added again has several entries; only those still on the list are tried.
fn verify_signature(
    approvers: &[Approver],
    name: &ApproverName,
    bytes: &[u8],
    signature: &Signature,
) -> Result<PublicKey, ApprovalError> {
    let mut named = approvers.iter().filter(|approver| approver.name == *name).peekable();
    if named.peek().is_none() {
        return Err(ApprovalError::NotAnApprover(name.clone()));
    }
    let mut listed = named.filter(|approver| approver.removed_at.is_none()).peekable();
    if listed.peek().is_none() {
        return Err(ApprovalError::Removed(name.clone()));
    }
    listed
        .find(|approver| approver.public_key.verifies(bytes, signature))
        .map(|approver| approver.public_key)
        .ok_or_else(|| ApprovalError::BadSignature(name.clone()))
}

/// Whether a decision counts now. With the clock set back, a decision looks as if it came from the future and is refused.
fn in_time(at: Timestamp, expires_at: Timestamp, now: Timestamp) -> Result<(), ApprovalError> {
    if at > now.plus_seconds(CLOCK_SKEW_SECONDS) {
        return Err(ApprovalError::FromTheFuture(at));
    }
    if expires_at <= now || expires_at <= at {
        return Err(ApprovalError::Expired(expires_at));
    }
    Ok(())
}

fn prefixed(schema: &str, statement: &impl Serialize) -> Result<Vec<u8>, ApprovalError> {
    let mut bytes = Vec::from(schema.as_bytes());
    bytes.push(0);
    bytes.extend(canonical_json(statement).map_err(|_| ApprovalError::NotCanonical)?);
    Ok(bytes)
}

#[cfg(test)]
mod tests;
