//! Text as two people would call it the same: one normal form for what only looks different.

use unicode_normalization::UnicodeNormalization as _;

/// Marks a word that is not text: what a link leads to, an image, a state. They are private characters, which no text keeps.
pub(crate) const LINK: char = '\u{e000}';
pub(crate) const IMAGE: char = '\u{e001}';
pub(crate) const STATE: char = '\u{e002}';
/// Stands for words that differ from one look to the next.
pub(crate) const WILD: &str = "\u{e003}";

/// Normal form: composed, plain quotes and dashes, single spaces, nothing that takes no room, no private characters.
pub(crate) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars().filter_map(plain).nfc() {
        if c == ' ' {
            space = !out.is_empty();
            continue;
        }
        if space && !matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | ')') {
            out.push(' ');
        }
        space = false;
        match c {
            '\u{2026}' => out.push_str("..."),
            c => out.push(c),
        }
    }
    out
}

/// The plain form of a character; none for one that nobody sees.
fn plain(c: char) -> Option<char> {
    Some(match c {
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => {
            return None;
        }
        '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}' => return None,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => return None,
        c if c.is_whitespace() => ' ',
        c if c.is_control() => return None,
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '\u{2039}' | '\u{203a}' | '\u{2bc}' | '`' | '\u{b4}' => {
            '\''
        }
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        c => c,
    })
}

/// Words as people read them: without what stands for links and states, `…` for what is left out.
pub(crate) fn shown<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut out = String::new();
    for word in words {
        let word = match word.chars().next() {
            Some(LINK | STATE) => continue,
            Some(IMAGE) => format!("[image {}]", word.trim_start_matches(IMAGE)),
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

/// A number that differs for texts that differ; the same on every machine.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same() {
        for (text, expected) in [
            ("  a\u{a0}\u{2009}b\n\tc ", "a b c"),
            ("co\u{ad}op\u{200b}er\u{feff}ate", "cooperate"),
            ("“It’s” – ‘so’…", "\"It's\" - 'so'..."),
            ("cafe\u{301}", "café"),
            ("see this , here .", "see this, here."),
            ("a\u{e000}b\u{1b}[1m", "ab[1m"),
            ("\u{202e}evil\u{202c}", "evil"),
            ("", ""),
        ] {
            assert_eq!(normal(text), expected);
        }
    }
}
