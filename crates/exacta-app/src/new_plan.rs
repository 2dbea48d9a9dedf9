//! What was judged becomes a plan of the record, with the entries that tell how it came to be; or a refusal, of which no text is kept.

use crate::app::App;
use crate::clock::{new_id, now};
use crate::entry::{data, reason, word};
use crate::error::{Error, Exit};
use crate::in_force::InForce;
use crate::lineage::For;
use crate::lineage::Lineage;
use crate::pipeline::Evaluation;
use crate::view::{self, Registered};
use exacta_home::DeclaredIdentity;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::binding::{Binding, BoundAutopilot, Identity, ModelIdentity, Proposer};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::{Verdict, Verdicts};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::Refusal;
use exacta_kernel::plan::Plan;
use exacta_kernel::proposal::{Constraint, ModelClaim};
use exacta_kernel::secret;
use exacta_record::{NewPlan, RecordError};
use exacta_view::PlanView;
use serde_json::{Value, json};

/// The most bytes that what is shown of a plan may have: what is written of it for people to read can then be read back.
const MOST_SHOWN: usize = 100 << 20;

impl App {
    /// Records a text that is not a proposal: its codes and its hash, never the text.
    pub(crate) fn refuse(
        &mut self,
        text_sha256: Digest,
        evaluation: &Evaluation,
        lineage: &Lineage,
    ) -> Result<PlanView, Error> {
        let view = view::of(evaluation, None)?;
        let codes: Vec<&str> = view.findings.iter().map(|finding| finding.code.as_str()).collect();
        let mut entry =
            EntryDraft::new(Event::ProposalRefused, self.actor(), format!("not a proposal: {}", codes.join(", ")));
        entry.correlation_id = Some(lineage.correlation_id.clone());
        entry.decision = Some("deny".to_owned());
        entry.data = data(json!({ "codes": codes, "text_sha256": text_sha256 }));
        self.store.record(&[entry], now())?;
        Ok(view)
    }

    pub(crate) fn new_identity(
        &self,
        plan: &Plan,
        constraints: &[Constraint],
        in_force: &InForce,
        lineage: &Lineage,
    ) -> Result<Identity, Error> {
        let proposal = plan.proposal();
        let maker = lineage.maker.as_ref();
        let claimed = || proposal.model.as_ref().map(ModelIdentity::claimed);
        let model = maker.map_or_else(claimed, |maker| Some(maker.model.clone()));
        let request_sha256 = maker.map(|maker| maker.request_sha256);
        let created_at = now();
        Ok(Identity {
            plan_id: new_id(PlanId::parse)?,
            correlation_id: lineage.correlation_id.clone(),
            version: lineage.version,
            derived_from: lineage.derived_from.clone(),
            partial_of: lineage.partial_of.clone(),
            edited_from: lineage.edited_from.clone(),
            created_at,
            expires_at: created_at.plus_seconds(in_force.policy.caps().expiry_seconds),
            binding: Binding {
                proposer: Proposer {
                    credential: lineage.proposer.clone().unwrap_or_else(|| self.credential()),
                    model,
                    client: lineage.client.clone(),
                },
                request_sha256: request_sha256.unwrap_or_else(|| Digest::of(proposal.intent.text.as_bytes())),
                constraints: constraints.to_vec(),
                authority: in_force.authority(),
                config_sha256: in_force.config_sha256(),
                session: self.session()?,
                targets: plan.expected_states(),
                asked: maker.map(|maker| maker.asked.clone()),
                autopilot: lineage.autopilot.as_ref().map(|made_for| bound(made_for, plan)),
                site: lineage.site.as_ref().map(|site| site.bound.clone()),
                adopts: lineage.head.as_ref().map(|head| head.of(plan)),
            },
        })
    }

