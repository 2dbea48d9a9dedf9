//! Why a change could not be turned into bytes.

use super::Kind;
use crate::finding::{Code, Finding};
use crate::prelude::*;

/// A change that could not be turned into bytes. Messages name lines by number and never quote a file's content, since
/// they are recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// Not a well-formed diff of one file.
    #[error("line {line} of the diff: {problem}")]
    Invalid {
        /// In the diff, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A diff of another file.
    #[error("line {line} of the diff names `{found}`, the step's target is `{target}`")]
    OtherPath {
        /// In the diff, from 1.
        line: usize,
        /// The name there, as it may be shown.
        found: String,
        /// The name that was expected, as it may be shown.
        target: String,
    },
    /// A diff that does something a step cannot express.
    #[error("line {line} of the diff {}", .form.verb())]
    Refused {
        /// In the diff, from 1.
        line: usize,
        /// What it does.
        form: Form,
    },
    /// A diff for another kind of step.
    #[error("line {line} of the diff {does}, but the step's type is `{}`", .kind.step_type())]
    OtherKind {
        /// In the diff, from 1.
        line: usize,
        /// What the diff does.
        does: &'static str,
        /// What the step does.
        kind: Kind,
    },
    /// A diff that does not fit the file as it is.
    #[error("the hunk at line {line} of the diff {misfit}")]
    Context {
        /// Of the hunk's header in the diff, from 1.
        line: usize,
        /// Why it does not fit.
        misfit: Misfit,
    },
    /// A change that the file has already.
    #[error("the file already has this change")]
    Applied,
    /// A mode change that starts from another mode than the file's.
    #[error("line {line} of the diff says mode {said}, the file has {found}")]
    Mode {
        /// In the diff, from 1.
        line: usize,
        /// As git writes it.
        said: &'static str,
        /// As git writes it.
        found: &'static str,
    },
    /// A diff of a deletion that is not the whole file.
    #[error("the diff does not remove the whole file")]
    NotWhole,
    /// An edit that does not fit the file as it is.
    #[error("edit {number} {misfit}")]
    Edit {
        /// From 1.
        number: usize,
        /// Why it does not fit.
        misfit: Misfit,
    },
    /// A change after which everything is as before.
    #[error("the step changes nothing")]
    NoChange,
    /// The file is binary.
    #[error("the file is binary")]
    Binary,
    /// The file would become binary.
    #[error("the file would become binary: there is a NUL in its first 8 KB")]
    BecomesBinary,
    /// The file would become too large.
    #[error("the file would have {size} bytes; at most 64 MiB can be written")]
    TooLarge {
        /// In bytes.
        size: u64,
    },
    /// A new file that is no text, and too large.
    #[error("the new file is no text and has {size} bytes; at most {} can be sent", crate::limit::BINARY)]
    BytesTooLarge {
        /// In bytes.
        size: u64,
    },
    /// A create of what exists.
    #[error("the file to create exists already")]
    Exists,
    /// A create of what exists and is the same.
    #[error("the file to create exists already, with the same content")]
    Made,
    /// A modify or delete of what does not exist.
    #[error("the file does not exist")]
    Missing,
    /// A change that was kept without the secret of its file, and the file is another one now.
    #[error(
        "the file has changed, and the step was kept by places alone, because its text quoted a secret of the file"
    )]
    KeptForAnother,
    /// A payload that this kind of step does not take.
    #[error("a `{}` step does not take this payload", .kind.step_type())]
    Payload {
        /// What the step does.
        kind: Kind,
    },
}

/// What a git diff can do and a step cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Moves a file.
    Rename,
    /// Copies a file.
    Copy,
    /// Carries bytes instead of lines.
    Binary,
    /// Changes a submodule.
    Submodule,
    /// Changes a symbolic link.
    Symlink,
}

/// Why a hunk or an edit does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Neither where it says nor anywhere else.
    #[error("does not fit: line {diff_line} of the diff is not line {file_line} of the file, and it fits nowhere else")]
    Differs {
        /// The first line of the diff that differs.
        diff_line: usize,
        /// The line of the file that it should be.
        file_line: usize,
    },
    /// As [`Misfit::Differs`], but only in how the file ends.
    #[error("does not fit: the file has no newline at its end, and the diff says it has")]
    NoNewline,
    /// As [`Misfit::Differs`], but only in how the file ends.
    #[error("does not fit: the diff says there is no newline at the end of the file, and there is")]
    Newline,
    /// The line numbers are wrong and more than one place fits.
    #[error("fits in more than one place: lines {first} and {second} of the file")]
    Ambiguous {
        /// The first line of the first place.
        first: usize,
        /// The first line of the second place.
        second: usize,
    },
    /// Nothing in the hunk says where it belongs.
    #[error("has no line to tell where in the file it belongs")]
    NoContext,
    /// It touches what another one touches, or comes before one it should follow.
    #[error("overlaps another one, or is out of order")]
    Overlap,
    /// Text that does not occur.
    #[error("does not fit: its text does not occur in the file")]
    Absent,
}

