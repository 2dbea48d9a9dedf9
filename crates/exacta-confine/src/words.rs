//! The words of a `bwrap` command.

use std::ffi::{OsStr, OsString};

/// An argument list.
#[derive(Debug, Default)]
pub struct Words(Vec<OsString>);

impl Words {
    /// Adds some.
    pub fn add<const N: usize>(&mut self, words: [&str; N]) {
        self.0.extend(words.map(OsString::from));
    }

    /// Adds one.
    pub fn push(&mut self, word: impl AsRef<OsStr>) {
        self.0.push(word.as_ref().to_owned());
    }

    /// Adds an option with a source and a place, such as `--bind`.
    pub fn bind(&mut self, how: &str, source: impl AsRef<OsStr>, place: impl AsRef<OsStr>) {
        self.0.extend([how.into(), source.as_ref().to_owned(), place.as_ref().to_owned()]);
    }

    /// An empty folder in memory, of at most this size.
    pub fn empty(&mut self, folder: impl AsRef<OsStr>, size: u64) {
        self.add(["--size", &size.to_string(), "--tmpfs"]);
        self.push(folder);
    }

    /// All of them.
    #[must_use]
    pub fn list(self) -> Vec<OsString> {
        self.0
    }
}
