//! What the agent that proposed a plan is told about it: short, in words it can act on, with the next thing to do.

use crate::changes::ChangesRequested;
use crate::checks::{CheckState, ChecksView};
use crate::next::{Next, Rights};
use crate::plan::{ConstraintView, PlanView};
use crate::published::{Hash, ProfileWord, StatusWord, VerdictWord};
use crate::record::{Outcome, PlanDetail, PlanLine, RunView};
use crate::score::{CapabilityView, FindingView, GateView, QualityView, RiskView};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use schemars::JsonSchema;
use serde::Serialize;

/// How a change stands, for its proposer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// How it stands, in a word.
    pub state: State,
    /// The same in a sentence.
    pub summary: String,
    /// What to do next.
    pub next: Next,
    /// The plan; not for what was only checked, or is no plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// What a person types for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_id: Option<String>,
    /// What an approver would sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Hash")]
    pub plan_hash: Option<String>,
    /// 1, or one more than the plan it answers a request for changes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The plan's status in the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StatusWord")]
    pub status: Option<Status>,
    /// What the gates say: `allow`, `confirm` (a person decides) or `deny`.
    #[schemars(with = "VerdictWord")]
    pub decision: Verdict,
    /// Why they do not say `allow`.
    pub reasons: Vec<GateView>,
    /// Everything that is wrong with the proposal, each with what would fix it.
    pub findings: Vec<FindingView>,
    /// 0–100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<u32>,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality_percent: Option<u32>,
    /// What would happen to each file.
    pub files: Vec<FileReport>,
    /// What the operator's checks said of its result, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<ChecksView>,
    /// What a person asked to be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_requested: Option<ChangesRequested>,
    /// Its run, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunReport>,
    /// When it stops being usable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// How a change stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum State {
    /// It was only checked: nothing is recorded, nobody was asked.
    Checked,
    /// It breaks a rule, or the policy forbids it; nothing was changed.
    Denied,
    /// A person decides; nobody has yet. That is no denial.
    NotDecidedYet,
    /// A person asked for changes, and waits for a new version.
    ChangesRequested,
    /// It may be applied, and has not been.
    Approved,
    /// It is being applied, or put back.
    Running,
    /// Every file is as proposed.
    Applied,
    /// Applying it failed, and every file is as before.
    PutBack,
    /// It was applied, and later undone.
    Undone,
    /// A person rejected it.
    Rejected,
    /// It can no longer be used.
    Expired,
    /// A person has to look at its run.
    NeedsAttention,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileReport {
    /// The file, or what else the step is about.
    pub target: String,
    /// Such as `file_modify`.
    pub step: String,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// A run, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunReport {
    /// The run.
    pub run_id: String,
    /// How it ended, or that it goes on.
    pub outcome: Outcome,
    /// Why it was put back or needs attention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// That no person was asked, and why that is announced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// How one plan stands, or which plans there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Standing {
    /// The profile in force: how much may happen without a person.
    #[schemars(with = "ProfileWord")]
    pub profile: &'static str,
    /// The most that the Safety Policy allows.
    #[schemars(with = "ProfileWord")]
    pub ceiling: &'static str,
    /// The plan that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Report>,
    /// Otherwise the newest plans of this credential.
    pub plans: Vec<PlanLine>,
}

/// Everything that was found about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Found {
    /// The plan.
    pub plan_id: Option<String>,
    /// What the gates say together.
    #[schemars(with = "VerdictWord")]
    pub decision: Verdict,
    /// Everything that is wrong with the proposal, each with what would fix it.
    pub findings: Vec<FindingView>,
    /// Every gate's verdict.
    pub gates: Vec<GateView>,
    /// How dangerous it is; null where it is not valid.
    pub risk: Option<RiskView>,
    /// How well made it is; null where it is not valid.
    pub quality: Option<QualityView>,
    /// What it would give or use.
    pub capabilities: Vec<CapabilityView>,
    /// Each constraint and how it is met.
    pub constraints: Vec<ConstraintView>,
}

impl Found {
    /// Of a plan.
    #[must_use]
    pub fn of(view: PlanView) -> Self {
        Self {
            plan_id: view.plan_id,
            decision: view.decision,
            findings: view.findings,
            gates: view.gates,
            risk: view.risk,
            quality: view.quality,
            capabilities: view.capabilities,
            constraints: view.detail.map(|detail| detail.constraints).unwrap_or_default(),
        }
    }
}

impl Report {
    /// Of a text that was checked.
    #[must_use]
    pub fn checked(view: &PlanView) -> Self {
        let summary = match view.decision {
            Verdict::Allow => "the change would be allowed; nothing was recorded or changed".to_owned(),
            Verdict::Confirm => format!("a person would be asked; nothing was recorded or changed{}", because(view)),
            Verdict::Deny => format!("the change would be denied; nothing was recorded or changed{}", because(view)),
        };
        Self::of(view, State::Checked, summary, Next::checked(view))
    }

