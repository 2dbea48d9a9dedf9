//! A Custom autopilot whose plan a model writes: its answer is data, and costs are asked about before they arise.

use crate::world::{Done, World};
use exacta_testkit::{Asked, ModelServer, Reply};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const REQUEST: &str = "write a draft to anna@there.example about the open invoice";

fn reply(text: &str) -> Reply {
    let of = |choices: Value| {
        json!({ "model": "m-1", "choices": choices, "usage": { "prompt_tokens": 100, "completion_tokens": 10 } })
            .to_string()
    };
    Reply::events([
        of(json!([{ "index": 0, "delta": { "content": text } }])),
        of(json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }])),
        "[DONE]".to_owned(),
    ])
}

fn draft(to: &str) -> String {
    json!({ "steps": [{ "type": "write_email_draft", "target": "outbox", "to": [to], "subject": "Invoice 17",
        "description": "Draft the reminder about the open invoice", "body": "It is due on Monday.\n" }] })
    .to_string()
}

/// A world with a provider of this price in dollars for a million tokens, and the autopilot `chase`.
fn world(url: Option<&str>, price: u64) -> World {
    let world = World::begun();
    if let Some(url) = url {
        let mut setup = json!({ "name": "local", "kind": "openai-compatible", "model": "m-1", "url": url, "key": "none", "class": "LOCAL_ONLY" });
        if price > 0 {
            setup["price"] = json!({ "input": 0, "output": price * 1_000_000 });
        }
        let list = json!({ "schema": "exacta.providers/1", "record": { "providers": [setup], "chosen": "local", "for_intent": null } });
        providers(&world, &list);
    }
    let key = world.key();
    world.run(&["autopilot", "add", "chase", REQUEST, "--recipe", "Custom", "--approver-key", &key]).expect(0);
    world
}

/// Writes the user's list of providers.
fn providers(world: &World, list: &Value) {
    let file = world.home().join("providers.json");
    fs::write(&file, list.to_string()).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
}

fn run(world: &World) -> Done {
    world.run(&["autopilot", "run", "chase", "--json"])
}

#[test]
fn without_a_provider_it_says_what_it_needs() {
    let occasion = run(&world(None, 0)).expect(30).json();
    assert_eq!((&occasion["state"], &occasion["needs"]["kind"]), (&json!("needs_clarification"), &json!("provider")));
}

#[test]
fn a_models_plan_is_held_against_the_users_words() {
    // It tries a stranger first, is told, and then does as it was asked.
    let model = ModelServer::start(|number, asked: &Asked| {
        assert!(asked.body.contains("open invoice") && asked.body.contains("written by strangers"), "{}", asked.body);
        reply(&draft(if number == 0 { "evil@evil.example" } else { "anna@there.example" }))
    });
    let world = world(Some(&model.url()), 0);
    let occasion = run(&world).expect(30).json();
    assert_eq!((&occasion["state"], &occasion["spend_cents"]), (&json!("needs_approval"), &json!(0)), "{occasion}");
    let (plan, key) = (occasion["plan_id"].as_str().unwrap(), world.key());
    let shown = world.run(&["show", plan, "--json"]).expect(0).out;
    assert!(shown.contains("anna@there.example") && !shown.contains("evil@"), "{shown}");
    world.run(&["approve", plan, "--approver-key", &key]).expect(0);
    world.run(&["execute", plan]).expect(0);
    assert_eq!(model.asked().len(), 2);
    world.run(&["audit", "verify"]).expect(0);
}

/// Whatever it answers, nothing comes of it that the words do not ask for.
#[test]
fn a_model_that_obeys_somebody_else_is_denied() {
    let send = json!({ "steps": [{ "type": "send_email", "target": "anna@there.example", "to": ["anna@there.example"], "subject": "x",
        "description": "Send it", "body": "x\n" }] });
    let more = json!({ "steps": [], "allowed_primitives": ["send_email"], "intent": { "text": "anything" } });
    for answer in [
        send.to_string(),
        draft("evil@evil.example"),
        more.to_string(),
        "I cannot.".to_owned(),
        format!("```json\n{send}\n```"),
    ] {
        let model = ModelServer::start(move |_, _: &Asked| reply(&answer));
        let world = world(Some(&model.url()), 0);
        let occasion = run(&world).expect(10).json();
        assert_eq!((&occasion["state"], occasion.get("plan_id")), (&json!("blocked"), None), "{occasion}");
        assert_eq!(model.asked().len(), 4, "three tries more");
    }
}

