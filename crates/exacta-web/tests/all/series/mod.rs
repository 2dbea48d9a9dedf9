//! The monitor on labelled series: pages with noise, into which changes and errors come. There are two kinds of them, written in two manners: `town` (29
//! kinds of noise, 25 of change, 17 of error, five sites) and `other` (feeds, JSON, plain text and other sites). All of it is made by a seed, which is
//! printed; `EXACTA_SEED` and `EXACTA_ROUNDS` choose another, and more.

mod other;
mod rng;
mod town;

use crate::judging::Monitor;
use exacta_web::monitor::Verdict;
use exacta_web::{Got, Page, WebError};
use rng::Rng;

/// How many looks come before the change or the error: while the page is learnt, and long after.
const QUIET: [usize; 3] = [1, 2, 6];

/// What a site sends: status, type, body.
type Sent = (u16, String, Vec<u8>);

/// One page over time.
trait Story {
    /// What it is, for people.
    fn name(&self) -> String;
    /// The page as it is sent. Every read has another number; `look` is the time at which it is read.
    fn page(&mut self, look: usize, read: usize) -> Sent;
    /// News: what has to be told of it, and what to call it.
    fn change(&mut self, kind: usize) -> (String, Vec<String>);
    /// What is sent in the page's place.
    fn fault(&mut self, kind: usize) -> (String, Sent);
    /// Words of the noise so far, none of which may be told.
    fn noise(&self) -> Vec<String>;
    /// How the words of a page are told.
    fn told(&self, text: &str) -> String {
        text.to_owned()
    }
}

#[derive(Default)]
struct Count {
    all: usize,
    wrong: Vec<String>,
}

impl Count {
    fn add(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.all += 1;
        if !right {
            self.wrong.push(what());
        }
    }

    fn print(&self, name: &str) {
        let part = 100.0 * self.wrong.len() as f64 / self.all.max(1) as f64;
        eprintln!("{name}: {} of {} ({part:.2} %)", self.wrong.len(), self.all);
        for wrong in self.wrong.iter().take(6) {
            eprintln!("    {}", wrong.chars().take(500).collect::<String>());
        }
    }

    fn at_most(&self, percent: usize) {
        assert!(self.wrong.len() * 100 <= self.all * percent, "{:?}", self.wrong.first());
    }
}

#[derive(Default)]
struct Counts {
    series: usize,
    /// False alarms at all looks but the first, which cannot alarm.
    alarms: Count,
    /// Those of them at the second and third look.
    early: Count,
    /// And those after.
    late: Count,
    missed: Count,
    errors: Count,
    passages: Count,
}

fn got((status, kind, body): Sent) -> Result<Got, WebError> {
    match Page::kept("https://example.com/page", &kind, body) {
        Some(page) => Ok(Got::Page(Box::new(Page { status, ..page }))),
        None => panic!("{kind}"),
    }
}

/// How often a page's noise differs.
#[derive(Clone, Copy, PartialEq)]
enum Pace {
    /// Each time it is read.
    Read,
    /// From one look to the next, and not between reads that confirm a change.
    Look,
}

fn look(monitor: &mut Monitor, story: &mut dyn Story, look: usize, pace: Pace) -> Verdict {
    let first = got(story.page(look, look));
    let number = |again: usize| if pace == Pace::Read { 1_000 + look * 10 + again } else { look };
    monitor.confirmed(&first, &mut |again| got(story.page(look, number(again)))).verdict
}

/// How a series ends.
#[derive(Clone, Copy)]
enum End {
    Change(usize),
    Fault(usize),
}

/// One series: noise, and then a change or an error.
fn series(story: &mut dyn Story, quiet: usize, end: End, pace: Pace, counts: &mut Counts) {
    let mut monitor = Monitor::default();
    counts.series += 1;
    assert_eq!(look(&mut monitor, story, 0, pace), Verdict::First, "{}", story.name());
    let mut calm = |monitor: &mut Monitor, story: &mut dyn Story, index: usize, after: &str| {
        let verdict = look(monitor, story, index, pace);
        let right = verdict == Verdict::Unchanged;
        let what = || format!("{}, look {}{after}: {verdict:?}", story.name(), index + 1);
        counts.alarms.add(right, what);
        if index < 3 {
            counts.early.add(right, what);
        } else {
            counts.late.add(right, what);
        }
    };
    for index in 1..quiet {
        calm(&mut monitor, story, index, "");
    }
    match end {
        End::Change(kind) => {
            let (name, told) = story.change(kind);
            let verdict = look(&mut monitor, story, quiet, pace);
            let what = || format!("{}, {name} at look {}: {verdict:?} for {told:?}", story.name(), quiet + 1);
            if let Verdict::Changed { added, removed, .. } = &verdict {
                let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let all = plain(&story.told(&[added.clone(), removed.clone()].concat().join("\n")));
                let named = told.iter().all(|text| all.contains(&plain(text)) || text.len() > 100);
                let clean = story.noise().iter().all(|word| !all.contains(word.as_str()));
                counts.passages.add(named && clean, what);
            }
            counts.missed.add(matches!(verdict, Verdict::Changed { .. }), what);
            calm(&mut monitor, story, quiet + 1, &format!(" after {name}"));
        }
        End::Fault(kind) => {
            let (name, sent) = story.fault(kind);
            let fault = got(sent);
            let verdict = monitor.confirmed(&fault, &mut |_| fault.clone()).verdict;
            let what = || format!("{}, {name}: {verdict:?}", story.name());
            counts.errors.add(matches!(verdict, Verdict::Error { .. }), what);
            calm(&mut monitor, story, quiet + 1, &format!(" after {name}"));
        }
    }
}

