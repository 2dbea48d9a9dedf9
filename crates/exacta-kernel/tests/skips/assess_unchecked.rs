//! A plan that was not checked cannot be assessed.
use exacta_kernel::assess::{Assessment, assess};
use exacta_kernel::facts::Facts;
use exacta_kernel::plan::Plan;

fn skip(plan: Plan, facts: &Facts) -> Assessment {
    assess(plan, facts)
}

fn main() {}
