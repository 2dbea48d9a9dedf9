//! What is shown of a change: the text in which it is, without what changes by itself.

use crate::text::{IMAGE, LINK, STATE, WILD};
use exacta_kernel::text::excerpt;

/// The most passages of each kind.
pub(crate) const MAX_PASSAGES: usize = 50;
/// The longest passage.
const MAX_CHARS: usize = 400;
/// A text with more words is shown in part.
const MAX_WORDS: usize = 60;
/// So many words are shown on each side of a change.
const AROUND: usize = 12;

/// A word, and whether it is what changed.
pub(crate) type Word<'w> = (&'w str, bool);

/// A text with changed words in it, as people read it.
pub(crate) fn passage(words: &[Word<'_>]) -> String {
    if words.len() <= MAX_WORDS {
        return excerpt(&line(words.iter().copied()), MAX_CHARS);
    }
    let near = |index: usize| {
        let from = index.saturating_sub(AROUND);
        words.get(from..(index + AROUND + 1).min(words.len())).unwrap_or_default().iter().any(|(_, changed)| *changed)
    };
    let cut = words.iter().enumerate().map(|(index, word)| if near(index) { *word } else { (WILD, false) });
    excerpt(&line(cut), MAX_CHARS)
}

/// A text that is wholly new or gone.
pub(crate) fn whole(words: &[String]) -> String {
    excerpt(&line(words.iter().map(|word| (word.as_str(), false))), MAX_CHARS)
}

fn line<'w>(words: impl Iterator<Item = Word<'w>>) -> String {
    let mut out = String::new();
    for (word, changed) in words {
        let rest = word.get(LINK.len_utf8()..).unwrap_or_default();
        let word = match word.chars().next() {
            Some(LINK) if changed => format!("(link to {rest})"),
            Some(STATE) if changed => format!("({rest})"),
            Some(LINK | STATE) => continue,
            Some(IMAGE) if changed => format!("[image {rest}]"),
            Some(IMAGE) => continue,
            _ if word == WILD => "…".to_owned(),
            _ => word.to_owned(),
        };
        if word == "…" && out.ends_with('…') {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}
