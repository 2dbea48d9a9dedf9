//! Between the user's streams and the agent's: bytes are passed on, handles never.
//!
//! On a terminal the agent has a terminal of its own. What it does to that (its settings, its size, characters put into its input) ends with it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize,
};
use std::io::{self, IsTerminal as _, PipeReader, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// How long is waited for bytes before the child is looked after.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The agent's streams, on this side.
pub enum Relay {
    /// A terminal.
    Terminal(Terminal),
    /// Pipes, and the threads that empty them.
    Pipes(Vec<JoinHandle<()>>),
}

/// The agent's ends: input, output, errors.
pub type Ends = [OwnedFd; 3];

/// A terminal of the agent's own, and the user's in the meantime.
pub struct Terminal {
    master: OwnedFd,
    user: io::Stdin,
    before: Termios,
    resized: Arc<AtomicBool>,
    /// What the user typed that the agent has not read yet.
    pending: Vec<u8>,
}

impl Relay {
    /// A terminal where the user has one, else pipes. What the agent prints goes to standard output on a terminal, else to standard error:
    /// standard output is for the result.
    pub fn new() -> io::Result<(Self, Ends)> {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            let (terminal, ends) = Terminal::new()?;
            return Ok((Self::Terminal(terminal), ends));
        }
        let (input, feed) = io::pipe()?;
        let (output, printed) = io::pipe()?;
        let errors = printed.try_clone()?;
        std::thread::spawn(move || {
            let mut feed = feed;
            // Ends with the input, or with the agent; nobody waits for it.
            let _ended = io::copy(&mut io::stdin().lock(), &mut feed);
        });
        let threads = vec![std::thread::spawn(move || show(output))];
        Ok((Self::Pipes(threads), [input.into(), printed.into(), errors.into()]))
    }

    /// Passes on what there is, for a moment.
    pub fn turn(&mut self) -> io::Result<()> {
        match self {
            Self::Terminal(terminal) => terminal.turn(),
            Self::Pipes(_) => {
                std::thread::sleep(std::time::Duration::from_millis(20));
                Ok(())
            }
        }
    }

    /// Passes on what is left, once everybody who could write is gone.
    pub fn end(self) {
        match self {
            Self::Terminal(mut terminal) => while terminal.pass_output().unwrap_or(false) {},
            Self::Pipes(threads) => threads.into_iter().for_each(|thread| drop(thread.join())),
        }
    }
}

fn show(mut from: PipeReader) {
    let mut chunk = vec![0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut chunk) {
        // A reader that went away is no reason to hold the agent up.
        let _gone = io::stderr().write_all(chunk.get(..count).unwrap_or_default());
    }
}

impl Terminal {
    fn new() -> io::Result<(Self, Ends)> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let slave = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        let user = io::stdin();
        let before = tcgetattr(&user)?;
        tcsetattr(&slave, OptionalActions::Now, &before)?;
        let resized = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register(signal_hook::consts::SIGWINCH, Arc::clone(&resized))?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&user, OptionalActions::Flush, &raw)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        let ends = [slave.try_clone()?, slave.try_clone()?, slave];
        Ok((Self { master, user, before, resized, pending: Vec::new() }, ends))
    }

    fn turn(&mut self) -> io::Result<()> {
        if self.resized.swap(false, Ordering::SeqCst) {
            tcsetwinsize(&self.master, tcgetwinsize(&self.user)?)?;
        }
        let wants = if self.pending.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let typed = if self.pending.is_empty() { PollFlags::IN } else { PollFlags::empty() };
        let mut fds = [PollFd::new(&self.master, wants), PollFd::new(&self.user, typed)];
        match poll(&mut fds, Some(&TICK)) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            ready => drop(ready?),
        }
        let [from_agent, from_user] = fds.map(|fd| fd.revents());
        if from_user.contains(PollFlags::IN) {
            self.pending = read(self.user.as_fd())?;
        }
        if !self.pending.is_empty() {
            match rustix::io::write(&self.master, &self.pending) {
                Ok(count) => drop(self.pending.drain(..count.min(self.pending.len()))),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => self.pending.clear(),
            }
        }
        if from_agent.contains(PollFlags::HUP) && !from_agent.contains(PollFlags::IN) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        self.pass_output().map(drop)
    }

    /// Shows what the agent printed; says whether there was anything.
    fn pass_output(&mut self) -> io::Result<bool> {
        let bytes = match read(self.master.as_fd()) {
            // So says a terminal that nobody has open any more.
            Err(Errno::IO | Errno::AGAIN) => return Ok(false),
            bytes => bytes?,
        };
        let mut out = io::stdout();
        out.write_all(&bytes).and_then(|()| out.flush())?;
        Ok(!bytes.is_empty())
    }
}

impl Drop for Terminal {
    /// The user's terminal as it was. What is in its input then is an answer to what the agent printed, or was typed for the agent: the shell
    /// that comes after is not to read it.
    fn drop(&mut self) {
        let _gone = io::stdout().flush();
        let _gone = tcflush(&self.user, QueueSelector::IFlush);
        let _gone = tcsetattr(&self.user, OptionalActions::Flush, &self.before);
    }
}

fn read(from: BorrowedFd<'_>) -> Result<Vec<u8>, Errno> {
    let mut chunk = vec![0; 16 << 10];
    loop {
        match rustix::io::read(from, chunk.as_mut_slice()) {
            Err(Errno::INTR) => {}
            count => {
                chunk.truncate(count?);
                return Ok(chunk);
            }
        }
    }
}
