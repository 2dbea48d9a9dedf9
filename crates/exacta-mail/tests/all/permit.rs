//! A permit for a plan of drafts, as the kernel gives it, and an effector that has mail done in the place of each draft: the engine, its journal
//! and mail are as they are; only the names of the acts differ.

use ed25519_dalek::{Signer as _, SigningKey};
use exacta_effect::{Answer, Direction, Effector, Fault, IdempotencyKey, Reversal, Seen, Trace};
use exacta_kernel::approval::{
    self, Approver, ApproverName, Demand, PublicKey, Signature, SignedStatement, Statement, Verb,
};
use exacta_kernel::assess::assess;
use exacta_kernel::binding::{Authority, Binding, Identity, Proposer};
use exacta_kernel::check::{Allowed, Context, ValidPlan, check};
use exacta_kernel::drift::Present;
use exacta_kernel::effect::Effect;
use exacta_kernel::facts::Facts;
use exacta_kernel::gate::{self, Circumstances, Decision};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, ProjectId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::parse;
use exacta_kernel::permit::{Permit, Recorded, permit};
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::seal::seal;
use exacta_kernel::time::Timestamp;
use exacta_mail::MailEffector;
use serde_json::{Value, json};

const ID: &str = "019a2f3e-7c1d-7e2a-9b4f-000000000000";
const MADE: Timestamp = Timestamp::from_millis(1_794_000_000_000);
const DRAFT: &str = "write_outcome_draft";

/// A permit to write drafts of these steps, in this run.
pub fn permitted(steps: &[&str], run: &RunId) -> Permit {
    let plan = plan(steps);
    let authority = Authority {
        policy_version: "1".to_owned(),
        policy_sha256: Digest::of(b"policy"),
        profile: Profile::Dev,
        ceiling: Profile::Dev,
    };
    let binding = Binding {
        autopilot: None,
        site: None,
        proposer: Proposer { credential: "cli:1000".to_owned(), model: None, client: None },
        request_sha256: Digest::of(b"request"),
        constraints: Vec::new(),
        authority: authority.clone(),
        config_sha256: Digest::of(b"configuration"),
        session: SessionId::parse(ID).unwrap(),
        targets: plan.plan().expected_states(),
        adopts: None,
        asked: None,
    };
    let identity = Identity {
        plan_id: PlanId::parse(ID).unwrap(),
        correlation_id: CorrelationId::parse(ID).unwrap(),
        version: 1,
        derived_from: None,
        partial_of: Vec::new(),
        edited_from: None,
        created_at: MADE,
        expires_at: MADE.plus_seconds(1800),
        binding,
    };
    let plan_hash = identity.plan_hash(plan.plan().content_hash()).unwrap();
    let (facts, now, project) = (Facts::new(), MADE.plus_seconds(60), ProjectId::parse(ID).unwrap());
    let present = Present {
        autopilot: None,
        site: None,
        authority: &authority,
        config_sha256: Digest::of(b"configuration"),
        session_alive: true,
        model: None,
        facts: &facts,
        now,
    };
    let key = SigningKey::from_bytes(&[1; 32]);
    let signed = signed(&key, &project, &identity.plan_id, plan_hash);
    let approver = Approver {
        name: ApproverName::parse("ann").unwrap(),
        public_key: PublicKey::from_bytes(key.verifying_key().to_bytes()).unwrap(),
        added_at: MADE,
        removed_at: None,
    };
    let demand = Demand { project: &project, plan_id: &identity.plan_id, plan_hash, now };
    let approval = approval::find(&[signed], &[approver], &demand);
    let recorded = Recorded { project: &project, identity: &identity, plan_hash, status: Status::UserApproved };
    permit(&recorded, decided(plan), approval, present, run.clone()).unwrap()
}

fn signed(key: &SigningKey, project: &ProjectId, plan: &PlanId, hash: Digest) -> SignedStatement {
    let (at, until) = (MADE.plus_seconds(50), MADE.plus_seconds(600));
    let name = ApproverName::parse("ann").unwrap();
    let statement = Statement::new(Verb::Approve, project.clone(), plan.clone(), hash, name, at, until);
    let signature = key.sign(&statement.signing_bytes().unwrap());
    statement.with_signature(Signature::from_bytes(signature.to_bytes()))
}

fn decided(plan: ValidPlan) -> Decision {
    let safety = SafetyPolicy::parse("ceiling = 'DEV'\n", "safety-policy.toml").unwrap();
    let project = ProjectConfig::parse("", "config.toml").unwrap();
    let policy = Policy::combine(safety, project, Profile::Dev).unwrap();
    let circumstances =
        Circumstances { has_build_command: true, checks_off: false, made: None, connected: false, oversize: None };
    gate::decide(assess(plan, &Facts::new()), &policy, &circumstances)
}

fn plan(steps: &[&str]) -> ValidPlan {
    let step = |(index, id): (usize, &&str)| -> Value {
        json!({ "id": id, "order": index + 1, "type": DRAFT, "target": "outcome", "dependencies": [],
                "description": "note which prices changed since the last visit",
                "title": "Prices", "body": format!("The large box costs {index} euros more.") })
    };
    let proposal = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "Custom", "text": "note which prices changed since the last visit" },
        "autopilot": { "recipe": "Custom" },
        "steps": steps.iter().enumerate().map(step).collect::<Vec<_>>(),
    });
    let facts = Facts::new();
    let plan = seal(parse(proposal.to_string().as_bytes()).unwrap(), &facts).unwrap();
    let (allowed, caps) = (Allowed::default(), Caps::default());
    let context = Context { facts: &facts, caps: &caps, constraints: &[], allowed: &allowed, generated: false };
    check(plan, &context).unwrap_or_else(|invalid| panic!("{:#?}", invalid.findings))
}

/// Has mail done in the place of drafts.
pub struct Instead {
    pub mail: MailEffector,
    /// By step.
    pub effects: Vec<Effect>,
}

impl Instead {
    fn mail_of(&self, trace: &Trace) -> Result<(&Effect, Trace), Fault> {
        let effect = self.effects.iter().find(|effect| effect.step() == trace.step);
        let effect = effect.ok_or_else(|| Fault("no such step".to_owned()))?;
        let (act, place, after) = (effect.act().to_owned(), effect.place().clone(), effect.after());
        Ok((effect, Trace { act, place, after, ..trace.clone() }))
    }
}

impl Effector for Instead {
    fn performs(&self, act: &str) -> bool {
        act == DRAFT
    }

    fn reversal(&self, _act: &str) -> Reversal {
        let none = self.effects.iter().any(|effect| self.mail.reversal(effect.act()) == Reversal::None);
        if none { Reversal::None } else { Reversal::Compensated }
    }

    fn look(&self, trace: &Trace) -> Result<Seen, Fault> {
        self.mail.look(&self.mail_of(trace)?.1)
    }

    fn settle(&self, trace: &Trace, tried: Direction, key: &IdempotencyKey) -> Result<Seen, Fault> {
        self.mail.settle(&self.mail_of(trace)?.1, tried, key)
    }

    fn perform(&self, _draft: &Effect, trace: &Trace) -> Answer {
        match self.mail_of(trace) {
            Ok((effect, trace)) => self.mail.perform(effect, &trace),
            Err(fault) => Answer::NotDone(fault),
        }
    }

    fn compensate(&self, trace: &Trace, key: &IdempotencyKey) -> Answer {
        match self.mail_of(trace) {
            Ok((_, trace)) => self.mail.compensate(&trace, key),
            Err(fault) => Answer::NotDone(fault),
        }
    }
}
