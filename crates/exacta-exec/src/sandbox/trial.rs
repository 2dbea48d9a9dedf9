//! A trial of the sandbox: whether a command would come to run here, without running it.

use super::{CommandReport, Sandbox, SandboxError};
use crate::ProjectRoot;
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::{PathError, RelPath};
use exacta_kernel::plan::Change;
use exacta_kernel::policy::command::Command;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How many files the change has: more than most plans, and a program is started for each by the set-up.
const FILES: usize = 200;

/// Where they are, in the overlay alone.
const FOLDER: &str = "exacta-trial";

/// How long it may take, in seconds.
const LIMIT: u64 = 60;

/// Confines a command as it would be in a run, on a large change, and looks for the change there in its place. A folder that it may
/// write to and that is missing is not made.
///
/// # Errors
/// If the command could not be confined.
pub fn try_out(
    command: &Command,
    root: &ProjectRoot,
    scratch: &Path,
    hidden: &[PathBuf],
) -> Result<CommandReport, SandboxError> {
    let changes = changes().unwrap_or_default();
    let there = |path: &&RelPath| root.path().join(path.as_str()).symlink_metadata().is_ok();
    let trial = Command {
        name: command.name.clone(),
        argv: vec!["test".to_owned(), "-x".to_owned(), format!("{FOLDER}/0")],
        timeout_seconds: LIMIT,
        writes: command.writes.iter().filter(there).cloned().collect(),
        reads: command.reads.clone(),
    };
    let never = AtomicBool::new(false);
    Sandbox { root, scratch, hidden, changes: &changes, cancel: &never }.run(&trial, &mut |_| {})
}

/// One new file, and deletions of others that need not be there.
fn changes() -> Result<Vec<Change>, PathError> {
    let new = Arc::new(FileContent::new(Vec::new(), 0o755));
    let change = |number: usize| {
        let path = RelPath::parse(&format!("{FOLDER}/{number}"))?;
        Ok(Change { path, before: None, after: (number == 0).then(|| Arc::clone(&new)) })
    };
    (0..FILES).map(change).collect()
}
