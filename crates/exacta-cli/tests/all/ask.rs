//! `exacta ask` from outside: the command, its JSON, its exit codes, and what it says without a provider.

use crate::world::{World, done};
use exacta_testkit::{Asked, LIMIT, ModelServer, Reply, Running};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

pub const TEXT: &str = "fix main in src/main.py: it prints hello instead of good day";

/// A model that reads the request with this confidence and does it right.
pub fn right(confidence: u32) -> ModelServer {
    ModelServer::start(move |_, asked: &Asked| {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let system = body["messages"][0]["content"].as_str().unwrap();
        if body["tools"].is_array() {
            return call(&json!({ "type": "FixBug", "confidence": confidence }));
        }
        if system.starts_with("You plan") {
            return say(
                r#"{"steps":[{"id":"s1","type":"file_modify","target":"src/main.py","description":"Print good day in main, verified by running it as a test.","dependencies":[],"satisfies":[]}],"assumptions":[]}"#,
            );
        }
        say(r#"{"edits":[{"find":"print(\"hello\")","replace":"print(\"good day\")"}]}"#)
    })
}

pub fn say(text: &str) -> Reply {
    event(json!({ "content": text }), "stop")
}

fn call(arguments: &Value) -> Reply {
    let call = json!({ "index": 0, "id": "c", "type": "function", "function": { "name": "read_request", "arguments": arguments.to_string() } });
    event(json!({ "tool_calls": [call] }), "tool_calls")
}

fn event(delta: Value, why: &str) -> Reply {
    let of = |choices: Value| {
        json!({ "model": "m-1", "choices": choices, "usage": { "prompt_tokens": 100, "completion_tokens": 10 } })
            .to_string()
    };
    Reply::events([
        of(json!([{ "index": 0, "delta": delta }])),
        of(json!([{ "index": 0, "delta": {}, "finish_reason": why }])),
        "[DONE]".to_owned(),
    ])
}

/// A project with a provider as an approver would have set it up.
pub fn world(url: &str) -> World {
    let world = World::begun();
    let setup = json!({ "name": "local", "kind": "openai-compatible", "model": "m-1", "url": url, "key": "none", "class": "LOCAL_ONLY" });
    let list = json!({ "schema": "exacta.providers/1", "record": { "providers": [setup], "chosen": "local", "for_intent": null } });
    let file = world.home().join("providers.json");
    fs::write(&file, list.to_string()).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    world
}

#[test]
fn without_a_provider_three_lines_say_how_to_add_one() {
    let world = World::begun();
    let done = world.run(&["ask", TEXT]).expect(30);
    insta::assert_snapshot!(done.err);
    assert_eq!(done.out, "");
    let told = world.run(&["ask", TEXT, "--json"]).expect(30).json();
    assert_eq!((&told["schema"], &told["needs"]["kind"]), (&json!("exacta.ask/1"), &json!("provider")));
    let shown = world.run(&["ask", TEXT, "--show-context", "--json"]).expect(0).json();
    assert!(shown["context"]["files"].as_array().unwrap().iter().any(|file| file["path"] == "src/main.py"), "{shown}");
}

#[test]
fn a_sentence_becomes_a_plan_that_is_approved_run_and_undone() {
    let server = right(95);
    let world = world(&server.url());
    let told = world.run(&["ask", TEXT, "--json"]).expect(30).json();
    for field in ["ask_id", "stage", "intent", "context", "attempts", "usage", "model", "plan_id"] {
        assert!(!told[field].is_null(), "{field}: {told}");
    }
    assert_eq!(
        (&told["stage"], &told["intent"]["type"], &told["intent"]["confidence"]),
        (&json!("done"), &json!("FixBug"), &json!(0.95))
    );
    assert_eq!(told["model"], json!({ "provider": "local", "model": "m-1", "from": "response" }));
    assert_eq!(told["usage"], json!({ "input": 300, "output": 30, "cost_usd": 0.0 }));
    let plan = told["plan_id"].as_str().unwrap();
    let shown = world.run(&["show", plan]).expect(0).out;
    assert!(shown.contains("openai-compatible m-1, asked as `local` (LOCAL_ONLY)"), "{shown}");
    let hash = world.run(&["show", plan, "--json"]).expect(0).json()["plan_hash"].as_str().unwrap().to_owned();
    world.run(&["approve", plan, "--hash", &hash, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", plan]).expect(0);
    assert!(world.read("src/main.py").contains("good day"));
    world.run(&["undo", "--approver-key", &world.key(), plan]).expect(0);
    assert!(world.read("src/main.py").contains("\"hello\""));
}

#[test]
fn progress_goes_to_people_by_stage_and_to_programs_by_line() {
    let server = right(95);
    let world = world(&server.url());
    insta::assert_snapshot!(world.run(&["ask", TEXT, "--plan-only"]).expect(0).err);
    let out = world.run(&["ask", TEXT, "--plan-only", "--events"]).expect(0).out;
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (result, events) = lines.split_last().unwrap();
    assert_eq!(result["schema"], "exacta.ask/1");
    assert!(events.len() > 4 && events.iter().all(|event| event["schema"] == "exacta.ask-event/1"), "{out}");
}

#[test]
fn a_question_is_answered_with_resume() {
    let server = right(70);
    let world = world(&server.url());
    let told = world.run(&["ask", TEXT, "--json"]).expect(30).json();
    assert_eq!(told["needs"]["kind"], "confirm_reading");
    let ask = told["ask_id"].as_str().unwrap();
    let told = world.run(&["ask", "--resume", ask, "--answer", "reading=yes", "--json"]).expect(30).json();
    assert_eq!(told["stage"], "done", "{told}");
    world.run(&["ask", "--resume", ask]).expect(2);
    world.run(&["ask", TEXT, "--confirm-reading", "--json"]).expect(30).json();
}

#[test]
fn a_provider_that_is_not_there_is_a_fault_and_can_be_resumed() {
    let world = world("http://127.0.0.1:9");
    let told = world.run(&["ask", TEXT, "--json"]).expect(60).json();
    assert_eq!(told["error"]["code"], "PROVIDER_UNREACHABLE");
    let server = right(95);
    let ask = told["ask_id"].as_str().unwrap();
    let file = world.home().join("providers.json");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("http://127.0.0.1:9", &server.url())).unwrap();
    assert_eq!(world.run(&["ask", "--resume", ask, "--json"]).expect(30).json()["stage"], "done");
}

#[test]
fn a_transcript_is_the_user_s_alone_and_never_in_the_project() {
    let server = right(95);
    let world = world(&server.url());
    world.run(&["ask", TEXT, "--transcript", "said.txt"]).expect(2);
    assert!(!world.project().join("said.txt").exists());
    let file = world.home().join("said.txt");
    let name = file.to_str().unwrap().to_owned();
    world.run(&["ask", TEXT, "--transcript", &name]).expect(30);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&file).unwrap().contains("You plan a change"));
    world.run(&["ask", TEXT, "--transcript", &name]).expect(2);
}

