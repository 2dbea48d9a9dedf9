//! The hash that an approver signs covers everything a plan is bound to.

use super::scene::{OTHER, Scene, authority, model};
use exacta_kernel::approval::{Verb, verify, verify_decision};
use exacta_kernel::binding::{Limits, ModelIdentity, Proposer, ProviderClass};
use exacta_kernel::hash::Digest;
use exacta_kernel::policy::profile::Profile;
use serde_json::{Value, json};

/// Every leaf of the stored identity, one after the other, replaced by something else of its kind.
#[test]
fn no_part_of_the_identity_can_change_without_the_hash() {
    let scene = Scene::new();
    let stored = serde_json::to_value(&scene.identity).unwrap();
    let mut leaves = Vec::new();
    collect(&stored, "", &mut leaves);
    assert!(leaves.len() > 20, "{leaves:?}");
    let content = scene.plan.plan().content_hash();
    let mut changed = 0;
    for pointer in &leaves {
        let mut other = stored.clone();
        let leaf = other.pointer_mut(pointer).unwrap();
        *leaf = replaced(leaf);
        // What no identity can hold is refused when it is read, which is as good.
        if let Ok(identity) = serde_json::from_value::<exacta_kernel::binding::Identity>(other) {
            assert_ne!(identity.plan_hash(content).unwrap(), scene.made_hash, "{pointer}");
            changed += 1;
        }
    }
    assert!(changed > 15, "{changed} of {}", leaves.len());
    assert_ne!(scene.identity.plan_hash(Digest::of(b"other content")).unwrap(), scene.made_hash);
    assert_eq!(scene.identity.clone().plan_hash(content).unwrap(), scene.made_hash);
}

fn collect(value: &Value, at: &str, leaves: &mut Vec<String>) {
    let token = |at: &str, key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| collect(value, &token(at, key), leaves)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| collect(value, &token(at, &i.to_string()), leaves));
        }
        _ => leaves.push(at.to_owned()),
    }
}

/// Another value that could stand in the same place.
fn replaced(leaf: &Value) -> Value {
    match leaf {
        Value::Null => json!(OTHER),
        Value::Bool(it) => json!(!it),
        Value::Number(it) => json!(it.as_u64().unwrap() + 1),
        Value::String(text) => match text.as_str() {
            "DEV" => json!("SAFE"),
            "TRUSTED_CLOUD" => json!("LOCAL_ONLY"),
            text if text.ends_with('Z') => json!(text.replace("2026", "2027")),
            text => json!(
                text.chars()
                    .map(|c| if c == '0' {
                        '1'
                    } else if c == 'a' {
                        'b'
                    } else {
                        c
                    })
                    .collect::<String>()
                    + if text.len() < 36 { "x" } else { "" }
            ),
        },
        other => other.clone(),
    }
}

#[test]
fn a_fresh_approval_is_for_the_same_plan_under_the_new_policy() {
    let scene = Scene::new();
    let now = authority(Profile::Safe, Profile::FullAuto, "2");
    let newer = model(&json!({ "version": "2", "class": "local" }));
    let rebound = scene.identity.rebound(&now, Some(&newer));
    assert_eq!(rebound.binding.authority, now);
    let bound = rebound.binding.proposer.model.as_ref().unwrap();
    assert_eq!(bound.version.as_deref(), Some("2"));
    assert_eq!(bound.class, model(&json!({})).class, "only the version is taken over");
    let mut back = rebound.rebound(&scene.identity.binding.authority, Some(&model(&json!({}))));
    assert_eq!(back, scene.identity, "nothing else changes");
    back.binding.proposer.model = None;
    assert_eq!(back.rebound(&now, Some(&newer)).binding.proposer.model, None, "none was declared, and none is now");
    assert_eq!(scene.identity.rebound(&scene.authority, None), scene.identity);
}

/// A signature covers the whole statement: whatever is changed in it afterwards, it no longer fits; and no verb passes for another.
#[test]
fn no_part_of_a_signed_decision_can_be_changed() {
    let scene = Scene::new();
    let demand = exacta_kernel::approval::Demand {
        project: &scene.project,
        plan_id: &scene.identity.plan_id,
        plan_hash: scene.made_hash,
        now: scene.now,
    };
    for word in ["approve", "reject", "request_changes"] {
        let signed = scene.signed(&json!({ "verb": word }));
        let verb: Verb = serde_json::from_value(json!(word)).unwrap();
        for other in [Verb::Approve, Verb::Reject, Verb::RequestChanges] {
            assert_eq!(
                verify_decision(&signed, &scene.approvers, &demand, other).is_ok(),
                verb == other,
                "{word} as {other:?}"
            );
        }
        assert_eq!(verify(&signed, &scene.approvers, &demand).is_ok(), verb == Verb::Approve, "{word}");
        let stored = serde_json::to_value(&signed).unwrap();
        for field in ["verb", "project", "plan_id", "plan_hash", "approver", "at", "expires_at"] {
            let mut forged = stored.clone();
            let value = forged["statement"][field].as_str().unwrap().to_owned();
            forged["statement"][field] = match field {
                "verb" => json!(if word == "approve" { "reject" } else { "approve" }),
                "approver" => json!("ben"),
                _ => replaced(&json!(value)),
            };
            assert_ne!(forged, stored, "{field}");
            let forged = serde_json::from_value::<exacta_kernel::approval::SignedStatement>(forged).unwrap();
            for verb in [Verb::Approve, Verb::Reject, Verb::RequestChanges] {
                assert!(verify_decision(&forged, &scene.approvers, &demand, verb).is_err(), "{word}: {field}");
            }
        }
    }
}

/// Whose model must be declared follows from the kind of credential, and only from its kind.
#[test]
fn a_connected_agent_is_known_by_its_credential() {
    for (credential, connected) in [
        ("agent:codex", true),
        ("mcp:codex", true),
        ("agent:cli", true),
        ("clip:1000", true),
        ("cli:1000", false),
        ("cli:1000:codex", false),
        ("approver:alice", false),
        ("autopilot:prices", false),
    ] {
        assert_eq!(Proposer::is_connected(credential), connected, "{credential}");
    }
}

/// Limits that nobody knows are left out of what is hashed, so that learning of one changes the hash.
#[test]
fn known_limits_are_part_of_what_is_bound() {
    let limits = |context, input, output| Limits { context, input, output };
    assert!(limits(None, None, None).is_unknown());
    for known in [limits(Some(1), None, None), limits(None, Some(1), None), limits(None, None, Some(1))] {
        assert!(!known.is_unknown(), "{known:?}");
        let identity = ModelIdentity { limits: known, ..model(&json!({})) };
        assert_eq!(serde_json::to_value(&identity).unwrap()["limits"], serde_json::to_value(known).unwrap());
    }
    let unknown = ModelIdentity { limits: Limits::default(), ..model(&json!({})) };
    assert_eq!(serde_json::to_value(&unknown).unwrap().get("limits"), None);
}

/// People read the name, programs the serialised form: they must be the same word.
#[test]
fn a_provider_class_has_one_name() {
    for class in [ProviderClass::LocalOnly, ProviderClass::TrustedCloud, ProviderClass::UntrustedCloud] {
        assert_eq!(json!(class), json!(class.name()));
    }
}
