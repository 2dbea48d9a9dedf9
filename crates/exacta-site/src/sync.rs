//! Skills out of a repository at a commit, through the user's own git: all of them or none.

use exacta_kernel::hash::Digest;
use exacta_kernel::skill::{Skill, SkillError, SkillSource};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The most documents of one repository.
const DOCUMENTS: usize = 200;

/// The largest document, and the largest answer of git.
const LARGEST: u64 = 256 << 10;
const LARGEST_ANSWER: u64 = 64 << 20;

/// How long all of it may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The skills of a repository at a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Synced {
    /// The repository.
    pub repo: String,
    /// The whole name of the commit.
    pub commit_sha: String,
    /// Of repository, commit, paths and contents: the same again means that nothing has to be written.
    pub sha256: Digest,
    /// By their names.
    pub skills: BTreeMap<String, Skill>,
}

/// Reads all skills of a repository at a commit. `scratch` is an empty folder of the user's own; what is left in it is the caller's to
/// remove.
///
/// # Errors
/// [`SkillError`] with a `SKILL_…` code; then nothing was taken over.
pub fn sync_skills(repo: &str, commit: &str, scratch: &Path) -> Result<Synced, SkillError> {
    if !(7..=64).contains(&commit.len()) || !commit.chars().all(|c| c.is_ascii_hexdigit()) {
        let message = "a commit is named by 7 to 64 hexadecimal digits: a branch or tag can become another one";
        return Err(SkillError::new("SKILL_COMMIT_REQUIRED", message, "give `--commit` the commit's name"));
    }
    is_supported(repo)?;
    let git = Git { scratch, until: Instant::now() + LIMIT };
    let fetch = "SKILL_INGEST_FETCH_FAILED";
    git.run(fetch, &["clone", "--bare", "--quiet", "--no-tags", "--", repo, "."])?;
    let commit_sha = git.run(fetch, &["rev-parse", "--verify", "--quiet", &format!("{commit}^{{commit}}")])?;
    let commit_sha = String::from_utf8_lossy(&commit_sha).trim().to_owned();
    let mut documents = BTreeMap::new();
    for (path, blob) in listed(&git, &commit_sha)? {
        let bytes = git.run("SKILL_SYNC_FAILED", &["cat-file", "blob", &blob])?;
        documents.insert(path, bytes);
    }
    collected(repo, &commit_sha, &documents)
}

/// The skills of documents by their paths.
fn collected(repo: &str, commit_sha: &str, documents: &BTreeMap<String, Vec<u8>>) -> Result<Synced, SkillError> {
    let mut hashed = format!("exacta.skills/1\0{repo}\0{commit_sha}\0").into_bytes();
    let mut skills = BTreeMap::new();
    for (path, bytes) in documents {
        hashed.extend_from_slice(format!("{path}\0{}\0", bytes.len()).as_bytes());
        hashed.extend_from_slice(bytes);
        let wrong = |why: &str| {
            SkillError::new(
                "SKILL_SCHEMA_INVALID",
                format!("`{path}`: {why}"),
                "fix the document; nothing was taken over",
            )
        };
        let text = str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8"))?;
        let source = SkillSource { repo: repo.to_owned(), commit_sha: commit_sha.to_owned(), path: path.clone() };
        let skill = Skill::read(text, source)?;
        if let Some(other) = skills.insert(skill.skill_id.clone(), skill) {
            return Err(wrong(&format!("`{}` has the same `skill_id`", other.source.path)));
        }
    }
    Ok(Synced { repo: repo.to_owned(), commit_sha: commit_sha.to_owned(), sha256: Digest::of(&hashed), skills })
}

