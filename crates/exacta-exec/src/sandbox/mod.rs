//! The operator's commands (checks, build), run where they can do no harm.
//!
//! A command sees the project as it would be after the change: an overlay of the project folder, with the change applied in
//! its upper layer. Whatever it writes there is thrown away, but for the folders that the operator declared. It has no network,
//! sees neither Exacta's keys nor the user's (`view`), and dies with everything it started. The change itself is not on disk yet: a
//! failing check never touches the project.
//!
//! Made of parts that are made for it: `unshare` and `mount` for the overlay, `bwrap` for the confinement, a seccomp filter on top.
//! They know paths, not handles; so `setup.sh` mounts a folder first and then compares it with the one that is held here. No handle
//! is passed on: what a command inherits is its standard input, output and error.
//!
//! All of it is in a process namespace of its own, with a `/proc` of its own, whose first process ends when this process does, at whatever
//! moment: it reads from a pipe that is held open here and nowhere else. Nothing outlives the first process of a namespace.

mod declared;
mod error;
mod folders;
mod mounts;
mod obstacle;
mod output;
mod set_id;
mod staging;
mod trial;

use crate::ProjectRoot;
use crate::handle::stat;
use declared::Declared;
pub use error::SandboxError;
use exacta_confine::obstacle::Obstacle;
use exacta_confine::tools::Tools;
use exacta_confine::view::{Mount, View};
use exacta_confine::{Words, account, filter};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use exacta_kernel::policy::command::Command;
use output::{Limit, Output};
use rustix::fd::{AsFd, OwnedFd};
use set_id::Found;
use staging::{Progress, Staging};
use std::ffi::{OsStr, OsString};
use std::io::PipeWriter;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
pub use trial::try_out;

/// How much a command may write outside its declared folders, in bytes: into the project, and into each scratch folder.
const SCRATCH_BYTES: u64 = 1 << 30;

/// The same for folders that stand empty in the place of others.
const EMPTY_BYTES: u64 = 1 << 20;

/// How long everything that a command started may take to be gone.
const TAKE_DOWN: Duration = Duration::from_secs(5);

/// Makes the overlay, and gives way to `bwrap`.
const SETUP: &str = include_str!("setup.sh");

/// The first thing inside: says that everything is set up, lets go of what `bwrap` was handed, and gives way to the command.
const BEGIN: &str = r#"echo >&4; exec 3<&- 4>&-; exec "$@""#;

/// The folders that the command may write to.
type Held<'a> = [(&'a RelPath, OwnedFd)];

/// Where a command runs.
#[derive(Debug)]
pub struct Sandbox<'a> {
    /// The project.
    pub root: &'a ProjectRoot,
    /// A folder that only the user can reach, on any file system.
    pub scratch: &'a Path,
    /// Folders that the command must not see: the user's configuration and state.
    pub hidden: &'a [PathBuf],
    /// The change that the command judges.
    pub changes: &'a [Change],
    /// Set by another thread, or by a signal, to stop the command.
    pub cancel: &'a AtomicBool,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With exit code 0.
    Passed,
    /// With another one.
    Failed(i32),
    /// By a signal.
    Killed(i32),
    /// Its time was over.
    TimedOut,
    /// It was stopped because the run was cancelled.
    Cancelled,
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandReport {
    /// The command's name.
    pub name: String,
    /// How it ended.
    pub ended: Ended,
    /// The end of what it printed.
    pub output: String,
    /// How many bytes it printed in all.
    pub printed: u64,
    /// How long it took.
    pub took: Duration,
}

/// Whether a command would see the whole change. A folder that it may write to is the project's own, without the change.
///
/// # Errors
/// If the change has a file in such a folder: the command would judge the old one.
pub fn sees(command: &Command, changes: &[Change]) -> Result<(), SandboxError> {
    for folder in &command.writes {
        if let Some(change) = changes.iter().find(|change| change.path.is_beneath(folder)) {
            let (file, folder) = (change.path.clone(), folder.clone());
            return Err(SandboxError::Unseen { name: command.name.clone(), file, folder });
        }
    }
    Ok(())
}