#[test]
fn a_reviewer_s_words_go_back_to_the_model() {
    let server = right(95);
    let world = world(&server.url());
    let told = world.run(&["ask", TEXT, "--json"]).expect(30).json();
    let plan = told["plan_id"].as_str().unwrap();
    let told = world
        .run(&["revise", plan, "say it louder", "--at", "src/main.py:2", "--approver-key", &world.key(), "--json"])
        .expect(30)
        .json();
    assert_eq!((&told["revises"], &told["stage"]), (&json!(plan), &json!("done")), "{told}");
    assert_eq!(told["between"][0]["path"], "src/main.py");
    let last = server.asked().pop().unwrap().body;
    assert!(last.contains("say it louder") && last.contains("src/main.py:2"));
}

/// A budget in dollars is kept with the price that the user gave: the cost is told, no answer may be longer than what is left buys, and where
/// nothing is left nothing is sent.
#[test]
fn a_budget_in_dollars_is_never_passed() {
    let server = right(95);
    let world = World::begun();
    let (url, key) = (server.url(), world.key());
    let add = |more: &[&str]| {
        let fixed = ["provider", "add", "local", "--kind", "openai-compatible", "--model", "m-1", "--url", &url];
        world.run(&[&fixed[..], &["--class", "UNTRUSTED_CLOUD", "--approver-key", &key], more].concat()).expect(0)
    };
    add(&[]);
    let told = world.run(&["ask", TEXT, "--budget-usd", "1", "--json"]).expect(2).json();
    assert_eq!((&told["error"]["code"], server.asked().len()), (&json!("ASK_NO_PRICE"), 0), "{told}");
    add(&["--price-input", "10", "--price-output", "100"]);
    let told = world.run(&["ask", TEXT, "--budget-usd", "0.3", "--json"]).expect(30).json();
    // Three answers of 100 tokens sent and 10 received.
    assert_eq!(told["usage"]["cost_usd"], json!(0.006), "{told}");
    let most = |asked: &Asked| serde_json::from_str::<Value>(&asked.body).unwrap()["max_tokens"].as_u64().unwrap();
    let longest: Vec<u64> = server.asked().iter().map(most).collect();
    assert!(longest.iter().all(|tokens| *tokens <= 3000) && longest.len() == 3, "{longest:?}");
    let before = server.asked().len();
    let told = world.run(&["ask", TEXT, "--budget-usd", "0.001", "--json"]).expect(50).json();
    assert_eq!((&told["error"]["code"], server.asked().len()), (&json!("ASK_BUDGET"), before), "{told}");
}

