//! For tests. A process that hangs or outlives its test is one test that fails, never a suite that waits ([`Running`]). Where something
//! cannot be tried on a machine, that is said loudly, and with `CI` set it is a failure ([`needs()`]).
#![expect(clippy::panic, reason = "this is how a test fails")]

mod needs;
mod running;

pub use needs::{memory, needs, program, root, sandbox};
pub use running::{LIMIT, Lines, Running, output, succeeds};

/// A `git` command that knows nothing of what people set for themselves: signatures, hooks, line ends.
#[must_use]
pub fn git() -> std::process::Command {
    let mut git = std::process::Command::new("git");
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "safe.directory=*", "-c", "core.autocrlf=false"]);
    git
}
