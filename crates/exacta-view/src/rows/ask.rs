//! What is shown where a person decides: what it is, who proposes it, what changes, and why they are asked.

use super::labelled;
use crate::plan::{Detail, PartialView, PlanView, StepView};
use crate::row::{Row, Tone};
use crate::score::GateView;
use crate::words::counted;
use exacta_kernel::gate::Verdict;
use serde_json::Value;

/// Where a binding says who proposed the plan.
pub(super) const PROPOSER: &str = "proposer";

/// How many files are named.
const NAMED: usize = 3;

/// That a step is there only in part: nobody proposed just this.
#[must_use]
pub fn partial(part: &PartialView) -> Row {
    let hunks: Vec<String> = part.hunks.iter().map(ToString::to_string).collect();
    let (what, plan) = (if hunks.len() == 1 { "hunk" } else { "hunks" }, &part.plan);
    labelled(
        "in part",
        &format!("step `{}` has only {what} {} of that step in plan {plan}", part.step, hunks.join(", ")),
    )
}

/// Why a person is asked, each reason in a row, with the gate and the rule that want it.
#[must_use]
pub fn reasons(view: &PlanView) -> Vec<Row> {
    let reason = |text: &str, by: &str| Row::new().with(Tone::Warn, "asking because ").plain(text).faint(by).hanging(2);
    let rows: Vec<Row> = asking(view).map(|gate| reason(&gate.reason, &by(gate))).collect();
    match (rows.is_empty(), view.decision) {
        (true, Verdict::Allow) if is_part(view) => vec![reason("a part of a plan is approved on its own", "")],
        _ => rows,
    }
}

/// The first reason in a line, and how many more there are.
#[must_use]
pub fn reason(view: &PlanView) -> Option<(Row, usize)> {
    let rows = reasons(view);
    let more = rows.len().saturating_sub(1);
    Some((rows.into_iter().next()?.indent(2), more))
}

/// How many steps, files and lines.
#[must_use]
pub fn changes(view: &PlanView) -> Option<String> {
    let steps = &view.detail.as_ref()?.steps;
    let added: u64 = steps.iter().map(|step| step.added).sum();
    let removed: u64 = steps.iter().map(|step| step.removed).sum();
    let (files, steps) = (counted(view.target_files.len(), "file"), counted(steps.len(), "step"));
    Some(format!("All of {steps}: {files}, +{added} -{removed} lines."))
}

/// The files that change most, by name.
pub(super) fn largest(view: &PlanView) -> Option<String> {
    let mut steps: Vec<&StepView> = view.detail.as_ref()?.steps.iter().filter(|step| step.diff.is_some()).collect();
    steps.sort_by_key(|step| core::cmp::Reverse(step.added + step.removed));
    let named = |step: &&StepView| format!("{} (+{} -{})", step.target, step.added, step.removed);
    let names: Vec<String> = steps.iter().take(NAMED).map(named).collect();
    let rest = steps.len().saturating_sub(NAMED);
    let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{}{more}", names.join(", ")))
}

/// What cannot be undone.
pub fn irreversible(view: &PlanView) -> impl Iterator<Item = Row> {
    let all = view.detail.iter().flat_map(|detail| &detail.irreversible);
    all.map(|text| Row::new().with(Tone::Bad, "cannot be undone: ").plain(text).hanging(2))
}

/// Who proposed it: the credential it came by, and the model that was declared.
#[must_use]
pub fn proposer(detail: &Detail) -> Vec<Row> {
    let Some((credential, model)) = declared(detail) else { return Vec::new() };
    let model = model.unwrap_or_else(|| "none was declared".to_owned());
    vec![labelled("credential", &credential), labelled("model", &model)]
}

/// The same in a line.
pub(super) fn proposed_by(detail: &Detail) -> Option<Row> {
    let (credential, model) = declared(detail)?;
    let model = model.unwrap_or_else(|| "no model declared".to_owned());
    Some(Row::new().faint("proposed by ").plain(&format!("{credential}, {model}")).hanging(2))
}

/// The credential that it came by, and the model with its class: as it was declared, or as the provider that we asked told.
fn declared(detail: &Detail) -> Option<(String, Option<String>)> {
    let binding = detail.binding.as_ref()?;
    let proposer = binding.get(PROPOSER)?;
    let asked = binding.pointer("/asked/provider").and_then(Value::as_str);
    let how = asked.map_or_else(|| "as the proposer declares".to_owned(), |name| format!("asked as `{name}`"));
    let word = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let model = proposer.get("model").filter(|model| !model.is_null()).map(|model| {
        let words = ["provider", "model", "version"].map(|name| word(model, name));
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        format!("{}, {how} ({})", words.join(" "), word(model, "class"))
    });
    Some((word(proposer, "credential"), model))
}

/// The gates that want a person. What the last gate says of the profile is a reason only where no other gate has one.
fn asking(view: &PlanView) -> impl Iterator<Item = &GateView> {
    let confirms = |gate: &&GateView| gate.verdict == Verdict::Confirm;
    let others = view.gates.iter().any(|gate| confirms(&gate) && gate.gate != "user");
    view.gates.iter().filter(confirms).filter(move |gate| !others || gate.gate != "user")
}

fn by(gate: &GateView) -> String {
    let rule = gate.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
    format!(" ({}{rule})", gate.gate)
}

fn is_part(view: &PlanView) -> bool {
    view.detail.as_ref().is_some_and(|detail| detail.derived_from.is_some())
}
