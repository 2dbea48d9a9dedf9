//! What is shown of plans in lists, of runs, and of the project.

use super::PlanView;
use crate::recover::Recovery;
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::drift::Drift;
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use exacta_store::{ChangesRequested, RunState};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of a list of plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanLine {
    /// Its id.
    pub plan_id: String,
    /// What a person types for it.
    pub short_id: String,
    /// Where it stands, as [`crate::App::show`] would say.
    pub status: Status,
    /// When it was made.
    pub created_at: String,
    /// When it stops being usable.
    pub expires_at: String,
    /// Its version.
    pub version: u64,
    /// What its list entry was stored with.
    #[serde(flatten)]
    pub summary: Summary,
    /// How its run stands, if it has one: as [`RunView::outcome`].
    pub outcome: Option<&'static str>,
    /// Whether its run was taken back later.
    pub undone: bool,
    /// The changes that a person asked for, if it waits for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_requested: Option<ChangesRequested>,
}

impl PlanLine {
    /// The one word that a list shows: how the run stands, or where the plan does.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.outcome.map_or(self.status.name(), |outcome| if self.undone { UNDONE } else { outcome })
    }
}

/// A plan in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Such as `FixBug`.
    pub intent: Option<String>,
    /// The proposer's own words; untrusted.
    pub text: Option<String>,
    /// How many steps.
    pub steps: u64,
    /// How many files.
    pub files: u64,
    /// What the gates said.
    pub decision: Verdict,
    /// 0–100.
    pub risk_score: Option<u32>,
    /// 0.00–1.00.
    pub quality_score: Option<BasisPoints>,
    /// Whether it needs a person in every profile.
    pub system_level: bool,
    /// The credential that proposed it.
    #[serde(default)]
    pub by: Option<String>,
}

/// A plan with everything that happened to it.
#[derive(Debug, Clone, Serialize)]
pub struct PlanDetail {
    /// The plan. Rendered from the bytes that would be executed if `live`, else as it was stored.
    pub plan: PlanView,
    /// Whether the plan was derived again just now.
    pub live: bool,
    /// Why it is expired or rejected, if it is.
    pub reason: Option<String>,
    /// What changed since it was made.
    pub drifts: Vec<Drift>,
    /// Decisions of people.
    pub approvals: Vec<ApprovalView>,
    /// What people asked to be changed.
    pub feedback: Vec<ChangesRequested>,
    /// Its run.
    pub run: Option<RunView>,
}

/// One decision of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApprovalView {
    /// `approve`, `reject` or `request_changes`.
    pub verb: String,
    /// Who.
    pub approver: String,
    /// When.
    pub at: String,
    /// Why the signature does not count, if it does not.
    pub invalid: Option<String>,
}

impl PlanDetail {
    /// Whether an approval of it counts: the policy's own, or a person's whose signature holds.
    #[must_use]
    pub fn counts(&self) -> bool {
        let holds = |approval: &ApprovalView| approval.verb == "approve" && approval.invalid.is_none();
        self.plan.status == Some(Status::AutoApproved) || self.approvals.iter().any(holds)
    }
}

/// One execution, or one undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// The run.
    pub run_id: String,
    /// The plan.
    pub plan_id: String,
    /// The run it takes back, if it is an undo.
    pub undoes: Option<String>,
    /// `running`, `completed`, `rolled_back`, `cancelled` or `needs_attention`.
    pub outcome: &'static str,
    /// Whether it was completed and taken back later.
    pub undone: bool,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// Why it was put back or needs attention, in [`PlanDetail`] and [`StatusView`]: what the log says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// That no person was asked, and why that is announced: what the log says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The process that is at it, as long as it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Per file its path and the states before and after; of a completed run also the bytes and the time it took.
    pub steps: Vec<Value>,
    /// Where bytes are kept that another program wrote at the very end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

/// The word for a run that was taken back.
const UNDONE: &str = "undone";

impl RunView {
    /// The one word that people are shown.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        if self.undone { UNDONE } else { self.outcome }
    }
}

/// How a run stands, in the words of the machine-readable face.
pub(crate) const fn outcome(state: RunState) -> &'static str {
    match state {
        // One that was taken back was completed; that it was taken back is said beside.
        RunState::Completed | RunState::Undone => RunState::Completed.name(),
        // One that ended before its first effect left everything as it was, as one that was rolled back did.
        RunState::RolledBack | RunState::Failed => RunState::RolledBack.name(),
        RunState::Running | RunState::Cancelled | RunState::NeedsAttention => state.name(),
    }
}

/// What taking a run back would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoView {
    /// The run to take back.
    pub run_id: String,
    /// Its plan.
    pub plan_id: String,
    /// What the approver signs.
    pub undo_hash: String,
    /// What would happen to each file.
    pub files: Vec<UndoFile>,
}

/// What an undo would do to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoFile {
    /// The file.
    pub path: String,
    /// The change, rendered from the exact bytes.
    pub diff: String,
}

/// How a project stands.
#[derive(Debug, Clone, Serialize)]
pub struct StatusView {
    /// Its folder.
    pub project: String,
    /// The profile in force, unless the policy is broken.
    pub profile: Option<&'static str>,
    /// The most the Safety Policy allows.
    pub ceiling: Option<&'static str>,
    /// What is wrong with the policy or the project's configuration, which stops every command that decides.
    pub policy_error: Option<String>,
    /// Why the profile fell by itself, if it did.
    pub fell: Option<String>,
    /// Plans that wait for a person.
    pub pending: Vec<PlanLine>,
    /// Plans that are approved and have not run.
    pub approved: Vec<PlanLine>,
    /// The newest runs, and all that are going on.
    pub runs: Vec<RunView>,
    /// Whether a run could not be settled, or the newest one met changes of somebody else and kept them.
    pub attention: bool,
    /// Runs that a crash left unfinished.
    pub unfinished: Vec<Recovery>,
    /// How many entries the log has.
    pub log_size: u64,
    /// What is wrong with the record, as far as a look at its ends tells; empty if nothing is.
    pub damage: Vec<String>,
    /// How many approvers are listed.
    pub approvers: usize,
}
