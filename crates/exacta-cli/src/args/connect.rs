//! `exacta connect`

use super::Signer;
use clap::{Args, ValueEnum};
use exacta_connect::Client;

/// `exacta connect`
#[derive(Debug, Args)]
pub struct Connect {
    /// The agent's program
    #[arg(value_enum, value_name = "AGENT", required_unless_present = "list")]
    pub program: Option<Agent>,
    /// How: `guard` takes direct writing away, `record` makes plans of its edits and stops nothing determined, `copy` is `exacta agent`
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Option<ConnectMode>,
    /// Start the program with a scripted model on this machine, and see what it lets through
    #[arg(long, conflicts_with_all = ["undo", "print", "list", "mode"])]
    pub check: bool,
    /// Put the program's settings back
    #[arg(long, conflicts_with_all = ["print", "list", "mode"])]
    pub undo: bool,
    /// Print what would be written, and write nothing
    #[arg(long, conflicts_with = "list")]
    pub print: bool,
    /// List the programs that are known, and how each is connected
    #[arg(long, conflicts_with_all = ["program", "mode"])]
    pub list: bool,
    /// Serve every project that the program is started in, and not this one alone
    #[arg(long)]
    pub all_projects: bool,
    /// Connect although a key that approves has no passphrase
    #[arg(long)]
    pub key_without_passphrase: bool,
    /// Who agrees.
    #[command(flatten)]
    pub signer: Signer,
    /// Flags that you give the program, to be checked with
    #[arg(last = true, value_name = "FLAGS", requires = "check")]
    pub flags: Vec<String>,
}

/// The programs that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    /// OpenAI's codex.
    Codex,
    /// Claude Code.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// GitHub's Copilot CLI.
    Copilot,
    /// Cline's CLI.
    Cline,
}

/// How an agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConnectMode {
    /// Its own ways to write are taken from it.
    Guard,
    /// Its edits become plans; nothing determined is stopped.
    Record,
    /// It works in a copy: `exacta agent`.
    Copy,
}

impl From<Agent> for Client {
    fn from(agent: Agent) -> Self {
        match agent {
            Agent::Codex => Self::Codex,
            Agent::Claude => Self::Claude,
            Agent::Gemini => Self::Gemini,
            Agent::Opencode => Self::Opencode,
            Agent::Copilot => Self::Copilot,
            Agent::Cline => Self::Cline,
        }
    }
}
