//! Arguments of the commands about plans and decisions.

use super::ProfileName;
use clap::Args;
use std::path::PathBuf;

/// Where a proposal comes from.
#[derive(Debug, Args)]
pub struct Source {
    /// The proposal or patch: a file, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What comes with it.
    #[command(flatten)]
    pub with: SourceWith,
}

/// What comes with a proposal or patch.
#[derive(Debug, Args)]
pub struct SourceWith {
    /// A limit of your own, such as "MUST_NOT delete files"; may be repeated
    #[arg(long = "constraint", value_name = "TEXT")]
    pub constraints: Vec<String>,
    /// If it is a patch.
    #[command(flatten)]
    pub patch: Patch,
}

/// The group of these in the help. Named at each: what follows a heading of the whole group would come under it, too.
const PATCHES: &str = "Patches";

/// Patches in other forms, and what they are for.
#[derive(Debug, Args)]
pub struct Patch {
    /// The file is a git diff or a `git format-patch` mail; found by itself where it begins like one
    #[arg(long, conflicts_with = "from_codex", help_heading = PATCHES)]
    pub from_git: bool,
    /// The file is a patch that begins with `*** Begin Patch`; found by itself
    #[arg(long, help_heading = PATCHES)]
    pub from_codex: bool,
    /// What the patch is for; default: AddFeature
    #[arg(long, value_name = "TYPE", help_heading = PATCHES)]
    #[arg(value_parser = ["CreateProject", "AddFeature", "FixBug", "BuildPackage"])]
    pub intent: Option<String>,
    /// The same in words; default: the patch's own subject
    #[arg(long, value_name = "TEXT", help_heading = PATCHES)]
    pub text: Option<String>,
}

/// Who decides, and on what.
#[derive(Debug, Args)]
pub struct Signer {
    /// Decide as the approver of this key; without it a person at a terminal is asked
    #[arg(long, value_name = "FILE")]
    pub approver_key: Option<PathBuf>,
}

/// `exacta init`
#[derive(Debug, Args)]
pub struct Init {
    /// How much may happen without a person
    #[arg(long, value_enum, ignore_case = true, value_name = "PROFILE")]
    pub profile: Option<ProfileName>,
    /// The name of the first approver; default: `$USER`, `$LOGNAME` or `me`
    #[arg(long, value_name = "NAME")]
    pub approver: Option<String>,
    /// Keep the first approver's key without a passphrase
    #[arg(long)]
    pub no_passphrase: bool,
    /// Put records aside that were copied from elsewhere, are damaged or gone, and begin new ones
    #[arg(long = "new-record", alias = "anew")]
    pub anew: bool,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta check`
#[derive(Debug, Args)]
pub struct Check {
    /// The proposal.
    #[command(flatten)]
    pub source: Source,
}

/// Whether to wait for a person's answer.
#[derive(Debug, Clone, Copy, Args)]
pub struct AwaitAnswer {
    /// If a person has to decide, wait for the answer; the exit code tells it, as with `exacta wait`
    #[arg(long)]
    pub wait: bool,
    /// Wait at most this long; then the exit code is 30, and the plan still waits
    #[arg(long, value_name = "SECONDS", requires = "wait")]
    pub timeout: Option<u64>,
}

/// `exacta submit`
#[derive(Debug, Args)]
pub struct Submit {
    /// The proposal.
    #[command(flatten)]
    pub source: Source,
    /// The plan this one answers, after a request for changes
    #[arg(long, value_name = "ID")]
    pub revises: Option<String>,
    /// Run the operator's checks on the result first, in their sandbox; whoever decides is shown what they said
    #[arg(long)]
    pub checks: bool,
    /// Whether to wait.
    #[command(flatten)]
    pub answer: AwaitAnswer,
}

/// Where a plan can stand, and then its run.
const WORDS: [&str; 13] = [
    "pending",
    "auto_approved",
    "user_approved",
    "rejected",
    "expired",
    "running",
    "completed",
    "rolling_back",
    "rolled_back",
    "cancelled",
    "needs_attention",
    "unknown",
    "undone",
];

/// `exacta list`
#[derive(Debug, Args)]
pub struct List {
    /// Only plans with this status, or whose run has it
    #[arg(long, value_name = "STATUS", value_parser = WORDS)]
    pub status: Option<String>,
    /// At most this many, newest first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `exacta show`
#[derive(Debug, Args)]
pub struct Show {
    /// The plan: its short id or id; default: `@`, the newest that waits for a person
    #[arg(default_value = "@", hide_default_value = true)]
    pub id: String,
    /// Leave the diffs out
    #[arg(long)]
    pub stat: bool,
    /// Show the bytes of files that are no text, in hexadecimal digits
    #[arg(long)]
    pub hex: bool,
    /// Show the risk alone: every factor, and every reason with its place and points
    #[arg(long)]
    pub risk: bool,
    /// Show the quality alone: every dimension, and every issue with its place, loss and remedy
    #[arg(long)]
    pub quality: bool,
}

/// `exacta diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// The plan: its short id or id; default: `@`, the newest that waits for a person
    pub id: Option<String>,
}

