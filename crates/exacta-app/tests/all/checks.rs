//! The operator's checks: on the staged result, before anything is on disk.

use crate::place::{Place, fix, id, plan};
use exacta_app::Exit;
use exacta_kernel::gate::Verdict;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

/// A project whose operator demands these commands.
fn place(commands: &str) -> Place {
    let place = Place::new();
    let root = place.options.project.as_ref().unwrap().canonicalize().unwrap();
    let policy = commands.replace("PROJECT", &root.display().to_string());
    let file = place.options.home.as_ref().unwrap().join("safety-policy.toml");
    std::fs::write(&file, policy).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    place
}

#[test]
fn a_check_sees_the_change_and_a_failing_one_leaves_no_trace() {
    let cases = [
        ("test -f tests/test_greet.py && grep -q sys.argv src/greet.py", None),
        ("echo scratch > src/greet.py && echo new > elsewhere", None),
        ("test ! -f tests/test_greet.py", Some("check_failed")),
        ("echo why it failed; exit 3", Some("check_failed")),
    ];
    for (script, code) in cases {
        let place = place(&format!("[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"{script}\"]\n"));
        let before = place.read("src/greet.py").unwrap();
        let id = id(&place.submit(&fix()));
        place.approve(&id).unwrap();
        let outcome = place.execute(&id);
        match code {
            None => {
                outcome.unwrap();
                assert!(place.read("src/greet.py").unwrap().contains("sys.argv"), "{script}");
            }
            Some(code) => {
                let error = outcome.unwrap_err();
                assert_eq!((error.exit, error.code), (Exit::RolledBack, code), "{script}: {error}");
                assert_eq!(place.read("src/greet.py").unwrap(), before, "{script}");
                assert_eq!(place.read("tests/test_greet.py"), None, "{script}");
            }
        }
        assert_eq!(place.read("elsewhere"), None, "what a check writes is thrown away");
    }
}

#[test]
fn a_build_step_runs_what_the_operator_configured_and_nothing_else() {
    let text = plan(
        "BuildPackage",
        "build the package with its new version number",
        json!([
            {
                "id": "version", "order": 1, "type": "file_create", "target": "VERSION", "dependencies": [],
                "description": "name the version that is built", "content": "1.1.0\n"
            },
            {
                "id": "build", "order": 2, "type": "build", "target": "package", "dependencies": ["version"],
                "description": "build the package from the new version file"
            }
        ]),
    );
    let none = Place::new().submit(&text);
    assert_eq!(none.decision, Verdict::Deny, "nothing is configured: {:#?}", none.gates);
    let place =
        place("[projects.\"PROJECT\".build]\nargv = [\"sh\", \"-c\", \"cp VERSION out/built\"]\nwrites = [\"out\"]\n");
    std::fs::create_dir(place.options.project.as_ref().unwrap().join("out")).unwrap();
    let view = place.submit(&text);
    assert_eq!(view.decision, Verdict::Confirm, "{:#?}", view.findings);
    place.approve(&id(&view)).unwrap();
    place.execute(&id(&view)).unwrap();
    assert_eq!(place.read("out/built").as_deref(), Some("1.1.0\n"));
}

/// It would be shown the old file there, and pass.
#[test]
fn a_change_in_a_folder_that_a_command_writes_to_is_refused_before_any_command_runs() {
    let place = place(
        "[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"echo x > out/first\"]\nwrites = [\"out\"]\n\
         [[projects.\"PROJECT\".checks]]\nname = \"lint\"\nargv = [\"sh\", \"-c\", \"! grep -rq argv src\"]\nwrites = [\"src\"]\n",
    );
    std::fs::create_dir(place.options.project.as_ref().unwrap().join("out")).unwrap();
    let before = place.read("src/greet.py");
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let error = place.execute(&id).unwrap_err();
    assert_eq!(error.exit, Exit::RolledBack, "{error}");
    for word in ["`lint`", "`src/greet.py`", "`src`", "must not hold files that plans change"] {
        assert!(error.message.contains(word), "{word}: {error}");
    }
    assert_eq!((place.read("src/greet.py"), place.read("out/first")), (before, None));
}
