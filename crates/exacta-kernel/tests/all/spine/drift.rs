//! The table of drift, row by row.

use super::scene::Scene;
use exacta_kernel::drift::{Answer, DriftKind, answer, drift};
use serde_json::{Value, json};
use std::fmt::Write as _;

#[test]
fn every_change_has_its_answer() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/spine/drift.json")).unwrap();
    let mut said = String::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let mut scene = Scene::new();
        if case["model"] == "none" {
            scene.identity.binding.proposer.model = None;
        }
        if case["for"] == "autopilot" {
            scene.made_for_autopilot();
        }
        if case["for"] == "site" {
            scene.made_for_site();
        }
        scene.change(&case["now"]);
        let found = drift(&scene.identity, &scene.present());
        let words = |drift: &exacta_kernel::drift::Drift| {
            let path = drift.path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
            let word = |value: Value| value.as_str().unwrap().to_owned();
            format!("{} {}{path}", word(json!(drift.kind)), word(json!(drift.answer)))
        };
        let listed: Vec<String> = found.iter().map(words).collect();
        assert_eq!(json!(listed), case["expect"], "{name}");
        writeln!(said, "{name}").unwrap();
        for drift in &found {
            writeln!(said, "  {}", drift.message).unwrap();
        }
    }
    insta::assert_snapshot!(said);
}

#[test]
fn the_strictest_answer_wins() {
    let mut scene = Scene::new();
    assert_eq!(answer(&drift(&scene.identity, &scene.present())), None);
    for (now, expected) in [
        (json!({ "model": { "class": "local" } }), Answer::Allowed),
        (json!({ "model": { "class": "local" }, "policy": "another" }), Answer::Reapprove),
        (json!({ "model": "none", "policy": "another" }), Answer::Regenerate),
        (json!({ "model": "none", "policy": "another", "session": "ended" }), Answer::Expired),
    ] {
        scene.change(&now);
        assert_eq!(answer(&drift(&scene.identity, &scene.present())), Some(expected), "{now}");
    }
}

/// Age, clock, session and configuration end a plan only until its run begins; everything else does so before each step too.
#[test]
fn what_counts_only_until_a_run_begins() {
    use DriftKind::{
        Age, Autopilot, Ceiling, Clock, Configuration, Model, ModelVersion, Policy, Profile, ProviderClass, Session,
        Site, Skill, Target,
    };
    for kind in [Age, Clock, Session, Configuration] {
        assert!(kind.ends_at_the_start(), "{kind:?}");
    }
    for kind in [Target, Model, ModelVersion, ProviderClass, Policy, Profile, Ceiling, Autopilot, Site, Skill] {
        assert!(!kind.ends_at_the_start(), "{kind:?}");
    }
}
