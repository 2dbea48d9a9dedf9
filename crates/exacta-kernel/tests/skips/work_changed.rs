//! Nobody adds to what was permitted.
use exacta_kernel::permit::Permit;
use exacta_kernel::plan::Change;

fn add(mut permit: Permit, change: Change) -> Permit {
    permit.work.changes.push(change);
    permit
}

fn append(permit: &mut Permit, change: Change) {
    permit.work().changes().push(change);
}

fn main() {}
