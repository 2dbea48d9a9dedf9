//! What a plan may give or use beyond its change: the classes that the Safety Policy can forbid.

use Capability::{
    AgentConfiguration, Ci, Dependency, DependencySource, Network, Permissions, Publish, SecretsAccess, Send, Shell,
};
use serde::{Deserialize, Serialize};

/// Something that a plan would give or use, and that the Safety Policy can forbid as a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Commands are run.
    Shell,
    /// The network is reached, or reaches in.
    Network,
    /// A package comes or changes.
    Dependency,
    /// Packages or tools come from elsewhere.
    DependencySource,
    /// What a build server or deployment does changes.
    Ci,
    /// Who may do what changes.
    Permissions,
    /// What an agent is told or allowed changes.
    AgentConfiguration,
    /// Keys, credentials or stored secrets are read, held or named.
    SecretsAccess,
    /// Something is sent to somebody.
    Send,
    /// Something becomes public.
    Publish,
}

impl Capability {
    /// Every one, in the order of the specification.
    pub const ALL: [Self; 10] = [
        Shell,
        Network,
        Dependency,
        DependencySource,
        Ci,
        Permissions,
        AgentConfiguration,
        SecretsAccess,
        Send,
        Publish,
    ];

    /// The word for it, as the Safety Policy has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Shell => "shell",
            Network => "network",
            Dependency => "dependency",
            DependencySource => "dependency_source",
            Ci => "ci",
            Permissions => "permissions",
            AgentConfiguration => "agent_configuration",
            SecretsAccess => "secrets_access",
            Send => "send",
            Publish => "publish",
        }
    }
}
