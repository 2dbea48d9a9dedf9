//! The findings in a fixed order, without those that only follow from another.

use crate::finding::{Code, Finding};
use crate::plan::Plan;
use crate::prelude::*;

/// How many findings are listed. A plan with more is not a plan gone wrong but something else.
const MAX_FINDINGS: usize = 100;

/// Sorted by the step's order, the code and the place.
pub(super) fn sorted(plan: &Plan, findings: Vec<Finding>) -> Vec<Finding> {
    let mut findings = without_consequences(findings);
    let orders: BTreeMap<&str, u64> = plan.proposal.steps.iter().map(|step| (step.id.as_str(), step.order)).collect();
    let order = |finding: &Finding| finding.step.as_deref().and_then(|id| orders.get(id)).copied();
    findings.sort_by(|a, b| {
        order(a).cmp(&order(b)).then_with(|| (a.code, &a.pointer).cmp(&(b.code, &b.pointer))).then_with(|| a.cmp(b))
    });
    findings.dedup();
    limited(findings)
}

/// A protected path is refused whatever is there; steps in conflict see each other's files in no certain state.
fn without_consequences(mut findings: Vec<Finding>) -> Vec<Finding> {
    let steps_with = |findings: &[Finding], codes: &[Code]| -> BTreeSet<String> {
        findings.iter().filter(|it| codes.contains(&it.code)).filter_map(|it| it.step.clone()).collect()
    };
    let protected = steps_with(&findings, &[Code::PathProtected]);
    let in_conflict = steps_with(&findings, &[Code::Conflict, Code::DeleteConflict]);
    findings.retain(|finding| {
        let step = finding.step.as_deref().unwrap_or_default();
        let of_content = matches!(
            finding.code,
            Code::TargetExists | Code::TargetMissing | Code::TargetChanged | Code::TargetUnusable | Code::DiffContext
        );
        !(of_content && (protected.contains(step) || in_conflict.contains(step)))
    });
    findings
}

fn limited(mut findings: Vec<Finding>) -> Vec<Finding> {
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    if more > 0
        && let Some(last) = findings.last()
    {
        let message = format!("{more} more findings are not listed");
        let note = Finding::new(last.code, message, "fix the ones above first").at("");
        findings.push(note);
    }
    findings
}
