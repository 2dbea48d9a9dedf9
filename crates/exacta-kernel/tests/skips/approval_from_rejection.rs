//! A verified rejection does not become an approval.
use exacta_kernel::approval::{VerifiedApproval, VerifiedDecision};

fn reinterpret(rejection: VerifiedDecision) -> VerifiedApproval {
    VerifiedApproval(rejection)
}

fn main() {}
