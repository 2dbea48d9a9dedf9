//! Commits of a repository, chosen by a seed, and its trees.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A clone in a folder of its own.
pub struct Clone {
    pub name: String,
    folder: tempfile::TempDir,
}

/// A commit as a request.
pub struct Commit {
    pub parent: String,
    /// Its message, without the lines that say who signed or reviewed it.
    pub message: String,
    /// What it changed or deleted.
    pub files: Vec<String>,
}

impl Clone {
    pub fn of(repository: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        git(Path::new("/"), &["clone", "--quiet", "--no-hardlinks", repository, &folder.path().to_string_lossy()]);
        let parts: Vec<&str> = repository.trim_end_matches('/').rsplit('/').collect();
        let name = parts.iter().find(|part| !matches!(**part, "repo" | ".git" | "")).unwrap_or(&"repository");
        Self { name: (*name).to_owned(), folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// So many of the newest 2 000 commits with one parent, that touch one to ten files that were there before and say in three
    /// words or more what they do.
    pub fn commits(&self, seed: u64, count: usize) -> Vec<Commit> {
        let log = self.git(&["log", "--no-merges", "-n", "2000", "--format=%H %P"]);
        let mut lines: Vec<&str> = log.lines().collect();
        shuffle(&mut lines, seed);
        let commit = |line: &&str| {
            let (hash, parent) = line.split_once(' ').filter(|(_, parent)| !parent.is_empty())?;
            let changed = self.git(&["diff", "--name-status", "--no-renames", "-z", parent, hash]);
            let fields: Vec<&str> = changed.split('\0').collect();
            let pairs = fields.chunks_exact(2).filter(|pair| matches!(pair[0], "M" | "D"));
            let files: Vec<String> = pairs.map(|pair| pair[1].to_owned()).collect();
            let message = self.git(&["log", "-1", "--format=%B", hash]);
            let message: Vec<&str> = message.lines().filter(|line| !is_trailer(line)).collect();
            let subject = message.first()?.split_whitespace().count();
            let fits = (1..=10).contains(&files.len()) && fields.len() <= 60 && subject >= 3;
            fits.then(|| Commit { parent: parent.to_owned(), message: message.join("\n"), files })
        };
        lines.iter().filter_map(commit).take(count).collect()
    }

    pub fn check_out(&self, hash: &str) {
        self.git(&["checkout", "--quiet", "--force", "--detach", hash]);
        self.git(&["clean", "-fdxq"]);
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.path(), arguments)
    }
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| key.ends_with("-by") && !key.contains(' '))
}

/// In an order that the seed gives, the same everywhere.
fn shuffle(lines: &mut [&str], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for at in (1..lines.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        lines.swap(at, usize::try_from(state % (at as u64 + 1)).unwrap());
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let home = PathBuf::from("/nonexistent");
    let mut command = Command::new("git");
    command.args(["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"]).args(arguments).current_dir(folder);
    command.env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
