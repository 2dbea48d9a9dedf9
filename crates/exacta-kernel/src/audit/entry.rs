//! One line of the audit log.

use crate::approval::ApproverName;
use crate::assess::BasisPoints;
use crate::hash::{Digest, canonical_json};
use crate::id::{CorrelationId, PlanId, RunId};
use crate::json::{self, MAX_NUMBER};
use crate::prelude::*;
use crate::text;
use crate::time::Timestamp;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};

/// The schema of an entry.
pub const SCHEMA: &str = "exacta.audit/1";
crate::schema_name::schema_name!(SCHEMA);

/// The longest name of an agent that is recorded, in characters.
const MAX_AGENT: usize = 128;

/// One thing that happened, at its place in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    schema: Schema,
    /// Its place: the first entry is 0. On a screen that is line 1.
    pub seq: u64,
    /// When. Never earlier than the entry before it, whatever the clock says.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
    /// Who made it happen.
    pub actor: Actor,
    /// The operation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<CorrelationId>,
    /// The plan it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<PlanId>,
    /// The run it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// 0–100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_score: Option<u32>,
    /// 0.00–1.00.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "basis_points")]
    pub quality_score: Option<BasisPoints>,
    /// What was decided, in one word: a verdict or a status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Why, in words; empty where the event says it all.
    pub reason: String,
    /// What else belongs to the event.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

/// An entry without its place and time, which the log gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryDraft {
    /// What happened.
    pub event: Event,
    /// Who made it happen.
    pub actor: Actor,
    /// The operation it belongs to.
    pub correlation_id: Option<CorrelationId>,
    /// The plan it is about.
    pub plan_id: Option<PlanId>,
    /// The run it is about.
    pub run_id: Option<RunId>,
    /// 0–100.
    pub risk_score: Option<u32>,
    /// 0.00–1.00.
    pub quality_score: Option<BasisPoints>,
    /// What was decided, in one word: a verdict or a status.
    pub decision: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// What else belongs to the event.
    pub data: Map<String, Value>,
}

/// Everything that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A proposal became a plan.
    PlanCreated,
    /// A plan was scored and gated.
    PlanEvaluated,
    /// The operator's checks were run on a plan's result before anybody decided.
    PlanChecked,
    /// A person or the policy approved a plan, or an approval was added.
    PlanApproved,
    /// A person, a gate or validation refused a plan.
    PlanRejected,
    /// A plan is no longer usable.
    PlanExpired,
    /// A run completed.
    PlanExecuted,
    /// A text did not become a plan.
    ProposalRefused,
    /// A person asked for changes.
    ChangesRequested,
    /// A run is about to have effects.
    RunStarted,
    /// A run failed or was cancelled, and everything is as it was.
    RunRolledBack,
    /// A run ended in a way a person has to look at.
    RunNeedsAttention,
    /// A run was undone later.
    RunUndone,
    /// A run that crashed was completed or rolled back by a later command.
    RunRecovered,
    /// A person said what became of an act that nobody else could tell of.
    RunResolved,
    /// A run was refused before its first effect.
    RunRefused,
    /// The Safety Policy changed.
    PolicyChanged,
    /// A project's profile changed.
    ProfileChanged,
    /// The list of approvers changed.
    ApproverChanged,
    /// An AI provider was added, changed, chosen or removed.
    ProviderChanged,
    /// An autopilot or a mail account was added, changed or removed.
    AutopilotChanged,
    /// An occasion of an autopilot came to another state.
    OccasionChanged,
    /// An autopilot has something to tell of itself: it fails, works again, or has not looked.
    AutopilotNotice,
    /// The operator's program could not be told of something.
    NoticeFailed,
    /// An agent got a token, or one was revoked.
    TokenChanged,
    /// A site was added, changed or removed, or skills were taken over.
    SiteChanged,
    /// The model is not the one the plan was made with.
    ModelDrift,
    /// A session ended, and its plans with it.
    SessionEnded,
    /// The records were found to have been changed from outside.
    TamperingFound,
}

/// Who made something happen. Written `person:NAME`, `agent:NAME`, `policy` or `system`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Actor {
    /// An approver.
    Person(ApproverName),
    /// A person who acted without an approver's key, or an agent: the name is what it said.
    Agent(String),
    /// The policy, deciding by rule.
    Policy,
    /// Exacta itself: expiry, recovery.
    System,
}

/// Text that names no actor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an actor: expected `person:NAME`, `agent:NAME`, `policy` or `system`")]
pub struct BadActor;

/// Why something cannot be an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// A number that canonical JSON cannot tell from its neighbours.
    #[error("an audit entry holds a number beyond 2^53")]
    NumberTooLarge,
    /// It cannot be written as JSON.
    #[error("an audit entry cannot be written in canonical form")]
    NotCanonical,
    /// A line that is not an entry in canonical form.
    #[error("not an audit entry: {0}")]
    NotAnEntry(String),
}

impl EntryDraft {
    /// A draft about no plan in particular.
    #[must_use]
    pub fn new(event: Event, actor: Actor, reason: impl Into<String>) -> Self {
        Self {
            event,
            actor,
            correlation_id: None,
            plan_id: None,
            run_id: None,
            risk_score: None,
            quality_score: None,
            decision: None,
            reason: reason.into(),
            data: Map::new(),
        }
    }

    /// The same, about this plan.
    #[must_use]
    pub fn about(mut self, correlation: &CorrelationId, plan: &PlanId) -> Self {
        self.correlation_id = Some(correlation.clone());
        self.plan_id = Some(plan.clone());
        self
    }
}

