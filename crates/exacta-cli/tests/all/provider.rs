//! `exacta provider …` from outside: adding is signed and recorded, nothing shows a key, and a test remembers what it found.

use crate::world::{Done, World, done};
use exacta_testkit::{ModelServer, Reply, output};
use std::fs;
use std::path::Path;

const KEY: &str = "sk-canary-93c1e0";

/// A server that can do everything.
fn able() -> ModelServer {
    server(4096, true)
}

/// A server with this context, that calls tools or not.
fn server(context: u64, tools: bool) -> ModelServer {
    ModelServer::start(move |_, asked| {
        if asked.line.starts_with("GET") {
            let props = format!(r#"{{"default_generation_settings":{{"n_ctx":{context}}},"data":[]}}"#);
            return Reply::json(200, &props);
        }
        let said = if tools && asked.body.contains("\"tools\"") {
            r#""delta":{"tool_calls":[{"index":0,"function":{"name":"report","arguments":"{\"colour\":\"blue\"}"}}]}"#
        } else {
            r#""delta":{"content":"{\"colour\":\"blue\"}"}"#
        };
        Reply::events([format!(
            r#"{{"model":"m-1-2026-01-02","choices":[{{"index":0,{said},"finish_reason":"stop"}}]}}"#
        )])
    })
}

fn add(world: &World, name: &str, url: &str, more: &[&str]) -> Done {
    let key = world.key();
    let fixed = [
        "provider",
        "add",
        name,
        "--kind",
        "openai-compatible",
        "--model",
        "m-1",
        "--url",
        url,
        "--approver-key",
        &key,
    ];
    with_key(world, &[&fixed, more].concat())
}

/// A command with the key in its environment.
fn with_key(world: &World, args: &[&str]) -> Done {
    done(output(world.command(args).env("TEST_KEY", KEY)))
}

fn shown(text: &str, url: &str) -> String {
    let text = text.replace(url, "http://127.0.0.1:PORT");
    let dates = |line: &str| {
        line.find("20").filter(|_| line.contains("last as")).map_or(line.len(), |_| line.rfind(", ").unwrap())
    };
    let ends = [" (tested", " takes "];
    let cut = |line: &str| {
        let line = line.get(..dates(line)).unwrap();
        line.get(..ends.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len())).unwrap().to_owned()
    };
    text.lines().map(|line| cut(line) + "\n").collect()
}

#[test]
fn each_stage_asks_the_provider_that_fits_it_best() {
    let (world, quick, large) = (World::begun(), server(4096, true), server(65_536, false));
    add(&world, "quick", &quick.url(), &[]).expect(0);
    add(&world, "large", &large.url(), &[]).expect(0);
    let untested = world.run(&["provider", "use", "--best", "--json"]).expect(30).json();
    assert_eq!(untested["error"]["code"], "ASK_NO_CHOICE");
    for name in ["quick", "large"] {
        world.run(&["provider", "test", name]).expect(0);
    }
    let listed = world.run(&["provider", "use", "--best", "--json"]).expect(0).json();
    let used = |listed: &serde_json::Value| {
        ["0", "1"].map(|at| listed.pointer(&format!("/providers/{at}/used_for/0")).cloned().unwrap_or_default())
    };
    assert_eq!(used(&listed), ["intent", "plan"], "{listed}");
    // The one that planned is gone: nobody else is asked in its place unknown to the user, the list says who it is now.
    world.run(&["provider", "remove", "large"]).expect(0);
    let left = world.run(&["provider", "list", "--json"]).expect(0).json();
    assert_eq!(left.pointer("/providers/0/used_for"), Some(&serde_json::json!(["plan", "intent"])), "{left}");
    // A name ends the choosing.
    add(&world, "large", &large.url(), &["--context", "65536"]).expect(0);
    world.run(&["provider", "use", "quick"]).expect(0);
    let named = world.run(&["provider", "list", "--json"]).expect(0).json();
    assert_eq!(used(&named), [serde_json::json!("plan"), serde_json::Value::Null], "{named}");
}

