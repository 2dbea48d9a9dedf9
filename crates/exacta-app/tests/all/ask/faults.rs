//! Every fault of a provider at every stage: a clear error with its exit code, nothing half stored, no other model, and nothing of keys,
//! prompts or files anywhere but where they belong.

use super::model::{MODEL, Question, Stage, call, reading, say, say_as, serve};
use super::{KEY, ask, files, place_of, wish};
use exacta_app::Exit;
use exacta_app::ask::{Budget, Until, Wish};
use exacta_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// In a file that the model sees and nobody changes.
const CONTENT: &str = "canary-content-77f3";
/// A part of what every model is told.
const PROMPT: &str = "it is not from the";

const FAULTS: &[(&str, Exit)] = &[
    ("429", Exit::Fault),
    ("500", Exit::Fault),
    ("401", Exit::Fault),
    ("html", Exit::Fault),
    ("half a stream", Exit::Fault),
    ("cut at once", Exit::Fault),
    ("not json", Exit::Fault),
    ("error in the stream", Exit::Fault),
    ("another model", Exit::Drifted),
    ("refusal", Exit::Denied),
    ("a hundred megabytes", Exit::Fault),
    ("a slow drip", Exit::Fault),
    ("a bad tool call", Exit::Denied),
];

/// What the user is willing to spend.
const BUDGET: u64 = 20_000;

fn faulty(name: &str) -> Reply {
    let piece = |delta: Value| json!({ "model": MODEL, "choices": [{ "index": 0, "delta": delta }] }).to_string();
    match name {
        "429" => {
            Reply::json(429, r#"{"error":{"message":"slow down","code":"rate_limit"}}"#).header("retry-after", "0")
        }
        "500" => Reply::json(500, "{}"),
        "401" => Reply::json(401, &format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#)),
        "html" => Reply::new(200, "text/html").bytes("<html>hello</html>"),
        "half a stream" => {
            Reply::new(200, "text/event-stream").bytes(format!("data: {}\n\n", piece(json!({ "content": "{\"st" }))))
        }
        "cut at once" => Reply::new(200, "text/event-stream").cut(),
        "not json" => Reply::events(["{this is not json"]),
        "error in the stream" => Reply::events([r#"{"error":{"message":"overloaded","type":"server_error"}}"#]),
        "another model" => say_as("m-2", "{}"),
        "refusal" => Reply::events([
            piece(json!({ "refusal": "I cannot help with that." })),
            json!({ "model": MODEL, "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }).to_string(),
        ]),
        "a hundred megabytes" => {
            let event = format!("data: {}\n\n", piece(json!({ "content": "x".repeat(1 << 20) })));
            Reply::new(200, "text/event-stream").again(event, 100, Duration::ZERO)
        }
        "a slow drip" => {
            Reply::new(200, "text/event-stream").bytes("data: ").again("x", 100, Duration::from_millis(100))
        }
        "a bad tool call" => {
            let call = json!({ "index": 0, "id": "c", "type": "function", "function": { "name": "read_request", "arguments": "{\"type\": Fix" } });
            let end =
                json!({ "model": MODEL, "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] });
            Reply::events([piece(json!({ "tool_calls": [call] })), end.to_string()])
        }
        other => panic!("{other}"),
    }
}

fn tree() -> Value {
    json!({ "app/a.py": "def f():\n    return 1\n", "app/b.py": format!("# {CONTENT}\nfrom app.a import f\n"), "tests/test_a.py": "from app.a import f\n" })
}

/// A model that fails at one stage, always.
fn failing(name: &'static str, at: &'static str) -> ModelServer {
    let seen = AtomicUsize::new(0);
    serve(move |_, question: &Question| {
        let stage = match question.stage {
            Stage::Intent => "intent",
            Stage::Plan => "plan",
            Stage::Change(_) => "diffs",
        };
        let first = seen.fetch_add(1, Ordering::SeqCst) == 0;
        // A model that is another one from the start is no change.
        if stage == at && !(name == "another model" && first) {
            return faulty(name);
        }
        match question.stage {
            Stage::Intent => call(&reading("FixBug", 95)),
            Stage::Plan => say(
                r#"{"steps":[{"id":"s1","type":"file_modify","target":"app/a.py","description":"Return two from f, checked by a test.","dependencies":[],"satisfies":[]}],"assumptions":[]}"#,
            ),
            Stage::Change(_) => say(r#"{"edits":[{"find":"return 1","replace":"return 2"}]}"#),
        }
    })
}

#[test]
fn every_fault_at_every_stage_ends_clearly_and_stores_nothing() {
    let mut wrong = Vec::new();
    for stage in ["intent", "plan", "diffs"] {
        for (name, exit) in FAULTS {
            if *name == "another model" && stage == "intent" {
                continue;
            }
            let (place, server) = (place_of(&tree()), failing(name, stage));
            let budget = Budget { tokens: Some(BUDGET), micro_usd: None };
            let asked = Wish { budget, ..wish("fix f in app/a.py: it returns 1 instead of 2") };
            let (end, _) = ask(&place, &server, asked, Until::Done);
            let others =
                server.asked().iter().filter(|asked| !asked.body.contains(&format!("\"model\":\"{MODEL}\""))).count();
            let spent = end.view.usage.input + end.view.usage.output;
            if others > 0 || spent > BUDGET {
                wrong.push(format!("{name} at {stage}: {others} questions to another model, {spent} tokens"));
            }
            let Some(error) = &end.view.error else {
                wrong.push(format!("{name} at {stage}: no error"));
                continue;
            };
            let stored = !place.app().list(None, None).unwrap().is_empty();
            if error.exit != *exit || stored || error.hint.is_none() || end.view.stage.name() != stage {
                wrong.push(format!("{name} at {stage}: {error:?}, stage {:?}, stored {stored}", end.view.stage));
            }
            wrong.extend(leaks(place.folder.path()).into_iter().map(|leak| format!("{name} at {stage}: {leak}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a canary is found that should not be.
fn leaks(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for (path, bytes) in files(folder, &[]) {
        for canary in [KEY, CONTENT, PROMPT] {
            let there = bytes.windows(canary.len()).any(|part| part == canary.as_bytes());
            if there && !(path == "project/app/b.py" && canary == CONTENT) {
                found.push(format!("`{canary}` in {path}"));
            }
        }
    }
    found
}

#[test]
fn a_plan_that_is_stored_holds_no_key_prompt_or_file() {
    let place = place_of(&tree());
    let (end, _) =
        ask(&place, &failing("none", "never"), wish("fix f in app/a.py: it returns 1 instead of 2"), Until::Done);
    assert!(end.plan.is_some(), "{:?} {:#?}", end.view.error, end.view.attempts);
    assert_eq!(leaks(place.folder.path()), Vec::<String>::new());
    let told = serde_json::to_string(&end.view).unwrap();
    assert!(![KEY, CONTENT, PROMPT].iter().any(|canary| told.contains(canary)), "{told}");
}

#[test]
fn a_model_that_says_nothing_for_ever_ends_at_a_limit() {
    let place = place_of(&tree());
    let server = serve(|_, _| Reply::new(200, "text/event-stream").pause(Duration::from_secs(8)));
    let (end, _) = ask(&place, &server, wish("fix f in app/a.py: it returns 1 instead of 2"), Until::Done);
    assert_eq!(end.view.error.unwrap().exit, Exit::Fault);
}