impl Form {
    const fn verb(self) -> &'static str {
        match self {
            Self::Rename => "renames a file",
            Self::Copy => "copies a file",
            Self::Binary => "is a binary patch",
            Self::Submodule => "changes a submodule",
            Self::Symlink => "changes a symbolic link",
        }
    }

    const fn code(self) -> Code {
        match self {
            Self::Rename => Code::DiffRename,
            Self::Copy => Code::DiffCopy,
            Self::Binary => Code::DiffBinary,
            Self::Submodule => Code::DiffSubmodule,
            Self::Symlink => Code::DiffSymlink,
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Rename => {
                "write a `file_create` and a `file_delete` step; a git patch that is imported becomes that by itself"
            }
            Self::Copy => "write a `file_create` step with the whole content",
            Self::Binary => {
                "a binary file that exists stays as it is; a new one comes as `content_base64`, or in a patch of `git diff --binary`"
            }
            Self::Submodule => "change submodules by hand",
            Self::Symlink => "change the file that the link points to",
        }
    }
}

impl DiffError {
    /// The code of the finding.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } | Self::OtherKind { .. } | Self::NoChange | Self::Payload { .. } => Code::DiffInvalid,
            Self::OtherPath { .. } => Code::DiffPathMismatch,
            Self::Refused { form, .. } => form.code(),
            Self::Context { .. } | Self::Applied | Self::Mode { .. } | Self::NotWhole | Self::Edit { .. } => {
                Code::DiffContext
            }
            Self::Binary | Self::BecomesBinary => Code::BinaryFile,
            Self::TooLarge { .. } => Code::TargetTooLarge,
            Self::BytesTooLarge { .. } => Code::PayloadInvalid,
            Self::Exists | Self::Made => Code::TargetExists,
            Self::Missing => Code::TargetMissing,
            Self::KeptForAnother => Code::TargetChanged,
        }
    }

    /// What would fix it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => {
                "send a unified diff of exactly this file, with right line counts and nothing around it; or send `edits`"
            }
            Self::OtherPath { .. } => "name the step's target in the diff's header, after `a/` and `b/`",
            Self::Refused { form, .. } => form.hint(),
            Self::OtherKind { .. } => "make the step's type and the diff agree",
            Self::Context { misfit, .. } => misfit.hint(),
            Self::Edit { misfit: Misfit::Ambiguous { .. }, .. } => {
                "add the lines before or after it to `find`, and to `replace`, until it occurs once"
            }
            Self::Edit { misfit: Misfit::Overlap, .. } => "join it with the edit that it overlaps",
            Self::Edit { misfit, .. } => misfit.hint(),
            Self::Applied | Self::Made => {
                "a change is submitted before it is made: put the files back first, with `git stash` or `git apply -R`"
            }
            Self::Mode { .. } => "make the diff from the file's present mode",
            Self::NotWhole => "leave the diff out, or make it from the file's present content",
            Self::NoChange => "leave the step out",
            Self::Binary => {
                "leave binary files alone: one can be deleted, without a diff, or come new as `content_base64`"
            }
            Self::BecomesBinary => "send a new file that is no text as `content_base64`; an existing one stays text",
            Self::TooLarge { .. } => "split the file",
            Self::BytesTooLarge { .. } => "leave the file out, and put it there by hand",
            Self::Exists => "use `file_modify`, or choose another name",
            Self::Missing => "use `file_create`, or check the path against the project",
            Self::KeptForAnother => "make the change from the file's present content, and submit it",
            Self::Payload { .. } => "the schema of proposals says what each step type takes",
        }
    }

    /// The same as a finding; the caller adds the step and the path.
    #[must_use]
    pub fn into_finding(self) -> Finding {
        Finding::new(self.code(), self.to_string(), self.hint())
    }
}

impl Misfit {
    const fn hint(self) -> &'static str {
        match self {
            Self::Differs { .. } | Self::Absent => "read the file again and make the change from its present content",
            Self::NoNewline => "write `\\ No newline at end of file` after the file's last line in the diff",
            Self::Newline => "leave `\\ No newline at end of file` out",
            Self::Ambiguous { .. } => "give the hunk more lines of context, until only one place fits",
            Self::NoContext => "give the hunk lines of context",
            Self::Overlap => "order the changes by their place in the file and join those that overlap",
        }
    }
}
