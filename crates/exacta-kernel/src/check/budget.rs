//! PV-5 and PV-6: the caps on tokens, steps, files and the size of a target.

use super::Context;
use crate::estimate;
use crate::finding::{Code, Finding};
use crate::plan::Plan;
use crate::policy::caps::{self, Caps};
use crate::prelude::*;
use crate::proposal::Domain;

/// A plan that was submitted from outside arrives whole: its own caps hold, and its tokens are the gates' business.
pub(super) fn check(plan: &Plan, context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (caps, generated) = (context.caps, context.generated || plan.proposal.is_generated());
    let (steps, files) = if generated { ("steps", "files") } else { ("submitted_steps", "submitted_files") };
    let steps = if plan.domain() == Domain::Site { "site_steps" } else { steps };
    let mut exceeded = |code, name, what: &str, count: u64, pointer: &str| {
        findings.extend(exceeded(caps, code, name, what, count).map(|finding| finding.at(pointer)));
    };
    exceeded(Code::StepCapExceeded, steps, "steps", plan.proposal.steps.len() as u64, "/steps");
    exceeded(Code::FileCapExceeded, files, "files", plan.target_files().len() as u64, "/steps");
    if generated {
        exceeded(Code::TokenBudgetExceeded, "tokens", "tokens by estimate", estimate::tokens(plan), "");
    }
    target_sizes(plan, caps, findings);
}

/// That a plan has more of something than the cap of this name allows, and how that can be raised.
pub(super) fn exceeded(caps: &Caps, code: Code, name: &str, what: &str, count: u64) -> Option<Finding> {
    let cap = caps.get(name).filter(|cap| count > *cap)?;
    let message = format!("the plan has {count} {what}; at most {cap} are allowed");
    Some(Finding::new(code, message, format!("split the work into several plans; {}", caps::way(name, cap))))
}

fn target_sizes(plan: &Plan, caps: &Caps, findings: &mut Vec<Finding>) {
    for effect in &plan.effects {
        let Some(step) = plan.proposal.steps.get(effect.step) else { continue };
        let size = [&effect.before, &effect.after].into_iter().flatten().map(|content| content.size()).max();
        if let Some(size) = size.filter(|size| *size > caps.target_bytes) {
            let message = format!("`{}` has {size} bytes; at most {} are allowed", effect.path, caps.target_bytes);
            let way = caps::way("target_bytes", caps.target_bytes);
            let finding =
                Finding::new(Code::TargetTooLarge, message, format!("leave this file out of the plan; {way}"));
            findings
                .push(finding.in_step(&step.id).at_path(effect.path.as_str()).at(format!("/steps/{}", effect.step)));
        }
    }
}
