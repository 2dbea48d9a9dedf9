//! A plan as every surface shows it: the machine-readable face, kept stable and versioned. The terminal, the page and JSON are all drawn
//! from these values, so that no surface knows more than another.

use crate::bytes::BinaryView;
use crate::changes::ChangesRequested;
use crate::checks::ChecksView;
use crate::published::{DomainWord, Hash, KindWord, ShortId, SourceWord, StateWord, StatusWord, VerdictWord, Version};
use crate::score::{CapabilityView, EstimatesView, FindingView, GateView, QualityView, RiskView};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A plan, or a text that did not become one. Printed by `check`, `submit` and `show` with `--json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanView {
    /// Always [`PLAN_VIEW`](crate::PLAN_VIEW).
    #[schemars(with = "Version")]
    pub schema: String,
    /// Not for text that does not parse.
    #[schemars(with = "Option<Hash>")]
    pub content_hash: Option<String>,
    /// Not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// What a person types for it: the beginning of its random bits in base 32, as long as no other plan has it. Not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ShortId")]
    pub short_id: Option<String>,
    /// Not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Hash>")]
    pub plan_hash: Option<String>,
    /// `pending`, `auto_approved`, `user_approved`, `rejected` or `expired`; null for `check` and refused text.
    #[schemars(with = "Option<StatusWord>")]
    pub status: Option<Status>,
    /// What a person asked to be changed; absent unless the plan is pending and waits for its proposer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes_requested: Option<ChangesRequested>,
    /// `allow`, `confirm` or `deny`.
    #[schemars(with = "VerdictWord")]
    pub decision: Verdict,
    /// Whether a run without a person would be announced.
    pub notice: bool,
    /// Null where the plan is not valid.
    pub risk: Option<RiskView>,
    /// Null where the plan is not valid.
    pub quality: Option<QualityView>,
    /// Everything that is wrong.
    pub findings: Vec<FindingView>,
    /// Every gate's verdict.
    pub gates: Vec<GateView>,
    /// Null where the plan is not valid.
    pub estimates: Option<EstimatesView>,
    /// The files it touches.
    pub target_files: Vec<String>,
    /// What it would give or use, such as `shell` or `network`, with the reason and the place of each.
    pub capabilities: Vec<CapabilityView>,
    /// Whether it needs a person in every profile.
    pub system_level: bool,
    /// Whether it adds a certain secret, so that only places are told of it and no text; left out where not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// What the operator's checks said of this content before anybody decided; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<ChecksView>,
    /// When it stops being usable; null for `check` and refused text.
    pub expires_at: Option<String>,
    /// Everything else a person needs to see before deciding; absent for refused text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// What an approver sees before deciding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Detail {
    /// Such as `FixBug`.
    pub intent: String,
    /// The proposer's own name for it, if it gave one; untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_id: Option<String>,
    /// The credential that proposed it, such as `cli:1000:codex`; not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The proposer's own words for it; untrusted.
    pub intent_text: String,
    /// `files`, `autopilot` or `site`.
    #[schemars(with = "DomainWord")]
    pub domain: String,
    /// The version of the plan; 1 unless it answers a request for changes.
    pub version: u64,
    /// Ties versions, derived plans and runs together; not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The plan whose selected steps this one consists of, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<String>,
    /// The steps that it has only in part, by hunks of a shown diff: nobody proposed just these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial_of: Vec<PartialView>,
    /// The plan that a person edited to make this one, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_from: Option<String>,
    /// Whether it adopts what lies in the work tree already, so that its run writes nothing; left out where not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopts: bool,
    /// Not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// In execution order.
    pub steps: Vec<StepView>,
    /// Each constraint and how it is met.
    pub constraints: Vec<ConstraintView>,
    /// What the proposer took for granted; untrusted.
    pub assumptions: Vec<String>,
    /// What the plan was made against; not for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub binding: Option<serde_json::Value>,
    /// What cannot be undone, in words; empty for file plans.
    pub irreversible: Vec<String>,
}

/// A step that was selected in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartialView {
    /// The plan that has the whole step.
    pub plan: String,
    /// The step.
    pub step: String,
    /// The hunks that were selected, counted from 1.
    pub hunks: Vec<usize>,
}

/// One step, as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepView {
    /// Its id.
    pub id: String,
    /// Its place in the execution.
    pub order: u64,
    /// Such as `file_modify`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file, page or address.
    pub target: String,
    /// The proposer's own words for it; untrusted.
    pub description: String,
    /// Ids of steps that come before.
    pub dependencies: Vec<String>,
    /// What happens to the file, as a unified diff rendered from the exact before and after, every changed byte of it; secrets
    /// are masked. Of a plan that is over the record keeps a part; a line that begins with a backslash says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What the file is, if it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<BinaryView>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// One constraint and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintView {
    /// Its id.
    pub id: String,
    /// `MUST`, `MUST_NOT` or `PREFER`.
    #[serde(rename = "type")]
    #[schemars(with = "KindWord")]
    pub kind: String,
    /// Where it comes from: `proposal`, `step`, `request`, `project` or `safety_policy`.
    #[schemars(with = "SourceWord")]
    pub source: String,
    /// The limit in words.
    pub description: String,
    /// `met`, `violated`, `unchecked` or `advice`.
    #[schemars(with = "StateWord")]
    pub state: String,
    /// How it is met, or why it is not.
    pub reason: String,
}
