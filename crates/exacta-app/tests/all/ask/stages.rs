//! Stage by stage: what is asked, what is refused, what is kept, and that nothing is sent before it may be.

use super::model::{Question, Stage, call, reading, say, serve};
use super::{ask, place_of, provider, wish};
use crate::place::{Place, id};
use exacta_app::Exit;
use exacta_app::ask::{AskEnd, AskStage, Asking, Budget, Until, Wish};
use exacta_kernel::binding::ProviderClass;
use exacta_kernel::hash::Digest;
use exacta_kernel::provider::{ProviderKind, ProviderSetup};
use exacta_provider::Cancel;
use exacta_testkit::ModelServer;
use serde_json::{Value, json};

fn tree() -> Value {
    json!({ "app/a.py": "def f():\n    return 1\n", "lib/a.py": "def g():\n    return 1\n", "tests/test_a.py": "from app.a import f\n" })
}

const TEXT: &str = "fix f in app/a.py: it returns 1 instead of 2";

/// A model that does it right, reading the request with this confidence.
fn right(confidence: u32) -> ModelServer {
    serve(move |_, question: &Question| match question.stage {
        Stage::Intent => call(&reading("FixBug", confidence)),
        Stage::Plan => say(
            r#"{"steps":[{"id":"s1","type":"file_modify","target":"app/a.py","description":"Return two from f, checked by a test.","dependencies":[],"satisfies":[]}],"assumptions":[]}"#,
        ),
        Stage::Change(_) => say(r#"{"edits":[{"find":"return 1","replace":"return 2"}]}"#),
    })
}

fn resume(place: &Place, server: &ModelServer, end: &AskEnd, answers: &[(&str, &str)]) -> AskEnd {
    let mut app = place.app();
    let kept = app.kept_ask(&end.view.ask_id).unwrap();
    let mut wish = kept.wish.clone();
    wish.answers.extend(answers.iter().map(|(field, value)| ((*field).to_owned(), (*value).to_owned())));
    let (cancel, mut maker) = (Cancel::new(), provider(server));
    app.ask(Asking {
        wish,
        until: Until::Done,
        resume: Some((end.view.ask_id.clone(), kept)),
        revision: None,
        maker: &mut maker,
        reader: None,
        price: None,
        cancel: &cancel,
        observer: &mut |_| {},
        transcript: None,
    })
}

#[test]
fn confidence_decides_whether_it_goes_on() {
    for (confidence, exit) in [
        (85, None),
        (84, Some(Exit::Confirm)),
        (60, Some(Exit::Confirm)),
        (59, Some(Exit::Denied)),
        (0, Some(Exit::Denied)),
    ] {
        let place = place_of(&tree());
        let (end, _) = ask(&place, &right(confidence), wish(TEXT), Until::Done);
        assert_eq!(end.view.error.as_ref().map(|error| error.exit), exit, "{confidence}: {:?}", end.view.error);
    }
}

#[test]
fn a_reading_is_confirmed_and_the_ask_goes_on() {
    let place = place_of(&tree());
    let server = right(70);
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Done);
    let needs = end.view.needs.clone().unwrap();
    assert_eq!((needs.kind, needs.field.as_str()), ("confirm_reading", "reading"));
    assert_eq!(server.asked().len(), 1);
    let end = resume(&place, &server, &end, &[("reading", "yes")]);
    assert!(end.plan.is_some(), "{:?}", end.view.error);
    assert_eq!(server.asked().len(), 3, "the request is not read again");
    assert!(place.app().kept_ask(&end.view.ask_id).is_err(), "it is over");
    let (end, _) = ask(&place_of(&tree()), &right(70), Wish { confirmed: true, ..wish(TEXT) }, Until::Done);
    assert!(end.plan.is_some());
}