    /// Remembers what the credential said it is in a plan that was accepted; its plans are compared with that when they are
    /// executed. Nothing of a denied one is remembered.
    pub(crate) fn declare(&self, model: Option<&ModelClaim>, identity: &Identity) -> Result<(), Error> {
        let Some(model) = model.cloned() else { return Ok(()) };
        let declared = DeclaredIdentity { model: Some(model), at: identity.created_at };
        let credential = &identity.binding.proposer.credential;
        Ok(self.home.set_declared_identity(&self.project.id, credential, &declared)?)
    }

    /// Stores a plan. Of one that adds a certain secret no text is kept: places alone.
    pub(crate) fn keep(
        &mut self,
        text: Option<&[u8]>,
        evaluation: &Evaluation,
        identity: &Identity,
        lineage: Lineage,
    ) -> Result<PlanView, Error> {
        let Some(plan) = evaluation.plan() else { return Ok(view::of(evaluation, None)?) };
        let status = match evaluation.verdicts().verdict() {
            // A part of a plan, and an edited one, is always shown for its own approval.
            Verdict::Allow if lineage.derived_from.is_some() || lineage.edited_from.is_some() => Status::Pending,
            Verdict::Allow => Status::AutoApproved,
            Verdict::Confirm => Status::Pending,
            Verdict::Deny => Status::Rejected,
        };
        let plan_hash = identity.plan_hash(plan.content_hash())?;
        let mut view = view::of(evaluation, Some(Registered { identity, plan_hash, status }))?;
        if !is_readable(&view)? {
            let refusal = too_large_to_show(plan.content_hash());
            return self.refuse(refusal.text_sha256, &Evaluation::refused(refusal, text.unwrap_or_default()), &lineage);
        }
        let mut bound = serde_json::to_value(identity)?;
        if text.is_none() {
            view = serde_json::from_value(masked(serde_json::to_value(&view)?))?;
            // What the agent says it is are its words, too.
            if let Some(model) = bound.pointer_mut("/binding/proposer/model") {
                *model = Value::Null;
            }
            bound = masked(bound);
        }
        let new = NewPlan {
            id: identity.plan_id.clone(),
            correlation_id: identity.correlation_id.clone(),
            version: identity.version,
            status,
            created_at: identity.created_at,
            expires_at: identity.expires_at,
            session: identity.binding.session.clone(),
            plan_hash,
            content_hash: plan.content_hash(),
            identity: bound,
            proposal: text.map(<[u8]>::to_vec),
            view: without_status(serde_json::to_value(view.kept())?),
            summary: summary(&view),
            derived_from: lineage.derived_from.clone(),
            // A person's edit that is denied costs nobody the plan that was edited.
            revises: lineage.revises.clone().filter(|_| lineage.edited_from.is_none() || status != Status::Rejected),
        };
        let mut entries = self.birth(&new, &view, evaluation.verdicts());
        if text.is_none() {
            entries.iter_mut().for_each(|entry| entry.reason = secret::mask(&entry.reason).into_owned());
        }
        match (self.store.insert_plan(&new, &entries, identity.created_at), &new.revises) {
            (Err(RecordError::NotATransition { from, .. }), Some(old)) => Err(not_revisable(old, from)),
            (stored, _) => Ok(stored.map(|()| self.named(view))?),
        }
    }

