//! What to do about a plan next, and who does it: the same answer on every surface.

use crate::plan::PlanView;
use crate::record::{Outcome, PlanDetail, RunView};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use schemars::JsonSchema;
use serde::Serialize;

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// Whose turn it is.
    pub who: Who,
    /// The command that they give, if one helps; `FILE` stands for the proposal.
    pub command: Option<String>,
    /// The MCP tool for the agent to call meanwhile, if one helps.
    pub tool: Option<String>,
    /// Why, and how.
    pub why: String,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Who {
    /// The agent's that proposed it.
    Agent,
    /// A person's.
    Person,
    /// Nobody's: it is over, or goes on by itself.
    Nobody,
}

/// What the proposer may do beside proposing: that decides what it is told to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Start what policy alone allows.
    pub run_allowed: bool,
    /// Start what a person approved.
    pub execute: bool,
}

impl Rights {
    /// Of the plain command line, unless the Safety Policy takes them away.
    pub const COMMAND_LINE: Self = Self { run_allowed: true, execute: true };
}

const FIX: &str = "fix every finding, and submit the whole change again";
const FORBIDDEN: &str =
    "the policy forbids it: do not try another way; tell the person why, and ask what they want instead";
const REJECTED: &str =
    "do not submit the same change again, and do not try another way; ask the person what they want instead";
const EXPIRED: &str = "if the change is still wanted, make it again from the files as they are now, and submit that";
const UNDECIDED: &str = "a person decides about it; that is no denial. Wait, or go on with other work; do not submit it again, and do not try another way";

const SUBMIT: &str = "exacta submit FILE";

impl Next {
    /// After a text was only checked.
    #[must_use]
    pub fn checked(view: &PlanView) -> Self {
        match view.decision {
            Verdict::Allow => Self::agent("submit", "the policy allows it: submit it and have it applied at once")
                .command("exacta run FILE"),
            Verdict::Confirm => Self::agent("submit", "submit it: a person will be asked").command(SUBMIT),
            Verdict::Deny => Self::agent("check", FIX).command("exacta check FILE"),
        }
    }

    /// After a text was submitted.
    #[must_use]
    pub fn submitted(view: &PlanView, rights: Rights) -> Self {
        if view.plan_id.is_none() || view.decision == Verdict::Deny { denied(view) } else { stored(view, rights) }
    }

    /// Of a plan with all that happened to it.
    #[must_use]
    pub fn standing(detail: &PlanDetail, rights: Rights) -> Self {
        detail.run.as_ref().map_or_else(|| stored(&detail.plan, rights), ran)
    }

    fn agent(tool: &str, why: &str) -> Self {
        Self { who: Who::Agent, command: None, tool: Some(tool.to_owned()), why: why.to_owned() }
    }

    fn person(tool: &str, why: &str) -> Self {
        Self { who: Who::Person, ..Self::agent(tool, why) }
    }

    fn nobody(why: &str) -> Self {
        Self { who: Who::Nobody, command: None, tool: None, why: why.to_owned() }
    }

    fn command(self, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..self }
    }
}

/// What is wrong with it can be fixed, or it is forbidden whatever is done.
fn denied(view: &PlanView) -> Next {
    if !view.findings.is_empty() {
        return Next::agent("submit", FIX).command(SUBMIT);
    }
    let next = Next::agent("findings", FORBIDDEN);
    match &view.plan_id {
        Some(id) => next.command(format!("exacta policy explain {id}")),
        None => next,
    }
}

/// Before there is a run.
fn stored(view: &PlanView, rights: Rights) -> Next {
    let id = view.plan_id.as_deref().unwrap_or_default();
    match view.status {
        Some(Status::Pending) if view.changes_requested.is_some() => {
            Next::agent("submit", "submit the whole change again as a new version of this plan")
                .command(format!("{SUBMIT} --revises {id}"))
        }
        Some(Status::Pending) => Next::person("wait", UNDECIDED).command(format!("exacta review {id}")),
        Some(status @ (Status::AutoApproved | Status::UserApproved)) => {
            approved(status == Status::AutoApproved, rights).command(format!("exacta execute {id}"))
        }
        Some(Status::Rejected) if view.decision == Verdict::Deny => denied(view),
        Some(Status::Rejected) => Next { tool: None, ..Next::agent("", REJECTED) },
        Some(Status::Expired) => Next::agent("submit", EXPIRED).command(format!("exacta resubmit {id}")),
        None => Next::agent("submit", EXPIRED).command(SUBMIT),
    }
}

fn approved(by_policy: bool, rights: Rights) -> Next {
    match (by_policy, rights) {
        (_, Rights { execute: true, .. }) => Next::agent("execute", "start it"),
        (true, Rights { run_allowed: true, .. }) => Next::agent(
            "submit",
            "to have it applied at once, submit it again with `run: true`; or a person starts this one",
        ),
        _ => Next::person("wait", "a person starts it; waiting until it is applied tells when"),
    }
}

fn ran(run: &RunView) -> Next {
    match run.outcome {
        Outcome::Completed if run.undone => Next::nobody("a person undid it; ask them why"),
        Outcome::Completed => Next::nobody("it is done; work on with the files as they are now"),
        Outcome::Running | Outcome::RollingBack => {
            Next { tool: Some("wait".to_owned()), ..Next::nobody("it goes on by itself") }
                .command(format!("exacta wait {} --run", run.plan_id))
        }
        Outcome::RolledBack | Outcome::Cancelled => {
            Next::agent("submit", "look at the reason; if it can be fixed, submit the whole change again")
                .command(SUBMIT)
        }
        Outcome::NeedsAttention | Outcome::Unknown => {
            Next::person("status", "tell the person; do not try it again").command("exacta status")
        }
    }
}
