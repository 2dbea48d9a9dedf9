//! Very many plans in a store, as authentic as any: they are copies of one that was submitted, each with an id, an operation
//! and a hash of its own, entered through the store itself, but thousands in one change.

use exacta_home::{Home, LogKey};
use exacta_kernel::approval::{PublicKey, Signature};
use exacta_kernel::audit::{Actor, EntryDraft, Event, SignedCheckpoint};
use exacta_kernel::binding::Identity;
use exacta_kernel::id::{CorrelationId, PlanId, ProjectId};
use exacta_record::{CheckpointSigner, Hold, NewPlan, Pin, PlanRecord, Record, SignerError, Staged};
use serde_json::{Value, json};
use std::path::Path;

/// How many plans go into one change.
const AT_ONCE: usize = 2_000;

/// Copies a plan so many times.
pub fn fill(project: &Path, home: &Path, id: &str, count: usize) {
    let home = Home::at(home).unwrap();
    let project_id = home.project(project).unwrap().unwrap().id;
    let signer = Box::new(Signer { key: home.log_key().unwrap(), home, project: project_id.clone() });
    let mut store = Record::open(&project.join(".exacta"), &project_id, signer).unwrap();
    let original = store.plan(&PlanId::parse(id).unwrap()).unwrap().unwrap();
    for first in (0..count).step_by(AT_ONCE) {
        let numbers = first..(first + AT_ONCE).min(count);
        let plans: Vec<NewPlan> = numbers.map(|number| copy(&original, number)).collect();
        let entries: Vec<EntryDraft> = plans.iter().flat_map(birth).collect();
        store.insert(&plans, &entries, original.created_at).unwrap();
    }
}

fn copy(original: &PlanRecord, number: usize) -> NewPlan {
    let uuid = |kind: u32| {
        format!("{:08x}-0000-7000-8000-{number:012x}", (original.created_at.as_millis() >> 16) as u32 ^ kind)
    };
    let identity: Identity = serde_json::from_str(&original.identity).unwrap();
    let identity = Identity {
        plan_id: PlanId::parse(&uuid(0)).unwrap(),
        correlation_id: CorrelationId::parse(&uuid(1)).unwrap(),
        ..identity
    };
    let plan_hash = identity.plan_hash(original.content_hash).unwrap();
    let mut view: Value = serde_json::from_str(&original.view).unwrap();
    view["plan_id"] = json!(identity.plan_id);
    view["plan_hash"] = json!(plan_hash);
    view["detail"]["correlation_id"] = json!(identity.correlation_id);
    NewPlan {
        id: identity.plan_id.clone(),
        correlation_id: identity.correlation_id.clone(),
        version: original.version,
        status: original.status,
        created_at: original.created_at,
        expires_at: original.expires_at,
        session: original.session.clone(),
        plan_hash,
        content_hash: original.content_hash,
        identity: serde_json::to_value(&identity).unwrap(),
        proposal: original.proposal.as_deref().map(<[u8]>::to_vec),
        view,
        summary: original.summary.clone(),
        derived_from: None,
        revises: None,
    }
}

fn birth(plan: &NewPlan) -> [EntryDraft; 2] {
    let entry = |event, actor| EntryDraft::new(event, actor, "a copy").about(&plan.correlation_id, &plan.id);
    [entry(Event::PlanCreated, Actor::System), entry(Event::PlanEvaluated, Actor::Policy)]
}

/// The user's own key and pins, as the program has them.
struct Signer {
    home: Home,
    project: ProjectId,
    key: LogKey,
}

impl CheckpointSigner for Signer {
    fn public_key(&self) -> PublicKey {
        self.key.public_key()
    }

    fn sign(&self, bytes: &[u8]) -> Result<Signature, SignerError> {
        Ok(self.key.sign(bytes))
    }

    fn hold(&self) -> Result<Hold, SignerError> {
        Ok(Box::new(self.home.hold_pin(&self.project).map_err(unusable)?))
    }

    fn pinned(&self) -> Result<Option<Pin>, SignerError> {
        let pin = self.home.pin(&self.project).map_err(unusable)?;
        Ok(pin.map(|pin| Pin { size: pin.size, root: pin.root }))
    }

    fn stage(&self, checkpoint: &SignedCheckpoint, durable: bool) -> Result<Staged, SignerError> {
        let head = checkpoint.checkpoint();
        let pin = exacta_home::Pin { size: head.size, root: head.root, checkpoint: checkpoint.note().to_owned() };
        let staged = self.home.stage_pin(&self.project, &pin, durable).map_err(unusable)?;
        Ok(Box::new(|| staged.put().map_err(unusable)))
    }
}

fn unusable(error: exacta_home::HomeError) -> SignerError {
    SignerError::Pin { why: error.to_string(), hint: error.hint() }
}
