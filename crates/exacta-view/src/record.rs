//! What is shown of plans in lists, of runs, and of the project.

use crate::changes::ChangesRequested;
use crate::plan::PlanView;
use crate::published::{ProfileWord, Share, StatusWord, VerbWord, VerdictWord};
use crate::row::Tone;
use exacta_kernel::approval::Verb;
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::drift::Drift;
use exacta_kernel::facts::FileState;
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line of a list of plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanLine {
    /// Its id.
    pub plan_id: String,
    /// What a person types for it.
    pub short_id: String,
    /// Where it stands now.
    #[schemars(with = "StatusWord")]
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
    pub outcome: Option<Outcome>,
    /// Whether its run was undone later.
    pub undone: bool,
    /// The changes that a person asked for, if it waits for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_requested: Option<ChangesRequested>,
}

impl PlanLine {
    /// The one word that a list shows: how the run stands, or where the plan does.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.outcome.map_or(self.status.name(), |outcome| outcome.word(self.undone))
    }
}

/// A plan in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    #[schemars(with = "VerdictWord")]
    pub decision: Verdict,
    /// 0–100.
    pub risk_score: Option<u32>,
    /// 0.00–1.00.
    #[schemars(with = "Option<Share>")]
    pub quality_score: Option<BasisPoints>,
    /// Whether it needs a person in every profile.
    pub system_level: bool,
    /// The credential that proposed it.
    #[serde(default)]
    pub by: Option<String>,
}

/// A plan with everything that happened to it; the plan's own fields first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanDetail {
    /// The plan. Rendered from the bytes that would be executed if `live`, else as it was stored.
    #[serde(flatten)]
    pub plan: PlanView,
    /// Whether the plan was derived again just now.
    pub live: bool,
    /// Why it is expired or rejected, if it is.
    pub reason: Option<String>,
    /// What changed since it was made.
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub drifts: Vec<Drift>,
    /// Decisions of people.
    pub approvals: Vec<ApprovalView>,
    /// What people asked to be changed.
    pub feedback: Vec<ChangesRequested>,
    /// Its run.
    pub run: Option<RunView>,
}

/// One decision of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ApprovalView {
    /// What was decided.
    #[schemars(with = "VerbWord")]
    pub verb: Verb,
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
        let holds = |approval: &ApprovalView| approval.verb == Verb::Approve && approval.invalid.is_none();
        self.plan.status == Some(Status::AutoApproved) || self.approvals.iter().any(holds)
    }
}

/// One execution, or one undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunView {
    /// The run.
    pub run_id: String,
    /// The plan.
    pub plan_id: String,
    /// The run it undoes, if it is an undo.
    pub undoes: Option<String>,
    /// How it ended, or that it goes on.
    pub outcome: Outcome,
    /// Whether it was completed, and undone later.
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
    pub steps: Vec<ReceiptView>,
    /// Where bytes are kept that another program wrote at the very end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

/// What a run did to one file, or was to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReceiptView {
    /// The file.
    pub path: String,
    /// As it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    pub before: Option<FileState>,
    /// As it is, or was to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    pub after: Option<FileState>,
    /// Bytes written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Time spent on it, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

impl ReceiptView {
    /// What became of the file, in a word.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        let was = matches!(self.before, Some(FileState::File { .. }));
        let is = matches!(self.after, Some(FileState::File { .. }));
        match (was, is) {
            (false, true) => "created",
            (true, false) => "deleted",
            _ => "changed",
        }
    }
}

impl RunView {
    /// The one word that people are shown.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        self.outcome.word(self.undone)
    }

    /// How alarming that is.
    #[must_use]
    pub const fn tone(&self) -> Tone {
        self.outcome.tone(self.undone)
    }
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// It goes on.
    Running,
    /// What it did is being put back.
    RollingBack,
    /// Everything is as approved.
    Completed,
    /// It failed, and everything is as before.
    RolledBack,
    /// Somebody stopped it, and everything is as before.
    Cancelled,
    /// A person has to look.
    NeedsAttention,
    /// Nobody can tell whether an act of it happened: a person has to find out.
    Unknown,
}

impl Outcome {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::RollingBack => "rolling_back",
            Self::Completed => "completed",
            Self::RolledBack => "rolled_back",
            Self::Cancelled => "cancelled",
            Self::NeedsAttention => "needs_attention",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a person has to look.
    #[must_use]
    pub const fn waits_for_a_person(self) -> bool {
        matches!(self, Self::NeedsAttention | Self::Unknown)
    }

    /// The one word that people are shown, given whether the run was undone later.
    #[must_use]
    pub const fn word(self, undone: bool) -> &'static str {
        if undone { "undone" } else { self.name() }
    }

    /// How alarming it is, given whether the run was undone later.
    #[must_use]
    pub const fn tone(self, undone: bool) -> Tone {
        match self {
            _ if undone => Tone::Faint,
            Self::Completed => Tone::Good,
            Self::Running | Self::RollingBack => Tone::Warn,
            Self::RolledBack | Self::Cancelled | Self::NeedsAttention | Self::Unknown => Tone::Bad,
        }
    }
}

/// An unfinished run and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recovery {
    /// The run.
    pub run_id: String,
    /// Its plan.
    pub plan_id: String,
    /// How it stands now.
    pub outcome: Outcome,
    /// Why, in words.
    pub reason: String,
    /// Files in which somebody else's change was found and kept.
    pub kept: Vec<String>,
}

/// What undoing a run would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UndoView {
    /// The run to undo.
    pub run_id: String,
    /// Its plan.
    pub plan_id: String,
    /// What the approver signs.
    pub undo_hash: String,
    /// What would happen to each file.
    pub files: Vec<UndoFile>,
}

/// What an undo would do to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UndoFile {
    /// The file.
    pub path: String,
    /// The change, rendered from the exact bytes.
    pub diff: String,
}

/// How a project stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StatusView {
    /// Its folder.
    pub project: String,
    /// The profile in force, unless the policy is broken.
    #[schemars(with = "Option<ProfileWord>")]
    pub profile: Option<&'static str>,
    /// The most the Safety Policy allows.
    #[schemars(with = "Option<ProfileWord>")]
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
    /// What autopilots have to tell of themselves: they fail, or have not looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}
