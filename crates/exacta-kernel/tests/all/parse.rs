//! `tests/cases/parse/*`: texts, and changes to a good proposal → every finding with its place.

use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::hash::{Digest, canonical_hash};
use exacta_kernel::limit;
use exacta_kernel::parse::{Size, oversize, parse, parse_within};
use exacta_kernel::policy::caps::Caps;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const TEXTS: &str = include_str!("../cases/parse/texts.txt");
const CHANGES: &str = include_str!("../cases/parse/changes.json");

fn good() -> Value {
    json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "AddFeature", "text": "add it" },
        "steps": [{
            "id": "s1", "order": 1, "type": "file_create", "target": "a.txt",
            "description": "make it", "dependencies": [], "content": "```json\nfences in strings are content\n```\n",
        }],
    })
}

/// Name, text and expected lines of each text case.
fn texts() -> Vec<(&'static str, String, Vec<&'static str>)> {
    let sections = TEXTS.split("=== ").skip(1);
    sections
        .map(|section| {
            let (name, rest) = section.split_once('\n').expect("a name");
            let mut body = rest;
            let mut expected = Vec::new();
            while let Some(line) = body.strip_prefix("> ") {
                let (line, after) = line.split_once('\n').unwrap_or((line, ""));
                expected.push(line);
                body = after;
            }
            (name, body.replace('§', &good().to_string()), expected)
        })
        .collect()
}

/// Name, document and expected lines of each change.
fn changes() -> Vec<(String, Value, Vec<String>)> {
    let cases: Map<String, Value> = serde_json::from_str(CHANGES).expect("cases");
    cases.into_iter().map(|(name, case)| (name, changed(&case), lines(&case["expect"]))).collect()
}

fn changed(case: &Value) -> Value {
    let mut document = good();
    for pointer in lines(&case["remove"]) {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let parent = document.pointer_mut(parent).and_then(Value::as_object_mut).expect("a parent");
        assert!(parent.remove(key).is_some(), "{pointer}");
    }
    for (pointer, value) in case["set"].as_object().into_iter().flatten() {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        match document.pointer_mut(parent).expect("a parent") {
            Value::Array(items) if key.parse() == Ok(items.len()) => items.push(value.clone()),
            Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value.clone(),
            parent => parent[key] = value.clone(),
        }
    }
    document
}

fn lines(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().expect("text").to_owned()).collect()
}

fn findings(text: &[u8]) -> Vec<Finding> {
    match parse(text) {
        Ok(_) => Vec::new(),
        Err(refusal) => {
            assert_eq!(refusal.text_sha256, Digest::of(text));
            assert!(!refusal.findings.is_empty());
            refusal.findings
        }
    }
}

fn line(finding: &Finding) -> String {
    let pointer = finding.pointer.as_deref().map_or_else(String::new, |pointer| format!(" {pointer}"));
    format!("{}{pointer}", finding.code)
}

/// The codes that the cases expect, for the test that every code has one.
pub(crate) fn expected_codes() -> impl Iterator<Item = String> {
    let code = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let texts = texts().into_iter().flat_map(|(_, _, expected)| expected).map(code);
    let changes = changes().into_iter().flat_map(|(_, _, expected)| expected).map(move |line| code(&line));
    let sized = [Code::TooLarge, Code::NotUtf8].map(|code| code.as_str().to_owned());
    texts.collect::<Vec<_>>().into_iter().chain(changes).chain(sized)
}

