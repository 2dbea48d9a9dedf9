//! What can be typed: the one definition behind parsing, help, completions and man pages.

mod approver;
mod audit;
mod plan;
mod policy;
mod run;

pub use approver::{ApproverAdd, ApproverCommand, ApproverRemove};
pub use audit::{AuditCommand, AuditList, AuditProve, AuditShow, SessionCommand};
pub use plan::{Approve, Check, Init, List, Reject, Resubmit, Review, Revise, Show, Signer, Source, Submit};
pub use policy::{PolicyCheck, PolicyCommand, PolicyExplain, PolicySet, ProfileCommand, ProfileName, ProfileSet};
pub use run::{Execute, Pace, Run, StatusArgs, Undo};

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Stands between an AI and your files.
///
/// Whatever an agent proposes becomes a plan: strictly parsed, validated, scored, gated by policy, approved by a person or by
/// rule, executed all-or-nothing, undoable, and recorded.
#[derive(Debug, Parser)]
#[command(name = "exacta", version, term_width = 80, disable_help_subcommand = true)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Act as if started in DIR
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Print one JSON object as the result
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the JSON Schema of a proposal
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema,
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The folder; made if it is missing
        dir: PathBuf,
    },
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  exacta schema > plan.schema.json    give it to an agent or an editor";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  exacta completions bash > ~/.local/share/bash-completion/completions/exacta
  exacta completions fish > ~/.config/fish/completions/exacta.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  exacta man ~/.local/share/man/man1";

/// The whole command line as data, for completions and man pages.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}
