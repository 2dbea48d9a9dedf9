//! The lines of a diff before its first hunk: which file, and its mode.

use super::Kind;
use super::error::{DiffError, Form};
use super::name;
use super::parse::Reader;
use crate::path::RelPath;
use crate::prelude::*;
use crate::text;
use alloc::borrow::Cow;

/// What a diff says before its first hunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header<'a> {
    /// What follows `diff --git `.
    pub(crate) git: Option<Numbered<&'a [u8]>>,
    pub(crate) mode: ModeChange,
    /// A rename or copy; refused by [`Header::check`].
    pub(crate) moved: Option<Moved<'a>>,
    /// The names after `---` and `+++`.
    pub(crate) names: Option<(Name<'a>, Name<'a>)>,
}

pub(crate) type Name<'a> = Numbered<Cow<'a, [u8]>>;

/// A rename or copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved<'a> {
    /// Of its first line in the diff, from 1.
    pub(crate) line: usize,
    pub(crate) form: Form,
    pub(crate) from: Option<Cow<'a, [u8]>>,
    pub(crate) to: Option<Cow<'a, [u8]>>,
}

/// Something with the number of its line in the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbered<T> {
    pub(crate) line: usize,
    pub(crate) value: T,
}

/// What a diff says about modes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ModeChange {
    #[default]
    None,
    Change {
        from: Numbered<Mode>,
        to: Mode,
    },
    Create(Numbered<Mode>),
    Delete(Numbered<Mode>),
}

/// All that git records of a regular file's mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    Executable,
}

impl Mode {
    pub(super) const fn of(executable: bool) -> Self {
        if executable { Self::Executable } else { Self::Plain }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "100644",
            Self::Executable => "100755",
        }
    }

    /// The permission bits of a new file.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Plain => 0o644,
            Self::Executable => 0o755,
        }
    }

    /// Other permission bits with this mode: whoever may read may then execute, or nobody may.
    pub(super) const fn applied_to(self, bits: u32) -> u32 {
        match self {
            Self::Plain => bits & !0o111,
            Self::Executable => bits | ((bits & 0o444) >> 2) | 0o100,
        }
    }
}

impl Header<'_> {
    pub(super) fn changes_mode(&self) -> bool {
        self.mode != ModeChange::None
    }

    /// Whether the diff is of this file and does what the step says it does.
    pub(crate) fn check(&self, kind: Kind, target: &RelPath) -> Result<(), DiffError> {
        if let Some(moved) = &self.moved {
            return Err(DiffError::Refused { line: moved.line, form: moved.form });
        }
        if let Some(git) = self.git
            && !name::git_line_names(git.value, target)
        {
            return Err(other_path(git.line, git.value, target));
        }
        let null = |name: &Name<'_>| *name.value == *b"/dev/null";
        if let Some((old, new)) = &self.names {
            for (side, prefix) in [(old, "a/"), (new, "b/")] {
                if !null(side) && !name::matches(&side.value, prefix, target) {
                    return Err(other_path(side.line, &side.value, target));
                }
            }
            let does = does(null(old), null(new));
            does_what_is_said(kind, does, old.line)?;
        }
        match self.mode {
            ModeChange::None => Ok(()),
            ModeChange::Create(mode) => does_what_is_said(kind, Some(Kind::Create), mode.line),
            ModeChange::Delete(mode) => does_what_is_said(kind, Some(Kind::Delete), mode.line),
            ModeChange::Change { from, .. } => does_what_is_said(kind, Some(Kind::Modify), from.line),
        }
    }
}

/// What a diff does whose old or new name is `/dev/null`.
const fn does(from_nothing: bool, to_nothing: bool) -> Option<Kind> {
    match (from_nothing, to_nothing) {
        (true, false) => Some(Kind::Create),
        (false, false) => Some(Kind::Modify),
        (false, true) => Some(Kind::Delete),
        (true, true) => None,
    }
}

fn does_what_is_said(kind: Kind, found: Option<Kind>, line: usize) -> Result<(), DiffError> {
    let does = match found {
        Some(found) if found == kind => return Ok(()),
        Some(Kind::Create) => "creates the file",
        Some(Kind::Modify) => "changes an existing file",
        Some(Kind::Delete) => "deletes the file",
        None => "names no file",
    };
    Err(DiffError::OtherKind { line, does, kind })
}

fn other_path(line: usize, found: &[u8], target: &RelPath) -> DiffError {
    let shown = |name: &str| text::excerpt(name, 120);
    DiffError::OtherPath { line, found: shown(&String::from_utf8_lossy(found)), target: shown(target.as_str()) }
}