#[test]
fn every_text_has_exactly_its_findings() {
    let mut wrong = Vec::new();
    let (texts, changes) = (texts(), changes());
    assert!(texts.len() + changes.len() >= 120, "{} + {}", texts.len(), changes.len());
    for (name, text, expected) in texts {
        let found: Vec<String> = findings(text.as_bytes()).iter().map(line).collect();
        let expected: Vec<&str> = expected.into_iter().filter(|line| *line != "ok").collect();
        if found != expected {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    for (name, document, expected) in changes {
        let found: Vec<String> = findings(document.to_string().as_bytes()).iter().map(line).collect();
        if found != expected {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn findings_say_what_helps_in_one_line_and_hide_nothing() {
    let texts = texts().into_iter().map(|(_, text, _)| text);
    for text in texts.chain(changes().into_iter().map(|(_, document, _)| document.to_string())) {
        for finding in findings(text.as_bytes()) {
            for said in [&finding.message, &finding.hint] {
                assert!(!said.is_empty() && !said.contains('\n'), "{said:?}");
                assert!(exacta_kernel::text::hidden(said).next().is_none(), "{said:?}");
            }
        }
    }
}

#[test]
fn sizes_and_encoding() {
    let codes = |text: &[u8]| -> Vec<Code> { findings(text).iter().map(|finding| finding.code).collect() };
    let padded = |size: usize| format!("{}{}", " ".repeat(size - good().to_string().len()), good());
    let (most, step) = (Size::DEFAULT.plan as usize, Size::DEFAULT.step as usize);
    assert_eq!(codes(padded(most).as_bytes()), []);
    assert_eq!(codes(padded(most + 1).as_bytes()), [Code::TooLarge]);
    assert_eq!(codes(b"\xef\xbb\xbf"), [Code::ParseNonjson]);
    assert_eq!(codes(format!("\u{feff}{}", good()).as_bytes()), []);
    assert_eq!(codes(format!("\u{feff}```json\n{}\n```", good()).as_bytes()), []);
    assert_eq!(codes(b"{\"schema\": \"\xff\"}"), [Code::NotUtf8]);
    assert_eq!(codes(b"\xc3"), [Code::NotUtf8]);
    assert_eq!(codes(&[0; 100]), [Code::ParseNonjson]);
    let mut large = good();
    large["steps"][0]["content"] = Value::String("x".repeat(step));
    assert_eq!(codes(large.to_string().as_bytes()), [Code::TooLarge]);
    large["steps"][0]["content"] = Value::String("x".repeat(step - 200));
    assert_eq!(codes(large.to_string().as_bytes()), []);
}

#[test]
fn the_operator_raises_the_size_for_what_is_submitted() {
    assert_eq!(Size::of(&Caps::default()), Size::DEFAULT);
    assert_eq!(Size::of(&Caps::MOST), Size::MOST);
    let mut large = good();
    large["steps"][0]["content"] = Value::String("x".repeat(9 << 20));
    let text = large.to_string();
    let refused = |size: Size| parse_within(text.as_bytes(), size).err().map(|refusal| refusal.findings);
    let found = refused(Size { step: 64 << 20, ..Size::DEFAULT }).expect("a plan over its cap");
    assert!(found[0].hint.contains("`caps.submitted_bytes`") && found[0].hint.contains("Safety Policy"));
    let found = refused(Size { plan: 64 << 20, ..Size::DEFAULT }).expect("a step over its cap");
    assert_eq!(line(&found[0]), "PLAN_TOO_LARGE /steps/0");
    assert!(found[0].hint.contains("`caps.submitted_step_bytes`"), "{}", found[0].hint);
    let proposal = parse_within(text.as_bytes(), Size::MOST).expect("as large as the operator allows");
    assert!(oversize(&proposal, text.as_bytes(), Size::MOST).is_empty());
    let now: Vec<String> = oversize(&proposal, text.as_bytes(), Size::DEFAULT).iter().map(line).collect();
    assert_eq!(now, ["PLAN_TOO_LARGE ", "PLAN_TOO_LARGE /steps/0"], "the operator lowered it again");
    // What a model made here stays small, whatever the policy says.
    large["intent"]["type"] = json!("Custom");
    large["autopilot"] = json!({ "recipe": "Custom" });
    let made = parse_within(large.to_string().as_bytes(), Size::MOST).expect_err("a generated plan");
    assert!(made.findings.iter().any(|finding| line(finding) == "PLAN_TOO_LARGE "), "{:?}", made.findings);
}

/// Every field that has a cap: where it is, and a value of so many bytes or items.
type Capped = (&'static str, usize, fn(usize) -> Value);

fn letters(count: usize) -> Value {
    Value::String("x".repeat(count))
}

fn names(count: usize) -> Value {
    (0..count).map(|n| format!("n{n}")).collect()
}

fn constraints(count: usize) -> Value {
    (0..count)
        .map(|n| json!({ "id": format!("c{n}"), "type": "PREFER", "scope": "global", "description": "be brief" }))
        .collect()
}

const CAPPED: &[Capped] = &[
    ("/intent/text", limit::REQUEST, letters),
    ("/intent/id", limit::NAME, letters),
    ("/intent/target", limit::NAMED, |count| json!({ "files": names(count) })),
    ("/intent/target", limit::NAMED, |count| json!({ "symbols": names(count) })),
    ("/intent/target", limit::TARGET, |count| json!({ "symbols": [letters(count)], "files": [letters(count)] })),
    ("/steps/0/id", limit::NAME, letters),
    ("/steps/0/target", limit::TARGET, letters),
    ("/steps/0/description", limit::DESCRIPTION, letters),
    ("/steps/0/dependencies", limit::IDS, names),
    ("/steps/0/dependencies", limit::NAME, |count| json!([letters(count)])),
    ("/steps/0/satisfies", limit::IDS, names),
    ("/steps/0/satisfies", limit::NAME, |count| json!([letters(count)])),
    ("/steps/0/constraints", limit::CONSTRAINTS, constraints),
    ("/constraints", limit::CONSTRAINTS, constraints),
    (
        "/constraints",
        limit::NAME,
        |count| json!([{ "id": letters(count), "type": "PREFER", "scope": "global", "description": "be brief" }]),
    ),
    (
        "/constraints",
        limit::TARGET,
        |count| json!([{ "id": "c", "type": "PREFER", "scope": "file", "target": letters(count), "description": "be brief" }]),
    ),
    (
        "/constraints",
        limit::CLAUSE,
        |count| json!([{ "id": "c", "type": "PREFER", "scope": "global", "description": letters(count) }]),
    ),
    ("/assumptions", limit::ASSUMPTIONS, names),
    ("/assumptions", limit::CLAUSE, |count| json!([letters(count)])),
    ("/inputs", limit::INPUTS, |count| json!({ "a": letters(count - r#"{"a":""}"#.len()) })),
    ("/model", limit::NAME, |count| json!({ "provider": letters(count), "model": "m" })),
    ("/model", limit::NAME, |count| json!({ "provider": "p", "model": letters(count) })),
    ("/model", limit::NAME, |count| json!({ "provider": "p", "model": "m", "version": letters(count) })),
];

/// Attack 6: what is remembered of a proposal is bounded where it is read.
#[test]
fn attack_06_every_field_has_its_cap() {
    for (place, cap, value) in CAPPED {
        let found = |count: usize| {
            let document = changed(&json!({ "set": { *place: value(count) } }));
            findings(document.to_string().as_bytes())
        };
        assert_eq!(found(*cap), [], "{place} at its cap");
        let over = found(cap + 1);
        assert!(!over.is_empty(), "{place} over its cap");
        for finding in over {
            assert_eq!(finding.code, Code::SchemaInvalid, "{place}");
            assert!(finding.pointer.as_deref().is_some_and(|pointer| pointer.starts_with(place)), "{finding:?}");
            assert!(finding.message.contains(&format!("at most {cap} are allowed")), "{}", finding.message);
        }
    }
}

#[test]
fn constraints_of_steps_count_with_those_of_the_plan() {
    let of = |name: &str, count: usize| -> Value {
        (0..count)
            .map(|n| json!({ "id": format!("{name}{n}"), "type": "PREFER", "scope": "global", "description": "be brief" }))
            .collect()
    };
    let most = limit::CONSTRAINTS;
    let found = |more: usize| {
        let set = json!({ "/constraints": of("a", most / 2), "/steps/0/constraints": of("b", most / 2 + more) });
        findings(changed(&json!({ "set": set })).to_string().as_bytes())
    };
    assert_eq!(found(0), []);
    assert_eq!(found(1).iter().map(line).collect::<Vec<_>>(), ["PLAN_SCHEMA_INVALID /constraints"]);
}

/// The schema has a cap wherever the parser has one: every string and every list, but for the bytes of files and mails, which the
/// size of a step bounds, and the steps, which the policy counts.
#[test]
fn the_schema_caps_every_string_and_list() {
    fn walk(schema: &Value, name: &str, uncapped: &mut Vec<String>) {
        let is = |kind: &str| {
            schema["type"] == kind || schema["type"].as_array().is_some_and(|all| all.contains(&json!(kind)))
        };
        let fixed = schema["pattern"] == "^[0-9a-f]{64}$";
        if (is("string") && schema.get("maxLength").is_none() && !fixed)
            || (is("array") && schema.get("maxItems").is_none())
        {
            uncapped.push(name.to_owned());
        }
        match schema {
            Value::Object(map) => map.iter().for_each(|(key, value)| walk(value, key, uncapped)),
            Value::Array(items) => items.iter().for_each(|value| walk(value, name, uncapped)),
            _ => {}
        }
    }
    let mut uncapped = Vec::new();
    walk(&exacta_kernel::schema::proposal(), "", &mut uncapped);
    uncapped.sort();
    uncapped.dedup();
    assert_eq!(uncapped, ["body", "content", "diff", "edits", "find", "replace", "steps", "text"]);
}

/// Any JSON value, small.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z_]{0,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The same value with the members of every object written in another order.
fn reversed(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let members: Vec<String> = map
                .iter()
                .rev()
                .map(|(key, value)| format!("{} : {}", Value::from(key.as_str()), reversed(value)))
                .collect();
            format!("{{ {} }}", members.join(" ,\n"))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(parse(&bytes));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(```json\n)?[\\{\\[]?.{0,80}[\\}\\]]?(\n```)?") {
        drop(parse(text.as_bytes()));
    }

    #[test]
    fn any_value_in_any_place_is_read_or_refused(
        place in proptest::sample::select(vec![
            "/intent", "/steps", "/steps/0", "/steps/0/dependencies", "/steps/0/order", "/steps/0/content", "/intent/type",
            "/constraints", "/autopilot", "/inputs", "/model", "/steps/0/satisfies", "/steps/0/constraints", "/estimated_tokens",
        ]),
        value in value(),
    ) {
        let document = changed(&json!({ "set": { place: value } }));
        drop(parse(document.to_string().as_bytes()));
    }

    #[test]
    fn the_order_of_keys_and_white_space_do_not_matter(inputs in value()) {
        prop_assume!(inputs.is_object());
        let document = changed(&json!({ "set": { "/inputs": inputs } }));
        let (straight, other) = (parse(document.to_string().as_bytes()), parse(reversed(&document).as_bytes()));
        match (straight, other) {
            (Ok(a), Ok(b)) => {
                prop_assert_eq!(&a, &b);
                prop_assert_eq!(canonical_hash(a.document()).unwrap(), canonical_hash(b.document()).unwrap());
            }
            (Err(a), Err(b)) => {
                let sorted = |mut findings: Vec<Finding>| { findings.sort(); findings };
                prop_assert_eq!(sorted(a.findings), sorted(b.findings));
            }
            (a, b) => prop_assert!(false, "{a:?} {b:?}"),
        }
    }
}
