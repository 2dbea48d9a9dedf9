use super::setting::{SettingDemand, SettingStatement, SettingVerb, approver_subject, profile_subject, token_subject};
use super::*;
use crate::profile::Profile;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};

const PLAN: &str = "019a2f3e-7c1d-7e2a-9b4f-0123456789ab";
const PROJECT: &str = "019a2f3e-7c1d-7e2a-9b4f-ba9876543210";
const OTHER: &str = "019a2f3e-7c1d-7e2a-9b4f-000000000000";
const NOW: Timestamp = Timestamp::from_millis(1_794_000_000_000);

struct World {
    project: ProjectId,
    plan_id: PlanId,
    plan_hash: Digest,
    key: SigningKey,
    approvers: Vec<Approver>,
}

fn world() -> World {
    let key = SigningKey::from_bytes(&[1; 32]);
    let approvers = vec![approver("ann", &key), approver("ben", &SigningKey::from_bytes(&[2; 32]))];
    World {
        project: ProjectId::parse(PROJECT).unwrap(),
        plan_id: PlanId::parse(PLAN).unwrap(),
        plan_hash: Digest::of(b"plan"),
        key,
        approvers,
    }
}

fn approver(name: &str, key: &SigningKey) -> Approver {
    let public_key = PublicKey::from_bytes(key.verifying_key().to_bytes()).unwrap();
    Approver { name: ApproverName::parse(name).unwrap(), public_key, added_at: NOW, removed_at: None }
}

impl World {
    fn statement(&self, verb: Verb) -> Statement {
        let (project, plan_id) = (self.project.clone(), self.plan_id.clone());
        Statement::new(
            verb,
            project,
            plan_id,
            self.plan_hash,
            ApproverName::parse("ann").unwrap(),
            NOW,
            NOW.plus_seconds(1800),
        )
    }

    fn sign(&self, statement: Statement) -> SignedStatement {
        let signature = self.key.sign(&statement.signing_bytes().unwrap()).to_bytes();
        statement.with_signature(Signature::from_bytes(signature))
    }

    fn demand(&self) -> Demand<'_> {
        Demand { project: &self.project, plan_id: &self.plan_id, plan_hash: self.plan_hash, now: NOW }
    }

    fn verify(&self, signed: &SignedStatement) -> Result<VerifiedApproval, ApprovalError> {
        verify(signed, &self.approvers, &self.demand())
    }
}

#[test]
fn an_approval_counts_and_is_written_as_the_specification_names_it() {
    let world = world();
    let signed = world.sign(world.statement(Verb::Approve));
    let verified = world.verify(&signed).unwrap();
    assert_eq!((verified.signed(), verified.key()), (&signed, world.approvers[0].public_key));
    let text = serde_json::to_string(&signed).unwrap();
    assert_eq!(serde_json::from_str::<SignedStatement>(&text).unwrap(), signed);
    let bytes = signed.statement.signing_bytes().unwrap();
    let expected = format!(
        "exacta.approval/1\0{{\"approver\":\"ann\",\"at\":\"2026-11-06T21:20:00.000Z\",\
         \"expires_at\":\"2026-11-06T21:50:00.000Z\",\"plan_hash\":\"{}\",\"plan_id\":\"{PLAN}\",\
         \"project\":\"{PROJECT}\",\"schema\":\"exacta.approval/1\",\"verb\":\"approve\"}}",
        Digest::of(b"plan")
    );
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn no_other_decision_passes_for_an_approval() {
    let world = world();
    for verb in [Verb::Reject, Verb::RequestChanges] {
        let signed = world.sign(world.statement(verb));
        assert_eq!(world.verify(&signed), Err(ApprovalError::WrongVerb));
        assert!(verify_decision(&signed, &world.approvers, &world.demand(), verb).is_ok());
        let mut forged = signed;
        forged.statement.verb = Verb::Approve;
        assert_eq!(world.verify(&forged), Err(ApprovalError::BadSignature(forged.statement.approver.clone())));
    }
    let approval = world.sign(world.statement(Verb::Approve));
    let as_rejection = verify_decision(&approval, &world.approvers, &world.demand(), Verb::Reject);
    assert_eq!(as_rejection, Err(ApprovalError::WrongVerb));
}

/// Every field replaced by another well-formed value, and every field missing, and one more than there is.
#[test]
fn every_field_is_signed() {
    let world = world();
    let signed = serde_json::to_value(world.sign(world.statement(Verb::Approve))).unwrap();
    let other = [
        ("verb", json!("reject")),
        ("project", json!(OTHER)),
        ("plan_id", json!(OTHER)),
        ("plan_hash", json!(Digest::of(b"another"))),
        ("approver", json!("ben")),
        ("at", json!(NOW.plus_seconds(1))),
        ("expires_at", json!(NOW.plus_seconds(9999))),
    ];
    let fields: Vec<&str> = signed["statement"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields.len(), other.len() + 1, "all fields but the schema are in the table");
    for (field, value) in other {
        let mut changed = signed.clone();
        changed["statement"][field] = value;
        let changed: SignedStatement = serde_json::from_value(changed).unwrap();
        let error = world.verify(&changed).unwrap_err();
        assert_eq!(error, ApprovalError::BadSignature(changed.statement.approver.clone()), "{field}");
    }
    for field in fields {
        let mut missing = signed.clone();
        missing["statement"].as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<SignedStatement>(missing).is_err(), "{field}");
    }
    for (field, value) in [("schema", json!("exacta.approval/2")), ("note", Value::Null)] {
        let mut changed = signed.clone();
        changed["statement"][field] = value;
        assert!(serde_json::from_value::<SignedStatement>(changed).is_err(), "{field}");
    }
}

