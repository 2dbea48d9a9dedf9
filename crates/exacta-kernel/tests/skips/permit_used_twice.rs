//! A permit is gone once its work was taken out, and cannot be copied before.
use exacta_kernel::permit::{Permit, Work};

fn twice(permit: Permit) -> (Work, Work) {
    (permit.into_work(), permit.into_work())
}

fn copy(permit: &Permit) -> Permit {
    permit.clone()
}

fn take(permit: &Permit) -> Work {
    *permit.work()
}

fn main() {}
