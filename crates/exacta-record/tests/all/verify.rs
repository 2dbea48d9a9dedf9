//! Whatever is changed from outside is found, and the place is named.

use crate::project::{Project, at, created, draft, new_plan, new_run, plan_id, request, run_id, signed};
use exacta_kernel::audit::Event;
use exacta_kernel::lifecycle::Status::{Pending, UserApproved};
use exacta_record::{Change, Outcome, Place, RunState, Start, VerifyError};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// A project with 200 entries, to be tampered with.
fn project() -> Project {
    static MADE: OnceLock<Project> = OnceLock::new();
    let project = Project::new();
    copy(MADE.get_or_init(make).dir.path(), project.dir.path());
    project
}

/// 200 entries: plans, one of them approved, run and undone.
fn make() -> Project {
    let project = Project::new();
    let mut store = project.open();
    for n in 1..=97 {
        store.insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
    }
    let approve = Change { from: Pending, to: UserApproved, approval: Some(signed(7)), also_expire: None };
    let done = store.transition(&plan_id(7), &approve, &[draft(Event::PlanApproved, 7)], at(2)).unwrap();
    assert_eq!(done, Outcome::Done);
    for (run, undoes) in [(1, None), (2, Some(1))] {
        let start = [draft(Event::RunStarted, 7)];
        let started = store.start_run(&request(&new_run(run, 7, undoes), &[UserApproved], 1), &start, at(3)).unwrap();
        assert_eq!(started, Start::Started);
        let end = [draft(Event::PlanExecuted, 7)];
        store.finish_run(&run_id(run), RunState::Completed, &json!([1]), &end, at(4)).unwrap();
    }
    store.record(&[draft(Event::PolicyChanged, 7)], at(5)).unwrap();
    project
}

fn first_found(project: &Project) -> Place {
    match project.verify() {
        Err(VerifyError::Tampered(found)) => found[0].place.clone(),
        other => panic!("{other:?}"),
    }
}

