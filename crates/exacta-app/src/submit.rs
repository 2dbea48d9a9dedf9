//! A text becomes a stored plan, or a recorded refusal.

use crate::app::{App, Options, unknown_plan};
use crate::autopilot::For;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::current::Surroundings;
use crate::declared::Declared;
use crate::error::{Error, Exit};
use crate::import::{self, Patch};
use crate::in_force::{Folder, InForce};
use crate::pipeline::{self, Basis, Evaluation, Origin};
use crate::site::SiteNow;
use crate::view::{self, Registered};
use exacta_exec::ProjectRoot;
use exacta_home::DeclaredIdentity;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::binding::{Asked, Binding, BoundAutopilot, Identity, ModelIdentity, PartialOf, Proposer};
use exacta_kernel::drift::{self, Answer};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::{Made, Verdict, Verdicts};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::id::{CorrelationId, PlanId};
use exacta_kernel::kept;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::{Refusal, Size};
use exacta_kernel::plan::Plan;
use exacta_kernel::proposal::{Constraint, Domain, ModelClaim};
use exacta_kernel::secret;
use exacta_record::{Change, NewPlan, Outcome, PlanRecord, RecordError, Scores};
use exacta_view::PlanView;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// What comes with a text.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Constraints of the request, beside the proposal's own.
    pub constraints: Vec<Constraint>,
    /// The plan whose request for changes it answers.
    pub revises: Option<PlanId>,
    /// Given where the text is not a proposal but a patch.
    pub patch: Option<Patch>,
    /// What a connected agent says beside it.
    pub declared: Declared,
    /// Given where the text was too large to be read whole.
    pub refused: Option<Refusal>,
}

/// Where a new plan comes from.
#[derive(Debug, Clone)]
pub(crate) struct Lineage {
    pub correlation_id: CorrelationId,
    pub version: u64,
    pub derived_from: Option<PlanId>,
    /// The steps that it has only in part.
    pub partial_of: Vec<PartialOf>,
    pub revises: Option<PlanId>,
    /// The plan that a person edited to make it.
    pub edited_from: Option<PlanId>,
    /// The credential that proposed the plan it is made of; none where it was proposed just now.
    pub proposer: Option<String>,
    /// The program that it was proposed with, as that says.
    pub client: Option<String>,
    /// What it is bound to where a model of ours made it.
    pub maker: Option<Maker>,
    /// The autopilot that it is made for.
    pub autopilot: Option<For>,
    /// The site that it is for, and the skill it was drafted by.
    pub site: Option<SiteNow>,
}

impl Lineage {
    /// Of a text that was proposed just now.
    pub const fn new(correlation_id: CorrelationId, version: u64) -> Self {
        Self {
            correlation_id,
            version,
            derived_from: None,
            partial_of: Vec::new(),
            revises: None,
            edited_from: None,
            proposer: None,
            client: None,
            maker: None,
            autopilot: None,
            site: None,
        }
    }
}

/// The model of ours that made a plan, and how it was asked.
#[derive(Debug, Clone)]
pub(crate) struct Maker {
    pub model: ModelIdentity,
    pub request_sha256: Digest,
    pub asked: Asked,
}

impl Maker {
    /// Of a plan that is stored; none if it came from outside.
    pub fn of(binding: &Binding) -> Option<Self> {
        let (model, asked) = (binding.proposer.model.clone()?, binding.asked.clone()?);
        Some(Self { model, request_sha256: binding.request_sha256, asked })
    }

    /// For the gates.
    pub const fn made(&self) -> Made<'_> {
        Made { asked: &self.asked, class: Some(self.model.class) }
    }
}

/// What would be decided about a text, and why. Reads only; needs nothing but the folder.
///
/// # Errors
/// If the folder or the policy cannot be used. A text that is not a plan is not an error: the view says so.
pub fn check(options: &Options, text: &[u8], request: &Request) -> Result<PlanView, Error> {
    options.authorize(Act::Read)?;
    let folder = Folder::open(options)?;
    let evaluation = evaluate(text, request, folder.basis(&request.constraints))?;
    Ok(view::of(&evaluation, None)?)
}

/// What becomes of a text that is a proposal, or the patch that the request says it is.
pub(crate) fn evaluate(text: &[u8], request: &Request, basis: Basis<'_>) -> Result<Evaluation, Error> {
    match proposal(text, request, basis.root, Size::of(basis.policy.caps())) {
        Ok(text) => Ok(pipeline::evaluate(&text, Origin::Outside, basis)?.0),
        Err(refusal) => Ok(Evaluation::refused(refusal, text)),
    }
}

/// The text of the proposal that was submitted.
fn proposal<'t>(text: &'t [u8], request: &Request, root: &ProjectRoot, size: Size) -> Result<Cow<'t, [u8]>, Refusal> {
    match request.refused.clone().or_else(|| Refusal::of_size(text, size)) {
        Some(refusal) => Err(refusal),
        None => Ok(request.declared.within(import::proposal(text, request.patch.as_ref(), root)?)),
    }
}

