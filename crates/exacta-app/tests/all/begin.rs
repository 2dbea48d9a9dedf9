//! How runs begin, which never do, and what counts as a failure of one.

use crate::place::{Place, fix, id};
use exacta_app::{App, Error, Exit};
use exacta_exec::Event;
use exacta_kernel::audit;
use exacta_kernel::id::PlanId;
use exacta_kernel::policy::profile::Profile;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
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
        assert_eq!((error.exit, error.code.as_str()), (Exit::Denied, "target_refused"), "{error}");
        assert!(
            error
                .hint
                .as_ref()
                .map(exacta_view::command::at_a_terminal)
                .is_some_and(|hint| hint.contains("give the command again")),
            "{error:?}"
        );
        assert_eq!((place.app().show(&id).unwrap().run, profile(&place)), (None, Profile::Dev));
    }
    let entries = place.app().entries(None, None).unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.event == audit::Event::RunRefused).count(), 3);
    fs::remove_file(root.join("twin")).unwrap();
    assert_eq!(place.execute(&id).unwrap().outcome.name(), "completed");
}

#[test]
fn runs_that_fail_by_themselves_make_the_profile_fall() {
    let place = Place::new();
    place.profile(Profile::Dev);
    for failed in 1..=3 {
        let id = id(&place.submit(&fix()));
        let error = while_staging(&place, &id, || fs::write(&traces(&place, ".0")[0], "another's").unwrap());
        assert_eq!((error.exit, error.code.as_str()), (Exit::RolledBack, "rolled_back"), "{error}");
        assert!(
            error
                .hint
                .as_ref()
                .map(exacta_view::command::at_a_terminal)
                .is_some_and(|hint| hint.contains(&format!("resubmit {id}"))),
            "{error:?}"
        );
        assert_eq!(profile(&place), if failed == 3 { Profile::Safe } else { Profile::Dev }, "{failed}");
    }
}

/// What comes of a run if something happens while another command has the record, so that it has to wait.
fn while_it_waits(place: &Place, id: &PlanId, act: impl Fn(&AtomicBool)) -> Error {
    let cancel = AtomicBool::new(false);
    let lock = fs::File::open(place.options.project.as_ref().unwrap().join(".exacta/lock")).unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        let execution = |app: &mut App| app.execute(id, Place::execution(&cancel, &mut |_| {}, &mut |_| {}));
        let running = scope.spawn(move || execution(&mut place.app()).unwrap_err());
        while traces(place, ".0").is_empty() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(200));
        act(&cancel);
        lock.unlock().unwrap();
        running.join().unwrap()
    })
}

/// What ends a plan before it begins, or its run, ends it then.
#[test]
fn what_happens_before_the_entry_counts() {
    type Act<'a> = &'a dyn Fn(&Place, &AtomicBool);
    let cases: [(&str, Act<'_>); 2] = [
        ("plan_expired", &|place, _| place.write(".exacta/config.toml", "[caps]\nsteps = 9\n")),
        ("cancelled", &|_, cancel| cancel.store(true, Ordering::Relaxed)),
    ];
    for (code, act) in cases {
        let place = Place::new();
        let id = approved(&place);
        let error = while_it_waits(&place, &id, |cancel| act(&place, cancel));
        assert_eq!((error.code.as_str(), error.run_id.as_ref()), (code, None), "{error}");
        assert_eq!((place.app().show(&id).unwrap().run, place.read("tests/test_greet.py")), (None, None));
        assert!(
            traces(&place, "").iter().all(|path| path.ends_with("locks") || path.ends_with("over")),
            "{:?}",
            traces(&place, "")
        );
    }
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
