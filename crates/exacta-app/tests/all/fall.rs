//! Records that were changed from outside make the profile fall, wherever a command finds it.

use crate::forgery::copy;
use crate::place::{Place, fix, id};
use exacta_app::{App, Error, Exit, Request};
use exacta_kernel::id::PlanId;
use exacta_kernel::policy::profile::Profile;
use std::fs;
use std::path::{Path, PathBuf};

/// What an agent does to the records; `aside` is where it keeps an older copy of them.
type Change = fn(records: &Path, aside: &Path);

/// What a command does with the project.
type Command = fn(&Place) -> Result<(), Error>;

/// How a plan is named.
type Naming = fn(&App, &PlanId) -> Result<PlanId, Error>;

/// A change, and the code of the error it leads to.
const CHANGES: [(&str, Change); 5] = [
    ("record_tampered", |records, aside| exchange(aside, records)),
    ("record_tampered", |records, _| fs::write(records.join("checkpoint"), "x").unwrap()),
    ("record_damaged", |records, _| {
        remove_database(records);
        fs::write(records.join("state.db"), "no database ".repeat(1000)).unwrap();
    }),
    ("record_gone", |records, _| remove_database(records)),
    ("record_gone", |records, _| fs::remove_dir_all(records).unwrap()),
];

const COMMANDS: [Command; 4] = [
    |place| App::open(&place.options).map(drop),
    |place| App::resume(&place.options).map(drop),
    |place| exacta_app::safe_on_tampering(&place.options, || App::resume(&place.options).map(drop)),
    |place| exacta_app::verify(&place.options).map(drop),
];

/// A project in DEV with a plan that nobody has to be asked about, and a copy of its records from before that plan.
fn allowed() -> (Place, PlanId, PathBuf, PathBuf) {
    let place = Place::new();
    place.profile(Profile::Dev);
    let records = place.options.project.as_ref().unwrap().join(".exacta");
    let aside = place.folder.path().join("aside");
    copy(&records, &aside);
    let id = id(&place.submit(&fix()));
    (place, id, records, aside)
}

#[test]
fn attack_52_the_profile_falls_when_opening_finds_changed_records() {
    for (index, (code, change)) in CHANGES.into_iter().enumerate() {
        for command in COMMANDS {
            let (place, id, records, aside) = allowed();
            let kept = place.folder.path().join("kept");
            copy(&records, &kept);
            change(&records, &aside);
            let error = command(&place).unwrap_err();
            assert_eq!(error.exit, Exit::Fault, "{index}: {error}");
            assert!(error.code == code || error.code == "record_tampered", "{index}: {error:?}");
            assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Safe, "{index}: {error}");
            // Putting everything back does not help: a person has to be asked.
            exchange(&kept, &records);
            let error = place.execute(&id).unwrap_err();
            assert!(matches!(error.exit, Exit::Confirm | Exit::Drifted), "{index}: {error:?}");
            assert_eq!(place.read("tests/test_greet.py"), None);
        }
    }
}

#[test]
fn attack_52_the_profile_falls_when_naming_a_plan_finds_its_row_changed() {
    let names: [Naming; 2] = [|app, id| app.resolve(id.as_str()), |app, id| app.resolve_whole(id.as_str())];
    for name in names {
        let (place, id, ..) = allowed();
        place.forge("update plan set risk_score = 77");
        let app = App::resume(&place.options).unwrap();
        let error = name(&app, &id).unwrap_err();
        assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
        assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Safe);
        let last = place.app().entries(None, Some(1)).unwrap().remove(0);
        assert_eq!(last.reason, "DEV → SAFE: the records were changed from outside");
    }
}

#[test]
fn attack_52_the_profile_falls_where_the_folder_is_exchanged() {
    // For another project's before a command; for an older one while a command has it open.
    let (place, _, records, _) = allowed();
    let (_other, _, theirs, _) = allowed();
    exchange(&theirs, &records);
    let error = App::resume(&place.options).err().unwrap();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_elsewhere"), "{error}");
    assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Safe);

    let (place, _, records, aside) = allowed();
    let mut app = place.app();
    remove_database(&records);
    fs::copy(aside.join("state.db"), records.join("state.db")).unwrap();
    let error = app.submit(fix().as_bytes(), &Request::default()).err().unwrap();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
    assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Safe);
}

/// Whoever only looks finds it as well, and lowering needs no key.
#[test]
fn attack_52_a_look_at_changed_records_lowers_the_profile() {
    let (place, _, records, aside) = allowed();
    exchange(&aside, &records);
    let looked = App::look(&place.options).and_then(|app| app.status());
    assert!(looked.is_err() || looked.is_ok_and(|status| !status.damage.is_empty()));
    assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Safe);
}

/// What is not about the records leaves the profile alone.
#[test]
fn attack_52_other_errors_leave_the_profile() {
    let (place, ..) = allowed();
    let error = place.app().resolve("@-7").unwrap_err();
    assert_eq!(error.code, "nothing_pending", "{error}");
    place.app().resolve("0198f0aa-0000-7000-8000-000000000001").unwrap_err();
    assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Dev);
}

fn exchange(from: &Path, to: &Path) {
    let _none = fs::remove_dir_all(to);
    copy(from, to);
}

fn remove_database(records: &Path) {
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _none = fs::remove_file(records.join(name));
    }
}