#[test]
fn it_counts_only_for_this_plan_in_this_project() {
    let world = world();
    let signed = world.sign(world.statement(Verb::Approve));
    let (plan, project) = (PlanId::parse(OTHER).unwrap(), ProjectId::parse(OTHER).unwrap());
    let check = |demand: &Demand<'_>| verify(&signed, &world.approvers, demand).unwrap_err();
    assert_eq!(check(&Demand { plan_id: &plan, ..world.demand() }), ApprovalError::WrongPlan(world.plan_id.clone()));
    assert_eq!(check(&Demand { project: &project, ..world.demand() }), ApprovalError::WrongProject);
    assert_eq!(check(&Demand { plan_hash: Digest::of(b"x"), ..world.demand() }), ApprovalError::WrongHash);
}

#[test]
fn it_counts_only_in_its_time() {
    let world = world();
    let signed = world.sign(world.statement(Verb::Approve));
    let expires = signed.statement.expires_at;
    let at = |millis: i64| {
        let now = Timestamp::from_millis(millis);
        verify(&signed, &world.approvers, &Demand { now, ..world.demand() }).map(drop)
    };
    assert_eq!(at(expires.as_millis() - 1), Ok(()));
    assert_eq!(at(expires.as_millis()), Err(ApprovalError::Expired(expires)));
    let skew = i64::try_from(CLOCK_SKEW_SECONDS).unwrap() * 1000;
    assert_eq!(at(NOW.as_millis() - skew), Ok(()));
    assert_eq!(at(NOW.as_millis() - skew - 1), Err(ApprovalError::FromTheFuture(NOW)));

    let mut never = world.statement(Verb::Approve);
    never.expires_at = never.at;
    let now = Timestamp::from_millis(NOW.as_millis() - 1);
    let never = verify(&world.sign(never), &world.approvers, &Demand { now, ..world.demand() });
    assert_eq!(never, Err(ApprovalError::Expired(NOW)));
}

#[test]
fn only_listed_approvers_count() {
    let mut world = world();
    let signed = world.sign(world.statement(Verb::Approve));
    let name = signed.statement.approver.clone();

    let key = SigningKey::from_bytes(&[9; 32]);
    let listed = core::mem::take(&mut world.approvers);
    assert_eq!(world.verify(&signed), Err(ApprovalError::NotAnApprover(name.clone())));

    world.approvers = vec![approver("ann", &key)];
    assert_eq!(world.verify(&signed), Err(ApprovalError::BadSignature(name.clone())));

    world.approvers = listed;
    world.approvers[0].removed_at = Some(NOW);
    assert_eq!(world.verify(&signed), Err(ApprovalError::Removed(name.clone())));

    world.approvers.push(approver("ann", &key));
    assert_eq!(world.verify(&signed), Err(ApprovalError::BadSignature(name)), "the removed key stays removed");
    world.key = key;
    assert!(world.verify(&world.sign(world.statement(Verb::Approve))).is_ok(), "the new key of that name counts");
}

