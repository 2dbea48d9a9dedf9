//! Arguments of the commands about sites and skills.

use super::Signer;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const DRAFT_EXAMPLES: &str = "\
Examples:
  exacta site draft blog --skill wp.pages --goal \"a price list\" \\
    --inputs pages.json --planner-output answer.json";

const ADD_EXAMPLES: &str = "\
Examples:
  exacta site add blog https://example.com --user exacta --password-stdin
  exacta site add blog https://example.com --user exacta --password-keyring";

/// `exacta site …`
#[derive(Debug, Subcommand)]
pub enum SiteCommand {
    /// Add a WordPress site: it is asked what its user can do, and an approver signs
    #[command(after_help = ADD_EXAMPLES)]
    Add(SiteAdd),
    /// List your sites
    #[command(after_help = "Examples:\n  exacta site list")]
    List,
    /// Show a site: its user, and the tools it offers
    #[command(after_help = "Examples:\n  exacta site show blog")]
    Show(SiteOne),
    /// Ask a site what its user can do there, and say in words what is wrong
    #[command(after_help = "Examples:\n  exacta site probe blog")]
    Probe(SiteOne),
    /// Print the least role that a site's user needs, to paste
    #[command(after_help = "Examples:\n  exacta site role")]
    Role,
    /// Remove a site, and its password where it is kept here
    #[command(after_help = "Examples:\n  exacta site remove blog")]
    Remove(SiteOne),
    /// Make a plan for a site of a planner's answer, or of your provider's; prints Plan Contract v1
    #[command(override_usage = "exacta site draft NAME --skill ID --goal TEXT --inputs FILE\n       [--planner-output FILE | --provider NAME]", after_help = DRAFT_EXAMPLES)]
    Draft(SiteDraftArgs),
    /// List runs on your sites, newest first
    #[command(after_help = "Examples:\n  exacta site runs blog")]
    Runs(SiteRuns),
    /// Show a run on a site: each call, its page, what was stored
    #[command(after_help = "Examples:\n  exacta site run-show RUN --json")]
    RunShow(SiteRun),
    /// Say what became of a call that nobody could tell of, as you found it on the site; an approver signs
    #[command(after_help = "Examples:\n  exacta site resolve RUN s2 landed")]
    Resolve(SiteResolve),
}

/// `exacta site add`
#[derive(Debug, Args)]
pub struct SiteAdd {
    /// What you call it
    pub name: String,
    /// Its address: https, or http on this machine alone
    pub url: String,
    /// The user who acts there
    #[arg(long, value_name = "USER")]
    pub user: String,
    /// Read the application password from this variable of the environment, at every use
    #[arg(long, value_name = "VARIABLE", group = "password", required_unless_present_any = ["password_file", "password_stdin", "password_keyring"])]
    pub password_env: Option<String>,
    /// Read it from this file, mode 0600, outside every project, at every use
    #[arg(long, value_name = "FILE", group = "password")]
    pub password_file: Option<PathBuf>,
    /// Read it from standard input now, and keep it in your own folder, mode 0600
    #[arg(long, group = "password")]
    pub password_stdin: bool,
    /// Read it from standard input now, and keep it in the kernel's keyring until the machine is switched off
    #[arg(long, group = "password")]
    pub password_keyring: bool,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// One site.
#[derive(Debug, Args)]
pub struct SiteOne {
    /// The site's name
    pub name: String,
}

/// `exacta site draft`
#[derive(Debug, Args)]
pub struct SiteDraftArgs {
    /// The site's name
    pub name: String,
    /// The skill
    #[arg(long, value_name = "ID")]
    pub skill: String,
    /// What is to be achieved
    #[arg(long, value_name = "TEXT")]
    pub goal: String,
    /// A JSON object with `pages`
    #[arg(long, value_name = "FILE")]
    pub inputs: PathBuf,
    /// What the planner answered; `-` is standard input. Without it your provider is asked
    #[arg(long, value_name = "FILE")]
    pub planner_output: Option<PathBuf>,
    /// The provider that plans, in place of the one you chose
    #[arg(long, value_name = "NAME", conflicts_with = "planner_output")]
    pub provider: Option<String>,
    /// fast, balanced, quality or reasoning [default: balanced]
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<String>,
    /// cheap, balanced or quality [default: quality]
    #[arg(long, value_name = "PREFERENCE")]
    pub prefer: Option<String>,
}

/// `exacta site runs`
#[derive(Debug, Args)]
pub struct SiteRuns {
    /// Only those of this site
    pub name: Option<String>,
}

/// One run.
#[derive(Debug, Args)]
pub struct SiteRun {
    /// The run: its whole id
    pub run: String,
}

/// `exacta site resolve`
#[derive(Debug, Args)]
pub struct SiteResolve {
    /// The run: its whole id
    pub run: String,
    /// The step that nobody can tell of
    pub step: String,
    /// What you found on the site
    #[arg(value_enum)]
    pub word: Landed,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// What a person found on the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Landed {
    /// The page is as the step leaves it.
    Landed,
    /// It is as before.
    NotLanded,
}

/// `exacta skill …`
#[derive(Debug, Subcommand)]
pub enum SkillCommand {
    /// Take the skills of a repository at a commit over, all or none; an approver signs
    #[command(after_help = "Examples:\n  exacta skill sync --repo file:///srv/skills --commit SHA")]
    Sync(SkillSync),
    /// List the skills of this project, or of your desk
    #[command(after_help = "Examples:\n  exacta skill list --tag seo --safety-class read")]
    List(SkillList),
    /// Show a skill: its tools, caps and commit
    #[command(after_help = "Examples:\n  exacta skill show wp.content.audit")]
    Show(SkillOne),
}

/// `exacta skill sync`
#[derive(Debug, Args)]
pub struct SkillSync {
    /// The repository: on github.com, or `file:///PATH`
    #[arg(long, value_name = "URL")]
    pub repo: String,
    /// The commit
    #[arg(long, value_name = "SHA")]
    pub commit: String,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta skill list`
#[derive(Debug, Clone, Args)]
pub struct SkillList {
    /// Only those with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Only those of this class: read, write_draft, write_publish
    #[arg(long, value_name = "CLASS")]
    pub safety_class: Option<String>,
    /// Only those that are deprecated
    #[arg(long)]
    pub deprecated: bool,
    /// Only those with this text in their id, name or description
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// At most this many, 1 to 100 [default: 20]
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<usize>,
    /// Leave this many out at the beginning
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub offset: usize,
}

/// One skill.
#[derive(Debug, Args)]
pub struct SkillOne {
    /// The skill's name
    pub id: String,
}
