//! Arguments of the commands that act.

use super::{AwaitAnswer, Signer, SourceWith};
use clap::Args;
use std::path::PathBuf;

/// How a run goes.
#[derive(Debug, Args)]
pub struct Pace {
    /// Do not wait for the disk: unsafe on power loss, still safe if the process dies
    #[arg(long)]
    pub no_sync: bool,
    /// Wait for other runs on the same files instead of giving up
    #[arg(long)]
    pub queue: bool,
    /// Print JSON lines on the way, the result last
    #[arg(long)]
    pub events: bool,
}

/// `exacta execute`
#[derive(Debug, Args)]
pub struct Execute {
    /// The plan: its short id, its id, or `@` for the newest that waits for a person
    pub id: String,
    /// How.
    #[command(flatten)]
    pub pace: Pace,
    /// Go on in the background; `exacta status` shows how it goes
    #[arg(long)]
    pub detach: bool,
}

/// `exacta run`
#[derive(Debug, Args)]
pub struct Run {
    /// The proposal or patch: a file, or `-` for standard input; with `--from-worktree`, changed files and folders
    #[arg(value_name = "FILE", required_unless_present = "from_worktree")]
    pub files: Vec<PathBuf>,
    /// Adopt what is changed already in your git work tree: nothing is written. Only for a person at a terminal
    #[arg(long, conflicts_with_all = ["from_git", "from_codex"])]
    pub from_worktree: bool,
    /// The opposite: put back what is committed
    #[arg(long, requires = "from_worktree")]
    pub put_back: bool,
    /// What comes with it.
    #[command(flatten)]
    pub with: SourceWith,
    /// How.
    #[command(flatten)]
    pub pace: Pace,
    /// Go on in the background; `exacta status` shows how it goes
    #[arg(long)]
    pub detach: bool,
    /// Whether to wait for an answer that is given elsewhere.
    #[command(flatten)]
    pub answer: AwaitAnswer,
}

/// `exacta undo`
#[derive(Debug, Args)]
pub struct Undo {
    /// The run or its plan: an id or the start of it; by default the newest run. With `--approver-key` only a whole id
    pub id: Option<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
    /// How.
    #[command(flatten)]
    pub pace: Pace,
}

/// `exacta cancel`
#[derive(Debug, Args)]
pub struct Cancel {
    /// The run or its plan: an id or the start of it
    #[arg(value_name = "RUN")]
    pub id: String,
}

/// `exacta status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Keep looking until nothing runs any more
    #[arg(long)]
    pub watch: bool,
}
