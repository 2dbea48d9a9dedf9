//! What is done beside many plans, counted in calls that read: as many as beside few.

use crate::place::{Place, fix, id};
use exacta_app::{Exit, Request};
use std::sync::atomic::AtomicBool;

/// Where the kernel counts them; some are built without.
const COUNTS: &str = "/proc/thread-self/io";

#[test]
fn a_refused_execution_reads_no_more_beside_many_plans() {
    if !exacta_testkit::offers(std::path::Path::new(COUNTS).exists(), COUNTS) {
        return;
    }
    let reads = |others: usize| {
        let place = Place::new();
        let mut app = place.app();
        for _ in 0..others {
            app.submit(fix().as_bytes(), &Request::default()).unwrap();
        }
        let plan = id(&place.submit(&fix()));
        place.approve(&plan).unwrap();
        place.write("src/greet.py", "somebody was here\n");
        let mut app = place.app();
        let before = calls();
        let cancel = AtomicBool::new(false);
        let refused = app.execute(&plan, Place::execution(&cancel, &mut |_| {}, &mut |_| {})).unwrap_err();
        assert_eq!(refused.exit, Exit::Drifted);
        assert_eq!(app.show(&plan).unwrap().run, None);
        assert_eq!(app.status_of(&plan).unwrap().name(), "expired");
        let calls = calls() - before;
        // The others are of the same file, which is another one now: none of them waits any more.
        assert_eq!(app.status().unwrap().pending.len(), 0);
        calls
    };
    let (few, many) = (reads(25), reads(150));
    assert!(many < few + 20, "{few} calls beside 25 plans, {many} beside 150");
}

/// How often this thread has read.
fn calls() -> u64 {
    let counts = std::fs::read_to_string(COUNTS).unwrap();
    let count = counts.lines().find_map(|line| line.strip_prefix("syscr: "));
    count.unwrap().parse().unwrap()
}
