//! Paths as a parsed type: relative, `/`-separated, and unable to leave the project.
//!
//! Everything here is lexical, so it holds on every platform and without looking at a disk. The executor checks again by
//! handle, beneath the project root.

mod error;
mod fold;
mod unusual;

pub use error::PathError;

use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The longest path that is accepted, in bytes.
pub const MAX_PATH: usize = 4096;
/// The longest part of a path that is accepted, in bytes.
pub const MAX_PART: usize = 255;

/// A path beneath the project root. There is no other way to name a target.
///
/// Invariants: at least one part; no part is empty, `.` or `..` (nor read as one by a system that trims or folds); no
/// backslash, NUL or other control character; at most [`MAX_PATH`] bytes, [`MAX_PART`] each part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

impl RelPath {
    /// Accepts a path that keeps the rules every path must keep. Rules for new files are apart: [`RelPath::check_new`].
    ///
    /// # Errors
    /// `PLAN_PATH_OUTSIDE` for a path that leaves or might leave the project (absolute, drive letter, `..`),
    /// `PLAN_PATH_INVALID` for one that is not well formed.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        stays_inside(text)?;
        well_formed(text)?;
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its parts, outermost first; at least one, none empty.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last part.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it is in, or `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<RelPath> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Whether any part is `.exacta` or `.git`, in any case or spelling that some file system takes for the same:
    /// case, ignored code points, compatibility forms, trailing dots and spaces, streams, short names.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.parts().any(fold::is_protected)
    }

    /// [`RelPath::is_protected`] as an error.
    ///
    /// # Errors
    /// `PLAN_PATH_PROTECTED`.
    pub fn check_protected(&self) -> Result<(), PathError> {
        match self.parts().find(|part| fold::is_protected(part)) {
            Some(part) => Err(PathError::protected(&self.0, part)),
            None => Ok(()),
        }
    }

    /// The rules for a name that is to be created, so that it means the same file on every system. An existing file may
    /// break them and can still be modified.
    ///
    /// # Errors
    /// `PLAN_PATH_INVALID` for a trailing dot or space, a Windows device name, a `:`, or a name that is not NFC.
    pub fn check_new(&self) -> Result<(), PathError> {
        self.parts().try_for_each(|part| new_part(&self.0, part))
    }

    /// Why a person should look at a new file of this name: a shell or a program would read it as something else.
    #[must_use]
    pub fn unusual(&self) -> Option<&'static str> {
        unusual::reason(&self.0)
    }

    /// The path with case, normalisation and ignored code points folded away: equal for two names that some file system
    /// takes for the same.
    #[must_use]
    pub fn fold_key(&self) -> String {
        let keys: Vec<String> = self.parts().map(fold_part).collect();
        keys.join("/")
    }

    /// Whether this path is `folder` or lies beneath it.
    #[must_use]
    pub fn is_beneath(&self, folder: &RelPath) -> bool {
        self.0.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// [`RelPath::fold_key`] of one part, or of a name read from a folder.
#[must_use]
pub fn fold_part(part: &str) -> String {
    fold::key(part)
}

/// Rules whose violation could name something outside the project.
fn stays_inside(text: &str) -> Result<(), PathError> {
    if text.starts_with('/') || text.starts_with('\\') {
        return Err(PathError::outside(text, "is absolute", "write it relative to the project root"));
    }
    if has_drive(text) {
        let problem = "begins with a letter and `:`, which some systems read as a drive";
        return Err(PathError::outside(text, problem, "write it relative to the project root"));
    }
    match text.split(['/', '\\']).find(|part| fold::is_parent(part)) {
        Some("..") => {
            Err(PathError::outside(text, "has the part `..`", "name the file by its place beneath the project root"))
        }
        Some(_) => Err(PathError::outside(
            text,
            "has a part that some systems read as `..`",
            "name the file by its place beneath the project root; one of this name cannot be a target",
        )),
        None => Ok(()),
    }
}

/// `C:`, `C:\` and `C:/`. `C:file`, which Windows reads relative to that drive, is a plain name where Exacta runs: a file that
/// has it can be a target, and no new file gets it ([`RelPath::check_new`]).
fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':'] | [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

fn well_formed(text: &str) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::invalid(text, "is empty", "name a file beneath the project root"));
    }
    if text.len() > MAX_PATH {
        return Err(PathError::invalid(text, "is longer than 4096 bytes", "shorten it"));
    }
    if text.contains('\\') {
        return Err(PathError::invalid(text, "contains a backslash", "separate folders with `/`"));
    }
    if let Some(c) = text.chars().find(|c| c.is_control()) {
        let problem = format!("contains the control character U+{:04X}", u32::from(c));
        return Err(PathError::invalid(text, &problem, "remove it"));
    }
    text.split('/').try_for_each(|part| part_well_formed(text, part))
}

fn part_well_formed(text: &str, part: &str) -> Result<(), PathError> {
    if part.is_empty() {
        return Err(PathError::invalid(text, "has an empty part", "write one `/` between parts and none at the end"));
    }
    if part == "." {
        return Err(PathError::invalid(text, "has the part `.`", "leave `.` out"));
    }
    if part.len() > MAX_PART {
        return Err(PathError::invalid(text, "has a part longer than 255 bytes", "shorten the name"));
    }
    Ok(())
}

fn new_part(path: &str, part: &str) -> Result<(), PathError> {
    if part.ends_with(['.', ' ']) {
        return Err(PathError::invalid(path, "has a part that ends in a dot or space", "leave it out of the new name"));
    }
    if part.contains(':') {
        return Err(PathError::invalid(
            path,
            "contains `:`, which cannot be in a new name",
            "choose a name without `:`",
        ));
    }
    if fold::is_device(part) {
        return Err(PathError::invalid(path, "has a part that is a Windows device name", "choose another name"));
    }
    if !unicode_normalization::is_nfc(part) {
        return Err(PathError::invalid(path, "is not in Unicode form NFC", "write the new name in NFC"));
    }
    Ok(())
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RelPath {
    type Error = PathError;
    fn try_from(text: String) -> Result<Self, PathError> {
        Self::parse(&text)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> String {
        path.0
    }
}
