//! `tests/cases/check/*.json`: a proposal and what its targets are → every finding with its place.
//!
//! A case writes only what matters: `step` fills in the rest. `findings` are `CODE step pointer`, `-` for no step.

use exacta_kernel::action::primitive::PrimitiveId;
use exacta_kernel::action::tool::Tool;
use exacta_kernel::check::{Allowed, Context, Invalid, Standing, ValidPlan, check};
use exacta_kernel::constraint::{Source, SourcedConstraint};
use exacta_kernel::facts::{Facts, FileContent, Obstacle, Target, TargetFact};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::policy::caps::{Cap, Caps};
use exacta_kernel::proposal::{Constraint, Proposal};
use exacta_kernel::seal::seal;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const FILES: &[(&str, &str)] = &[
    ("graph", include_str!("../cases/check/graph.json")),
    ("budget", include_str!("../cases/check/budget.json")),
    ("paths", include_str!("../cases/check/paths.json")),
    ("targets", include_str!("../cases/check/targets.json")),
    ("conflict", include_str!("../cases/check/conflict.json")),
    ("constraints", include_str!("../cases/check/constraints.json")),
    ("autopilot", include_str!("../cases/check/autopilot.json")),
    ("site", include_str!("../cases/check/site.json")),
];

/// Every case with the name of its file.
fn cases() -> impl Iterator<Item = (String, Value)> {
    FILES.iter().flat_map(|(file, text)| {
        let cases: Map<String, Value> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        cases.into_iter().map(move |(name, case)| (format!("{file}: {name}"), case))
    })
}

/// The proposal of a case as text, with everything filled in that it leaves out.
fn proposal_text(case: &Value) -> String {
    let mut proposal = json!({ "schema": "exacta.plan/1", "intent": { "type": "AddFeature", "text": "add it" } });
    for (key, value) in case["proposal"].as_object().into_iter().flatten() {
        proposal[key] = value.clone();
    }
    let steps = case["steps"].as_array().cloned().unwrap_or_default();
    let count = case["repeat"].as_u64().unwrap_or(1) * steps.len() as u64;
    let steps = (0..count).map(|index| step(&steps[index as usize % steps.len()], index + 1));
    proposal["steps"] = Value::Array(steps.collect());
    proposal.to_string()
}

fn step(given: &Value, number: u64) -> Value {
    let target = if given["type"] == "build" { "." } else { "a.txt" };
    let mut step = json!({
        "id": format!("s{number}"), "order": number, "type": "file_create", "target": target,
        "description": "do it", "dependencies": [],
    });
    for (key, value) in given.as_object().expect("a step") {
        step[key] = match value.as_str() {
            Some(text) => Value::String(text.replace("{n}", &number.to_string())),
            None => value.clone(),
        };
    }
    let bare = !["diff", "content", "content_base64", "edits"].iter().any(|payload| step.get(payload).is_some());
    if bare && (step["type"] == "file_create" || step["type"] == "file_modify") {
        step["content"] = json!("new\n");
    }
    let bytes: &[&str] = match step["type"].as_str() {
        _ if given["bare"] == true => &[],
        Some("write_outcome_draft") => &["body"],
        Some("write_email_draft" | "send_email") => &["to", "subject", "body"],
        _ => &[],
    };
    step.as_object_mut().expect("a step").remove("bare");
    for name in bytes.iter().filter(|name| given.get(**name).is_none()) {
        step[*name] = if *name == "to" { json!([]) } else { json!("text") };
    }
    step
}

fn facts(case: &Value, proposal: &Proposal) -> Facts {
    let mut facts = Facts::new();
    for step in &proposal.steps {
        if let Ok(path) = RelPath::parse(&step.target) {
            facts.insert(path.clone(), fact(case, path.as_str()));
        }
    }
    facts
}

fn fact(case: &Value, path: &str) -> TargetFact {
    let given = &case["facts"][path];
    let target = match (given["is"].as_str(), case["files"][path].as_str()) {
        _ if given["holds"].is_array() => Target::Directory { files: Some(paths(&given["holds"])) },
        _ if given["behind"].is_string() => {
            let at = given["behind"].as_str().expect("a file").to_owned();
            Target::Blocked { at, by: Obstacle::NotAFolder }
        }
        (Some(word), _) => special(word),
        (None, Some(text)) => Target::File(Arc::new(FileContent::new(text.as_bytes().to_vec(), 0o644))),
        (None, None) => Target::Absent,
    };
    let lookalikes = given["lookalikes"].as_array().into_iter().flatten();
    let lookalikes = lookalikes.map(|name| name.as_str().expect("a name").to_owned()).collect();
    TargetFact { target, lookalikes, folds: given["folds"] == true }
}