impl Entry {
    /// The draft at its place in the log.
    #[must_use]
    pub fn new(seq: u64, at: Timestamp, draft: EntryDraft) -> Self {
        Self {
            schema: Schema,
            seq,
            at,
            event: draft.event,
            actor: draft.actor,
            correlation_id: draft.correlation_id,
            plan_id: draft.plan_id,
            run_id: draft.run_id,
            risk_score: draft.risk_score,
            quality_score: draft.quality_score,
            decision: draft.decision,
            reason: draft.reason,
            data: draft.data,
        }
    }

    /// The entry's line, without the newline: exactly the bytes that are hashed.
    ///
    /// # Errors
    /// [`EntryError`] if its data holds a number beyond 2^53.
    pub fn line(&self) -> Result<Vec<u8>, EntryError> {
        if !self.data.values().all(numbers_fit) {
            return Err(EntryError::NumberTooLarge);
        }
        canonical_json(self).map_err(|_| EntryError::NotCanonical)
    }

    /// Reads a line strictly: it must be exactly what [`Entry::line`] writes.
    ///
    /// # Errors
    /// [`EntryError::NotAnEntry`] for anything else.
    pub fn parse(line: &[u8]) -> Result<Self, EntryError> {
        let bad = |what: &str| EntryError::NotAnEntry(text::excerpt(what, 200));
        let text = core::str::from_utf8(line).map_err(|_| bad("not UTF-8"))?;
        let value = json::read(text).map_err(|error| bad(&error.to_string()))?;
        let entry: Self = serde_json::from_value(value).map_err(|error| bad(&error.to_string()))?;
        if entry.line()? == line { Ok(entry) } else { Err(bad("not in canonical form")) }
    }

    /// The leaf that the entry's line is in the Merkle tree.
    ///
    /// # Errors
    /// As [`Entry::line`].
    pub fn leaf(&self) -> Result<Digest, EntryError> {
        self.line().map(|line| super::merkle::leaf_hash(&line))
    }
}

impl Event {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlanCreated => "plan_created",
            Self::PlanEvaluated => "plan_evaluated",
            Self::PlanChecked => "plan_checked",
            Self::PlanApproved => "plan_approved",
            Self::PlanRejected => "plan_rejected",
            Self::PlanExpired => "plan_expired",
            Self::PlanExecuted => "plan_executed",
            Self::ProposalRefused => "proposal_refused",
            Self::ChangesRequested => "changes_requested",
            Self::RunStarted => "run_started",
            Self::RunRolledBack => "run_rolled_back",
            Self::RunNeedsAttention => "run_needs_attention",
            Self::RunUndone => "run_undone",
            Self::RunRecovered => "run_recovered",
            Self::RunResolved => "run_resolved",
            Self::RunRefused => "run_refused",
            Self::PolicyChanged => "policy_changed",
            Self::ProfileChanged => "profile_changed",
            Self::ApproverChanged => "approver_changed",
            Self::ProviderChanged => "provider_changed",
            Self::AutopilotChanged => "autopilot_changed",
            Self::OccasionChanged => "occasion_changed",
            Self::AutopilotNotice => "autopilot_notice",
            Self::NoticeFailed => "notice_failed",
            Self::TokenChanged => "token_changed",
            Self::SiteChanged => "site_changed",
            Self::ModelDrift => "model_drift",
            Self::SessionEnded => "session_ended",
            Self::TamperingFound => "tampering_found",
        }
    }
}

impl Actor {
    /// An agent by the name it gave itself: cut, and with everything that could hide something made visible.
    #[must_use]
    pub fn agent(name: &str) -> Self {
        Self::Agent(text::excerpt(name, MAX_AGENT))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(name) => write!(f, "person:{name}"),
            Self::Agent(name) => write!(f, "agent:{name}"),
            Self::Policy => f.write_str("policy"),
            Self::System => f.write_str("system"),
        }
    }
}

impl TryFrom<String> for Actor {
    type Error = BadActor;
    fn try_from(text: String) -> Result<Self, BadActor> {
        match text.split_once(':') {
            Some(("person", name)) => ApproverName::parse(name).map(Self::Person).map_err(|_| BadActor),
            Some(("agent", name)) => Ok(Self::Agent(name.to_owned())),
            None if text == "policy" => Ok(Self::Policy),
            None if text == "system" => Ok(Self::System),
            _ => Err(BadActor),
        }
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> String {
        actor.to_string()
    }
}

fn numbers_fit(value: &Value) -> bool {
    match value {
        Value::Number(number) => number_fits(number),
        Value::Array(items) => items.iter().all(numbers_fit),
        Value::Object(map) => map.values().all(numbers_fit),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

fn number_fits(number: &Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(value), _) => value <= MAX_NUMBER,
        (None, Some(value)) => value.unsigned_abs() <= MAX_NUMBER,
        (None, None) => true,
    }
}

/// Reads `0.7499` back into basis points, without floating-point arithmetic.
fn basis_points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BasisPoints>, D::Error> {
    let number = Number::deserialize(deserializer)?;
    let text = number.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "0"));
    let parsed = (decimals.len() <= 4).then(|| {
        let whole: u32 = whole.parse().ok()?;
        let decimals: u32 = format!("{decimals:0<4}").parse().ok()?;
        (whole <= 1).then(|| BasisPoints(whole * 10_000 + decimals))
    });
    match parsed.flatten() {
        Some(score) => Ok(Some(score)),
        None => Err(serde::de::Error::custom("a quality score has at most four decimals")),
    }
}
