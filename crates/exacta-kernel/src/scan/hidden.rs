//! Characters that hide or deceive, in added lines, in the proposal's words and in paths.

use super::change::{Added, FileChange};
use super::direction::Direction;
use super::{HiddenText, words};
use crate::facts::FileContent;
use crate::path::RelPath;
use crate::prelude::*;
use crate::proposal::Proposal;
use crate::text::{self, Hidden};
use unicode_security::MixedScript;
use unicode_security::confusable_detection::skeleton;

/// Every line, text and path with something hidden in it; each kind once a place.
pub(super) fn find(proposal: &Proposal, changes: &[FileChange<'_>]) -> Vec<HiddenText> {
    let mut found = BTreeSet::new();
    let mut ordered = Vec::new();
    let mut report = |item: HiddenText| {
        if found.insert(item.clone()) {
            ordered.push(item);
        }
    };
    for words in words::of(proposal) {
        text::hidden(words.text).for_each(|(_, _, kind)| report(HiddenText { kind, place: words.place() }));
    }
    for change in changes {
        if deceives(change.path) {
            report(HiddenText { kind: Hidden::Lookalike, place: change.place(None) });
        }
        // A binary file is shown by its numbers, so that nothing in it hides.
        let shown = !change.after.is_some_and(FileContent::is_binary);
        for added in change.added.iter().filter(|_| shown) {
            in_lines(change, added, &mut report);
            in_names(change, added, &mut report);
        }
    }
    ordered
}

/// Whether a part of a path is written to be taken for another name: letters of several scripts mixed, or letters of
/// another script that all look Latin.
pub(super) fn deceives(path: &RelPath) -> bool {
    path.parts().filter(|part| !part.is_ascii()).any(|part| {
        let mixed = part.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_single_script());
        let foreign = part.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
        let disguised = foreign && !has_latin_accents(part) && skeleton(part).all(|c| c.is_ascii());
        mixed || disguised
    })
}

/// Accents decompose to Latin letters with marks: honest, and not ASCII in a skeleton anyway; `ı` and the like are not.
fn has_latin_accents(part: &str) -> bool {
    use unicode_normalization::UnicodeNormalization;
    part.nfd().any(|c| ('\u{300}'..='\u{36F}').contains(&c))
}

/// Looks through the UTF-8 pieces of a run of lines; other bytes are not characters and are shown as escapes.
fn in_lines(change: &FileChange<'_>, added: &Added<'_>, report: &mut impl FnMut(HiddenText)) {
    if text::is_plain(added.bytes) {
        return;
    }
    let mut lines = added.lines();
    let mut at = 0;
    for chunk in added.bytes.utf8_chunks() {
        let mut direction = Direction::default();
        for (offset, character, kind) in text::hidden(chunk.valid()) {
            let opens_file = added.first_line == 1 && at + offset == 0;
            let kind = match kind {
                Hidden::ByteOrderMark if opens_file => continue,
                Hidden::ByteOrderMark => Hidden::ZeroWidth,
                // A form feed is an old, harmless page break in source files.
                Hidden::Control if character == '\u{c}' => continue,
                Hidden::Control if breaks_line(character) && crate::scan::source::is_code(change.path) => {
                    Hidden::LineBreak
                }
                Hidden::Direction => match direction.meaning(change.path, chunk.valid(), offset) {
                    Some(kind) => kind,
                    None => continue,
                },
                kind => kind,
            };
            report(HiddenText { kind, place: change.place(lines.at(at + offset)) });
        }
        at += chunk.valid().len() + chunk.invalid().len();
    }
}

/// What compilers, editors and terminals disagree about: whether a line ends here.
const fn breaks_line(c: char) -> bool {
    matches!(c, '\r' | '\u{B}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Looks for names in code that mix Latin letters with letters of another script that look Latin.
fn in_names(change: &FileChange<'_>, added: &Added<'_>, report: &mut impl FnMut(HiddenText)) {
    if added.bytes.is_ascii() || !crate::scan::source::is_code(change.path) {
        return;
    }
    for (number, line) in (added.first_line..).zip(added.bytes.split(|byte| *byte == b'\n')) {
        if line.is_ascii() {
            continue;
        }
        let line = String::from_utf8_lossy(line);
        if line.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_disguised) {
            report(HiddenText { kind: Hidden::Lookalike, place: change.place(number) });
        }
    }
}

/// Whether a word has Latin letters and others that are taken for Latin ones: Greek, Cyrillic, Armenian, Cherokee, full width.
fn is_disguised(word: &str) -> bool {
    let foreign = |c: char| matches!(c, '\u{370}'..='\u{58F}' | '\u{13A0}'..='\u{13FF}' | '\u{FF21}'..='\u{FF5A}');
    let looks_latin = |c: char| foreign(c) && skeleton(c.encode_utf8(&mut [0; 4])).all(|c| c.is_ascii_alphabetic());
    word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(looks_latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguised_names() {
        for word in ["p\u{430}ypal", "v\u{435}rify", "\u{391}dmin", "is_\u{FF21}dmin"] {
            assert!(is_disguised(word), "{word}");
        }
        for word in
            ["admin", "\u{43F}\u{440}\u{438}\u{432}\u{435}\u{442}", "\u{394}x", "\u{3BB}1", "na\u{EF}ve", "\u{3C0}r2"]
        {
            assert!(!is_disguised(word), "{word}");
        }
    }
}
