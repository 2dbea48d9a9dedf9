//! Arguments about an act that nobody could tell of.

use super::Signer;
use clap::{Args, ValueEnum};

/// `exacta autopilot resolve`
#[derive(Debug, Args)]
pub struct Resolve {
    /// The occasion, or the run that executed its plan
    pub run: String,
    /// The step that nobody can tell of
    pub step: String,
    /// What you found where you looked
    #[arg(value_enum)]
    pub word: Word,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// What a person found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Word {
    /// It was done.
    Done,
    /// It was not done.
    NotDone,
}
