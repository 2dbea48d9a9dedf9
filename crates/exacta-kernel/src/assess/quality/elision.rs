//! Lines that stand for a part of a file that was left out: `// ... rest of the code`, `(rest of file unchanged)`.

use super::words::every;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::source::Role;

/// Comments that stand for code that was left out, lower case.
const PHRASES: &[&str] = &[
    "rest of the",
    "rest of your",
    "existing code",
    "remaining code",
    "unchanged code",
    "same as before",
    "(unchanged)",
    "code omitted",
    "omitted for brevity",
    "rest unchanged",
    "your code here",
    "add your",
    "implementation here",
    "implementation goes here",
    "remains the same",
    "rest is unchanged",
];
/// What was left out.
const PART: &[&str] =
    &["rest", "remainder", "remaining", "existing", "previous", "everything", "other", "original", "earlier"];
/// What is said of it.
const LEFT_OUT: &[&str] = &[
    "unchanged",
    "same",
    "omitted",
    "stays",
    "stay",
    "remain",
    "remains",
    "kept",
    "before",
    "truncated",
    "continues",
    "here",
    "untouched",
];
/// What files other than code are made of.
const THING: &[&str] = &[
    "content",
    "contents",
    "section",
    "sections",
    "text",
    "file",
    "document",
    "code",
    "entries",
    "items",
    "lines",
    "settings",
    "config",
    "configuration",
    "rows",
    "values",
    "keys",
    "readme",
    "paragraphs",
    "options",
    "records",
];
/// Words that may stand beside these.
const FILLING: &[&str] =
    &["the", "of", "is", "are", "for", "brevity", "as", "no", "changes", "this", "and", "your", "in", "from", "all"];
/// Longer lines say something of their own.
const WORDS: usize = 12;

/// Whether a line stands for something that was left out, in a file for this.
pub(super) fn is_elision(line: &[u8], role: Role) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let text = text.trim();
    match role {
        Role::Docs | Role::Asset => is_in_text(text),
        _ => is_comment(text) || sign(text).is_some_and(|rest| is_in_text(rest.trim())),
    }
}

/// The first line of a change that stands for something that was left out.
pub(super) fn first(change: &FileChange<'_>) -> Option<u64> {
    let mut lines = change.marked_added(crate::scan::lexicon::OPEN);
    lines.find(|line| is_elision(line.bytes, change.role)).map(|line| line.line)
}

/// The rest of a comment.
fn sign(text: &str) -> Option<&str> {
    ["//", "#", "/*", "<!--", "--", ";"].iter().find_map(|sign| text.strip_prefix(sign))
}

fn is_comment(text: &str) -> bool {
    let comment = ["//", "#", "/*", "*", "<!--", "--", "..."].iter().any(|start| text.starts_with(start));
    comment
        && (is_dotted(text) && PHRASES.iter().any(|phrase| text.contains(phrase)) || text.contains("your code here"))
}

fn is_dotted(text: &str) -> bool {
    text.contains("...") || text.contains('…')
}

/// Whether a line of a text says only that something is as before: in brackets, between dots, or as a sentence.
fn is_in_text(text: &str) -> bool {
    let text = text.strip_prefix("- ").unwrap_or(text).trim_matches(['*', '_', '`']);
    let pairs = [("(", ")"), ("[", "]"), ("<!--", "-->"), ("{", "}"), ("<", ">")];
    let bracketed = pairs.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close));
    let words: Vec<String> = every(text).take(WORDS + 1).collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if words.is_empty() || words.len() > WORDS {
        return false;
    }
    let known = |word: &String| [PART, LEFT_OUT, THING, FILLING].iter().any(|list| list.contains(&word.as_str()));
    let marked = bracketed || is_dotted(text);
    // A sentence by itself must say it of the rest of a file, and nothing else.
    let sentence =
        || words.iter().all(known) && any(&["rest", "remainder", "remaining"]) && any(&["unchanged", "same"]);
    let said = any(PART) && any(LEFT_OUT) || any(PART) && any(THING) && is_dotted(text);
    (marked && (said || any(LEFT_OUT) && words.iter().all(known))) || sentence()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_text_and_of_settings() {
        for text in [
            "(rest of file unchanged)",
            "... existing content ...",
            "[The rest of the document remains the same]",
            "<!-- rest unchanged -->",
            "_(remaining sections omitted for brevity)_",
            "…existing entries…",
            "The rest of the file is unchanged.",
            "[... previous content ...]",
            "(unchanged)",
            "- ... existing items ...",
        ] {
            assert!(is_elision(text.as_bytes(), Role::Docs), "{text}");
        }
        for text in [
            "# ... existing settings ...",
            "# rest of the file unchanged",
            "; ... remaining keys ...",
            "// ... existing code ...",
        ] {
            assert!(is_elision(text.as_bytes(), Role::Config), "{text}");
        }
        for text in [
            "The rest of this page explains how to keep existing data.",
            "Existing users keep their settings",
            "[existing content](docs/content.md)",
            "## Everything else",
            "- the same as before, but faster for large files and many users at once (see below)",
            "Wait...",
            "(see the existing guide)",
            "...",
        ] {
            assert!(!is_elision(text.as_bytes(), Role::Docs), "{text}");
        }
        assert!(!is_elision(b"[rest, same]", Role::Source));
        assert!(!is_elision(b"# keep the existing settings", Role::Config));
    }
}
