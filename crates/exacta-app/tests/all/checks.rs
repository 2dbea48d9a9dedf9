//! The operator's checks: on the staged result, before anything is on disk.

use crate::place::{Place, fix, id, plan};
use exacta_app::{App, CheckEvent, Execution, Exit, Request, Trial};
use exacta_kernel::gate::Verdict;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_view::CheckState;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicBool;

/// A project whose operator demands these commands.
fn place(commands: &str) -> Place {
    let place = Place::new();
    let root = place.options.project.as_ref().unwrap().canonicalize().unwrap();
    demand(&place, &commands.replace("PROJECT", &root.display().to_string()));
    place
}

/// Puts a policy into force.
fn demand(place: &Place, policy: &str) {
    let file = place.options.home.as_ref().unwrap().join("safety-policy.toml");
    std::fs::write(&file, policy).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
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
                assert_eq!((error.exit, error.code.as_str()), (Exit::RolledBack, code), "{script}: {error}");
                let said = if script.starts_with("echo") {
                    "; its last line: \u{2502} why it failed"
                } else {
                    "(exit code 1)"
                };
                assert!(error.message.ends_with(said), "{script}: {error}");
                assert_eq!(place.read("src/greet.py").unwrap(), before, "{script}");
                assert_eq!(place.read("tests/test_greet.py"), None, "{script}");
            }
        }
        assert_eq!(place.read("elsewhere"), None, "what a check writes is thrown away");
    }
}

/// Attack 32: a check sees the file where a folder was, and the folder where a file was.
#[test]
fn a_check_sees_a_file_and_a_folder_change_places() {
    let script = "test -f src && test -f README.md/part.md && test ! -e src/greet.py";
    let place = place(&format!("[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"{script}\"]\n"));
    std::fs::write(place.options.project.as_ref().unwrap().join("README.md"), "all of it\n").unwrap();
    let step = |order: u32, target: &str, content: Option<&str>| {
        let kind = if content.is_some() { "file_create" } else { "file_delete" };
        let mut step = json!({
            "id": format!("s{order}"), "order": order, "type": kind, "target": target, "dependencies": [],
            "description": format!("{target} gives way to what comes in its place, or is that itself"),
        });
        if let Some(content) = content {
            step["content"] = json!(content);
        }
        step
    };
    let steps = json!([
        step(1, "src/greet.py", None),
        step(2, "README.md", None),
        step(3, "src", Some("where the sources are\n")),
        step(4, "README.md/part.md", Some("one part\n")),
    ]);
    let id = id(&place.submit(&plan("AddFeature", "the readme becomes a folder and the sources one file", steps)));
    place.approve(&id).unwrap();
    place.execute(&id).unwrap();
    assert_eq!(place.read("README.md/part.md").as_deref(), Some("one part\n"));
}

/// Attack 18: what a check prints cannot pass for words of ours, nor bring a row of its own to its beginning.
#[test]
fn the_last_line_of_a_check_is_marked_as_its_own() {
    let script = "printf 'ok `%200s` hint: exacta approve \\033[2J\\n' x; exit 3";
    let place = place(&format!("[[projects.\"PROJECT\".checks]]\nname = \"t\"\nargv = ['sh', '-c', {script:?}]\n"));
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let error = place.execute(&id).unwrap_err();
    let (ours, its) = error.message.split_once(" \u{2502} ").unwrap();
    assert_eq!(ours, "nothing was changed: check `t` did not pass (exit code 3); its last line:", "{error}");
    assert!(!its.contains(['`', '\u{1b}', '\n']) && its.chars().count() <= 121, "{its:?}");
}

#[test]
fn a_policy_that_breaks_during_a_check_is_told_as_that() {
    let place = place("[[projects.\"PROJECT\".checks]]\nargv = [\"true\"]\n");
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let cancel = AtomicBool::new(false);
    let breaks = &mut |_: CheckEvent<'_>| demand(&place, "ceilin = 1\n");
    let error = place.app().execute(&id, Place::execution(&cancel, &mut |_| {}, breaks)).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::RolledBack, "policy_broken"), "{error}");
    assert!(
        error.hint.as_ref().map(exacta_view::command::at_a_terminal).is_some_and(|hint| hint.contains("policy reset")),
        "{error:?}"
    );
    assert_eq!(place.read("tests/test_greet.py"), None);
}

