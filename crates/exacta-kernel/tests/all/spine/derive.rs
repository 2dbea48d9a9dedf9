//! Approve selected: a proposal of some steps, closed under dependencies, in the order they had.

use exacta_kernel::derive::derive;
use exacta_kernel::parse::parse;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Four steps, written in another order than they run in.
fn proposal() -> Value {
    let step = |id: &str, order: u64, dependencies: &[&str]| {
        json!({ "id": id, "order": order, "type": "file_create", "target": format!("{id}.txt"), "content": "text\n",
                "description": format!("write {id}"), "dependencies": dependencies, "satisfies": ["limit"] })
    };
    json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "AddFeature", "text": "add four notes", "id": "request-7" },
        "constraints": [{ "id": "limit", "type": "MUST", "scope": "global", "description": "keep every note short" }],
        "assumptions": ["nobody minds"],
        "steps": [step("d", 4, &[]), step("b", 2, &["a"]), step("a", 1, &[]), step("c", 3, &["a", "b"])],
    })
}

#[test]
fn every_selection() {
    let whole = parse(proposal().to_string().as_bytes()).unwrap();
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/spine/derive.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let selected: BTreeSet<String> = serde_json::from_value(case["select"].clone()).unwrap();
        match derive(&whole, &selected) {
            Ok(text) => {
                let derived: Value = serde_json::from_slice(&text).unwrap();
                let steps = derived["steps"].as_array().unwrap().iter();
                let steps: Vec<String> =
                    steps.map(|it| format!("{} {}", it["id"].as_str().unwrap(), it["order"])).collect();
                assert_eq!(json!(steps), case["expect"], "{name}");
                assert!(parse(&text).is_ok(), "{name}: what is derived is a proposal like any other");
                for key in ["schema", "intent", "constraints", "assumptions"] {
                    assert_eq!(derived[key], proposal()[key], "{name}: {key}");
                }
                for step in derived["steps"].as_array().unwrap() {
                    let all = proposal();
                    let was =
                        all["steps"].as_array().unwrap().iter().find(|it| it["id"] == step["id"]).unwrap().clone();
                    let mut same = step.clone();
                    same["order"] = was["order"].clone();
                    assert_eq!(same, was, "{name}: nothing but the order changes");
                }
            }
            Err(error) => {
                assert_eq!(error.to_string(), case["error"].as_str().unwrap_or("(none)"), "{name}");
                assert!(error.hint().contains(case["hint"].as_str().unwrap()), "{name}: {}", error.hint());
            }
        }
    }
}

/// Whatever is selected, what is derived holds every dependency of what it holds.
#[test]
fn derived_plans_are_closed_under_dependencies() {
    let whole = parse(proposal().to_string().as_bytes()).unwrap();
    for bits in 0_u8..16 {
        let picked = ["a", "b", "c", "d"].into_iter().enumerate().filter(|(i, _)| bits & (1 << i) != 0);
        let selected: BTreeSet<String> = picked.map(|(_, id)| id.to_owned()).collect();
        let has = |id: &str| selected.contains(id);
        let closed = !selected.is_empty() && (!has("b") || has("a")) && (!has("c") || (has("a") && has("b")));
        assert_eq!(derive(&whole, &selected).is_ok(), closed, "{selected:?}");
    }
}
