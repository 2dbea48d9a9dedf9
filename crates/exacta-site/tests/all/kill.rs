//! The process dies: before and after everything that it writes on this machine or asks of the site. The next one brings the run
//! to its end.

use crate::site::{State, VERSION, all, client, drafted, fields, make, probed};
use crate::spine::{permitted, run_id};
use exacta_effect::Outcome;
use exacta_site::{Op, Page, Patience};
use exacta_testkit::{Running, WordPress, program, seed};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(10), answer: Duration::from_secs(10), settle: Duration::from_secs(5) };

/// What the child does: a run, in a process that is killed from outside.
#[test]
fn child() {
    let Ok(told) = std::env::var("EXACTA_SITE_CHILD") else { return };
    let told: Value = serde_json::from_str(&told).unwrap();
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    let account = exacta_site::Account::new("editor", &text("password"));
    let client =
        exacta_site::Client::new(exacta_site::SiteUrl::parse(&text("url")).unwrap(), account, PATIENCE).unwrap();
    let state = exacta_effect::Folder::open(std::path::Path::new(&text("state"))).unwrap();
    let images = exacta_site::Images::open(&state).unwrap();
    let pages = exacta_site::Pages::new("blog", &client, images);
    let effects = exacta_effect::Effects::open(&state, &crate::site::KEY, vec![&pages]).unwrap();
    let steps: Vec<Value> = told["steps"].as_array().unwrap().clone();
    let never = std::sync::atomic::AtomicBool::new(false);
    let entered = effects.permitted(permitted(&steps, 1)).stage().unwrap().entered();
    let outcome =
        entered.perform(&mut exacta_effect::Options { cancel: &never, holds: &|| Ok(()), observer: &mut |_| {} });
    assert!(matches!(outcome, Ok(Outcome::Completed { .. })), "{outcome:?}");
}

/// Killed by strace at the n-th call of a kind that writes here or speaks with the site.
#[test]
fn whoever_dies_leaves_pages_as_before_or_as_approved() {
    if !program("strace") {
        return;
    }
    let Some(wordpress) = WordPress::start(VERSION, &[]) else { return };
    let (admin, _) = probed(&wordpress, "admin");
    let ids: Vec<u64> = (1..=2).map(|number| make(&wordpress, "admin", &json!({ "title": format!("Old {number}"), "content": "old", "status": "publish", "slug": format!("old-{number}") }))).collect();
    let stored = wordpress.stored();
    let site = probed(&wordpress, "editor");
    let before = all(&admin);
    let new = |number: usize| json!({ "title": format!("New title {number}"), "content": "<p>n</p>", "slug": format!("new-{number}") });
    let updates = [
        drafted(&site.0, &site.1, 1, (Op::Update, Some(ids[0])), fields(1)),
        drafted(&site.0, &site.1, 2, (Op::Trash, Some(ids[1])), json!({})),
    ];
    let creates = [
        drafted(&site.0, &site.1, 1, (Op::Create, None), new(1)),
        drafted(&site.0, &site.1, 2, (Op::Create, None), new(2)),
    ];
    let mut ends = std::collections::BTreeMap::<String, usize>::new();
    let mut tried = 0;
    for steps in [updates, creates] {
        for call in ["fsync", "renameat2", "connect", "writev"] {
            let points = count(&wordpress, &stored, &steps, call);
            assert!(points > 2, "{call}: {points}");
            // A few of each, by the seed; all with EXACTA_WHOLE.
            let every = if std::env::var_os("EXACTA_WHOLE").is_some() { 1 } else { points / 3 };
            for nth in (1..=points).filter(|nth| (nth + seed() as usize).is_multiple_of(every.max(1))) {
                tried += 1;
                wordpress.put_back(&stored);
                let state = State::new();
                strace(&wordpress, &state, &steps, &["-e", &format!("inject={call}:signal=KILL:when={nth}")]);
                let client = client(&wordpress, "editor", PATIENCE);
                let recovered = state.recover(&client);
                // Whoever dies after the last line of the journal leaves nothing to recover: the run is over.
                let outcome = match recovered.as_slice() {
                    [] => state.outcome(&client, &run_id(1)),
                    [one] => Some(one.outcome.clone()),
                    more => panic!("{more:?}"),
                };
                let end = outcome.as_ref().map_or_else(|| "no end".to_owned(), end);
                assert!(recovered.iter().all(|one| one.run_id == run_id(1)));
                let now = all(&admin);
                let torn = torn(&before, &now, outcome.as_ref());
                assert!(torn.is_none(), "{call} {nth}: {end}: {torn:?}");
                *ends.entry(end).or_default() += 1;
                assert!(state.recover(&client).is_empty(), "it is over");
            }
        }
    }
    println!("killed at {tried} points: {ends:?}");
}

fn end(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed { .. } => "completed",
        Outcome::RolledBack { .. } => "rolled back",
        Outcome::NothingDone => "nothing done",
        Outcome::Unknown { .. } => "unknown",
        other => panic!("{other:?}"),
    }
    .to_owned()
}

/// The page that is neither as before nor as approved, or there twice, though nobody said so.
fn torn(before: &[Page], now: &[Page], outcome: Option<&Outcome>) -> Option<String> {
    let live = |page: &&Page| page.status != "trash" || before.iter().any(|was| was.id == page.id);
    let changed: Vec<&Page> = now.iter().filter(|page| !before.contains(page)).filter(live).collect();
    let whole = |page: &&&Page| {
        (page.title.starts_with("New title") && !page.slug.starts_with("exacta-"))
            || page.status == "trash" && page.slug.ends_with("__trashed") && page.title.starts_with("Old")
    };
    let odd = changed.iter().filter(|page| !whole(page)).count();
    let limit = usize::from(matches!(outcome, Some(Outcome::Unknown { .. })));
    let mut titles: Vec<&str> =
        changed.iter().filter(|page| page.title.starts_with("New")).map(|page| page.title.as_str()).collect();
    titles.sort_unstable();
    titles.dedup();
    let twice = titles.len() != changed.iter().filter(|page| page.title.starts_with("New")).count();
    let fits = match outcome {
        Some(Outcome::Completed { .. }) => changed.len() == 2,
        None | Some(Outcome::RolledBack { .. } | Outcome::NothingDone) => changed.is_empty(),
        _ => true,
    };
    (odd > limit || twice || !fits).then(|| format!("{changed:#?}"))
}

/// How many calls of a kind a whole run makes.
fn count(wordpress: &WordPress, stored: &[u8], steps: &[Value], call: &str) -> usize {
    wordpress.put_back(stored);
    let state = State::new();
    let log = state.folder.path().join("calls");
    strace(wordpress, &state, steps, &["-e", &format!("trace={call}"), "-o", log.to_str().unwrap()]);
    let calls = std::fs::read_to_string(log).unwrap();
    calls.lines().filter(|line| line.contains(&format!("{call}("))).count()
}

fn strace(wordpress: &WordPress, state: &State, steps: &[Value], options: &[&str]) {
    let told = json!({ "url": wordpress.url(), "password": wordpress.password("editor"), "state": state.folder.path(), "steps": steps });
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq"]).args(options);
    if !options.contains(&"-o") {
        strace.args(["-o", "/dev/null"]);
    }
    strace.arg(std::env::current_exe().unwrap()).args(["--exact", "kill::child", "--test-threads=1"]);
    strace.env("EXACTA_SITE_CHILD", told.to_string()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Running::start(&mut strace).wait();
}
