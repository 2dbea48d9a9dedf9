//! Where items begin, language by language.

use super::Version;
use super::lex::{Line, Syntax};
use crate::language::Language;
use std::ops::Range;

/// An item: some lines.
pub(super) struct Item {
    pub lines: Range<usize>,
}

/// How a language is cut into items.
pub(super) struct Cut {
    pub syntax: &'static Syntax,
    /// Whether an item may begin with this line.
    pub starts: fn(&Line, &[u8]) -> bool,
    /// The line of an item that opens a list of items.
    pub opens: fn(&Version<'_>, &Item) -> Option<usize>,
    /// Whether an item says something about others: what the file exports, or which types it keeps to itself.
    pub keep: fn(&[u8]) -> bool,
    /// Whether a list of items may not be empty.
    pub keep_first: bool,
}

impl Cut {
    /// How a language is cut; none where lines do not tell.
    pub fn of(language: Language) -> Option<&'static Self> {
        Some(match language {
            Language::Rust => &RUST,
            Language::Go => &GO,
            Language::Python => &PYTHON,
            Language::JavaScript | Language::TypeScript => &SCRIPT,
            Language::Java => &JAVA,
            Language::C => &C,
            // Text between tags, `private` for all that follows, blocks that words close: brackets do not tell.
            Language::Tsx | Language::Cpp | Language::CSharp | Language::Php | Language::Ruby => return None,
        })
    }
}

static RUST: Cut = Cut {
    syntax: &Syntax { lifetimes: true, nested: true, raw: true, multiline: true, ..Syntax::BRACES },
    starts: |line, _| ends_before(line) && (is_word(line.first) || matches!(line.first, b'#' | b'/')),
    opens: |version, item| {
        block(version, item, |words| words.any(&[b"impl", b"mod", b"trait"]) && !words.any(&[b"fn"]))
    },
    keep: |text| text.split(|byte| *byte == b'\n').any(rust_says),
    keep_first: false,
};

/// A type that is not public, or names taken from elsewhere.
fn rust_says(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let rest = match line.strip_prefix(b"pub") {
        Some(rest) if rest.starts_with(b" ") => return rest.trim_ascii_start().starts_with(b"use"),
        Some(rest) => rest.splitn(2, |byte| *byte == b')').nth(1).unwrap_or_default().trim_ascii_start(),
        None => line,
    };
    let rest = rest.strip_prefix(b"unsafe ").unwrap_or(rest);
    [&b"struct "[..], b"enum ", b"union ", b"trait "].iter().any(|word| rest.starts_with(word))
}

static GO: Cut = Cut {
    syntax: &Syntax { backtick: true, ..Syntax::BRACES },
    starts: |line, text| {
        let words = [&b"func"[..], b"type", b"var", b"const", b"import"];
        line.first == b'/' || words.iter().any(|word| text.starts_with(word))
    },
    opens: |_, _| None,
    // The package's name says whether anyone can use the rest.
    keep: |text| text.starts_with(b"package ") || memchr::memmem::find(text, b"\npackage ").is_some(),
    keep_first: false,
};

static PYTHON: Cut = Cut {
    syntax: &Syntax { hash: true, triple: true, slashes: false, ..Syntax::BRACES },
    starts: |line, text| {
        // A comment may be indented anyhow.
        let goes_on = [&b"else"[..], b"elif", b"except", b"finally", b"case"];
        line.prev != b'\\'
            && !line.is_comment
            && (is_word(line.first) || matches!(line.first, b'@' | b'"' | b'\''))
            && !goes_on.contains(&first_word(text))
    },
    opens: |version, item| {
        let is_class = |line: usize| first_word(version.line(line)) == b"class";
        let header = item.lines.clone().find(|line| is_class(*line))?;
        let first = version.lines.get(header)?;
        let own = |line: &usize| version.lines.get(*line).is_some_and(|line| line.depth > first.depth);
        let last = (header + 1..item.lines.end).take_while(own).last().unwrap_or(header);
        let before = item.lines.start..header;
        let decorated = before.clone().all(|line| version.lines.get(line).is_some_and(|it| it.indent >= first.indent));
        let closes = version.lines.get(last + 1).is_some_and(|next| next.prev == b':');
        (decorated && closes).then_some(last)
    },
    keep: |_| false,
    keep_first: true,
};

static SCRIPT: Cut = Cut {
    syntax: &Syntax { backtick: true, template: true, regex: true, ..Syntax::BRACES },
    starts: |line, text| {
        let goes_on = [&b"else"[..], b"catch", b"finally", b"instanceof", b"in", b"of", b"extends", b"implements"];
        let ended = ends_before(line) || is_word(line.prev) || matches!(line.prev, b')' | b']' | b'"' | b'\'' | b'`');
        ended
            && (is_word(line.first) || matches!(line.first, b'@' | b'#' | b'/' | b'"' | b'\''))
            && !goes_on.contains(&first_word(text))
    },
    opens: |version, item| block(version, item, |words| words.any(&[b"class"])),
    keep: script_exports,
    keep_first: false,
};

/// Anything that exports a name apart from its declaration.
fn script_exports(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"export").any(|at| {
        let rest = text.get(at + 6..).unwrap_or_default();
        let word = rest.trim_ascii_start();
        let declares = [
            &b"function"[..],
            b"class",
            b"const",
            b"let",
            b"var",
            b"async",
            b"interface",
            b"enum",
            b"abstract",
            b"declare",
        ];
        !rest.starts_with(b" ") || !declares.contains(&first_word(word))
    })
}

static JAVA: Cut = Cut {
    syntax: &Syntax { triple_double: true, ..Syntax::BRACES },
    starts: |line, _| ends_before(line) && (is_word(line.first) || matches!(line.first, b'@' | b'/')),
    opens: |version, item| block(version, item, |words| words.any(&[b"class", b"interface"])),
    keep: |_| false,
    keep_first: false,
};

static C: Cut = Cut {
    syntax: &Syntax { directives: true, ..Syntax::BRACES },
    starts: |line, _| ends_before(line) && (is_word(line.first) || matches!(line.first, b'#' | b'/')),
    opens: |_, _| None,
    keep: |_| false,
    keep_first: false,
};

/// Whether what stood before a line was complete.
fn ends_before(line: &Line) -> bool {
    matches!(line.prev, 0 | b';' | b'}' | b'{')
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn first_word(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    text.split(|byte| !is_word(*byte)).next().unwrap_or_default()
}

/// The words of a line.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn any(&self, wanted: &[&[u8]]) -> bool {
        self.0.split(|byte| !is_word(*byte)).any(|word| wanted.contains(&word))
    }
}

/// The line whose brace opens an item's body, if its words say that it holds items.
fn block(version: &Version<'_>, item: &Item, holds: fn(&Words<'_>) -> bool) -> Option<usize> {
    let depth = version.lines.get(item.lines.start)?.depth;
    let deeper = |line: &usize| version.lines.get(line + 1).is_some_and(|next| next.depth > depth);
    let mut opening = item.lines.clone().filter(deeper);
    let line = opening.next()?;
    let text = version.line(line).trim_ascii();
    let opened = version.lines.get(line + 1).is_some_and(|next| next.prev == b'{' && next.depth == depth + 1);
    let simple = memchr::memchr3(b'(', b'=', b';', text).is_none();
    (opened && simple && text.ends_with(b"{") && holds(&Words(text))).then_some(line)
}
