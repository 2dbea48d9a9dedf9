//! Path patterns, read as `.gitignore` reads them, and a little wider: case and Unicode form never matter. Constraints have their own
//! (`constraint::pattern`): people's words, in which a bare name means the top folder, or perhaps any.

use crate::path::RelPath;
use crate::prelude::*;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Serialize, Serializer};

/// The longest pattern that is accepted, in bytes.
const MAX_GLOB: usize = 256;
/// The most patterns in one list.
const MAX_GLOBS: usize = 256;

/// A list of patterns, compiled. Without a `/` a pattern matches a name in any folder, with one it starts at the project root; a
/// pattern that matches a folder covers everything beneath it.
///
/// Patterns only ever tighten, so each is matched widely: as written, and with case, normalisation and ignored code points
/// folded away on both sides.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    texts: Vec<String>,
    set: GlobSet,
}

/// A pattern that cannot be used: which one of the list, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadGlob {
    pub(super) index: usize,
    pub(super) message: String,
    pub(super) hint: &'static str,
}

impl Globs {
    /// Compiles a list of patterns.
    pub(super) fn new(texts: Vec<String>) -> Result<Self, BadGlob> {
        if let Some(text) = texts.get(MAX_GLOBS) {
            let message = format!("`{text}` is one pattern too many: a list has at most {MAX_GLOBS}");
            return Err(BadGlob { index: MAX_GLOBS, message, hint: "cover several paths with one pattern" });
        }
        let mut builder = GlobSetBuilder::new();
        for (index, text) in texts.iter().enumerate() {
            add(&mut builder, text).map_err(|(problem, hint)| {
                let shown: String = text.chars().take(64).collect();
                BadGlob { index, message: format!("`{shown}` is not a path pattern: {problem}"), hint }
            })?;
        }
        let set = builder.build().map_err(|error| BadGlob {
            index: 0,
            message: format!("the patterns cannot be compiled: {error}"),
            hint: "use fewer or shorter patterns",
        })?;
        Ok(Self { texts, set })
    }

    /// Whether any pattern covers this path.
    #[must_use]
    pub fn covers(&self, path: &RelPath) -> bool {
        !self.texts.is_empty() && (self.set.is_match(path.as_str()) || self.set.is_match(path.fold_key()))
    }

    /// The patterns as they were written.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Adds the forms of one pattern: as written and folded, the thing itself and what lies beneath it.
fn add(builder: &mut GlobSetBuilder, text: &str) -> Result<(), (String, &'static str)> {
    let base = anchored(text)?;
    for form in [base.clone(), format!("{base}/**")] {
        let glob = GlobBuilder::new(&form).literal_separator(true).case_insensitive(true).build();
        builder.add(glob.map_err(|error| (error.kind().to_string(), "check its brackets and braces"))?);
        // Folding can spoil a character range; the form as written is in the set in any case.
        if let Ok(folded) = GlobBuilder::new(&crate::path::fold_part(&form)).literal_separator(true).build() {
            builder.add(folded);
        }
    }
    Ok(())
}

/// The pattern from the project root, without a slash at the end.
fn anchored(text: &str) -> Result<String, (String, &'static str)> {
    let problem = |what: &str, hint| Err((what.to_owned(), hint));
    if text.len() > MAX_GLOB {
        return problem("it is longer than 256 bytes", "shorten it");
    }
    if text.contains('\\') {
        return problem("it contains a backslash", "separate folders with `/`; write `[*]` for a star");
    }
    if text.chars().any(char::is_control) {
        return problem("it contains a control character", "remove it");
    }
    if text.starts_with('!') {
        return problem("it starts with `!`", "a pattern cannot make an exception; name what is covered");
    }
    let body = text.strip_suffix('/').unwrap_or(text);
    let from_root = body.strip_prefix('/').unwrap_or(body);
    if from_root.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return problem("it has an empty part, `.` or `..`", "write it relative to the project root");
    }
    Ok(if body.contains('/') { from_root.to_owned() } else { format!("**/{from_root}") })
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Eq for Globs {}

impl Serialize for Globs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.texts.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(glob: &str, path: &str) -> bool {
        Globs::new(vec![glob.to_owned()]).unwrap().covers(&RelPath::parse(path).unwrap())
    }

    #[test]
    fn read_as_gitignore_reads_them() {
        for (glob, path, expected) in [
            ("*.pem", "key.pem", true),
            ("*.pem", "deep/down/key.pem", true),
            ("*.pem", "key.pem.txt", false),
            ("/*.pem", "key.pem", true),
            ("/*.pem", "deep/key.pem", false),
            ("infra", "infra/prod/main.tf", true),
            ("infra", "a/infra/prod/main.tf", true),
            ("/infra", "a/infra/prod/main.tf", false),
            ("infra/", "infra/prod/main.tf", true),
            ("infra", "infrastructure/main.tf", false),
            ("infra/prod", "infra/prod/main.tf", true),
            ("infra/prod", "a/infra/prod/main.tf", false),
            ("infra/*/x", "infra/a/b/x", false),
            ("infra/**/x", "infra/a/b/x", true),
            ("infra/**/x", "infra/x", true),
            ("infra/**", "infra/x", true),
            ("src/{a,b}.rs", "src/b.rs", true),
            ("src/[ab].rs", "src/c.rs", false),
            ("a[*]", "a*", true),
            ("a[*]", "ab", false),
        ] {
            assert_eq!(covers(glob, path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn case_and_unicode_form_never_matter() {
        for (glob, path) in [
            ("Secrets/**", "sECRETS/x"),
            ("straße", "STRASSE/x"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("cafe\u{301}", "CAF\u{c9}"),
            ("[Z-a]x", "Zx"),
            ("k", "\u{212a}"),
        ] {
            assert!(covers(glob, path), "{glob} {path}");
        }
    }

    #[test]
    fn patterns_that_would_mislead_are_refused() {
        for glob in ["", "/", "a//b", "../x", "a/./b", "!x", "a\\b", "[", "{a", "a\u{1b}b", &"x".repeat(257)] {
            assert!(Globs::new(vec![glob.to_owned()]).is_err(), "{glob}");
        }
        assert!(Globs::new(vec!["x".to_owned(); 257]).is_err());
    }
}
