//! Changes of settings that others own: small, each with its inverse, and everything else in the file stays as it is.

mod json;
#[cfg(test)]
mod tests;
mod toml;
mod tree;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON.
    Json,
    /// JSON with comments and commas at the end of lists.
    Commented,
    /// TOML.
    Toml,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// The value at a place.
    Set {
        /// The place.
        path: Vec<String>,
        /// The value.
        value: Value,
    },
    /// A value in the list at a place.
    Include {
        /// The place of the list.
        path: Vec<String>,
        /// The value.
        value: Value,
    },
    /// Nothing at a place.
    Clear {
        /// The place.
        path: Vec<String>,
    },
}

/// How to take one setting away again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inverse {
    /// What was done.
    edit: Edit,
    /// What was there before.
    before: Option<Value>,
    /// The first part of the way that was not there before, as a length of the way.
    made: Option<usize>,
}

impl Inverse {
    /// What was done.
    #[must_use]
    pub const fn edit(&self) -> &Edit {
        &self.edit
    }
}

/// Why a file cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It cannot be read as what it is.
    #[error("line {line}: {why}")]
    Broken {
        /// Where.
        line: usize,
        /// Why.
        why: String,
    },
    /// Something in it is of another kind than it has to be.
    #[error("{0}")]
    Kind(Kind),
}

/// A value of the wrong kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}` is not {wanted}")]
pub struct Kind {
    place: String,
    wanted: &'static str,
}

impl Edit {
    /// A value at a place, such as `a.b`.
    #[must_use]
    pub fn set(path: &[&str], value: impl Into<Value>) -> Self {
        Self::Set { path: owned(path), value: value.into() }
    }

    /// A value in the list at a place.
    #[must_use]
    pub fn include(path: &[&str], value: impl Into<Value>) -> Self {
        Self::Include { path: owned(path), value: value.into() }
    }

    /// Nothing at a place.
    #[must_use]
    pub fn clear(path: &[&str]) -> Self {
        Self::Clear { path: owned(path) }
    }

    /// The place, as people write it.
    #[must_use]
    pub fn place(&self) -> String {
        parts(&self.path())
    }

    fn path(&self) -> Vec<&str> {
        match self {
            Self::Set { path, .. } | Self::Include { path, .. } | Self::Clear { path } => {
                path.iter().map(String::as_str).collect()
            }
        }
    }
}

impl Format {
    /// The text with a setting in it, and how to take it away again.
    ///
    /// # Errors
    /// If the text is broken, or something on the way is of another kind.
    pub fn apply(self, text: &str, edit: &Edit) -> Result<(String, Inverse), EditError> {
        let path = edit.path();
        let before = self.get(text, &path)?;
        let made = first_missing(&path, |path| self.get(text, path))?;
        let text = match (self, edit) {
            (Self::Json | Self::Commented, Edit::Set { value, .. }) => json::set(text, &path, value),
            (Self::Json | Self::Commented, Edit::Include { value, .. }) => json::push(text, &path, value),
            (Self::Json | Self::Commented, Edit::Clear { .. }) => json::remove(text, &path),
            (Self::Toml, Edit::Set { value, .. }) => toml::set(text, &path, value),
            (Self::Toml, Edit::Include { value, .. }) => toml::push(text, &path, value),
            (Self::Toml, Edit::Clear { .. }) => toml::remove(text, &path),
        }?;
        Ok((text, Inverse { edit: edit.clone(), before, made }))
    }

    /// Whether a setting is as it should be.
    ///
    /// # Errors
    /// If the text is broken.
    pub fn holds(self, text: &str, edit: &Edit) -> Result<bool, EditError> {
        let there = self.get(text, &edit.path())?;
        Ok(match edit {
            Edit::Set { value, .. } => there.as_ref() == Some(value),
            Edit::Include { value, .. } => there.is_some_and(|list| list.as_array().is_some_and(|l| l.contains(value))),
            Edit::Clear { .. } => there.is_none(),
        })
    }

    /// The text without a setting: as it was before where nobody changed it since. `None` if somebody did.
    ///
    /// # Errors
    /// If the text is broken.
    pub fn invert(self, text: &str, inverse: &Inverse) -> Result<Option<String>, EditError> {
        if !self.holds(text, &inverse.edit)? {
            return Ok(None);
        }
        let path = inverse.edit.path();
        let text = match (&inverse.edit, &inverse.before) {
            (Edit::Include { value, .. }, Some(Value::Array(before))) if before.contains(value) => text.to_owned(),
            (Edit::Include { value, .. }, _) => match self {
                Self::Json | Self::Commented => json::pull(text, &path, value)?,
                Self::Toml => toml::pull(text, &path, value)?,
            },
            (_, Some(before)) => match self {
                Self::Json | Self::Commented => json::set(text, &path, before)?,
                Self::Toml => toml::set(text, &path, before)?,
            },
            (_, None) => self.remove(text, &path)?,
        };
        self.without_empty(text, &path, inverse.made).map(Some)
    }

    /// Without the objects and lists that were made for a setting and have nothing in them now.
    fn without_empty(self, mut text: String, path: &[&str], made: Option<usize>) -> Result<String, EditError> {
        for length in (made.unwrap_or(path.len() + 1)..=path.len()).rev() {
            let place = path.get(..length).unwrap_or_default();
            let is_empty = match self.get(&text, place)? {
                Some(Value::Object(members)) => members.is_empty(),
                Some(Value::Array(items)) => items.is_empty(),
                _ => false,
            };
            if is_empty {
                text = self.remove(&text, place)?;
            }
        }
        Ok(text)
    }

    /// What is at a place.
    ///
    /// # Errors
    /// If the text is broken.
    pub fn get(self, text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
        if self == Self::Json && !text.trim().is_empty() {
            // What we understand and the program does not is broken all the same.
            serde_json::from_str::<serde::de::IgnoredAny>(text)
                .map_err(|error| EditError::Broken { line: error.line(), why: plain(&error) })?;
        }
        match self {
            Self::Json | Self::Commented => json::get(text, path),
            Self::Toml => toml::get(text, path),
        }
    }

    fn remove(self, text: &str, path: &[&str]) -> Result<String, EditError> {
        match self {
            Self::Json | Self::Commented => json::remove(text, path),
            Self::Toml => toml::remove(text, path),
        }
    }
}

/// How much of a way is there, and one more: nothing if all of it is.
fn first_missing(
    path: &[&str],
    get: impl Fn(&[&str]) -> Result<Option<Value>, EditError>,
) -> Result<Option<usize>, EditError> {
    for length in 1..=path.len() {
        if get(path.get(..length).unwrap_or_default())?.is_none() {
            return Ok(Some(length));
        }
    }
    Ok(None)
}

/// What is wrong, without the place, which is told beside it.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|part| (*part).to_owned()).collect()
}

fn parts(path: &[&str]) -> String {
    path.join(".")
}