fn paths(given: &Value) -> Vec<RelPath> {
    let paths = given.as_array().into_iter().flatten();
    paths.map(|path| RelPath::parse(path.as_str().expect("a path")).expect("a path")).collect()
}

fn special(word: &str) -> Target {
    let blocked = |by| Target::Blocked { at: "folder".to_owned(), by };
    match word {
        "symlink" => Target::Symlink,
        "folder" => Target::Directory { files: None },
        "device" => Target::Special,
        "unreadable" => Target::Unreadable { reason: "permission denied".to_owned() },
        "too large" => Target::TooLarge { size: 1 << 30 },
        "behind a symlink" => blocked(Obstacle::Symlink),
        "behind a file" => blocked(Obstacle::NotAFolder),
        "behind a mount" => blocked(Obstacle::Mount),
        "binary" => Target::File(Arc::new(FileContent::new(b"a\0b\n".to_vec(), 0o644))),
        other => panic!("unknown target `{other}`"),
    }
}

fn caps(case: &Value) -> Caps {
    let mut caps = serde_json::to_value(Caps::default()).expect("caps");
    for (name, value) in case["caps"].as_object().into_iter().flatten() {
        assert!(caps.get(name).is_some(), "there is no cap `{name}`");
        caps[name] = value.clone();
    }
    serde_json::from_value(caps).expect("caps")
}

fn allowed(case: &Value) -> Allowed {
    let texts = |value: &Value| -> BTreeSet<String> {
        value.as_array().into_iter().flatten().map(|text| text.as_str().expect("text").to_owned()).collect()
    };
    let given = &case["allowed"];
    let skills = given["skills"].as_object().into_iter().flatten();
    Allowed {
        hosts: texts(&given["hosts"]),
        recipients: texts(&given["recipients"]),
        standing: given["standing"].is_object().then(|| standing(&given["standing"])),
        skills: skills.map(|(skill, tools)| (skill.clone(), texts(tools).into())).collect(),
        sites: sites(&given["sites"]),
    }
}

/// The sites that a case says there are; else one that offers everything.
fn sites(given: &Value) -> BTreeMap<String, BTreeSet<String>> {
    match given.as_object() {
        Some(sites) => {
            sites.iter().map(|(name, tools)| (name.clone(), serde_json::from_value(tools.clone()).unwrap())).collect()
        }
        None => {
            let all: BTreeSet<String> = Tool::names().into_iter().map(ToOwned::to_owned).collect();
            ["site", "a.txt"].map(|name| (name.to_owned(), all.clone())).into()
        }
    }
}

fn standing(given: &Value) -> Standing {
    let primitives = given["primitives"].as_array().expect("primitives").iter();
    Standing {
        primitives: primitives.map(|name| PrimitiveId::parse(name.as_str().expect("text")).expect("known")).collect(),
        sending: given["sending"] == true,
        mail: given["account"].as_str().map(|account| (account.to_owned(), "me@a.org".to_owned())),
        correspondents: texts(&given["correspondents"]).into_iter().collect(),
        domains: texts(&given["domains"]).into_iter().collect(),
    }
}

fn extra(case: &Value) -> Vec<SourcedConstraint> {
    let given = case["constraints"].as_array().into_iter().flatten();
    let source = |word: &str| match word {
        "request" => Source::Request,
        "project" => Source::Project,
        "safety_policy" => Source::SafetyPolicy,
        other => panic!("unknown source `{other}`"),
    };
    given
        .map(|item| {
            let constraint: Constraint = serde_json::from_value(item["constraint"].clone()).expect("a constraint");
            SourcedConstraint { source: source(item["source"].as_str().expect("a source")), constraint }
        })
        .collect()
}

fn checked(case: &Value, plan: Plan, facts: &Facts) -> Result<ValidPlan, Box<Invalid>> {
    let (caps, constraints, allowed) = (caps(case), extra(case), allowed(case));
    check(plan, &Context { facts, caps: &caps, constraints: &constraints, allowed: &allowed, generated: false })
}

fn line(finding: &Finding) -> String {
    let (step, pointer) = (finding.step.as_deref().unwrap_or("-"), finding.pointer.as_deref().unwrap_or("-"));
    format!("{} {step} {pointer}", finding.code)
}

/// The findings, and how the constraints and lookalikes came out.
fn outcome(case: &Value) -> (Vec<Finding>, Vec<String>, Vec<String>) {
    let proposal = match parse(proposal_text(case).as_bytes()) {
        Ok(proposal) => proposal,
        Err(refusal) => return (refusal.findings, Vec::new(), Vec::new()),
    };
    let facts = facts(case, &proposal);
    let plan = seal(proposal, &facts).expect("canonical JSON");
    let (findings, constraints, lookalikes) = match checked(case, plan, &facts) {
        Ok(valid) => (Vec::new(), valid.constraints().to_vec(), valid.lookalikes().to_vec()),
        Err(invalid) => (invalid.findings, invalid.constraints, Vec::new()),
    };
    let state = |value: Value| value.as_str().expect("a state").to_owned();
    let states = constraints
        .iter()
        .map(|it| format!("{} {}", it.constraint.id, state(serde_json::to_value(it.state).expect("a state"))));
    let names = lookalikes.iter().map(|it| format!("{} {}", it.path, it.name));
    (findings, states.collect(), names.collect())
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().expect("text").to_owned()).collect()
}

