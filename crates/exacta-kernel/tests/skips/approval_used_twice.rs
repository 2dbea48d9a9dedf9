//! An approval is consumed by the permit it leads to, and cannot be copied before.
use exacta_kernel::approval::{NoApproval, VerifiedApproval};
use exacta_kernel::drift::Present;
use exacta_kernel::gate::Decision;
use exacta_kernel::id::RunId;
use exacta_kernel::permit::{Recorded, permit};

fn twice(recorded: &Recorded<'_>, decisions: [Decision; 2], approval: VerifiedApproval, present: Present<'_>, run: RunId) {
    let [one, other] = decisions;
    let approval: Result<VerifiedApproval, NoApproval> = Ok(approval);
    let _first = permit(recorded, one, approval, present.clone(), run.clone());
    let _second = permit(recorded, other, approval, present, run);
}

fn copy(approval: &VerifiedApproval) -> VerifiedApproval {
    approval.clone()
}

fn main() {}