/// 900 tokens of an answer cost 36, 45 and 90 cents.
#[test]
fn costs_are_asked_about_before_they_arise() {
    let model = ModelServer::start(|_, _: &Asked| reply(&draft("anna@there.example")));
    let within = run(&world(Some(&model.url()), 400)).expect(30).json();
    assert_eq!((&within["state"], &within["spend_cents"]), (&json!("needs_approval"), &json!(36)), "{within}");
    let asked = model.asked().len();

    let over = run(&world(Some(&model.url()), 1_000)).expect(10).json();
    assert!(over["state"] == "blocked" && over["reason"].as_str().unwrap().starts_with("SPEND_CAP"), "{over}");
    assert_eq!(model.asked().len(), asked, "nothing was sent");

    let world = world(Some(&model.url()), 500);
    let soft = run(&world).expect(30).json();
    assert_eq!((&soft["state"], &soft["needs"]["field"]), (&json!("needs_clarification"), &json!("spend")), "{soft}");
    assert_eq!(model.asked().len(), asked, "nothing was sent");
    let (id, key) = (soft["run_id"].as_str().unwrap(), world.key());
    world.run(&["autopilot", "answer", id, "spend", "allow"]).expect(30);
    let on =
        world.run(&["autopilot", "answer", id, "spend", "allow", "--approver-key", &key, "--json"]).expect(30).json();
    assert_eq!((&on["state"], &on["spend_cents"]), (&json!("needs_approval"), &json!(45)), "{on}");
}

/// Where there is a provider, the answer to a mail is in its words: text for a body, whatever it says, and the mail reaches it between two marks.
#[test]
fn a_model_writes_an_answer_and_nothing_else() {
    let said = "Thank you, it is due on Monday.\u{1b}[2J\nBcc: evil@evil.example";
    let model = ModelServer::start(move |_, asked: &Asked| {
        assert!(
            asked.body.contains("When is it due?") && asked.body.contains("written by strangers"),
            "{}",
            asked.body
        );
        reply(said)
    });
    let world = world(Some(&model.url()), 0);
    let key = world.key();
    let new = ["autopilot", "add", "mails", "sort my inbox", "--recipe", "InboxTriage", "--approver-key", &key];
    world.run(&new).expect(0);
    let file = world.file("mail.txt", "From: Anna <anna@there.example>\nSubject: Invoice\n\nWhen is it due?\n");
    let occasion = world.run(&["autopilot", "run", "mails", "--inbox-text", &file, "--json"]).expect(30).json();
    assert_eq!(occasion["written_by"], "local m-1", "{occasion}");
    let plan = occasion["plan_id"].as_str().unwrap();
    world.run(&["approve", plan, "--approver-key", &key]).expect(0);
    let run = world.run(&["execute", plan, "--json"]).expect(0).json();
    let projects = fs::read_dir(world.home().join("state/projects")).unwrap().next().unwrap().unwrap().path();
    let draft = projects.join("outbox").join(run["run_id"].as_str().unwrap()).join("mail.eml");
    let draft = fs::read_to_string(draft).unwrap();
    let (head, body) = draft.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("To: anna@there.example") && !head.contains("evil"), "{draft}");
    assert!(body.starts_with("Thank you, it is due on Monday.") && !body.contains('\u{1b}'), "{draft}");
}

/// Drafts in a model's words are bound to that model, whichever recipe they are for: with another one in its place nothing is written.
#[test]
fn a_draft_is_bound_to_the_model_that_wrote_it() {
    let model = ModelServer::start(|_, asked: &Asked| {
        reply(&if asked.body.contains("steps") {
            draft("anna@there.example")
        } else {
            "It is due on Monday.".to_owned()
        })
    });
    let world = world(Some(&model.url()), 0);
    let key = world.key();
    let new = ["autopilot", "add", "mails", "sort my inbox", "--recipe", "InboxTriage", "--approver-key", &key];
    world.run(&new).expect(0);
    let file = world.file("mail.txt", "From: Anna <anna@there.example>\nSubject: Invoice\n\nWhen is it due?\n");
    let sorted = world.run(&["autopilot", "run", "mails", "--inbox-text", &file, "--json"]).expect(30).json();
    let list: Value = serde_json::from_str(&fs::read_to_string(world.home().join("providers.json")).unwrap()).unwrap();
    let (mut other, mut weaker) = (list.clone(), list.clone());
    other["record"]["providers"][0]["model"] = json!("m-2");
    weaker["record"]["providers"][0]["class"] = json!("UNTRUSTED_CLOUD");
    for occasion in [sorted, run(&world).expect(30).json()] {
        let plan = occasion["plan_id"].as_str().unwrap();
        let shown = world.run(&["show", plan, "--json", "--with", "binding"]).expect(0).json();
        let binding = &shown["detail"]["binding"];
        let bound = (&binding["asked"]["provider"], &binding["proposer"]["model"]["model"]);
        assert_eq!(bound, (&json!("local"), &json!("m-1")), "{shown}");
        world.run(&["approve", plan, "--approver-key", &key]).expect(0);
        for changed in [&other, &weaker] {
            providers(&world, changed);
            let blocked = world.run(&["execute", plan, "--json"]).expect(40);
            assert!(blocked.out.contains("model") || blocked.out.contains("provider"), "{blocked:?}");
        }
        providers(&world, &list);
        world.run(&["execute", plan]).expect(0);
    }
    world.run(&["audit", "verify"]).expect(0);
}
