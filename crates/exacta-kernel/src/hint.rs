//! What would help, as data: words, and between them things that can be done. Whoever shows a hint words those in its own way: a command, a
//! button, a tool.
//!
//! ```
//! use exacta_kernel::hint;
//! use exacta_kernel::hint::Remedy;
//!
//! let hint = hint!["look at the runs with ", Remedy::Status, ", then try again"];
//! assert_eq!(hint.worded(|_| "“Runs”".to_owned()), "look at the runs with “Runs”, then try again");
//! ```

use crate::id::{PlanId, RunId};
use crate::prelude::*;
use alloc::borrow::Cow;

/// What would help. Its words name no command: a remedy stands where one would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint(Vec<Part>);

/// A part of a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Said the same everywhere.
    Words(String),
    /// Said as the surface offers it.
    Do(Remedy),
}

/// A hint of its parts in order, each words or a [`Remedy`].
#[macro_export]
macro_rules! hint {
    ($($part:expr),+ $(,)?) => { $crate::hint::Hint::of([$($crate::hint::Part::from($part)),+]) };
}

impl Hint {
    /// A hint of these parts; [`hint!`](crate::hint!) is shorter.
    pub fn of(parts: impl IntoIterator<Item = Part>) -> Self {
        Self(parts.into_iter().collect())
    }

    /// Its parts in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// What it offers to do, in order.
    pub fn remedies(&self) -> impl Iterator<Item = &Remedy> {
        self.0.iter().filter_map(|part| match part {
            Part::Do(remedy) => Some(remedy),
            Part::Words(_) => None,
        })
    }

    /// As text, with each remedy as the surface words it.
    #[must_use]
    pub fn worded(&self, word: impl Fn(&Remedy) -> String) -> String {
        let words = self.0.iter().map(|part| match part {
            Part::Words(words) => words.clone(),
            Part::Do(remedy) => word(remedy),
        });
        words.collect()
    }

    /// This, and then that.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        self.0.push("; ".into());
        self.0.extend(next.0);
        self
    }
}

impl From<Remedy> for Part {
    fn from(remedy: Remedy) -> Self {
        Self::Do(remedy)
    }
}