/// A way of making stories: how many there are to begin with, and how many changes and errors each can come to.
struct Manner {
    name: &'static str,
    stories: usize,
    changes: usize,
    faults: usize,
    begin: fn(usize, &mut Rng) -> Box<dyn Story>,
}

const MANNERS: [Manner; 2] = [town::MANNER, other::MANNER];

/// Every story with every end, `rounds` times, or every `every`-th of these.
fn run(manner: &Manner, pace: Pace, rounds: usize, every: usize) -> Counts {
    let seed = exacta_testkit::seed();
    let mut counts = Counts::default();
    let ends: Vec<End> = (0..manner.changes).map(End::Change).chain((0..manner.faults).map(End::Fault)).collect();
    let mut rng = Rng(seed);
    for _ in 0..rounds {
        for kind in 0..manner.stories {
            for end in &ends {
                let mut own = Rng(rng.next());
                let quiet = own.pick(&QUIET);
                if own.below(every) == 0 {
                    series(&mut *(manner.begin)(kind, &mut own), quiet, *end, pace, &mut counts);
                }
            }
        }
    }
    let how = if pace == Pace::Read { "noise at every read" } else { "noise from look to look" };
    eprintln!("monitor: {}, {how}: seed {seed}, {} series", manner.name, counts.series);
    counts.alarms.print("false alarms at all looks");
    counts.early.print("of these at the second and third look");
    counts.late.print("and after");
    counts.missed.print("missed changes");
    counts.errors.print("errors not called errors");
    counts.passages.print("passages that name noise or miss the change");
    counts
}

/// Both manners with noise at every read, within the limits. Noise that differs only from look to look no read a moment later can tell from news: a place
/// is told until it is learnt, and nothing is missed for it.
fn both(rounds: usize, every: usize) {
    let all = |pace: Pace| MANNERS.map(|manner| run(&manner, pace, rounds, every));
    let (by_read, by_look) = (all(Pace::Read), all(Pace::Look));
    for counts in &by_read {
        counts.alarms.at_most(2);
        counts.passages.at_most(2);
    }
    for counts in by_read.iter().chain(&by_look) {
        counts.missed.at_most(0);
        counts.errors.at_most(2);
    }
}

#[test]
fn labelled_series() {
    both(1, 6);
}

#[test]
#[ignore = "takes minutes: tools/prove web"]
fn labelled_series_whole() {
    both(std::env::var("EXACTA_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20), 1);
}

/// Writes one series of each story for other monitors, and says what ours makes of the same bytes: `EXACTA_EXPORT/SERIES/LOOK` is what is sent at a look (status, type, and the body after an empty
/// line), `EXACTA_EXPORT/labels` says which look has the change or the error of a series.
#[test]
#[ignore = "writes files for other monitors: see docs/proofs/web.md"]
fn exported() {
    let folder = std::path::PathBuf::from(std::env::var("EXACTA_EXPORT").expect("EXACTA_EXPORT names a folder"));
    let (mut rng, mut labels, quiet) = (Rng(exacta_testkit::seed()), String::new(), 4);
    for manner in &MANNERS {
        for kind in 0..manner.stories {
            let mut own = Rng(rng.next());
            let mut story = (manner.begin)(kind, &mut own);
            let is_change = own.below(2) == 0;
            let ends = if is_change { manner.changes } else { manner.faults };
            let end = own.below(ends);
            let name = format!("{}-{kind}", manner.name);
            let place = folder.join(&name);
            let mut monitor = Monitor::default();
            std::fs::create_dir_all(&place).unwrap();
            for look in 0..=quiet {
                let (label, sent) = match (look == quiet, is_change) {
                    (false, _) => ("quiet", story.page(look, look)),
                    (true, true) => {
                        story.change(end);
                        ("change", story.page(look, look))
                    }
                    (true, false) => ("error", story.fault(end).1),
                };
                let head = format!("{}\n{}\n\n", sent.0, sent.1);
                std::fs::write(place.join(look.to_string()), [head.as_bytes(), &sent.2].concat()).unwrap();
                let seen = got(sent);
                let verdict = monitor.confirmed(&seen, &mut |_| seen.clone()).verdict;
                let said = match verdict {
                    Verdict::First => "NEW",
                    Verdict::Unchanged => "UNCHANGED",
                    Verdict::Changed { .. } => "CHANGED",
                    Verdict::Error { .. } => "ERROR",
                };
                labels.push_str(&format!("{name} {look} {label} {said}\n"));
            }
        }
    }
    std::fs::write(folder.join("labels"), labels).unwrap();
}
