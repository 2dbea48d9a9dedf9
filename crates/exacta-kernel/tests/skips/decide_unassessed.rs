//! A plan without its own numbers cannot be decided.
use exacta_kernel::check::ValidPlan;
use exacta_kernel::gate::{Circumstances, Decision, decide};
use exacta_kernel::policy::Policy;

fn skip(plan: ValidPlan, policy: &Policy, circumstances: &Circumstances<'_>) -> Decision {
    decide(plan, policy, circumstances)
}

fn main() {}
