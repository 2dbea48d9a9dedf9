//! What each caller may do: one table, and the one place that reads it.

use super::{Caller, Scope};
use exacta_kernel::policy::safety::SafetyPolicy;

/// What somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// Read a plan or a run, check a text, wait for a decision.
    Read,
    /// Read the log, the settings, and what belongs to nobody in particular.
    ReadAll,
    /// Submit a plan.
    Propose,
    /// Submit a new version of a plan, submit it again, withdraw it while it is pending.
    Answer,
    /// Submit what lies in the work tree already, to be adopted or put back.
    Adopt,
    /// Start what policy alone allows.
    StartAllowed,
    /// Start what a person approved.
    StartApproved,
    /// Start what a person approved and said should run.
    StartAsTold,
    /// Cancel a run.
    Cancel,
    /// Undo a run. A person signs for it.
    Undo,
    /// Approve, reject, request changes, withdraw an approval. A person signs for it.
    Decide,
    /// Make a project, or the first approver's key.
    Begin,
    /// What narrows or chooses and needs no signature: lower the profile, end the session, choose or remove a provider.
    Adjust,
    /// Policy, profile, approvers, tokens, providers and other settings. A person signs for it.
    Configure,
}

/// Whose plan something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// No plan that there is yet.
    Nobodys,
    /// One of the caller's own credential.
    Own,
    /// One of another credential.
    Anothers,
}

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// A person at a terminal, with a key, or on the review page.
    Person,
    /// The plain command line without a terminal.
    CommandLine,
    /// A connected agent.
    Agent,
    /// The timer.
    Timer,
}

/// One answer of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// It may. Where a signature is needed, the use case takes the key.
    Yes,
    /// With this scope.
    With(Scope),
    /// With this scope, about plans of its own credential.
    OwnWith(Scope),
    /// About plans of its own credential.
    Own,
    /// It may not.
    Never,
}

/// Why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The caller cannot see the plan: to it there is none.
    Unseen,
    /// It lacks this scope.
    NoScope(Scope),
    /// The plan is another credential's.
    NotOwn,
    /// No caller of this kind may do that.
    Never(Column),
}

impl Act {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 14] = [
        Self::Read,
        Self::ReadAll,
        Self::Propose,
        Self::Answer,
        Self::Adopt,
        Self::StartAllowed,
        Self::StartApproved,
        Self::StartAsTold,
        Self::Cancel,
        Self::Undo,
        Self::Decide,
        Self::Begin,
        Self::Adjust,
        Self::Configure,
    ];

    /// What it is, after "may not".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Read => "read plans",
            Self::ReadAll => "read the log and the settings",
            Self::Propose => "submit plans",
            Self::Answer => "answer for a plan",
            Self::Adopt => "adopt what lies in the work tree",
            Self::StartAllowed => "start what policy allows",
            Self::StartApproved | Self::StartAsTold => "start what a person approved",
            Self::Cancel => "cancel runs",
            Self::Undo => "undo runs",
            Self::Decide => "decide about plans",
            Self::Begin => "make a project",
            Self::Adjust | Self::Configure => "change settings",
        }
    }

    /// THE TABLE: what the callers of a column may do.
    #[must_use]
    pub const fn cell(self, column: Column) -> Cell {
        use Cell::{Never, Own, OwnWith, With, Yes};
        use Scope::{Execute, Propose, Read, ReadAll, RunAllowed};
        let [person, command_line, agent, timer] = match self {
            // [person, command line, agent, timer]
            Self::Read => [Yes, With(Read), With(Read), Own],
            Self::ReadAll => [Yes, With(ReadAll), With(ReadAll), Never],
            Self::Propose => [Yes, With(Propose), With(Propose), Yes],
            Self::Answer => [Yes, With(Propose), OwnWith(Propose), Own],
            Self::Adopt => [Yes, Never, Never, Never],
            Self::StartAllowed => [Yes, With(RunAllowed), With(RunAllowed), Own],
            Self::StartApproved => [Yes, With(Execute), With(Execute), Never],
            Self::StartAsTold => [Yes, With(Execute), With(Execute), Own],
            Self::Cancel => [Yes, With(Propose), OwnWith(Propose), Own],
            Self::Undo => [Yes, Never, Never, Never],
            Self::Decide => [Yes, Never, Never, Never],
            Self::Begin => [Yes, Yes, Never, Never],
            Self::Adjust => [Yes, Yes, Never, Never],
            Self::Configure => [Yes, Never, Never, Never],
        };
        match column {
            Column::Person => person,
            Column::CommandLine => command_line,
            Column::Agent => agent,
            Column::Timer => timer,
        }
    }
}