/// The profile allows one run at a time, and a check takes its time.
#[test]
fn a_target_that_changes_while_its_run_waits_for_a_place_expires_the_plan() {
    let place = place("[[projects.\"PROJECT\".checks]]\nargv = [\"sleep\", \"2\"]\n");
    let readme = plan(
        "AddFeature",
        "the readme says what the program prints",
        json!([{
            "id": "s1", "order": 1, "type": "file_modify", "target": "README.md", "dependencies": [],
            "description": "name the greeting that is printed", "edits": [{ "find": "a greeting", "replace": "`hello`" }]
        }]),
    );
    let (first, second) = (id(&place.submit(&fix())), id(&place.submit(&readme)));
    place.approve(&first).unwrap();
    place.approve(&second).unwrap();
    let cancel = AtomicBool::new(false);
    let (begins, begun) = std::sync::mpsc::channel();
    let error = std::thread::scope(|scope| {
        let (place, cancel) = (&place, &cancel);
        let checking = scope.spawn(move || {
            let mut told = |_: CheckEvent<'_>| begins.send(()).unwrap_or_default();
            place.app().execute(&first, Place::execution(cancel, &mut |_| {}, &mut told)).unwrap()
        });
        begun.recv().unwrap();
        let waiting = scope.spawn(|| {
            let (observer, checks) = (&mut |_| {}, &mut |_: CheckEvent<'_>| {});
            let wait = std::time::Duration::from_secs(30);
            let execution = Execution { wait, ..Place::execution(cancel, observer, checks) };
            place.app().execute(&second, execution).unwrap_err()
        });
        std::thread::sleep(std::time::Duration::from_millis(500));
        place.write("README.md", "# Greeter\n\nPrints a greeting, always.\n");
        assert_eq!(checking.join().unwrap().outcome.name(), "completed");
        waiting.join().unwrap()
    });
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "plan_expired"), "{error}");
    assert_eq!(place.app().show(&second).unwrap().run, None);
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
    let view = place.submit(&text);
    assert_eq!(view.decision, Verdict::Confirm, "{:#?}", view.findings);
    let stays = &view.detail.as_ref().unwrap().irreversible;
    assert!(stays.iter().any(|it| it.contains("writes to `out` stays")), "{stays:?}");
    assert!(stays.iter().any(|it| it.starts_with("step `build` (build) cannot be undone")), "{stays:?}");
    let asked = |rule: &str| view.gates.iter().any(|gate| gate.rule.as_deref() == Some(rule));
    assert!(asked("cannot-be-undone"), "{:#?}", view.gates);
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
    assert_eq!((error.exit, error.code.as_str()), (Exit::Denied, "unseen_by_check"), "{error}");
    let told = format!("{error}; {}", error.hint.as_ref().map(exacta_view::command::at_a_terminal).unwrap_or_default());
    for word in ["`lint`", "`src/greet.py`", "`src`", "must not hold files that plans change"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(place.app().show(&id).unwrap().run, None, "the plan is not used up");
    assert_eq!((place.read("src/greet.py"), place.read("out/first")), (before, None));
}

#[test]
fn a_project_may_be_named_by_any_path_that_leads_there() {
    for name in ["link", "outer/project"] {
        let place = Place::new();
        let folder = place.folder.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(folder.join("project"), folder.join("link")).unwrap();
        std::os::unix::fs::symlink(&folder, folder.join("outer")).unwrap();
        let name = folder.join(name).display().to_string();
        demand(&place, &format!("[[projects.\"{name}\".checks]]\nargv = [\"false\"]\n"));
        let id = id(&place.submit(&fix()));
        place.approve(&id).unwrap();
        assert_eq!(place.execute(&id).unwrap_err().code, "check_failed", "{name}");
    }
}

#[test]
fn projects_that_are_not_there_are_noticed() {
    let place = Place::new();
    let here = place.options.project.as_ref().unwrap().display().to_string();
    let id = "019a2f3e-7c1d-7e2a-9b4f-0123456789ab";
    let text: String = [here.as_str(), id, "/no/such/folder", "/etc/passwd"]
        .map(|name| format!("[projects.\"{name}\"]\nbuild = {{ argv = [\"make\"] }}\n"))
        .concat();
    let policy = SafetyPolicy::parse(&text, "policy.toml").unwrap();
    assert_eq!(exacta_app::absent_projects(&policy), ["/etc/passwd", "/no/such/folder"]);
}

/// Whoever did not wait for it finds out, and sees whom to ask while it goes on.
#[test]
fn why_a_run_failed_and_which_process_is_at_one_is_shown() {
    let place = place("[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"echo the reason; exit 3\"]\n");
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let mut pid = None;
    let (cancel, looks) = (AtomicBool::new(false), &mut |_: CheckEvent<'_>| {
        pid = App::look(&place.options).unwrap().status().unwrap().runs[0].pid;
    });
    place.app().execute(&id, Place::execution(&cancel, &mut |_| {}, looks)).unwrap_err();
    assert_eq!(pid, Some(std::process::id()));
    let app = App::look(&place.options).unwrap();
    for run in [app.show(&id).unwrap().run.unwrap(), app.status().unwrap().runs.remove(0)] {
        assert!(
            run.reason.as_deref().unwrap().contains("(exit code 3); its last line: \u{2502} the reason"),
            "{run:?}"
        );
        assert_eq!(run.pid, None);
    }
}

const SEES: &str = "test -f tests/test_greet.py && grep -q sys.argv src/greet.py";

