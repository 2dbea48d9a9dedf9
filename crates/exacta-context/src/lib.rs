//! Selects: what a model is shown of a project. A held folder and a request in, a list and the text to send out.
//!
//! Every file is found by handle ([`walk`]), unless an ignore file ([`ignored`]) or the gate ([`gate`]) bars it. What is known of
//! all files ([`index`], kept in a cache outside the project) ranks them against the request ([`rank`]), with the recent history of the
//! project ([`history`]) where it has one. The best are shown whole and the next ones in outline, up to a budget ([`fill`]).
//!
//! The same project and request give the same selection, byte for byte. Nothing is changed but the cache, and nothing is run.

mod beneath;
mod error;
mod fill;
mod gate;
pub mod git;
mod history;
pub mod ignored;
mod index;
mod outline;
mod pair;
mod rank;
mod walk;
mod words;

pub use error::ContextError;
pub use fill::tokens;
pub use gate::{Barred, Class, FILE_CAP, TOTAL_CAP};
pub use walk::MOST_FILES;

use exacta_kernel::hash::Digest;
use exacta_kernel::path::RelPath;
use index::Index;
use rustix::fd::BorrowedFd;
use std::collections::BTreeMap;

/// What a selection is made for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// What the user asked for, in their words.
    pub text: &'a str,
    /// Files that the user named: shown whole, before all others.
    pub files: &'a [RelPath],
    /// Functions, types and the like that the user named.
    pub symbols: &'a [String],
    /// Where changes are to stay, if anywhere: what lies beneath ranks higher.
    pub only: &'a [RelPath],
    /// Where nothing is to be changed: shown in outline at most.
    pub not: &'a [RelPath],
    /// How many tokens all of it may take, as [`tokens`] estimates them.
    pub budget: u64,
    /// The lines of the user's own ignore file, such as git's `core.excludesFile`.
    pub user_ignores: &'a str,
}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Every file, in the order in which it is shown.
    pub files: Vec<Chosen>,
    /// Files that the request names and the model does not get, with the reason.
    pub left_out: Vec<(RelPath, Barred)>,
    /// How many files of the project are barred, by reason; folders that are barred count once.
    pub barred: BTreeMap<Barred, u64>,
    /// Whether the project has more than [`MOST_FILES`], of which the deepest were not looked at.
    pub more: bool,
    /// An estimate; see [`tokens`].
    pub tokens: u64,
    /// Of the text.
    pub hash: Digest,
    /// What is sent.
    pub text: String,
    /// How many files had to be read because the cache did not know them as they are.
    pub read: usize,
}

/// One file that a model is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Where it is.
    pub path: RelPath,
    /// Of the file as it was read.
    pub sha256: Digest,
    /// How much of it is shown.
    pub bytes: u64,
    /// Why it was chosen.
    pub why: Why,
    /// How it is shown.
    pub form: Form,
    /// Whether secrets were cut out of what is shown.
    pub masked: bool,
}

/// How a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// All of it.
    Whole,
    /// What it defines, or its headings, or its first lines.
    Outline,
}

/// Why a file was chosen: what speaks for it most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The user named it.
    Named,
    /// It answers words, names or paths of the request.
    Words,
    /// It uses, defines, imports, tests or lies beside what does.
    Linked,
    /// It was changed recently or often.
    Recent,
}

impl Form {
    /// The word for it in lists and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Outline => "outline",
        }
    }
}

impl Why {
    /// The word for it in lists and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Words => "words",
            Self::Linked => "linked",
            Self::Recent => "recent",
        }
    }
}

/// Selects what a model is shown of the project in a held folder. `cache` is a folder of the user's own, outside the project, for
/// what is known of its files; without one, every file is read each time.
///
/// # Errors
/// If the project's folder cannot be read. What cannot be read inside it is left out.
pub fn select(
    project: BorrowedFd<'_>,
    cache: Option<BorrowedFd<'_>>,
    request: &Request<'_>,
) -> Result<Selection, ContextError> {
    let index = Index::refresh(project, cache, request.user_ignores)?;
    let history = history::changes(project);
    let ranked = rank::rank(&index, request, &history);
    Ok(fill::fill(project, index, &ranked, request))
}