    /// The entries that tell how a plan came to be and what was decided.
    fn birth(&self, new: &NewPlan, view: &PlanView, verdicts: &Verdicts) -> Vec<EntryDraft> {
        let entry = |event: Event, actor: Actor, reason: &str| EntryDraft {
            risk_score: view.risk.as_ref().map(|risk| risk.score),
            quality_score: view.quality.as_ref().map(|quality| quality.score),
            decision: Some(word(verdicts.verdict()).to_owned()),
            ..EntryDraft::new(event, actor, reason).about(&new.correlation_id, &new.id)
        };
        let why = reason(verdicts);
        let mut created = entry(Event::PlanCreated, self.actor(), "a proposal was submitted");
        created.data = data(json!({
            "plan_hash": new.plan_hash, "content_hash": new.content_hash, "version": new.version,
            "derived_from": new.derived_from, "revises": new.revises, "targets": view.target_files,
        }));
        if let Some(parts) = new.identity.pointer("/partial_of") {
            created.data.insert("partial_of".to_owned(), parts.clone());
        }
        if let Some(adopts) = new.identity.pointer("/binding/adopts") {
            created.data.insert("adopts".to_owned(), adopts.clone());
        }
        if let Some(asked) = new.identity.pointer("/binding/asked").filter(|asked| !asked.is_null()) {
            created.data.insert("asked".to_owned(), asked.clone());
            let of = |pointer: &str| new.identity.pointer(pointer).cloned().unwrap_or_default();
            created.data.insert("model".to_owned(), of("/binding/proposer/model"));
            created.data.insert("session".to_owned(), of("/binding/session"));
        }
        let mut entries = vec![created, entry(Event::PlanEvaluated, Actor::Policy, &why)];
        match new.status {
            Status::AutoApproved => entries.push(entry(Event::PlanApproved, Actor::Policy, &why)),
            Status::Rejected => entries.push(entry(Event::PlanRejected, Actor::Policy, &why)),
            _ => {}
        }
        entries
    }
}

/// What a plan is bound to that is made for an autopilot: its own steps say which primitives are performed.
fn bound(made_for: &For, plan: &Plan) -> BoundAutopilot {
    let steps = plan.proposal().steps.iter().map(|step| step.action.name().to_owned());
    let domains = made_for.allowed.standing.iter().flat_map(|standing| &standing.domains);
    BoundAutopilot {
        name: made_for.name.clone(),
        sha256: made_for.sha256,
        occasion: made_for.occasion.clone(),
        hosts: made_for.allowed.hosts.clone(),
        recipients: made_for.allowed.recipients.iter().chain(domains).cloned().collect(),
        primitives: steps.collect(),
    }
}

/// A view as it is stored: where the plan stands is kept beside it, and changes.
fn without_status(mut view: Value) -> Value {
    if let Value::Object(fields) = &mut view {
        fields.remove("status");
    }
    view
}

/// What a list shows of a plan.
fn summary(view: &PlanView) -> Value {
    let detail = view.detail.as_ref();
    json!({
        "intent": detail.map(|detail| &detail.intent),
        "text": detail.map(|detail| exacta_kernel::text::excerpt(&detail.intent_text, 120)),
        "steps": detail.map_or(0, |detail| detail.steps.len()),
        "files": view.target_files.len(),
        "decision": view.decision,
        "risk_score": view.risk.as_ref().map(|risk| risk.score),
        "quality_score": view.quality.as_ref().map(|quality| quality.score),
        "system_level": view.system_level,
        "by": detail.and_then(|detail| detail.by.as_ref()),
    })
}

/// A value without any secret, in keys and strings.
fn masked(value: Value) -> Value {
    let mask = |text: String| secret::mask(&text).into_owned();
    match value {
        Value::String(text) => Value::String(mask(text)),
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (mask(key), masked(value))).collect(),
        other => other,
    }
}

/// Whether what is shown of a plan can be stored and read back.
fn is_readable(view: &PlanView) -> Result<bool, Error> {
    let shown = view.detail.iter().flat_map(|detail| &detail.steps).filter_map(|step| step.diff.as_ref());
    // Written as JSON a byte takes six at most, so that most plans need not be written to be measured.
    if shown.map(String::len).sum::<usize>() < MOST_SHOWN / 8 {
        return Ok(true);
    }
    Ok(serde_json::to_vec(view)?.len() <= MOST_SHOWN)
}

fn too_large_to_show(content: Digest) -> Refusal {
    let message = format!("what is shown of the plan would have more than {MOST_SHOWN} bytes");
    let finding = Finding::new(Code::TooLarge, message, "split the work into several plans");
    Refusal { findings: vec![finding], text_sha256: content }
}

/// Only a pending plan waits for another version.
pub(crate) fn not_revisable(id: &PlanId, status: Status) -> Error {
    let message = format!("plan `{id}` is {status}: only a pending plan can be revised");
    Error::new(Exit::Drifted, "wrong_status", message).hint("submit it as a new plan")
}