impl Sandbox<'_> {
    /// Runs one command on the changed project; `watch` is given what it prints as it comes.
    ///
    /// # Errors
    /// If it cannot be confined, or would not see the change. A command that fails is a report, not an error.
    pub fn run(&self, command: &Command, watch: &mut dyn FnMut(&[u8])) -> Result<CommandReport, SandboxError> {
        sees(command, self.changes)?;
        let declared = Declared::hold(self.root, command)?;
        let held = &declared.folders[..];
        if let Some(file) = set_ids(command, held, Found::Named)?.into_iter().next() {
            return Err(SandboxError::set_id(&command.name, &file));
        }
        let report = self.run_on(command, held, watch);
        // However it ended: what it may write to outlives it.
        let left = set_ids(command, held, Found::Stripped)?;
        if left.is_empty() { report } else { Err(SandboxError::left(&command.name, &left)) }
    }

    fn run_on(
        &self,
        command: &Command,
        held: &Held<'_>,
        watch: &mut dyn FnMut(&[u8]),
    ) -> Result<CommandReport, SandboxError> {
        let staging = self.stage(held).map_err(SandboxError::io("lay the change out for the command"))?;
        let started = Instant::now();
        let deadline = started + Duration::from_secs(command.timeout_seconds);
        let (mut child, alive, mut output) = self.start(command, held, &staging)?;
        let limit = Limit { deadline, cancel: self.cancel };
        let reached = output.read_within(&limit, watch).map_err(SandboxError::io("read what the command prints"));
        // Nobody waits until there is room for what is not read any more.
        let printed = output.close();
        // Whatever went wrong, the command does not outlive this.
        let ended =
            end(&mut child, alive, &limit, reached.is_ok()).map_err(SandboxError::io("wait for the command"))?;
        reached?;
        let by_itself = matches!(ended, Ended::Passed | Ended::Failed(_));
        if staging.refusal().is_some() || (by_itself && staging.progress() != Progress::Began) {
            return Err(self.unavailable(command, &staging, &printed.tail));
        }
        Ok(CommandReport {
            name: command.name.clone(),
            ended,
            output: printed.tail,
            printed: printed.total,
            took: started.elapsed(),
        })
    }

    /// Why the command did not begin.
    fn unavailable(&self, command: &Command, staging: &Staging, printed: &str) -> SandboxError {
        let name = command.name.clone();
        let overlay = staging.refusal().is_some_and(|refusal| refusal.starts_with("overlay"));
        match overlay.then(|| mounts::within(self.root.path())).flatten() {
            Some(mount) => SandboxError::Mounted { name, mount },
            None => SandboxError::unavailable(&name, obstacle::found(staging, printed)),
        }
    }

    fn stage(&self, held: &Held<'_>) -> std::io::Result<Staging> {
        let staging = Staging::begin(self.scratch)?;
        let mounted: Vec<&str> = held.iter().map(|(path, _)| path.as_str()).chain([".exacta"]).collect();
        staging.fill(self.root, self.changes, &mounted)?;
        Ok(staging)
    }

    fn start(
        &self,
        command: &Command,
        held: &Held<'_>,
        staging: &Staging,
    ) -> Result<(Child, PipeWriter, Output), SandboxError> {
        let unavailable = |obstacle| SandboxError::unavailable(&command.name, obstacle);
        let tools = Tools::find().map_err(unavailable)?;
        let filter = filter::bytes().map_err(|why| unavailable(Obstacle::no_filter(&why)))?;
        staging.put("filter", &filter).map_err(SandboxError::io("lay the filter out for the command"))?;
        let (output, writer) = Output::pipe().map_err(SandboxError::io("make a pipe"))?;
        let errors = writer.try_clone().map_err(SandboxError::io("make a pipe"))?;
        let (lives, alive) = std::io::pipe().map_err(SandboxError::io("make a pipe"))?;
        let identity = |folder: &dyn AsFd| identity(folder).map_err(SandboxError::io("look at a folder"));
        let mut outer = std::process::Command::new(&tools.unshare);
        outer
            .args(["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--"])
            .arg(&tools.sh)
            .args(["-c", SETUP, "sh"])
            .arg(self.root.path())
            .args([identity(&self.root.fd())?, SCRATCH_BYTES.to_string(), held.len().to_string()]);
        for (path, folder) in held {
            outer.args([path.as_str(), &identity(folder)?]);
        }
        outer
            .args(self.confinement(command, held, staging.folder()))
            .args([OsStr::new("--"), tools.sh.as_os_str(), OsStr::new("-c"), OsStr::new(BEGIN), OsStr::new("sh")])
            .args(&command.argv)
            .current_dir(staging.folder())
            .env_clear()
            .env("PATH", Tools::path())
            .stdin(Stdio::from(lives))
            .stdout(Stdio::from(writer))
            .stderr(Stdio::from(errors));
        // What the caller left open is not for the command either.
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        let child = outer.spawn().map_err(|error| unavailable(Obstacle::no_start(&error)))?;
        Ok((child, alive, output))
    }

    /// The words of `bwrap`. The set-up has mounted the project and the held folders below the staging folder.
    fn confinement(&self, command: &Command, held: &Held<'_>, staging: &Path) -> Vec<OsString> {
        let mut words = Words::default();
        words.add(["--dev", "/dev", "--proc", "/proc"]);
        for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
            words.empty(folder, SCRATCH_BYTES);
        }
        // Whoever is root outside is root to `/proc/sys` inside too, whatever capabilities are dropped.
        words.add(["--remount-ro", "/dev", "--remount-ro", "/proc"]);
        words.empty("/run", EMPTY_BYTES);
        let variable = |name: &str| std::env::var_os(name);
        let view = View::new(self.root.path(), &command.reads, self.hidden, account::home(), variable);
        for mount in &view.mounts {
            match mount {
                Mount::Shown { real, at } => words.bind("--ro-bind", real, at),
                Mount::Link(target, path) => words.bind("--symlink", target, path),
                Mount::Scratch(folder) => words.empty(folder, SCRATCH_BYTES),
                Mount::Emptied(folder) => words.empty(folder, EMPTY_BYTES),
                Mount::Blanked(file) => words.bind("--ro-bind", "/dev/null", file),
                Mount::Project => self.show_project(held, staging, &mut words),
            }
        }
        words.add(["--remount-ro", "/"]);
        let user = rustix::process::getuid().as_raw().to_string();
        let group = rustix::process::getgid().as_raw().to_string();
        words.add(["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]);
        words.add(["--cap-drop", "ALL", "--uid", &user, "--gid", &group, "--seccomp", "3", "--clearenv"]);
        for (name, value) in &view.variables {
            words.bind("--setenv", name, value);
        }
        words.add(["--setenv", "TMPDIR", "/tmp", "--setenv", "TERM", "dumb", "--chdir"]);
        words.push(self.root.path());
        words.list()
    }

    fn show_project(&self, held: &Held<'_>, staging: &Path, words: &mut Words) {
        let layers = staging.join("layers");
        words.bind("--bind", layers.join("merged"), self.root.path());
        words.empty(self.root.path().join(".exacta"), EMPTY_BYTES);
        // The set-up counts down.
        for (number, (path, _)) in (1..=held.len()).rev().zip(held) {
            words.bind("--bind", layers.join(format!("held-{number}")), self.root.path().join(path.as_str()));
        }
    }
}

