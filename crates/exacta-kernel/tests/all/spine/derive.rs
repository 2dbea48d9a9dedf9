//! Approve selected: a proposal of some steps, closed under dependencies, in the order they had.

use exacta_kernel::derive::{derive, derive_parts};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::seal::seal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

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
                let hint = error.hint().worded(|remedy| format!("{remedy:?}"));
                assert!(hint.contains(case["hint"].as_str().unwrap()), "{name}: {hint}");
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

/// A file of thirty lines of which the first, the fifteenth and the last change, and what else a step can be.
fn divisible() -> (Value, Facts) {
    let before: Vec<String> = (1..=30).map(|line| format!("line {line}")).collect();
    let mut after = before.clone();
    for line in [0, 14, 29] {
        after[line] = format!("{}, changed", before[line]);
    }
    let step = |id: &str, kind: &str, target: &str, content: Value| {
        let mut step = json!({ "id": id, "type": kind, "target": target, "description": "a step", "dependencies": [] });
        if !content.is_null() {
            step["content"] = content;
        }
        step
    };
    let text = |lines: &[String]| json!(lines.join("\n") + "\n");
    let mut twice = step("two", "file_modify", "twice.txt", json!("c\n"));
    twice["dependencies"] = json!(["one"]);
    let mut unnamed = step("", "file_modify", "other.txt", text(&after));
    unnamed.as_object_mut().unwrap().remove("id");
    let proposal = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "FixBug", "text": "change three lines" },
        "steps": [
            step("a:1", "file_modify", "a.txt", text(&after)),
            step("new", "file_create", "new.txt", json!("one\ntwo\n")),
            step("gone", "file_delete", "gone.txt", Value::Null),
            step("one", "file_modify", "twice.txt", json!("b\n")),
            twice,
            unnamed,
        ],
    });
    let mut facts = Facts::new();
    for (path, content) in [
        ("a.txt", Some(before.join("\n") + "\n")),
        ("other.txt", Some(before.join("\n") + "\n")),
        ("new.txt", None),
        ("gone.txt", Some("x\n".to_owned())),
        ("twice.txt", Some("a\n".to_owned())),
    ] {
        let file = |text: String| Target::File(Arc::new(FileContent::new(text.into_bytes(), 0o644)));
        let target = content.map_or(Target::Absent, file);
        facts.insert(RelPath::parse(path).unwrap(), TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    (proposal, facts)
}

/// What each selection of hunks makes of the files: the changed lines of each step, or why it cannot be.
#[test]
fn every_selection_of_hunks() {
    let (proposal, facts) = divisible();
    let whole = seal(parse(proposal.to_string().as_bytes()).unwrap(), &facts).unwrap();
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/spine/hunks.json")).unwrap();
    for case in &cases {
        let words: Vec<String> = serde_json::from_value(case["select"].clone()).unwrap();
        match derive_parts(&whole, &words) {
            Ok(derived) => {
                let plan = seal(parse(&derived.text).unwrap(), &facts).unwrap();
                assert!(plan.failures().is_empty(), "{words:?}: {:?}", plan.failures());
                let lines = plan.effects().iter().map(|effect| {
                    let changed = effect
                        .line_changes()
                        .into_iter()
                        .filter(|change| change.kind == exacta_kernel::diff::ChangeKind::Added);
                    json!([effect.path.as_str(), changed.map(|change| change.line).collect::<Vec<_>>()])
                });
                assert_eq!(Value::Array(lines.collect()), case["expect"], "{words:?}");
                assert_eq!(json!(derived.parts), case["parts"], "{words:?}");
            }
            Err(error) => {
                assert_eq!(error.to_string(), case["error"].as_str().unwrap_or("(none)"), "{words:?}");
                let hint = error.hint().worded(|remedy| format!("{remedy:?}"));
                assert!(hint.contains(case["hint"].as_str().unwrap()), "{words:?}: {hint}");
            }
        }
    }
}
