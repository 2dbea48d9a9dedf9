//! The user's own folder: where it is, who may write it, what is refused.

mod approvers;
mod keys;
mod places;
mod projects;
mod sessions;

use exacta_kernel::time::Timestamp;
use exacta_store::home::Home;
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