/// The files in these folders that give rights to whoever starts them.
fn set_ids(command: &Command, held: &Held<'_>, then: Found) -> Result<Vec<String>, SandboxError> {
    let mut found = Vec::new();
    for (path, folder) in held {
        let files = set_id::find(folder, path.as_str(), then);
        found.extend(files.map_err(|closed| SandboxError::closed(&command.name, &closed))?);
    }
    Ok(found)
}

/// What tells a folder from all others, as `stat -c %d:%i` prints it.
fn identity(folder: &dyn AsFd) -> std::io::Result<String> {
    let facts = stat(folder.as_fd())?;
    let device = rustix::fs::makedev(facts.stx_dev_major, facts.stx_dev_minor);
    Ok(format!("{device}:{}", facts.stx_ino))
}

/// Waits for the command; one that has reached its limit is killed, and everything it started dies with it.
fn end(child: &mut Child, alive: PipeWriter, limit: &Limit<'_>, wanted: bool) -> std::io::Result<Ended> {
    let over = || !wanted || limit.reached().is_some();
    if let Some(status) = wait(child, over)? {
        return Ok(ended(status));
    }
    // Whoever reads this knows that nobody waits any more, and takes everything down. Only then is all of it gone when its
    // first process is.
    drop(alive);
    let patience = Instant::now() + TAKE_DOWN;
    if wait(child, || Instant::now() >= patience)?.is_none() {
        child.kill()?;
        child.wait()?;
    }
    Ok(limit.reached().unwrap_or(Ended::TimedOut))
}

fn wait(child: &mut Child, over: impl Fn() -> bool) -> std::io::Result<Option<ExitStatus>> {
    while !over() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(None)
}

fn ended(status: ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => Ended::Passed,
        (Some(code), _) => Ended::Failed(code),
        (None, signal) => Ended::Killed(signal.unwrap_or_default()),
    }
}