impl Caller {
    /// The column that it is in.
    #[must_use]
    pub const fn column(&self) -> Column {
        match self {
            Self::Terminal { .. } | Self::Key { .. } | Self::Session { .. } => Column::Person,
            Self::CommandLine { .. } => Column::CommandLine,
            Self::Agent { .. } => Column::Agent,
            Self::Timer { .. } => Column::Timer,
        }
    }

    /// Whether it has a scope. A person needs none, and a timer has none.
    #[must_use]
    pub fn has(&self, scope: Scope) -> bool {
        match self {
            Self::Terminal { .. } | Self::Key { .. } | Self::Session { .. } | Self::CommandLine { .. } => true,
            Self::Agent { scopes, .. } => scopes.contains(&scope),
            Self::Timer { .. } => false,
        }
    }

    /// Whether it may do something.
    ///
    /// # Errors
    /// Why not.
    pub fn may(&self, act: Act, whose: Whose) -> Result<(), Refusal> {
        // What a caller cannot see is not there, whatever it asks for.
        if whose == Whose::Anothers && !self.has(Scope::ReadAll) {
            return Err(Refusal::Unseen);
        }
        let cell = act.cell(self.column());
        let scope = match cell {
            Cell::Never => return Err(Refusal::Never(self.column())),
            Cell::Yes | Cell::Own => None,
            Cell::With(scope) | Cell::OwnWith(scope) => Some(scope),
        };
        if let Some(scope) = scope.filter(|scope| !self.has(*scope)) {
            return Err(Refusal::NoScope(scope));
        }
        match (cell, whose) {
            (Cell::Own | Cell::OwnWith(_), Whose::Anothers) => Err(Refusal::NotOwn),
            _ => Ok(()),
        }
    }