/// Runs SQL on the database, as somebody who can write in the folder could.
fn sql(project: &Project, sql: &str) {
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn an_untouched_record_verifies() {
    let project = project();
    let mut report = project.verify().unwrap();
    assert!(report.bytes > 50_000);
    report.bytes = 0;
    insta::assert_debug_snapshot!(report);
}

#[test]
fn any_change_of_a_line_is_found_at_that_line() {
    let project = project();
    let path = project.exacta().join("audit.log");
    let log = fs::read(&path).unwrap();
    let starts: Vec<usize> = [0].into_iter().chain((1..log.len()).filter(|n| log[n - 1] == b'\n')).collect();
    assert_eq!(starts.len(), 200);
    let line_of = |place: usize| starts.iter().filter(|start| **start <= place).count() as u64;
    let everywhere_in_line_5 = (starts[4]..starts[5]).step_by(3);
    let once_in_every_line = starts.iter().enumerate().map(|(line, start)| start + (line * 37) % 200);
    for place in everywhere_in_line_5.chain(once_in_every_line) {
        let mut changed = log.clone();
        changed[place] ^= 1 << (place % 7);
        fs::write(&path, &changed).unwrap();
        assert_eq!(first_found(&project), Place::Line(line_of(place)), "byte {place}");
    }
}

#[test]
fn every_changed_line_is_named() {
    let project = project();
    let path = project.exacta().join("audit.log");
    let log = fs::read_to_string(&path).unwrap();
    let change =
        |(n, line): (usize, &str)| if n % 50 == 3 { line.replace("because", "for fun") } else { line.to_owned() };
    fs::write(&path, log.split_inclusive('\n').enumerate().map(change).collect::<String>()).unwrap();
    let Err(VerifyError::Tampered(found)) = project.verify() else { panic!("it must be found") };
    let places: Vec<Place> = found.into_iter().map(|found| found.place).collect();
    assert_eq!(places, [4, 54, 104, 154].map(Place::Line));
}

#[test]
fn lines_removed_swapped_repeated_added_or_cut_are_found() {
    let project = project();
    let path = project.exacta().join("audit.log");
    let log = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let put = |lines: &[&str]| fs::write(&path, lines.concat()).unwrap();
    for line in (0..200).step_by(7).chain([199]) {
        let mut changed = lines.clone();
        changed.remove(line);
        put(&changed);
        assert_eq!(first_found(&project), Place::Line(line as u64 + 1), "removed");
        let mut changed = lines.clone();
        changed.insert(line, lines[line]);
        put(&changed);
        assert_eq!(first_found(&project), Place::Line(line as u64 + 2), "repeated");
        if line + 1 < 200 {
            let mut changed = lines.clone();
            changed.swap(line, line + 1);
            put(&changed);
            assert_eq!(first_found(&project), Place::Line(line as u64 + 1), "swapped");
        }
        // One without any line is told apart.
        if line > 0 {
            put(&lines[..line]);
            assert_eq!(first_found(&project), Place::Line(line as u64 + 1), "cut");
        }
        fs::write(&path, &log[..lines[..=line].concat().len() - 3]).unwrap();
        assert_eq!(first_found(&project), Place::Line(line as u64 + 1), "torn");
    }
    fs::write(&path, format!("{log}{{}}\n")).unwrap();
    assert_eq!(first_found(&project), Place::Line(201));
    fs::remove_file(&path).unwrap();
    assert_eq!(first_found(&project), Place::File(project.exacta().canonicalize().unwrap().join("audit.log")));
}

#[test]
fn what_a_crash_leaves_is_no_tampering() {
    let project = project();
    let (checkpoint, pin) = (project.exacta().join("checkpoint"), project.dir.path().join("pin"));
    let before = (fs::read(&checkpoint).unwrap(), fs::read(&pin).unwrap());
    project.open().insert_plan(&new_plan(98), &created(98), at(6)).unwrap();
    let path = project.exacta().join("audit.log");
    let log = fs::read(&path).unwrap();
    let plan = project.exacta().join(format!("plans/{}.json", plan_id(98)));
    for cut in [0, 1, 100, 500] {
        fs::write(&path, &log[..log.len() - cut]).unwrap();
        fs::write(&checkpoint, &before.0).unwrap();
        fs::write(&pin, &before.1).unwrap();
        let _ = fs::remove_file(&plan);
        let notes = project.verify().unwrap().notes;
        assert_eq!(notes.iter().any(|note| note.contains("not in the log file yet")), cut > 0, "{notes:?}");
        // Something else in the place of the torn line is tampering all the same.
        if cut > 0 {
            let mut forged = log[..log.len() - cut].to_vec();
            *forged.last_mut().unwrap() ^= 1;
            fs::write(&path, &forged).unwrap();
            assert!(project.verify().is_err());
            assert!(project.try_open().is_err());
            fs::write(&path, &log[..log.len() - cut]).unwrap();
        }
        project.open();
        assert_eq!(fs::read(&path).unwrap(), log);
        assert!(plan.exists());
        assert_eq!(project.verify().unwrap().notes, [""; 0]);
    }
}

#[test]
fn a_changed_database_is_found() {
    let id = plan_id(7);
    for (change, place) in [
        (
            "UPDATE plan SET status = 'user_approved' WHERE id = (SELECT min(id) FROM plan)",
            Place::Plan(plan_id(1).to_string()),
        ),
        ("UPDATE plan SET usable = 1 WHERE id = '{id}'", Place::Plan(id.to_string())),
        ("UPDATE plan SET expires_at = expires_at + 1 WHERE id = '{id}'", Place::Plan(id.to_string())),
        ("UPDATE body SET view = '{}' WHERE plan_id = '{id}'", Place::Plan(id.to_string())),
        ("UPDATE body SET proposal = NULL WHERE plan_id = '{id}'", Place::Plan(id.to_string())),
        ("DELETE FROM body WHERE plan_id = '{id}'", Place::Plan(id.to_string())),
        ("DELETE FROM approval", Place::Plan(id.to_string())),
        ("UPDATE approval SET signed = signed || ' '", Place::Plan(id.to_string())),
        ("INSERT INTO feedback VALUES ('{id}', 0, 'forged')", Place::Plan(id.to_string())),
        ("UPDATE run SET state = 'completed' WHERE undoes IS NULL", Place::Run(run_id(1).to_string())),
        ("DELETE FROM run WHERE undoes IS NOT NULL", Place::Record(run_id(2).to_string())),
        ("UPDATE entry SET leaf = zeroblob(32) WHERE seq = 9", Place::Index),
        ("UPDATE entry SET start = 0, end = 40000000000 WHERE seq = 9", Place::Index),
        ("DELETE FROM entry WHERE seq = 9", Place::Index),
        ("UPDATE entry SET correlation_id = NULL WHERE seq = 9", Place::Index),
        ("INSERT OR REPLACE INTO outbox VALUES (9, 0, x'7b7d0a')", Place::Index),
        ("UPDATE log SET bytes = bytes - 1", Place::Line(201)),
    ] {
        let project = project();
        sql(&project, &format!("PRAGMA foreign_keys = off; {}", change.replace("{id}", id.as_str())));
        assert_eq!(first_found(&project), place, "{change}");
    }
}

/// What the outbox still holds is not taken for the file.
#[test]
fn a_log_that_lost_its_lines_is_told_as_that() {
    let project = project();
    let path = project.exacta().join("audit.log");
    let log = fs::read_to_string(&path).unwrap();
    let told = || match project.verify() {
        Err(VerifyError::Tampered(found)) => {
            assert_eq!(found.len(), 1, "{found:?}");
            let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
            match &found[0].place {
                Place::File(path) => format!("{}: {}", name(path), found[0].what),
                place => format!("{place}: {}", found[0].what),
            }
        }
        other => panic!("{other:?}"),
    };
    let three: String = log.split_inclusive('\n').take(3).collect();
    fs::write(&path, three).unwrap();
    assert_eq!(told(), "audit log, line 4: the log ends here: this line and what followed is missing");
    fs::write(&path, "").unwrap();
    assert_eq!(told(), "audit.log: the log is empty: it had 200 lines");
    fs::remove_file(&path).unwrap();
    assert_eq!(told(), "audit.log: the log is missing: it had 200 lines");
    let short = Project::new();
    short.open().insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    fs::remove_file(short.exacta().join("audit.log")).unwrap();
    assert!(short.verify().unwrap_err().to_string().contains("the log is missing: it had"), "{:?}", short.verify());
}

/// The diff of a file with hidden characters is shown by every tool as what it is.
#[test]
fn files_for_people_hide_nothing() {
    let project = Project::new();
    let mut plan = new_plan(1);
    plan.view = json!({ "diff": "+a\u{202e}b\u{200b}\u{e0041} é\n" });
    project.open().insert_plan(&plan, &created(1), at(1)).unwrap();
    let text = fs::read_to_string(project.exacta().join(format!("plans/{}.json", plan_id(1)))).unwrap();
    assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{e0041}']) && text.contains('é'), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    plan.view["status"] = "pending".into();
    assert_eq!(value["plan"], plan.view);
    assert_eq!(project.verify().unwrap().notes, [""; 0]);
}

#[test]
fn forged_and_changed_files_are_found_and_lost_ones_noted() {
    let project = project();
    let found = |file: &str| first_found(&project) == Place::File(project.exacta().canonicalize().unwrap().join(file));
    let plan = format!("plans/{}.json", plan_id(7));
    let operation = format!("audit-log/{}.json", crate::project::correlation(7));
    for file in ["plans/forged.json", "audit-log/forged.json", &plan, &operation, "checkpoint"] {
        let path = project.exacta().join(file);
        let before = fs::read(&path).ok();
        let mut content = before.clone().unwrap_or_default();
        content.extend(b" ");
        fs::write(&path, content).unwrap();
        assert!(found(file), "{file}: {:?}", project.verify());
        match before {
            Some(before) => {
                fs::remove_file(&path).unwrap();
                // Where a power cut cannot be why, it is a finding.
                if file == "checkpoint" {
                    assert!(found(file), "{:?}", project.verify());
                } else {
                    assert!(project.verify().unwrap().notes[0].contains("is missing"), "{file}");
                }
                fs::write(&path, b"").unwrap();
                assert!(!project.verify().unwrap().notes.is_empty(), "{file}");
                fs::write(&path, before).unwrap();
            }
            None => fs::remove_file(&path).unwrap(),
        }
    }
    assert!(project.verify().unwrap().notes.is_empty());
}

#[test]
fn an_entry_forged_in_an_operations_file_is_not_taken_for_an_old_one() {
    let project = project();
    let path = project.exacta().join(format!("audit-log/{}.json", crate::project::correlation(7)));
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let older = [&lines[..lines.len() - 2], &["]}"][..]].concat().join("\n").replace("},\n]}", "}\n]}") + "\n";
    fs::write(&path, &older).unwrap();
    assert!(project.verify().unwrap().notes[0].contains("out of date"));
    fs::write(&path, older.replace("because", "because!")).unwrap();
    assert!(project.verify().is_err());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, &target).map(drop).unwrap() }
    }
}

