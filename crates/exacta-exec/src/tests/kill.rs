//! Kills and failing system calls on a real file system, by strace: at any call of a run, and of a recovery, the process
//! dies or the call fails. `cargo test` takes a sample (`EXACTA_SEED` chooses it); everything:
//! `cargo test -p exacta-exec --lib -- --ignored kill::`.

use super::project::*;
use super::{growth, whole};
use crate::{ProjectRoot, RunError};
use exacta_testkit::{LIMIT, Running, program, succeeds};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Set for the process that is to be disturbed: `run` or `recover`, and the project.
const CHILD: &str = "EXACTA_EXEC_CHILD";

const BEGIN: &str = "/exacta-begin";
const END: &str = "/exacta-end";

/// Calls that touch files. The others (memory, threads) fail for reasons of their own.
const CALLS: [&str; 18] = [
    "openat2",
    "openat",
    "statx",
    "pread64",
    "pwrite64",
    "fsync",
    "renameat2",
    "linkat",
    "unlinkat",
    "mkdirat",
    "flock",
    "fchmod",
    "fchown",
    "getdents64",
    "flistxattr",
    "fgetxattr",
    "fsetxattr",
    "fremovexattr",
];

pub(super) const ERRORS: [&str; 8] = ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS", "EMFILE", "EINTR", "EPERM"];

/// One call to disturb: its name, and which of its occurrences.
pub(super) type Point = (String, usize);

/// Not a test of its own: what the disturbed process does.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let (what, dir) = order.split_once(' ').unwrap();
    warm_up();
    drop(std::fs::metadata(BEGIN));
    let outcome = ProjectRoot::open(dir).map_err(RunError::from).and_then(|root| match what {
        "run" => run_in(&root, &everything(1), &mut |_| {}, &mut |_| Ok(())).map(drop),
        "adopt" => run_in(&root, &adopting(everything(1)), &mut |_| {}, &mut |_| Ok(())).map(drop),
        "collect" => {
            run_in(&root, &everything(1), &mut |_| {}, &mut |_| Ok(()))?;
            root.collect_when_due(&growth::KEEP, &run_id(1)).map(drop)
        }
        _ => root.recover().map(drop),
    });
    drop(std::fs::metadata(END));
    std::process::exit(match outcome {
        Ok(()) => 0,
        Err(error) if error.is_unsettled() => 60,
        Err(_) => 50,
    });
}

/// strace counts the calls of every thread on its own. After this, none of a run's calls has a number that the main thread,
/// which only loads the program, comes to.
fn warm_up() {
    for _ in 0..64 {
        let file = std::fs::File::open("/dev/null").unwrap();
        file.read_at(&mut [0], 0).unwrap();
        std::fs::metadata("/dev/null").unwrap();
    }
}

/// INV-PLAN-3: killed at any call, a run has changed everything or nothing.
#[test]
fn a_sample_of_kills_tears_nothing() {
    let Some(points) = points("run") else { return };
    let mut hits = Hits::default();
    for point in sample(&points, 12, 1) {
        let project = Project::new(&EVERYTHING);
        hits.count(killed("run", project.dir.path(), &point));
        let again = sample(&points_of_recovery(project.dir.path()), 1, 2);
        for second in &again {
            hits.count(killed("recover", project.dir.path(), second));
        }
        settled(project.dir.path(), &format!("killed at {point:?}, recovery at {again:?}"));
    }
    hits.enough();
}

#[test]
fn a_sample_of_errors_is_reported() {
    let Some(points) = points("run") else { return };
    for (index, point) in sample(&points, 16, 3).iter().enumerate() {
        fail_at(point, &format!("error={}", ERRORS[index % ERRORS.len()]));
    }
    for point in sample(&points.iter().filter(|(call, _)| call == "pwrite64").cloned().collect::<Vec<_>>(), 2, 4) {
        fail_at(&point, "retval=1");
    }
}

