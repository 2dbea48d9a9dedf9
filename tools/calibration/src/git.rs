//! A git repository's history and changes, read through long-running git processes; no working tree is needed.

use crate::error::Error;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A commit that is no merge.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// Seconds since 1970, of the committer.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
}

/// One file of a commit, as git's raw form tells it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// `A`, `M`, `D`, `R`, `C`, `T`.
    pub status: char,
    /// The file's mode before; `000000` for a new one.
    pub old_mode: u32,
    /// The same after.
    pub new_mode: u32,
    /// The blob before.
    pub old_blob: String,
    /// Where it was.
    pub old_path: String,
    /// Where it is.
    pub new_path: String,
}

/// What a commit changes.
#[derive(Debug)]
pub struct Diff {
    /// File by file.
    pub entries: Vec<Entry>,
    /// Whether git quotes a name, so that not every file is among the entries.
    pub strange: bool,
    /// As `git format-patch` writes it.
    pub patch: Vec<u8>,
}

/// An open repository.
#[derive(Debug)]
pub struct Repo {
    dir: PathBuf,
    /// How reports call it.
    pub name: String,
    diffs: Pipe,
    blobs: Pipe,
}

const DIFF: &[&str] = &["diff-tree", "--stdin", "-r", "-M", "--raw", "-p", "--full-index", "--no-commit-id"];
/// What `git diff-tree --stdin` repeats because it is no commit, so that the end of an answer is seen.
const END: &str = "-- end of this commit";

impl Repo {
    /// Opens a bare repository or a `.git` folder.
    ///
    /// # Errors
    /// Where git does not start.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let path = dir.to_string_lossy();
        let parts = path.split('/').rev().find(|part| !matches!(*part, "" | "repo" | ".git"));
        Ok(Self {
            name: parts.unwrap_or("repository").trim_end_matches(".git").replace('+', "/"),
            diffs: Pipe::open(dir, DIFF)?,
            blobs: Pipe::open(dir, &["cat-file", "--batch"])?,
            dir: dir.to_owned(),
        })
    }

    /// All commits that are no merges and not the first, newest first.
    ///
    /// # Errors
    /// Where git fails.
    pub fn history(&self) -> Result<Vec<Commit>, Error> {
        let format = "--format=%H%x1f%ct%x1f%s%x1f%b%x1e";
        let log = git(&self.dir).args(["log", "--no-merges", "--min-parents=1", format, "HEAD"]).output()?;
        if !log.status.success() {
            return Err(Error::Git(String::from_utf8_lossy(&log.stderr).trim().to_owned()));
        }
        let text = String::from_utf8_lossy(&log.stdout);
        Ok(text.split('\x1e').filter_map(commit).collect())
    }

    /// What a commit changes; none where the mirror lacks an object.
    ///
    /// # Errors
    /// Where git does not start again.
    pub fn diff(&mut self, id: &str) -> Result<Option<Diff>, Error> {
        let diff = self.answer(id);
        if diff.is_err() {
            // Git stops at the first object that it does not find.
            self.diffs = Pipe::open(&self.dir, DIFF)?;
        }
        Ok(diff.ok())
    }

    fn answer(&mut self, id: &str) -> Result<Diff, Error> {
        self.diffs.say(&format!("{id}\n{END}\n"))?;
        let mut diff = Diff { entries: Vec::new(), strange: false, patch: Vec::new() };
        loop {
            let line = self.diffs.line()?;
            if line.strip_suffix(b"\n") == Some(END.as_bytes()) {
                return Ok(diff);
            }
            match line.first() {
                Some(b':') if diff.patch.is_empty() => match entry(&String::from_utf8_lossy(&line)) {
                    Some(entry) => diff.entries.push(entry),
                    None => diff.strange = true,
                },
                Some(b'\n') if diff.patch.is_empty() => {}
                _ => diff.patch.extend_from_slice(&line),
            }
        }
    }

    /// A blob's bytes; none where the mirror lacks it.
    ///
    /// # Errors
    /// Where git stops answering.
    pub fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, Error> {
        self.blobs.say(&format!("{id}\n"))?;
        let head = String::from_utf8_lossy(&self.blobs.line()?).into_owned();
        let Some(size) = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()) else {
            return Ok(None);
        };
        let mut bytes = vec![0; size + 1];
        self.blobs.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(Some(bytes))
    }
}

fn commit(text: &str) -> Option<Commit> {
    let mut parts = text.trim_start_matches('\n').splitn(4, '\x1f').map(ToOwned::to_owned);
    let (id, time) = (parts.next()?, parts.next()?.parse().ok()?);
    Some(Commit { id, time, subject: parts.next()?, body: parts.next()? })
}

/// `:100644 100644 before after M<tab>path`; a quoted path counts as unknown.
fn entry(line: &str) -> Option<Entry> {
    let (head, paths) = line.trim_end_matches('\n').strip_prefix(':')?.split_once('\t')?;
    let mut head = head.split(' ');
    let mut mode = || u32::from_str_radix(head.next().unwrap_or_default(), 8).ok();
    let (old_mode, new_mode) = (mode()?, mode()?);
    let (old_blob, _, status) = (head.next()?.to_owned(), head.next()?, head.next()?.chars().next()?);
    let (old_path, new_path) = paths.split_once('\t').unwrap_or((paths, paths));
    let (old_path, new_path) = (old_path.to_owned(), new_path.to_owned());
    (!paths.contains('"')).then_some(Entry { status, old_mode, new_mode, old_blob, old_path, new_path })
}

fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(dir).args(["-c", "core.quotePath=false"]);
    command
}

/// A git process that answers questions.
#[derive(Debug)]
struct Pipe {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Pipe {
    fn open(dir: &Path, arguments: &[&str]) -> Result<Self, Error> {
        let mut command = git(dir);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let closed = || Error::Git("git has no pipes".to_owned());
        let questions = child.stdin.take().ok_or_else(closed)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(closed)?);
        Ok(Self { child, questions, answers })
    }

    fn say(&mut self, text: &str) -> Result<(), Error> {
        self.questions.write_all(text.as_bytes())?;
        Ok(self.questions.flush()?)
    }

    fn line(&mut self) -> Result<Vec<u8>, Error> {
        let mut line = Vec::new();
        match self.answers.read_until(b'\n', &mut line)? {
            0 => Err(Error::Git("git stopped answering".to_owned())),
            _ => Ok(line),
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Finds commits by the beginning of their name.
#[derive(Debug)]
pub struct Names(BTreeMap<String, usize>);

impl Names {
    /// Of a history.
    #[must_use]
    pub fn of(history: &[Commit]) -> Self {
        Self(history.iter().enumerate().map(|(index, commit)| (commit.id.clone(), index)).collect())
    }

    /// The only commit whose name begins so.
    #[must_use]
    pub fn find(&self, start: &str) -> Option<usize> {
        let start = start.to_ascii_lowercase();
        let mut found = self.0.range(start.clone()..).take_while(|(id, _)| id.starts_with(&start));
        let first = found.next().map(|(_, index)| *index);
        first.filter(|_| found.next().is_none())
    }
}
