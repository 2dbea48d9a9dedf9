//! What changes between approval and run, and what it means.

use crate::place::{Place, fix, id};
use exacta_app::{Error, Exit};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;

/// An approved plan, a change of the world, and what executing answers.
fn after(change: impl Fn(&Place)) -> (Place, exacta_kernel::id::PlanId, Error) {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    change(&place);
    let error = place.execute(&id).unwrap_err();
    assert_eq!(place.read("tests/test_greet.py"), None, "nothing was executed");
    (place, id, error)
}

#[test]
fn a_changed_target_expires_the_plan() {
    let changes: [fn(&Place); 4] = [
        |place| place.write("src/greet.py", "name = \"world\"\nprint(name)\n"),
        |place| place.write("tests/test_greet.py", "x"),
        |place| std::fs::remove_file(place.options.project.as_ref().unwrap().join("src/greet.py")).unwrap(),
        |place| place.write(".exacta/config.toml", "[caps]\nsteps = 5\n"),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let place = Place::new();
        let id = id(&place.submit(&fix()));
        place.approve(&id).unwrap();
        change(&place);
        let error = place.execute(&id).unwrap_err();
        assert_eq!((error.exit, error.code), (Exit::Drifted, "plan_expired"), "{index}: {error}");
        assert_eq!(place.app().show(&id).unwrap().plan.status, Some(Status::Expired));
    }
}

#[test]
fn an_ended_session_expires_its_plans() {
    let (_, _, error) = after(|place| assert_eq!(place.app().end_session().unwrap(), 1));
    assert_eq!(error.exit, Exit::Drifted);
}

#[test]
fn a_changed_profile_needs_a_fresh_approval() {
    let (place, id, error) = after(|place| place.profile(Profile::Dev));
    assert_eq!((error.exit, error.code), (Exit::Drifted, "approval_outdated"), "{error}");
    place.approve(&id).unwrap();
    assert_eq!(place.execute(&id).unwrap().outcome, "completed");
}

#[test]
fn a_removed_approver_no_longer_counts() {
    let (_, _, error) = after(|place| {
        let list = place.options.home.as_ref().unwrap().join("approvers.toml");
        std::fs::remove_file(list).unwrap();
    });
    assert_eq!((error.exit, error.code), (Exit::Confirm, "approval_needed"), "{error}");
}

#[test]
fn another_model_blocks_the_plan() {
    let place = Place::new();
    let with =
        |model: &str| fix().replacen('{', &format!("{{\"model\":{{\"provider\":\"p\",\"model\":\"{model}\"}},"), 1);
    let id = id(&place.submit(&with("one")));
    place.approve(&id).unwrap();
    place.submit(&with("two"));
    let error = place.execute(&id).unwrap_err();
    assert_eq!((error.exit, error.code), (Exit::Drifted, "plan_drifted"), "{error}");
}
