//! Many at once: exactly one wins, and nothing is lost.

use crate::project::{Project, at, created, draft, new_plan, new_run, plan_id, request, run_id, signed};
use exacta_kernel::audit::Event;
use exacta_kernel::lifecycle::Status::{Expired, Pending, Rejected, UserApproved};
use exacta_record::{Change, EntryFilter, NewPlan, Outcome, Record, RecordError, Start};
use std::sync::Barrier;
use std::thread;

#[test]
fn of_many_that_race_exactly_one_wins() {
    const RACERS: u64 = 8;
    const ROUNDS: u64 = 6;
    let project = Project::new();
    for round in 0..ROUNDS {
        project.open().insert_plan(&new_plan(round), &created(round), at(1)).unwrap();
        let barrier = Barrier::new(RACERS as usize);
        let race = |racer: u64| {
            let store = project.try_open();
            // One that fails before this would leave the others waiting.
            barrier.wait();
            let mut store = store.unwrap();
            let to = [UserApproved, Rejected, Expired][racer as usize % 3];
            let approval = (to == UserApproved).then(|| signed(round));
            let change = Change { from: Pending, to, approval, also_expire: None };
            let won = store.transition(&plan_id(round), &change, &[draft(Event::PlanApproved, round)], at(2)).unwrap();
            let run = new_run(round * RACERS + racer, round, None);
            let start = store
                .start_run(&request(&run, &[UserApproved], 99), &[draft(Event::RunStarted, round)], at(3))
                .unwrap();
            (won == Outcome::Done, start == Start::Started)
        };
        let race = &race;
        let won: Vec<(bool, bool)> = thread::scope(|scope| {
            let racers: Vec<_> = (0..RACERS).map(|racer| scope.spawn(move || race(racer))).collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        assert_eq!(won.iter().filter(|(won, _)| *won).count(), 1, "{won:?}");
        let status = project.open().plan(&plan_id(round)).unwrap().unwrap().status;
        let started = won.iter().filter(|(_, started)| *started).count();
        assert_eq!(started, usize::from(status == UserApproved), "{status}");
    }
    let entries = project.open().entries(&EntryFilter::default()).unwrap();
    assert!(entries.iter().enumerate().all(|(index, entry)| entry.seq == index as u64));
    project.verify().unwrap();
    assert!(project.open().run(&run_id(9999)).unwrap().is_none());
}

#[test]
fn many_can_open_a_new_project_at_once() {
    for _ in 0..10 {
        let project = Project::new();
        thread::scope(|scope| {
            for n in 0..8 {
                let project = &project;
                scope.spawn(move || project.open().insert_plan(&new_plan(n), &created(n), at(1)).unwrap());
            }
        });
        assert_eq!(project.verify().unwrap().plans, 8);
    }
}

/// A new version ends the one before it in the same moment, and of two that want its place one gets it.
#[test]
fn one_version_takes_the_place_of_another() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    let next = |n| NewPlan { revises: Some(plan_id(1)), version: 2, ..new_plan(n) };
    store.insert_plan(&next(2), &created(2), at(2)).unwrap();
    let status = |store: &Record, n| store.plan(&plan_id(n)).unwrap().map(|plan| plan.status);
    assert_eq!(status(&store, 1), Some(Expired));
    let lost = store.insert_plan(&next(3), &created(3), at(3)).unwrap_err();
    assert!(matches!(lost, RecordError::NotATransition { from: Expired, .. }), "{lost}");
    assert_eq!((status(&store, 2), status(&store, 3)), (Some(Pending), None));
    project.verify().unwrap();
}
