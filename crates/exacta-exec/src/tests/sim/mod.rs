//! The simulator: no crash, however timed and however often, leaves a torn project; and every sync and every word of the
//! journal is needed for that.

mod explore;
mod fs;
mod world;

use super::project::{change, content, undo, work};
use crate::fs::Fs as _;
use crate::mark::Mark;
use crate::work::FileWork;
use exacta_kernel::plan::Change;
use explore::{Explorer, Scenario, judge, recover, run};
use fs::{Script, Sim};
use rustix::io::Errno;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use world::World;

fn scenario(name: &'static str, files: &[(&str, &str, u32)], changes: Vec<Change>) -> Scenario {
    Scenario { name, world: World::new(files), work: work(1, changes) }
}

fn modify(at: &str) -> Change {
    change(at, content("old\n", 0o644), content("newer\n", 0o644))
}

fn scenarios() -> Vec<Scenario> {
    let old = |at: &'static str| (at, "old\n", 0o644);
    let create = |at: &str| change(at, None, content("made\n", 0o600));
    let delete = |at: &str| change(at, content("old\n", 0o644), None);
    vec![
        scenario("modify two", &[old("a"), old("d/b")], vec![modify("a"), modify("d/b")]),
        scenario("create two in new folders", &[old("a")], vec![create("b"), create("x/y/c")]),
        scenario("delete two", &[old("a"), old("d/b"), old("d/c")], vec![delete("a"), delete("d/b")]),
        scenario("modify and create", &[old("a")], vec![modify("a"), create("x/c")]),
        scenario("modify and delete", &[old("a"), old("b")], vec![modify("a"), delete("b")]),
        scenario("create and delete", &[old("a")], vec![delete("a"), create("c")]),
        scenario(
            "mode only",
            &[old("a"), old("b")],
            vec![change("a", content("old\n", 0o644), content("old\n", 0o755)), modify("b")],
        ),
        scenario("a file gives way to a folder", &[old("a")], vec![delete("a"), create("a/b")]),
        scenario("a folder gives way to a file", &[old("a/b")], vec![delete("a/b"), create("a")]),
        undone(),
    ]
}

/// An undo after a run whose journal is still there.
fn undone() -> Scenario {
    let first =
        scenario("", &[("a", "old\n", 0o644)], vec![modify("a"), change("x/c", None, content("made\n", 0o600))]);
    let sim = Sim::new(first.world.clone(), Script::Nothing, false);
    run(&sim, &first.work).unwrap();
    let mut worlds = Vec::new();
    sim.world.borrow().after_power_cut(|world| worlds.push(world));
    Scenario { name: "undo", world: worlds.pop().unwrap(), work: undo(2, &first.work) }
}

#[test]
fn no_crash_leaves_a_torn_project() {
    for scenario in scenarios() {
        let findings = scenario.explore(Script::Nothing, false);
        let torn = findings.torn.first();
        assert!(
            torn.is_none(),
            "{}: {} torn of {}: {}",
            scenario.name,
            findings.torn.len(),
            findings.states,
            torn.unwrap()
        );
    }
}

#[test]
#[ignore = "takes minutes: three steps at once"]
fn no_crash_leaves_a_torn_project_of_three() {
    let changes =
        vec![modify("a"), change("b", content("old\n", 0o644), None), change("x/c", None, content("new\n", 0o644))];
    let three = scenario("one of each", &[("a", "old\n", 0o644), ("b", "old\n", 0o644)], changes);
    let findings = three.explore(Script::Nothing, true);
    eprintln!("{} states, none torn", findings.states);
    assert_eq!(findings.torn.first(), None);
}

/// Every sync of a run, and every word of its journal, is needed: without it some crash tears the project.
#[test]
fn dropping_any_sync_or_journal_write_is_found() {
    for scenario in scenarios() {
        for (index, call) in scenario.calls().iter().enumerate() {
            let journal = ["intent", "commit", "done"].contains(&call.on.as_str());
            if call.what.starts_with("sync") || (journal && call.what != "remove") {
                let findings = scenario.explore(Script::Drop(index), true);
                assert!(!findings.torn.is_empty(), "{}: nobody misses {call:?}", scenario.name);
            }
        }
    }
}

