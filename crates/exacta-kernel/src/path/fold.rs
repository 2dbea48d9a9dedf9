//! How file systems read names: what they fold together, trim and reserve.

use crate::prelude::*;
use crate::text::is_ignorable;
use unicode_normalization::UnicodeNormalization;

/// The folders that no plan may touch, without their leading dot.
const PROTECTED: [&str; 2] = ["git", "exacta"];

/// Names that Windows keeps for devices, besides `COM` and `LPT` with a digit.
const DEVICES: [&str; 7] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];

/// Folds case, canonical normalisation and ignored code points, as ext4, APFS and HFS+ do.
pub(super) fn key(part: &str) -> String {
    if part.is_ascii() {
        return part.to_ascii_lowercase();
    }
    let visible = part.chars().filter(|c| !is_ignorable(*c));
    fold_case(visible.nfd()).nfd().filter(|c| !is_ignorable(*c)).collect()
}

/// Whether some system reads this part as `..`: also `.. `, `...` and dots in compatibility forms.
pub(super) fn is_parent(part: &str) -> bool {
    let dots = |text: &str| {
        let text = text.trim_end_matches(' ');
        text.len() > 1 && text.bytes().all(|b| matches!(b, b'.' | b' ')) && text.starts_with('.')
    };
    if part.is_ascii() { dots(part) } else { part.len() <= super::MAX_PART && dots(&skeleton(part)) }
}

/// Whether some file system takes this part for `.git` or `.exacta`, or for records that were put aside, `.exacta.aside-1`.
pub(super) fn is_protected(part: &str) -> bool {
    let name = if part.is_ascii() { part.to_ascii_lowercase() } else { skeleton(part) };
    let name = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    name.starts_with(".exacta.")
        || PROTECTED.iter().any(|protected| name.strip_prefix('.') == Some(protected) || is_short_name(name, protected))
}

/// Whether Windows reads this part as a device: case, extension and trailing spaces do not matter, superscript digits count.
pub(super) fn is_device(part: &str) -> bool {
    let stem = part.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    let numbered = |prefix: &str| {
        let head = stem.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
        head && stem.get(prefix.len()..).is_some_and(is_port_digit)
    };
    DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device)) || numbered("COM") || numbered("LPT")
}

fn is_port_digit(text: &str) -> bool {
    let mut chars = text.chars();
    matches!((chars.next(), chars.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
}

/// The 8.3 names NTFS and FAT make for a folder: `GIT~1`, `EXACTA~1`, `EXACT~10`, and after some collisions `GI7EBA~1`.
fn is_short_name(name: &str, protected: &str) -> bool {
    let Some((stem, number)) = name.split_once('~') else { return false };
    let digits = number.len();
    if !(1..=6).contains(&digits) || !number.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let full = protected.len().min(7 - digits);
    protected.get(..full) == Some(stem) || is_hashed_stem(stem, protected)
}

/// Two letters of the name and four digits of a checksum.
fn is_hashed_stem(stem: &str, protected: &str) -> bool {
    let letters = protected.get(..2).unwrap_or(protected);
    stem.strip_prefix(letters).is_some_and(|sum| sum.len() == 4 && sum.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The widest reading of a name: compatibility forms and case folded, ignored code points dropped, the dot of `İ` too.
fn skeleton(part: &str) -> String {
    let visible = part.chars().filter(|c| !is_ignorable(*c));
    fold_case(visible.nfkc()).nfkc().filter(|c| !is_ignorable(*c) && *c != '\u{307}').collect()
}

/// Full case folding, near enough: lower, upper, lower meets `ß`, `ẞ` and `ss`; `ı` and `i`; `ſ` and `s`; `K` and `k`.
fn fold_case(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    chars.flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_every_character_is_idempotent_and_blind_to_case_and_normalisation() {
        for c in (0..0x3_4000).chain(0xE_0000..0xE_1000).filter_map(char::from_u32) {
            let text = c.to_string();
            let folded = key(&text);
            assert_eq!(key(&folded), folded, "U+{:04X}", u32::from(c));
            assert_eq!(key(&text.to_uppercase()), folded, "upper of U+{:04X}", u32::from(c));
            assert_eq!(key(&text.to_lowercase()), folded, "lower of U+{:04X}", u32::from(c));
            assert_eq!(key(&text.nfc().collect::<String>()), folded, "NFC of U+{:04X}", u32::from(c));
            assert_eq!(key(&text.nfd().collect::<String>()), folded, "NFD of U+{:04X}", u32::from(c));
        }
    }
}