#[test]
#[ignore = "takes minutes: every kill of a run, and from every distinct state every kill of the recovery"]
fn every_kill() {
    let Some(points) = points("run") else { return };
    let mut distinct = BTreeSet::new();
    let (mut of_run, mut of_recovery) = (Hits::default(), Hits::default());
    for (_, point) in whole::each("kills", &points) {
        let project = Project::new(&EVERYTHING);
        of_run.count(killed("run", project.dir.path(), point));
        if distinct.insert((project.tree(), project.traces())) {
            let killed = whole::side_by_side(&points_of_recovery(project.dir.path()), |second| {
                let copy = copy_of(project.dir.path());
                let killed = killed("recover", copy.path(), second);
                settled(copy.path(), &format!("killed at {point:?}, recovery at {second:?}"));
                killed
            });
            killed.into_iter().for_each(|killed| of_recovery.count(killed));
        }
        settled(project.dir.path(), &format!("killed at {point:?}"));
    }
    let states = distinct.len();
    let (first, second) = (of_run.enough(), of_recovery.enough());
    eprintln!("{first} kills of a run, {states} distinct states, {second} kills of a recovery: none torn");
}

#[test]
#[ignore = "takes minutes: every error at every call"]
fn every_error() {
    let Some(points) = points("run") else { return };
    let mut count = 0;
    for (_, point) in whole::each("errors", &points) {
        let short = (point.0 == "pwrite64").then(|| "retval=1".to_owned());
        let ways: Vec<String> = ERRORS.iter().map(|error| format!("error={error}")).chain(short).collect();
        count += whole::side_by_side(&ways, |how| fail_at(point, how)).len();
    }
    eprintln!("{count} failing calls: every one reported, none torn");
}

/// One call of a run fails: success means as approved, failure as before, unsettled that recovery settles it.
fn fail_at(point: &Point, how: &str) {
    let project = Project::new(&EVERYTHING);
    let before = project.tree();
    let code = disturb("run", project.dir.path(), &format!("{}:{how}:when={}", point.0, point.1));
    let place = format!("{point:?} {how}: exit {code:?}");
    match code {
        Some(0) => assert_eq!(project.tree(), everything_done(), "{place}"),
        Some(50) => assert_eq!(project.tree(), before, "{place}"),
        Some(60) => {}
        _ => panic!("{place}"),
    }
    settled(project.dir.path(), &place);
}

/// After recovery the project is exactly as before or exactly as approved, and nothing is left over.
pub(super) fn settled(dir: &Path, place: &str) {
    let root = ProjectRoot::open(dir).unwrap();
    let recovered = root.recover().unwrap_or_else(|error| panic!("{place}: {error}"));
    assert!(recovered.iter().all(|run| run.outcome.is_all_or_nothing()), "{place}: {recovered:?}");
    let tree = tree(dir);
    let before = Project::new(&EVERYTHING).tree();
    assert!(tree == before || tree == everything_done(), "{place}: torn: {tree:#?}");
    assert_eq!(root.receipts(&run_id(1)).unwrap().is_some(), tree == everything_done(), "{place}");
    assert!(root.unfinished().unwrap().is_empty(), "{place}");
    assert_eq!(root.recover().unwrap(), [], "{place}");
}

/// How many disturbances there were, and how many of them came to pass. What a run's threads do may come in another order, so a
/// few do not.
#[derive(Default)]
pub(super) struct Hits {
    tried: usize,
    hit: usize,
}

impl Hits {
    pub(super) fn count(&mut self, hit: bool) {
        self.tried += 1;
        self.hit += usize::from(hit);
    }

    /// The number of those that came to pass, if they are nearly all.
    pub(super) fn enough(&self) -> usize {
        assert!(self.tried > 0, "nothing was tried");
        assert!(self.hit * 20 >= self.tried * 19, "only {} of {} came to pass", self.hit, self.tried);
        self.hit
    }
}

/// Kills the child at a call; whether it died of that.
pub(super) fn killed(what: &str, dir: &Path, point: &Point) -> bool {
    disturb(what, dir, &format!("{}:signal=KILL:when={}", point.0, point.1)).is_none()
}

/// Starts the child under strace with one injection and waits for its end.
pub(super) fn disturb(what: &str, dir: &Path, injection: &str) -> Option<i32> {
    start(what, dir, injection).wait().code()
}

