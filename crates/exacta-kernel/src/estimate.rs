//! How large, long and expensive a plan is: integers from the plan alone. A proposal's own estimates can only raise them.
//!
//! | number | files | autopilot | site |
//! |---|---|---|---|
//! | tokens | a quarter of the proposal's bytes, rounded up | the same | at least 1200 + 220 a step + 320 a weighted call + 85 a page |
//! | duration | 50 ms, 10 ms a file, 1 ms for 64 KiB written, 60 s a build | by primitive, see [`pace`] | 8 s a step + 4 s a call, at least 20 s |
//! | cost | nothing | by primitive, see [`pace`] | 2 hundredths of a cent for 100 tokens |

use crate::action::primitive::PrimitiveId;
use crate::action::tool::Tool;
use crate::plan::{Effect, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Domain};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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

/// Tokens that a model needs to write or read the plan.
#[must_use]
pub fn tokens(plan: &Plan) -> u64 {
    let written = object_bytes(&plan.proposal.document).div_ceil(4);
    let computed = match plan.domain() {
        Domain::Files | Domain::Autopilot => written,
        Domain::Site => written.max(site_tokens(plan)),
    };
    computed.max(plan.proposal.estimated_tokens.unwrap_or_default())
}

/// All estimates of a plan.
pub(crate) fn estimates(plan: &Plan) -> Estimates {
    let changes = plan.changes();
    let bytes_written = changes.iter().filter_map(|change| change.after.as_ref()).map(|content| content.size()).sum();
    let lines = plan.effects.iter().map(Effect::lines);
    let (lines_added, lines_removed) = lines.fold((0, 0), |sum, lines| (sum.0 + lines.0, sum.1 + lines.1));
    let tokens = tokens(plan);
    let duration_ms = match plan.domain() {
        Domain::Files => 50 + 10 * changes.len() as u64 + bytes_written / 65_536 + 60_000 * builds(plan),
        Domain::Autopilot => paces(plan).map(|pace| pace.duration_ms).sum(),
        Domain::Site => (12_000 * plan.proposal.steps.len() as u64).max(20_000),
    };
    let duration_ms = duration_ms.max(plan.proposal.estimated_duration_ms.unwrap_or_default());
    Estimates { tokens, duration_ms, cost: cost(plan, tokens), lines_added, lines_removed, bytes_written }
}

/// Hundredths of a US cent that a run spends, given the plan's tokens.
#[must_use]
pub fn cost(plan: &Plan, tokens: u64) -> u64 {
    match plan.domain() {
        Domain::Files => 0,
        Domain::Autopilot => paces(plan).map(|pace| pace.cost).sum(),
        Domain::Site => tokens.div_ceil(50),
    }
}

/// Pages that a site plan writes: as its steps say, or as its inputs list, whichever is more.
#[must_use]
pub fn pages(plan: &Plan) -> u64 {
    let made = plan.proposal.steps.iter().map(|step| match &step.action {
        Action::ToolCall { tool, arguments } if tool == "content.bulk_create" => {
            arguments.get("items").and_then(Value::as_array).map_or(1, Vec::len) as u64
        }
        Action::ToolCall { tool, .. } if Tool::find(tool).is_some_and(Tool::writes) => 1,
        _ => 0,
    });
    let listed = plan.proposal.inputs.get("pages").and_then(Value::as_array).map_or(0, Vec::len);
    made.sum::<u64>().max(listed as u64)
}

fn site_tokens(plan: &Plan) -> u64 {
    let weight = |step: &crate::proposal::Step| match &step.action {
        Action::ToolCall { tool, .. } => Tool::find(tool).map_or(1, |tool| u64::from(tool.weight)),
        _ => 0,
    };
    let weighted: u64 = plan.proposal.steps.iter().map(weight).sum();
    1200 + 220 * plan.proposal.steps.len() as u64 + 320 * weighted + 85 * pages(plan)
}

fn builds(plan: &Plan) -> u64 {
    plan.proposal.steps.iter().filter(|step| matches!(step.action, Action::Build)).count() as u64
}

/// How long a primitive takes, and what it costs in hundredths of a US cent.
struct Pace {
    duration_ms: u64,
    cost: u64,
}

fn paces(plan: &Plan) -> impl Iterator<Item = Pace> {
    plan.proposal.steps.iter().filter_map(|step| match &step.action {
        Action::Primitive { id, .. } => Some(pace(*id)),
        _ => None,
    })
}

/// Reading takes the network's time and is free; writing asks a model; sending takes a mail server's time.
const fn pace(id: PrimitiveId) -> Pace {
    let (duration_ms, cost) = match id {
        PrimitiveId::ReadWeb => (3_000, 0),
        PrimitiveId::ReadSources => (10_000, 0),
        PrimitiveId::ReadForwardedEmail | PrimitiveId::ReadVaultFile | PrimitiveId::ScheduleRun => (100, 0),
        PrimitiveId::AggregateDailySummary => (8_000, 1_600),
        PrimitiveId::TriageEmail => (1_000, 100),
        PrimitiveId::WriteOutcomeDraft => (8_000, 1_200),
        PrimitiveId::WriteEmailDraft => (8_000, 1_400),
        PrimitiveId::SendEmail => (2_000, 200),
    };
    Pace { duration_ms, cost }
}

fn object_bytes(object: &Map<String, Value>) -> u64 {
    object.iter().map(|(key, value)| key.len() as u64 + bytes(value)).sum()
}

fn bytes(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        Value::Array(items) => items.iter().map(bytes).sum(),
        Value::Object(object) => object_bytes(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}
