//! Arguments of the commands about agents' tokens.

use super::Signer;
use clap::{Args, Subcommand};

/// `exacta token …`
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Give an agent a token for `exacta serve`; it is printed once
    #[command(
        after_help = "Examples:\n  exacta token add codex\n  exacta token add codex --scope read --scope propose --days 7"
    )]
    Add(TokenAdd),
    /// List every token
    #[command(after_help = "Examples:\n  exacta token list")]
    List,
    /// Revoke a token
    #[command(after_help = "Examples:\n  exacta token revoke codex")]
    Revoke(TokenRevoke),
}

/// `exacta token add`
#[derive(Debug, Args)]
pub struct TokenAdd {
    /// The agent's name; its plans are by `agent:NAME`
    pub name: String,
    /// What it may ask for: read, read_all, propose, run_allowed, execute; default: read, propose, run_allowed
    #[arg(long = "scope", value_name = "SCOPE")]
    pub scopes: Vec<String>,
    /// How many days it counts
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=365))]
    pub days: u64,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta token revoke`
#[derive(Debug, Args)]
pub struct TokenRevoke {
    /// The agent's name
    pub name: String,
}