/// Starts the child under strace with one injection.
pub(super) fn start(what: &str, dir: &Path, injection: &str) -> Running {
    let (call, _) = injection.split_once(':').unwrap();
    let mut command = strace(what, dir);
    if !injection.contains("signal=") {
        // Stops at no other call, and so costs less; but it sends no signals.
        command.arg("--seccomp-bpf");
    }
    command.args(["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &format!("inject={injection}")]);
    Running::start(command.args(child_args()))
}

/// Waits until the process that strace started has stopped, and names it; `None` if it came to its end instead.
pub(super) fn wait_until_stopped(strace: u32) -> Option<u32> {
    let (mut seen, end) = (0, Instant::now() + LIMIT);
    loop {
        assert!(Instant::now() < end, "neither stopped nor ended within {LIMIT:?}");
        thread::sleep(Duration::from_millis(2));
        let children = std::fs::read_to_string(format!("/proc/{strace}/task/{strace}/children")).ok()?;
        let child: Option<u32> = children.split(' ').find_map(|id| id.parse().ok());
        let Some(child) = child else {
            let state = std::fs::read_to_string(format!("/proc/{strace}/stat")).ok()?;
            if state.contains(") Z") {
                return None;
            }
            continue;
        };
        // Every traced thread rests for a moment at each call; all of them, and for long, only when stopped.
        seen = if all_rest(child) { seen + 1 } else { 0 };
        if seen == 10 {
            return Some(child);
        }
    }
}

fn all_rest(process: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let states: Vec<String> =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("status")).ok()).collect();
    states.len() > 1 && states.iter().all(|status| status.contains("State:\tt") || status.contains("State:\tT"))
}

fn strace(what: &str, dir: &Path) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).env(CHILD, format!("{what} {}", dir.display()));
    command.env_remove("RUST_BACKTRACE").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn child_args() -> [String; 5] {
    let own = std::env::current_exe().unwrap().display().to_string();
    [own, "--exact".into(), "tests::kill::child".into(), "--nocapture".into(), "--test-threads=1".into()]
}

/// Every call of an undisturbed run; `None` where strace is not there.
pub(super) fn points(what: &str) -> Option<Vec<Point>> {
    program("strace").then(|| trace(what, Project::new(&EVERYTHING).dir.path()))
}

/// The same in a project that is prepared.
pub(super) fn points_in(what: &str, dir: &Path) -> Option<Vec<Point>> {
    program("strace").then(|| trace(what, dir))
}

pub(super) fn points_of_recovery(dir: &Path) -> Vec<Point> {
    trace("recover", copy_of(dir).path())
}

/// Runs the child undisturbed and lists its calls between the marks, numbered as strace counts them: for each thread on its own. The
/// threads that a run starts make the same few calls, so their numbers stand for all of them.
fn trace(what: &str, dir: &Path) -> Vec<Point> {
    let text = log(what, dir);
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut points = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let (thread, rest) = line.split_once(' ').unwrap();
        let call = rest.trim_start().split('(').next().unwrap();
        if call.starts_with(['<', '-', '+']) {
            continue;
        }
        let count = counts.entry((thread, call)).or_default();
        *count += 1;
        let point = (call.to_owned(), *count);
        if line.contains(BEGIN) || line.contains(END) {
            inside = line.contains(BEGIN);
        } else if inside && CALLS.contains(&call) && !points.contains(&point) {
            points.push(point);
        }
    }
    assert!(!points.is_empty());
    points
}

/// What strace says of the child, undisturbed.
fn log(what: &str, dir: &Path) -> String {
    let log = tempfile::NamedTempFile::new().unwrap();
    assert!(succeeds(strace(what, dir).arg("-o").arg(log.path()).args(child_args())));
    std::fs::read_to_string(log.path()).unwrap()
}

/// How many calls that touch files the child makes between the marks, and how many bytes of folders it reads.
pub(super) fn cost(what: &str, dir: &Path) -> (usize, usize) {
    let text = log(what, dir);
    let inside = text.lines().skip_while(|line| !line.contains(BEGIN)).take_while(|line| !line.contains(END));
    let (mut calls, mut read) = (0, 0);
    for line in inside {
        let call = line.split_once(' ').unwrap().1.trim_start().split('(').next().unwrap();
        calls += usize::from(CALLS.contains(&call));
        if line.contains("getdents64") {
            read += line.rsplit_once("= ").unwrap().1.parse::<usize>().unwrap_or_default();
        }
    }
    (calls, read)
}

fn copy_of(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    assert!(succeeds(Command::new("cp").arg("-a").arg(dir.join(".")).arg(copy.path())));
    copy
}

/// Some of the points, chosen by a seed.
pub(super) fn sample(points: &[Point], count: usize, salt: u64) -> Vec<Point> {
    let mut random = Random::new(salt);
    (0..count).map(|_| points[random.below(points.len())].clone()).collect()
}

/// Numbers that the seed in `EXACTA_SEED` decides.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(salt: u64) -> Self {
        let seed: u64 = std::env::var("EXACTA_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt) | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % end
    }
}