/// The same for recovery: from wherever a run was killed, its syncs and marks are needed.
#[test]
fn dropping_any_sync_of_a_recovery_is_found() {
    let mut missed: BTreeMap<String, bool> = BTreeMap::new();
    for scenario in scenarios() {
        let sim = Sim::new(scenario.world.clone(), Script::Nothing, true);
        run(&sim, &scenario.work).unwrap();
        let back = format!(".exacta/exec/{}", Mark::Back.name(sim.key(), &scenario.work.run_id));
        let either = Rc::new(vec![scenario.before(), scenario.after()]);
        for killed in sim.moments.into_inner() {
            for decided_back in [false, true] {
                let mut killed = killed.clone();
                let allowed = if decided_back && killed.area().keys().any(|name| name.ends_with(".commit")) {
                    killed.save(&back, "", 0o600);
                    Rc::new(vec![scenario.before()])
                } else {
                    Rc::clone(&either)
                };
                drop_each(&killed, &scenario.work, &allowed, &mut missed);
            }
        }
    }
    assert!(missed.len() > 5, "{missed:?}");
    assert!(missed.values().all(|missed| *missed), "nobody misses some of {missed:#?}");
}

fn word(outcome: &crate::Outcome) -> &'static str {
    match outcome {
        crate::Outcome::Completed(_) => "completed",
        crate::Outcome::RolledBack | crate::Outcome::NothingDone | crate::Outcome::NoTrace => "rolled back",
        crate::Outcome::NotAdopted => "not adopted",
        crate::Outcome::EditsKept(_) | crate::Outcome::Contradicted(_) => "for a person",
    }
}

/// Drops each sync and mark of the recovery from one state in turn, and notes which of them, by kind, someone misses.
fn drop_each(killed: &World, work: &FileWork, allowed: &Rc<Vec<world::Shape>>, missed: &mut BTreeMap<String, bool>) {
    let sim = Sim::new(killed.clone(), Script::Nothing, false);
    let Ok(recovered) = recover(&sim) else { return };
    let Some(ended) = recovered.first().map(|run| run.outcome.clone()) else { return };
    let how = word(&ended);
    for (index, call) in sim.calls.borrow().iter().enumerate() {
        if !call.what.starts_with("sync") && call.on != "done" {
            continue;
        }
        let kind = format!("{how}: {} {}", call.what, call.on);
        if missed.get(&kind) == Some(&true) {
            continue;
        }
        let dropping = Sim::new(killed.clone(), Script::Drop(index), true);
        let outcome = recover(&dropping);
        let mut explorer = Explorer::new(true);
        for moment in dropping.moments.into_inner() {
            explorer.kill_or_cut(&moment, allowed);
        }
        let end = dropping.world.into_inner();
        // Or it is noticed at once, and the run put back.
        let noticed = |runs: &[crate::Recovered]| runs.first().is_none_or(|run| run.outcome != ended);
        let torn = judge(&outcome, &end, allowed).is_some() || outcome.as_deref().is_ok_and(noticed);
        if how == "completed" {
            explorer.after_success(&end, end.shape(), work);
        }
        explorer.kill_or_cut(&end, &Rc::new(vec![end.shape()]));
        explorer.go();
        *missed.entry(kind).or_default() |= torn || !explorer.findings.torn.is_empty();
    }
}

/// Whatever call fails, with whatever error: reported, and the project as before, or settled by recovery.
#[test]
fn no_failing_call_leaves_a_torn_project() {
    for scenario in scenarios() {
        let (before, after) = (scenario.before(), scenario.after());
        for at in 0..scenario.count() {
            for errno in [Errno::IO, Errno::NOSPC, Errno::ACCESS, Errno::INVAL] {
                let sim = Sim::new(scenario.world.clone(), Script::Fail(at, errno), false);
                let outcome = run(&sim, &scenario.work);
                let world = sim.world.into_inner();
                let place = format!("{} call {at} {errno:?}: {outcome:?}", scenario.name);
                match &outcome {
                    Ok(_) => assert_eq!(world.shape(), after, "{place}"),
                    Err(error) if error.is_unsettled() => {}
                    Err(_) => assert_eq!(world.shape(), before, "{place}"),
                }
                let allowed = match outcome {
                    Ok(_) => vec![after.clone()],
                    Err(_) => vec![before.clone()],
                };
                let again = Sim::new(world, Script::Nothing, false);
                let recovered = recover(&again);
                assert_eq!(judge(&recovered, &again.world.borrow(), &allowed), None, "{place}");
            }
        }
    }
}

