//! The operator's commands (checks, build), run where they can do no harm.
//!
//! A command sees the project as it would be after the change: an overlay of the project folder, with the change applied in
//! its upper layer. Whatever it writes there is thrown away, but for the folders that the operator declared. It has no network,
//! sees neither Exacta's keys nor the user's, and dies with everything it started. The change itself is not on disk yet: a failing
//! check never touches the project.
//!
//! Made of parts that are made for it: `unshare` and `mount` for the overlay, `bwrap` for the confinement, a seccomp filter on top.

mod filter;
mod output;
mod staging;

use crate::ProjectRoot;
use crate::handle::open_beneath;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use exacta_kernel::policy::command::Command;
use output::{Limit, Output};
use rustix::fd::{AsRawFd as _, OwnedFd};
use rustix::fs::OFlags;
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use staging::Staging;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How much a command may write outside its declared folders, in bytes: into the project, and into each scratch folder.
const SCRATCH_BYTES: u64 = 1 << 30;

/// The same for folders that stand empty in the place of others.
const EMPTY_BYTES: u64 = 1 << 20;

/// Folders below the home folder that no command sees.
const PRIVATE: [&str; 11] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gh",
    ".config/gcloud",
    ".config/exacta",
    ".local/state/exacta",
    ".password-store",
];

/// Where a command runs.
#[derive(Debug)]
pub struct Sandbox<'a> {
    /// The project.
    pub root: &'a ProjectRoot,
    /// A folder of ours, outside what the command can reach, on any file system.
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

/// Why a command could not be run. It was not run outside the sandbox instead.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The overlay or the confinement could not be set up.
    #[error("the command `{name}` cannot be confined here: {why}")]
    Unavailable {
        /// The command.
        name: String,
        /// What is missing.
        why: String,
    },
    /// The change could not be laid out for it.
    #[error("cannot {call}: {source}")]
    Io {
        /// What was tried.
        call: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl SandboxError {
    /// What would help.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => {
                "install the Debian packages `bubblewrap` and `util-linux`, and allow unprivileged user namespaces; \
                 `exacta doctor` says what is missing"
            }
            Self::Io { .. } => "free some space, and see who may write in the project's `.exacta` folder",
        }
    }

    pub(crate) fn io(call: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { call, source }
    }
}

impl Sandbox<'_> {
    /// Runs one command on the changed project; `watch` is given what it prints as it comes.
    ///
    /// # Errors
    /// If it cannot be confined. A command that fails is a report, not an error.
    pub fn run(&self, command: &Command, watch: &mut dyn FnMut(&[u8])) -> Result<CommandReport, SandboxError> {
        let staging = Staging::lay_out(self.scratch, self.changes)?;
        let started = Instant::now();
        let deadline = started + Duration::from_secs(command.timeout_seconds);
        let (mut child, mut output) = self.start(command, &staging)?;
        let limit = Limit { deadline, cancel: self.cancel };
        let reached = output.read_within(&limit, watch).map_err(SandboxError::io("read what the command prints"));
        // Whatever went wrong, the command does not outlive this.
        let ended = end(&mut child, &limit, reached.is_ok()).map_err(SandboxError::io("wait for the command"))?;
        reached?;
        if let Some(why) = staging.refusal() {
            return Err(SandboxError::Unavailable { name: command.name.clone(), why });
        }
        Ok(CommandReport {
            name: command.name.clone(),
            ended,
            output: output.tail(),
            printed: output.total(),
            took: started.elapsed(),
        })
    }

    fn start(&self, command: &Command, staging: &Staging) -> Result<(Child, Output), SandboxError> {
        let unavailable = |why: String| SandboxError::Unavailable { name: command.name.clone(), why };
        let filter = filter::memory_file().map_err(|why| unavailable(format!("no system call filter: {why}")))?;
        let writable = self.writable(command)?;
        let (output, writer) = Output::pipe().map_err(SandboxError::io("make a pipe"))?;
        let errors = writer.try_clone().map_err(SandboxError::io("make a pipe"))?;
        let mut outer = std::process::Command::new("unshare");
        outer
            .args(["--user", "--map-root-user", "--mount", "--", "sh", "-c", SETUP, "sh"])
            .arg(self.root.path())
            .arg(staging.folder())
            .arg(SCRATCH_BYTES.to_string())
            .args(self.confinement(&writable, filter.number()))
            .arg("--")
            .args(&command.argv)
            .stdin(Stdio::null())
            .stdout(Stdio::from(writer))
            .stderr(Stdio::from(errors));
        let child = outer.spawn().map_err(|error| unavailable(format!("`unshare` cannot be started: {error}")))?;
        Ok((child, output))
    }

    /// The declared folders, held: one that is a symbolic link, or gone by now, leads nowhere.
    fn writable<'c>(&self, command: &'c Command) -> Result<Vec<(&'c RelPath, OwnedFd)>, SandboxError> {
        let mut held = Vec::new();
        for path in &command.writes {
            match open_beneath(self.root.fd(), path.as_str(), OFlags::PATH | OFlags::DIRECTORY) {
                Ok(folder) => {
                    // Inherited on purpose: `bwrap` binds what the handle holds.
                    fcntl_setfd(&folder, FdFlags::empty())
                        .map_err(|errno| SandboxError::io("hold a folder")(errno.into()))?;
                    held.push((path, folder));
                }
                Err(Errno::NOENT) => {}
                Err(errno) => {
                    let why = format!("`{path}`, which it may write to, is not a folder of the project ({errno})");
                    return Err(SandboxError::Unavailable { name: command.name.clone(), why });
                }
            }
        }
        Ok(held)
    }

    /// The arguments of `bwrap`. The overlay is at `$merged`, which the set-up script puts in the place of `MERGED`.
    fn confinement(&self, writable: &[(&RelPath, OwnedFd)], filter: i32) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        let mut add = |words: &[&OsStr]| args.extend(words.iter().map(|word| (*word).to_owned()));
        let os = OsStr::new;
        let root = self.root.path().as_os_str();
        add(&[os("--ro-bind"), os("/"), os("/"), os("--dev"), os("/dev"), os("--proc"), os("/proc")]);
        let (scratch, empty) = (SCRATCH_BYTES.to_string(), EMPTY_BYTES.to_string());
        for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
            add(&[os("--size"), os(&scratch), os("--tmpfs"), os(folder)]);
        }
        // Whoever is root outside is root to `/proc/sys` inside too, whatever capabilities are dropped.
        add(&[os("--remount-ro"), os("/dev"), os("--remount-ro"), os("/proc")]);
        add(&[os("--size"), os(&empty), os("--tmpfs"), os("/run")]);
        for hidden in self.hidden.iter().cloned().chain(private()).filter(|folder| folder.is_dir()) {
            add(&[os("--size"), os(&empty), os("--tmpfs"), hidden.as_os_str()]);
        }
        add(&[os("--bind"), os("MERGED"), root]);
        add(&[os("--size"), os(&empty), os("--tmpfs"), self.root.path().join(".exacta").as_os_str()]);
        for (path, folder) in writable {
            let held = format!("/proc/self/fd/{}", folder.as_raw_fd());
            add(&[os("--bind"), os(&held), self.root.path().join(path.as_str()).as_os_str()]);
        }
        let (uid, gid) =
            (rustix::process::getuid().as_raw().to_string(), rustix::process::getgid().as_raw().to_string());
        add(&[
            os("--unshare-all"),
            os("--unshare-user"),
            os("--disable-userns"),
            os("--die-with-parent"),
            os("--new-session"),
            os("--cap-drop"),
            os("ALL"),
        ]);
        add(&[os("--uid"), os(&uid), os("--gid"), os(&gid)]);
        add(&[os("--seccomp"), os(&filter.to_string()), os("--clearenv")]);
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "CARGO_HOME", "RUSTUP_HOME"] {
            if let Some(value) = std::env::var_os(name) {
                add(&[os("--setenv"), os(name), value.as_os_str()]);
            }
        }
        add(&[os("--setenv"), os("TMPDIR"), os("/tmp"), os("--setenv"), os("TERM"), os("dumb")]);
        add(&[os("--chdir"), root]);
        args
    }
}