#[test]
fn a_name_that_several_files_have_is_asked_about() {
    let place = place_of(&tree());
    let server = right(95);
    let (end, _) = ask(&place, &server, wish("fix a.py: f returns 1 instead of 2"), Until::Done);
    let needs = end.view.needs.clone().unwrap();
    assert_eq!((needs.kind, needs.candidates.len()), ("choose", 2), "{needs:?}");
    let end = resume(&place, &server, &end, &[("file", "app/a.py")]);
    assert!(end.plan.is_some(), "{:?} {:?}", end.view.error, end.view.needs);
}

#[test]
fn contradictions_are_named_before_a_token_is_spent() {
    let own = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let cases = [
        Wish { only: own(&["app/"]), not: own(&["app/"]), ..wish(TEXT) },
        Wish { files: own(&["app/a.py"]), not: own(&["app/"]), ..wish(TEXT) },
        Wish { must: own(&["only change `lib/`"]), only: own(&["app/"]), ..wish(TEXT) },
        Wish { only: own(&["app/"]), ..wish("fix f in app/a.py but do not touch `app/`") },
    ];
    for wish in cases {
        let (place, server) = (place_of(&tree()), right(95));
        let (end, _) = ask(&place, &server, wish, Until::Done);
        let error = end.view.error.unwrap();
        assert_eq!(
            (error.code.as_str(), error.exit, server.asked().len()),
            ("PLAN_CONSTRAINT_CONFLICT", Exit::Denied, 0),
            "{error}"
        );
    }
}

#[test]
fn a_limit_that_names_no_path_of_the_project_is_refused_before_anything_is_sent() {
    for path in ["../app", "/etc", "", "a`b", "app/../lib"] {
        for wish in
            [Wish { only: vec![path.to_owned()], ..wish(TEXT) }, Wish { not: vec![path.to_owned()], ..wish(TEXT) }]
        {
            let (place, server) = (place_of(&tree()), right(95));
            let (end, _) = ask(&place, &server, wish, Until::Done);
            let error = end.view.error.unwrap_or_else(|| panic!("`{path}` was taken"));
            assert_eq!(
                (error.code.as_str(), error.exit, server.asked().len()),
                ("constraint_invalid", Exit::Usage, 0),
                "{path}: {error}"
            );
        }
    }
}

#[test]
fn what_the_model_would_see_is_listed_and_nothing_is_sent() {
    let (place, server) = (place_of(&tree()), right(95));
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Context);
    let context = end.view.context.unwrap();
    assert!(end.view.error.is_none() && server.asked().is_empty());
    assert!(context.files.iter().any(|file| file.path == "app/a.py" && file.why == "named"), "{context:?}");
}

#[test]
fn the_steps_alone_are_stored_nowhere() {
    let (place, server) = (place_of(&tree()), right(95));
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Plan);
    assert_eq!((end.view.steps.len(), end.view.stage, server.asked().len()), (1, AskStage::Plan, 2));
    assert!(place.app().list(None, None).unwrap().is_empty());
}

