//! Whole plans through all gates: `tests/cases/gate/decisions.json` → every verdict with its reason.

use super::{QUALITIES, RISKS, naive, policy};
use crate::assess::{
    Assessment, BasisPoints, Capability, Dimension, Extent, Grade, Issue, Level, Quality, Reason, Requested, Risk,
    assess,
};
use crate::binding::{Asked, ProviderClass};
use crate::check::{Allowed, Context, ValidPlan, check};
use crate::dice::Dice;
use crate::estimate::Estimates;
use crate::facts::{Facts, FileContent, Target, TargetFact};
use crate::finding::{Code, Finding};
use crate::gate::circumstances::provider;
use crate::gate::evaluate::evaluate;
use crate::gate::evidence::Evidence;
use crate::gate::made_here::made_here;
use crate::gate::{self, Gate, Verdict, Verdicts};
use crate::hash::Digest;
use crate::parse::parse;
use crate::path::RelPath;
use crate::policy::Policy;
use crate::policy::caps::Caps;
use crate::policy::safety::SafetyPolicy;
use crate::prelude::*;
use crate::profile::Profile;
use crate::scan::{Danger, DependencyChange, DependencyKind, HiddenText, Place, Secret, Signals};
use crate::seal::seal;
use crate::text::Hidden;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

/// A step with everything a step needs.
fn step(number: u64, kind: &str, target: &str, payload: Value) -> Value {
    let mut step = json!({
        "id": format!("s{number}"), "order": number, "type": kind, "target": target,
        "description": "what it does", "dependencies": [],
    });
    for (key, value) in payload.as_object().unwrap() {
        step[key] = value.clone();
    }
    step
}

/// The plans that cases name.
fn proposal(name: &str) -> Value {
    let change = || step(1, "file_modify", "src/lib.rs", json!({ "content": "new\n" }));
    let create = || step(2, "file_create", "src/new.rs", json!({ "content": "new\n" }));
    let delete = || step(1, "file_delete", "src/lib.rs", json!({}));
    let tool = |tool: &str, arguments: Value| json!({ "intent": "wp.pages.write", "steps": [step(1, "tool_call", "site", json!({ "tool": tool, "arguments": arguments }))] });
    let custom = |kind: &str, target: &str, payload: Value| json!({ "intent": "Custom", "autopilot": { "recipe": "Custom" }, "steps": [step(1, kind, target, payload)] });
    let made = match name {
        "change" | "lookalike" => json!({ "intent": "FixBug", "steps": [change()] }),
        "two" => json!({ "intent": "FixBug", "steps": [change(), create()] }),
        "bidi name" => json!({ "intent": "FixBug", "steps": [
            step(1, "file_create", "src/a\u{202e}b.rs", json!({ "content": "new\n" }))] }),
        "eleven" => {
            let steps =
                (1..=11).map(|n| step(n, "file_create", &format!("src/n{n}.rs"), json!({ "content": "new\n" })));
            json!({ "intent": "FixBug", "steps": steps.collect::<Vec<_>>() })
        }
        "delete" => json!({ "intent": "FixBug", "steps": [delete()] }),
        "empty" => json!({ "intent": "FixBug", "steps": [
            step(1, "file_modify", "src/lib.rs", json!({ "content": "\n" }))] }),
        name if name.starts_with("create ") => json!({ "intent": "FixBug", "steps": [
            step(1, "file_create", name.trim_start_matches("create "), json!({ "content": "new\n" }))] }),
        name if name.starts_with("delete ") => json!({ "intent": "FixBug", "steps": [
            step(1, "file_delete", name.trim_start_matches("delete "), json!({}))] }),
        "unchecked" => json!({ "intent": "FixBug", "steps": [change()], "constraints": [
            { "id": "nice", "type": "MUST_NOT", "scope": "global", "description": "be surprising to a newcomer" }] }),
        "build" => json!({ "intent": "BuildPackage", "steps": [{
            "id": "s1", "order": 1, "type": "build", "target": "package", "description": "build the package", "dependencies": [] }] }),
        "read_web" => custom("read_web", "https://example.com/", json!({ "url": "https://example.com/" })),
        "send_email" => {
            custom("send_email", "a@example.com", json!({ "to": "a@example.com", "subject": "hello", "body": "hello" }))
        }
        "create_page" => tool("content.create_page", json!({ "title": "a", "content": "b" })),
        "bulk_create" => tool("content.bulk_create", json!({ "items": [] })),
        other => panic!("unknown plan `{other}`"),
    };
    let mut proposal = json!({ "schema": "exacta.plan/1" });
    for (key, value) in made.as_object().unwrap() {
        proposal[key] = value.clone();
    }
    proposal["intent"] = json!({ "type": made["intent"], "text": "what was asked for" });
    proposal
}

