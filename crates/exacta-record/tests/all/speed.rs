//! What it costs. Only meaningful with `--release`; run by hand: `cargo test --release -p exacta-record -- --ignored speed`.

use crate::project::{Project, at, correlation, created, new_plan, plan_id};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hash::Digest;
use std::path::Path;
use std::time::{Duration, Instant};

fn time<T>(work: impl Fn() -> T) -> Duration {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    };
    (0..5).map(|_| once()).min().unwrap()
}

/// Hashes the log and all files for people: what verifying reads, but for the database.
fn hash_all(dir: &Path) -> u64 {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes += hash_all(&path);
        } else if !path.file_name().unwrap().to_string_lossy().starts_with("state.db") {
            let content = std::fs::read(&path).unwrap();
            std::hint::black_box(Digest::of(&content));
            bytes += content.len() as u64;
        }
    }
    bytes
}

#[test]
#[ignore = "a measurement"]
fn speed_of_verifying() {
    let project = Project::new();
    let mut store = project.open();
    for batch in 0..100 {
        let entries: Vec<EntryDraft> = (0..1000)
            .map(|n| {
                let draft =
                    EntryDraft::new(Event::ProposalRefused, Actor::agent("an agent"), "PLAN_PARSE_NONJSON: prose");
                draft.about(&correlation(batch * 50 + n / 20), &plan_id(n))
            })
            .collect();
        store.record(&entries, at(1)).unwrap();
    }
    let log = project.exacta().join("audit.log");
    let hashed = time(|| Digest::of(&std::fs::read(&log).unwrap()));
    let all = time(|| hash_all(&project.exacta()));
    let verified = time(|| project.verify().unwrap());
    let bytes = std::fs::metadata(&log).unwrap().len();
    println!("100000 entries, {bytes} bytes: hashing the log {hashed:?}, all files {all:?}, verifying {verified:?}");
    assert!(cfg!(debug_assertions) || verified <= all * 3, "{:.2}", verified.as_secs_f64() / all.as_secs_f64());
}

#[test]
#[ignore = "a measurement"]
fn speed_of_inserting_among_many() {
    let (empty, full) = (Project::new(), Project::new());
    let mut store = full.open();
    for n in 0..5_000 {
        store.insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
    }
    let insert = |project: &Project, first: u64| {
        let start = Instant::now();
        for n in first..first + 200 {
            project.open().insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
        }
        start.elapsed() / 200
    };
    let (few, many) = (insert(&empty, 10_000), insert(&full, 10_000));
    println!("open and insert: {few:?} into an empty store, {many:?} among 5000 plans");
    assert!(cfg!(debug_assertions) || many.as_secs_f64() <= few.as_secs_f64() * 1.5);
    let verified = time(|| full.verify().unwrap());
    let hashed = time(|| hash_all(&full.exacta()));
    println!("5200 plans: hashing all files {hashed:?}, verifying {verified:?}");
    assert!(cfg!(debug_assertions) || verified <= hashed * 3, "{:.2}", verified.as_secs_f64() / hashed.as_secs_f64());
}