/// Reads everything before the first hunk.
pub(crate) fn read<'a>(reader: &mut Reader<'a>) -> Result<Header<'a>, DiffError> {
    let mut header = Header::default();
    let first = reader.peek_header().unwrap_or_default();
    if let Some(names) = first.strip_prefix(b"diff --git ") {
        header.git = Some(Numbered { line: reader.number, value: names });
        reader.next();
        extended(reader, &mut header)?;
    } else if first.starts_with(b"Binary files ") {
        return Err(reader.refused(Form::Binary));
    } else if !first.starts_with(b"--- ") {
        return Err(reader.invalid("a diff begins with `diff --git` or `---`"));
    }
    if reader.peek().is_some_and(|line| line.starts_with(b"--- ")) {
        let old = file_name(reader, b"--- ")?;
        let new = file_name(reader, b"+++ ")?;
        header.names = Some((old, new));
    }
    Ok(header)
}

fn file_name<'a>(reader: &mut Reader<'a>, prefix: &[u8]) -> Result<Name<'a>, DiffError> {
    let name = reader.peek_header().and_then(|line| line.strip_prefix(prefix)).and_then(name::read);
    let Some(value) = name else {
        return Err(
            reader.invalid(format!("expected `{}` and a file name", String::from_utf8_lossy(prefix).trim_end()))
        );
    };
    let line = reader.number;
    reader.next();
    Ok(Numbered { line, value })
}

/// The lines that git adds between `diff --git` and `---`.
fn extended<'a>(reader: &mut Reader<'a>, header: &mut Header<'a>) -> Result<(), DiffError> {
    let mut from = None;
    while let Some((word, rest)) = reader.peek_header().and_then(split) {
        let found = match word {
            "old mode" if from.is_none() && !header.changes_mode() => {
                from = Some(mode(reader, rest)?);
                None
            }
            "new mode" => match from.take() {
                Some(from) => Some(ModeChange::Change { from, to: mode(reader, rest)?.value }),
                None => return Err(reader.invalid("`new mode` follows `old mode`")),
            },
            "new file mode" => Some(ModeChange::Create(mode(reader, rest)?)),
            "deleted file mode" => Some(ModeChange::Delete(mode(reader, rest)?)),
            "index" => {
                index(reader, rest)?;
                None
            }
            "rename from" | "rename to" | "copy from" | "copy to" => {
                moved(reader, &mut header.moved, word, rest)?;
                None
            }
            "similarity index" | "dissimilarity index" => None,
            _ => break,
        };
        if let Some(found) = found {
            if header.changes_mode() || from.is_some() {
                return Err(reader.invalid("the mode is said twice"));
            }
            header.mode = found;
        }
        reader.next();
    }
    if from.is_some() {
        return Err(reader.invalid("`old mode` is followed by `new mode`"));
    }
    Ok(())
}

fn moved<'a>(reader: &Reader<'a>, moved: &mut Option<Moved<'a>>, word: &str, name: &'a [u8]) -> Result<(), DiffError> {
    let form = if word.starts_with("rename") { Form::Rename } else { Form::Copy };
    let moved = moved.get_or_insert(Moved { line: reader.number, form, from: None, to: None });
    let slot = if word.ends_with("from") { &mut moved.from } else { &mut moved.to };
    let Some(name) = name::read(name).filter(|_| slot.is_none() && moved.form == form) else {
        return Err(reader.invalid(format!("expected one `{word}` and a file name")));
    };
    *slot = Some(name);
    Ok(())
}

/// The words a header line begins with, and the rest.
fn split(line: &[u8]) -> Option<(&'static str, &[u8])> {
    const WORDS: [&str; 11] = [
        "old mode",
        "new mode",
        "new file mode",
        "deleted file mode",
        "index",
        "similarity index",
        "dissimilarity index",
        "rename from",
        "rename to",
        "copy from",
        "copy to",
    ];
    WORDS.into_iter().find_map(|word| Some((word, line.strip_prefix(word.as_bytes())?.strip_prefix(b" ")?)))
}

fn mode(reader: &Reader<'_>, text: &[u8]) -> Result<Numbered<Mode>, DiffError> {
    let value = match text {
        b"100644" => Mode::Plain,
        b"100755" => Mode::Executable,
        b"120000" => return Err(reader.refused(Form::Symlink)),
        b"160000" => return Err(reader.refused(Form::Submodule)),
        _ => return Err(reader.invalid("a mode is 100644 or 100755")),
    };
    Ok(Numbered { line: reader.number, value })
}

/// `index 1234abc..5678def 100644`: only the mode matters, and only if it is not a file's.
fn index(reader: &Reader<'_>, text: &[u8]) -> Result<(), DiffError> {
    let mut words = text.split(|byte| *byte == b' ');
    let hashes = words.next().unwrap_or_default();
    let hex = hashes.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.'));
    let known = words.next().map(|text| mode(reader, text)).transpose().map(|_| hex && words.next().is_none())?;
    if known { Ok(()) } else { Err(reader.invalid("expected `index hash..hash mode`")) }
}
