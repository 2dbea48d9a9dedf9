//! The monitor on labelled series: pages with noise of 29 kinds, into which 25 kinds of change and 17 kinds of error come. All of it is made by a seed,
//! which is printed; `EXACTA_SEED` and `EXACTA_ROUNDS` choose another, and more.

mod change;
mod doc;
mod fault;
mod noise;
mod rng;

use crate::judging::Monitor;
use doc::Doc;
use exacta_web::monitor::Verdict;
use exacta_web::{Got, Page};
use noise::Noise;
use rng::Rng;

/// Looks before anything happens: three to learn from, and some more.
const QUIET: usize = 6;
const SITES: usize = 5;

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

    fn line(&self, name: &str) -> String {
        format!(
            "{name}: {} of {} ({:.2} %)",
            self.wrong.len(),
            self.all,
            100.0 * self.wrong.len() as f64 / self.all.max(1) as f64
        )
    }
}

#[derive(Default)]
struct Counts {
    early: Count,
    alarms: Count,
    missed: Count,
    errors: Count,
    passages: Count,
}

fn see(monitor: &mut Monitor, status: u16, kind: &str, body: Vec<u8>) -> Verdict {
    match Page::kept("https://example.com/page", kind, body) {
        Some(page) => monitor.take(&Ok(Got::Page(Box::new(Page { status, ..page })))).verdict,
        None => panic!("{kind}"),
    }
}

fn look(monitor: &mut Monitor, doc: &Doc, noises: &mut [Noise], site: usize, look: usize) -> Verdict {
    let mut doc = doc.clone();
    for noise in noises.iter_mut() {
        noise.into(&mut doc, look);
    }
    let html = doc.html(site);
    // Only one noise is around a page.
    let (kind, body) = noises.iter().rev().find(|noise| noise.kind < 18).map_or_else(
        || ("text/html; charset=utf-8".to_owned(), html.clone().into_bytes()),
        |noise| noise.around(html.clone(), look),
    );
    see(monitor, 200, &kind, body)
}

/// One series: noise, and then a change or an error.
fn series(seed: u64, site: usize, kind: usize, end: usize, counts: &mut Counts) {
    let mut rng = Rng(seed);
    let mut doc = Doc::new(&mut rng);
    let mut noises = vec![Noise::new(kind, &mut rng)];
    if rng.below(2) == 0 {
        let second = 18 + rng.below(11);
        noises.push(Noise::new(second, &mut rng));
    }
    let name = |noises: &[Noise]| noises.iter().map(|noise| noise::KINDS[noise.kind]).collect::<Vec<_>>().join(" + ");
    let mut monitor = Monitor::default();
    for index in 0..QUIET {
        let verdict = look(&mut monitor, &doc, &mut noises, site, index);
        let right = matches!(verdict, Verdict::First | Verdict::Unchanged);
        let place = if index < 3 { &mut counts.early } else { &mut counts.alarms };
        place.add(right, || format!("site {site}, {}, look {index}: {verdict:?}", name(&noises)));
    }
    if end < change::KINDS.len() {
        let told = change::change(end, &mut doc, &mut rng);
        let verdict = look(&mut monitor, &doc, &mut noises, site, QUIET);
        let what = || format!("site {site}, {}, {}: {verdict:?} for {told:?}", name(&noises), change::KINDS[end]);
        counts.missed.add(matches!(verdict, Verdict::Changed { .. }), what);
        if let Verdict::Changed { added, removed, .. } = &verdict {
            let all = [added.clone(), removed.clone()].concat().join("\n");
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let named = told.iter().all(|text| {
                plain(&all).replace("wouldn't \"stay\"", "would stay").replace(" - ", " to ").contains(&plain(text))
                    || text.len() > 100
            });
            let clean = noises.iter().flat_map(|noise| &noise.words).all(|word| !all.contains(word.as_str()));
            counts.passages.add(named && clean, what);
        }
        let verdict = look(&mut monitor, &doc, &mut noises, site, QUIET + 1);
        counts.alarms.add(verdict == Verdict::Unchanged, || {
            format!("after: site {site}, {}, {}: {verdict:?}", name(&noises), change::KINDS[end])
        });
    } else {
        let end = end - change::KINDS.len();
        let (status, kind, body) = fault::fault(end, &doc, site);
        let verdict = see(&mut monitor, status, kind, body.into_bytes());
        counts.errors.add(matches!(verdict, Verdict::Error { .. }), || {
            format!("site {site}, {}: {verdict:?}", fault::KINDS[end])
        });
        let verdict = look(&mut monitor, &doc, &mut noises, site, QUIET + 1);
        counts
            .alarms
            .add(verdict == Verdict::Unchanged, || format!("recovered: site {site}, {}: {verdict:?}", name(&noises)));
    }
}

/// Every noise with every end, so many times; or every so many of these.
fn run(rounds: usize, every: usize) {
    let seed = exacta_testkit::seed();
    let mut counts = Counts::default();
    let ends = change::KINDS.len() + fault::KINDS.len();
    let mut rng = Rng(seed);
    let mut all = 0;
    for _ in 0..rounds {
        for kind in 0..noise::KINDS.len() {
            for end in 0..ends {
                let (site, seed) = (rng.below(SITES), rng.next());
                if rng.below(every) == 0 {
                    series(seed, site, kind, end, &mut counts);
                    all += 1;
                }
            }
        }
    }
    eprintln!("monitor: seed {seed}, {all} series on {SITES} sites, {} looks before the end", QUIET);
    for (name, count) in [
        ("told while learning", &counts.early),
        ("false alarms", &counts.alarms),
        ("missed changes", &counts.missed),
        ("errors not called errors", &counts.errors),
        ("passages that name noise or miss the change", &counts.passages),
    ] {
        eprintln!("{}", count.line(name));
        for wrong in count.wrong.iter().take(if name == "told while learning" { 3 } else { 12 }) {
            eprintln!("    {}", wrong.chars().take(600).collect::<String>());
        }
    }
    let at_most = |count: &Count, percent: usize| {
        assert!(count.wrong.len() * 100 <= count.all * percent, "{:?}", count.wrong.first())
    };
    at_most(&counts.alarms, 2);
    at_most(&counts.missed, 0);
    at_most(&counts.errors, 2);
    at_most(&counts.passages, 2);
}

#[test]
fn labelled_series() {
    run(1, 4);
}

#[test]
#[ignore = "takes minutes: tools/prove web"]
fn labelled_series_whole() {
    run(std::env::var("EXACTA_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20), 1);
}
