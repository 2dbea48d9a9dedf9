//! What the agent that proposed a plan is told about it: short, in words it can act on, with the next thing to do.

use crate::changes::ChangesRequested;
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

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// Whose turn it is.
    pub who: Who,
    /// The tool to call, if one helps.
    pub tool: Option<String>,
    /// Why, and how.
    pub why: String,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Who {
    /// The agent's.
    You,
    /// A person's.
    Person,
    /// Nobody's: it is over, or goes on by itself.
    Nobody,
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

/// What the agent may do beside proposing: that decides what it is told to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Start what policy alone allows.
    pub run_allowed: bool,
    /// Start what a person approved.
    pub execute: bool,
}

impl Report {
    /// Of a text that was checked.
    #[must_use]
    pub fn checked(view: &PlanView) -> Self {
        let (why, tool) = match view.decision {
            Verdict::Allow => {
                ("the policy allows it: `submit` it, with `run: true` to have it applied at once", "submit")
            }
            Verdict::Confirm => ("`submit` it: a person will be asked", "submit"),
            Verdict::Deny => (FIX, "check"),
        };
        let summary = match view.decision {
            Verdict::Allow => "the change would be allowed; nothing was recorded or changed".to_owned(),
            Verdict::Confirm => format!("a person would be asked; nothing was recorded or changed{}", because(view)),
            Verdict::Deny => format!("the change would be denied; nothing was recorded or changed{}", because(view)),
        };
        Self::of(view, State::Checked, summary, you(tool, why))
    }

    /// Of a text that was submitted.
    #[must_use]
    pub fn submitted(view: &PlanView, rights: Rights) -> Self {
        if view.plan_id.is_none() || view.decision == Verdict::Deny {
            let fixable = !view.findings.is_empty();
            let next = if fixable { you("submit", FIX) } else { you("findings", FORBIDDEN) };
            return Self::of(view, State::Denied, format!("denied: nothing was changed{}", because(view)), next);
        }
        let detail = PlanDetail {
            plan: view.clone(),
            live: true,
            reason: None,
            drifts: Vec::new(),
            approvals: Vec::new(),
            feedback: Vec::new(),
            run: None,
        };
        Self::standing(&detail, rights)
    }

    /// Of a plan with all that happened to it.
    #[must_use]
    pub fn standing(detail: &PlanDetail, rights: Rights) -> Self {
        let view = &detail.plan;
        let why = detail.reason.as_deref().unwrap_or("no reason was given");
        let (state, summary, next) = match (&detail.run, view.status) {
            (Some(run), _) => ran(run),
            (None, Some(Status::Pending)) => waiting(view),
            (None, Some(Status::AutoApproved | Status::UserApproved)) => approved(view.status, rights),
            (None, Some(Status::Rejected)) if view.decision == Verdict::Deny => {
                (State::Denied, format!("denied: nothing was changed{}", because(view)), you("submit", FIX))
            }
            (None, Some(Status::Rejected)) => (
                State::Rejected,
                format!("a person rejected it: {why}"),
                Next { who: Who::You, tool: None, why: REJECTED.to_owned() },
            ),
            (None, Some(Status::Expired) | None) => (State::Expired, format!("expired: {why}"), you("submit", EXPIRED)),
        };
        let run = detail.run.as_ref().map(|run| RunReport {
            run_id: run.run_id.clone(),
            outcome: run.outcome,
            reason: run.reason.clone(),
            notice: run.notice.clone(),
        });
        Self { run, ..Self::of(view, state, summary, next) }
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
            changes_requested: view.changes_requested.clone(),
            run: None,
            expires_at: view.expires_at.clone(),
        }
    }
}

const FIX: &str = "fix every finding, and submit the whole change again";
const FORBIDDEN: &str =
    "the policy forbids it: do not try another way; tell the person why, and ask what they want instead";
const REJECTED: &str =
    "do not submit the same change again, and do not try another way; ask the person what they want instead";
const EXPIRED: &str = "if the change is still wanted, make it again from the files as they are now, and submit that";

fn you(tool: &str, why: &str) -> Next {
    Next { who: Who::You, tool: Some(tool.to_owned()), why: why.to_owned() }
}

fn nobody(why: &str) -> Next {
    Next { who: Who::Nobody, tool: None, why: why.to_owned() }
}

/// Why the gates do not say "allow".
fn because(view: &PlanView) -> String {
    let reasons: Vec<&str> =
        view.gates.iter().filter(|gate| gate.verdict == view.decision).map(|gate| gate.reason.as_str()).collect();
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}

fn waiting(view: &PlanView) -> (State, String, Next) {
    match &view.changes_requested {
        Some(asked) => (
            State::ChangesRequested,
            format!("{} asked for changes: {}", asked.by, asked.text),
            you("submit", "submit the whole change again as a new version, with `revises` set to this plan"),
        ),
        None => (
            State::NotDecidedYet,
            format!("not decided yet: a person is asked, and nothing has changed{}", because(view)),
            Next {
                who: Who::Person,
                tool: Some("wait".to_owned()),
                why: "a person decides about it; that is no denial. Call `wait`, or go on with other work; do not submit it again, and do not try another way".to_owned(),
            },
        ),
    }
}

fn approved(status: Option<Status>, rights: Rights) -> (State, String, Next) {
    let by_policy = status == Some(Status::AutoApproved);
    let summary = if by_policy { "the policy allows it" } else { "a person approved it" };
    let next = match (by_policy, rights) {
        (_, Rights { execute: true, .. }) => you("execute", "start it"),
        (true, Rights { run_allowed: true, .. }) => {
            you("submit", "to have it applied at once, submit it with `run: true`; or a person starts this one")
        }
        _ => Next {
            who: Who::Person,
            tool: Some("wait".to_owned()),
            why: "a person starts it; `wait` with `until: \"applied\"` tells when".to_owned(),
        },
    };
    (State::Approved, format!("{summary}; it has not been applied yet"), next)
}

fn ran(run: &RunView) -> (State, String, Next) {
    let why = run.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
    let looks = |words: &str| Next { who: Who::Person, tool: Some("status".to_owned()), why: words.to_owned() };
    match run.outcome {
        Outcome::Completed if run.undone => {
            (State::Undone, "it was applied, and undone later".to_owned(), nobody("a person undid it; ask them why"))
        }
        Outcome::Completed => (
            State::Applied,
            "applied: every file is as proposed".to_owned(),
            nobody("it is done; work on with the files as they are now"),
        ),
        Outcome::Running | Outcome::RollingBack => {
            let next = Next { who: Who::Nobody, tool: Some("wait".to_owned()), why: "it goes on by itself".to_owned() };
            (State::Running, format!("it is being applied{why}"), next)
        }
        Outcome::RolledBack | Outcome::Cancelled => (
            State::PutBack,
            format!("it was not applied, and every file is as before{why}"),
            you("submit", "look at the reason; if it can be fixed, submit the whole change again"),
        ),
        Outcome::NeedsAttention | Outcome::Unknown => (
            State::NeedsAttention,
            format!("a person has to look at its run{why}"),
            looks("tell the person; do not try it again"),
        ),
    }
}