/// A model whose answers are these: to the reading, to the plan, to the change.
fn answering(reading: Value, plan: Reply, change: Reply) -> ModelServer {
    ModelServer::start(move |_, asked: &Asked| {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        match body["messages"][0]["content"].as_str().unwrap() {
            _ if body["tools"].is_array() => call(&reading),
            system if system.starts_with("You plan") => plan.clone(),
            _ => change.clone(),
        }
    })
}

fn another_model() -> Reply {
    let of = |choices: Value| json!({ "model": "m-2", "choices": choices }).to_string();
    Reply::events([
        of(json!([{ "index": 0, "delta": { "content": "{}" } }])),
        of(json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }])),
        "[DONE]".to_owned(),
    ])
}

/// Every way in which an ask ends, from outside: the exit code, the error's code, and that nothing is half stored.
#[test]
fn every_end_has_its_exit_code() {
    let fix = json!({ "type": "FixBug", "confidence": 95 });
    let nothing = || say("{}");
    let cases: [(i32, &str, Value, Reply, &[&str]); 9] = [
        (
            10,
            "ASK_COMPOSITE",
            json!({ "type": "Composite", "confidence": 95, "parts": ["FixBug", "AddFeature"] }),
            nothing(),
            &[],
        ),
        (10, "ASK_OUT_OF_SCOPE", json!({ "type": "OutOfScope", "confidence": 95 }), nothing(), &[]),
        (10, "ASK_LOW_CONFIDENCE", json!({ "type": "FixBug", "confidence": 59 }), nothing(), &[]),
        (10, "ASK_FINDINGS", fix.clone(), say("I would rather talk about it."), &[]),
        (10, "PLAN_CONSTRAINT_CONFLICT", fix.clone(), nothing(), &["--only", "src/", "--not", "src/"]),
        (30, "ASK_NEEDS", json!({ "type": "FixBug", "confidence": 70 }), nothing(), &[]),
        (40, "ASK_MODEL_CHANGED", fix.clone(), another_model(), &[]),
        (50, "ASK_BUDGET", fix.clone(), nothing(), &["--budget-tokens", "100"]),
        (
            60,
            "PROVIDER_CUT_STREAM",
            fix,
            Reply::new(200, "text/event-stream").bytes("data: {\"model\":\"m-1\"}\n\n"),
            &[],
        ),
    ];
    for (exit, code, reading, plan, options) in cases {
        let server = answering(reading, plan, say("{}"));
        let world = world(&server.url());
        let told = world.run(&[&["ask", TEXT, "--json"], options].concat()).expect(exit).json();
        assert_eq!((&told["schema"], &told["error"]["code"]), (&json!("exacta.ask/1"), &json!(code)), "{told}");
        assert_eq!(told["error"]["exit"], exit, "{told}");
        assert!(told["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{code}: {told}");
        assert_eq!(world.run(&["list", "--json"]).expect(0).json()["plans"], json!([]), "{code}");
        world.run(&["audit", "verify"]).expect(0);
    }
}

#[test]
fn what_policy_allows_ends_with_0_and_runs_where_that_was_asked_for() {
    let server = right(95);
    let world = world(&server.url());
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let told = world.run(&["ask", TEXT, "--json"]).expect(0).json();
    assert_eq!(told["stage"], "done", "{told}");
    assert!(world.read("src/main.py").contains("\"hello\""), "asking is not running");
    world.run(&["ask", TEXT, "--run", "--json"]).expect(0);
    assert!(world.read("src/main.py").contains("good day"));
}

#[test]
fn ctrl_c_ends_it_while_a_model_answers() {
    let server = ModelServer::start(|_, _| Reply::new(200, "text/event-stream").pause(Duration::from_secs(60)));
    let world = world(&server.url());
    let mut command = world.command(&["ask", TEXT, "--json"]);
    let running = Running::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let begun = Instant::now();
    while server.asked().is_empty() {
        assert!(begun.elapsed() < LIMIT, "it never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill_process(Pid::from_raw(running.id().cast_signed()).unwrap(), Signal::INT).unwrap();
    let done = done(running.finish()).expect(50).json();
    assert_eq!(done["error"]["code"], "ASK_CANCELLED", "{done}");
    assert_eq!(world.run(&["list", "--json"]).expect(0).json()["plans"], json!([]));
}
