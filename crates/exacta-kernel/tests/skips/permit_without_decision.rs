//! What the gates say about something that is no valid plan permits nothing.
use exacta_kernel::approval::VerifiedApproval;
use exacta_kernel::drift::Present;
use exacta_kernel::gate::Verdicts;
use exacta_kernel::id::RunId;
use exacta_kernel::permit::{Permit, Recorded, Refused, permit};

fn skip(
    recorded: &Recorded<'_>,
    verdicts: Verdicts,
    approval: VerifiedApproval,
    present: Present<'_>,
    run_id: RunId,
) -> Result<Permit, Refused> {
    permit(recorded, verdicts, Ok(approval), present, run_id)
}

fn main() {}
