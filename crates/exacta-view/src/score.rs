//! Findings, numbers and verdicts as they are stored and shown: the kernel's, with owned names, so that a stored view can be
//! read back. Words that come from a proposal are masked, and made visible, when a value is made; nothing later has to.

use crate::published::{CapabilityWord, DimensionWord, FactorWord, GateWord, GradeWord, LevelWord, Share, VerdictWord};
use crate::words::line;
use exacta_kernel::assess::{BasisPoints, Capability, Grade, Issue, Level, Quality, Reason, Requested, Risk};
use exacta_kernel::estimate::Estimates;
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::{GateVerdict, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How dangerous a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RiskView {
    /// 0–100.
    #[schemars(range(max = 100))]
    pub score: u32,
    /// Low, medium or high.
    #[schemars(with = "LevelWord")]
    pub level: Level,
    /// The six factors.
    pub factors: Vec<FactorView>,
    /// Why the plan is SYSTEM-LEVEL; empty if it is not.
    pub boundaries: Vec<ReasonView>,
}

/// One factor of the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FactorView {
    /// Such as `file_operations`.
    #[schemars(with = "FactorWord")]
    pub name: String,
    /// Its points.
    pub score: u32,
    /// The most it can count.
    pub max: u32,
    /// Where the points come from.
    pub reasons: Vec<ReasonView>,
}

/// How well made a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QualityView {
    /// 0.00–1.00.
    #[schemars(with = "Share")]
    pub score: BasisPoints,
    /// Insufficient, moderate or good.
    #[schemars(with = "GradeWord")]
    pub level: Grade,
    /// The five dimensions.
    pub dimensions: Vec<DimensionView>,
}

/// One dimension of the quality.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DimensionView {
    /// Such as `completeness`.
    #[schemars(with = "DimensionWord")]
    pub name: String,
    /// 0.00–1.00.
    #[schemars(with = "Share")]
    pub score: BasisPoints,
    /// Percent of the whole.
    pub weight: u32,
    /// Every lost point.
    pub issues: Vec<IssueView>,
}

/// One gate's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateView {
    /// `security`, `policy`, `risk`, `quality` or `user`.
    #[schemars(with = "GateWord")]
    pub gate: String,
    /// Its answer.
    #[schemars(with = "VerdictWord")]
    pub verdict: Verdict,
    /// The rule that spoke, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    /// The stable name of the problem.
    pub code: String,
    /// The validation rule's number, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The id of the step it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The path it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// JSON pointer into the proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What would fix it.
    pub hint: String,
}

impl FindingView {
    /// Whether it has this code.
    #[must_use]
    pub fn is(&self, code: Code) -> bool {
        self.code == code.as_str()
    }
}

/// Why some points of risk were given, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonView {
    /// In words.
    pub message: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, in the new file unless the message says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How many.
    pub points: u32,
}

/// Why points of quality were lost, where, and what would win them back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IssueView {
    /// In words.
    pub message: String,
    /// What would fix it.
    pub hint: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// JSON pointer into the proposal, where it is about no step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Ten-thousandths of the dimension.
    pub points: u32,
}

/// One capability that a plan requests, why, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CapabilityView {
    /// What.
    #[schemars(with = "CapabilityWord")]
    pub capability: Capability,
    /// What gives or uses it.
    pub reason: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// How large, long and expensive a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EstimatesView {
    /// Tokens a model needs to write or read the plan.
    pub tokens: u64,
    /// How long a run takes.
    pub duration_ms: u64,
    /// Hundredths of a US cent that a run spends.
    pub cost: u64,
    /// Lines added over all steps.
    pub lines_added: u64,
    /// Lines removed over all steps.
    pub lines_removed: u64,
    /// Bytes that will be written.
    pub bytes_written: u64,
}

impl From<&Risk> for RiskView {
    fn from(risk: &Risk) -> Self {
        let factors = risk.factors().iter().map(|factor| FactorView {
            name: factor.name.to_owned(),
            score: factor.score,
            max: factor.max,
            reasons: factor.reasons.iter().map(ReasonView::from).collect(),
        });
        let boundaries = risk.boundaries().iter().map(ReasonView::from);
        Self { score: risk.score(), level: risk.level(), factors: factors.collect(), boundaries: boundaries.collect() }
    }
}

impl From<&Reason> for ReasonView {
    fn from(reason: &Reason) -> Self {
        Self {
            message: line(&reason.message),
            path: reason.path.as_deref().map(line),
            line: reason.line,
            step: reason.step.as_deref().map(line),
            points: reason.points,
        }
    }
}

impl From<&Quality> for QualityView {
    fn from(quality: &Quality) -> Self {
        let dimensions = quality.dimensions().iter().map(|dimension| DimensionView {
            name: dimension.name.to_owned(),
            score: dimension.score,
            weight: dimension.weight,
            issues: dimension.issues.iter().map(IssueView::from).collect(),
        });
        Self { score: quality.score(), level: quality.level(), dimensions: dimensions.collect() }
    }
}

impl From<&Issue> for IssueView {
    fn from(issue: &Issue) -> Self {
        Self {
            message: line(&issue.message),
            hint: line(&issue.hint),
            path: issue.path.as_deref().map(line),
            line: issue.line,
            step: issue.step.as_deref().map(line),
            pointer: issue.pointer.as_deref().map(line),
            points: issue.points,
        }
    }
}

impl From<&Requested> for CapabilityView {
    fn from(requested: &Requested) -> Self {
        Self {
            capability: requested.capability,
            reason: line(&requested.reason),
            path: requested.path.as_deref().map(line),
            line: requested.line,
            step: requested.step.as_deref().map(line),
        }
    }
}

impl From<&Estimates> for EstimatesView {
    fn from(estimates: &Estimates) -> Self {
        Self {
            tokens: estimates.tokens,
            duration_ms: estimates.duration_ms,
            cost: estimates.cost,
            lines_added: estimates.lines_added,
            lines_removed: estimates.lines_removed,
            bytes_written: estimates.bytes_written,
        }
    }
}

impl From<&GateVerdict> for GateView {
    fn from(gate: &GateVerdict) -> Self {
        Self {
            gate: gate.gate.name().to_owned(),
            verdict: gate.verdict,
            rule: gate.rule.clone(),
            reason: line(&gate.reason),
        }
    }
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.as_str().to_owned(),
            rule: finding.rule.map(str::to_owned),
            step: finding.step.as_deref().map(line),
            path: finding.path.as_deref().map(line),
            pointer: finding.pointer.as_deref().map(line),
            message: line(&finding.message),
            hint: line(&finding.hint),
        }
    }
}
