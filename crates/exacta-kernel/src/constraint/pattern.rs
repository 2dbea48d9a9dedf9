//! Paths and globs as constraints name them. Not the policy's `Globs`, which only tighten and so match widely: a
//! constraint may also be proved kept, so it needs two answers, what is certainly meant and what might be.

use super::token::has_file_extension;
use crate::path::RelPath;
use crate::prelude::*;

/// A path or glob beneath the project root. One that names a folder covers everything in it.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    text: String,
    exact: Matcher,
    folded: Matcher,
    /// A bare name: no folder in it.
    bare: bool,
    /// Certainly a path, not the name of something in the code.
    certain: bool,
}

#[derive(Debug, Clone)]
enum Matcher {
    Path(String),
    Glob(globset::GlobMatcher),
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Reads a path or glob; `None` for one that is not inside the project or not well formed.
    pub fn parse(text: &str) -> Option<Self> {
        let certain = text.contains(['/', '*']) || text.starts_with('.') || has_file_extension(text);
        let text = text.strip_prefix("./").unwrap_or(text);
        let text = text.strip_suffix('/').unwrap_or(text);
        RelPath::parse(text).ok()?;
        let exact = Matcher::new(text)?;
        let folded = Matcher::new(&crate::path::fold_part(text))?;
        Some(Self { text: text.to_owned(), exact, folded, bare: !text.contains('/'), certain })
    }

    /// Whether the path certainly is the one meant, or in it. A bare name is at the top, a bare glob anywhere.
    pub fn covers(&self, path: &str) -> bool {
        ancestors(path).any(|part| self.exact.is_match(part)) || (self.bare && self.exact.matches_any_part(path))
    }

    /// Whether the path might be the one meant, or in it: folded as a file system may fold it, and a bare name anywhere.
    pub fn may_cover(&self, path: &str) -> bool {
        let path = crate::path::fold_part(path);
        let anywhere = || path.split('/').any(|part| self.folded.is_match(part));
        ancestors(&path).any(|part| self.folded.is_match(part)) || (self.bare && anywhere())
    }

    /// The same, known to be a path because it stands where only a path can.
    pub fn known_path(self) -> Self {
        Self { certain: true, ..self }
    }

    /// Whether it is a path and nothing else: `src` may also be the name of something in the code.
    pub const fn is_certain(&self) -> bool {
        self.certain
    }

    /// Whether it names more than one path beneath it by a pattern.
    pub const fn is_glob(&self) -> bool {
        matches!(self.exact, Matcher::Glob(_))
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Matcher {
    fn new(text: &str) -> Option<Self> {
        if !text.contains(['*', '?', '[', '{']) {
            return Some(Self::Path(text.to_owned()));
        }
        let glob = globset::GlobBuilder::new(text).literal_separator(true).build().ok()?;
        Some(Self::Glob(glob.compile_matcher()))
    }

    fn is_match(&self, path: &str) -> bool {
        match self {
            Self::Path(own) => own == path,
            Self::Glob(glob) => glob.is_match(path),
        }
    }

    fn matches_any_part(&self, path: &str) -> bool {
        matches!(self, Self::Glob(_)) && path.split('/').any(|part| self.is_match(part))
    }
}

/// A path and the folders it is in.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    core::iter::once(path).chain(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_covers_what_it_names() {
        // pattern, path, certainly, possibly
        for (pattern, path, certainly, possibly) in [
            ("src", "src", true, true),
            ("src", "src/a.rs", true, true),
            ("src/", "src/a/b.rs", true, true),
            ("./src", "src/a.rs", true, true),
            ("src", "srcs/a.rs", false, false),
            ("src", "lib/src/a.rs", false, true),
            ("src/a.rs", "src/a.rs", true, true),
            ("src/a.rs", "src/A.rs", false, true),
            ("src/a.rs", "lib/src/a.rs", false, false),
            ("Cargo.toml", "crates/x/Cargo.toml", false, true),
            ("*.lock", "Cargo.lock", true, true),
            ("*.lock", "a/b/Cargo.lock", true, true),
            ("*.lock", "a.lock/b", true, true),
            ("src/*", "src/a/b.rs", true, true),
            ("src/*.rs", "src/a/b.rs", false, false),
            ("src/**/*.rs", "src/a/b.rs", true, true),
            ("**/db/**", "a/db/c", true, true),
            ("{a,b}/c", "b/c", true, true),
            ("[ab].rs", "x/A.RS", false, true),
        ] {
            let parsed = Pattern::parse(pattern).unwrap();
            assert_eq!((parsed.covers(path), parsed.may_cover(path)), (certainly, possibly), "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_not_inside_the_project_is_no_pattern() {
        for text in ["", "/", "/etc", "../x", "a/../b", "C:\\x", "a//b", "[a", "{a", "~a\\b"] {
            assert!(Pattern::parse(text).is_none(), "{text}");
        }
    }
}
