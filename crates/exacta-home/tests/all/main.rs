//! The user's own folder: where it is, who may write it, what is refused. One binary, to keep linking short.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests talk to their children and say what they skip")]

mod approvers;
mod keys;
mod places;
mod projects;
mod sessions;
mod sites;

use exacta_home::Home;
use exacta_kernel::time::Timestamp;
use tempfile::TempDir;

/// A home in a folder that goes away with the test.
fn home() -> (TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(&folder.path().join("home")).unwrap().with_system(&folder.path().join("etc"));
    (folder, home)
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000 + seconds * 1000)
}
