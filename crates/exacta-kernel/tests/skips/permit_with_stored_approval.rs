//! A stored approval permits nothing until its signature was verified.
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::drift::Present;
use exacta_kernel::gate::Decision;
use exacta_kernel::id::RunId;
use exacta_kernel::permit::{Permit, Recorded, Refused, permit};

fn skip(
    recorded: &Recorded<'_>,
    decision: Decision,
    stored: SignedStatement,
    present: Present<'_>,
    run_id: RunId,
) -> Result<Permit, Refused> {
    permit(recorded, decision, Ok(stored), present, run_id)
}

fn main() {}
