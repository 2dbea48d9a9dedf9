//! Which run is taken back, what stands against it, and what a project says that nothing can be done in.

use crate::place::{Place, id, plan};
use exacta_app::{App, Exit};
use exacta_view::{PlanView, RunView};
use serde_json::json;

/// A plan that replaces a word, carried out.
fn replaced(place: &Place, find: &str, replace: &str) -> (PlanView, RunView) {
    let view = place.submit(&plan(
        "FixBug",
        "the greeting names the wrong one",
        json!([{
            "id": "word", "order": 1, "type": "file_modify", "target": "src/greet.py", "dependencies": [],
            "description": "name the right one in the first line of the greeting",
            "edits": [{ "find": find, "replace": replace }]
        }]),
    ));
    place.approve(&id(&view)).unwrap();
    let run = place.execute(&id(&view)).unwrap();
    (view, run)
}

/// The edit of the first can be made twice, that of the second cannot.
#[test]
fn what_stands_against_the_undo_of_an_undo_is_shown() {
    for replace in ["world peace", "there"] {
        let place = Place::new();
        let before = place.read("src/greet.py").unwrap();
        let (_, run) = replaced(&place, "world", replace);
        let undo = place.undo(&run.run_id).unwrap();
        place.write("src/greet.py", &before.replace("world", "world!"));
        let error = place.undo(&undo.run_id).unwrap_err();
        assert_eq!(error.code, "target_changed", "{error}");
        for line in ["-name = \"world\"\n", "+name = \"world!\"\n"] {
            assert!(error.message.contains(line), "{replace}: {error}");
        }
    }
}

#[test]
fn a_run_is_named_by_the_beginning_of_its_plan_too() {
    let place = Place::new();
    let (first, run) = replaced(&place, "world", "there");
    let undo = place.app().undo_preview(first.plan_id.as_deref().map(|id| &id[..13])).unwrap();
    assert_eq!(undo.run_id, run.run_id);
    let undo = place.app().undo_preview(Some(&run.run_id[..13].to_uppercase())).unwrap();
    assert_eq!(undo.run_id, run.run_id);
    let (second, _) = replaced(&place, "hello", "good day");
    let error = place.undo(&run.run_id[..4]).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Usage, "run_ambiguous"), "{error}");
    for plan in [first, second] {
        assert!(error.message.contains(&plan.plan_id.unwrap()), "{error}");
    }
    let waits = place.submit(&crate::place::fix());
    let error = place.undo(&waits.plan_id.as_ref().unwrap()[..]).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Usage, "run_unknown"), "never run: {error}");
    assert!(place.read("src/greet.py").unwrap().contains("good day"));
}

/// What stops every command is told by the one that only looks.
#[test]
fn a_journal_that_cannot_be_used_is_in_the_status() {
    let place = Place::new();
    let plan = id(&place.submit(&crate::place::fix()));
    place.approve(&plan).unwrap();
    let (run, commit) = place.execute_watched(&plan);
    let status = || App::look(&place.options).unwrap().status().unwrap();
    assert!(!status().attention && status().unfinished.is_empty());
    let done = place.done(&run.run_id);
    std::fs::rename(&done, &commit).unwrap();
    let stuck = |id: &str, words: &str| {
        let blocked = App::open(&place.options).err().unwrap();
        assert_eq!(blocked.exit, Exit::Fault, "{blocked}");
        let found = status();
        assert!(found.attention);
        let [only] = &found.unfinished[..] else { panic!("{found:?}") };
        assert_eq!((only.run_id.as_str(), only.outcome.name()), (id, "needs_attention"));
        assert!(only.reason.contains(words) && only.reason.contains("stops here"), "{only:?}");
    };
    stuck(&run.run_id, "no such run without an end");
    std::fs::rename(&commit, &done).unwrap();
    App::open(&place.options).unwrap();
    std::fs::rename(&done, &commit).unwrap();
    std::fs::write(&commit, "junk").unwrap();
    stuck(&run.run_id, "cannot be used");
}

#[test]
fn a_record_that_cannot_be_looked_at_is_not_gone() {
    let place = Place::new();
    replaced(&place, "world", "there");
    let database = place.options.project.as_ref().unwrap().join(".exacta/state.db");
    std::fs::remove_file(&database).unwrap();
    assert_eq!(App::open(&place.options).err().unwrap().code, "record_gone");
    std::os::unix::fs::symlink("state.db", &database).unwrap();
    let error = App::open(&place.options).err().unwrap();
    assert_eq!(error.code, "record_tampered", "{error}");
    assert!(!exacta_view::command::at_a_terminal(&error.hint.unwrap()).contains("--new-record"));
}
