//! Arguments of the commands about policy and profiles.

use super::Signer;
use clap::{Args, Subcommand, ValueEnum};
use exacta_kernel::policy::profile::Profile;
use std::path::PathBuf;

/// A profile as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProfileName {
    /// Every change is confirmed by a person.
    #[value(name = "SAFE")]
    Safe,
    /// Good changes of low and medium risk run by themselves.
    #[value(name = "DEV")]
    Dev,
    /// Moderate quality runs by itself too.
    #[value(name = "FULL-AUTO")]
    FullAuto,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Safe => Self::Safe,
            ProfileName::Dev => Self::Dev,
            ProfileName::FullAuto => Self::FullAuto,
        }
    }
}

/// `exacta profile …`
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the profiles and what each means
    #[command(after_help = "Examples:\n  exacta profile list")]
    List,
    /// Show the profile of this project
    #[command(after_help = "Examples:\n  exacta profile current")]
    Current,
    /// Show what one profile does
    #[command(after_help = "Examples:\n  exacta profile show DEV")]
    Show {
        /// The profile
        #[arg(value_enum, ignore_case = true)]
        name: ProfileName,
    },
    /// Change the profile of this project; raising it needs a person
    #[command(
        after_help = "Examples:\n  exacta profile set SAFE\n  exacta profile set DEV --approver-key ~/keys/me.key"
    )]
    Set(ProfileSet),
}

/// `exacta profile set`
#[derive(Debug, Args)]
pub struct ProfileSet {
    /// The profile
    #[arg(value_enum, ignore_case = true)]
    pub name: ProfileName,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta policy …`
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Show the Safety Policy in force and where it comes from
    #[command(after_help = "Examples:\n  exacta policy show\n  exacta policy show > my-policy.toml")]
    Show,
    /// Check a policy file, or the one in force, without changing anything
    #[command(after_help = "Examples:\n  exacta policy check\n  exacta policy check my-policy.toml")]
    Check(PolicyCheck),
    /// Explain what the gates say of a plan, why, and what would have to change for it to be allowed without asking
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(PolicyExplain),
    /// Change one key of the policy, or put a policy file into force; needs a person, who is shown the change
    #[command(after_help = SET_EXAMPLES)]
    Set(PolicySet),
    /// Change the policy in your editor; needs a person, who is shown the change
    #[command(after_help = "Examples:\n  exacta policy edit\n  EDITOR='code --wait' exacta policy edit")]
    Edit(Signer),
    /// Go back to the built-in policy; needs a person
    #[command(after_help = "Examples:\n  exacta policy reset")]
    Reset(Signer),
}

const SET_EXAMPLES: &str = "\
Examples:
  exacta policy set caps.submitted_files 40
  exacta policy set ceiling SAFE
  exacta policy set my-policy.toml --approver-key ~/keys/me.key";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  exacta policy explain plan.json
  exacta policy explain k3f9 --json
  exacta policy explain --operation file_delete --path src/main.py --risk 40";

/// `exacta policy check`
#[derive(Debug, Args)]
pub struct PolicyCheck {
    /// The file, or `-` for standard input; default: the policy in force
    pub file: Option<PathBuf>,
}

/// `exacta policy explain`
#[derive(Debug, Args)]
pub struct PolicyExplain {
    /// A proposal (a file, or `-` for standard input), or the id of a plan; without it, a plan is supposed
    pub plan: Option<PathBuf>,
    /// Suppose a step of this type, such as file_delete
    #[arg(long, value_name = "TYPE", conflicts_with = "plan")]
    pub operation: Option<String>,
    /// Suppose this file
    #[arg(long, value_name = "PATH", conflicts_with = "plan")]
    pub path: Option<String>,
    /// Suppose this risk
    #[arg(long, value_name = "0-100", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub risk: u32,
    /// Suppose this quality, in percent
    #[arg(long, value_name = "0-100", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub quality: u32,
    /// Suppose that it reaches what runs by itself or steers tools
    #[arg(long, conflicts_with = "plan")]
    pub system_level: bool,
}

/// `exacta policy set`
#[derive(Debug, Args)]
pub struct PolicySet {
    /// A key such as `caps.submitted_files`, with its value; or alone a policy file, or `-` for standard input
    #[arg(value_name = "KEY|FILE")]
    pub file: PathBuf,
    /// The key's new value, as TOML; a bare word is a text
    pub value: Option<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}