/// An editor saves a target at any moment of a run: its bytes are in the target or put aside, and the rest is whole.
#[test]
fn a_save_during_a_run_is_kept() {
    for scenario in scenarios() {
        let (before, after) = (scenario.before(), scenario.after());
        let is_folder = |world: &World, path: &str| world.lookup(path).is_some_and(|id| world.dir(id).is_some());
        let target = if is_folder(&scenario.world, "a") { "a/b" } else { "a" };
        let Some(old) = scenario.world.lookup(target) else { continue };
        let did_save = Cell::new(false);
        let save = |world: &mut World| {
            // No file takes the place of a folder by a rename, and none goes into a file.
            let is_blocked = is_folder(world, target)
                || (target != "a" && world.lookup("a").is_some_and(|id| world.file(id).is_some()));
            if !is_blocked {
                world.save(target, SAVED, 0o644);
                did_save.set(true);
            }
        };
        let in_place = |world: &mut World| {
            if let Some(id) = world.lookup(target).filter(|_| !is_folder(world, target)) {
                world.write_in_place(id, SAVED, None);
                did_save.set(true);
            }
        };
        let held = |world: &mut World| {
            world.write_in_place(old, SAVED, None);
            did_save.set(true);
        };
        let editors: [(&str, Editor<'_>); 3] = [("rename", &save), ("in place", &in_place), ("held", &held)];
        // From the done record on, what is written into a replaced file is its writer's own loss.
        let done = scenario.calls().iter().find(|call| call.on == "done").unwrap().number;
        for (how, editor) in editors {
            let mut count = 0;
            for at in 0..if how == "held" { done } else { scenario.count() } {
                did_save.set(false);
                let sim = Sim::new(scenario.world.clone(), Script::Meanwhile(at, editor), false);
                let outcome = run(&sim, &scenario.work);
                let world = sim.world.into_inner();
                let place = format!("{}, {how} at {at}: {outcome:?} {:?}", scenario.name, world.shape());
                let without = |shape: &world::Shape| {
                    let mut shape = shape.clone();
                    shape.retain(|path, _| path != target && path != "a");
                    shape
                };
                let rest = without(&world.shape());
                let expected = if outcome.is_ok() { without(&after) } else { without(&before) };
                assert_eq!(rest, expected, "{place}");
                let saved = |shape: world::Shape| shape.values().flatten().any(|data| *data.bytes == SAVED.as_bytes());
                assert!(saved(world.shape()) || saved(world.area()) || !did_save.get(), "lost: {place}");
                count += usize::from(did_save.get());
            }
            assert!(count > 10, "{}, {how}: {count} saves", scenario.name);
        }
    }
}

/// Somebody takes the journal away at any moment of a run: it is put back, or never was; a run that can no longer be undone is no
/// success.
#[test]
fn a_journal_taken_away_during_a_run_ends_it() {
    for scenario in scenarios() {
        let sim = Sim::new(scenario.world.clone(), Script::Nothing, false);
        let key = sim.key();
        let take = |world: &mut World| {
            let folder = world.lookup(".exacta/exec").unwrap();
            let commit = Mark::Commit.name(key, &scenario.work.run_id);
            for name in [format!("{}.intent", scenario.work.run_id), commit] {
                world.set_name(folder, &name, None);
            }
        };
        let calls = scenario.calls();
        let number = |on: &str| calls.iter().find(|call| call.on == on).unwrap().number;
        for at in number("intent") + 1..=number("done") {
            let sim = Sim::new(scenario.world.clone(), Script::Meanwhile(at, &take), false);
            let outcome = run(&sim, &scenario.work);
            let world = sim.world.into_inner();
            let there = world.area().keys().any(|name| name.ends_with(".done"));
            let place = format!("{} at {at}: {outcome:?} {:?}", scenario.name, world.area());
            match outcome {
                // Between the last look and the done record.
                Ok(_) => assert!(there || at == number("done"), "{place}"),
                Err(error) => assert!(!error.is_unsettled() && world.shape() == scenario.before(), "{place}"),
            }
        }
    }
}

const SAVED: &str = "saved by an editor\n";

type Editor<'a> = &'a dyn Fn(&mut World);