/// The documents of a commit: their paths, and the names of their contents.
fn listed(git: &Git<'_>, commit: &str) -> Result<Vec<(String, String)>, SkillError> {
    let list = git.run("SKILL_SYNC_FAILED", &["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", "skills/"])?;
    let mut found = Vec::new();
    for line in list.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line);
        let Some((head, path)) = line.split_once('\t') else { continue };
        let words: Vec<&str> = head.split_whitespace().collect();
        let [mode, "blob", blob, size] = words.as_slice() else { continue };
        // A link is no document, whatever it points to.
        if !path.ends_with(".json") || !mode.starts_with("100") {
            continue;
        }
        if size.parse::<u64>().is_ok_and(|size| size > LARGEST) {
            let message = format!("`{path}` has more than {LARGEST} bytes");
            return Err(SkillError::new("SKILL_SYNC_CAP_EXCEEDED", message, "a skill is a small document"));
        }
        found.push((path.to_owned(), (*blob).to_owned()));
    }
    match found.len() {
        0 => Err(SkillError::new(
            "SKILL_SOURCE_EMPTY",
            "the commit has no JSON beneath `skills/`",
            "name another commit or repository",
        )),
        count if count > DOCUMENTS => {
            let message = format!("the commit has {count} skills; at most {DOCUMENTS} are taken");
            Err(SkillError::new("SKILL_SYNC_CAP_EXCEEDED", message, "split the repository"))
        }
        _ => Ok(found),
    }
}

fn is_supported(repo: &str) -> Result<(), SkillError> {
    let invalid = || {
        SkillError::new(
            "SKILL_SOURCE_INVALID",
            format!("`{repo}` is no repository's address"),
            "such as https://github.com/OWNER/NAME or file:///PATH",
        )
    };
    if repo.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(invalid());
    }
    if let Some(path) = repo.strip_prefix("file://") {
        return if path.starts_with('/') { Ok(()) } else { Err(invalid()) };
    }
    let Some(rest) = repo.strip_prefix("https://github.com/") else {
        let message = format!("`{repo}` is neither on github.com nor a `file://` address");
        return Err(SkillError::new("SKILL_SOURCE_UNSUPPORTED", message, "clone it, and name the clone by `file://`"));
    };
    let parts: Vec<&str> = rest.trim_end_matches('/').split('/').collect();
    let plain = |part: &&str| {
        !part.is_empty()
            && !part.starts_with(['-', '.'])
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    if parts.len() == 2 && parts.iter().all(plain) { Ok(()) } else { Err(invalid()) }
}

/// The user's git in a folder, until a time.
struct Git<'s> {
    scratch: &'s Path,
    until: Instant,
}

impl Git<'_> {
    fn run<S: AsRef<OsStr>>(&self, code: &'static str, arguments: &[S]) -> Result<Vec<u8>, SkillError> {
        let failed = |why: &str| SkillError::new(code, format!("git: {why}"), "try the same with git yourself");
        let mut git = Command::new("git");
        // Nothing of the repository runs here, and nobody is asked.
        git.args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "protocol.allow=never",
            "-c",
            "protocol.https.allow=always",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(self.scratch)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
        let mut child = git.spawn().map_err(|error| failed(&error.to_string()))?;
        let group = Pid::from_child(&child);
        let (out, told) = (child.stdout.take(), child.stderr.take());
        let out = thread::spawn(move || out.map(|pipe| all_of(pipe, LARGEST_ANSWER)).unwrap_or_default());
        let told = thread::spawn(move || told.map(|pipe| all_of(pipe, LARGEST)).unwrap_or_default());
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| failed(&error.to_string()))? {
                break status;
            }
            if Instant::now() >= self.until {
                // It may have ended in this moment.
                let _gone = kill_process_group(group, Signal::KILL);
                let _waited = child.wait();
                let message = format!("the repository was not read within {} s", LIMIT.as_secs());
                return Err(SkillError::new(
                    "SKILL_SYNC_TIMEOUT",
                    message,
                    "clone it, and name the clone by `file://`",
                ));
            }
            thread::sleep(Duration::from_millis(5));
        };
        let (out, told) = (out.join().unwrap_or_default(), told.join().unwrap_or_default());
        if !status.success() {
            let told = String::from_utf8_lossy(&told);
            return Err(failed(told.lines().last().unwrap_or("there is no such commit")));
        }
        Ok(out)
    }
}

fn all_of(pipe: impl std::io::Read, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _as_far_as_it_came = pipe.take(most).read_to_end(&mut bytes);
    bytes
}