#[test]
fn a_type_that_the_user_names_is_not_guessed() {
    let (place, server) = (place_of(&tree()), right(0));
    let (end, _) = ask(&place, &server, Wish { intent: Some("FixBug".to_owned()), ..wish(TEXT) }, Until::Done);
    assert!(end.plan.is_some(), "{:?}", end.view.error);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_budget_stops_it_before_the_next_question() {
    let (place, server) = (place_of(&tree()), right(95));
    let tokens = |most| Wish { budget: Budget { tokens: Some(most), micro_usd: None }, ..wish(TEXT) };
    let (end, _) = ask(&place, &server, tokens(10), Until::Done);
    let error = end.view.error.unwrap();
    assert_eq!((error.code.as_str(), error.exit, server.asked().len()), ("ASK_BUDGET", Exit::RolledBack, 0));
    let mut counts = Vec::new();
    for most in (100..1200).step_by(10) {
        let server = right(95);
        let (end, _) = ask(&place, &server, tokens(most), Until::Done);
        assert_eq!(
            end.view.error.map(|error| error.code.as_str()),
            (server.asked().len() < 3).then_some("ASK_BUDGET"),
            "{most}"
        );
        counts.push(server.asked().len());
    }
    assert!(counts.is_sorted() && (0..=3).all(|count| counts.contains(&count)), "{counts:?}");
}

#[test]
fn a_wish_to_stop_is_heard_at_every_stage() {
    for stop in 0..3 {
        let place = place_of(&tree());
        let cancel = Cancel::new();
        let stopping = cancel.clone();
        let server = serve(move |number, question: &Question| {
            if number == stop {
                stopping.cancel();
            }
            match question.stage {
                Stage::Intent => call(&reading("FixBug", 95)),
                Stage::Plan => say(
                    r#"{"steps":[{"id":"s1","type":"file_modify","target":"app/a.py","description":"Return two from f, checked by a test.","dependencies":[],"satisfies":[]}],"assumptions":[]}"#,
                ),
                Stage::Change(_) => say(r#"{"edits":[{"find":"return 1","replace":"return 2"}]}"#),
            }
        });
        let mut maker = provider(&server);
        let asking = Asking {
            wish: wish(TEXT),
            until: Until::Done,
            resume: None,
            revision: None,
            maker: &mut maker,
            reader: None,
            price: None,
            cancel: &cancel,
            observer: &mut |_| {},
            transcript: None,
        };
        let end = place.app().ask(asking);
        let error = end.view.error.unwrap();
        assert_eq!((error.code.as_str(), error.exit), ("ASK_CANCELLED", Exit::RolledBack), "{stop}");
        assert!(place.app().list(None, None).unwrap().is_empty());
    }
}

#[test]
fn a_plan_is_bound_to_the_request_that_was_sent_and_to_the_model() {
    let (place, server) = (place_of(&tree()), right(95));
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Done);
    let plan = end.plan.unwrap();
    let binding = plan.detail.as_ref().unwrap().binding.clone().unwrap();
    let sent = server.asked();
    assert_eq!(binding["request_sha256"], Digest::of(sent[1].body.as_bytes()).to_string(), "{binding:#}");
    assert_eq!(binding["proposer"]["model"]["model"], "m-1");
    assert_eq!(binding["proposer"]["model"]["limits"]["context"], 32_768);
    assert_eq!(binding["asked"]["provider"], "local");
    assert_eq!(binding["asked"]["confidence"], 9500);
    assert_eq!(binding["asked"]["named"], json!(["app/a.py"]));
    assert_eq!(binding["asked"]["context_sha256"].as_str().unwrap(), end.view.context.unwrap().sha256);
    let _stored = id(&plan);
}

#[test]
fn a_request_with_a_secret_or_without_words_is_not_sent() {
    let secret = format!("use the key {}", ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat());
    for text in ["", "   ", &"x ".repeat(9000), &secret] {
        let (place, server) = (place_of(&tree()), right(95));
        let (end, _) = ask(&place, &server, wish(text), Until::Done);
        assert_eq!((end.view.error.unwrap().exit, server.asked().len()), (Exit::Usage, 0), "{}", text.len());
    }
}

#[test]
fn a_model_that_never_mends_is_asked_four_times_in_all() {
    let place = place_of(&tree());
    let server = serve(|_, question: &Question| match question.stage {
        Stage::Intent => call(&reading("FixBug", 95)),
        _ => say("I would rather talk about it."),
    });
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Done);
    let error = end.view.error.unwrap();
    assert_eq!(
        (error.code.as_str(), error.exit, end.view.attempts.len(), server.asked().len()),
        ("ASK_FINDINGS", Exit::Denied, 4, 5)
    );
    assert!(error.places.iter().any(|place| place.starts_with("PLAN_PARSE_NONJSON")), "{:?}", error.places);
}

type Change = fn(&mut ProviderSetup);

