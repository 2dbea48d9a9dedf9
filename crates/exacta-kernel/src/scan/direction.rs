//! Direction marks and isolates: what right-to-left text needs, and what "Trojan Source" hides code with.

use crate::path::RelPath;
use crate::text::Hidden;

/// Folders that hold translations.
const FOLDERS: [&str; 16] = [
    "i18n",
    "intl",
    "l10n",
    "lang",
    "langs",
    "language",
    "languages",
    "lc_messages",
    "locale",
    "locales",
    "lproj",
    "messages",
    "resources",
    "strings",
    "translation",
    "translations",
];
/// Endings of files that hold nothing but translations.
const ENDINGS: [&str; 12] =
    ["arb", "ftl", "po", "pot", "resx", "strings", "stringsdict", "tmx", "ts", "xcstrings", "xlf", "xliff"];
/// Endings that a translation may have within such a folder; code never has one of them.
const DATA: [&str; 11] = ["csv", "html", "ini", "json", "json5", "md", "properties", "toml", "txt", "xml", "yaml"];

/// Judges the direction marks of one text in the order they stand, each line once, however many are in it.
#[derive(Debug, Default)]
pub(super) struct Direction {
    /// Where the line that was judged last ends, and what its marks mean.
    judged: Option<(usize, Option<Hidden>)>,
}

impl Direction {
    /// What the mark at `offset` means; offsets must not fall. `None` where it is part of an honest translation.
    pub(super) fn meaning(&mut self, path: &RelPath, text: &str, offset: usize) -> Option<Hidden> {
        if let Some((end, meaning)) = self.judged
            && offset < end
        {
            return meaning;
        }
        let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let end = offset + after.find('\n').unwrap_or(after.len());
        let found = meaning(path, text.get(start..end).unwrap_or(text));
        self.judged = Some((end, found));
        found
    }
}

/// What a direction mark or isolate in `line` means for this file; `None` where it is part of an honest translation.
fn meaning(path: &RelPath, line: &str) -> Option<Hidden> {
    if !is_balanced(line) && crate::scan::source::is_code(path) && !is_translation(path) {
        // An isolate that its line does not close reorders what follows: code that reads as a comment, or the reverse.
        return Some(Hidden::Override);
    }
    let honest = is_translation(path) && is_balanced(line) && line.chars().any(is_right_to_left);
    (!honest).then_some(Hidden::Direction)
}

/// Whether a file holds texts in the users' languages.
fn is_translation(path: &RelPath) -> bool {
    let name = path.name().to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    // TypeScript has taken the ending of Qt's translations: such a file is one only where translations lie.
    let sure = ENDINGS.contains(&ending) && ending != "ts";
    let folder = |part: &str| {
        let part = part.to_ascii_lowercase();
        let last = part.rsplit_once('.').map_or(part.as_str(), |(_, ending)| ending);
        FOLDERS.contains(&part.as_str()) || last == "lproj" || part.starts_with("values-")
    };
    let data = DATA.contains(&ending) || ending == "yml";
    sure || (data && path.parent().is_some_and(|parent| parent.parts().any(folder)))
}

/// Whether every isolate of a line is closed in it, and nothing else.
fn is_balanced(line: &str) -> bool {
    let mut open = 0u32;
    for c in line.chars() {
        match c {
            '\u{2066}'..='\u{2068}' => open += 1,
            '\u{2069}' => match open.checked_sub(1) {
                Some(rest) => open = rest,
                None => return false,
            },
            _ => {}
        }
    }
    open == 0
}

/// Letters of the scripts that are written from right to left.
const fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{5D0}'..='\u{5EA}' | '\u{5EF}'..='\u{5F2}' | '\u{620}'..='\u{64A}' | '\u{66E}'..='\u{6D3}' | '\u{6FA}'..='\u{6FF}'
        | '\u{710}'..='\u{72F}' | '\u{74D}'..='\u{7A5}' | '\u{7CA}'..='\u{7EA}' | '\u{800}'..='\u{815}'
        | '\u{840}'..='\u{858}' | '\u{860}'..='\u{887}' | '\u{8A0}'..='\u{8C9}' | '\u{FB1D}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_only_beside_right_to_left_letters_in_a_translation() {
        let quiet = None;
        let asks = Some(Hidden::Direction);
        let denies = Some(Hidden::Override);
        for (path, line, expected) in [
            ("locales/ar.json", "\"a\": \"\u{200F}مرحبا 12\"", quiet),
            ("app/src/main/res/values-he/strings.xml", "\u{2068}שלום\u{2069}", quiet),
            ("po/he.po", "msgstr \"שלום\u{200E}!\"", quiet),
            ("web/he.lproj/Main.strings", "\"a\" = \"שלום\u{200F}\";", quiet),
            ("locales/ar.json", "\"a\": \"\u{200F}12\"", asks),
            ("locales/ar.json", "\"a\": \"\u{2067}مرحبا\"", asks),
            ("locales/ar.json", "\"a\": \"مرحبا\u{2069}\"", asks),
            ("README.md", "שלום\u{200F}", asks),
            ("src/main.rs", "let a = \"\u{2068}שלום\u{2069}\";", asks),
            ("src/main.rs", "/* \u{2067} */ if admin {", denies),
            ("src/locales/he.ts", "a: '\u{200F}שלום'", asks),
            ("src/locales/load.py", "'''\u{2067}''' ;return", denies),
        ] {
            assert_eq!(meaning(&RelPath::parse(path).unwrap(), line), expected, "{path}: {line:?}");
        }
    }
}