/// Makes the overlay, applies the change to it, and gives way to `bwrap`. A set-up that fails leaves its reason in `refused`.
const SETUP: &str = r#"
set -eu
root=$1 staging=$2 size=$3
shift 3
refuse() { printf '%s' "$1" >"$staging/refused"; exit 125; }
command -v bwrap >/dev/null || refuse '`bwrap` is not installed'
mount -t tmpfs -o "size=$size,mode=700" exacta "$staging/layers" 2>/dev/null || refuse 'no mount in a user namespace'
mkdir "$staging/layers/upper" "$staging/layers/work" "$staging/layers/merged"
merged=$staging/layers/merged
options="lowerdir=$root,upperdir=$staging/layers/upper,workdir=$staging/layers/work"
mount -t overlay -o "$options,userxattr" exacta "$merged" 2>/dev/null \
    || mount -t overlay -o "$options" exacta "$merged" 2>/dev/null || refuse 'no overlay in a user namespace'
(cd "$merged" && xargs -0 -r rm -f -- <"$staging/deleted") || refuse 'the change cannot be applied to the overlay'
cp -R --preserve=mode --remove-destination "$staging/written/." "$merged/" || refuse 'the change cannot be applied to the overlay'
count=$#
while [ "$count" -gt 0 ]; do
    word=$1
    shift
    count=$((count - 1))
    [ "$word" != MERGED ] || word=$merged
    set -- "$@" "$word"
done
exec bwrap "$@"
"#;

/// The user's own secrets.
fn private() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.map(|home| PRIVATE.iter().map(|name| home.join(name)).collect()).unwrap_or_default()
}

/// Waits for the command; one that has reached its limit is killed, and everything it started dies with it.
fn end(child: &mut Child, limit: &Limit<'_>, wanted: bool) -> std::io::Result<Ended> {
    use std::os::unix::process::ExitStatusExt as _;
    while wanted && limit.reached().is_none() {
        if let Some(status) = child.try_wait()? {
            return Ok(match (status.code(), status.signal()) {
                (Some(0), _) => Ended::Passed,
                (Some(code), _) => Ended::Failed(code),
                (None, signal) => Ended::Killed(signal.unwrap_or_default()),
            });
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    Ok(limit.reached().unwrap_or(Ended::TimedOut))
}