#[test]
fn from_adding_to_removing() {
    let (world, server) = (World::begun(), able());
    let url = server.url();
    let added = add(&world, "local", &url, &["--key-env", "TEST_KEY"]).expect(0);
    insta::assert_snapshot!("provider-added", shown(&added.out, &url));
    assert!(server.asked().is_empty(), "adding asks nobody");
    let tested = with_key(&world, &["provider", "test", "local"]).expect(0);
    insta::assert_snapshot!("provider-tested", shown(&tested.out, &url));
    add(&world, "other", &url, &[]).expect(0);
    world.run(&["provider", "use", "other", "--intent", "local"]).expect(0);
    let listed = world.run(&["provider", "list", "--json"]).expect(0).json();
    let local = &listed["providers"][0];
    assert_eq!((&local["class"], &local["limits"]["context"]), (&"LOCAL_ONLY".into(), &4096.into()));
    assert_eq!((&local["served"]["version"], &local["used_for"][0]), (&"2026-01-02".into(), &"intent".into()));
    assert_eq!((&local["key_present"], &listed["providers"][1]["used_for"][0]), (&false.into(), &"plan".into()));
    world.run(&["provider", "remove", "local"]).expect(0);
    let log = world.run(&["audit", "list", "--json"]).expect(0).out;
    assert_eq!(log.matches("provider_changed").count(), 4, "{log}");
    world.run(&["audit", "verify"]).expect(0);
    for folder in [world.home(), world.project()] {
        assert!(!holds(&folder, KEY), "a key in {}", folder.display());
    }
}

fn holds(folder: &Path, canary: &str) -> bool {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        let file =
            || fs::read(&path).is_ok_and(|bytes| bytes.windows(canary.len()).any(|part| part == canary.as_bytes()));
        if path.is_dir() { holds(&path, canary) } else { file() }
    })
}

#[test]
fn what_may_not_be_set_up_is_refused() {
    let world = World::begun();
    let cases: [(&str, &[&str], &str); 6] = [
        ("http://example.com", &["--key-env", "TEST_KEY"], "only by `https"),
        ("https://example.com", &["--class", "LOCAL_ONLY"], "only a loopback"),
        ("https://me:secret@example.com", &[], "a key belongs"),
        ("https://example.com/?key=1", &[], "a key belongs"),
        ("ftp://example.com", &[], "http"),
        ("http://127.0.0.1.example.com", &["--class", "LOCAL_ONLY"], "only a loopback"),
    ];
    for (url, more, why) in cases {
        let refused = add(&world, "x", url, more).expect(2);
        let told = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(why) && !refused.err.contains("secret"), "{url}: {}", refused.err);
    }
    let cloud = add(&world, "cloud", "https://example.com", &["--json"]).expect(0).json();
    assert_eq!(cloud["class"], "UNTRUSTED_CLOUD");
    let trusted = add(&world, "cloud", "https://example.com", &["--class", "TRUSTED_CLOUD", "--json"]).expect(0).json();
    assert_eq!(trusted["class"], "TRUSTED_CLOUD");
    world.run(&["provider", "add", "y", "--kind", "ollama", "--model", "m"]).expect(30);
    world.run(&["provider", "add"]).expect(30);
    world.run(&["provider", "test", "nobody"]).expect(2);
}

#[test]
fn faults_have_exit_codes_and_say_no_key() {
    let world = World::begun();
    let server =
        ModelServer::start(|_, _| Reply::json(401, &format!(r#"{{"error":{{"message":"wrong key {KEY}"}}}}"#)));
    add(&world, "local", &server.url(), &["--key-env", "TEST_KEY"]).expect(0);
    world.run(&["provider", "test", "local"]).expect(2);
    let refused = with_key(&world, &["provider", "test", "local", "--json"]).expect(60);
    assert_eq!(refused.json()["error"]["code"], "PROVIDER_AUTH", "{}", refused.out);
    assert!(!refused.out.contains(KEY) && !refused.err.contains(KEY));
}
