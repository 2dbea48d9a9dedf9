//! A decision cannot be given another plan, loosened, or copied.
use exacta_kernel::check::ValidPlan;
use exacta_kernel::gate::{Decision, Verdict};

fn exchange(mut decision: Decision, other: Decision) -> Decision {
    decision.assessment = other.assessment;
    decision
}

fn loosen(mut decision: Decision) -> Decision {
    decision.verdicts.verdict = Verdict::Allow;
    decision
}

fn take_over(decision: Decision, plan: ValidPlan) -> Decision {
    *decision.plan() = plan;
    decision
}

fn copy(decision: &Decision) -> Decision {
    decision.clone()
}

fn main() {}
