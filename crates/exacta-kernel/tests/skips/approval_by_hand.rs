//! Only a verified signature is an approval: what is stored does not become one.
use exacta_kernel::approval::{SignedStatement, VerifiedApproval};

fn believe(stored: SignedStatement) -> VerifiedApproval {
    stored.into()
}

fn main() {}
