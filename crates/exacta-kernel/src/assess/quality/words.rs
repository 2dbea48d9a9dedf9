//! Which words say something.

use crate::prelude::*;
use crate::proposal::Step;

/// Words that fit any request, sorted.
const GENERIC: &[&str] = &[
    "add",
    "added",
    "adding",
    "adds",
    "all",
    "also",
    "and",
    "any",
    "app",
    "application",
    "apply",
    "are",
    "better",
    "bug",
    "bugs",
    "but",
    "can",
    "change",
    "changed",
    "changes",
    "changing",
    "clean",
    "cleanup",
    "code",
    "content",
    "contents",
    "correctly",
    "create",
    "created",
    "creates",
    "delete",
    "deletes",
    "does",
    "done",
    "edit",
    "edited",
    "edits",
    "etc",
    "everything",
    "feature",
    "features",
    "file",
    "files",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "for",
    "from",
    "get",
    "good",
    "has",
    "have",
    "implement",
    "implementation",
    "implements",
    "improve",
    "improvement",
    "improvements",
    "improves",
    "into",
    "issue",
    "issues",
    "its",
    "let",
    "made",
    "make",
    "makes",
    "misc",
    "miscellaneous",
    "modified",
    "modifies",
    "modify",
    "more",
    "must",
    "necessary",
    "needed",
    "new",
    "not",
    "now",
    "old",
    "one",
    "only",
    "other",
    "our",
    "part",
    "perform",
    "please",
    "problem",
    "problems",
    "program",
    "project",
    "proper",
    "properly",
    "refactor",
    "refactoring",
    "remove",
    "removes",
    "required",
    "set",
    "should",
    "software",
    "some",
    "something",
    "source",
    "step",
    "stuff",
    "system",
    "task",
    "tbd",
    "than",
    "that",
    "the",
    "then",
    "these",
    "thing",
    "things",
    "this",
    "todo",
    "two",
    "update",
    "updated",
    "updates",
    "updating",
    "use",
    "used",
    "uses",
    "using",
    "various",
    "was",
    "when",
    "will",
    "wip",
    "with",
    "work",
    "works",
    "your",
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
    worth_beyond(&step.description, |word| target.contains(word))
}

/// How much a request says.
pub(super) fn worth_of_request(text: &str) -> Worth {
    worth_beyond(text, |_| false)
}

fn worth_beyond(text: &str, is_known: impl Fn(&str) -> bool) -> Worth {
    if is_foreign(text) {
        return Worth::Good;
    }
    let words: Vec<String> = every(text).collect();
    match (words.iter().filter(|word| tells(word) && !is_known(word)).count(), words.len()) {
        (0, _) => Worth::Vague,
        (1, 0..=2) => Worth::Thin,
        _ => Worth::Good,
    }
}

/// The words of a text that say something, lower case.
pub(super) fn telling(text: &str) -> impl Iterator<Item = String> {
    every(text).filter(|word| tells(word))
}

fn tells(word: &str) -> bool {
    word.chars().count() > 2 && GENERIC.binary_search(&word).is_err() && word.chars().any(char::is_alphabetic)
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
            match c {
                'a'..='z' | '0'..='9' => word.push(c),
                _ => word.extend(c.to_lowercase()),
            }
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
    fn generic_words_are_sorted() {
        assert!(GENERIC.is_sorted());
    }

    #[test]
    fn words_of_identifiers() {
        assert_eq!(
            every("hashPassword in user_store.rs").collect::<Vec<_>>(),
            ["hash", "password", "in", "user", "store", "rs"]
        );
    }
}
