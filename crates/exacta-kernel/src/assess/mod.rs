//! The numbers: risk, quality, estimates. Integer points, no clock, no randomness, no model.

mod requested;

mod quality;
mod risk;

pub use crate::capability::Capability;
pub use crate::level::Level;
pub use requested::Requested;

use crate::check::ValidPlan;
use crate::estimate::{self, Estimates};
use crate::facts::Facts;
use crate::finding::{Code, Finding};
use crate::prelude::*;
use crate::proposal::Step;
use crate::scan::{self, Signals};
use serde::{Deserialize, Serialize};

/// All numbers of a plan, and what they were made from. The same plan and facts give the same bytes, always
/// (INV-PLAN-4).
///
/// The plan goes in and stays inside, so that its numbers cannot be passed off as another plan's.
#[must_use]
pub fn assess(plan: ValidPlan, facts: &Facts) -> Assessment {
    numbers(plan, facts, Extent::Whole)
}

/// The numbers of a plan of selected steps: what was left out on purpose is not missing.
#[must_use]
pub fn assess_selection(plan: ValidPlan, facts: &Facts) -> Assessment {
    numbers(plan, facts, Extent::Selection)
}

/// Whether a plan answers its request, or is a part of one that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Selection,
}

fn numbers(valid: ValidPlan, facts: &Facts, extent: Extent) -> Assessment {
    let plan = valid.plan();
    let changes = scan::change::of(plan, facts.source());
    let whole = scan::change::whole(plan, facts.source(), &changes);
    let signals = scan::of_plan(plan, &changes, whole.as_deref());
    let risk = risk::risk(plan, &changes, whole.as_deref(), &signals);
    let quality = |changes| quality::quality(&quality::View { plan, changes, signals: &signals, extent });
    let of_steps = quality(&changes);
    let of_whole = whole.as_deref().map(quality).filter(|quality| quality.score < of_steps.score);
    let capabilities = requested::requested(plan, &changes, whole.as_deref(), &risk.boundaries, &signals);
    let (quality, estimates) = (of_whole.unwrap_or(of_steps), estimate::estimates(plan));
    drop((changes, whole));
    Assessment { risk, quality, estimates, capabilities, signals, extent, plan: valid }
}

/// All numbers of one plan, together with that plan. Made by [`assess`] and [`assess_selection`] alone.
#[derive(Debug, PartialEq, Serialize)]
pub struct Assessment {
    pub(crate) risk: Risk,
    pub(crate) quality: Quality,
    pub(crate) estimates: Estimates,
    pub(crate) capabilities: Vec<Requested>,
    #[serde(skip)]
    pub(crate) signals: Signals,
    #[serde(skip)]
    pub(crate) extent: Extent,
    #[serde(skip)]
    pub(crate) plan: ValidPlan,
}

impl Assessment {
    /// The plan that was assessed.
    #[must_use]
    pub const fn valid_plan(&self) -> &ValidPlan {
        &self.plan
    }

    /// How dangerous it is.
    #[must_use]
    pub const fn risk(&self) -> &Risk {
        &self.risk
    }

    /// How well made it is.
    #[must_use]
    pub const fn quality(&self) -> &Quality {
        &self.quality
    }

    /// How large, long and expensive it is.
    #[must_use]
    pub const fn estimates(&self) -> &Estimates {
        &self.estimates
    }

    /// What it would give or use.
    #[must_use]
    pub fn capabilities(&self) -> &[Requested] {
        &self.capabilities
    }

    /// What was found in the change; the gates read it, the numbers already count it.
    #[must_use]
    pub const fn signals(&self) -> &Signals {
        &self.signals
    }
}

/// How dangerous a plan is: 0–100, with every point explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Risk {
    pub(crate) score: u32,
    pub(crate) level: Level,
    pub(crate) factors: Vec<Factor>,
    pub(crate) boundaries: Vec<Reason>,
}

impl Risk {
    /// 0–100.
    #[must_use]
    pub const fn score(&self) -> u32 {
        self.score
    }

    /// Low 0–30, medium 31–65, high 66–100; never below the highest tier of the plan's actions.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// The six factors, always all of them, in the specification's order.
    #[must_use]
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Why the plan is SYSTEM-LEVEL; empty if it is not.
    #[must_use]
    pub fn boundaries(&self) -> &[Reason] {
        &self.boundaries
    }
}

/// Below this, quality is not sufficient.
pub const SUFFICIENT_QUALITY: BasisPoints = BasisPoints(6000);

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
    pub(crate) score: BasisPoints,
    pub(crate) level: Grade,
    pub(crate) dimensions: Vec<Dimension>,
}

impl Quality {
    /// Basis points, 0–10 000, so that 0.60 and 0.75 are exact edges.
    #[must_use]
    pub const fn score(&self) -> BasisPoints {
        self.score
    }

    /// Insufficient, moderate or good.
    #[must_use]
    pub const fn level(&self) -> Grade {
        self.level
    }

    /// The five dimensions, always all of them, in the specification's order.
    #[must_use]
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }
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
    /// What would fix it.
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

impl Quality {
    /// Why a plan is refused for its quality: every lost point, the costliest first. Empty where quality does not refuse it.
    #[must_use]
    pub fn findings(&self, steps: &[Step]) -> Vec<Finding> {
        if self.score >= SUFFICIENT_QUALITY {
            return Vec::new();
        }
        let of = |dimension: &Dimension| {
            let (name, weight) = (dimension.name, dimension.weight);
            dimension.issues.iter().map(move |issue| (weight * issue.points, name, issue.clone())).collect::<Vec<_>>()
        };
        let mut lost: Vec<(u32, &str, Issue)> = self.dimensions.iter().flat_map(of).collect();
        lost.sort_by_key(|(cost, ..)| core::cmp::Reverse(*cost));
        lost.iter().map(|(_, name, issue)| issue.finding(name, steps)).collect()
    }
}

impl Issue {
    /// The same as a finding, with its place in the proposal.
    fn finding(&self, dimension: &str, steps: &[Step]) -> Finding {
        let line = self.line.map_or_else(String::new, |line| format!(", line {line}"));
        let message = format!("{dimension} loses {}{line}: {}", BasisPoints(self.points), self.message);
        let finding = Finding::new(Code::QualityInsufficient, message, self.hint.as_str());
        let index = steps.iter().position(|step| Some(&step.id) == self.step.as_ref());
        let pointer = self.pointer.clone().or_else(|| index.map(|index| format!("/steps/{index}")));
        Finding { step: self.step.clone(), path: self.path.clone(), pointer, ..finding }
    }
}
