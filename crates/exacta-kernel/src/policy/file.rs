//! Reading a policy file: TOML in, checked values out, every error with its line.

use super::caps::{Cap, Caps};
use super::error::PolicyError;
use super::glob::Globs;
use crate::prelude::*;
use crate::proposal::{Constraint, ConstraintKind, Scope};
use core::ops::{Range, RangeInclusive};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;

/// The largest file that is read, in bytes.
const MAX_FILE: usize = 1 << 20;
/// The most rules or constraints in one file.
pub(super) const MAX_ENTRIES: usize = 256;
/// The longest name or text of one entry, in bytes.
const MAX_TEXT: usize = 1024;

/// Keys of `[caps]` as they stand in a file.
pub(super) type CapsFile = BTreeMap<Spanned<String>, Spanned<u64>>;
/// A list of words as it stands in a file.
pub(super) type Words = Vec<Spanned<String>>;

/// A constraint as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConstraintFile {
    id: Spanned<String>,
    #[serde(rename = "type")]
    kind: ConstraintKind,
    scope: Spanned<Scope>,
    target: Option<Spanned<String>>,
    description: Spanned<String>,
}

/// A file that is being read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
    /// Helps with nearly everything.
    pub(super) hint: &'static str,
}

impl Source<'_> {
    /// Reads the whole file into its shape.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, PolicyError> {
        if self.text.len() > MAX_FILE {
            let message = "is larger than 1 MiB";
            return Err(PolicyError::at(self.file, self.text, None, message, "shorten it"));
        }
        toml::from_str(self.text)
            .map_err(|error| PolicyError::at(self.file, self.text, error.span(), error.message(), self.hint))
    }

    /// A problem at a place.
    pub(super) fn error<T>(&self, at: Range<usize>, message: &str, hint: &str) -> Result<T, PolicyError> {
        Err(PolicyError::at(self.file, self.text, Some(at), message, hint))
    }

    /// The line of a place.
    pub(super) fn line(&self, at: &Range<usize>) -> usize {
        super::error::place(self.text, at.start).0
    }

    /// The Safety Policy's limits: the defaults where it says nothing.
    pub(super) fn caps(&self, file: CapsFile) -> Result<Caps, PolicyError> {
        self.caps_from(file, Caps::default(), |cap| cap.least)
    }

    /// A project's limits: the highest where it says nothing, so that they lower only what they name. It may let its plans
    /// expire sooner than any policy can.
    pub(super) fn lower_caps(&self, file: CapsFile) -> Result<Caps, PolicyError> {
        self.caps_from(file, Caps::MOST, |cap| cap.least.min(1))
    }

    /// Limits, each within what is built in. A limit on every plan holds for submitted ones too, unless these have their own.
    fn caps_from(&self, file: CapsFile, start: Caps, least: fn(&Cap) -> u64) -> Result<Caps, PolicyError> {
        let mut caps = start;
        let given: Vec<String> = file.keys().map(|name| name.get_ref().clone()).collect();
        for (name, value) in file {
            let Some(cap) = Cap::find(name.get_ref()) else {
                let message = format!("unknown cap `{name}`, expected one of {}", listed(&Cap::names()));
                return self.error(name.span(), &message, self.hint);
            };
            caps.set(cap.name, self.number(&value, cap.name, least(cap)..=cap.most)?);
        }
        let given = |name: &str| given.iter().any(|given| given == name);
        if given("steps") && !given("submitted_steps") {
            caps.submitted_steps = caps.steps;
        }
        if given("files") && !given("submitted_files") {
            caps.submitted_files = caps.files;
        }
        Ok(caps)
    }

    /// A number within its bounds.
    pub(super) fn number(
        &self,
        value: &Spanned<u64>,
        name: &str,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64, PolicyError> {
        let (least, most) = (bounds.start(), bounds.end());
        let number = *value.get_ref();
        if number > *most {
            let message = format!("`{name}` is {number}, above the built-in maximum {most}");
            return self.error(value.span(), &message, "no policy can raise it further");
        }
        if number < *least {
            let message = format!("`{name}` is {number}, below the least possible {least}");
            return self.error(value.span(), &message, "raise it, or leave it out for the default");
        }
        Ok(number)
    }

    /// Path patterns, compiled.
    pub(super) fn globs(&self, words: Words) -> Result<Globs, PolicyError> {
        let spans: Vec<Range<usize>> = words.iter().map(Spanned::span).collect();
        Globs::new(words.into_iter().map(Spanned::into_inner).collect())
            .or_else(|bad| self.error(spans.get(bad.index).cloned().unwrap_or_default(), &bad.message, bad.hint))
    }

    /// A text that is not empty, not too long, and shown as it is written.
    pub(super) fn text(&self, text: Spanned<String>, name: &str) -> Result<String, PolicyError> {
        let inner = text.get_ref();
        if inner.trim().is_empty() {
            return self.error(text.span(), &format!("`{name}` is empty"), "say it in words");
        }
        if inner.len() > MAX_TEXT {
            return self.error(text.span(), &format!("`{name}` is longer than {MAX_TEXT} bytes"), "shorten it");
        }
        if crate::text::visible_line(inner) != *inner {
            let message = format!("`{name}` contains a hidden character or a line break");
            return self.error(text.span(), &message, "write it on one line in plain characters");
        }
        Ok(text.into_inner())
    }

    /// A name: letters, digits, `-`, `_` and `.`, at most 64.
    pub(super) fn name(&self, name: &Spanned<String>, what: &str) -> Result<String, PolicyError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        let inner = name.get_ref();
        if inner.is_empty() || inner.len() > 64 || !inner.bytes().all(plain) {
            let shown: String = inner.chars().take(64).collect();
            let message = format!("`{shown}` is not a name for a {what}");
            return self.error(name.span(), &message, "use 1 to 64 letters, digits, `-`, `_` and `.`");
        }
        Ok(inner.clone())
    }

    /// Constraints with their lines, each with a name of its own.
    pub(super) fn constraints(&self, file: Vec<ConstraintFile>) -> Result<Vec<Limit>, PolicyError> {
        let mut seen = BTreeSet::new();
        let mut limits = Vec::new();
        for entry in file {
            let span = entry.id.span();
            let limit = Limit { line: self.line(&span), constraint: self.constraint(entry)? };
            if !seen.insert(limit.constraint.id.clone()) {
                let message = format!("constraint `{}` is there twice", limit.constraint.id);
                return self.error(span, &message, "give each its own id");
            }
            if limits.len() == MAX_ENTRIES {
                return self.error(span, &format!("more than {MAX_ENTRIES} constraints"), "leave some out");
            }
            limits.push(limit);
        }
        Ok(limits)
    }

    fn constraint(&self, file: ConstraintFile) -> Result<Constraint, PolicyError> {
        let id = self.name(&file.id, "constraint")?;
        if *file.scope.get_ref() == Scope::Step {
            let hint = "use `global` or `file`";
            return self.error(file.scope.span(), "scope `step` means nothing outside a plan", hint);
        }
        if *file.scope.get_ref() == Scope::File && file.target.is_none() {
            let message = format!("constraint `{id}` has scope `file` and no target");
            return self.error(file.id.span(), &message, "name the path or pattern in `target`");
        }
        let target = file.target.map(|target| self.text(target, "target")).transpose()?;
        let description = self.text(file.description, "description")?;
        Ok(Constraint { id, kind: file.kind, scope: file.scope.into_inner(), target, description })
    }
}

/// A constraint of a policy file and the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct Limit {
    /// The constraint.
    pub constraint: Constraint,
    /// Its line.
    #[serde(skip)]
    pub line: usize,
}

/// Names in backticks with commas between them.
pub(super) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
