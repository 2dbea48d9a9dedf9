//! From evaluations and records to what is shown. What is shown, and how, is `exacta_view`'s.

use crate::pipeline::Evaluation;
use exacta_record::RunState;
pub(crate) use exacta_view::Registered;
use exacta_view::{ChangesRequested, Judged, Outcome, PlanView};
use std::borrow::Cow;

/// The face of an evaluated text.
pub(crate) fn of(evaluation: &Evaluation, registered: Option<Registered<'_>>) -> Result<PlanView, serde_json::Error> {
    let (assessment, findings, constraints, builds) = match evaluation {
        Evaluation::Refused(refusal, _) => (None, Cow::from(&refusal.findings), &[][..], &[][..]),
        Evaluation::Invalid(invalid, _) => (None, Cow::from(&invalid.findings), &invalid.constraints[..], &[][..]),
        Evaluation::Valid(valid) => {
            let (assessment, plan) = (valid.decision.assessment(), valid.decision.plan());
            let findings = assessment.quality().findings(&plan.plan().proposal().steps);
            (Some(assessment), Cow::from(findings), plan.constraints(), &valid.builds[..])
        }
    };
    let judged = Judged {
        verdicts: evaluation.verdicts(),
        plan: evaluation.plan(),
        assessment,
        findings: &findings,
        constraints,
        builds,
        withheld: evaluation.is_withheld(),
    };
    PlanView::of(judged, registered)
}

/// How a run stands.
pub(crate) const fn outcome(state: RunState) -> Outcome {
    match state {
        RunState::Running => Outcome::Running,
        // One that was undone was completed; that it was undone is said beside.
        RunState::Completed | RunState::Undone => Outcome::Completed,
        RunState::RollingBack => Outcome::RollingBack,
        RunState::RolledBack => Outcome::RolledBack,
        RunState::Cancelled => Outcome::Cancelled,
        RunState::NeedsAttention => Outcome::NeedsAttention,
        RunState::Unknown => Outcome::Unknown,
    }
}

/// What a person asked to be changed.
pub(crate) fn asked(request: &exacta_record::ChangesRequested) -> ChangesRequested {
    let exacta_record::ChangesRequested { by, at, text, places } = request;
    ChangesRequested { by: by.clone(), at: *at, text: text.clone(), places: places.clone() }
}
