//! Who asks for something: a person, an agent, a timer. A surface says who calls; what each may ask for is one table (`table`).

mod table;

pub use table::{Act, Cell, Column, Refusal, Whose};

use crate::agent::{AgentName, is_name};
use crate::error::{Error, Exit};
use exacta_kernel::approval::ApproverName;
use exacta_kernel::audit::Actor;
use exacta_kernel::binding::Proposer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The longest credential, in bytes.
const LONGEST: usize = 128;

/// Who asks. Whoever makes one vouches for it: the command line looked for a terminal, the server looked a session or a token up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A person at a terminal of this machine.
    Terminal {
        /// The agent whose command it is, if the person says so.
        agent: Option<AgentName>,
    },
    /// Whoever named an approver's key on the command line. What the key signs is verified where it counts.
    Key {
        /// The agent whose command it is, if the person says so.
        agent: Option<AgentName>,
    },
    /// A person on the review page, in the session of an approver.
    Session {
        /// Who opened it.
        approver: ApproverName,
    },
    /// The plain command line without a terminal: an agent with every scope, but for what the Safety Policy takes away.
    CommandLine {
        /// The name that the agent goes by.
        agent: Option<AgentName>,
    },
    /// An agent that is connected with a credential of its own.
    Agent {
        /// How it is known.
        credential: Credential,
        /// What it may ask for.
        scopes: BTreeSet<Scope>,
    },
    /// The timer, for one autopilot.
    Timer {
        /// The autopilot whose time has come.
        autopilot: AgentName,
    },
}

/// What a connected agent may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// See the plans of its own credential.
    Read,
    /// See everybody's plans, the log and the settings.
    ReadAll,
    /// Submit plans, answer requests for changes, withdraw what it proposed.
    Propose,
    /// Start what policy alone allows.
    RunAllowed,
    /// Start what a person approved.
    Execute,
}

/// How a connected agent is known: the credential that its plans are bound to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credential(String);

impl Default for Caller {
    /// Nobody has said more: the one that can decide nothing.
    fn default() -> Self {
        Self::CommandLine { agent: None }
    }
}

impl Caller {
    /// The timer, for the autopilot of this name.
    ///
    /// # Errors
    /// If that is no name.
    pub fn timer(autopilot: &str) -> Result<Self, Error> {
        Ok(Self::Timer { autopilot: AgentName::parse(autopilot)? })
    }

    /// The credential that its plans are submitted with.
    #[must_use]
    pub fn credential(&self) -> String {
        match self {
            Self::Terminal { agent } | Self::Key { agent } | Self::CommandLine { agent } => {
                crate::agent::credential(agent.as_ref())
            }
            Self::Session { approver } => format!("approver:{approver}"),
            Self::Agent { credential, .. } => credential.0.clone(),
            Self::Timer { autopilot } => format!("autopilot:{}", autopilot.as_str()),
        }
    }

    /// Who acts, as the log has it. A decision is entered under the name that its signature proves, not under this one.
    #[must_use]
    pub fn actor(&self) -> Actor {
        match self {
            Self::Session { approver } => Actor::Person(approver.clone()),
            _ => Actor::Agent(self.credential()),
        }
    }

    /// The agent that the command line was given for.
    #[must_use]
    pub const fn agent(&self) -> Option<&AgentName> {
        match self {
            Self::Terminal { agent } | Self::Key { agent } | Self::CommandLine { agent } => agent.as_ref(),
            Self::Session { .. } | Self::Agent { .. } | Self::Timer { .. } => None,
        }
    }

    /// Whoever names an approver's key is the owner of that key from then on.
    #[must_use]
    pub fn with_key(self) -> Self {
        match self {
            Self::Terminal { agent } | Self::Key { agent } | Self::CommandLine { agent } => Self::Key { agent },
            other => other,
        }
    }
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Read, Self::ReadAll, Self::Propose, Self::RunAllowed, Self::Execute];

    /// Its name in settings and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadAll => "read_all",
            Self::Propose => "propose",
            Self::RunAllowed => "run_allowed",
            Self::Execute => "execute",
        }
    }

    /// The scope of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

impl Credential {
    /// A credential such as `token:codex`: what kind it is, and a name.
    ///
    /// # Errors
    /// If it has another form, or is one that only another kind of caller has.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let named = text.split_once(':').filter(|(kind, name)| {
            text.len() <= LONGEST && is_name(kind) && name.split(':').all(is_name) && Proposer::is_connected(text)
        });
        if named.is_some() {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("`{}` cannot be an agent's credential", exacta_kernel::text::excerpt(text, LONGEST));
        Err(Error::new(Exit::Usage, "credential_invalid", message)
            .hint("use a kind and a name of lower-case letters, digits, `.`, `_` and `-`, as in `token:codex`"))
    }

    /// The credential as plans have it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_credential_passes_for_another_callers() {
        for good in ["token:codex", "mcp:claude-code.2", "hook:a:b"] {
            assert_eq!(Credential::parse(good).unwrap().as_str(), good);
        }
        let long = format!("token:{}", "x".repeat(200));
        for bad in
            ["", "token", "token:", ":x", "cli:1000", "approver:owner", "autopilot:news", "Token:x", "t:a b", &long]
        {
            assert_eq!(Credential::parse(bad).unwrap_err().code, "credential_invalid", "{bad:?}");
        }
    }

    #[test]
    fn each_caller_has_its_own_credential_and_actor() {
        let user = rustix::process::getuid().as_raw();
        let agent = Some(AgentName::parse("codex").unwrap());
        let owner = ApproverName::parse("owner").unwrap();
        let credential = Credential::parse("token:codex").unwrap();
        let cases = [
            (Caller::default(), format!("cli:{user}"), format!("agent:cli:{user}")),
            (Caller::Terminal { agent: agent.clone() }, format!("cli:{user}:codex"), format!("agent:cli:{user}:codex")),
            (Caller::Key { agent }, format!("cli:{user}:codex"), format!("agent:cli:{user}:codex")),
            (Caller::Session { approver: owner }, "approver:owner".to_owned(), "person:owner".to_owned()),
            (
                Caller::Agent { credential, scopes: BTreeSet::new() },
                "token:codex".to_owned(),
                "agent:token:codex".to_owned(),
            ),
            (Caller::timer("news").unwrap(), "autopilot:news".to_owned(), "agent:autopilot:news".to_owned()),
        ];
        for (caller, credential, actor) in cases {
            assert_eq!((caller.credential(), caller.actor().to_string()), (credential, actor));
        }
        assert!(Caller::timer("a b").is_err());
    }
}
