//! Plans as they are remembered, and how a change of one is asked for.

use crate::run::{RunRecord, RunState};
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A plan to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPlan {
    /// Names it for ever.
    pub id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// 1, or more if it answers a request for changes.
    pub version: u64,
    /// Where it stands from the start: a plan can be born rejected or approved.
    pub status: Status,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops being usable.
    pub expires_at: Timestamp,
    /// The session it was made in.
    pub session: SessionId,
    /// What an approver signs.
    pub plan_hash: Digest,
    /// The hash of what it changes, which is equal on every machine.
    pub content_hash: Digest,
    /// What the plan hash is made of; opaque here.
    pub identity: Value,
    /// The proposal as it came; `None` if it held a secret.
    pub proposal: Option<Vec<u8>>,
    /// What people see, with secrets masked; opaque here.
    pub view: Value,
    /// What a list shows of it, in a few words; opaque here.
    pub summary: Value,
    /// The plan it was made from by approving some steps.
    pub derived_from: Option<PlanId>,
    /// The plan it replaces, as its next version or after it expired.
    pub revises: Option<PlanId>,
}

/// A plan as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRecord {
    /// Names it for ever.
    pub id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// 1, or more if it answers a request for changes.
    pub version: u64,
    /// Where it stands.
    pub status: Status,
    /// Since when.
    pub status_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops being usable.
    pub expires_at: Timestamp,
    /// The session it was made in.
    pub session: SessionId,
    /// What an approver signs.
    pub plan_hash: Digest,
    /// The hash of what it changes, which is equal on every machine.
    pub content_hash: Digest,
    /// What the plan hash is made of, as JSON text.
    pub identity: Arc<str>,
    /// The proposal as it came; `None` if it held a secret.
    pub proposal: Option<Arc<[u8]>>,
    /// What people see, as JSON text: most who ask for a plan do not read it.
    pub view: Arc<str>,
    /// What a list shows of it.
    pub summary: Value,
    /// Its risk and quality, as they were entered last.
    pub scores: Scores,
    /// The plan it was made from by approving some steps.
    pub derived_from: Option<PlanId>,
    /// The plan it replaces.
    pub revises: Option<PlanId>,
    /// Every signed decision about it, oldest first. They prove nothing until verified.
    pub approvals: Vec<SignedStatement>,
    /// What people asked to be changed, oldest first.
    pub feedback: Vec<ChangesRequested>,
    /// Its one run, if it has run.
    pub run: Option<RunRecord>,
}

/// A person's request for changes: the plan waits for its proposer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangesRequested {
    /// The approver who asked.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What should be different, in that person's words.
    pub text: String,
    /// The places it is about, as `PATH:LINE`; empty if it is about the whole plan.
    pub places: Vec<String>,
}

/// What a list shows of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSummary {
    /// Names it for ever.
    pub id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// 1, or more if it answers a request for changes.
    pub version: u64,
    /// Where it stands.
    pub status: Status,
    /// Since when.
    pub status_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops being usable.
    pub expires_at: Timestamp,
    /// The session it was made in.
    pub session: SessionId,
    /// What an approver signs.
    pub plan_hash: Digest,
    /// What the plan was remembered with for lists.
    pub summary: Value,
    /// What became of its run, if it has run.
    pub run: Option<(RunId, RunState)>,
}

/// What a plan was scored, as far as it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scores {
    /// 0–100.
    pub risk: Option<u32>,
    /// 0.00–1.00.
    pub quality: Option<BasisPoints>,
}

/// Which plans to list. Newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these; all if empty.
    pub status: Vec<Status>,
    /// Only of this operation.
    pub correlation_id: Option<CorrelationId>,
    /// Only of this session.
    pub session: Option<SessionId>,
    /// Only those that can still expire: pending, or approved and never run.
    pub usable: bool,
    /// Only those that are not over by then: that have run, or can still be used.
    pub not_over: Option<Timestamp>,
    /// At most this many.
    pub limit: Option<u32>,
}

/// Which audit entries to read. In the order of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only of this operation.
    pub correlation_id: Option<CorrelationId>,
    /// Only this many, the newest.
    pub last: Option<u32>,
}

/// A change of a plan's status. It happens only if the plan still stands where it is said to.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Where the plan must stand.
    pub from: Status,
    /// Where it goes.
    pub to: Status,
    /// The signed decision that causes it, if a person's.
    pub approval: Option<SignedStatement>,
    /// Another plan that expires with it, if it still can: the original of a derived plan.
    pub also_expire: Option<PlanId>,
}

/// What became of a change that others may have raced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It happened, and is recorded.
    Done,
    /// Somebody else was first; nothing happened.
    Lost {
        /// Where the plan stands now.
        status: Status,
    },
}