fn valid(name: &str) -> ValidPlan {
    let proposal = parse(proposal(name).to_string().as_bytes()).unwrap();
    let mut facts = Facts::new();
    let old = Target::File(Arc::new(FileContent::new(b"old\n".to_vec(), 0o644)));
    let mut targets =
        vec![("src/lib.rs", old.clone()), ("src/new.rs", Target::Absent), ("src/a\u{202e}b.rs", Target::Absent)];
    targets.extend(name.strip_prefix("create ").map(|path| (path, Target::Absent)));
    targets.extend(name.strip_prefix("delete ").map(|path| (path, old)));
    for (path, target) in targets {
        let lookalikes = if name == "lookalike" { vec!["Lib.rs".to_owned()] } else { Vec::new() };
        facts.insert(RelPath::parse(path).unwrap(), TargetFact { target, lookalikes, folds: false });
    }
    for step in &proposal.steps {
        if let Some(path) = RelPath::parse(&step.target).ok().filter(|path| facts.get(path).is_none()) {
            facts.insert(path, TargetFact { target: Target::Absent, lookalikes: Vec::new(), folds: false });
        }
    }
    let tools: BTreeSet<String> = ["content.create_page", "content.bulk_create"].map(ToOwned::to_owned).into();
    let allowed = Allowed {
        standing: None,
        hosts: ["example.com".to_owned()].into(),
        recipients: ["a@example.com".to_owned()].into(),
        sites: [("site".to_owned(), tools.clone())].into(),
        skills: [("wp.pages.write".to_owned(), tools.into())].into(),
    };
    let context = Context { facts: &facts, caps: &Caps::MOST, constraints: &[], allowed: &allowed, generated: false };
    let plan = seal(proposal, &facts).unwrap();
    check(plan, &context).unwrap_or_else(|invalid| panic!("{name}: {:#?}", invalid.findings))
}

/// Numbers that no real plan need have, of a plan with one change.
fn assessment(risk: u32, level: Level, quality: u32, boundaries: Vec<Reason>, signals: Signals) -> Assessment {
    Assessment {
        plan: valid("change"),
        extent: Extent::Whole,
        capabilities: Vec::new(),
        risk: Risk { score: risk, level, factors: Vec::new(), boundaries },
        quality: Quality { score: BasisPoints(quality), level: Grade::Good, dimensions: Vec::new() },
        estimates: Estimates { tokens: 0, duration_ms: 0, cost: 0, lines_added: 0, lines_removed: 0, bytes_written: 0 },
        signals,
    }
}

/// What the gates say to the evidence alone.
fn verdicts(assessment: &Assessment, policy: &Policy) -> Verdicts {
    evaluate(&Evidence::of(assessment, policy), policy)
}

fn place(path: &Value, line: &Value) -> Place {
    let path = path.as_str().map(ToOwned::to_owned);
    Place { step: Some("s1".to_owned()), path, line: line.as_u64() }
}

