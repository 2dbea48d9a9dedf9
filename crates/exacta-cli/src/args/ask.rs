//! Arguments of `exacta ask`.

use super::Pace;
use clap::Args;
use std::path::PathBuf;

/// `exacta ask`
#[derive(Debug, Args)]
pub struct Ask {
    /// What is to change, in your words; `-` reads it from standard input
    #[arg(value_name = "TEXT", required_unless_present = "resume")]
    pub text: Option<String>,
    /// The provider to ask; the one that `exacta provider use` chose without it
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// What it is, so that no model has to guess
    #[arg(long, value_name = "TYPE", value_parser = exacta_app::ask::TYPES)]
    pub intent: Option<String>,
    /// What must be; may be repeated
    #[arg(long, value_name = "TEXT", help_heading = "Limits")]
    pub must: Vec<String>,
    /// What must not be; may be repeated
    #[arg(long, value_name = "TEXT", help_heading = "Limits")]
    pub must_not: Vec<String>,
    /// Change nothing outside this path; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Limits")]
    pub only: Vec<String>,
    /// Leave this path alone; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Limits")]
    pub not: Vec<String>,
    /// A file that it is about; may be repeated
    #[arg(long, value_name = "PATH")]
    pub file: Vec<String>,
    /// A function, type or the like that it is about; may be repeated
    #[arg(long, value_name = "NAME")]
    pub symbol: Vec<String>,
    /// The most tokens that it may take, sent and received
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub budget_tokens: Option<u64>,
    /// The most that it may cost, in US dollars
    #[arg(long, value_name = "X", help_heading = "Limits")]
    pub budget_usd: Option<String>,
    /// List what the model would see of the project, and send nothing
    #[arg(long)]
    pub show_context: bool,
    /// Stop after the steps: no change is written, nothing is stored
    #[arg(long)]
    pub plan_only: bool,
    /// Take the reading of the request as right if it is at all likely, without being asked
    #[arg(long)]
    pub confirm_reading: bool,
    /// Go on like `exacta run`: ask if a person is needed, and execute
    #[arg(long)]
    pub run: bool,
    /// Write everything that is sent and answered to this new file, outside the project
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// Go on with an ask that stopped on its way
    #[arg(long, value_name = "ASK_ID", conflicts_with_all = ["text", "intent", "must", "must_not", "only", "not", "file", "symbol"])]
    pub resume: Option<String>,
    /// Answer what was asked, such as `location=src/config.py`; may be repeated
    #[arg(long, value_name = "FIELD=VALUE")]
    pub answer: Vec<String>,
    /// How.
    #[command(flatten)]
    pub pace: Pace,
}
