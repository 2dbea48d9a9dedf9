//! What a user wants watched of a page, and what not.

use crate::selector::{SelectorError, Selectors};
use regex::{Regex, RegexBuilder};
use std::fmt;

/// What of a page is compared.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(crate) selectors: Selectors,
    names: Vec<String>,
    pub(crate) patterns: Vec<(String, Regex)>,
    digest: String,
}

/// A rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleError {
    /// A selector.
    Selector(SelectorError),
    /// A pattern.
    Pattern(String),
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selector(error) => error.fmt(f),
            Self::Pattern(pattern) => write!(f, "`{pattern}` is no pattern, or too large a one"),
        }
    }
}

impl std::error::Error for RuleError {}

impl Rules {
    /// Only what a selector of `select` matches is compared, if there are any; nothing that one of `ignore` matches; and no text in which a
    /// regular expression of `ignore_text` is found. Each takes time in proportion to the page, and one that matches nothing is an error.
    ///
    /// # Errors
    /// The first rule that cannot be used.
    pub fn new(select: &[String], ignore: &[String], ignore_text: &[String]) -> Result<Self, RuleError> {
        let selectors = Selectors::new(select, ignore).map_err(RuleError::Selector)?;
        let patterns = ignore_text.iter().take(32).map(|pattern| {
            let regex = RegexBuilder::new(pattern).size_limit(256 * 1024).dfa_size_limit(1024 * 1024).build();
            let shown = || exacta_kernel::text::excerpt(pattern, 100);
            regex.map(|regex| (pattern.clone(), regex)).map_err(|_| RuleError::Pattern(shown()))
        });
        let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
        let names: Vec<String> = select.iter().chain(ignore).cloned().collect();
        let digest = match (names.is_empty(), patterns.is_empty()) {
            (true, true) => String::new(),
            _ => crate::page::digest(format!("{select:?}{ignore:?}{ignore_text:?}").as_bytes()),
        };
        Ok(Self { selectors, names, patterns, digest })
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The selector with this number.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }

    /// Whether there are selectors.
    pub(crate) fn selects(&self) -> bool {
        !self.names.is_empty()
    }
}
