//! From what the kernel found to what is shown. Untrusted words are masked and made visible here, once for all surfaces.

use crate::bytes::BinaryView;
use crate::plan::{ConstraintView, Detail, PartialView, PlanView, StepView};
use crate::published::PLAN_VIEW;
use crate::score::{CapabilityView, EstimatesView, FindingView, GateView, QualityView, RiskView};
use crate::words::{line, text, value, word};
use exacta_kernel::action::Reversibility;
use exacta_kernel::action::tool::Tool;
use exacta_kernel::assess::Assessment;
use exacta_kernel::binding::{Identity, PartialOf};
use exacta_kernel::constraint::ConstraintResult;
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::Verdicts;
use exacta_kernel::hash::Digest;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::{Effect, Plan};
use exacta_kernel::proposal::{Action, Step};
use exacta_kernel::secret::mask;
use std::borrow::Cow;

/// What a plan has once it is stored.
#[derive(Debug, Clone, Copy)]
pub struct Registered<'a> {
    /// What it was made against.
    pub identity: &'a Identity,
    /// Its hash.
    pub plan_hash: Digest,
    /// Where it stands.
    pub status: Status,
}

/// A text that was judged: whatever of it there is.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// What the gates say.
    pub verdicts: &'a Verdicts,
    /// The plan, unless the text is none.
    pub plan: Option<&'a Plan>,
    /// Its numbers, if it is valid.
    pub assessment: Option<&'a Assessment>,
    /// Everything that is wrong.
    pub findings: &'a [Finding],
    /// Each constraint and how it is met.
    pub constraints: &'a [ConstraintResult],
    /// Folders that its `build` step writes to.
    pub builds: &'a [RelPath],
    /// Whether it adds a certain secret, so that nothing is told of it but numbers and places.
    pub withheld: bool,
}

impl PlanView {
    /// The face of a judged text.
    ///
    /// # Errors
    /// If the binding cannot be written as JSON, which its types rule out.
    pub fn of(judged: Judged<'_>, registered: Option<Registered<'_>>) -> Result<Self, serde_json::Error> {
        let Judged { verdicts, plan, assessment, .. } = judged;
        let detail = plan.map(|plan| detail(plan, &judged, registered)).transpose()?;
        let view = Self {
            schema: PLAN_VIEW.to_owned(),
            content_hash: plan.map(|plan| plan.content_hash().to_string()),
            plan_id: registered.map(|registered| registered.identity.plan_id.to_string()),
            short_id: None,
            plan_hash: registered.map(|registered| registered.plan_hash.to_string()),
            status: registered.map(|registered| registered.status),
            changes_requested: None,
            decision: verdicts.verdict(),
            notice: verdicts.notice(),
            risk: assessment.map(|assessment| RiskView::from(assessment.risk())),
            quality: assessment.map(|assessment| QualityView::from(assessment.quality())),
            findings: judged.findings.iter().map(FindingView::from).collect(),
            gates: verdicts.gates().iter().map(GateView::from).collect(),
            estimates: assessment.map(|assessment| EstimatesView::from(assessment.estimates())),
            target_files: plan.map(Plan::target_files).unwrap_or_default().iter().map(|file| line(file)).collect(),
            capabilities: assessment.map(capabilities).unwrap_or_default(),
            system_level: assessment.is_some_and(|assessment| !assessment.risk().boundaries().is_empty()),
            withheld: false,
            checks: None,
            expires_at: registered.map(|registered| registered.identity.expires_at.to_string()),
            detail,
        };
        Ok(if judged.withheld { view.withheld() } else { view })
    }

    /// The same of a plan that adds a secret: numbers and places, and nothing that anybody wrote or that could quote it.
    fn withheld(mut self) -> Self {
        self.withheld = true;
        self.capabilities.clear();
        if self.quality.is_some() {
            // What quality says about a valid plan can quote it.
            self.findings.clear();
        }
        if let Some(risk) = &mut self.risk {
            risk.factors.iter_mut().for_each(|factor| factor.reasons.clear());
            risk.boundaries.clear();
        }
        for dimension in self.quality.iter_mut().flat_map(|quality| &mut quality.dimensions) {
            dimension.issues.clear();
        }
        if let Some(detail) = &mut self.detail {
            detail.intent_text.clear();
            detail.constraints.clear();
            detail.assumptions.clear();
            detail.irreversible.clear();
            detail.binding = None;
            for step in &mut detail.steps {
                step.description.clear();
                step.dependencies.clear();
                step.diff = None;
                step.binary = None;
            }
        }
        self
    }
}

/// The most of a diff that is kept of a plan that is over, in bytes.
const KEPT: usize = 1 << 20;

impl PlanView {
    /// As the record keeps it for the time when the plan is over: a plan that can still be decided is derived again, and shown
    /// whole.
    #[must_use]
    pub fn kept(&self) -> Cow<'_, Self> {
        let has_hex = |step: &StepView| step.binary.as_ref().is_some_and(|binary| binary.hex.is_some());
        let is_long = |step: &StepView| has_hex(step) || step.diff.as_ref().is_some_and(|diff| diff.len() > KEPT);
        if !self.detail.iter().flat_map(|detail| &detail.steps).any(is_long) {
            return Cow::Borrowed(self);
        }
        let mut kept = self.clone();
        for step in kept.detail.iter_mut().flat_map(|detail| &mut detail.steps) {
            step.diff.iter_mut().for_each(shorten);
            step.binary.iter_mut().for_each(|binary| binary.hex = None);
        }
        Cow::Owned(kept)
    }
}

