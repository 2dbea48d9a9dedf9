//! The place of a file that is most like some lines that are not in it, and how the two differ.
//!
//! Lines of the file are named by number and never quoted, because findings are recorded.

use crate::prelude::*;
use core::fmt;

/// How many lines of the text are compared, and how many of the file.
const LINES: usize = 400;
const FILE_LINES: usize = 50_000;
/// How many lines of the file may be equal to one line of the text; those that are everywhere tell nothing.
const COMMON: usize = 64;
/// How many words of a line are compared.
const WORDS: usize = 64;

/// What in the file is like a text that is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Near {
    /// The text that was to take its place.
    Made {
        /// Where it begins.
        line: usize,
    },
    /// The same but for blanks.
    Blanks {
        /// The first line that differs.
        line: usize,
        /// What differs there.
        blank: Blank,
    },
    /// Lines of which some are the same.
    Words {
        /// The line of the file that is most like the one that differs.
        line: usize,
        /// Which line of the text that is, from 1.
        of: usize,
    },
}

/// How blanks can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    /// The file has tabs, the text has spaces.
    TabsInFile,
    /// The text has tabs, the file has spaces.
    TabsInText,
    /// The file's lines end with CR LF.
    CarriageReturn,
    /// Blanks at the end of the line.
    Trailing,
    /// Another depth.
    Indentation,
    /// Anything else.
    Inside,
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made { line } => write!(f, "its replacement is in the file already, at line {line}"),
            Self::Blanks { line, blank } => write!(f, "line {line} of the file differs only in white space: {blank}"),
            Self::Words { line, of } => {
                write!(f, "the nearest is line {line} of the file, which differs in words from line {of} of the text")
            }
        }
    }
}

impl fmt::Display for Blank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TabsInFile => "the file has tabs where the text has spaces",
            Self::TabsInText => "the text has tabs where the file has spaces",
            Self::CarriageReturn => "the file's lines end with CR LF, the text's with LF",
            Self::Trailing => "blanks at the end of the line",
            Self::Indentation => "the line is indented differently",
            Self::Inside => "blanks between words",
        })
    }
}

impl Near {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Made { .. } => "leave this edit out if the file is already as wanted",
            Self::Blanks { .. } => "copy the lines from the file as they are, white space included",
            Self::Words { .. } => "read the file again, and copy the text from there as it is",
        }
    }
}

/// The place most like these lines, if any is.
pub(super) fn nearest(text: &[&[u8]], file: &[u8]) -> Option<Near> {
    let text: Vec<&[u8]> = text.iter().take(LINES).copied().collect();
    let lines: Vec<&[u8]> = file.split(|byte| *byte == b'\n').take(FILE_LINES).collect();
    let start = aligned(&text, &lines);
    let pairs = || text.iter().enumerate().filter_map(|(at, line)| Some((at, *line, *lines.get(start? + at)?)));
    let whole = start.is_some_and(|start| start + text.len() <= lines.len());
    if whole && pairs().all(|(_, line, found)| squeezed(line) == squeezed(found)) {
        let (at, line, found) = pairs().find(|(_, line, found)| line != found)?;
        return Some(Near::Blanks { line: start? + at + 1, blank: blank(line, found) });
    }
    if let Some((at, line, _)) = pairs().find(|(_, line, found)| squeezed(line) != squeezed(found)) {
        // The line may only have moved: the nearest one, from where it should be.
        let best = best_line(line, &lines).unwrap_or(start? + at);
        return Some(Near::Words { line: best + 1, of: at + 1 });
    }
    within_line(&text, &lines).or_else(|| {
        let (at, line) = text.iter().enumerate().max_by_key(|(at, line)| (words(line).len(), usize::MAX - at))?;
        Some(Near::Words { line: best_line(line, &lines)? + 1, of: at + 1 })
    })
}

