//! What can be typed after `exacta agent`.

use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// An agent in a copy of the project, or something about the copies.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct AgentArgs {
    /// Something about the copies.
    #[command(subcommand)]
    pub command: Option<AgentCommand>,
    /// How the agent runs.
    #[command(flatten)]
    pub run: AgentRun,
}

/// How an agent runs.
#[derive(Debug, Args)]
pub struct AgentRun {
    /// The copy's name; one that is there is brought up to date and used again
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Whom the agent may speak to
    #[arg(long, value_enum, default_value_t = NetworkWord::Provider)]
    pub network: NetworkWord,
    /// A host beside: `mirror.example.com`, `localhost:11434`, `*.example.com`
    #[arg(long, value_name = "HOST")]
    pub allow: Vec<String>,
    /// A path that the agent sees, read-only; an ignored one of the project is copied
    #[arg(long, value_name = "PATH")]
    pub share: Vec<PathBuf>,
    /// A variable of yours that the agent has
    #[arg(long = "env", value_name = "NAME")]
    pub variables: Vec<String>,
    /// What the plan is submitted with.
    #[command(flatten)]
    pub plan: AgentPlan,
    /// The agent and its arguments
    #[arg(last = true, value_name = "COMMAND", required = true)]
    pub line: Vec<OsString>,
}

/// What a difference is submitted with.
#[derive(Debug, Clone, Args)]
pub struct AgentPlan {
    /// What kind of change it is
    #[arg(long, value_name = "INTENT", value_parser = ["CreateProject", "AddFeature", "FixBug", "BuildPackage"])]
    pub intent: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// What the agent is: `anthropic/claude-opus-5`, with `@VERSION` where known
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Go on without what a plan cannot carry
    #[arg(long)]
    pub leave_rest: bool,
}

/// Whom an agent may speak to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NetworkWord {
    /// Its client's provider, and what `--allow` names.
    Provider,
    /// What `--allow` names, and nobody else.
    None,
    /// Every public host.
    All,
}

/// Something about the copies.
#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// List the copies of this project
    #[command(after_help = "Examples:\n  exacta agent list\n  exacta agent list --json")]
    List,
    /// Submit what the agent of a copy changed as one plan
    #[command(
        after_help = "Examples:\n  exacta agent submit claude\n  exacta agent submit claude --text 'round half up' --intent FixBug\n  exacta agent submit claude --leave-rest"
    )]
    Submit {
        /// The copy
        name: String,
        /// What the plan is submitted with.
        #[command(flatten)]
        plan: AgentPlan,
    },
    /// Show what the agent of a copy changed
    #[command(after_help = "Examples:\n  exacta agent diff claude\n  exacta agent diff claude --json")]
    Diff {
        /// The copy
        name: String,
    },
    /// Bring a copy to the project's present state, or say where the two differ
    #[command(after_help = "Examples:\n  exacta agent update claude\n  exacta agent update claude --take copy")]
    Update {
        /// The copy
        name: String,
        /// Which side wins where both changed a file
        #[arg(long, value_enum)]
        take: Option<TakeWord>,
    },
    /// Remove a copy with all that its agent did
    #[command(after_help = "Examples:\n  exacta agent drop claude\n  exacta agent drop claude --yes")]
    Drop {
        /// The copy
        name: String,
        /// Without asking, also where something was not submitted
        #[arg(long)]
        yes: bool,
    },
}

/// Which side wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TakeWord {
    /// The copy: its next plan changes what the project has now.
    Copy,
    /// The project: what the agent did to these files is gone.
    Project,
}