#[test]
fn settings_count_for_exactly_what_was_signed() {
    let world = world();
    let subject = profile_subject(Profile::Dev);
    let ann = ApproverName::parse("ann").unwrap();
    let (verb, project) = (SettingVerb::ProfileSet, Some(world.project.clone()));
    let statement = SettingStatement::new(verb, project, subject, ann, NOW, NOW.plus_seconds(60));
    let signature = Signature::from_bytes(world.key.sign(&statement.signing_bytes().unwrap()).to_bytes());
    let signed = statement.with_signature(signature);
    let good = SettingDemand { verb: SettingVerb::ProfileSet, project: Some(&world.project), subject, now: NOW };
    let check = |demand: &SettingDemand<'_>| setting::verify(&signed, &world.approvers, demand).map(drop);
    assert_eq!(check(&good), Ok(()));
    let verb = SettingVerb::PolicySet;
    assert_eq!(check(&SettingDemand { verb, ..good }), Err(ApprovalError::WrongVerb));
    assert_eq!(check(&SettingDemand { project: None, ..good }), Err(ApprovalError::WrongProject));
    let subject = profile_subject(Profile::FullAuto);
    assert_eq!(check(&SettingDemand { subject, ..good }), Err(ApprovalError::WrongSubject));
    let expires = signed.statement.expires_at;
    assert_eq!(check(&SettingDemand { now: expires, ..good }), Err(ApprovalError::Expired(expires)));
    let verified = setting::verify(&signed, &world.approvers, &good).unwrap();
    let other = ProjectId::parse(OTHER).unwrap();
    for (verb, project, of, expected) in [
        (good.verb, Some(&world.project), good.subject, true),
        (SettingVerb::PolicySet, Some(&world.project), good.subject, false),
        (good.verb, Some(&other), good.subject, false),
        (good.verb, None, good.subject, false),
        (good.verb, Some(&world.project), subject, false),
        (SettingVerb::PolicySet, None, subject, false),
    ] {
        assert_eq!(verified.is_for(verb, project, of), expected, "{verb:?} {project:?} {of}");
    }
}

/// What is signed of a token and of an approver is all that there is of it: nothing else has the same hash.
#[test]
fn a_subject_is_of_all_that_it_names() {
    let (token, other) = (Digest::of(b"token"), Digest::of(b"other"));
    let scopes = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let subjects = [
        token_subject("codex", &token, &scopes(&["read", "propose"]), NOW),
        token_subject("codey", &token, &scopes(&["read", "propose"]), NOW),
        token_subject("codex", &other, &scopes(&["read", "propose"]), NOW),
        token_subject("codex", &token, &scopes(&["read"]), NOW),
        token_subject("codex", &token, &scopes(&["read", "propose"]), NOW.plus_seconds(1)),
        approver_subject(&ApproverName::parse("ann").unwrap(), &world().approvers[0].public_key),
        approver_subject(&ApproverName::parse("ben").unwrap(), &world().approvers[0].public_key),
        approver_subject(&ApproverName::parse("ann").unwrap(), &world().approvers[1].public_key),
    ];
    assert_eq!(subjects.iter().collect::<BTreeSet<_>>().len(), subjects.len());
    assert_eq!(subjects[0], token_subject("codex", &token, &scopes(&["propose", "read"]), NOW), "in any order");
}

