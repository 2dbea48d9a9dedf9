//! How runs begin, which never do, and what counts as a failure of one.

use crate::place::{Place, fix, id};
use exacta_app::{App, Error, Exit};
use exacta_exec::Event;
use exacta_kernel::id::PlanId;
use exacta_kernel::policy::profile::Profile;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

fn approved(place: &Place) -> PlanId {
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    id
}

/// What comes of a run if something happens when its first new file lies ready.
fn while_staging(place: &Place, id: &PlanId, act: impl Fn()) -> Error {
    let (cancel, mut first) = (AtomicBool::new(false), true);
    let mut observer = |event| {
        if matches!(event, Event::StepStaged { .. }) && std::mem::take(&mut first) {
            act();
        }
    };
    place.app().execute(id, Place::execution(&cancel, &mut observer, &mut |_| {})).unwrap_err()
}

/// Files that runs left or prepared, by the end of their names.
fn traces(place: &Place, end: &str) -> Vec<PathBuf> {
    let folder = fs::read_dir(place.options.project.as_ref().unwrap().join(".exacta/exec")).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_str().unwrap().ends_with(end)).collect()
}

fn profile(place: &Place) -> Profile {
    App::chosen_profile(&place.options).unwrap()
}

#[test]
fn a_target_that_is_unfit_is_refused_before_the_run_begins() {
    let place = Place::new();
    place.profile(Profile::Dev);
    let root = place.options.project.as_ref().unwrap();
    let id = id(&place.submit(&fix()));
    fs::hard_link(root.join("src/greet.py"), root.join("twin")).unwrap();
    for _ in 0..3 {
        let error = place.execute(&id).unwrap_err();
        assert_eq!((error.exit, error.code), (Exit::Denied, "target_refused"), "{error}");
        assert_eq!((place.app().show(&id).unwrap().run, profile(&place)), (None, Profile::Dev));
    }
    fs::remove_file(root.join("twin")).unwrap();
    assert_eq!(place.execute(&id).unwrap().outcome, "completed");
}

#[test]
fn runs_that_fail_by_themselves_make_the_profile_fall() {
    let place = Place::new();
    place.profile(Profile::Dev);
    for failed in 1..=3 {
        let id = id(&place.submit(&fix()));
        let error = while_staging(&place, &id, || fs::write(&traces(&place, ".0")[0], "another's").unwrap());
        assert_eq!((error.exit, error.code), (Exit::RolledBack, "rolled_back"), "{error}");
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains(&format!("resubmit {id}"))), "{error:?}");
        assert_eq!(profile(&place), if failed == 3 { Profile::Safe } else { Profile::Dev }, "{failed}");
    }
}

/// Between the permit and the entry another command may keep it waiting. What ends a plan meanwhile ends it before it begins.
#[test]
fn what_a_plan_is_bound_to_is_looked_at_when_nothing_is_waited_for_any_more() {
    let place = Place::new();
    let id = approved(&place);
    let lock = fs::File::open(place.options.project.as_ref().unwrap().join(".exacta/lock")).unwrap();
    lock.lock().unwrap();
    let error = std::thread::scope(|scope| {
        let running = scope.spawn(|| place.execute(&id).unwrap_err());
        while traces(&place, ".0").is_empty() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(200));
        place.write(".exacta/config.toml", "[caps]\nsteps = 9\n");
        lock.unlock().unwrap();
        running.join().unwrap()
    });
    assert_eq!((error.exit, error.code), (Exit::Drifted, "plan_expired"), "{error}");
    assert_eq!((place.app().show(&id).unwrap().run, place.read("tests/test_greet.py")), (None, None));
    assert!(traces(&place, "").iter().all(|path| path.ends_with("locks")), "{:?}", traces(&place, ""));
}

#[test]
fn a_policy_that_breaks_before_the_commit_is_told_as_that() {
    let place = Place::new();
    let id = approved(&place);
    let file = place.options.home.as_ref().unwrap().join("safety-policy.toml");
    let error = while_staging(&place, &id, || {
        fs::write(&file, "ceilin = 1\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    });
    assert_eq!((error.exit, error.code), (Exit::RolledBack, "policy_broken"), "{error}");
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("policy")), "{error:?}");
}

/// It died before it was entered: there is nothing to tell.
#[test]
fn a_run_that_never_was_is_not_told_about() {
    let place = Place::new();
    let folder = place.options.project.as_ref().unwrap().join(".exacta/exec");
    drop(place.app());
    let run = "0198f0aa-0000-7000-8000-000000000001";
    fs::write(folder.join(format!("{run}.intent")), "half").unwrap();
    fs::write(folder.join(format!("{run}.0")), "half").unwrap();
    assert_eq!(place.app().recover().unwrap(), []);
    assert_eq!(traces(&place, ".0"), Vec::<PathBuf>::new());
}
