//! The real codex, with the settings that `docs/mcp.md` has for it, against a model that tries everything: only the plan arrives.

use super::patch;
use crate::world::{EXACTA, World, done};
use exacta_testkit::{Asked, ModelServer, Reply, npm, output};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The settings that take direct writing away, and the server; the rest is for the scripted model.
fn settings(world: &World, model: &str) -> String {
    let (project, home) = (world.project().display().to_string(), world.home().display().to_string());
    format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\nsandbox_mode = \"read-only\"\napproval_policy = \"never\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n\
         [mcp_servers.exacta]\ncommand = \"{EXACTA}\"\nargs = [\"mcp\", \"--project\", \"{project}\", \"--agent\", \"codex\"]\n\
         env = {{ EXACTA_HOME = \"{home}\" }}\nrequired = true\ndefault_tools_approval_mode = \"approve\"\n"
    )
}

/// What the tools said so far.
fn outputs(asked: &Asked) -> Vec<String> {
    let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let is_output = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"));
    body["input"].as_array().into_iter().flatten().filter(is_output).map(|item| item["output"].to_string()).collect()
}

/// The model's next act: its own way to edit, then the shell, then a plan.
fn act(done: usize) -> Value {
    let call = |id: &str, kind: &str, name: &str| json!({ "type": kind, "id": id, "call_id": id, "name": name });
    let mut item = match done {
        0 => call("c1", "custom_tool_call", "apply_patch"),
        1 => call("c2", "function_call", "exec_command"),
        2 => call("c3", "function_call", "submit"),
        _ => {
            return json!({ "type": "message", "id": "m", "role": "assistant", "content": [{ "type": "output_text", "text": "done" }] });
        }
    };
    match done {
        0 => item["input"] = patch()["patch"].clone(),
        1 => item["arguments"] = json!(json!({ "cmd": "echo shell > greet.txt" }).to_string()),
        _ => {
            item["namespace"] = json!("mcp__exacta");
            item["arguments"] = json!(patch().to_string());
        }
    }
    item
}

fn script(_: usize, asked: &Asked) -> Reply {
    if !asked.line.starts_with("POST ") {
        return Reply::json(200, r#"{"data":[],"models":[]}"#);
    }
    let usage = json!({ "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2 });
    let events = [
        json!({ "type": "response.created", "response": { "id": "r" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": act(outputs(asked).len()) }),
        json!({ "type": "response.completed", "response": { "id": "r", "usage": usage } }),
    ];
    Reply::events(events.map(|event| event.to_string()))
}

#[test]
fn codex_writes_nothing_itself_and_its_plan_arrives() {
    let Some(modules) = npm(Path::new(env!("CARGO_TARGET_TMPDIR")), &["@openai/codex@0.166.0"]) else { return };
    let world = World::begun();
    let model = ModelServer::start(script);
    let [home, temporary] = ["codex-home", "tmp"].map(|name| world.path().join(name));
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::create_dir_all(&temporary).unwrap();
    fs::write(home.join(".codex/config.toml"), settings(&world, &model.url())).unwrap();
    let mut codex = Command::new(modules.join("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"));
    codex.args(["exec", "--json", "--skip-git-repo-check", "change the greeting"]).current_dir(world.project());
    codex.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    codex.env("HOME", &home).env("TMPDIR", &temporary).stdin(Stdio::null());
    let ended = done(output(&mut codex)).expect(0);

    let said =
        model.asked().iter().rev().map(outputs).find(|said| said.len() == 3).unwrap_or_else(|| panic!("{ended:?}"));
    assert!(said[0].contains("blocked by read-only sandbox"), "{}", said[0]);
    assert!(said[1].contains("Read-only file system"), "{}", said[1]);
    assert!(said[2].contains("not_decided_yet"), "{}", said[2]);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n", "neither the patch nor the shell wrote");
    let plans = world.run(&["list", "--json"]).expect(0).json();
    let plan = &plans["plans"][0];
    assert_eq!((&plan["by"], &plan["status"]), (&json!("mcp:codex"), &json!("pending")), "{plans}");
    // codex says which model is at work with each call, so that the plan is bound to it.
    let shown = world.run(&["show", plan["plan_id"].as_str().unwrap(), "--json", "--with=binding"]).expect(0).json();
    let proposer = &shown["detail"]["binding"]["proposer"];
    assert_eq!(proposer["model"]["model"], "gpt-5.5", "{proposer}");
    assert!(proposer["client"].as_str().unwrap().starts_with("codex"), "{proposer}");
}