impl App {
    /// Evaluates a text and stores what became of it: a pending, approved or rejected plan, or a refusal.
    ///
    /// # Errors
    /// If the policy or the record cannot be used. A text that is not a plan is not an error: the view says so.
    pub fn submit(&mut self, text: &[u8], request: &Request) -> Result<PlanView, Error> {
        self.authorize(Act::Propose)?;
        request.revises.as_ref().map_or(Ok(()), |id| self.authorize_for(Act::Answer, id))?;
        self.safe_on_tampering(|app| {
            let lineage = match &request.revises {
                None => app.new_lineage()?,
                Some(id) => app.next_version(id)?,
            };
            let lineage = Lineage { client: request.declared.client.clone(), ..lineage };
            let size = Size::of(app.in_force()?.policy.caps());
            match proposal(text, request, &app.root, size) {
                Ok(text) => app.register(&text, Origin::Outside, &request.constraints, lineage),
                Err(refusal) => {
                    let sha256 = refusal.text_sha256;
                    app.refuse(sha256, &Evaluation::refused(refusal, text), &lineage)
                }
            }
        })
    }

    pub(crate) fn new_lineage(&self) -> Result<Lineage, Error> {
        Ok(Lineage::new(new_id(CorrelationId::parse)?, 1))
    }

    pub(crate) fn next_version(&self, id: &PlanId) -> Result<Lineage, Error> {
        let record = self.store.plan(id)?.ok_or_else(|| unknown_plan(id.as_str()))?;
        if record.status != Status::Pending {
            return Err(not_revisable(id, record.status));
        }
        let lineage = Lineage::new(record.correlation_id, record.version.saturating_add(1));
        Ok(Lineage { revises: Some(id.clone()), ..lineage })
    }

    /// That the model that made a plan is still the one its credential declared last: a new plan of the same proposal would be
    /// blocked from the start.
    fn check_model(&self, record: &PlanRecord) -> Result<(), Error> {
        let Ok(identity) = crate::current::identity(record) else { return Ok(()) };
        let surroundings = Surroundings::load(self.project_ref(), &identity)?;
        match drift::of_model(&identity, surroundings.model()).filter(|drift| drift.answer == Answer::Regenerate) {
            Some(drift) => Err(surroundings.model_notice(&identity, &drift.message)),
            None => Ok(()),
        }
    }

    /// That a plan came too late, so that a new one may be made of its proposal.
    pub(crate) fn check_late(&self, record: &PlanRecord) -> Result<(), Error> {
        let id = &record.id;
        self.check_model(record)?;
        let wrong = |message: String, hint: Hint| Err(Error::new(Exit::Drifted, "wrong_status", message).hint(hint));
        if record.run.is_some() || record.status == Status::Expired {
            return Ok(());
        }
        if record.status == Status::Rejected {
            let hint = hint!["submit a proposal that answers the reason: ", Remedy::Submit];
            return wrong(format!("plan `{id}` is rejected, and that is final"), hint);
        }
        let current = self.current(id)?;
        match drift::answer(&current.stored.drifts) {
            Some(Answer::Expired) => Ok(()),
            Some(Answer::Regenerate) => Err(current.stored.model_notice(&current.stored.drifts)),
            _ if record.status == Status::Pending => {
                let hint = hint![
                    "decide with ",
                    Remedy::Review(id.clone()),
                    ", or answer it with ",
                    Remedy::SubmitVersion(id.clone())
                ];
                wrong(format!("plan `{id}` is pending: it can still be decided"), hint)
            }
            _ => wrong(
                format!("plan `{id}` is {}: it can still run", record.status),
                hint!["run it with ", Remedy::Execute(id.clone())],
            ),
        }
    }

    /// Evaluates a text under the policy in force and stores the result.
    pub(crate) fn register(
        &mut self,
        text: &[u8],
        origin: Origin,
        constraints: &[Constraint],
        lineage: Lineage,
    ) -> Result<PlanView, Error> {
        let in_force = self.in_force()?;
        self.note_policy(&in_force)?;
        let mut basis = in_force.basis(&self.root, Some(&self.project.id), constraints);
        basis.selection = lineage.derived_from.is_some();
        basis.made = lineage.maker.as_ref().map(Maker::made);
        basis.connected = Proposer::is_connected(lineage.proposer.as_ref().unwrap_or(&self.credential()));
        let site = lineage.site.as_ref().map(|site| &site.allowed);
        basis.allowed = lineage.autopilot.as_ref().map(|made_for| &made_for.allowed).or(site);
        let (evaluation, _) = pipeline::evaluate(text, origin, basis)?;
        match evaluation.plan() {
            None => self.refuse(Digest::of(text), &evaluation, &lineage),
            Some(plan) if plan.domain() == Domain::Files && self.is_desk() => {
                self.refuse(Digest::of(text), &Evaluation::refused(no_files_here(text), text), &lineage)
            }
            Some(plan) => {
                let identity = self.identity(plan, constraints, &in_force, &lineage)?;
                if evaluation.is_withheld() {
                    return self.keep(None, &evaluation, &identity, lineage);
                }
                let proposed_now = lineage.proposer.is_none() && lineage.maker.is_none();
                let kept = kept::text(plan, text)?;
                let view = self.keep(kept.as_deref(), &evaluation, &identity, lineage)?;
                let view = self.with_checks(view, &evaluation, &in_force.policy)?;
                self.tell_waiting(&view);
                if proposed_now && view.plan_id.is_some() && evaluation.verdicts().verdict() != Verdict::Deny {
                    self.declare(plan.proposal().model.as_ref(), &identity)?;
                }
                Ok(view)
            }
        }
    }

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

