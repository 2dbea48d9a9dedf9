//! Only `permit` and `permit_undo` make a `Permit`.
use exacta_kernel::permit::{Permit, Work};

fn grant(work: Work) -> Permit {
    Permit { work }
}

fn main() {}
