//! Entries of the log: what the application writes into them.

use exacta_kernel::audit::EntryDraft;
use exacta_kernel::gate::{Verdict, Verdicts};
use exacta_record::{PlanRecord, Scores};
use serde_json::{Map, Value};

/// An entry about a plan, with what the plan was scored.
pub(crate) fn scored(entry: EntryDraft, plan: &PlanRecord) -> EntryDraft {
    let Scores { risk, quality } = plan.scores;
    EntryDraft { risk_score: risk, quality_score: quality, ..entry.about(&plan.correlation_id, &plan.id) }
}

/// The strictest verdict's reasons.
pub(crate) fn reason(verdicts: &Verdicts) -> String {
    let strictest = verdicts.gates().iter().filter(|gate| gate.verdict == verdicts.verdict());
    let reasons: Vec<String> = strictest.map(|gate| format!("{}: {}", gate.gate, gate.reason)).collect();
    reasons.join("; ")
}

pub(crate) const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Confirm => "confirm",
        Verdict::Deny => "deny",
    }
}

/// A JSON object as an entry's data.
pub(crate) fn data(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