fn signals(case: &Value) -> Signals {
    let list = |key: &str| case[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let kind = |word: &Value| match word.as_str().unwrap() {
        "Escape" => Hidden::Escape,
        "Control" => Hidden::Control,
        "Override" => Hidden::Override,
        "Direction" => Hidden::Direction,
        "Tag" => Hidden::Tag,
        "ZeroWidth" => Hidden::ZeroWidth,
        "Variation" => Hidden::Variation,
        "PrivateUse" => Hidden::PrivateUse,
        other => panic!("{other}"),
    };
    let change = |word: &Value| match word.as_str().unwrap() {
        "Added" => DependencyKind::Added,
        "Source" => DependencyKind::Source,
        other => panic!("{other}"),
    };
    Signals {
        secrets: list("secrets")
            .iter()
            .map(|it| Secret {
                certain: it[0].as_bool().unwrap(),
                what: String::leak(text(&it[1]).unwrap()),
                place: place(&it[2], &it[3]),
            })
            .collect(),
        hidden: list("hidden")
            .iter()
            .map(|it| HiddenText { kind: kind(&it[0]), place: place(&it[1], &it[2]) })
            .collect(),
        dangers: list("dangers")
            .iter()
            .map(|it| Danger {
                certain: it[0].as_bool().unwrap(),
                what: text(&it[1]).unwrap(),
                place: place(&it[2], &it[3]),
            })
            .collect(),
        dependencies: list("dependencies")
            .iter()
            .map(|it| DependencyChange {
                content: None,
                manifest: "Cargo.toml".to_owned(),
                name: text(&it[1]).unwrap(),
                change: change(&it[0]),
                new_source: text(&it[2]),
                resembles: text(&it[3]),
                runs_script: false,
                place: place(&json!("Cargo.toml"), &json!(1)),
            })
            .collect(),
    }
}

fn boundaries(case: &Value) -> Vec<Reason> {
    let list = case["boundaries"].as_array().into_iter().flatten();
    let reason = |it: &Value| Reason {
        message: it[0].as_str().unwrap().to_owned(),
        path: it[1].as_str().map(ToOwned::to_owned),
        line: None,
        step: None,
        points: 0,
    };
    list.map(reason).collect()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Confirm => "confirm",
        Verdict::Deny => "deny",
    }
}

fn render(out: &mut String, name: &str, decision: &Verdicts) {
    let notice = if decision.notice { ", with notice" } else { "" };
    writeln!(out, "{name}: {}{notice}", word(decision.verdict)).unwrap();
    for gate in &decision.gates {
        let rule = gate.rule.as_ref().map(|rule| format!(" [{rule}]")).unwrap_or_default();
        writeln!(out, "  {:8} {:7}{rule} {}", gate.gate.name(), word(gate.verdict), gate.reason).unwrap();
    }
    out.push('\n');
}

#[test]
fn decisions() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../tests/cases/gate/decisions.json")).unwrap();
    let mut out = String::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let text = |key: &str, default: &'static str| case[key].as_str().unwrap_or(default).to_owned();
        let number = |key: &str, default: u64| case[key].as_u64().unwrap_or(default) as u32;
        let profile = Profile::ALL.into_iter().find(|profile| profile.name() == text("profile", "")).unwrap();
        let policy = policy(&text("safety", ""), &text("project", ""), profile);
        let level = if text("level", "") == "high" { Level::High } else { Level::Low };
        let mut assessment =
            assessment(number("risk", 10), level, number("quality", 9000), boundaries(case), signals(case));
        assessment.estimates.tokens = u64::from(number("tokens", 0));
        assessment.plan = valid(&text("plan", "change"));
        let decision = verdicts(&assessment, &policy);
        assert_eq!(word(decision.verdict), case["expect"], "{name}: {:#?}", decision.gates);
        render(&mut out, name, &decision);
    }
    insta::assert_snapshot!(out);
}

#[test]
fn what_never_became_a_plan_is_denied_by_every_gate() {
    let finding = |code, message: &str| Finding::new(code, message, "");
    let mut out = String::new();
    for (name, findings) in [
        ("nothing known", Vec::new()),
        ("not JSON", vec![finding(Code::ParseNonjson, "the text is not one JSON object")]),
        (
            "escapes and a broken rule",
            vec![
                finding(Code::PathOutside, "the path `../x` leaves\u{202e} the project"),
                finding(Code::StepCapExceeded, "11 steps"),
                finding(Code::PathProtected, "the path `.git/x` is protected"),
            ],
        ),
    ] {
        let decision = gate::refuse(&findings);
        assert!(decision.gates.iter().all(|gate| gate.verdict == Verdict::Deny));
        render(&mut out, name, &decision);
    }
    insta::assert_snapshot!(out);
}

