//! What an agent that can write anywhere in the project, `.exacta/` included, does not get.

use crate::place::{Place, fix, id};
use exacta_app::{App, Exit, Request};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use std::path::{Path, PathBuf};

impl Place {
    fn inside(&self, path: &str) -> PathBuf {
        self.options.project.as_ref().unwrap().join(".exacta").join(path)
    }

    /// Changes the database as whoever can write there could.
    pub fn forge(&self, sql: &str) {
        let script = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()";
        let mut python = std::process::Command::new("python3");
        assert!(exacta_testkit::succeeds(python.args(["-c", script]).arg(self.inside("state.db")).arg(sql)));
    }
}

#[test]
fn a_forged_status_is_no_approval() {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    for status in ["user_approved", "auto_approved"] {
        place.forge(&format!("update plan set status='{status}' where id='{id}'"));
        let error = place.execute(&id).unwrap_err();
        assert!(matches!(error.exit, Exit::Confirm | Exit::Fault), "{error:?}");
    }
    assert_eq!(place.read("tests/test_greet.py"), None);
}

#[test]
fn a_journal_from_elsewhere_is_never_acted_upon() {
    let (there, here) = (Place::new(), Place::new());
    let plan = id(&there.submit(&fix()));
    there.approve(&plan).unwrap();
    let (run, commit) = there.execute_watched(&plan);
    // The journal of another project's run, as if that were open: recovery would finish or reverse it.
    here.submit(&fix());
    let folder = here.inside("exec");
    std::fs::create_dir_all(&folder).unwrap();
    let before = here.read("src/greet.py");
    // One name has the seal of the other project, the second none.
    for name in [commit.file_name().unwrap().to_owned(), format!("{}.commit", run.run_id).into()] {
        std::fs::copy(there.done(&run.run_id), folder.join(name)).unwrap();
        App::open(&here.options).unwrap();
    }
    assert_eq!((here.read("src/greet.py"), here.read("tests/test_greet.py")), (before, None));
}

#[test]
fn a_run_that_is_over_is_not_reversed_by_its_own_journal() {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let (run, commit) = place.execute_watched(&id);
    let after = place.read("src/greet.py");
    std::fs::rename(place.done(&run.run_id), &commit).unwrap();
    std::fs::write(place.inside(&format!("exec/{}.back", run.run_id)), "").unwrap();
    let error = App::open(&place.options).err().unwrap();
    assert_eq!(error.exit, Exit::Fault, "{error}");
    assert_eq!(place.read("src/greet.py"), after);
}

#[test]
fn a_hidden_run_is_not_repeated() {
    let place = Place::new();
    let before = place.read("src/greet.py").unwrap();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let run = place.execute(&id).unwrap().run_id;
    place.undo(&run).unwrap();
    place.forge(&format!("delete from run where plan_id='{id}'; update plan set usable=1 where id='{id}'"));
    let error = place.execute(&id).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
    assert_eq!(place.read("src/greet.py").unwrap(), before);
}

#[test]
fn an_undo_trusts_only_what_the_log_vouches_for() {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let run = place.execute(&id).unwrap().run_id;
    let after = place.read("src/greet.py");
    place.forge(&format!("update run set changes = replace(changes, '\"mode\":420', '\"mode\":493') where id='{run}'"));
    let error = place.undo(&run).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
    assert_eq!(place.read("src/greet.py"), after);
}

#[test]
fn what_people_are_shown_is_not_laundered_by_the_next_change() {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.profile(Profile::Dev);
    place.forge("update body set view = replace(view, 'regression test', 'harmless')");
    let request = Request { revises: Some(id.clone()), ..Request::default() };
    let error = place.app().submit(fix().as_bytes(), &request).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
    assert_eq!(place.app().profile_view().unwrap().chosen, Profile::Safe);
    for error in [place.app().resubmit(&id).unwrap_err(), place.approve(&id).unwrap_err()] {
        assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
    }
    let error = exacta_app::verify(&place.options).unwrap_err();
    assert_eq!(error.code, "record_tampered", "{error}");
}

#[test]
fn a_folder_set_back_to_before_a_run_is_noticed() {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let (records, before) = (place.inside(""), place.folder.path().join("before"));
    copy(&records, &before);
    let run = place.execute(&id).unwrap().run_id;
    place.undo(&run).unwrap();
    std::fs::remove_dir_all(&records).unwrap();
    copy(&before, &records);
    let error = App::open(&place.options).err().unwrap();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
    assert_eq!(place.read("tests/test_greet.py"), None);
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { std::fs::copy(&path, &target).map(drop).unwrap() }
    }
}

#[test]
fn what_cannot_be_derived_again_is_expired_and_not_approved() {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.write("src/greet.py", "changed\n");
    let shown = place.app().show(&id).unwrap();
    assert!(!shown.live);
    assert_eq!(shown.plan.status, Some(Status::Expired));
    let hash = Place::shown(&place.app(), &id);
    let error = place.app().approve(&id, &hash, &place.key()).err().unwrap();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "plan_expired"), "{error}");
}
