//! Whatever comes: no panic, every line that is sent is a message, and a request gets one answer.

use crate::host::Parrot;
use exacta_mcp::{Line, Server, serve};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Cursor;

fn answers(lines: &[Vec<u8>]) -> Vec<Value> {
    let mut server = Server::new(Parrot);
    let mut sent = Vec::new();
    for line in lines {
        server
            .receive(&Line::Text(line.clone()), &mut |message| {
                sent.push(message.clone());
                Ok(())
            })
            .unwrap();
    }
    sent
}

#[test]
fn ten_thousand_requests_are_answered_in_order() {
    let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": { "protocolVersion": "2025-06-18" } });
    let mut input = format!("{hello}\n");
    for id in 0..10_000 {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "say", "arguments": { "n": id } } });
        input.push_str(&format!("{call}\n"));
    }
    let mut output = Vec::new();
    serve(Parrot, Cursor::new(input.into_bytes()), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    let ids = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap());
    assert!(ids.eq(0..10_000));
}

#[test]
fn calls_that_wait_are_bounded() {
    let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {} });
    let wait = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "wait", "arguments": { "looks": 1000 } } });
    let lines: Vec<Vec<u8>> =
        std::iter::once(hello).chain((0..40).map(wait)).map(|value| value.to_string().into_bytes()).collect();
    let sent = answers(&lines);
    assert_eq!(sent.len(), 1 + 40 - 32, "32 wait, the others are answered at once");
    assert!(sent.iter().skip(1).all(|answer| answer["result"]["structuredContent"]["waited"] == false));
}

/// Messages with something wrong in them somewhere.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    });
    let method = prop::sample::select(vec![
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "notifications/cancelled",
        "nothing",
    ]);
    let message = (method, value.clone(), prop::option::of(value)).prop_map(|(method, id, params)| {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
    });
    prop_oneof![message, prop::collection::vec(any::<u8>(), 0..64)]
}

proptest! {
    #[test]
    fn whatever_comes_is_answered_with_messages(lines in prop::collection::vec(odd(), 0..12)) {
        let sent = answers(&lines);
        prop_assert!(sent.len() <= lines.len());
        for message in sent {
            prop_assert_eq!(&message["jsonrpc"], "2.0");
            prop_assert!(message.get("result").is_some() != message.get("error").is_some());
        }
    }
}
