//! The numbers: risk, quality, estimates. Integer points, no clock, no randomness, no model.

pub mod capability;
pub mod estimate;

mod quality;
mod risk;
mod source;

pub use capability::{Capability, Requested};
pub(crate) use source::{Role, is_code, is_test, role};

use crate::check::ValidPlan;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::prelude::*;
use crate::scan::{self, Signals};
use serde::{Deserialize, Serialize};

/// All numbers of a plan, and what they were made from. The same plan and facts give the same bytes, always.
#[must_use]
pub fn assess(plan: &ValidPlan, facts: &Facts) -> Assessment {
    numbers(plan.plan(), facts, Extent::Whole)
}

/// The same for a plan of selected steps: what was left out on purpose is not missing.
#[must_use]
pub fn assess_selection(plan: &ValidPlan, facts: &Facts) -> Assessment {
    numbers(plan.plan(), facts, Extent::Selection)
}

/// Whether a plan answers its request, or is a part of one that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Selection,
}

fn numbers(plan: &Plan, facts: &Facts, extent: Extent) -> Assessment {
    let changes = scan::change::of(plan, facts.source());
    let whole = scan::change::whole(plan, facts.source(), &changes);
    let signals = scan::of_plan(plan, &changes, whole.as_deref());
    let risk = risk::risk(plan, &changes, whole.as_deref(), &signals);
    let quality = |changes| quality::quality(&quality::View { plan, changes, signals: &signals, extent });
    let of_steps = quality(&changes);
    let of_whole = whole.as_deref().map(quality).filter(|quality| quality.score < of_steps.score);
    Assessment {
        capabilities: capability::requested(plan, &changes, whole.as_deref(), &risk.boundaries, &signals),
        risk,
        quality: of_whole.unwrap_or(of_steps),
        estimates: estimate::estimates(plan),
        signals,
    }
}

/// All numbers of one plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assessment {
    /// How dangerous.
    pub risk: Risk,
    /// How well made.
    pub quality: Quality,
    /// How large, long and expensive.
    pub estimates: Estimates,
    /// What it would give or use.
    pub capabilities: Vec<Requested>,
    /// What was found in the change; the gates read it, the numbers above already count it.
    #[serde(skip)]
    pub signals: Signals,
}

/// How dangerous a plan is: 0–100, with every point explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Risk {
    /// 0–100.
    pub score: u32,
    /// Low 0–30, medium 31–65, high 66–100; never below the highest tier of the plan's actions.
    pub level: Level,
    /// The six factors, always all of them, in the specification's order.
    pub factors: Vec<Factor>,
    /// Why the plan is SYSTEM-LEVEL; empty if it is not.
    pub boundaries: Vec<Reason>,
}

/// Low, medium, high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// 0–30.
    Low,
    /// 31–65.
    Medium,
    /// 66–100.
    High,
}

/// One factor of the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// Such as `file_operations`.
    pub name: &'static str,
    /// Its points, never above `max`.
    pub score: u32,
    /// The most it can count.
    pub max: u32,
    /// Where the points come from. Their sum may exceed `max`; the score does not.
    pub reasons: Vec<Reason>,
}

/// Why some points were given, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reason {
    /// In words.
    pub message: String,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, in the new file unless the message says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How many.
    pub points: u32,
}

/// How well made a plan is: five dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quality {
    /// Basis points, 0–10 000, so that 0.60 and 0.75 are exact edges.
    pub score: BasisPoints,
    /// Insufficient, moderate or good.
    pub level: Grade,
    /// The five dimensions, always all of them, in the specification's order.
    pub dimensions: Vec<Dimension>,
}

/// Hundredths of a percent. Written to JSON as a number with at most four decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BasisPoints(pub u32);

impl BasisPoints {
    /// The whole: 1.00.
    pub const ONE: Self = Self(10_000);

    /// Reads what [`Display`](core::fmt::Display) writes: `1`, `0.75`, `0.7499`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        if part.len() > 4 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let points =
            whole.parse::<u32>().ok()?.checked_mul(10_000)?.checked_add(format!("{part:0<4}").parse().ok()?)?;
        (points <= 10_000).then_some(Self(points))
    }
}

impl core::fmt::Display for BasisPoints {
    /// Two decimals at least, four at most: `0.75`, `0.7499`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let text = format!("{}.{:04}", self.0 / 10_000, self.0 % 10_000);
        let text = text.strip_suffix('0').unwrap_or(&text);
        f.write_str(text.strip_suffix('0').unwrap_or(text))
    }
}

impl Serialize for BasisPoints {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: serde_json::Number = self.to_string().parse().map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BasisPoints {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = serde_json::Number::deserialize(deserializer)?.to_string();
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a score from 0 to 1 with at most four decimals"))
    }
}

/// What a quality score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Below 0.60.
    Insufficient,
    /// 0.60 up to 0.75.
    Moderate,
    /// 0.75 and up.
    Good,
}

/// One dimension of the quality.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dimension {
    /// Such as `completeness`.
    pub name: &'static str,
    /// 0–10 000.
    pub score: BasisPoints,
    /// Percent of the whole.
    pub weight: u32,
    /// Every lost point.
    pub issues: Vec<Issue>,
}

/// Why points were lost, where, and what would win them back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Issue {
    /// In words.
    pub message: String,
    /// What would mend it.
    pub hint: String,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// JSON pointer into the proposal, where it is about no step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Basis points of the dimension.
    pub points: u32,
    /// Whether they are for how the request or a description is written, whatever changes.
    #[serde(skip)]
    pub wording: bool,
}

/// How large, long and expensive a plan is. A proposal's own estimates can only raise these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimates {
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
