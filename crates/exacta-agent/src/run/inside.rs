//! The first program inside a sandbox: adds what only a process of the sandbox can, and gives way to the agent.
//!
//! Its standard input is the way to whoever made the sandbox. By it come the agent's own input, output and errors, and by it go the sockets that
//! listen in the sandbox's network.

use super::control;
use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};

/// The word by which the program knows that it is this one.
pub const WORD: &str = "agent-inside";

/// How the program ends where the agent does not begin, as shells do.
const NOT_FOUND: u8 = 127;

/// What the way in says first.
pub const TERMINAL: &[u8] = b"terminal";
/// The same, where there is none.
pub const PIPES: &[u8] = b"pipes";

/// What is answered if all went well; anything else is the reason.
pub const READY: &[u8] = b"ready";

/// Runs it with its arguments: folders that may be written to after `--write`, ports after `--port`, and after `--` the agent.
#[must_use]
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // Where the agent cannot be started, its own input has taken the place of the way by then.
    let Ok(way) = std::io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::from(NOT_FOUND) };
    let (Ok(why) | Err(why)) = begin(&way, &Given::read(arguments));
    control::tell(&way, why.as_bytes(), &[]).ok();
    ExitCode::from(NOT_FOUND)
}

#[derive(Default)]
struct Given {
    writes: Vec<OsString>,
    ports: Vec<u16>,
    command: Vec<OsString>,
}

impl Given {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Self {
        let mut given = Self::default();
        while let Some(word) = arguments.next() {
            match word.to_str() {
                Some("--write") => given.writes.extend(arguments.next()),
                Some("--port") => {
                    given.ports.extend(arguments.next().and_then(|port| port.to_str()?.parse::<u16>().ok()))
                }
                _ => break,
            }
        }
        given.command = arguments.collect();
        given
    }
}

/// Does all of it. Comes back only if the agent could not be started.
fn begin(way: &OwnedFd, given: &Given) -> Result<String, String> {
    let told = control::hear(way).map_err(|errno| format!("no word from outside: {errno}"))?;
    let (word, handles) = told.ok_or("no word from outside")?;
    let [input, output, errors] = <[OwnedFd; 3]>::try_from(handles).map_err(|_| "not three handles from outside")?;
    if word == TERMINAL {
        // Only who leads a session gets a terminal. bubblewrap makes a session: its first process leads it, or, in other versions, this one does.
        match rustix::process::setsid() {
            Ok(_) | Err(Errno::PERM) => {}
            Err(errno) => return Err(format!("no session of its own: {errno}")),
        }
        rustix::process::ioctl_tiocsctty(&input).map_err(|errno| format!("no terminal of its own: {errno}"))?;
    }
    let listeners: Vec<TcpListener> = given
        .ports
        .iter()
        .map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).map_err(|error| format!("port {port}: {error}")))
        .collect::<Result<_, _>>()?;
    let proxy = listeners.first().and_then(|listener| listener.local_addr().ok());
    restrict(&given.writes)?;
    let passed: Vec<BorrowedFd<'_>> = listeners.iter().map(|listener| listener.as_fd()).collect();
    control::tell(way, READY, &passed).map_err(|errno| format!("no way out: {errno}"))?;
    drop(listeners);
    let (program, arguments) = given.command.split_first().ok_or("no command")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::from(input)).stdout(Stdio::from(output)).stderr(Stdio::from(errors));
    if let Some(address) = proxy {
        let url = format!("http://{address}");
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            command.env(name, &url);
        }
        for name in ["NO_PROXY", "no_proxy"] {
            command.env(name, "localhost,127.0.0.1,::1");
        }
        command.env("NODE_USE_ENV_PROXY", "1");
    }
    let error = command.exec();
    Ok(format!("`{}` cannot be started: {error}", program.to_string_lossy()))
}

/// Landlock: everything that is shown may be read and started; only these folders may be written to. Nobody outside is sent a signal, or
/// reached by a socket without a path.
fn restrict(writes: &[OsString]) -> Result<(), String> {
    let known = ABI::V6;
    let landlock = || -> Result<RulesetStatus, landlock::RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(known))?
            .scope(Scope::from_all(known))?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::from_read(known)))?
            .add_rules(path_beneath_rules(writes, AccessFs::from_all(known)))?;
        Ok(ruleset.restrict_self()?.ruleset)
    };
    match landlock() {
        Ok(RulesetStatus::NotEnforced) => Err("landlock: this kernel has none, or has it switched off".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("landlock: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_end_where_the_command_begins() {
        let words = ["--write", "/a b", "--port", "0", "--port", "81", "--", "sh", "--write", "--"];
        let given = Given::read(words.into_iter().map(OsString::from));
        assert_eq!((given.writes, given.ports), (vec![OsString::from("/a b")], vec![0, 81]));
        assert_eq!(given.command, ["sh", "--write", "--"]);
        assert!(Given::read(std::iter::empty()).command.is_empty());
    }
}