    fn identity(
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
            },
        })
    }

    /// Remembers what the credential said it is in a plan that was accepted; its plans are compared with that when they are
    /// executed. Nothing of a denied one is remembered.
    fn declare(&self, model: Option<&ModelClaim>, identity: &Identity) -> Result<(), Error> {
        let Some(model) = model.cloned() else { return Ok(()) };
        let declared = DeclaredIdentity { model: Some(model), at: identity.created_at };
        let credential = &identity.binding.proposer.credential;
        Ok(self.home.set_declared_identity(&self.project.id, credential, &declared)?)
    }

    /// Stores a plan. Of one that adds a certain secret no text is kept: places alone.
    fn keep(
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

    /// Ends a plan that is not over yet. Losing the race to another decision is no error.
    pub(crate) fn expire(&mut self, id: &PlanId, why: &str) -> Result<(), Error> {
        let Some(record) = self.store.plan(id)? else { return Ok(()) };
        if record.status.is_final() {
            return Ok(());
        }
        let mut entry = scored(EntryDraft::new(Event::PlanExpired, Actor::System, why), &record);
        entry.decision = Some(Status::Expired.name().to_owned());
        let change = Change { from: record.status, to: Status::Expired, approval: None, also_expire: None };
        match self.store.transition(id, &change, &[entry], now())? {
            Outcome::Done | Outcome::Lost { .. } => Ok(()),
        }
    }
}

fn not_revisable(id: &PlanId, status: Status) -> Error {
    let message = format!("plan `{id}` is {status}: only a pending plan can be revised");
    Error::new(Exit::Drifted, "wrong_status", message).hint("submit it as a new plan")
}

/// A view as it is stored: where the plan stands is kept beside it, and changes.
fn without_status(mut view: Value) -> Value {
    if let Value::Object(fields) = &mut view {
        fields.remove("status");
    }
    view
}

/// The most bytes that what is shown of a plan may have: what is written of it for people to read can then be read back.
const MOST_SHOWN: usize = 100 << 20;

/// Whether what is shown of a plan can be stored and read back.
fn is_readable(view: &PlanView) -> Result<bool, Error> {
    let shown = view.detail.iter().flat_map(|detail| &detail.steps).filter_map(|step| step.diff.as_ref());
    // Written as JSON a byte takes six at most, so that most plans need not be written to be measured.
    if shown.map(String::len).sum::<usize>() < MOST_SHOWN / 8 {
        return Ok(true);
    }
    Ok(serde_json::to_vec(view)?.len() <= MOST_SHOWN)
}

/// The desk is a project without a work tree.
fn no_files_here(text: &[u8]) -> Refusal {
    let message = "your desk has no files: a plan of file changes belongs to a project";
    let finding =
        Finding::new(Code::PathOutside, message, "submit it in the project's folder, or name it with `--project DIR`");
    Refusal { findings: vec![finding.at("/steps")], text_sha256: Digest::of(text) }
}

fn too_large_to_show(content: Digest) -> Refusal {
    let message = format!("what is shown of the plan would have more than {MOST_SHOWN} bytes");
    let finding = Finding::new(Code::TooLarge, message, "split the work into several plans");
    Refusal { findings: vec![finding], text_sha256: content }
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

/// An entry about a plan, with what the plan was scored.
pub(crate) fn scored(entry: EntryDraft, plan: &PlanRecord) -> EntryDraft {
    let Scores { risk, quality } = plan.scores;
    EntryDraft { risk_score: risk, quality_score: quality, ..entry.about(&plan.correlation_id, &plan.id) }
}

/// The strictest verdict's reasons.
pub(crate) fn reason(verdicts: &Verdicts) -> String {
    let strictest = verdicts.gates().iter().filter(|gate| gate.verdict == verdicts.verdict());
    let reasons: Vec<String> = strictest.map(|gate| format!("{}: {}", gate.gate, gate.reason)).collect();
    reasons.join("; ")
}

pub(crate) const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Confirm => "confirm",
        Verdict::Deny => "deny",
    }
}

/// A JSON object as an entry's data.
pub(crate) fn data(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