#[test]
fn a_plan_does_not_run_once_another_model_is_there() {
    let changes: [(&str, Change, Option<&str>); 5] = [
        ("nothing", |_| {}, None),
        ("another model", |setup| setup.model = "m-2".to_owned(), Some("plan_drifted")),
        ("other limits", |setup| setup.limits.context = Some(8192), Some("plan_drifted")),
        ("another kind", |setup| setup.kind = ProviderKind::Ollama, Some("plan_drifted")),
        ("less trusted", |setup| setup.class = ProviderClass::UntrustedCloud, Some("plan_drifted")),
    ];
    for (name, change, code) in changes {
        let (place, server) = (place_of(&tree()), right(95));
        let (end, _) = ask(&place, &server, wish(TEXT), Until::Done);
        let plan = id(&end.plan.unwrap());
        place.approve(&plan).unwrap();
        let mut setup = super::setup(&server);
        change(&mut setup);
        super::register(&place, &setup);
        let outcome =
            place.execute(&plan).map(|run| run.outcome.name()).map_err(|error| (error.code.as_str(), error.exit));
        match code {
            None => assert_eq!(outcome, Ok("completed"), "{name}"),
            Some(code) => assert_eq!(outcome, Err((code, Exit::Drifted)), "{name}"),
        }
    }
}

/// The newest answer counts for the setup it came from.
#[test]
fn a_newer_version_at_another_address_says_nothing_about_this_one() {
    let (place, server) = (place_of(&tree()), right(95));
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Done);
    let plan = id(&end.plan.unwrap());
    place.approve(&plan).unwrap();
    let newer = serve(|_, _| super::model::say_as("m-1-2026-05-01", "x"));
    let (_, _) = ask(&place, &newer, wish(TEXT), Until::Plan);
    super::register(&place, &super::setup(&server));
    assert_eq!(place.execute(&plan).unwrap().outcome.name(), "completed");
}

#[test]
fn a_reviewer_s_words_make_the_next_version() {
    let place = place_of(&tree());
    let server = serve(|_, question: &Question| match question.stage {
        Stage::Intent => call(&reading("FixBug", 95)),
        Stage::Plan => say(
            r#"{"steps":[{"id":"s1","type":"file_modify","target":"app/a.py","description":"Return two from f, checked by a test.","dependencies":[],"satisfies":[]}],"assumptions":[]}"#,
        ),
        Stage::Change(_) if question.text.contains("use a constant") => {
            say(r#"{"edits":[{"find":"def f():\n    return 1","replace":"TWO = 2\n\n\ndef f():\n    return TWO"}]}"#)
        }
        Stage::Change(_) => say(r#"{"edits":[{"find":"return 1","replace":"return 2"}]}"#),
    });
    let (end, _) = ask(&place, &server, wish(TEXT), Until::Done);
    let first = id(&end.plan.unwrap());
    let mut app = place.app();
    let revision = app.revision(&first, "use a constant for it", &["app/a.py:2".to_owned()]).unwrap().unwrap();
    let (cancel, mut maker) = (Cancel::new(), provider(&server));
    let end = app.ask(Asking {
        wish: Wish::default(),
        until: Until::Done,
        resume: None,
        revision: Some(revision),
        maker: &mut maker,
        reader: None,
        price: None,
        cancel: &cancel,
        observer: &mut |_| {},
        transcript: None,
    });
    let plan = end.plan.unwrap_or_else(|| panic!("{:?} {:#?}", end.view.error, end.view.attempts));
    assert_eq!(plan.detail.as_ref().unwrap().version, 2);
    let between = app.between(&first, &id(&plan)).unwrap();
    assert_eq!((between.len(), between[0].path.as_str(), between[0].change), (1, "app/a.py", "changed"));
    assert!(between[0].diff.as_ref().unwrap().contains("+TWO = 2"), "{between:?}");
    let outside = place.submit(&crate::place::plan("AddFeature", "say more in the readme of the project", json!([{
        "id": "s1", "order": 1, "type": "file_create", "target": "docs/a.md", "description": "Say more about the project.", "dependencies": [], "content": "# More\n",
    }])));
    assert!(place.app().revision(&id(&outside), "x", &[]).unwrap().is_none(), "a plan from outside is its proposer's");
}