/// `exacta log`
#[derive(Debug, Args)]
pub struct Log {
    /// Only what happened to this plan
    pub plan: Option<String>,
    /// Show what was applied, too
    #[arg(long, short)]
    pub patch: bool,
    /// At most this many, newest first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `exacta review`
#[derive(Debug, Args)]
pub struct Review {
    /// The plan: its short id or id; default: `@`, the newest that waits for a person; `@-1` is the one before
    pub id: Option<String>,
}

/// `exacta approve`
#[derive(Debug, Args)]
pub struct Approve {
    /// The plan: its short id or id; default: `@`, the newest that waits for a person
    #[arg(default_value = "@", hide_default_value = true)]
    pub id: String,
    /// Approve only these steps, as a plan of their own; `s3:1-2` takes only hunks 1 and 2 of a step's diff
    #[arg(long, value_name = "STEP,STEP:HUNKS", value_delimiter = ',')]
    pub steps: Vec<String>,
    /// Run it as soon as it is approved
    #[arg(long)]
    pub run: bool,
    /// The plan hash you were shown, or its start; anything else is refused. Needed with `--approver-key`
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta reject`
#[derive(Debug, Args)]
pub struct Reject {
    /// The plan: its short id or id; default: `@`, the newest that waits for a person
    #[arg(default_value = "@", hide_default_value = true)]
    pub id: String,
    /// Why, for the record and the proposer
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// The plan hash you were shown; anything else is refused
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta revise`
#[derive(Debug, Args)]
pub struct Revise {
    /// The plan: its short id, its id, or `@` for the newest that waits for a person
    pub id: String,
    /// What should be different
    #[arg(value_name = "TEXT")]
    pub request: String,
    /// Where, such as `src/config.py:12`; may be repeated
    #[arg(long, value_name = "PATH:LINE")]
    pub at: Vec<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta edit`
#[derive(Debug, Args)]
pub struct Edit {
    /// The plan: its short id, its id, or `@` for the newest that waits for a person, which is the default
    pub id: Option<String>,
}

/// `exacta resubmit`
#[derive(Debug, Args)]
pub struct Resubmit {
    /// The plan: its short id, its id, or `@` for the newest that waits for a person
    pub id: String,
}

/// `exacta wait`
#[derive(Debug, Args)]
pub struct Wait {
    /// The plans: the first of them that is decided ends the wait
    #[arg(required = true, value_name = "PLAN")]
    pub ids: Vec<String>,
    /// Give up after this many seconds, with exit code 30
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// Wait for the end of the run of an approved plan, too
    #[arg(long)]
    pub run: bool,
}

/// `exacta withdraw`
#[derive(Debug, Args)]
pub struct Withdraw {
    /// The plan: its short id, its id, or `@` for the newest that waits for a person
    pub id: String,
    /// Why, for the record
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}
