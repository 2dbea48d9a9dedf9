//! A text becomes a stored plan, or a recorded refusal.

use crate::app::App;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::current::Surroundings;
use crate::declared::Declared;
use crate::entry::scored;
use crate::error::{Error, Exit};
use crate::import::{self, Patch};
use crate::in_force::Folder;
use crate::lineage::{Lineage, Maker};
use crate::new_plan::not_revisable;
use crate::options::Options;
use crate::pipeline::{self, Basis, Evaluation, Origin};
use crate::stored::unknown_plan;
use crate::view;
use exacta_exec::ProjectRoot;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::binding::Proposer;
use exacta_kernel::drift::{self, Answer};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::Verdict;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::id::{CorrelationId, PlanId};
use exacta_kernel::kept;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::{Refusal, Size};
use exacta_kernel::proposal::{Constraint, Domain};
use exacta_record::{Change, Outcome, PlanRecord};
use exacta_view::PlanView;
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
        let Ok(identity) = crate::stored::identity(record) else { return Ok(()) };
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
        basis.base = lineage.head.as_ref().map(|head| &head.base);
        let (evaluation, _) = pipeline::evaluate(text, origin, basis)?;
        match evaluation.plan() {
            None => self.refuse(Digest::of(text), &evaluation, &lineage),
            Some(plan) if plan.domain() == Domain::Files && self.is_desk() => {
                self.refuse(Digest::of(text), &Evaluation::refused(no_files_here(text), text), &lineage)
            }
            Some(plan) => {
                let identity = self.new_identity(plan, constraints, &in_force, &lineage)?;
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

/// The desk is a project without a work tree.
fn no_files_here(text: &[u8]) -> Refusal {
    let message = "your desk has no files: a plan of file changes belongs to a project";
    let finding =
        Finding::new(Code::PathOutside, message, "submit it in the project's folder, or name it with `--project DIR`");
    Refusal { findings: vec![finding.at("/steps")], text_sha256: Digest::of(text) }
}
