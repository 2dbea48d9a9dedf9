//! `exacta ask` with a real model server and a model that is much too small: whatever it says, nothing crashes, hangs or gets past a gate.

use crate::world::World;
use exacta_testkit::LocalModel;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

fn server(context: u32) -> Option<LocalModel> {
    LocalModel::start(Path::new(env!("CARGO_TARGET_TMPDIR")), context)
}

fn world(server: &LocalModel, output: &str) -> World {
    let world = World::begun();
    let key = world.key();
    let fixed = ["provider", "add", "small", "--kind", "openai-compatible", "--model", "local-model", "--url"];
    world.run(&[&fixed[..], &[server.url(), "--output", output, "--approver-key", &key]].concat()).expect(0);
    world
}

/// Asks, and holds that it ends (as every command here does within `exacta_testkit::LIMIT`), that nothing changed, and that the end is one that
/// is published.
fn ask(world: &World, args: &[&str]) -> (i32, Value, Duration) {
    let before = (world.read("src/main.py"), world.read("greet.txt"));
    let begin = Instant::now();
    let done = world.run(&[&["ask", "--json"], args].concat());
    let took = begin.elapsed();
    assert!(matches!(done.code, 0 | 10 | 30 | 50 | 60), "{}: {}{}", done.code, done.out, done.err);
    assert_eq!((world.read("src/main.py"), world.read("greet.txt")), before, "an ask changes nothing");
    let told = done.json();
    assert_eq!(told["schema"], "exacta.ask/1");
    // In the profile SAFE nothing runs that nobody decided.
    assert!(done.code != 0 || told["plan_id"].is_null(), "{told}");
    (done.code, told, took)
}

#[test]
fn a_real_server_is_tested_asked_and_never_believed() {
    let Some(server) = server(4096) else { return };
    let world = world(&server, "500");
    let tested = world.run(&["provider", "test", "small", "--json"]).expect(0).json();
    let able = tested["capabilities"].to_string();
    assert!(able.contains("json_mode") && able.contains("streaming"), "{tested}");
    assert_eq!(tested["limits"]["context"], 4096, "{tested}");
    assert_eq!(tested["served"]["model"], "local-model", "{tested}");
    // llama.cpp says which file it reads, and the file is on this machine.
    assert_eq!(tested["served"]["local_sha256"].as_str().map(str::len), Some(64), "{tested}");
    // It cannot call tools, so the same is asked with a schema: a reading comes of it, or an honest refusal.
    let (code, told, _) = ask(&world, &["fix main in src/main.py: it prints hello instead of good day", "--plan-only"]);
    let refused = told["error"]["code"].as_str().unwrap_or_default();
    let honest = ["ASK_LOW_CONFIDENCE", "ASK_COMPOSITE", "ASK_OUT_OF_SCOPE", "ASK_FINDINGS", "ASK_NEEDS"];
    assert!(told["intent"]["type"].is_string() || honest.contains(&refused), "{code}: {told}");
    assert!(code == 0 || honest.contains(&refused), "{code}: {told}");
    let all: Vec<&Value> =
        told["attempts"].as_array().unwrap().iter().flat_map(|it| it["findings"].as_array().unwrap()).collect();
    assert!(
        all.iter().all(|it| it["code"] != "PROVIDER_BAD_TOOL_CALL" && it["code"] != "PLAN_PARSE_NONJSON"),
        "{told}"
    );
    world.run(&["audit", "verify"]).expect(0);
}

/// A context that nothing fits in is told as that.
#[test]
fn a_request_that_does_not_fit_is_an_error_that_says_so() {
    let Some(server) = server(512) else { return };
    let world = world(&server, "64");
    let (code, told, _) = ask(&world, &["add a farewell to greet.txt", "--intent", "AddFeature"]);
    assert_eq!((code, &told["error"]["code"]), (60, &"PROVIDER_CONTEXT_EXCEEDED".into()), "{told}");
}

/// How often a model that is much too small is of use. For `docs/proofs/local-models.md`; `EXACTA_TEST_WEIGHTS` names other weights.
#[test]
#[ignore = "takes some ten minutes; `tools/prove model` does it"]
fn how_often_a_small_model_is_of_use() {
    const REQUESTS: [(&str, &str); 10] = [
        ("FixBug", "fix main in src/main.py: it prints hello instead of good day"),
        ("FixBug", "main in src/main.py crashes without a name, repair it"),
        ("FixBug", "the greeting in greet.txt is wrong: it must be good day"),
        ("AddFeature", "add a farewell to greet.txt"),
        ("AddFeature", "add a --name option to src/main.py"),
        ("AddFeature", "write a README for this project"),
        ("AddFeature", "let main in src/main.py take the name from the environment"),
        ("BuildPackage", "build the release package"),
        ("BuildPackage", "make a debug build"),
        ("", "what is the weather today?"),
    ];
    let Some(server) = server(4096) else { return };
    let (mut read, mut right, mut planned, mut stored) = (0, 0, 0, 0);
    for (kind, text) in REQUESTS {
        let world = world(&server, "500");
        world.run(&["provider", "test", "small"]).expect(0);
        let (code, told, took) = ask(&world, &[text, "--confirm-reading"]);
        let said = told["intent"]["type"].as_str().unwrap_or_default();
        read += usize::from(
            !said.is_empty() || told["error"]["code"] == "ASK_OUT_OF_SCOPE" || told["error"]["code"] == "ASK_COMPOSITE",
        );
        right += usize::from(said == kind || (kind.is_empty() && told["error"]["code"] == "ASK_OUT_OF_SCOPE"));
        planned += usize::from(told["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
        stored += usize::from(told["plan_id"].is_string());
        println!(
            "{text}: exit {code}, {} s, {} {}, {}",
            took.as_secs(),
            told["stage"],
            told["intent"]["type"],
            told["error"]["code"]
        );
    }
    println!(
        "of {}: read {read}, read right {right}, steps that hold {planned}, plans stored {stored}",
        REQUESTS.len()
    );
}
