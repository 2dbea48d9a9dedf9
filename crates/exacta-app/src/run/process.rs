//! Which process this is, so that another one can tell whether it still lives.

use exacta_exec::ProjectRoot;
use exacta_record::RunRecord;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// This process: its boot and its start within it. A pid alone may be another process by now.
pub(crate) fn mark() -> String {
    let pid = std::process::id();
    format!("{}:{}", boot(), started(pid).unwrap_or_default())
}

/// Whether nobody is at a run any more. A process of another namespace is not seen, but its locks are; what cannot be told
/// counts as living.
pub(crate) fn is_dead(root: &ProjectRoot, run: &RunRecord) -> bool {
    !lives(run.pid, &run.boot) && root.is_at_work(&run.id) == Ok(false)
}

/// Whether the process that left this mark still lives.
pub(crate) fn lives(pid: u32, mark: &str) -> bool {
    started(pid).is_some_and(|started| format!("{}:{started}", boot()) == mark)
}

/// Whether a process could be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It was.
    Yes,
    /// The one that left this mark is not there.
    Gone,
}

/// Asks the process that left this mark to stop in order: by the signal that every run holds back until it can.
pub(crate) fn ask_to_stop(pid: u32, mark: &str) -> Result<Asked, Errno> {
    let Some(number) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(Asked::Gone) };
    let handle = match pidfd_open(number, PidfdFlags::empty()) {
        Err(Errno::SRCH) => return Ok(Asked::Gone),
        handle => handle?,
    };
    // Looked at only when it is held: whatever becomes of the number, the handle is no other process.
    if !lives(pid, mark) {
        return Ok(Asked::Gone);
    }
    match pidfd_send_signal(&handle, Signal::TERM) {
        Err(Errno::SRCH) => Ok(Asked::Gone),
        sent => sent.map(|()| Asked::Yes),
    }
}

fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// When a process started, in clock ticks since boot: field 22 of its `stat`, counted after the name in brackets.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that is another process's by now stops nobody.
    #[test]
    fn only_the_process_that_left_the_mark_is_asked_to_stop() {
        // Starts are told apart by the tick of the clock.
        std::thread::sleep(std::time::Duration::from_millis(30));
        let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let marked = |pid: u32| format!("{}:{}", boot(), started(pid).unwrap());
        let theirs = marked(other.id());
        assert_eq!(ask_to_stop(other.id(), &mark()), Ok(Asked::Gone), "the mark of this process");
        assert_eq!(ask_to_stop(other.id(), "another boot:1"), Ok(Asked::Gone));
        assert_eq!(ask_to_stop(u32::MAX, &theirs), Ok(Asked::Gone));
        assert!(other.try_wait().unwrap().is_none(), "it goes on");
        assert_eq!(ask_to_stop(other.id(), &theirs), Ok(Asked::Yes));
        let ended = other.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(15));
        assert_eq!(ask_to_stop(other.id(), &theirs), Ok(Asked::Gone));
    }

    #[test]
    fn a_mark_tells_this_process_from_another() {
        let mark = mark();
        assert!(lives(std::process::id(), &mark));
        assert!(!lives(1, &mark), "another process");
        assert!(!lives(std::process::id(), "another boot:1"));
        assert!(!lives(u32::MAX, &mark));
    }
}
