//! What the gates are told beside a plan and the policy: `tests/cases/gate/circumstances.json` → every verdict that speaks of it.

use super::scene::{model, valid};
use exacta_kernel::assess::{assess, assess_selection};
use exacta_kernel::binding::Asked;
use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::{self, Circumstances, Gate, Made, Verdict, Verdicts};
use exacta_kernel::hash::Digest;
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::seal::seal;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

fn policy(case: &Value) -> Policy {
    let safety = format!("ceiling = 'FULL-AUTO'\n{}", case["safety"].as_str().unwrap_or_default());
    let safety = SafetyPolicy::parse(&safety, "safety-policy.toml").unwrap();
    let profile = case["profile"].as_str().unwrap_or("FULL-AUTO");
    let profile = Profile::ALL.into_iter().find(|known| known.name() == profile).unwrap();
    Policy::combine(safety, ProjectConfig::parse("", "config.toml").unwrap(), profile).unwrap()
}

/// The plan of a case: its steps, with what every step needs.
fn proposal(case: &Value) -> Value {
    let mut proposal = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": case["intent"].as_str().unwrap_or("FixBug"), "text": "count the second line of a.txt" },
    });
    let mut steps = case["steps"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![json!({ "type": "file_modify", "target": "a.txt", "content": "one\ntwo\n" })]);
    for (number, step) in (1..).zip(&mut steps) {
        step["id"] = json!(format!("s{number}"));
        step["order"] = json!(number);
        step["dependencies"] = json!([]);
        step["description"] = json!("count the second line of the text");
    }
    proposal["steps"] = json!(steps);
    for key in ["autopilot", "model"] {
        if let Some(value) = case.get(key) {
            proposal[key] = value.clone();
        }
    }
    proposal
}

/// `a.txt` and whatever else a plan deletes or changes are there; what it creates is not.
fn facts(proposal: &Value) -> Facts {
    let mut facts = Facts::new();
    for step in proposal["steps"].as_array().unwrap() {
        let Ok(path) = RelPath::parse(step["target"].as_str().unwrap()) else { continue };
        let old = || Target::File(Arc::new(FileContent::new(b"one\n".to_vec(), 0o644)));
        let target = if step["type"] == "file_create" { Target::Absent } else { old() };
        facts.insert(path, TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    facts
}

fn render(out: &mut String, verdicts: &Verdicts) {
    for gate in verdicts.gates().iter().filter(|gate| gate.verdict > Verdict::Allow) {
        let rule = gate.rule.as_ref().map(|rule| format!(" [{rule}]")).unwrap_or_default();
        let system = if gate.is_system_level() { " (a boundary)" } else { "" };
        writeln!(out, "  {:8} {:?}{rule}{system} {}", gate.gate, gate.verdict, gate.reason).unwrap();
    }
    if let Some(reason) = verdicts.notice_reason() {
        writeln!(out, "  {reason}").unwrap();
    }
}

#[test]
fn the_gates_speak_of_what_they_are_told() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/gate/circumstances.json")).unwrap();
    let mut out = String::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let proposal = proposal(case);
        let facts = facts(&proposal);
        let plan = valid(&proposal, &facts);
        let named = case["named"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap().to_owned());
        let asked = Asked {
            provider: "local".to_owned(),
            context_sha256: Digest::of(b"context"),
            named: named.collect(),
            reader: None,
            confidence: 9000,
        };
        let class = case["class"].is_string().then(|| model(case).class);
        let is = |key: &str, default: bool| case[key].as_bool().unwrap_or(default);
        let circumstances = Circumstances {
            has_build_command: is("has_build_command", true),
            checks_off: is("checks_off", false),
            made: case["named"].is_array().then_some(Made { asked: &asked, class }),
            connected: is("connected", false),
            oversize: is("oversize", false)
                .then(|| Finding::new(Code::TooLarge, "step `s1` has more than 10 bytes", "")),
        };
        let assess = if is("selection", false) { assess_selection } else { assess };
        let decision = gate::decide(assess(plan, &facts), &policy(case), &circumstances);
        assert_eq!(json!(format!("{:?}", decision.verdict())), case["expect"], "{name}: {:#?}", decision.verdicts());
        writeln!(out, "{name}: {:?}", decision.verdict()).unwrap();
        render(&mut out, decision.verdicts());
        let again = decision.under(&policy(case), &circumstances);
        assert_eq!(&again, decision.verdicts(), "{name}");
    }
    insta::assert_snapshot!(out);
}

/// A plan that breaks a rule and adds a secret: neither its verdicts nor its findings quote anything of it.
#[test]
fn a_plan_that_is_not_valid_is_refused_and_quotes_no_secret() {
    let secret = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17\n"].concat();
    for (content, quoted) in [("two\n", true), (secret.as_str(), false)] {
        let proposal = proposal(&json!({ "steps": [
            { "type": "file_create", "target": "b.txt", "content": "two\n" },
            { "type": "file_create", "target": "b.txt", "content": "other\n" },
            { "type": "file_create", "target": "c.txt", "content": content },
        ] }));
        let facts = facts(&proposal);
        let plan = seal(parse(proposal.to_string().as_bytes()).unwrap(), &facts).unwrap();
        let allowed = Allowed::default();
        let context =
            Context { facts: &facts, caps: &Caps::default(), constraints: &[], allowed: &allowed, generated: false };
        let mut invalid = check(plan, &context).unwrap_err();
        let verdicts = gate::refuse_plan(&mut invalid);
        assert_eq!(verdicts.verdict(), Verdict::Deny);
        assert_eq!(verdicts.is_denied_by_security(), !quoted, "{verdicts:#?}");
        let tells = invalid.findings.iter().any(|finding| finding.message.contains("b.txt"));
        assert_eq!(tells, quoted, "{:#?}", invalid.findings);
        let tells = verdicts.gates().iter().any(|gate| gate.gate == Gate::Policy && gate.reason.contains("b.txt"));
        assert_eq!(tells, quoted, "{verdicts:#?}");
    }
}

/// What the gates are told of who made a plan is what the plan is bound to.
#[test]
fn a_plan_that_was_asked_for_is_known_by_its_binding() {
    let mut scene = super::scene::Scene::new();
    assert_eq!(Made::of(&scene.identity.binding), None);
    let asked = Asked {
        provider: "local".to_owned(),
        context_sha256: Digest::of(b"context"),
        named: ["a.txt".to_owned()].into(),
        reader: None,
        confidence: 9000,
    };
    scene.identity.binding.asked = Some(asked.clone());
    let class = scene.identity.binding.proposer.model.as_ref().map(|model| model.class);
    assert_eq!(Made::of(&scene.identity.binding), Some(Made { asked: &asked, class }));
    scene.identity.binding.proposer.model = None;
    assert_eq!(Made::of(&scene.identity.binding), Some(Made { asked: &asked, class: None }));
}
