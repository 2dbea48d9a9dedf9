//! Characters that take no room of their own, and whether they can be seen on what stands before them.

use super::class::is_ignorable;
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_width::UnicodeWidthChar;

/// The most marks on one letter; more are not looked through.
const MOST_MARKS: usize = 32;

/// Whether a terminal has nothing to draw for this character: it takes no column, and does not extend a character that is
/// drawn. Screens leave such a character out.
pub(super) fn is_undrawn(before: &str, c: char) -> bool {
    if c.width() != Some(0) || is_ignorable(c) {
        return false;
    }
    if is_vowel(c) || is_final(c) {
        return !conjoins(before, c);
    }
    if is_filler(c) || before.chars().next_back().is_none_or(char::is_control) {
        return true;
    }
    !is_general_mark(c) && !base(before).is_some_and(|base| belongs(base, c))
}

/// Marks that are drawn on letters and signs of every script: accents, strokes and frames.
const fn is_general_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2D}')
}

/// Marks without a shape, even among letters of their own script.
const fn is_filler(c: char) -> bool {
    matches!(c, '\u{16FE4}' | '\u{1107F}')
}

/// The character that the marks at the end of a text stand on. What is shown as an escape ends the search, for the next mark
/// would stand on the escape.
fn base(before: &str) -> Option<char> {
    let passed =
        |c: &char| matches!(c, '\u{200C}' | '\u{200D}') || c.width() == Some(0) && !is_ignorable(*c) && !is_filler(*c);
    before.chars().rev().take(MOST_MARKS).find(|c| !passed(c)).filter(|c| !is_ignorable(*c))
}

/// Whether a mark is made for this base: for letters of its script, signs of its block, or the circle that shows marks.
fn belongs(base: char, mark: char) -> bool {
    let (of_base, mut shared) = (AugmentedScriptSet::for_char(base), AugmentedScriptSet::for_char(mark));
    let known = !of_base.is_all() && !shared.is_all();
    shared.intersect_with(of_base);
    base == '\u{25CC}' || known && !shared.is_empty() || u32::from(base) >> 8 == u32::from(mark) >> 8
}

/// Whether a Hangul vowel or final makes a syllable with what stands before it, as UAX #29 has it.
fn conjoins(before: &str, c: char) -> bool {
    let mut next = c;
    for previous in before.chars().rev().take(MOST_MARKS) {
        let open = is_leading(previous) || is_syllable(previous, true) || is_vowel(previous);
        let fits = if is_vowel(next) { open } else { open && !is_leading(previous) || closed(previous) };
        if !fits || !(is_vowel(previous) || is_final(previous)) {
            return fits;
        }
        next = previous;
    }
    false
}

fn closed(c: char) -> bool {
    is_final(c) || is_syllable(c, false)
}

const fn is_leading(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115E}' | '\u{A960}'..='\u{A97C}')
}

const fn is_vowel(c: char) -> bool {
    matches!(c, '\u{1161}'..='\u{11A7}' | '\u{D7B0}'..='\u{D7C6}')
}

const fn is_final(c: char) -> bool {
    matches!(c, '\u{11A8}'..='\u{11FF}' | '\u{D7CB}'..='\u{D7FB}')
}

/// A whole syllable, without a final or with one.
const fn is_syllable(c: char, open: bool) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}') && (c as u32 - 0xAC00).is_multiple_of(28) == open
}

#[cfg(test)]
mod tests {
    use super::super::{hidden, visible};
    use super::*;
    use crate::prelude::*;

    /// attack 56: between two letters every character that takes no room is an escape, or a mark that is drawn.
    #[test]
    fn attack_56_between_letters_nothing_without_room_is_left_out() {
        let mut latin = Vec::new();
        for c in ('\u{80}'..=char::MAX).filter(|c| c.width() == Some(0)) {
            let text = format!("a{c}b");
            let shown = visible(&text).into_owned();
            if !shown.is_ascii() && !is_general_mark(c) {
                latin.push(c);
            }
            assert_eq!(hidden(&text).count(), usize::from(shown != text), "U+{:04X}", u32::from(c));
            for start in ["", "\n", "\t", "\u{200B}"] {
                let text = format!("{start}{c}b");
                let kept = is_general_mark(c) && start == "\u{200B}";
                assert!(kept || visible(&text).is_ascii(), "U+{:04X} after {start:?}", u32::from(c));
            }
        }
        // Breathings and tone marks that Latin letters have too, says Unicode; both are drawn.
        assert_eq!(latin, ['\u{485}', '\u{486}', '\u{951}', '\u{952}']);
    }

    #[test]
    fn marks_stay_on_letters_of_their_own() {
        for text in [
            "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}",
            "\u{AC00}\u{11A8}",
            "\u{1021}\u{1039}\u{1021}",
            "\u{1780}\u{17D2}\u{179A}",
            "\u{1A20}\u{1A60}\u{1A20}",
            "\u{915}\u{94D}\u{200D}\u{937}\u{93F}\u{902}",
            "\u{E01}\u{E34}\u{E48}",
            "\u{5E9}\u{5B8}\u{5C1}",
            "\u{643}\u{64E}\u{62A}\u{651}\u{64E}",
            "\u{304B}\u{3099}",
            "x\u{304} \u{20AC}\u{338} 1\u{20E3}",
            "\u{25CC}\u{94D}",
            "\u{1D158}\u{1D165}\u{1D16E}",
        ] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn attack_56_marks_of_another_script_are_shown_as_escapes() {
        for (text, shown) in [
            ("isAdm\u{1175}in", "isAdm\\u{1175}in"),
            ("\u{AC01}\u{1161}", "\u{AC01}\\u{1161}"),
            ("a\u{1161}\u{11A8}", "a\\u{1161}\\u{11a8}"),
            ("\u{3131}\u{1161}", "\u{3131}\\u{1161}"),
            ("\u{43A}\u{1039}", "\u{43A}\\u{1039}"),
            ("\u{915}\u{1039}", "\u{915}\\u{1039}"),
            ("\u{1780}\u{17B4}\u{17D2}", "\u{1780}\\u{17b4}\\u{17d2}"),
            ("\u{18B00}\u{16FE4}", "\u{18B00}\\u{16fe4}"),
            ("_\u{10A3F}", "_\\u{10a3f}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