impl From<&str> for Part {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for Part {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<Cow<'_, str>> for Part {
    fn from(words: Cow<'_, str>) -> Self {
        Self::Words(words.into_owned())
    }
}

impl<P: Into<Part>> From<P> for Hint {
    fn from(part: P) -> Self {
        Self(vec![part.into()])
    }
}

/// Something that can be done about what went wrong. The payload names what it is done to, where the error knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    // Plans.
    /// See all plans.
    List,
    /// Look at a plan.
    Show(Option<PlanId>),
    /// See a plan's whole id and its hash.
    ShowIds,
    /// Look at a plan and decide about it.
    Review(PlanId),
    /// Approve a plan.
    Approve(PlanId),
    /// Reject a plan.
    Reject(Option<PlanId>),
    /// Ask for changes of a plan, in words.
    Revise,
    /// Withdraw a plan.
    Withdraw(PlanId),
    /// Make a new plan of the same proposal.
    Resubmit(Option<PlanId>),
    /// Submit a proposal.
    Submit,
    /// Submit a new version of a plan.
    SubmitVersion(PlanId),
    /// See which forms of a change can be submitted.
    SubmitForms,
    /// Propose to put back what is committed, in place of what was not adopted.
    PutBack,
    // Runs.
    /// Run a plan.
    Execute(PlanId),
    /// Undo a run.
    Undo(Option<RunId>),
    /// See the runs, and how the project is.
    Status,
    /// Watch the runs until they end.
    Watch,
    /// End the runs that a crash left open.
    Recover,
    /// End the runs of another project that a crash left open.
    RecoverIn(String),
    /// Say what became of an act that nobody could tell of.
    Resolve {
        /// The run.
        run: RunId,
        /// The step.
        step: String,
    },
    // The project and its record.
    /// Make a project here, or go on with it.
    Init,
    /// Put the record aside and begin another.
    InitAgain,
    /// Begin with a new key, as an approver of another name.
    InitApprover,
    /// See whether everything needed is here.
    Doctor,
    /// Verify the whole record.
    AuditVerify,
    /// See the entries of the log.
    AuditList,
    // Settings.
    /// See the profile in force, and why.
    ProfileCurrent,
    /// Put another profile in force.
    ProfileSet,
    /// See the Safety Policy.
    PolicyShow,
    /// Put a Safety Policy in force.
    PolicySet,
    /// See which rule spoke.
    PolicyExplain,
    /// Go back to the built-in policy.
    PolicyReset,
    /// See the approvers.
    ApproverList,
    /// See where the approvers' keys are.
    ApproverKeys,
    /// Add an approver.
    ApproverAdd,
    /// Remove an approver.
    ApproverRemove,
    /// See the agents' tokens.
    TokenList,
    // The AI pipeline.
    /// Give a request to a model.
    Ask,
    /// Go on with an ask.
    AskResume(String),
    /// Answer what an ask needs to know.
    AskAnswer {
        /// The ask.
        ask: String,
        /// What it needs to know.
        field: String,
        /// A possible answer.
        answer: String,
    },
    /// Go on with an ask under a larger limit.
    AskRaise {
        /// The ask.
        ask: String,
        /// Which limit.
        limit: AskLimit,
    },
    /// See the providers.
    ProviderList,
    /// Choose a provider.
    ProviderUse,
    /// Try a provider.
    ProviderTest(String),
    /// See how a provider is added.
    ProviderAdd,
    /// Add a model of this machine.
    ProviderLocal,
    /// Add a model in the cloud.
    ProviderCloud,
    /// Set a provider up again.
    ProviderSetUp(String),
    /// Give a provider more time.
    ProviderTimeout(String),
    /// Say what a provider costs.
    ProviderPrice,
    // Autopilots.
    /// See the autopilots.
    AutopilotList,
    /// Make an autopilot.
    AutopilotAdd,
    /// Have an autopilot plan again.
    AutopilotRun(String),
    /// See what autopilots did.
    AutopilotRuns,
    /// Extend what an autopilot may do.
    AutopilotAllow,
    /// Allow an autopilot to write to an address.
    AutopilotAllowRecipient(String),
    /// Switch sending on.
    SendingOn,
    /// Change the quiet hours.
    SendingQuiet,
    /// Change how many mails a day are sent.
    SendingPerDay,
    /// See the mail accounts.
    MailList,
    /// Add a mail account.
    MailAdd,
    /// See how a mail account is added.
    MailAddHelp,
    // Copies that agents work in.
    /// See the copies, and which agents run.
    AgentList,
    /// Remove a copy.
    AgentDrop,
    /// See where a copy and the project differ.
    AgentUpdate(String),
    /// Submit what a plan can carry of a copy.
    AgentLeaveRest(String),
    // Sites.
    /// See the sites.
    SiteList,
    /// Add a site.
    SiteAdd,
    /// See how a site is added.
    SiteAddHelp,
    /// Draft a plan for a site.
    SiteDraft(String),
    /// See what was done on sites.
    SiteRuns,
    /// Say what became of a run on a site that nobody could tell of.
    SiteResolve {
        /// The project of the run.
        project: String,
        /// The run.
        run: RunId,
    },
    /// See the role that a site's user needs.
    SiteRole,
    /// See the skills.
    SkillList,
    /// Take skills over from a repository.
    SkillSync,
}

/// A limit of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskLimit {
    /// Tokens.
    Tokens,
    /// Money.
    Cost,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_remedies_are_worded() {
        let hint = hint!["wait, or look: ", Remedy::Status].then("then try again".into());
        assert_eq!(hint.worded(|remedy| format!("<{remedy:?}>")), "wait, or look: <Status>; then try again");
        assert_eq!(hint.remedies().collect::<Vec<_>>(), [&Remedy::Status]);
    }
}
