//! Characters that hide or deceive, in added lines, in the proposal's words and in paths.

use super::change::{Added, FileChange};
use super::{HiddenText, words};
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
        for added in &change.added {
            in_lines(change, added, &mut report);
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
    if is_plain(added.bytes) {
        return;
    }
    let mut lines = added.lines();
    let mut at = 0;
    for chunk in added.bytes.utf8_chunks() {
        for (offset, character, kind) in text::hidden(chunk.valid()) {
            let opens_file = added.first_line == 1 && at + offset == 0;
            let kind = match kind {
                Hidden::ByteOrderMark if opens_file => continue,
                Hidden::ByteOrderMark => Hidden::ZeroWidth,
                // A form feed is an old, harmless page break in source files.
                Hidden::Control if character == '\u{c}' => continue,
                kind => kind,
            };
            report(HiddenText { kind, place: change.place(lines.at(at + offset)) });
        }
        at += chunk.valid().len() + chunk.invalid().len();
    }
}

/// Nothing but printable ASCII, tabs and line feeds, as nearly all source is. Without a branch, so that it runs on many bytes
/// at once.
fn is_plain(bytes: &[u8]) -> bool {
    let odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    bytes.chunks(4096).all(|chunk| !chunk.iter().fold(false, |found, byte| found | odd(byte)))
}