    /// Of a text whose result the operator's checks were run on.
    #[must_use]
    pub fn tried(view: &PlanView) -> Self {
        let report = Self::checked(view);
        let said = match view.checks.as_ref().map(|checks| checks.state) {
            Some(CheckState::Passed) => "the checks passed",
            Some(CheckState::Failed) => "a check failed",
            Some(CheckState::NotRun) => "the checks were not run",
            None => "there are no checks here",
        };
        Self { summary: format!("{said}; {}", report.summary), ..report }
    }

    /// Of a text that was submitted.
    #[must_use]
    pub fn submitted(view: &PlanView, rights: Rights) -> Self {
        let (state, summary) =
            if view.plan_id.is_none() || view.decision == Verdict::Deny { denied(view) } else { stored(view, None) };
        Self::of(view, state, summary, Next::submitted(view, rights))
    }

    /// Of a plan with all that happened to it.
    #[must_use]
    pub fn standing(detail: &PlanDetail, rights: Rights) -> Self {
        let view = &detail.plan;
        let (state, summary) = match &detail.run {
            Some(run) => ran(run),
            None => stored(view, detail.reason.as_deref()),
        };
        let run = detail.run.as_ref().map(|run| RunReport {
            run_id: run.run_id.clone(),
            outcome: run.outcome,
            reason: run.reason.clone(),
            notice: run.notice.clone(),
        });
        Self { run, ..Self::of(view, state, summary, Next::standing(detail, rights)) }
    }

    fn of(view: &PlanView, state: State, summary: String, next: Next) -> Self {
        let steps = view.detail.iter().flat_map(|detail| &detail.steps);
        Self {
            state,
            summary,
            next,
            plan_id: view.plan_id.clone(),
            short_id: view.short_id.clone(),
            plan_hash: view.plan_hash.clone(),
            version: view.detail.as_ref().filter(|_| view.plan_id.is_some()).map(|detail| detail.version),
            status: view.status,
            decision: view.decision,
            reasons: view.gates.iter().filter(|gate| gate.verdict != Verdict::Allow).cloned().collect(),
            findings: view.findings.clone(),
            risk: view.risk.as_ref().map(|risk| risk.score),
            quality_percent: view.quality.as_ref().map(|quality| quality.score.0 / 100),
            files: steps
                .map(|step| FileReport {
                    target: step.target.clone(),
                    step: step.kind.clone(),
                    added: step.added,
                    removed: step.removed,
                })
                .collect(),
            checks: view.checks.clone(),
            changes_requested: view.changes_requested.clone(),
            run: None,
            expires_at: view.expires_at.clone(),
        }
    }
}

/// Why the gates do not say "allow".
fn because(view: &PlanView) -> String {
    let reasons: Vec<&str> =
        view.gates.iter().filter(|gate| gate.verdict == view.decision).map(|gate| gate.reason.as_str()).collect();
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}

fn denied(view: &PlanView) -> (State, String) {
    (State::Denied, format!("denied: nothing was changed{}", because(view)))
}

/// Before there is a run.
fn stored(view: &PlanView, reason: Option<&str>) -> (State, String) {
    let why = reason.unwrap_or("no reason was given");
    match (view.status, &view.changes_requested) {
        (Some(Status::Pending), Some(asked)) => {
            (State::ChangesRequested, format!("{} asked for changes: {}", asked.by, asked.text))
        }
        (Some(Status::Pending), None) => (
            State::NotDecidedYet,
            format!("not decided yet: a person is asked, and nothing has changed{}", because(view)),
        ),
        (Some(Status::AutoApproved), _) => approved("the policy allows it"),
        (Some(Status::UserApproved), _) => approved("a person approved it"),
        (Some(Status::Rejected), _) if view.decision == Verdict::Deny => denied(view),
        (Some(Status::Rejected), _) => (State::Rejected, format!("a person rejected it: {why}")),
        (Some(Status::Expired) | None, _) => (State::Expired, format!("expired: {why}")),
    }
}

fn approved(who: &str) -> (State, String) {
    (State::Approved, format!("{who}; it has not been applied yet"))
}

fn ran(run: &RunView) -> (State, String) {
    let why = run.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
    match run.outcome {
        Outcome::Completed if run.undone => (State::Undone, "it was applied, and undone later".to_owned()),
        Outcome::Completed => (State::Applied, "applied: every file is as proposed".to_owned()),
        Outcome::Running | Outcome::RollingBack => (State::Running, format!("it is being applied{why}")),
        Outcome::RolledBack | Outcome::Cancelled => {
            (State::PutBack, format!("it was not applied, and every file is as before{why}"))
        }
        Outcome::NeedsAttention | Outcome::Unknown => {
            (State::NeedsAttention, format!("a person has to look at its run{why}"))
        }
    }
}
