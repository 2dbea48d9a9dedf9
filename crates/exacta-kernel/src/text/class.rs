//! Which characters are hidden, given what stands beside them.

use super::Hidden;
use super::extend::is_undrawn;

/// The three flags that are spelled with tag characters: England, Scotland, Wales. Any other tag sequence is hidden text.
const TAG_FLAGS: [&str; 3] = [
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// The length of the flag that `rest` starts with, or 0.
pub(super) fn flag_len(rest: &str) -> usize {
    TAG_FLAGS.iter().find(|flag| rest.starts_with(**flag)).map_or(0, |flag| flag.len())
}

/// What a character hides, given the text before and after it; `None` for what may be shown as it is.
pub(super) fn classify(before: &str, c: char, after: &str) -> Option<Hidden> {
    match c {
        '\n' | '\t' => None,
        '\r' => (!after.starts_with('\n')).then_some(Hidden::Control),
        '\u{2028}' | '\u{2029}' => Some(Hidden::Control),
        '\u{8}' | '\u{1B}' | '\u{90}' | '\u{98}' | '\u{9B}' | '\u{9D}'..='\u{9F}' => Some(Hidden::Escape),
        c if c.is_control() => Some(Hidden::Control),
        '\u{202A}'..='\u{202E}' => Some(Hidden::Override),
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2066}'..='\u{2069}' => Some(Hidden::Direction),
        '\u{FEFF}' if before.is_empty() => Some(Hidden::ByteOrderMark),
        '\u{200D}' => (!joins_emoji(before, after) && !joins_letters(before, after)).then_some(Hidden::ZeroWidth),
        '\u{200C}' => (!joins_letters(before, after)).then_some(Hidden::ZeroWidth),
        '\u{FE0E}' | '\u{FE0F}' => (!styles_emoji(before, after)).then_some(Hidden::Variation),
        '\u{FE00}'..='\u{FE0D}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180D}' | '\u{180F}' => {
            Some(Hidden::Variation)
        }
        '\u{E0000}'..='\u{E007F}' => Some(Hidden::Tag),
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}' => Some(Hidden::PrivateUse),
        c if is_noncharacter(c) => Some(Hidden::Unassigned),
        c if is_ignorable(c) || is_annotation(c) => Some(Hidden::ZeroWidth),
        '\u{2800}' => (!among_braille(before, after)).then_some(Hidden::ZeroWidth),
        c if is_undrawn(before, c) => Some(Hidden::ZeroWidth),
        _ => None,
    }
}

/// Unicode's Default_Ignorable_Code_Point: characters that are not displayed, and that some file systems do not compare.
pub(crate) const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Interlinear annotation marks, which hide the text between them where they are honoured, and the controls that lay
/// hieroglyphs out.
const fn is_annotation(c: char) -> bool {
    matches!(c, '\u{FFF9}'..='\u{FFFB}' | '\u{13430}'..='\u{1343F}')
}

/// Noncharacters, and the planes in which nothing is assigned.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{FDD0}'..='\u{FDEF}' | '\u{40000}'..='\u{DFFFF}') || u32::from(c) & 0xFFFE == 0xFFFE
}

/// A joiner with an emoji on both sides makes one emoji of them.
fn joins_emoji(before: &str, after: &str) -> bool {
    let before = before.strip_suffix('\u{FE0F}').unwrap_or(before);
    before.chars().next_back().is_some_and(is_emoji) && after.chars().next().is_some_and(is_emoji)
}

/// A joiner or non-joiner within a word of a script that is written with them, such as Persian, Hindi or Sinhala.
fn joins_letters(before: &str, after: &str) -> bool {
    before.chars().next_back().is_some_and(is_joining) && after.chars().next().is_some_and(is_joining)
}

/// A text or emoji style for the emoji before it, or the middle of a keycap.
fn styles_emoji(before: &str, after: &str) -> bool {
    match before.chars().next_back() {
        Some('0'..='9' | '#' | '*') => after.starts_with('\u{20E3}'),
        Some(c) => is_emoji(c),
        None => false,
    }
}

