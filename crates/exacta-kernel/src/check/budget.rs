//! PV-5 and PV-6: the caps on tokens, steps, files and the size of a target.

use crate::assess::estimate;
use crate::finding::{Code, Finding};
use crate::plan::Plan;
use crate::policy::caps::Caps;
use crate::prelude::*;
use crate::proposal::Domain;

pub(super) fn check(plan: &Plan, caps: &Caps, findings: &mut Vec<Finding>) {
    let steps = plan.proposal.steps.len() as u64;
    let cap = if plan.domain() == Domain::Site { caps.site_steps } else { caps.steps };
    exceeded(Code::StepCapExceeded, "steps", steps, cap, "/steps", findings);
    exceeded(Code::FileCapExceeded, "files", plan.target_files().len() as u64, caps.files, "/steps", findings);
    exceeded(Code::TokenBudgetExceeded, "tokens by estimate", estimate::tokens(plan), caps.tokens, "", findings);
    target_sizes(plan, caps, findings);
}

fn exceeded(code: Code, what: &str, count: u64, cap: u64, pointer: &str, findings: &mut Vec<Finding>) {
    if count > cap {
        let message = format!("the plan has {count} {what}; at most {cap} are allowed");
        findings.push(Finding::new(code, message, "split the work into several plans").at(pointer));
    }
}

fn target_sizes(plan: &Plan, caps: &Caps, findings: &mut Vec<Finding>) {
    for effect in &plan.effects {
        let Some(step) = plan.proposal.steps.get(effect.step) else { continue };
        let size = [&effect.before, &effect.after].into_iter().flatten().map(|content| content.size()).max();
        if let Some(size) = size.filter(|size| *size > caps.target_bytes) {
            let message = format!("`{}` has {size} bytes; at most {} are allowed", effect.path, caps.target_bytes);
            let finding = Finding::new(Code::TargetTooLarge, message, "leave this file out of the plan");
            findings
                .push(finding.in_step(&step.id).at_path(effect.path.as_str()).at(format!("/steps/{}", effect.step)));
        }
    }
}