#[test]
fn no_reason_repeats_a_secret() {
    let token = format!("ghp_{}", "A1b2C3d4E5".repeat(4).split_at(36).0);
    let secret = format!("https://me:hunter2x9Q@git.corp-x.net/{token}");
    let case =
        json!({ "dependencies": [["Added", "serde", secret, null]], "dangers": [[false, secret, "src/lib.rs", 1]] });
    let assessment = assessment(10, Level::Low, 9000, Vec::new(), signals(&case));
    let decision = verdicts(&assessment, &policy("", "", Profile::Dev));
    let refusal = gate::refuse(&[Finding::new(Code::DiffContext, format!("`{secret}` is not there"), "")]);
    for gate in decision.gates.iter().chain(&refusal.gates) {
        assert!(!gate.reason.contains("hunter2") && !gate.reason.contains(&token), "{}", gate.reason);
    }
    assert!(decision.gates.iter().any(|gate| gate.reason.contains("secret:")), "{:#?}", decision.gates);
}

#[test]
fn every_finding_denies() {
    for code in Code::ALL {
        let decision = gate::refuse(&[Finding::new(*code, "x", "y")]);
        assert_eq!((decision.verdict, decision.notice), (Verdict::Deny, false));
        assert!(decision.gates.iter().any(|gate| gate.reason.contains(code.as_str())), "{code}");
    }
}

#[test]
fn providers_that_the_policy_does_not_allow_are_denied() {
    let policy = policy("provider_classes = ['LOCAL_ONLY']", "", Profile::Dev);
    assert_eq!(provider(Some(ProviderClass::LocalOnly), &policy), None);
    for class in [None, Some(ProviderClass::TrustedCloud), Some(ProviderClass::UntrustedCloud)] {
        let verdict = provider(class, &policy).unwrap();
        let fine = assessment(40, Level::Medium, 9000, Vec::new(), Signals::default());
        let decision = verdicts(&fine, &policy);
        assert_eq!((decision.verdict, decision.notice), (Verdict::Allow, true));
        let decision = decision.tightened(verdict);
        assert_eq!((decision.verdict, decision.notice), (Verdict::Deny, false));
        assert_eq!(decision.gates.last().map(|gate| gate.verdict), Some(Verdict::Deny));
        let mut gates: Vec<&str> = decision.gates.iter().map(|gate| gate.gate.name()).collect();
        gates.dedup();
        assert_eq!(gates, ["security", "policy", "risk", "quality", "user"]);
    }
}

