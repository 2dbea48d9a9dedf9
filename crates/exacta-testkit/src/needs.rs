//! What a machine must have for a test.

use crate::running::succeeds;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Whether a test can be done here. If not, it says what is missing, past the capture of passing tests.
///
/// # Panics
/// With `CI` set: where everything is to be proved, what cannot be tried is a failure.
#[track_caller]
#[must_use]
pub fn needs(there: bool, what: &str) -> bool {
    assert!(there || std::env::var_os("CI").is_none(), "needs {what}");
    offers(there, what)
}

/// The same for what a kernel or a file system has or has not, and nobody can install: where it is missing, that is said.
#[must_use]
pub fn offers(there: bool, what: &str) -> bool {
    if !there {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        // Nothing else can be done where even this cannot be written.
        drop(writeln!(std::io::stderr(), "SKIPPED: {test} needs {what}"));
    }
    there
}

/// Needs the super-user.
#[track_caller]
#[must_use]
pub fn root() -> bool {
    needs(rustix::process::geteuid().is_root(), "the super-user")
}

/// Needs a program that is installed.
#[track_caller]
#[must_use]
pub fn program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    needs(std::env::split_paths(&path).any(|folder| folder.join(name).is_file()), &format!("`{name}`"))
}

/// Needs what confines checks.
#[track_caller]
#[must_use]
pub fn sandbox() -> bool {
    let mut confined = Command::new("unshare");
    confined.args([
        "--user",
        "--map-root-user",
        "--pid",
        "--fork",
        "--mount-proc",
        "--",
        "bwrap",
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "true",
    ]);
    let confined = succeeds(confined.stdin(Stdio::null()).stderr(Stdio::null()));
    needs(confined, "`bwrap` (Debian: bubblewrap) and user namespaces with mounts, of `/proc` too")
}

/// Needs so much memory that is free, in MiB.
#[track_caller]
#[must_use]
pub fn memory(mebibytes: u64) -> bool {
    let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    // Where it is not told, nobody knows better than the test.
    needs(kibibytes.is_none_or(|free| free >= mebibytes * 1024), &format!("{mebibytes} MiB of free memory"))
}

/// What random tests begin with that are to be the same every time: the number in `EXACTA_SEED`, or always the same.
#[must_use]
pub fn seed() -> u64 {
    std::env::var("EXACTA_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}
