//! A plan, what it was made against, and what there is when it is looked at again. Cases change either before they look.

use ed25519_dalek::{Signer as _, SigningKey};
use exacta_kernel::approval::{
    self, Approver, ApproverName, Demand, NoApproval, PublicKey, Signature, SignedStatement, Statement,
    VerifiedApproval,
};
use exacta_kernel::assess::assess;
use exacta_kernel::binding::{
    Adoption, Authority, Binding, BoundAutopilot, BoundSite, Identity, Limits, ModelIdentity, Proposer, ProviderClass,
};
use exacta_kernel::check::{Allowed, Context, ValidPlan, check};
use exacta_kernel::drift::Present;
use exacta_kernel::facts::{Facts, FileContent, FileState, Obstacle, Target, TargetFact};
use exacta_kernel::gate::{self, Circumstances, Decision};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, ProjectId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{Recorded, current_hash};
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::seal::seal;
use exacta_kernel::time::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;

pub const PLAN: &str = "019a2f3e-7c1d-7e2a-9b4f-0123456789ab";
pub const OTHER: &str = "019a2f3e-7c1d-7e2a-9b4f-000000000000";
/// When the plan was made.
pub const MADE: Timestamp = Timestamp::from_millis(1_794_000_000_000);
/// How long it may wait, in seconds.
pub const TIME_TO_LIVE: u64 = 1800;

/// Everything that [`exacta_kernel::permit::permit`] looks at.
pub struct Scene {
    pub project: ProjectId,
    pub identity: Identity,
    pub plan: ValidPlan,
    /// The plan's hash when it was made.
    pub made_hash: Digest,
    pub facts: Facts,
    pub authority: Authority,
    pub config_sha256: Digest,
    pub session_alive: bool,
    pub model: Option<ModelIdentity>,
    /// What the plan's autopilot allows, by hash; none where it has none, or it is gone.
    pub autopilot: Option<Digest>,
    /// The site and skill of the plan.
    pub site: Option<BoundSite>,
    pub now: Timestamp,
    pub approvers: Vec<Approver>,
    pub safety: String,
}

impl Scene {
    /// A plan of two files in DEV, made by a declared model, a minute ago; nothing has changed since.
    pub fn new() -> Self {
        let authority = authority(Profile::Dev, Profile::Dev, "1");
        let facts = facts_now(&json!({}));
        let plan = valid(&proposal(), &facts);
        let identity = Identity {
            plan_id: PlanId::parse(PLAN).unwrap(),
            correlation_id: CorrelationId::parse(OTHER).unwrap(),
            version: 1,
            derived_from: None,
            partial_of: Vec::new(),
            edited_from: None,
            created_at: MADE,
            expires_at: MADE.plus_seconds(TIME_TO_LIVE),
            binding: Binding {
                autopilot: None,
                site: None,
                proposer: Proposer { credential: "cli:1000".to_owned(), model: Some(model(&json!({}))), client: None },
                request_sha256: Digest::of(b"request"),
                constraints: Vec::new(),
                authority: authority.clone(),
                config_sha256: Digest::of(b"configuration"),
                session: SessionId::parse(OTHER).unwrap(),
                targets: plan.plan().expected_states(),
                adopts: None,
                asked: None,
            },
        };
        let made_hash = identity.plan_hash(plan.plan().content_hash()).unwrap();
        Self {
            project: ProjectId::parse(OTHER).unwrap(),
            identity,
            plan,
            made_hash,
            facts,
            authority,
            config_sha256: Digest::of(b"configuration"),
            session_alive: true,
            model: Some(model(&json!({}))),
            autopilot: None,
            site: None,
            now: MADE.plus_seconds(60),
            approvers: vec![approver("ann", 1), approver("ben", 2)],
            safety: String::new(),
        }
    }

    /// Binds the plan to an autopilot, as it is now.
    pub fn made_for_autopilot(&mut self) {
        let sha256 = Digest::of(b"prices");
        self.identity.binding.autopilot = Some(BoundAutopilot {
            name: "prices".to_owned(),
            sha256,
            occasion: None,
            hosts: ["example.com".to_owned()].into(),
            recipients: [].into(),
            primitives: ["read_web".to_owned()].into(),
        });
        self.autopilot = Some(sha256);
    }

    /// Binds the plan to a site and a skill, as they are now.
    pub fn made_for_site(&mut self) {
        let bound = bound_site(&json!({}));
        self.identity.binding.site = Some(bound.clone());
        self.site = Some(bound);
    }

    /// The same change, lying in the work tree already and to be adopted.
    pub fn adopting() -> Self {
        let there =
            json!({ "a.txt": { "text": "one\ntwo\n", "mode": "664" }, "b.txt": { "text": "two follows one\n" } });
        let mut facts = facts_now(&there);
        let one = Arc::new(FileContent::new(b"one\n".to_vec(), 0o644));
        let base = [("a.txt", Some(one)), ("b.txt", None)];
        facts.set_base(base.map(|(path, content)| (RelPath::parse(path).unwrap(), content)).into());
        let mut scene = Self::new();
        scene.plan = valid(&proposal(), &facts);
        let binding = &mut scene.identity.binding;
        binding.targets = scene.plan.plan().expected_states();
        let state =
            |(path, content): (&RelPath, &Option<Arc<FileContent>>)| (path.clone(), FileState::of(content.as_deref()));
        let base = facts.base().unwrap().iter().map(state).collect();
        binding.adopts = Some(Adoption { head: Some("a".repeat(40)), base });
        scene.made_hash = scene.identity.plan_hash(scene.plan.plan().content_hash()).unwrap();
        scene.facts = facts;
        scene
    }

