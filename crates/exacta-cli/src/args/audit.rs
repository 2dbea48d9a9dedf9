//! Arguments of the commands about the record and sessions.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `exacta session …`
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// Show the session that plans are made in
    #[command(after_help = "Examples:\n  exacta session show")]
    Show,
    /// End it: every plan made in it expires
    #[command(after_help = "Examples:\n  exacta session end")]
    End,
}

/// `exacta audit …`
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// List the newest entries, in the order they were made
    #[command(after_help = "Examples:\n  exacta audit list --limit 50\n  exacta audit list --plan k3f9")]
    List(AuditList),
    /// Verify the whole log, and say what could and could not be established
    #[command(after_help = "Examples:\n  exacta audit verify\n  exacta audit verify --json")]
    Verify,
    /// Show one entry
    #[command(after_help = "Examples:\n  exacta audit show 17")]
    Show(AuditShow),
    /// Write a proof that an entry is in the log
    #[command(after_help = "Examples:\n  exacta audit prove 17 > entry-17.tlog-proof")]
    Prove(AuditProve),
}

/// `exacta audit list`
#[derive(Debug, Args)]
pub struct AuditList {
    /// Only entries about this plan
    #[arg(long, value_name = "ID")]
    pub plan: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `exacta audit show`
#[derive(Debug, Args)]
pub struct AuditShow {
    /// The entry's number
    pub seq: u64,
}

/// `exacta audit prove`
#[derive(Debug, Args)]
pub struct AuditProve {
    /// The entry's number
    pub seq: u64,
    /// Where to write the proof; standard output unless told
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
