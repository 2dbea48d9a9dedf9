//! Arguments of the commands about approvers.

use super::Signer;
use clap::{Args, Subcommand};

/// `exacta approver …`
#[derive(Debug, Subcommand)]
pub enum ApproverCommand {
    /// Make a key and put its owner on the list of approvers
    #[command(
        after_help = "Examples:\n  exacta approver add me\n  exacta approver add ci --no-passphrase --approver-key ~/keys/me.key"
    )]
    Add(ApproverAdd),
    /// List everyone who may approve
    #[command(after_help = "Examples:\n  exacta approver list")]
    List,
    /// Take someone off the list; their earlier decisions no longer count
    #[command(after_help = "Examples:\n  exacta approver remove ci")]
    Remove(ApproverRemove),
}

/// `exacta approver add`
#[derive(Debug, Args)]
pub struct ApproverAdd {
    /// The name
    pub name: String,
    /// Keep the key without a passphrase
    #[arg(long)]
    pub no_passphrase: bool,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta approver remove`
#[derive(Debug, Args)]
pub struct ApproverRemove {
    /// The name
    pub name: String,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}