/// What is stored of a verified decision and of a verified setting is what was signed, with the key that it was verified by.
#[test]
fn what_was_verified_is_what_was_signed() {
    let world = world();
    let decision = world.sign(world.statement(Verb::Reject));
    let verified = verify_decision(&decision, &world.approvers, &world.demand(), Verb::Reject).unwrap();
    assert_eq!((verified.signed(), verified.statement()), (&decision, &decision.statement));
    assert_eq!(verified.key(), world.approvers[0].public_key);
    let (verb, subject) = (SettingVerb::ProfileSet, profile_subject(Profile::Dev));
    let ann = ApproverName::parse("ann").unwrap();
    let statement = SettingStatement::new(verb, None, subject, ann, NOW, NOW.plus_seconds(60));
    let signature = world.key.sign(&statement.signing_bytes().unwrap()).to_bytes();
    let signed = statement.with_signature(Signature::from_bytes(signature));
    let demand = SettingDemand { verb, project: None, subject, now: NOW };
    let verified = setting::verify(&signed, &world.approvers, &demand).unwrap();
    assert_eq!((verified.signed(), verified.statement()), (&signed, &signed.statement));
    assert_eq!(verified.key(), world.approvers[0].public_key);
}

/// Every way in which an approval fails says what happened and what helps.
#[test]
fn every_failure_says_what_helps() {
    let (name, plan) = (ApproverName::parse("ann").unwrap(), PlanId::parse(PLAN).unwrap());
    let all = [
        ApprovalError::NotAnApprover(name.clone()),
        ApprovalError::Removed(name.clone()),
        ApprovalError::BadSignature(name),
        ApprovalError::WrongVerb,
        ApprovalError::WrongProject,
        ApprovalError::WrongPlan(plan),
        ApprovalError::WrongHash,
        ApprovalError::WrongSubject,
        ApprovalError::Expired(NOW),
        ApprovalError::FromTheFuture(NOW),
        ApprovalError::NotCanonical,
    ];
    let said = all.iter().map(|error| format!("{error}: {}", error.hint().worded(|remedy| format!("{remedy:?}"))));
    insta::assert_snapshot!(said.collect::<Vec<_>>().join("\n"));
}

#[test]
fn keys_and_signatures_are_shown_whole_where_code_is_debugged() {
    let key = approver("ann", &SigningKey::from_bytes(&[1; 32])).public_key;
    let signature = Signature::from_bytes([7; 64]);
    assert_eq!((format!("{key:?}"), format!("{signature:?}")), (key.to_string(), signature.to_string()));
}

#[test]
fn a_signature_over_one_kind_of_statement_is_none_over_the_other() {
    let world = world();
    let approval = world.statement(Verb::Approve).signing_bytes().unwrap();
    let ann = ApproverName::parse("ann").unwrap();
    let (verb, subject) = (SettingVerb::ProfileSet, Digest::of(b"x"));
    let setting = SettingStatement::new(verb, None, subject, ann, NOW, NOW.plus_seconds(60)).signing_bytes().unwrap();
    assert!(approval.starts_with(b"exacta.approval/1\0") && setting.starts_with(b"exacta.setting/1\0"));
}

/// The example in the documents, byte for byte: whoever checks a decision with another program goes by it.
#[test]
fn the_documented_example_is_what_is_signed() {
    let document = include_str!("../../../../docs/approvers.md");
    let after = |mark: &str| document.split_once(mark).map(|(_, rest)| rest).unwrap();
    let line = after("```json\n").lines().next().unwrap();
    let statement: Statement = serde_json::from_str(line).unwrap();
    let bytes = statement.signing_bytes().unwrap();
    assert_eq!(bytes, [b"exacta.approval/1\0", line.as_bytes()].concat());
    assert!(document.contains(&format!("The signed bytes are {}:", bytes.len())));
    let mut shown = after("to compare, and the signature:\n\n```text\n").lines();
    assert_eq!(shown.next(), Some(Digest::of(&bytes).to_string().as_str()));
    let signature = shown.take(2).collect::<Vec<_>>().concat();
    let key = SigningKey::from_bytes(&[1; 32]);
    assert_eq!(Signature::from_bytes(key.sign(&bytes).to_bytes()).to_string(), signature);
    let listed = approver("ann", &key).public_key;
    assert!(document.contains(&format!("```text\n{listed}\n```")));
    assert!(listed.verifies(&bytes, &Signature::parse(&signature).unwrap()));
    for name in ["schema", "verb", "project", "plan_id", "plan_hash", "approver", "at", "expires_at"] {
        assert!(document.contains(&format!("\n| `{name}` |")), "{name} is not described");
    }
    assert_eq!(serde_json::from_str::<Value>(line).unwrap().as_object().unwrap().len(), 8);
}