    /// The scope that the Safety Policy takes from it, if it needs that one for this.
    ///
    /// # Errors
    /// [`Refusal::NoScope`] with that scope.
    pub fn may_under(&self, act: Act, policy: &SafetyPolicy) -> Result<(), Refusal> {
        let taken = self.column() == Column::CommandLine && !policy.command_line_execute;
        match act.cell(self.column()) {
            Cell::With(Scope::Execute) if taken => Err(Refusal::NoScope(Scope::Execute)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Credential;
    use super::*;
    use crate::agent::AgentName;
    use exacta_kernel::approval::ApproverName;
    use std::collections::BTreeSet;

    /// What each caller may do with its own plan, and with another's. `yes`, `-` for never, `?` for a plan that is not there to it, `own` for one
    /// that it sees and may not touch, or the scope that is missing.
    const EXPECTED: &str = "
                   terminal   key        session    command_line agent_all    agent_none       agent_own       timer
read               yes yes    yes yes    yes yes    yes yes      yes yes      read ?           yes ?           yes ?
read_all           yes yes    yes yes    yes yes    yes yes      yes yes      read_all ?       read_all ?      - ?
propose            yes yes    yes yes    yes yes    yes yes      yes yes      propose ?        yes ?           yes ?
answer             yes yes    yes yes    yes yes    yes yes      yes own      propose ?        yes ?           yes ?
adopt              yes yes    yes yes    yes yes    - -          - -          - ?              - ?             - ?
start_allowed      yes yes    yes yes    yes yes    yes yes      yes yes      run_allowed ?    yes ?           yes ?
start_approved     yes yes    yes yes    yes yes    yes yes      yes yes      execute ?        execute ?       - ?
start_as_told      yes yes    yes yes    yes yes    yes yes      yes yes      execute ?        execute ?       yes ?
cancel             yes yes    yes yes    yes yes    yes yes      yes own      propose ?        yes ?           yes ?
undo               yes yes    yes yes    yes yes    - -          - -          - ?              - ?             - ?
decide             yes yes    yes yes    yes yes    - -          - -          - ?              - ?             - ?
begin              yes yes    yes yes    yes yes    yes yes      - -          - ?              - ?             - ?
adjust             yes yes    yes yes    yes yes    yes yes      - -          - ?              - ?             - ?
configure          yes yes    yes yes    yes yes    - -          - -          - ?              - ?             - ?
";

    fn callers() -> Vec<Caller> {
        let agent = |scopes: &[Scope]| Caller::Agent {
            credential: Credential::parse("token:codex").unwrap(),
            scopes: scopes.iter().copied().collect::<BTreeSet<_>>(),
        };
        vec![
            Caller::Terminal { agent: None },
            Caller::Key { agent: Some(AgentName::parse("codex").unwrap()) },
            Caller::Session { approver: ApproverName::parse("owner").unwrap() },
            Caller::CommandLine { agent: None },
            agent(&Scope::ALL),
            agent(&[]),
            agent(&[Scope::Read, Scope::Propose, Scope::RunAllowed]),
            Caller::timer("news").unwrap(),
        ]
    }

    fn word(answer: Result<(), Refusal>) -> &'static str {
        match answer {
            Ok(()) => "yes",
            Err(Refusal::Never(_)) => "-",
            Err(Refusal::Unseen) => "?",
            Err(Refusal::NotOwn) => "own",
            Err(Refusal::NoScope(scope)) => scope.name(),
        }
    }

    #[test]
    fn every_cell_is_as_it_was_meant() {
        let rows: Vec<&str> = EXPECTED.trim().lines().skip(1).collect();
        assert_eq!(rows.len(), Act::ALL.len());
        for (act, row) in Act::ALL.into_iter().zip(rows) {
            let mut words = row.split_whitespace();
            let name = words.next().unwrap();
            assert_eq!(format!("{act:?}").to_lowercase(), name.replace('_', ""), "the order of the rows");
            for caller in callers() {
                for whose in [Whose::Own, Whose::Anothers] {
                    assert_eq!(word(caller.may(act, whose)), words.next().unwrap(), "{act:?} {caller:?} {whose:?}");
                }
                // What is about no plan is as what is about one's own.
                assert_eq!(caller.may(act, Whose::Nobodys), caller.may(act, Whose::Own), "{act:?} {caller:?}");
            }
            assert_eq!(words.next(), None);
        }
    }

    #[test]
    fn one_scope_gives_what_it_says_and_no_more() {
        for scope in Scope::ALL {
            let caller = Caller::Agent { credential: Credential::parse("t:a").unwrap(), scopes: [scope].into() };
            let given: Vec<Act> = Act::ALL.into_iter().filter(|act| caller.may(*act, Whose::Own).is_ok()).collect();
            let meant: &[Act] = match scope {
                Scope::Read => &[Act::Read],
                Scope::ReadAll => &[Act::ReadAll],
                Scope::Propose => &[Act::Propose, Act::Answer, Act::Cancel],
                Scope::RunAllowed => &[Act::StartAllowed],
                Scope::Execute => &[Act::StartApproved, Act::StartAsTold],
            };
            assert_eq!(given, meant, "{scope:?}");
        }
    }

    #[test]
    fn the_policy_takes_execute_from_the_command_line_alone() {
        let without = SafetyPolicy { command_line_execute: false, ..SafetyPolicy::default() };
        for caller in callers() {
            for act in Act::ALL {
                assert_eq!(caller.may_under(act, &SafetyPolicy::default()), Ok(()));
                let taken =
                    caller.column() == Column::CommandLine && matches!(act, Act::StartApproved | Act::StartAsTold);
                let expected = if taken { Err(Refusal::NoScope(Scope::Execute)) } else { Ok(()) };
                assert_eq!(caller.may_under(act, &without), expected, "{act:?} {caller:?}");
            }
        }
    }
}
