//! Only `decide` makes a `Decision`: verdicts about another plan do not become one.
use exacta_kernel::assess::Assessment;
use exacta_kernel::gate::{Decision, Verdicts};

fn join(assessment: Assessment, verdicts: Verdicts) -> Decision {
    Decision { assessment, verdicts }
}

fn main() {}
