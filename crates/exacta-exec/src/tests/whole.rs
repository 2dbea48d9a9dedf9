//! Whole proofs take long: they tell how far they are, and one that was interrupted can go on.

use exacta_testkit::{LIMIT, Running, root};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

/// Set for the process that has its mounts for itself.
const ALONE: &str = "EXACTA_EXEC_ALONE";

/// Every point of a proof with its number, from the one that `EXACTA_FROM` names (the first). How far it is, is told now and then.
pub(super) fn each<'a, T>(what: &str, points: &'a [T]) -> impl Iterator<Item = (usize, &'a T)> {
    let from = std::env::var("EXACTA_FROM").map_or(0, |from| from.parse().unwrap());
    let (begin, count) = (Instant::now(), points.len());
    assert!(from < count, "{what}: there are only {count}, EXACTA_FROM is beyond them");
    points.iter().enumerate().skip(from).inspect(move |(index, _)| {
        if index % 50 == 0 {
            eprintln!("{what}: at {index} of {count}, after {} s", begin.elapsed().as_secs());
        }
    })
}

/// Does something with each item, four at a time: most of the time goes into waiting for processes and for the disk.
pub(super) fn side_by_side<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let act = &act;
    thread::scope(|scope| {
        let some = items.chunks(items.len().div_ceil(4).max(1));
        let under_way: Vec<_> = some.map(|some| scope.spawn(|| some.iter().map(act).collect::<Vec<R>>())).collect();
        under_way.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

/// Whether this process has its mounts for itself. If not, the test is run in one that has: what others start meanwhile
/// (sandboxes) has no copy of them, which would keep a disk busy. A whole proof may take hours.
pub(super) fn alone(test: &str, whole: bool) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    if !root() {
        return false;
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private"]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--include-ignored", "--nocapture", "--test-threads=1"]);
    let limit = LIMIT * if whole { 48 } else { 3 };
    let ended = Running::start(command.env(ALONE, "1").stdout(Stdio::null())).finish_within(limit);
    assert!(ended.unwrap().status.success(), "{test}");
    false
}
