//! How large, long, expensive and risky a contract is: integers from the contract alone.

use super::Contract;
use crate::action::tool::Tool;
use crate::prelude::*;

/// Low, medium or high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they say what they are")]
pub enum Band {
    Low,
    Medium,
    High,
}

/// What a contract is estimated to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractEstimate {
    /// Pages that it touches.
    pub pages: u64,
    /// Calls of each tool.
    pub calls_by_tool: BTreeMap<String, u64>,
    /// All of them.
    pub calls: u64,
    /// Tokens.
    pub tokens: u64,
    /// Hundredths of a US cent.
    pub cost: u64,
    /// Seconds.
    pub seconds: u64,
    /// How many tokens that is.
    pub token_bucket: Band,
    /// How expensive that is.
    pub cost_band: Band,
    /// How many of the steps the planner gave a number for.
    pub confidence: Band,
}

/// The contract's own score, with its factors in thousandths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractRisk {
    /// 0 to 100.
    pub score: u64,
    /// How many steps there are.
    pub number_of_steps: u64,
    /// 0 for reading, 500 for drafts, 1000 for what the public sees.
    pub write_intensity: u64,
    /// How many of five different tools it uses.
    pub tool_novelty: u64,
    /// Its cost, as a part of what it may cost.
    pub cost_ratio_to_cap: u64,
}

impl Band {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    const fn below(value: u64, low: u64, medium: u64) -> Self {
        if value < low {
            Self::Low
        } else if value < medium {
            Self::Medium
        } else {
            Self::High
        }
    }
}

impl Contract {
    /// What it is estimated to take.
    #[must_use]
    pub fn estimate(&self) -> ContractEstimate {
        let mut calls_by_tool = BTreeMap::<String, u64>::new();
        let mut calls = 0_u64;
        for step in &self.steps {
            let listed = step.tools.len() as u64;
            let said = step.tool_call_estimate.unwrap_or(listed).max(listed);
            calls = calls.saturating_add(said);
            for (number, tool) in step.tools.iter().enumerate() {
                // What a planner says beyond the tools it lists counts for the first of them.
                let more = if number == 0 { said - listed } else { 0 };
                *calls_by_tool.entry(tool.clone()).or_default() += 1 + more;
            }
        }
        // The pages decide where they are more than the planner says.
        let needed = self.calls().map_or(0, |calls| calls.len() as u64);
        let (calls, pages, steps) = (calls.max(needed), self.pages(), self.steps.len() as u64);
        let weight = |name: &String| Tool::find(name).map_or(1, |tool| u64::from(tool.weight));
        let weighted: u64 =
            calls_by_tool.iter().map(|(name, count)| count.saturating_mul(weight(name))).fold(0, u64::saturating_add);
        let parts = [1200, steps.saturating_mul(220), weighted.saturating_mul(320), pages.saturating_mul(85)];
        let tokens = parts.into_iter().fold(0, u64::saturating_add);
        let cost = tokens.saturating_mul(2).saturating_add(50) / 100;
        let sure = self
            .steps
            .iter()
            .filter(|step| step.page_count_estimate > 0 || step.tool_call_estimate.is_some_and(|count| count > 0));
        let sure = sure.count() as u64;
        let confidence = match sure {
            all if all == steps => Band::High,
            some if some >= steps.div_ceil(2) => Band::Medium,
            _ => Band::Low,
        };
        ContractEstimate {
            pages,
            calls_by_tool,
            calls,
            tokens,
            cost,
            seconds: (8 * steps).saturating_add(calls.saturating_mul(4)).max(20),
            token_bucket: Band::below(tokens, 4_000, 12_000),
            cost_band: Band::below(cost, 5_000, 20_000),
            confidence,
        }
    }

    /// Its score, under this cost cap in hundredths of a cent; `public` if it changes a page that the public sees already.
    #[must_use]
    pub fn risk(&self, cost_cap: u64, public: bool) -> ContractRisk {
        let steps = self.steps.len() as u64;
        let tools: BTreeSet<&str> = self.steps.iter().flat_map(|step| &step.tools).map(String::as_str).collect();
        let intensity = |name: &&str| match *name {
            "content.publish_page" | "content.trash_page" => 1000,
            name if Tool::find(name).is_some_and(Tool::writes) => 500,
            _ => 0,
        };
        let seen = public.then_some(1000);
        let write_intensity: u64 = tools.iter().map(intensity).chain(seen).max().unwrap_or(0);
        let distinct = tools.len() as u64;
        let cost = self.estimate().cost;
        let ratio = cost.saturating_mul(1000).checked_div(cost_cap).unwrap_or(1000);
        let written = (30_u64 * write_intensity).div_ceil(1000);
        let whole = 20 + (4 * steps).min(35) + written + (3 * distinct).min(15);
        let exact = 1000 * whole + (25 * ratio).min(25_000);
        ContractRisk {
            score: (exact.saturating_add(500) / 1000).min(100),
            number_of_steps: steps,
            write_intensity,
            tool_novelty: (distinct * 200).min(1000),
            cost_ratio_to_cap: ratio,
        }
    }
}