/// Leaves whole lines from the start of a diff, and how much follows.
fn shorten(diff: &mut String) {
    if diff.len() > KEPT {
        let all = diff.len();
        diff.truncate(diff.floor_char_boundary(KEPT));
        diff.truncate(diff.rfind('\n').map_or(0, |end| end + 1));
        let left = all - diff.len();
        diff.push_str(&format!("\\ the record does not keep the other {left} bytes of this diff\n"));
    }
}

fn capabilities(assessment: &Assessment) -> Vec<CapabilityView> {
    assessment.capabilities().iter().map(CapabilityView::from).collect()
}

fn detail(plan: &Plan, judged: &Judged<'_>, registered: Option<Registered<'_>>) -> Result<Detail, serde_json::Error> {
    let proposal = plan.proposal();
    let identity = registered.map(|registered| registered.identity);
    Ok(Detail {
        intent: line(proposal.intent.kind.name()),
        intent_id: proposal.intent.id.as_deref().map(line),
        by: identity.map(|identity| line(&identity.binding.proposer.credential)),
        intent_text: text(&proposal.intent.text),
        domain: plan.domain().name().to_owned(),
        version: identity.map_or(1, |identity| identity.version),
        correlation_id: identity.map(|identity| identity.correlation_id.to_string()),
        derived_from: identity.and_then(|identity| identity.derived_from.as_ref()).map(ToString::to_string),
        partial_of: identity.map(|identity| identity.partial_of.iter().map(partial).collect()).unwrap_or_default(),
        edited_from: identity.and_then(|identity| identity.edited_from.as_ref()).map(ToString::to_string),
        adopts: plan.adopts(),
        created_at: identity.map(|identity| identity.created_at.to_string()),
        steps: plan.ordered_steps().into_iter().map(|(index, step)| step_view(plan, index, step)).collect(),
        constraints: judged.constraints.iter().map(constraint).collect(),
        assumptions: proposal.assumptions.iter().map(|assumption| text(assumption)).collect(),
        binding: identity.map(|identity| serde_json::to_value(&identity.binding).map(value)).transpose()?,
        irreversible: all_irreversible(plan, judged.builds),
    })
}

fn partial(part: &PartialOf) -> PartialView {
    PartialView { plan: part.plan.to_string(), step: line(&part.step), hunks: part.hunks.iter().copied().collect() }
}

/// What cannot be undone, in words.
fn all_irreversible(plan: &Plan, builds: &[RelPath]) -> Vec<String> {
    let mut all: Vec<String> = plan.ordered_steps().into_iter().filter_map(|(_, step)| irreversible(step)).collect();
    all.extend(builds.iter().map(|folder| {
        let folder = line(folder.as_str());
        format!("what the build command writes to `{folder}` stays there after an undo")
    }));
    all
}

fn step_view(plan: &Plan, index: usize, step: &Step) -> StepView {
    let effect = plan.effects().iter().find(|effect| effect.step == index);
    let rendered = effect.map(Effect::render).map(masked);
    let (added, removed) = effect.map(Effect::stat).unwrap_or_default();
    StepView {
        id: line(&step.id),
        order: step.order,
        kind: step.action.name().to_owned(),
        target: line(&step.target),
        description: text(&step.description),
        dependencies: step.dependencies.iter().map(|id| line(id)).collect(),
        diff: rendered.or_else(|| parameters(&step.action)),
        binary: effect.and_then(BinaryView::of),
        added,
        removed,
    }
}

/// The same text, with every secret in it replaced.
fn masked(text: String) -> String {
    match mask(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(masked) => masked,
    }
}

/// What a step outside the files domain is given, as text.
fn parameters(action: &Action) -> Option<String> {
    let given = match action {
        Action::Primitive { parameters, .. } => parameters,
        Action::ToolCall { arguments, .. } => arguments,
        _ => return None,
    };
    serde_json::to_string_pretty(given).ok().map(|json| text(&json))
}

fn irreversible(step: &Step) -> Option<String> {
    let reversibility = match &step.action {
        Action::Primitive { id, .. } => id.reversibility(),
        Action::ToolCall { tool, .. } => Tool::find(tool)?.reversibility,
        Action::Build => Reversibility::Irreversible,
        _ => return None,
    };
    let what = format!("step `{}` ({})", line(&step.id), step.action.name());
    match reversibility {
        Reversibility::Irreversible => Some(format!("{what} cannot be undone")),
        Reversibility::Compensated => Some(format!("{what} can only be made good by another action")),
        Reversibility::NoEffect | Reversibility::Exact => None,
    }
}

fn constraint(result: &ConstraintResult) -> ConstraintView {
    ConstraintView {
        id: line(&result.constraint.id),
        kind: word(&result.constraint.kind),
        source: word(&result.source),
        description: text(&result.constraint.description),
        state: word(&result.state),
        reason: text(&result.reason),
    }
}
