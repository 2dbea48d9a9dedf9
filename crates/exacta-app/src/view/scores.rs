//! Findings, numbers and verdicts as they are stored and shown: the kernel's, with owned names, so that a stored view can be
//! read back.

use exacta_kernel::assess::{BasisPoints, Grade, Issue, Level, Quality, Reason, Risk};
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::{GateVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// How dangerous a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RiskView {
    /// 0–100.
    pub score: u32,
    /// Low, medium or high.
    pub level: Level,
    /// The six factors.
    pub factors: Vec<FactorView>,
    /// Why the plan is SYSTEM-LEVEL; empty if it is not.
    pub boundaries: Vec<Reason>,
}

/// One factor of the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactorView {
    /// Such as `file_operations`.
    pub name: String,
    /// Its points.
    pub score: u32,
    /// The most it can count.
    pub max: u32,
    /// Where the points come from.
    pub reasons: Vec<Reason>,
}

/// How well made a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityView {
    /// 0.00–1.00.
    pub score: BasisPoints,
    /// Insufficient, moderate or good.
    pub level: Grade,
    /// The five dimensions.
    pub dimensions: Vec<DimensionView>,
}

/// One dimension of the quality.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DimensionView {
    /// Such as `completeness`.
    pub name: String,
    /// 0.00–1.00.
    pub score: BasisPoints,
    /// Percent of the whole.
    pub weight: u32,
    /// Every lost point.
    pub issues: Vec<Issue>,
}

/// One gate's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateView {
    /// `security`, `policy`, `risk`, `quality` or `user`.
    pub gate: String,
    /// Its answer.
    pub verdict: Verdict,
    /// The rule that spoke, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What would mend it.
    pub hint: String,
}

impl From<&Risk> for RiskView {
    fn from(risk: &Risk) -> Self {
        let factors = risk.factors.iter().map(|factor| FactorView {
            name: factor.name.to_owned(),
            score: factor.score,
            max: factor.max,
            reasons: factor.reasons.clone(),
        });
        Self { score: risk.score, level: risk.level, factors: factors.collect(), boundaries: risk.boundaries.clone() }
    }
}

impl From<&Quality> for QualityView {
    fn from(quality: &Quality) -> Self {
        let dimensions = quality.dimensions.iter().map(|dimension| DimensionView {
            name: dimension.name.to_owned(),
            score: dimension.score,
            weight: dimension.weight,
            issues: dimension.issues.clone(),
        });
        Self { score: quality.score, level: quality.level, dimensions: dimensions.collect() }
    }
}

impl From<&GateVerdict> for GateView {
    fn from(gate: &GateVerdict) -> Self {
        Self { gate: gate.gate.to_owned(), verdict: gate.verdict, rule: gate.rule.clone(), reason: gate.reason.clone() }
    }
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.as_str().to_owned(),
            rule: finding.rule.map(str::to_owned),
            step: finding.step.clone(),
            path: finding.path.clone(),
            pointer: finding.pointer.clone(),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
        }
    }
}