    /// Changes the world as a case says.
    pub fn change(&mut self, now: &Value) {
        if let Some(seconds) = now["seconds"].as_i64() {
            self.now = Timestamp::from_millis(MADE.as_millis() + seconds * 1000);
        }
        if let Some(millis) = now["millis"].as_i64() {
            self.now = Timestamp::from_millis(MADE.as_millis() + millis);
        }
        if now["session"] == "ended" {
            self.session_alive = false;
        }
        if now["configuration"] == "changed" {
            self.config_sha256 = Digest::of(b"another configuration");
        }
        match &now["model"] {
            Value::Null => {}
            Value::String(none) => {
                assert_eq!(none, "none");
                self.model = None;
            }
            changed => self.model = Some(model(changed)),
        }
        match &now["autopilot"] {
            Value::Null => {}
            gone if gone == "gone" => self.autopilot = None,
            changed => self.autopilot = Some(Digest::of(changed.as_str().unwrap().as_bytes())),
        }
        match &now["site"] {
            Value::Null => {}
            gone if gone == "gone" => self.site = None,
            changed => self.site = Some(bound_site(changed)),
        }
        if now["targets"].is_object() {
            self.facts = facts_now(&now["targets"]);
        }
        let word = |key: &str| now[key].as_str();
        let profile = |key: &str, default| word(key).map_or(default, profile);
        if let Some(text) = word("safety") {
            text.clone_into(&mut self.safety);
        }
        self.authority = Authority {
            policy_version: word("policy_version").unwrap_or("1").to_owned(),
            policy_sha256: Digest::of(word("policy").unwrap_or("policy").as_bytes()),
            profile: profile("profile", Profile::Dev),
            ceiling: profile("ceiling", Profile::Dev),
        };
    }

    pub fn present(&self) -> Present<'_> {
        Present {
            autopilot: self.autopilot,
            site: self.site.as_ref(),
            authority: &self.authority,
            config_sha256: self.config_sha256,
            session_alive: self.session_alive,
            model: self.model.as_ref(),
            facts: &self.facts,
            now: self.now,
        }
    }

    /// What the gates say of the plan in this world.
    pub fn decision(&self) -> Decision {
        let ceiling = format!("ceiling = '{}'\n{}", self.authority.ceiling.name(), self.safety);
        let safety = SafetyPolicy::parse(&ceiling, "safety-policy.toml").unwrap();
        let project = ProjectConfig::parse("", "config.toml").unwrap();
        let policy = Policy::combine(safety, project, self.authority.profile).unwrap();
        let circumstances =
            Circumstances { has_build_command: true, checks_off: false, made: None, connected: false, oversize: None };
        gate::decide(assess(self.plan.clone(), &self.facts), &policy, &circumstances)
    }

    /// The plan as the record has it, with this status.
    pub fn recorded(&self, status: Status) -> Recorded<'_> {
        Recorded { project: &self.project, identity: &self.identity, plan_hash: self.made_hash, status }
    }

    /// The approval among these that counts for the plan as it is now.
    pub fn approval(&self, stored: &[SignedStatement]) -> Result<VerifiedApproval, NoApproval> {
        let content = self.plan.plan().content_hash();
        let plan_hash = current_hash(&self.identity, &self.present(), content).unwrap();
        let demand = Demand { project: &self.project, plan_id: &self.identity.plan_id, plan_hash, now: self.now };
        approval::find(stored, &self.approvers, &demand)
    }

    /// A decision signed as a case says.
    pub fn signed(&self, case: &Value) -> SignedStatement {
        let word = |key: &str, default: &'static str| case[key].as_str().unwrap_or(default).to_owned();
        let verb = serde_json::from_value(json!(word("verb", "approve"))).unwrap();
        let hash = match word("hash", "made").as_str() {
            "made" => self.made_hash,
            "current" => current_hash(&self.identity, &self.present(), self.plan.plan().content_hash()).unwrap(),
            other => Digest::of(other.as_bytes()),
        };
        let at = self.now.as_millis() + case["at"].as_i64().unwrap_or(-10) * 1000;
        let until = self.now.as_millis() + case["until"].as_i64().unwrap_or(600) * 1000;
        let statement = Statement::new(
            verb,
            ProjectId::parse(&word("project", OTHER)).unwrap(),
            PlanId::parse(&word("plan", PLAN)).unwrap(),
            hash,
            ApproverName::parse(&word("by", "ann")).unwrap(),
            Timestamp::from_millis(at),
            Timestamp::from_millis(until),
        );
        sign(statement, case["key"].as_u64().unwrap_or(1) as u8)
    }
}

