//! Which words say something.

use crate::prelude::*;
use crate::proposal::Step;

/// Words that fit any request.
const GENERIC: &[&str] = &[
    "update",
    "updates",
    "updated",
    "updating",
    "change",
    "changes",
    "changed",
    "changing",
    "modify",
    "modifies",
    "modified",
    "edit",
    "edits",
    "edited",
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "add",
    "adds",
    "added",
    "adding",
    "create",
    "creates",
    "created",
    "remove",
    "removes",
    "delete",
    "deletes",
    "implement",
    "implements",
    "implementation",
    "improve",
    "improves",
    "improvement",
    "improvements",
    "refactor",
    "refactoring",
    "cleanup",
    "clean",
    "misc",
    "miscellaneous",
    "various",
    "stuff",
    "things",
    "thing",
    "something",
    "code",
    "file",
    "files",
    "bug",
    "bugs",
    "issue",
    "issues",
    "problem",
    "problems",
    "feature",
    "features",
    "work",
    "works",
    "make",
    "makes",
    "made",
    "does",
    "done",
    "step",
    "task",
    "new",
    "old",
    "needed",
    "necessary",
    "required",
    "some",
    "this",
    "that",
    "these",
    "the",
    "and",
    "for",
    "with",
    "from",
    "into",
    "etc",
    "better",
    "good",
    "project",
    "content",
    "contents",
    "apply",
    "perform",
    "tbd",
    "wip",
    "todo",
    "part",
    "all",
    "everything",
    "please",
    "proper",
    "properly",
    "correctly",
    "source",
    "its",
    "our",
    "your",
    "was",
    "are",
    "has",
    "have",
    "not",
    "but",
    "will",
    "can",
    "should",
    "must",
    "when",
    "then",
    "than",
    "also",
    "only",
    "more",
    "any",
    "other",
    "one",
    "two",
    "use",
    "uses",
    "used",
    "using",
    "app",
    "application",
    "program",
    "system",
    "software",
    "let",
    "get",
    "set",
    "now",
];

/// How much a step's description says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// What is done, to what.
    Good,
    /// One word that says something.
    Thin,
    /// Nothing that would not fit any other step.
    Vague,
}

/// How much a step's description says beyond its type and target.
pub(super) fn worth(step: &Step) -> Worth {
    let target: BTreeSet<String> = every(&step.target).collect();
    let said = telling(&step.description).filter(|word| !target.contains(word));
    match (said.count(), every(&step.description).count()) {
        _ if is_foreign(&step.description) => Worth::Good,
        (0, _) => Worth::Vague,
        (1, 0..=2) => Worth::Thin,
        _ => Worth::Good,
    }
}

/// How much a request says.
pub(super) fn worth_of_request(text: &str) -> Worth {
    match (telling(text).count(), every(text).count()) {
        _ if is_foreign(text) => Worth::Good,
        (0, _) => Worth::Vague,
        (1, 0..=2) => Worth::Thin,
        _ => Worth::Good,
    }
}

/// The words of a text that say something, lower case.
pub(super) fn telling(text: &str) -> impl Iterator<Item = String> {
    every(text).filter(|word| {
        word.chars().count() > 2 && !GENERIC.contains(&word.as_str()) && word.chars().any(char::is_alphabetic)
    })
}

/// All words of a text, lower case; `camelCase` and `snake_case` apart.
pub(super) fn every(text: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut last_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && last_lower) {
            words.extend((!word.is_empty()).then(|| core::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last_lower = c.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    words.into_iter()
}

/// The beginning of a word, which its other forms share.
pub(super) fn stem(word: &str) -> &str {
    let end = word.char_indices().nth(5).map_or(word.len(), |(at, _)| at);
    word.get(..end).unwrap_or(word)
}

/// Written in a script whose words these lists do not know: it says something.
fn is_foreign(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_texts_say() {
        for (text, expected) in [
            ("fix", Worth::Vague),
            ("Update the file", Worth::Vague),
            ("", Worth::Vague),
            ("Add tests", Worth::Thin),
            ("Clamp the page index before slicing", Worth::Good),
            ("修正分页越界", Worth::Good),
            ("Fix typo in README", Worth::Good),
        ] {
            assert_eq!(worth_of_request(text), expected, "{text}");
        }
    }

    #[test]
    fn words_of_identifiers() {
        assert_eq!(
            every("hashPassword in user_store.rs").collect::<Vec<_>>(),
            ["hash", "password", "in", "user", "store", "rs"]
        );
    }
}
