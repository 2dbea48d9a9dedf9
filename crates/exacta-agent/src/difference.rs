//! What an agent changed in its copy: what a plan can carry, and what it cannot, each by name and with the reason.

use crate::tree::{Entry, Name, Tree};
use exacta_kernel::path::RelPath;
use serde::Serialize;
use std::collections::BTreeSet;

/// A file that is another one now, or new, or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its path, as a plan has it.
    pub path: RelPath,
    /// What it was; none for a new one.
    pub before: Option<Entry>,
    /// What it is; none for one that is gone.
    pub after: Option<Entry>,
}

/// Something that a plan cannot carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rest {
    /// Its path, with nothing hidden in it.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// Why a plan cannot carry a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It was there before, and is no text, or was none.
    Binary,
    /// It has lines that are no UTF-8.
    NotUtf8,
    /// It is more than a step may carry.
    TooLarge,
    /// It is, or was, a symbolic link.
    Link,
    /// It is in another repository within the project.
    Submodule,
    /// It is a folder with nothing in it.
    EmptyFolder,
    /// It is a pipe, a socket or a device.
    Special,
    /// Its name is one that no plan may have.
    Name,
    /// It cannot be read.
    Unreadable,
}

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// By path.
    pub changed: Vec<Changed>,
    /// By path.
    pub rest: Vec<Rest>,
}

impl Difference {
    /// Whether nothing changed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.rest.is_empty()
    }
}

impl Why {
    /// After the path.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Binary => "was there before, and is or was no text",
            Self::NotUtf8 => "has changed lines that are not UTF-8",
            Self::TooLarge => "is larger than a step of a plan may be",
            Self::Link => "is or was a symbolic link",
            Self::Submodule => "is in another repository",
            Self::EmptyFolder => "is an empty folder, or was one",
            Self::Special => "is a pipe, a socket or a device",
            Self::Name => "has a name that no plan may have",
            Self::Unreadable => "cannot be read, nor what is in it",
        }
    }
}

/// Compares a copy with what it was.
#[must_use]
pub fn compare(base: &Tree, now: &Tree) -> Difference {
    let closed: Vec<&Name> =
        now.entries.iter().filter(|(_, entry)| **entry == Entry::Unreadable).map(|(name, _)| name).collect();
    let is_closed = |name: &Name| closed.iter().any(|folder| name.is_beneath(folder));
    let names: BTreeSet<&Name> = base.entries.keys().chain(now.entries.keys()).collect();
    let mut difference = Difference::default();
    for name in names {
        let (before, after) = (base.entries.get(name), now.entries.get(name));
        if before == after || is_closed(name) || is_no_change(name, (before, base), (after, now)) {
            continue;
        }
        let nested = base.is_nested(name) || now.is_nested(name) || now.nested.contains(name);
        match carried(name, before, after, nested) {
            Ok(changed) => difference.changed.push(changed),
            Err(why) => difference.rest.push(Rest { path: name.to_string(), why }),
        }
    }
    difference
}

/// Whether a folder is only empty no more, or empty because what was in it is gone: its files say it all.
fn is_no_change(name: &Name, before: (Option<&Entry>, &Tree), after: (Option<&Entry>, &Tree)) -> bool {
    let empty = Some(&Entry::EmptyFolder);
    let has_more = |tree: &Tree| tree.entries.range(name.join(b"")..).next().is_some_and(|(it, _)| it.is_beneath(name));
    let went = |from: (Option<&Entry>, &Tree), to: (Option<&Entry>, &Tree)| {
        from.0 == empty && to.0.is_none() && has_more(to.1)
    };
    went(before, after) || went(after, before)
}

fn carried(name: &Name, before: Option<&Entry>, after: Option<&Entry>, nested: bool) -> Result<Changed, Why> {
    if nested {
        return Err(Why::Submodule);
    }
    for entry in [before, after].into_iter().flatten() {
        match entry {
            Entry::File { .. } => {}
            Entry::Link { .. } => return Err(Why::Link),
            Entry::EmptyFolder => return Err(Why::EmptyFolder),
            Entry::Special => return Err(Why::Special),
            Entry::Unreadable => return Err(Why::Unreadable),
        }
    }
    let path = name.text().and_then(|text| RelPath::parse(text).ok()).ok_or(Why::Name)?;
    if path.is_protected() || (before.is_none() && path.check_new().is_err()) {
        return Err(Why::Name);
    }
    Ok(Changed { path, before: before.cloned(), after: after.cloned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_kernel::hash::Digest;

    fn file(text: &str, executable: bool) -> Entry {
        Entry::File { sha256: Digest::of(text.as_bytes()), size: text.len() as u64, executable }
    }

    fn tree(entries: &[(&str, Entry)], nested: &[&str]) -> Tree {
        let name = |text: &str| Name::from(text.as_bytes());
        Tree {
            entries: entries.iter().map(|(path, entry)| (name(path), entry.clone())).collect(),
            nested: nested.iter().map(|path| name(path)).collect(),
        }
    }

    #[test]
    fn every_change_is_carried_or_named() {
        let link = |to: &str| Entry::Link { to: Name::from(to.as_bytes()) };
        let base = tree(
            &[
                ("same", file("a", false)),
                ("text", file("a", false)),
                ("mode", file("a", false)),
                ("gone", file("a", false)),
                ("to-link", file("a", false)),
                ("link", link("a")),
                ("closed/inner", file("a", false)),
                ("was-empty", Entry::EmptyFolder),
                ("sub/x", file("a", false)),
                ("emptied/one", file("a", false)),
            ],
            &["sub"],
        );
        let now = tree(
            &[
                ("same", file("a", false)),
                ("text", file("b", false)),
                ("mode", file("a", true)),
                ("to-link", link("x")),
                ("link", link("b")),
                ("closed", Entry::Unreadable),
                ("was-empty/new", file("n", false)),
                ("sub/x", file("b", false)),
                ("emptied", Entry::EmptyFolder),
                ("new-empty", Entry::EmptyFolder),
                ("pipe", Entry::Special),
                ("aux.c", file("n", false)),
                ("a\nb", file("n", false)),
                ("inner/y", file("n", false)),
            ],
            &["inner"],
        );
        let found = compare(&base, &now);
        let changed: Vec<&str> = found.changed.iter().map(|changed| changed.path.as_str()).collect();
        assert_eq!(changed, ["emptied/one", "gone", "mode", "text", "was-empty/new"]);
        let rest: Vec<(String, Why)> = found.rest.iter().map(|rest| (rest.path.clone(), rest.why)).collect();
        let expected = [
            ("a\\nb", Why::Name),
            ("aux.c", Why::Name),
            ("closed", Why::Unreadable),
            ("inner/y", Why::Submodule),
            ("link", Why::Link),
            ("new-empty", Why::EmptyFolder),
            ("pipe", Why::Special),
            ("sub/x", Why::Submodule),
            ("to-link", Why::Link),
        ];
        let rest: Vec<(&str, Why)> = rest.iter().map(|(path, why)| (path.as_str(), *why)).collect();
        assert_eq!(rest, expected);
    }
}
