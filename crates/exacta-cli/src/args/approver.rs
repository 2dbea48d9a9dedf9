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
    /// Give your key another passphrase; decisions and approvals stay as they are
    #[command(after_help = "Examples:\n  exacta approver passphrase\n  exacta approver passphrase me")]
    Passphrase(ApproverPassphrase),
    /// Forget now the passphrase that you gave at this terminal
    #[command(after_help = "Examples:\n  exacta approver lock")]
    Lock,
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

/// `exacta approver passphrase`
#[derive(Debug, Args)]
pub struct ApproverPassphrase {
    /// Whose key; default: your own, the oldest that is here
    pub name: Option<String>,
    /// Keep the key without a passphrase from now on
    #[arg(long)]
    pub no_passphrase: bool,
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
