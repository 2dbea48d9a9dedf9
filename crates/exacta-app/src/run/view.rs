//! What is shown of a run.

use crate::view::outcome;
use exacta_record::{RunRecord, RunState};
use exacta_view::{ReceiptView, RunView};
use serde_json::Value;

pub(crate) fn run_view(run: RunRecord) -> RunView {
    RunView {
        run_id: run.id.to_string(),
        plan_id: run.plan_id.to_string(),
        undoes: run.undoes.as_ref().map(ToString::to_string),
        outcome: outcome(run.state),
        undone: run.state == RunState::Undone,
        started_at: run.started_at.to_string(),
        ended_at: run.ended_at.map(|at| at.to_string()),
        reason: None,
        notice: None,
        pid: (run.state == RunState::Running).then_some(run.pid),
        kept: kept(&run.receipts),
        steps: steps(&run),
    }
}

/// What each step did; for a run without receipts, what it was to do.
fn steps(run: &RunRecord) -> Vec<ReceiptView> {
    match (run.receipts.get("steps"), &run.changes) {
        (Some(Value::Array(steps)), _) => {
            let path = |step: &Value| step.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
            steps.iter().map(|step| receipt(path(step), step)).collect()
        }
        (_, Value::Object(changes)) => changes.iter().map(|(path, change)| receipt(path.clone(), change)).collect(),
        _ => Vec::new(),
    }
}

fn receipt(path: String, told: &Value) -> ReceiptView {
    let state = |side: &str| told.get(side).and_then(|state| serde_json::from_value(state.clone()).ok());
    let number = |name: &str| told.get(name).and_then(Value::as_u64);
    ReceiptView {
        path,
        before: state("before"),
        after: state("after"),
        bytes: number("bytes"),
        duration_us: number("duration_us"),
    }
}

fn kept(receipts: &Value) -> Vec<String> {
    let kept = receipts.get("kept").and_then(Value::as_array);
    kept.into_iter().flatten().filter_map(|path| path.as_str().map(str::to_owned)).collect()
}
