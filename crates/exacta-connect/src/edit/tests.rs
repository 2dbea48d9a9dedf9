//! Settings go in and out of files as people write them, and nothing else in these changes.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Text, edit, text after it. Taking the edit away gives the first text again.
fn both_ways(format: Format, before: &str, edit: &Edit, after: &str) {
    let (text, inverse) = format.apply(before, edit).unwrap();
    assert_eq!(text, after, "{edit:?}");
    assert!(format.holds(&text, edit).unwrap());
    let back = format.invert(&text, &inverse).unwrap().unwrap();
    assert_eq!(back, before, "back from {edit:?}");
}

#[test]
fn json_keeps_order_spacing_and_comments() {
    let edit = Edit::set(&["mcpServers", "exacta"], json!({ "command": "/bin/exacta" }));
    both_ways(
        Format::Commented,
        "{\n    // my theme\n    \"theme\": \"dark\", /* yes */\n    \"a\": [1,2]\n}\n",
        &edit,
        "{\n    // my theme\n    \"theme\": \"dark\", /* yes */\n    \"a\": [1,2],\n    \"mcpServers\": {\n      \"exacta\": {\n        \"command\": \"/bin/exacta\"\n      }\n    }\n}\n",
    );
    both_ways(
        Format::Json,
        "{\"z\":1,\"permissions\":{\"deny\":[\"WebFetch\"]}}",
        &Edit::include(&["permissions", "deny"], "Edit"),
        "{\"z\":1,\"permissions\":{\"deny\":[\"WebFetch\", \"Edit\"]}}",
    );
    both_ways(
        Format::Json,
        "{\n\t\"permissions\": {\n\t\t\"deny\": [\n\t\t\t\"WebFetch\"\n\t\t]\n\t}\n}\n",
        &Edit::include(&["permissions", "deny"], "Edit"),
        "{\n\t\"permissions\": {\n\t\t\"deny\": [\n\t\t\t\"WebFetch\",\n\t\t\t\"Edit\"\n\t\t]\n\t}\n}\n",
    );
    both_ways(
        Format::Json,
        "{ \"sandbox\": { \"enabled\": false } }",
        &Edit::set(&["sandbox", "enabled"], true),
        "{ \"sandbox\": { \"enabled\": true } }",
    );
    both_ways(
        Format::Commented,
        "{\n  \"a\": 1, // last\n}\n",
        &Edit::set(&["b"], 2),
        "{\n  \"a\": 1,\n  \"b\": 2, // last\n}\n",
    );
}

#[test]
fn what_is_there_already_is_not_added_and_not_taken_away() {
    let text = "{\"deny\": [\"Edit\"]}";
    both_ways(Format::Json, text, &Edit::include(&["deny"], "Edit"), text);
}

#[test]
fn toml_keeps_comments_and_order() {
    let before =
        "# mine\nmodel = \"o\" # best\nsandbox_mode = \"workspace-write\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
    let (text, cleared) = Format::Toml.apply(before, &Edit::clear(&["sandbox_mode"])).unwrap();
    let server = Edit::set(&["mcp_servers", "exacta"], json!({ "command": "/e", "env": { "A": "b" } }));
    let (text, set) = Format::Toml.apply(&text, &server).unwrap();
    assert_eq!(
        text,
        "# mine\nmodel = \"o\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.exacta]\ncommand = \"/e\"\nenv = { A = \"b\" }\n"
    );
    let text = Format::Toml.invert(&text, &set).unwrap().unwrap();
    let text = Format::Toml.invert(&text, &cleared).unwrap().unwrap();
    assert_eq!(Format::Toml.get(&text, &["sandbox_mode"]).unwrap(), Some(json!("workspace-write")));
    assert!(text.starts_with("# mine\nmodel = \"o\" # best\n") && text.contains("[mcp_servers.other]"), "{text}");
}

#[test]
fn what_somebody_changed_since_is_left_alone() {
    let (text, inverse) = Format::Json.apply("{}", &Edit::set(&["a", "b"], 1)).unwrap();
    let changed = text.replace('1', "2");
    assert_eq!(Format::Json.invert(&changed, &inverse).unwrap(), None);
}

#[test]
fn broken_files_are_refused_with_the_line() {
    let wrong = |format: Format, text: &str| match format.apply(text, &Edit::set(&["a", "b"], 1)) {
        Err(EditError::Broken { line, .. }) => line,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(wrong(Format::Json, "{\n  \"a\": {,}\n}"), 2);
    assert_eq!(wrong(Format::Json, "{\n\n // not JSON\n}"), 3);
    assert_eq!(wrong(Format::Commented, "{\"a\": {}\n\"b\": 1}"), 2);
    assert_eq!(wrong(Format::Commented, "{\"a\": 1, \"a\": 2}"), 1);
    assert_eq!(wrong(Format::Commented, "[1]"), 1);
    assert_eq!(wrong(Format::Toml, "x = 1\ny = \n"), 2);
    let kind = Format::Commented.apply("{\"a\": \"allow\"}", &Edit::set(&["a", "b"], 1)).unwrap_err();
    assert_eq!(kind.to_string(), "`a` is not an object");
}

#[test]
fn deep_and_odd_texts_end_well() {
    let deep = "[".repeat(100_000);
    assert!(Format::Commented.get(&format!("{{\"a\":{deep}"), &["a"]).is_err());
    for text in ["{\"a", "{\"a\\", "{\"a\":\"\\", "/*", "{/", "{\"é\\u12\":1}", "\u{feff}{}", "{\"a\":tru}"] {
        // Whatever it is, it is an answer.
        drop(Format::Commented.get(text, &["a"]));
    }
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\" \\\\\n]{0,6}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-d]", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn setting_and_taking_away_leaves_the_same_values(
        members in proptest::collection::btree_map("[a-d]", tree(), 0..4),
        path in proptest::collection::vec("[a-d]", 1..4),
        value in tree(),
        pretty in any::<bool>(),
    ) {
        let before = json!(members);
        let text = if pretty { serde_json::to_string_pretty(&before).unwrap() } else { before.to_string() };
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        for edit in [Edit::set(&path, value.clone()), Edit::include(&path, value), Edit::clear(&path)] {
            let Ok((changed, inverse)) = Format::Json.apply(&text, &edit) else { continue };
            prop_assert!(Format::Json.holds(&changed, &edit).unwrap(), "{changed}");
            let back = Format::Json.invert(&changed, &inverse).unwrap().unwrap();
            let back: Value = serde_json::from_str(&back).unwrap();
            prop_assert_eq!(&back, &before);
        }
    }
}
