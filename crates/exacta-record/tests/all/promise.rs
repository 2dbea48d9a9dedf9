//! What the record promises, held against it while its processes die: of those that race for a transition one wins; what was
//! acknowledged is there; what was not has not happened, or is completed by whoever comes next; and the record verifies.
//!
//! `cargo test` takes a sample (`EXACTA_SEED` chooses it, and is printed); every point: `tools/prove record`.

use crate::project::{
    Project, asked, at, created, draft, new_plan, new_run, plan_id, request, run_id, session, signed,
};
use exacta_kernel::audit::Event;
use exacta_kernel::lifecycle::Status::{self, Expired, Pending, Rejected, UserApproved};
use exacta_record::{Change, EntryFilter, Filter, Outcome, Record, RecordError, RunFilter, RunState, Start};
use exacta_testkit::{Lines, Running, output, program, seed};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set in a child: where its project is.
const PROJECT: &str = "EXACTA_TEST_PROMISE_PROJECT";
/// Set in a child: which transition it makes, or how many racers there are and which it is.
const WHAT: &str = "EXACTA_TEST_PROMISE_WHAT";

type Step = fn(&mut Record) -> Result<(), RecordError>;

/// Every kind of transition, each possible after those before it.
const TRANSITIONS: [(&str, Step); 9] = [
    ("submit", |record| record.insert_plan(&new_plan(1), &created(1), at(1))),
    ("submit another", |record| record.insert_plan(&new_plan(2), &created(2), at(1))),
    ("ask for changes", |record| {
        done(record.add_feedback(&plan_id(2), &asked("no"), &[draft(Event::ChangesRequested, 2)], at(2))?)
    }),
    ("approve", |record| done(decide(record, 1, UserApproved)?)),
    ("approve again", |record| {
        done(record.add_approval(&plan_id(1), &signed(1), &[draft(Event::PlanApproved, 1)], at(2))?)
    }),
    ("start", |record| {
        let run = new_run(1, 1, None);
        let start = record.start_run(&request(&run, &[UserApproved], 9), &[draft(Event::RunStarted, 1)], at(3))?;
        assert_eq!(start, Start::Started);
        Ok(())
    }),
    ("finish", |record| {
        let entries = [draft(Event::PlanExecuted, 1)];
        record.finish_run(&run_id(1), RunState::Completed, &json!([]), &entries, at(4)).map(drop)
    }),
    ("note", |record| record.record(&[draft(Event::RunRefused, 2)], at(4))),
    ("expire", |record| record.expire_due(at(5), Some(&session(1))).map(drop)),
];

fn decide(record: &mut Record, n: u64, to: Status) -> Result<Outcome, RecordError> {
    let approval = (to == UserApproved).then(|| signed(n));
    let change = Change { from: Pending, to, approval, also_expire: None };
    let event = if to == UserApproved { Event::PlanApproved } else { Event::PlanRejected };
    record.transition(&plan_id(n), &change, &[draft(event, n)], at(2))
}

fn done(outcome: Outcome) -> Result<(), RecordError> {
    assert_eq!(outcome, Outcome::Done);
    Ok(())
}

/// Says something to the process that started this one, before anything else happens.
fn say(words: &str) {
    println!("\n{words}");
    std::io::stdout().flush().unwrap();
}

/// A process that makes one transition, and says when it was acknowledged.
#[test]
fn child() {
    let (Some(dir), Ok(what)) = (std::env::var_os(PROJECT), std::env::var(WHAT)) else { return };
    let (_, step) = TRANSITIONS[what.parse::<usize>().unwrap()];
    match Project::open_at(Path::new(&dir)).and_then(|mut record| step(&mut record)) {
        Ok(()) => say("acknowledged"),
        Err(error) => say(&format!("failed: {error}")),
    }
}

/// A process that decides plan after plan, in its own way, and says which decisions it was told that it made.
#[test]
fn racer() {
    let (Some(dir), Ok(me)) = (std::env::var_os(PROJECT), std::env::var(WHAT)) else { return };
    let me: usize = me.parse().unwrap();
    let mut record = Project::open_at(Path::new(&dir)).unwrap();
    say("ready");
    for n in 0..PLANS {
        let to = [UserApproved, Rejected, Expired][(me + n as usize) % 3];
        if decide(&mut record, n, to).unwrap() == Outcome::Done {
            say(&format!("won {n} {}", to.name()));
        }
    }
    say("finished");
}

