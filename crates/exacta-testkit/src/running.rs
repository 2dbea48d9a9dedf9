//! Processes that end.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take that a test waits for: long, for machines that do other things at the same time.
pub const LIMIT: Duration = Duration::from_secs(300);

/// How long the dead may take to be gone.
const GRACE: Duration = Duration::from_secs(5);

/// What a command prints, and how it ends.
///
/// # Panics
/// If it cannot be started, or does not end within [`LIMIT`].
#[track_caller]
pub fn output(command: &mut Command) -> Output {
    Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped())).finish()
}

/// Whether a command can be started and ends well; its output goes where the command says.
///
/// # Panics
/// If it does not end within [`LIMIT`].
#[track_caller]
pub fn succeeds(command: &mut Command) -> bool {
    Running::try_start(command).is_ok_and(|running| running.finish().status.success())
}

/// A process and, in a process group of its own, what it starts. None of them outlives this value.
#[derive(Debug)]
pub struct Running {
    /// There until the end.
    child: Option<Child>,
    what: String,
}

impl Running {
    /// Starts a command as it is set up.
    ///
    /// # Panics
    /// If that is not possible.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        Self::try_start(command).unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// Starts a command as it is set up.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn try_start(command: &mut Command) -> std::io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        Ok(Self { child: Some(child), what: format!("{command:?}") })
    }

    /// The process's number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// Its standard input, if that is a pipe and was not taken before.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.as_mut()?.stdin.take()
    }

    /// Its standard output, if that is a pipe and was not taken before.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.as_mut()?.stdout.take()
    }

    /// Its standard error, if that is a pipe and was not taken before.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.as_mut()?.stderr.take()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// Kills the process, and nobody else; it may have ended before.
    pub fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            drop(child.kill());
        }
    }

    /// Waits for the end; for processes whose pipes somebody else reads.
    ///
    /// # Panics
    /// If it does not come within [`LIMIT`].
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            assert!(Instant::now() < end, "{}: no end within {LIMIT:?}", self.what);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the end, and reads the pipes.
    ///
    /// # Panics
    /// If it does not come within [`LIMIT`].
    #[track_caller]
    pub fn finish(self) -> Output {
        self.finish_within(LIMIT).unwrap_or_else(|seen| panic!("{seen}"))
    }

    /// Waits for the end, and reads the pipes.
    ///
    /// # Errors
    /// What was seen, if the end does not come in time. Everything in the process group is dead then; a pipe that is held
    /// from outside of it keeps nobody waiting.
    pub fn finish_within(mut self, limit: Duration) -> Result<Output, String> {
        let Some(child) = self.child.take() else { return Err(format!("{}: ended before", self.what)) };
        let group = Pid::from_child(&child);
        let (sender, end) = channel();
        thread::spawn(move || drop(sender.send(child.wait_with_output())));
        let what = &self.what;
        match end.recv_timeout(limit) {
            Ok(output) => output.map_err(|error| format!("{what}: {error}")),
            Err(_) => {
                // All of them may have ended in this moment.
                let _gone = kill_process_group(group, Signal::KILL);
                let seen = end.recv_timeout(GRACE).ok().and_then(Result::ok).map_or_else(
                    || "a process outside of its group holds its pipes".to_owned(),
                    |output| {
                        let text = [output.stdout, output.stderr].concat();
                        format!("{}; seen: {}", output.status, String::from_utf8_lossy(&text))
                    },
                );
                Err(format!("{what}: no end within {limit:?}: {seen}"))
            }
        }
    }
}

impl Drop for Running {
    /// A test that fails leaves nobody behind.
    fn drop(&mut self) {
        if self.ended().is_some() {
            return;
        }
        let Some(mut child) = self.child.take() else { return };
        let _gone = kill_process_group(Pid::from_child(&child), Signal::KILL);
        let (sender, end) = channel();
        thread::spawn(move || drop(sender.send(child.wait())));
        drop(end.recv_timeout(GRACE));
    }
}

/// Lines as they come. None comes at the end; if one takes longer than [`LIMIT`], the test fails.
#[derive(Debug)]
pub struct Lines(Receiver<String>);

impl Lines {
    /// The lines of a pipe.
    pub fn of(pipe: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut line = Vec::new();
            while let Ok(1..) = pipe.read_until(b'\n', &mut line) {
                let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned();
                if sender.send(text).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Self(lines)
    }
}

impl Iterator for Lines {
    type Item = String;

    #[track_caller]
    fn next(&mut self) -> Option<String> {
        match self.0.recv_timeout(LIMIT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line came within {LIMIT:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell
    }

    #[test]
    fn what_is_printed_and_how_it_ended() {
        let done = output(&mut shell("echo out; echo err >&2; exit 3"));
        assert_eq!((done.status.code(), &*done.stdout, &*done.stderr), (Some(3), &b"out\n"[..], &b"err\n"[..]));
        assert!(succeeds(&mut shell("true")) && !succeeds(&mut shell("false")));
        assert!(!succeeds(&mut Command::new("/no/such/program")));
    }

    /// The shell is gone at once; who holds its pipe is not.
    #[test]
    fn what_does_not_end_is_killed_with_all_that_it_started() {
        for line in ["echo begun; sleep 600", "echo begun; sleep 600 &"] {
            let begin = Instant::now();
            let seen = Running::start(&mut shell(line)).finish_within(Duration::from_secs(1)).unwrap_err();
            assert!(seen.contains("no end within 1s") && seen.contains("begun"), "{seen}");
            assert!(begin.elapsed() < LIMIT, "{line}");
        }
    }

    #[test]
    fn a_pipe_that_is_held_from_outside_keeps_nobody() {
        let running = Running::start(&mut shell("exec setsid sleep 20"));
        assert!(running.finish_within(Duration::from_millis(100)).unwrap_err().contains("no end"));
    }

    #[test]
    fn nobody_outlives_the_value() {
        let mut running = Running::start(&mut shell("sleep 600 & echo $!; wait"));
        let id: i32 = Lines::of(running.stdout().unwrap()).next().unwrap().parse().unwrap();
        drop(running);
        let id = Pid::from_raw(id).unwrap();
        let end = Instant::now() + LIMIT;
        while rustix::process::test_kill_process(id).is_ok() {
            let state = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap_or_default();
            // Dead, and nobody has asked how it died.
            if state.contains(") Z ") {
                break;
            }
            assert!(Instant::now() < end, "it lives");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