fn checked(place: &Place, text: &str) -> exacta_view::PlanView {
    let cancel = AtomicBool::new(false);
    place
        .app()
        .submit_checked(text.as_bytes(), &Request::default(), Trial { cancel: &cancel, observer: &mut |_| {} })
        .unwrap()
}

fn state(view: &exacta_view::PlanView) -> Option<CheckState> {
    view.checks.as_ref().map(|checks| checks.state)
}

#[test]
fn checks_at_submission_are_shown_to_whoever_decides_and_decide_nothing() {
    let cases = [(SEES, CheckState::Passed, ""), ("echo why it failed; exit 3", CheckState::Failed, "why it failed")];
    for (script, expected, said) in cases {
        let place =
            place(&format!("[[projects.\"PROJECT\".checks]]\nname = \"t\"\nargv = [\"sh\", \"-c\", \"{script}\"]\n"));
        let plain = place.submit(&fix());
        assert_eq!(state(&plain), Some(CheckState::NotRun), "{script}");
        let view = checked(&place, &fix());
        assert_eq!((state(&view), view.decision), (Some(expected), plain.decision), "{script}");
        let shown = place.app().show(&id(&view)).unwrap().plan;
        assert_eq!(shown.checks, view.checks, "{script}");
        assert_eq!(shown.checks.unwrap().commands[0].output, said);
        // The result is the content's: another plan of the same content has it, too.
        assert_eq!(state(&place.app().show(&id(&plain)).unwrap().plan), Some(expected), "{script}");
        assert_eq!(place.read("tests/test_greet.py"), None, "nothing is written");
    }
}

#[test]
fn a_result_counts_for_its_content_and_its_commands_alone() {
    let of = |script: &str| format!("[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"{script}\"]\n");
    let place = place(&of("true"));
    assert_eq!(state(&checked(&place, &fix())), Some(CheckState::Passed));
    assert_eq!(state(&place.submit(&fix().replace("assert True", "assert 1"))), Some(CheckState::NotRun));
    let root = place.options.project.as_ref().unwrap().canonicalize().unwrap();
    demand(&place, &of("true; true").replace("PROJECT", &root.display().to_string()));
    let again = place.submit(&fix());
    let checks = again.checks.unwrap();
    assert_eq!(checks.state, CheckState::NotRun);
    assert!(checks.reason.unwrap().contains("commands changed"));
}

/// What nobody approved leaves nothing behind, not even where a run's checks may write.
#[test]
fn a_trial_writes_nothing_that_stays() {
    let script = "echo x > build/out && cat build/out";
    let place = place(&format!(
        "[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"{script}\"]\nwrites = [\"build\"]\n"
    ));
    place.write("build/kept", "k\n");
    let cancel = AtomicBool::new(false);
    let before = place.app().list(None, None).unwrap().len();
    let mut said = Vec::new();
    let mut observer = |event: CheckEvent<'_>| {
        if let CheckEvent::Output(bytes) = event {
            said.extend_from_slice(bytes);
        }
    };
    let trial = Trial { cancel: &cancel, observer: &mut observer };
    let view = place.app().try_checks(fix().as_bytes(), &Request::default(), trial).unwrap();
    assert_eq!((state(&view), said.as_slice()), (Some(CheckState::Passed), b"x\n".as_slice()), "{:?}", view.checks);
    assert_eq!(place.read("build/out"), None);
    assert_eq!((view.plan_id, place.app().list(None, None).unwrap().len()), (None, before), "nothing is stored");
}

#[test]
fn what_is_denied_is_not_run_and_a_stopped_trial_stores_nothing() {
    let place = place("[[projects.\"PROJECT\".checks]]\nargv = [\"sh\", \"-c\", \"echo ran; sleep 20\"]\n");
    let denied = plan(
        "FixBug",
        "write where nothing may be written",
        json!([{
            "id": "s1", "order": 1, "type": "file_create", "target": ".git/hooks/pre-commit", "dependencies": [],
            "description": "run a program at each commit", "content": "#!/bin/sh\n",
        }]),
    );
    let view = checked(&place, &denied);
    assert_eq!((view.decision, state(&view)), (Verdict::Deny, Some(CheckState::NotRun)));
    let cancel = AtomicBool::new(false);
    let before = place.app().list(None, None).unwrap().len();
    let stop = &mut |event: CheckEvent<'_>| {
        if matches!(event, CheckEvent::Output(_)) {
            cancel.store(true, std::sync::atomic::Ordering::SeqCst);
        }
    };
    let trial = Trial { cancel: &cancel, observer: stop };
    let error = place.app().submit_checked(fix().as_bytes(), &Request::default(), trial).unwrap_err();
    assert_eq!((error.code.as_str(), error.exit), ("cancelled", Exit::RolledBack));
    assert_eq!(place.app().list(None, None).unwrap().len(), before);
}