fn start(test: &str, project: &Project, what: usize, strace: &[&str]) -> Command {
    let me = std::env::current_exe().unwrap();
    let mut command = match strace {
        [] => Command::new(me),
        arguments => {
            let mut command = Command::new("strace");
            command.arg("-f").args(arguments).arg(me);
            command
        }
    };
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(PROJECT, project.dir.path()).env(WHAT, what.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// A project on which all transitions before this one were made.
fn before(transition: usize) -> Project {
    let project = Project::new();
    for (name, step) in &TRANSITIONS[..transition] {
        step(&mut project.open()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    project
}

/// All that the record says, in whichever order it was asked.
fn all(record: &Record) -> String {
    let plans = record.list(&Filter::default()).unwrap();
    let plans: Vec<_> = plans.into_iter().map(|plan| record.plan(&plan.id).unwrap()).collect();
    let (runs, entries) = (record.runs(&RunFilter::default()), record.entries(&EntryFilter::default()));
    format!("{plans:?} {runs:?} {entries:?}")
}

/// What the record says before a transition, and after it.
fn sides(transition: usize) -> [String; 2] {
    [transition, transition + 1].map(|count| all(&before(count).open()))
}

/// A system call by which a transition reaches files or locks, and which of its occurrences.
type Point = (String, usize);

/// Calls with which nothing is changed or kept from others: death there is death before the next one.
const HARMLESS: [&str; 5] = ["read", "pread64", "statx", "newfstatat", "lseek"];

/// Every point of a transition, as one undisturbed process goes through them.
fn points(transition: usize) -> Vec<Point> {
    let project = before(transition);
    let trace = project.dir.path().join("trace");
    let arguments = ["-qq", "-e", "trace=%file,%desc", "-o", trace.to_str().unwrap()];
    let text = output(&mut start("promise::child", &project, transition, &arguments)).stdout;
    assert!(String::from_utf8_lossy(&text).contains("acknowledged"));
    let (mut seen, mut points, mut ours) = (BTreeMap::<(String, String), usize>::new(), Vec::new(), false);
    for line in std::fs::read_to_string(&trace).unwrap().lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
        // strace counts for each thread.
        let count = seen.entry((thread.to_owned(), call.to_owned())).or_default();
        *count += 1;
        // The test's own start is over when the record's folder is reached.
        ours |= line.contains(".exacta");
        let point = (call.to_owned(), *count);
        let is_call = call.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if ours && is_call && !HARMLESS.contains(&call) && !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

/// Kills the process that makes a transition at a point, and holds the record to its promises. Whether it died.
fn kill_at(transition: usize, [old, new]: &[String; 2], (call, count): &Point) -> bool {
    let context = format!("{} killed at {call} {count}", TRANSITIONS[transition].0);
    let project = before(transition);
    let inject = format!("inject={call}:signal=KILL:when={count}");
    let text = output(&mut start("promise::child", &project, transition, &["-qq", "-o", "/dev/null", "-e", &inject]));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(!text.contains("failed: ") && !text.contains("panicked"), "{context}: {text}");
    let acknowledged = text.contains("acknowledged");
    let mut record = project.try_open().unwrap_or_else(|error| panic!("{context}: {error}"));
    let found = all(&record);
    // Whole or not at all; and what was acknowledged is there.
    assert!(found == *new || (found == *old && !acknowledged), "{context}: acknowledged: {acknowledged}\n{found}");
    if found == *old {
        TRANSITIONS[transition].1(&mut record).unwrap_or_else(|error| panic!("{context}: again: {error}"));
        assert_eq!(all(&record), *new, "{context}: again");
    }
    let report = project.verify().unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!((report.signed, report.pinned), (report.entries, report.entries), "{context}");
    // The file of a plan whose run goes on is written with the run's end; nothing else is left to anybody.
    let running = !record.running().unwrap().is_empty();
    assert!(running || report.notes.is_empty(), "{context}: {:?}", report.notes);
    !acknowledged
}

/// Numbers that a seed decides.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

#[test]
fn a_sample_of_transitions_killed() {
    if !program("strace") {
        return;
    }
    println!("EXACTA_SEED={}", seed());
    let mut dice = Dice(seed());
    let mut died = 0;
    for transition in 0..TRANSITIONS.len() {
        let (points, sides) = (points(transition), sides(transition));
        assert!(points.len() > 20, "{points:?}");
        for _ in 0..3 {
            died += usize::from(kill_at(transition, &sides, &points[dice.below(points.len())]));
        }
    }
    assert!(died > TRANSITIONS.len(), "only {died} died on the way");
}

#[test]
#[ignore = "takes minutes: a kill at every call of every transition"]
fn every_transition_killed_at_every_call() {
    if !program("strace") {
        return;
    }
    let (mut tried, mut died) = (0, 0);
    for (transition, (name, _)) in TRANSITIONS.iter().enumerate() {
        let (points, sides) = (points(transition), sides(transition));
        for point in &points {
            died += usize::from(kill_at(transition, &sides, point));
        }
        tried += points.len();
        eprintln!("{name}: {} points", points.len());
    }
    assert!(died * 2 > tried, "{died} of {tried}");
    eprintln!(
        "{tried} points of {} transitions, {died} deaths before the answer: no promise broken",
        TRANSITIONS.len()
    );
}

/// How many plans the racers decide.
const PLANS: u64 = 24;
const RACERS: usize = 4;

/// Racing processes, of which all but one are killed on the way at moments that a seed chooses.
fn race(dice: &mut Dice) {
    let project = Project::new();
    (0..PLANS).for_each(|n| project.open().insert_plan(&new_plan(n), &created(n), at(1)).unwrap());
    let mut children: Vec<(Running, Lines)> = (0..RACERS)
        .map(|me| {
            let mut child = Running::start(&mut start("promise::racer", &project, me, &[]));
            let lines = Lines::of(child.stdout().unwrap());
            (child, lines)
        })
        .collect();
    let mut said: Vec<String> = Vec::new();
    for (index, (child, lines)) in children.iter_mut().enumerate() {
        if index + 1 < RACERS {
            // After this many words of its own: a sample of moments, none of them at rest.
            let words = 1 + dice.below(PLANS as usize / 2);
            said.extend(lines.by_ref().filter(|line| !line.is_empty()).take(words));
            child.kill();
        }
    }
    for (mut child, lines) in children {
        said.extend(lines.filter(|line| !line.is_empty()));
        child.wait();
    }
    check_race(&project, &said);
}

fn check_race(project: &Project, said: &[String]) {
    assert!(said.iter().any(|line| line == "finished"), "{said:?}");
    let record = project.open();
    let mut winners = BTreeSet::new();
    for won in said.iter().filter_map(|line| line.strip_prefix("won ")) {
        let (n, status) = won.split_once(' ').unwrap();
        let n: u64 = n.parse().unwrap();
        assert!(winners.insert(n), "two were told that they decided plan {n}");
        assert_eq!(record.plan(&plan_id(n)).unwrap().unwrap().status.name(), status, "plan {n}");
    }
    // Each was decided, once: by one who said so, or by one who died before it could.
    for n in 0..PLANS {
        assert_ne!(record.plan(&plan_id(n)).unwrap().unwrap().status, Pending, "plan {n}");
    }
    let entries = record.entries(&EntryFilter::default()).unwrap();
    assert_eq!(entries.len() as u64, PLANS * (created(0).len() as u64 + 1), "one entry for each decision");
    // Each process that was killed may have died between one decision and its answer.
    let unanswered = PLANS as usize - winners.len();
    assert!(unanswered < RACERS, "{unanswered} decisions without an answer");
    project.verify().unwrap();
}

#[test]
fn a_race_under_kills() {
    println!("EXACTA_SEED={}", seed());
    race(&mut Dice(seed()));
}

#[test]
#[ignore = "takes minutes: many races"]
fn many_races_under_kills() {
    let mut dice = Dice(seed());
    (0..100).for_each(|_| race(&mut dice));
    eprintln!("100 races of {RACERS} processes, {} killed in each: one winner of each, nothing lost", RACERS - 1);
}
