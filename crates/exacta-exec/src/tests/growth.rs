//! What a run costs does not grow with the runs that are kept.

use super::kill::cost;
use super::project::*;
use crate::Retention;
use exacta_testkit::program;
use std::time::Duration;

/// Nothing goes.
pub(super) const KEEP: Retention<'static> =
    Retention { older_than: Duration::from_secs(30 * 86_400), size_cap: u64::MAX, keep: &|_| true };

/// A project with this many runs that are over.
fn beside(runs: u32) -> Project {
    let project = Project::new(&EVERYTHING);
    let flip = |number: u32| {
        let (old, new) = (content("one\n", 0o644), content("two\n", 0o644));
        let (before, after) = if number.is_multiple_of(2) { (old, new) } else { (new, old) };
        work(number, vec![change("flipped", before, after)])
    };
    put(&project.at("flipped"), "one\n", 0o644);
    for number in 0..runs {
        project.run(&flip(1000 + number)).unwrap();
    }
    project.root.collect_when_due(&KEEP, &run_id(1000)).unwrap();
    assert_eq!(project.traces().len(), runs as usize);
    project
}

/// Attack 37: neither the calls of a run and what follows it, nor what they read of folders, are more beside 300 kept runs than beside
/// ten. Nor are those of a recovery that finds nothing to do.
#[test]
fn a_run_costs_the_same_beside_many_as_beside_few() {
    if !program("strace") {
        return;
    }
    for what in ["recover", "collect"] {
        let [few, many] = [10, 300].map(|runs| cost(what, beside(runs).dir.path()));
        assert!(few.0 > 3, "{what}: {few:?}");
        assert_eq!(few, many, "{what}: calls, and bytes of folders");
    }
}

/// What was counted holds for a day and the same limits; beyond the cap the oldest go, and some more.
#[test]
fn journals_are_counted_again_when_it_is_due() {
    let project = beside(20);
    let size = std::fs::metadata(project.at(&marked(1000, crate::mark::Mark::Done))).unwrap().len();
    project.run(&work(1, vec![change("apart", None, content("x", 0o644))])).unwrap();
    let collect = |size_cap| {
        let keep = &|_: &_| false;
        let runs = project.root.collect_when_due(&Retention { size_cap, keep, ..KEEP }, &run_id(1)).unwrap().runs;
        runs.len()
    };
    assert_eq!(collect(u64::MAX), 0);
    let left = |gone: usize| project.traces().len() == 21 - gone;
    let gone = collect(16 * size);
    assert!((5..=9).contains(&gone) && left(gone), "{gone}");
    assert_eq!(collect(16 * size), 0, "an eighth is free");
}
