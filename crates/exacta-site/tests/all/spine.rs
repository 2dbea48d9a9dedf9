//! From steps to a permit, through every stage of the kernel: there is no other way to one.

use ed25519_dalek::{Signer as _, SigningKey};
use exacta_kernel::approval::{self, Approver, ApproverName, Demand, PublicKey, Signature, Statement};
use exacta_kernel::assess::assess;
use exacta_kernel::binding::{Authority, Binding, Identity, Proposer};
use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::drift::Present;
use exacta_kernel::effect;
use exacta_kernel::facts::Facts;
use exacta_kernel::gate::{self, Circumstances};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, ProjectId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::parse;
use exacta_kernel::permit::{Completed, Permit, Recorded, Transition, current_hash, permit, permit_undo_of_effects};
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::seal::seal;
use exacta_kernel::time::Timestamp;
use serde_json::{Value, json};

const SKILL: &str = "wp.pages.write";
const NOW: Timestamp = Timestamp::from_millis(1_794_000_000_000);

/// An id by its number.
pub fn id(number: u32) -> String {
    format!("019a2f3e-7c1d-7e2a-9b4f-{number:012x}")
}

pub fn run_id(number: u32) -> RunId {
    RunId::parse(&id(number)).unwrap()
}

/// One call of a tool, as a step.
pub fn step(number: usize, tool: &str, arguments: &Value) -> Value {
    json!({
        "id": format!("s{number}"), "order": number, "type": "tool_call", "target": "blog", "tool": tool, "arguments": arguments,
        "description": format!("call {tool} on the site blog for page number {number} so that it says what was agreed"),
        "dependencies": [],
    })
}

/// A permit for these steps, approved by a person.
pub fn permitted(steps: &[Value], run: u32) -> Permit {
    let plan = valid(steps);
    let facts = Facts::new();
    let authority = Authority {
        policy_version: "1".to_owned(),
        policy_sha256: Digest::of(b"policy"),
        profile: Profile::Safe,
        ceiling: Profile::Dev,
    };
    let project = ProjectId::parse(&id(1)).unwrap();
    let identity = Identity {
        plan_id: PlanId::parse(&id(2)).unwrap(),
        correlation_id: CorrelationId::parse(&id(3)).unwrap(),
        version: 1,
        derived_from: None,
        partial_of: Vec::new(),
        edited_from: None,
        created_at: NOW,
        expires_at: NOW.plus_seconds(1800),
        binding: Binding {
            autopilot: None,
            site: None,
            proposer: Proposer { credential: "cli:1000".to_owned(), model: None, client: None },
            request_sha256: Digest::of(b"request"),
            constraints: Vec::new(),
            authority: authority.clone(),
            config_sha256: Digest::of(b"configuration"),
            session: SessionId::parse(&id(4)).unwrap(),
            targets: plan.plan().expected_states(),
            adopts: None,
            asked: None,
        },
    };
    let content = plan.plan().content_hash();
    let plan_hash = identity.plan_hash(content).unwrap();
    let present = Present {
        authority: &authority,
        config_sha256: Digest::of(b"configuration"),
        session_alive: true,
        autopilot: None,
        site: None,
        model: None,
        facts: &facts,
        now: NOW,
    };
    let hash = current_hash(&identity, &present, content).unwrap();
    let approval = approved(&project, &identity.plan_id, hash, "approve");
    let safety = SafetyPolicy::parse("ceiling = 'DEV'\n", "safety-policy.toml").unwrap();
    let policy = Policy::combine(safety, ProjectConfig::parse("", "config.toml").unwrap(), Profile::Safe).unwrap();
    let circumstances =
        Circumstances { connected: false, has_build_command: false, checks_off: false, made: None, oversize: None };
    let decision = gate::decide(assess(plan, &facts), &policy, &circumstances);
    let recorded = Recorded { project: &project, identity: &identity, plan_hash, status: Status::UserApproved };
    permit(&recorded, decision, Ok(approval), present, run_id(run)).unwrap()
}

/// A permit to undo what these steps did in a run.
pub fn undo(steps: &[Value], of: u32, run: u32) -> Permit {
    let plan = valid(steps);
    let effects = effect::of_plan(plan.plan(), &run_id(of)).unwrap();
    let completed = Completed {
        run_id: run_id(of),
        plan_id: PlanId::parse(&id(2)).unwrap(),
        correlation_id: CorrelationId::parse(&id(3)).unwrap(),
        changes: effects.iter().map(Transition::of).collect(),
    };
    let project = ProjectId::parse(&id(1)).unwrap();
    let approval = approved(&project, &completed.plan_id, completed.undo_hash().unwrap(), "approve");
    permit_undo_of_effects(&completed, effects, approval, &project, NOW, run_id(run)).unwrap()
}

fn valid(steps: &[Value]) -> exacta_kernel::check::ValidPlan {
    let text = "write the pages about the product that were agreed on, with their titles and content";
    let proposal = json!({ "schema": "exacta.plan/1", "intent": { "type": SKILL, "text": text }, "steps": steps });
    let facts = Facts::new();
    let plan = seal(parse(proposal.to_string().as_bytes()).unwrap(), &facts).unwrap();
    let tools: std::collections::BTreeSet<String> =
        exacta_kernel::action::tool::Tool::names().into_iter().map(ToOwned::to_owned).collect();
    let allowed = Allowed {
        sites: [("blog".to_owned(), tools.clone())].into(),
        skills: [(SKILL.to_owned(), tools.into())].into(),
        ..Allowed::default()
    };
    let context =
        Context { facts: &facts, caps: &Caps::default(), constraints: &[], allowed: &allowed, generated: false };
    check(plan, &context).unwrap_or_else(|invalid| panic!("{:#?}", invalid.findings))
}

fn approved(project: &ProjectId, plan: &PlanId, hash: Digest, verb: &str) -> approval::VerifiedApproval {
    let key = SigningKey::from_bytes(&[7; 32]);
    let name = ApproverName::parse("ann").unwrap();
    let public_key = PublicKey::from_bytes(key.verifying_key().to_bytes()).unwrap();
    let approver = Approver { name: name.clone(), public_key, added_at: NOW, removed_at: None };
    let verb = serde_json::from_value(json!(verb)).unwrap();
    let statement = Statement::new(verb, project.clone(), plan.clone(), hash, name, NOW, NOW.plus_seconds(600));
    let signature = key.sign(&statement.signing_bytes().unwrap());
    let signed = statement.with_signature(Signature::from_bytes(signature.to_bytes()));
    let demand = Demand { project, plan_id: plan, plan_hash: hash, now: NOW };
    approval::find(&[signed], &[approver], &demand).unwrap()
}
