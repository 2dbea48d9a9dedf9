//! A decision is consumed by the permit it leads to.
use exacta_kernel::approval::VerifiedApproval;
use exacta_kernel::drift::Present;
use exacta_kernel::gate::Decision;
use exacta_kernel::id::RunId;
use exacta_kernel::permit::{Recorded, permit};

fn twice(recorded: &Recorded<'_>, decision: Decision, approvals: [VerifiedApproval; 2], present: Present<'_>, run: RunId) {
    let [one, other] = approvals;
    let _first = permit(recorded, decision, Ok(one), present.clone(), run.clone());
    let _second = permit(recorded, decision, Ok(other), present, run);
}

fn main() {}