/// A blank braille cell beside another cell is a space of that script.
fn among_braille(before: &str, after: &str) -> bool {
    let dots = |c: char| matches!(c, '\u{2801}'..='\u{28FF}');
    before.chars().next_back().is_some_and(dots) || after.chars().next().is_some_and(dots)
}

/// Blocks of scripts whose words contain joiners.
const fn is_joining(c: char) -> bool {
    matches!(c,
        '\u{620}'..='\u{86F}' | '\u{8A0}'..='\u{DFF}' | '\u{F00}'..='\u{109F}' | '\u{1780}'..='\u{17B3}'
        | '\u{17B6}'..='\u{17FF}' | '\u{1807}' | '\u{180A}' | '\u{1810}'..='\u{18AF}' | '\u{1A20}'..='\u{1AAF}'
        | '\u{1B00}'..='\u{1C4F}' | '\u{A800}'..='\u{A82F}' | '\u{A840}'..='\u{A8FF}' | '\u{AA60}'..='\u{AA7F}'
        | '\u{FB50}'..='\u{FDCF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10D00}'..='\u{10D3F}' | '\u{11000}'..='\u{11FFF}'
        | '\u{1E900}'..='\u{1E95F}')
}

/// Unicode's Extended_Pictographic and the skin tones.
const fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{2199}'
        | '\u{21A9}'..='\u{21AA}' | '\u{231A}'..='\u{231B}' | '\u{2328}' | '\u{2388}' | '\u{23CF}'
        | '\u{23E9}'..='\u{23F3}' | '\u{23F8}'..='\u{23FA}' | '\u{24C2}' | '\u{25AA}'..='\u{25AB}' | '\u{25B6}'
        | '\u{25C0}' | '\u{25FB}'..='\u{25FE}' | '\u{2600}'..='\u{2605}' | '\u{2607}'..='\u{2612}'
        | '\u{2614}'..='\u{2685}' | '\u{2690}'..='\u{2705}' | '\u{2708}'..='\u{2712}' | '\u{2714}' | '\u{2716}'
        | '\u{271D}' | '\u{2721}' | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274C}'
        | '\u{274E}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2767}' | '\u{2795}'..='\u{2797}'
        | '\u{27A1}' | '\u{27B0}' | '\u{27BF}' | '\u{2934}'..='\u{2935}' | '\u{2B05}'..='\u{2B07}'
        | '\u{2B1B}'..='\u{2B1C}' | '\u{2B50}' | '\u{2B55}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1F0FF}' | '\u{1F10D}'..='\u{1F10F}' | '\u{1F12F}' | '\u{1F16C}'..='\u{1F171}'
        | '\u{1F17E}'..='\u{1F17F}' | '\u{1F18E}' | '\u{1F191}'..='\u{1F19A}' | '\u{1F1AD}'..='\u{1F1E5}'
        | '\u{1F201}'..='\u{1F20F}' | '\u{1F21A}' | '\u{1F22F}' | '\u{1F232}'..='\u{1F23A}'
        | '\u{1F23C}'..='\u{1F23F}' | '\u{1F249}'..='\u{1F53D}' | '\u{1F546}'..='\u{1F64F}'
        | '\u{1F680}'..='\u{1F6FF}' | '\u{1F774}'..='\u{1F77F}' | '\u{1F7D5}'..='\u{1F7FF}'
        | '\u{1F80C}'..='\u{1F80F}' | '\u{1F848}'..='\u{1F84F}' | '\u{1F85A}'..='\u{1F85F}'
        | '\u{1F888}'..='\u{1F88F}' | '\u{1F8AE}'..='\u{1F8FF}' | '\u{1F90C}'..='\u{1F93A}'
        | '\u{1F93C}'..='\u{1F945}' | '\u{1F947}'..='\u{1FAFF}' | '\u{1FC00}'..='\u{1FFFD}')
}