/// Something that may be found in a plan: what it is, and what the specification makes of it.
const FOUND: &[(&str, &str, Verdict)] = &[
    ("secrets", r#"[true, "key", "src/lib.rs", 1]"#, Verdict::Deny),
    ("secrets", r#"[false, "key", "src/lib.rs", 1]"#, Verdict::Confirm),
    ("hidden", r#"["Override", "src/lib.rs", 1]"#, Verdict::Deny),
    ("hidden", r#"["Control", null, null]"#, Verdict::Confirm),
    ("hidden", r#"["ZeroWidth", "src/lib.rs", 1]"#, Verdict::Confirm),
    ("dangers", r#"[true, "x", "src/lib.rs", 1]"#, Verdict::Deny),
    ("dangers", r#"[false, "x", "src/lib.rs", 1]"#, Verdict::Confirm),
    ("dependencies", r#"["Added", "x", null, null]"#, Verdict::Allow),
];

/// Plans, and their own part in the decision: whether a person is asked whatever the profile, and the tier's risk.
const PLANS: &[(&str, bool, u32)] = &[
    ("change", false, 0),
    ("two", false, 0),
    ("unchecked", true, 0),
    ("lookalike", true, 0),
    ("build", true, 0),
    ("read_web", false, 0),
    ("send_email", true, 66),
    ("create_page", true, 31),
    ("bulk_create", true, 66),
];

fn agree(seed: u64, rounds: usize) {
    let mut dice = Dice(seed);
    let plans: Vec<_> = PLANS.iter().map(|(name, asked, floor)| (valid(name), *asked, *floor)).collect();
    let policies: Vec<_> = Profile::ALL
        .into_iter()
        .flat_map(|chosen| Profile::ALL.map(|ceiling| (chosen, ceiling)))
        .map(|(chosen, ceiling)| (policy(&format!("ceiling = '{}'", ceiling.name()), "", chosen), chosen.min(ceiling)))
        .collect();
    let found: Vec<(Signals, Verdict)> = FOUND
        .iter()
        .map(|(list, entry, verdict)| {
            (signals(&json!({ *list: [serde_json::from_str::<Value>(entry).unwrap()] })), *verdict)
        })
        .collect();
    for _ in 0..rounds {
        let (plan, asked, floor) = &plans[dice.roll(plans.len() as u64) as usize];
        let (policy, profile) = &policies[dice.roll(policies.len() as u64) as usize];
        let (risk, quality) = (dice.pick(&RISKS), dice.pick(&QUALITIES));
        let mut all = Signals::default();
        let mut strictest = if *asked { Verdict::Confirm } else { Verdict::Allow };
        for (one, verdict) in found.iter().filter(|_| dice.roll(12) == 0) {
            add(&mut all, one.clone());
            strictest = strictest.max(*verdict);
        }
        let numbers = Assessment { plan: plan.clone(), ..assessment(risk, Level::Low, quality, Vec::new(), all) };
        let decision = verdicts(&numbers, policy);
        let (forbidden, asked) = (strictest == Verdict::Deny, strictest == Verdict::Confirm);
        let expected = naive(*profile, risk.max(*floor), quality, forbidden, asked);
        assert_eq!((decision.verdict, decision.notice), expected, "{risk} {quality}\n{:#?}", decision.gates);
    }
}

fn add(all: &mut Signals, one: Signals) {
    all.secrets.extend(one.secrets);
    all.hidden.extend(one.hidden);
    all.dangers.extend(one.dangers);
    all.dependencies.extend(one.dependencies);
}

#[test]
fn a_second_evaluator_agrees_on_whole_plans() {
    agree(5, 20_000);
}

/// `cargo test -p exacta-kernel --lib -- --ignored million`
#[test]
#[ignore = "takes half a minute"]
fn a_second_evaluator_agrees_on_a_million_whole_plans() {
    agree(6, 1_000_000);
}

/// Item 36: each capability is forbidden as a class, in every profile, with its place; the others stay as they are.
#[test]
fn a_forbidden_capability_is_denied() {
    for capability in Capability::ALL {
        let requested = Requested {
            capability,
            reason: "a reason".to_owned(),
            path: Some("src/lib.rs".to_owned()),
            line: Some(3),
            step: Some("s1".to_owned()),
        };
        let mut assessment = assessment(0, Level::Low, 10_000, Vec::new(), Signals::default());
        assessment.capabilities.push(requested);
        for other in Capability::ALL {
            let safety = format!("version = \"1\"\nceiling = \"FULL-AUTO\"\nforbid = [\"{}\"]\n", other.name());
            let policy = policy(&safety, "", Profile::FullAuto);
            let decision = verdicts(&assessment, &policy);
            let denied = decision.gates.iter().find(|gate| gate.rule.as_deref() == Some(gate::FORBID));
            if other == capability {
                let denied = denied.expect("denied");
                assert_eq!(
                    (decision.verdict, denied.gate, denied.verdict),
                    (Verdict::Deny, Gate::Policy, Verdict::Deny)
                );
                let expected =
                    format!("the Safety Policy forbids `{}`: a reason (`src/lib.rs`, line 3)", capability.name());
                assert_eq!(denied.reason, expected);
            } else {
                assert_eq!((decision.verdict, denied), (Verdict::Allow, None));
            }
        }
    }
    for (plan, forbidden) in [
        ("read_web", "network"),
        ("send_email", "send"),
        ("send_email", "network"),
        ("create_page", "network"),
        ("bulk_create", "publish"),
    ] {
        let assessment = assess(valid(plan), &Facts::new());
        let policy = policy(&format!("forbid = [\"{forbidden}\"]\n"), "", Profile::Dev);
        let decision = verdicts(&assessment, &policy);
        assert!(decision.gates.iter().any(|gate| gate.rule.as_deref() == Some(gate::FORBID)), "{plan}: {decision:#?}");
    }
    let assessment = assess(valid("create_page"), &Facts::new());
    let decision = verdicts(&assessment, &policy("forbid = [\"publish\"]\n", "", Profile::Dev));
    assert!(!decision.gates.iter().any(|gate| gate.rule.as_deref() == Some(gate::FORBID)), "{decision:#?}");
}

/// A word that is no capability stops everything, like any other mistake in the policy.
#[test]
fn an_unknown_capability_in_forbid_is_an_error() {
    let error = SafetyPolicy::parse("forbid = [\"everything\"]\n", "safety-policy.toml").unwrap_err();
    assert!(error.message.contains("everything"), "{error:?}");
}

/// Files of a plan, what the user named, and whether a person is asked because of it.
const BEYOND: &[(&str, &[&str], bool)] = &[
    ("change", &["src/lib.rs"], false),
    ("change", &["src/"], false),
    ("change", &[], true),
    ("change", &["lib.rs"], true),
    ("change", &["src/lib.rs.bak"], true),
    ("change", &["src"], true),
    ("two", &["src/lib.rs"], true),
    ("two", &["src/lib.rs", "src/new.rs"], false),
    ("create tests/test_parser.py", &["app/parser.py"], false),
    ("create tests/parser_test.go", &["parser.go"], false),
    ("create src/parser.test.ts", &["src/parser.ts"], false),
    ("create tests/test_other.py", &["app/parser.py"], true),
    ("create src/parser_helper.py", &["src/parser.py"], true),
    ("delete src/lib.rs", &["src/main.rs"], true),
];

#[test]
fn what_the_user_did_not_name_is_not_changed_unasked() {
    for (name, named, confirm) in BEYOND {
        let fine = assessment(0, Level::Low, 10_000, Vec::new(), Signals::default());
        let verdicts = made_here(&Assessment { plan: valid(name), ..fine }, &asked(named));
        let found =
            verdicts.iter().any(|it| it.rule.as_deref() == Some(gate::BEYOND) && it.verdict == Verdict::Confirm);
        assert_eq!(found, *confirm, "{name} {named:?}: {verdicts:?}");
    }
}

#[test]
fn an_essential_lack_denies_what_was_made_here() {
    let mut judged = assessment(0, Level::Low, 9000, Vec::new(), Signals::default());
    let issue = |points, wording| Issue {
        message: "no regression check".to_owned(),
        hint: String::new(),
        path: None,
        line: None,
        step: None,
        pointer: None,
        points,
        wording,
    };
    for (points, wording, extent, denied) in [
        (2500, false, Extent::Whole, true),
        (2499, false, Extent::Whole, false),
        (9000, true, Extent::Whole, false),
        (2500, false, Extent::Selection, false),
    ] {
        judged.extent = extent;
        let issues = vec![issue(points, wording)];
        judged.quality.dimensions =
            vec![Dimension { name: "completeness", score: BasisPoints(9000), weight: 30, issues }];
        let verdicts = made_here(&judged, &asked(&["src/lib.rs"]));
        assert_eq!(verdicts.iter().any(|it| it.verdict == Verdict::Deny), denied, "{points} {wording} {extent:?}");
    }
}

fn asked(named: &[&str]) -> Asked {
    Asked {
        provider: "local".to_owned(),
        context_sha256: Digest::of(b"context"),
        named: named.iter().map(|name| (*name).to_owned()).collect(),
        reader: None,
        confidence: 9000,
    }
}
