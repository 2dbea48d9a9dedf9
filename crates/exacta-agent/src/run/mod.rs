//! An agent, confined: it sees its copy in the project's place, a home folder of its own, and of the machine what a build needs.
//!
//! Three layers, each enough for most of it: `bwrap` shows folders by name in namespaces of their own (`words`), a filter answers the
//! system calls that no build needs (`exacta_confine::filter`), and Landlock, added from within (`inside`), lets only a few folders be
//! written to. All of it dies with this process, or when the agent's first process ends.

mod control;
pub mod inside;
pub mod network;
pub mod proxy;
mod relay;
mod words;

use crate::error::AgentError;
use exacta_confine::obstacle::{Obstacle, SAID, bwrap, first_line};
use exacta_confine::{filter, tools};
use network::Allowed;
use proxy::Refused;
use relay::Relay;
use rustix::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use std::ffi::OsString;
use std::io::{Read as _, Seek as _, Write as _};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where an agent runs.
#[derive(Debug)]
pub struct Sandbox<'a> {
    /// Where the project is, and to the agent its copy.
    pub project: &'a Path,
    /// The copy.
    pub copy: &'a Path,
    /// The agent's home folder.
    pub home: &'a Path,
    /// Where it begins: the project, or a folder in it.
    pub folder: &'a Path,
    /// The objects of the project's repository.
    pub objects: Option<&'a Path>,
    /// Folders and files that it sees beside, read-only.
    pub shown: &'a [PathBuf],
    /// Folders that it must not see: the user's configuration and state.
    pub hidden: &'a [PathBuf],
    /// Where its program is, if that is known.
    pub installed: Option<PathBuf>,
    /// What its environment has beside what every program has.
    pub variables: &'a [(String, OsString)],
    /// Our own program.
    pub own: &'a Path,
    /// Whom it may speak to.
    pub allowed: &'a Allowed,
    /// Set by a signal, to end it.
    pub cancel: &'a AtomicBool,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; of one that was killed, 128 and the signal, as shells say it.
    pub code: i32,
    /// Whether it was ended because of a signal to this process.
    pub cancelled: bool,
    /// Hosts that it asked for and did not reach, and how often.
    pub refused: Vec<(String, u64)>,
}

impl Sandbox<'_> {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// If it cannot be confined. It was not run outside of the sandbox instead.
    pub fn run(&self, command: &[OsString]) -> Result<Ended, AgentError> {
        let io = |call| AgentError::io::<std::io::Error>(call, "the agent");
        let program = tools::find("bwrap", "bubblewrap")?;
        let filter = self.filter()?;
        let (words, writes) = words::words(self, filter.as_raw_fd());
        let (way, theirs) = control::pair().map_err(io("make a way to"))?;
        let (mut complaint, complains) = std::io::pipe().map_err(io("make a pipe for"))?;
        let mut outer = Command::new(program);
        outer.args(words).args(["--", words::PROGRAM, inside::WORD]);
        for folder in &writes {
            outer.arg("--write").arg(folder);
        }
        let mut ports = Vec::new();
        if !self.allowed.is_nobody() {
            ports.extend([0].into_iter().chain(self.allowed.local_ports()));
        }
        for port in &ports {
            outer.args(["--port", &port.to_string()]);
        }
        outer.arg("--").args(command).env_clear().env("PATH", tools::Tools::path());
        outer.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).stderr(Stdio::from(complains));
        // What the caller left open is not for the agent either.
        close_fds::set_fds_cloexec_threadsafe(3, &[filter.as_raw_fd()]);
        let mut child = outer.spawn().map_err(|error| AgentError::from(Obstacle::no_start(&error)))?;
        drop((outer, filter));
        let (relay, ends) = Relay::new().map_err(io("make a terminal for"))?;
        let begun = begin(&way, &relay, ends);
        let refused = Refused::default();
        match begun {
            Ok(listeners) => self.serve(listeners, &ports, &refused),
            Err(said) => {
                drop(relay);
                let _ended = child.kill().and_then(|()| child.wait());
                let mut text = String::new();
                let _cut = complaint.by_ref().take(4096).read_to_string(&mut text);
                return Err(unavailable(said, &text));
            }
        }
        let (code, cancelled) = self.wait(&mut child, relay).map_err(io("wait for"))?;
        // The only thing that is said after all was ready is why the agent did not start.
        way.set_nonblocking(true).map_err(io("wait for"))?;
        if let Ok(Some((why, _))) = control::hear(&way) {
            let message = String::from_utf8_lossy(&why).into_owned();
            let help =
                "name a program that is in your `PATH`, or in the project; `--share PATH` shows one that is elsewhere";
            return Err(AgentError::Refused { message, help });
        }
        Ok(Ended { code, cancelled, refused: refused.list() })
    }

    /// The filter, in a file that has no name.
    fn filter(&self) -> Result<OwnedFd, AgentError> {
        let io = |error: std::io::Error| AgentError::io("write", "the filter")(error);
        let bytes = filter::bytes().map_err(|why| AgentError::from(Obstacle::no_filter(&why)))?;
        let memory =
            rustix::fs::memfd_create("filter", MemfdFlags::CLOEXEC).map_err(std::io::Error::from).map_err(io)?;
        let mut file = std::fs::File::from(memory);
        file.write_all(&bytes).and_then(|()| file.rewind()).map_err(io)?;
        rustix::io::fcntl_setfd(&file, FdFlags::empty()).map_err(std::io::Error::from).map_err(io)?;
        Ok(file.into())
    }

    fn serve(&self, listeners: Vec<OwnedFd>, ports: &[u16], refused: &Refused) {
        for (listener, port) in listeners.into_iter().map(TcpListener::from).zip(ports) {
            match port {
                0 => proxy::serve(listener, self.allowed.clone(), refused.clone()),
                port => proxy::forward(listener, *port),
            }
        }
    }

    fn wait(&self, child: &mut Child, mut relay: Relay) -> std::io::Result<(i32, bool)> {
        let mut cancelled = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if self.cancel.load(Ordering::Relaxed) && !cancelled {
                cancelled = true;
                child.kill()?;
            }
            relay.turn()?;
        };
        relay.end();
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
        Ok((code, cancelled))
    }
}

/// Passes the agent's streams in, and waits until all is ready.
fn begin(way: &UnixStream, relay: &Relay, ends: relay::Ends) -> Result<Vec<OwnedFd>, Option<String>> {
    let word = match relay {
        Relay::Terminal(_) => inside::TERMINAL,
        Relay::Pipes(_) => inside::PIPES,
    };
    let [input, output, errors] = &ends;
    control::tell(way, word, &[input.as_fd(), output.as_fd(), errors.as_fd()]).map_err(|_| None)?;
    drop(ends);
    match control::hear(way) {
        Ok(Some((word, handles))) if word == inside::READY => Ok(handles),
        Ok(Some((why, _))) => Err(Some(String::from_utf8_lossy(&why).into_owned())),
        _ => Err(None),
    }
}

/// Why the agent did not begin: what was said from inside, or by `bwrap`.
fn unavailable(said: Option<String>, complaint: &str) -> AgentError {
    match said {
        Some(said) if said.starts_with("landlock") => Obstacle::new(
            said,
            "it needs Linux 5.13 or newer with Landlock switched on: `lsm=…,landlock` among the kernel's words",
        )
        .into(),
        Some(said) => Obstacle::new(said, SAID).into(),
        None => bwrap(&first_line(complaint)).into(),
    }
}