/// The line of the file at which the text begins if as many of its lines as possible are where they should be.
fn aligned(text: &[&[u8]], lines: &[&[u8]]) -> Option<usize> {
    let mut places: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        places.entry(squeezed(line)).or_default().push(at);
    }
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for (offset, line) in text.iter().enumerate() {
        let line = squeezed(line);
        let found = places.get(&line).filter(|found| !line.is_empty() && found.len() <= COMMON);
        for start in found.into_iter().flatten().filter_map(|at| at.checked_sub(offset)) {
            *votes.entry(start).or_default() += 1;
        }
    }
    votes.into_iter().max_by_key(|(start, votes)| (*votes, usize::MAX - start)).map(|(start, _)| start)
}

/// A text of one line that is in a line of the file but for blanks.
fn within_line(text: &[&[u8]], lines: &[&[u8]]) -> Option<Near> {
    let [line] = text else { return None };
    let wanted = squeezed(line);
    let holds = |found: &&[u8]| !wanted.is_empty() && memchr::memmem::find(&squeezed(found), &wanted).is_some();
    let at = lines.iter().position(holds)?;
    let inside = line.trim_ascii() == *line && !line.contains(&b'\t');
    let blank = if inside { Blank::Inside } else { blank(line, lines.get(at)?) };
    Some(Near::Blanks { line: at + 1, blank })
}

/// The line of the file that shares most words with a line, and more than half of them.
fn best_line(line: &[u8], lines: &[&[u8]]) -> Option<usize> {
    let wanted = words(line);
    let shared = |found: &[u8]| {
        let found = words(found);
        (wanted.intersection(&found).count() * 2).checked_sub(found.len().abs_diff(wanted.len()) / 2)
    };
    let scored = lines.iter().enumerate().map(|(at, found)| (shared(found).unwrap_or_default(), at));
    let (score, at) = scored.max_by_key(|(score, at)| (*score, usize::MAX - at))?;
    (score >= wanted.len().max(1)).then_some(at)
}

fn words(line: &[u8]) -> BTreeSet<&[u8]> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    line.split(|byte| !word(byte)).filter(|word| !word.is_empty()).take(WORDS).collect()
}

/// A line with one space for each run of blanks between words, and none around them.
fn squeezed(line: &[u8]) -> Vec<u8> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(&b' ')
}

fn blank(text: &[u8], file: &[u8]) -> Blank {
    let tab = |line: &[u8]| line.contains(&b'\t');
    let (bare_text, bare_file) = (text.trim_ascii_end(), file.trim_ascii_end());
    if file.ends_with(b"\r") && !text.ends_with(b"\r") && bare_text == bare_file {
        Blank::CarriageReturn
    } else if tab(file) && !tab(text) {
        Blank::TabsInFile
    } else if tab(text) && !tab(file) {
        Blank::TabsInText
    } else if bare_text == bare_file {
        Blank::Trailing
    } else if text.trim_ascii() == file.trim_ascii() {
        Blank::Indentation
    } else {
        Blank::Inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_differs_and_where() {
        let file = "fn main() {\n\tlet total = sum(&items);\n\tprintln!(\"{total}\");\n}\n";
        let near = |text: &str| nearest(&text.lines().map(str::as_bytes).collect::<Vec<_>>(), file.as_bytes());
        let blanks = |line, blank| Some(Near::Blanks { line, blank });
        assert_eq!(near("    let total = sum(&items);"), blanks(2, Blank::TabsInFile));
        assert_eq!(near("\tlet total = sum(&items);  \n\tprintln!(\"{total}\");"), blanks(2, Blank::Trailing));
        assert_eq!(near("total  =  sum"), blanks(2, Blank::Inside));
        assert_eq!(near("let total = sum(&list);"), Some(Near::Words { line: 2, of: 1 }));
        assert_eq!(
            near("fn main() {\n\tlet total = add(&items);\n\tprintln!(\"{total}\");"),
            Some(Near::Words { line: 2, of: 2 })
        );
        assert_eq!(near("class Unrelated:"), None);
        let crlf = nearest(&[b"a = 1", b"b = 2"], b"x\r\na = 1\r\nb = 2\r\n");
        assert_eq!(crlf, blanks(2, Blank::CarriageReturn));
    }
}