#[test]
fn a_whole_record_set_back_is_found_by_the_pin() {
    let project = project();
    let old = project.dir.path().join("old");
    copy(&project.exacta(), &old);
    project.open().insert_plan(&new_plan(98), &created(98), at(6)).unwrap();
    fs::remove_dir_all(project.exacta()).unwrap();
    copy(&old, &project.exacta());
    assert_eq!(first_found(&project), Place::Lines(201, 202));
    assert!(matches!(project.try_open(), Err(exacta_record::RecordError::Tampered(_))));
    // The other way to go on from the past: other entries in the place of those that were.
    fs::remove_file(project.dir.path().join("pin")).unwrap();
    let pin = project.dir.path().join("pin");
    project.open().insert_plan(&new_plan(99), &created(99), at(6)).unwrap();
    let forged = fs::read_to_string(&pin).unwrap();
    assert!(project.verify().is_ok());
    let (size, root) = forged.split_once(' ').unwrap();
    fs::write(&pin, format!("{size} {}", root.chars().rev().collect::<String>())).unwrap();
    assert_eq!(first_found(&project), Place::Lines(1, 202));
    assert!(project.try_open().is_err());
}

#[test]
fn a_log_and_index_rewritten_together_do_not_fit_the_checkpoint() {
    let project = project();
    let checkpoint = fs::read(project.exacta().join("checkpoint")).unwrap();
    let pin = fs::read(project.dir.path().join("pin")).unwrap();
    fs::remove_dir_all(project.exacta()).unwrap();
    fs::remove_file(project.dir.path().join("pin")).unwrap();
    let mut store = project.open();
    for n in 1..=100 {
        store.insert_plan(&new_plan(n), &created(n), at(2)).unwrap();
    }
    drop(store);
    fs::write(project.exacta().join("checkpoint"), checkpoint).unwrap();
    fs::write(project.dir.path().join("pin"), pin).unwrap();
    assert_eq!(first_found(&project), Place::Lines(1, 200));
    assert!(project.try_open().is_err());
}