pub fn sign(statement: Statement, key: u8) -> SignedStatement {
    let signature = SigningKey::from_bytes(&[key; 32]).sign(&statement.signing_bytes().unwrap());
    statement.with_signature(Signature::from_bytes(signature.to_bytes()))
}

pub fn approver(name: &str, key: u8) -> Approver {
    let public = SigningKey::from_bytes(&[key; 32]).verifying_key();
    Approver {
        name: ApproverName::parse(name).unwrap(),
        public_key: PublicKey::from_bytes(public.to_bytes()).unwrap(),
        added_at: MADE,
        removed_at: None,
    }
}

pub fn run_id() -> RunId {
    RunId::parse("019a2f3e-7c1d-7e2a-9b4f-aaaaaaaaaaaa").unwrap()
}

/// Changes `a.txt` and creates `b.txt`.
pub fn proposal() -> Value {
    json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "FixBug", "text": "count the second line of a.txt and explain it in b.txt" },
        "steps": [
            { "id": "s1", "order": 1, "type": "file_modify", "target": "a.txt", "dependencies": [],
              "description": "count the second line", "content": "one\ntwo\n" },
            { "id": "s2", "order": 2, "type": "file_create", "target": "b.txt", "dependencies": ["s1"],
              "description": "explain the second line", "content": "two follows one\n" },
        ],
    })
}

pub fn valid(proposal: &Value, facts: &Facts) -> ValidPlan {
    let plan = seal(parse(proposal.to_string().as_bytes()).unwrap(), facts).unwrap();
    let allowed = Allowed { standing: None, hosts: ["example.com".to_owned()].into(), ..Allowed::default() };
    let context = Context { facts, caps: &Caps::default(), constraints: &[], allowed: &allowed, generated: false };
    check(plan, &context).unwrap_or_else(|invalid| panic!("{:#?}", invalid.findings))
}

/// What is at the targets: `a.txt` and `b.txt` as they were, but for what a case says.
fn facts_now(changed: &Value) -> Facts {
    let mut facts = Facts::new();
    for (path, default) in [("a.txt", json!({ "text": "one\n" })), ("b.txt", json!("absent"))] {
        let state = changed.get(path).unwrap_or(&default);
        if state != "unknown" {
            facts.insert(
                RelPath::parse(path).unwrap(),
                TargetFact { target: target(state), lookalikes: Vec::new(), folds: false },
            );
        }
    }
    facts
}

fn target(state: &Value) -> Target {
    let on_the_way = |by| Target::Blocked { at: RelPath::parse("a").unwrap().to_string(), by };
    match state.as_str() {
        Some("absent") => Target::Absent,
        Some("symlink") => Target::Symlink,
        Some("folder") => Target::Directory { files: None },
        Some("special") => Target::Special,
        Some("unreadable") => Target::Unreadable { reason: "permission denied".to_owned() },
        Some("too large") => Target::TooLarge { size: 1 << 30 },
        Some("behind a link") => on_the_way(Obstacle::Symlink),
        Some("behind a file") => on_the_way(Obstacle::NotAFolder),
        Some("behind a mount") => on_the_way(Obstacle::Mount),
        Some(other) => panic!("{other}"),
        None => {
            let mode = u32::from_str_radix(state["mode"].as_str().unwrap_or("644"), 8).unwrap();
            let text = state["text"].as_str().unwrap_or("one\n");
            Target::File(Arc::new(FileContent::new(text.as_bytes().to_vec(), mode)))
        }
    }
}

/// The model of the plan, but for what a case says.
pub fn model(changed: &Value) -> ModelIdentity {
    let word = |key: &str, default: &str| changed[key].as_str().unwrap_or(default).to_owned();
    ModelIdentity {
        provider: word("provider", "anthropic"),
        model: word("model", "sonnet"),
        version: Some(word("version", "1")).filter(|version| version != "none"),
        local_sha256: changed["weights"].as_str().map(|weights| Digest::of(weights.as_bytes())),
        capabilities: changed["capability"].as_str().into_iter().map(ToOwned::to_owned).collect(),
        limits: Limits { context: changed["context"].as_u64(), ..Limits::default() },
        class: match word("class", "trusted").as_str() {
            "local" => ProviderClass::LocalOnly,
            "trusted" => ProviderClass::TrustedCloud,
            _ => ProviderClass::UntrustedCloud,
        },
    }
}

/// The site and skill of the plan, but for what a case says.
fn bound_site(changed: &Value) -> BoundSite {
    let hash = |key: &str| Digest::of(changed[key].as_str().unwrap_or(key).as_bytes());
    BoundSite {
        name: "blog".to_owned(),
        setup_sha256: hash("setup"),
        manifest_sha256: hash("manifest"),
        skill_id: "wp.pages.write".to_owned(),
        skill_sha256: hash("skill"),
    }
}

pub fn authority(profile: Profile, ceiling: Profile, version: &str) -> Authority {
    Authority { policy_version: version.to_owned(), policy_sha256: Digest::of(b"policy"), profile, ceiling }
}

fn profile(name: &str) -> Profile {
    Profile::ALL.into_iter().find(|profile| profile.name() == name).unwrap()
}
