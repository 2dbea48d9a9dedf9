//! `exacta hook`

use clap::{Args, ValueEnum};
use exacta_connect::Client;

/// `exacta hook`
#[derive(Debug, Args)]
pub struct Hook {
    /// The program that asks
    #[arg(value_enum, value_name = "AGENT")]
    pub program: HookAgent,
}

/// The programs whose hooks are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookAgent {
    /// Claude Code.
    Claude,
    /// OpenAI's codex.
    Codex,
}

impl From<HookAgent> for Client {
    fn from(agent: HookAgent) -> Self {
        match agent {
            HookAgent::Claude => Self::Claude,
            HookAgent::Codex => Self::Codex,
        }
    }
}
