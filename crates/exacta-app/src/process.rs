//! Which process this is, so that another one can tell whether it still lives.

use exacta_exec::ProjectRoot;
use exacta_store::RunRecord;

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

    #[test]
    fn a_mark_tells_this_process_from_another() {
        let mark = mark();
        assert!(lives(std::process::id(), &mark));
        assert!(!lives(1, &mark), "another process");
        assert!(!lives(std::process::id(), "another boot:1"));
        assert!(!lives(u32::MAX, &mark));
    }
}
