//! For tests. A process that hangs or outlives its test is one test that fails, never a suite that waits ([`Running`]). Where something
//! cannot be tried on a machine, that is said loudly, and with `CI` set it is a failure ([`needs()`]). A test holds the others to it.
//! A model that says what a test wants is a [`ModelServer`], one that says what it likes a [`LocalModel`], a mail account with real servers a
//! [`Post`].
#![expect(clippy::panic, reason = "this is how a test fails")]
#![expect(clippy::disallowed_methods, reason = "tests prepare their folders by path")]

mod local_model;
mod model_server;
mod needs;
mod npm;
mod post;
mod python;
mod running;
mod wire;
mod wordpress;

pub use local_model::LocalModel;
pub use model_server::{Asked, ModelServer, Reply};
pub use needs::{memory, needs, offers, program, root, sandbox, seed};
pub use npm::npm;
pub use post::{POST_PASSWORD, POST_USER, Post, PostSetup};
pub use python::{python, python_alone};
pub use running::{LIMIT, Lines, Running, output, succeeds};
pub use wire::Wire;
pub use wordpress::WordPress;

/// A `git` command that knows nothing of what people set for themselves: signatures, hooks, line ends.
#[must_use]
pub fn git() -> std::process::Command {
    let mut git = std::process::Command::new("git");
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "safe.directory=*", "-c", "core.autocrlf=false"]);
    git
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// What waits for ever, or leaves out in silence.
    const INSTEAD: [&str; 4] = [".output()", ".spawn()", "wait_with_output", "var_os(\"CI\")"];

    #[test]
    fn every_test_waits_and_leaves_out_by_this_crate() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut seen = 0;
        for name in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
            for folder in ["tests/all", "src/tests"] {
                walk(&name.join(folder), &mut |file, text| {
                    seen += 1;
                    let found: Vec<&str> = INSTEAD.into_iter().filter(|word| text.contains(word)).collect();
                    assert!(found.is_empty(), "{}: {found:?}: take `exacta_testkit`", file.display());
                });
            }
        }
        assert!(seen > 50, "only {seen} files");
    }

    fn walk(folder: &Path, look: &mut dyn FnMut(&Path, &str)) {
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        for path in entries {
            if path.is_dir() {
                walk(&path, look);
            } else if path.extension().is_some_and(|end| end == "rs") {
                look(&path, &fs::read_to_string(&path).unwrap());
            }
        }
    }
}