#[test]
fn every_case_has_exactly_its_findings() {
    let mut wrong = Vec::new();
    for (name, case) in cases() {
        let (findings, states, lookalikes) = outcome(&case);
        let found: Vec<String> = findings.iter().map(line).collect();
        if found != texts(&case["findings"]) {
            let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
            wrong.push(format!(
                "{name}\n  found    {found:?}\n  expected {:?}\n  {messages:?}",
                texts(&case["findings"])
            ));
        }
        if case.get("states").is_some() && states != texts(&case["states"]) {
            wrong.push(format!("{name}\n  states {states:?}\n  expected {:?}", texts(&case["states"])));
        }
        if case.get("lookalikes").is_some() && lookalikes != texts(&case["lookalikes"]) {
            wrong.push(format!("{name}\n  lookalikes {lookalikes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    let mut seen: BTreeSet<String> = crate::parse::expected_codes().collect();
    // A plan that is valid and yet refused: the trial of slips has it.
    seen.insert(Code::QualityInsufficient.as_str().to_owned());
    for (_, case) in cases() {
        seen.extend(texts(&case["findings"]).iter().filter_map(|line| line.split(' ').next()).map(str::to_owned));
    }
    let missing: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).filter(|code| !seen.contains(*code)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn findings_say_what_helps_in_one_line_and_hide_nothing() {
    for (name, case) in cases() {
        for finding in outcome(&case).0 {
            for text in [&finding.message, &finding.hint] {
                assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'), "{name}: {text}");
                assert!(exacta_kernel::text::hidden(text).next().is_none(), "{name}: {text:?}");
                assert!(!text.starts_with(|c: char| c.is_uppercase()), "{name}: {text}");
            }
        }
    }
}

#[test]
fn the_same_plan_has_the_same_findings_in_the_same_order() {
    for (name, case) in cases() {
        let first = outcome(&case).0;
        for _ in 0..3 {
            assert_eq!(outcome(&case).0, first, "{name}");
        }
    }
}

/// A refusal by a cap names its key and the command that sets it.
#[test]
fn a_cap_that_refuses_names_its_key() {
    let mut named = BTreeSet::new();
    for (name, case) in cases() {
        for finding in outcome(&case).0 {
            let capped = matches!(
                finding.code,
                Code::StepCapExceeded | Code::FileCapExceeded | Code::TokenBudgetExceeded | Code::CostCapExceeded
            ) || finding.code == Code::TargetTooLarge && finding.message.contains("are allowed");
            if !capped {
                continue;
            }
            let key = finding.hint.split('`').find_map(|word| word.strip_prefix("caps."));
            let key = key.unwrap_or_else(|| panic!("{name}: {}", finding.hint));
            let cap = Cap::find(key).unwrap_or_else(|| panic!("{name}: {key}"));
            let cannot = finding.hint.contains("cannot be raised");
            assert!(cannot || finding.hint.contains(&format!("`policy set caps.{key} N`")), "{name}: {}", finding.hint);
            assert_eq!(cannot, caps(&case).get(key) == Some(cap.most), "{name}: {}", finding.hint);
            named.insert(key.to_owned());
        }
    }
    let expected = ["cost", "steps", "submitted_files", "submitted_steps", "target_bytes", "tokens", "tool_calls"];
    assert!(expected.iter().all(|key| named.contains(*key)), "{named:?}");
}

#[test]
fn a_huge_plan_is_refused_in_linear_time() {
    let steps: Vec<Value> = (1..=5_000)
        .map(|n| {
            json!({
                "type": "file_modify", "target": format!("f{}.txt", n % 7), "dependencies": [format!("s{}", n % 5_000 + 1), "nobody"],
                "constraints": if n > 64 { json!([]) } else {
                    json!([{ "id": format!("c{n}"), "type": "MUST_NOT", "scope": "global", "description": "delete `{a,b}/*`" }])
                },
            })
        })
        .collect();
    let findings = outcome(&json!({ "steps": steps })).0;
    assert_eq!(findings.len(), 101);
    assert!(findings.iter().any(|finding| finding.code == Code::StepCapExceeded));
    assert_eq!(findings.last().map(|finding| finding.pointer.as_deref()), Some(Some("")));
}
