//! What lines tell about source code, without parsing it: what a file is for, what of a line is code, public signatures.

mod foreign;
mod role;
mod signature;

pub(crate) use role::is_ui;
pub(crate) use role::{Role, is_test, role};
pub(crate) use signature::{Signature, signatures};

use crate::prelude::*;
use alloc::borrow::Cow;

/// Languages that are told apart, by how they write comments, strings and what is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    /// JavaScript and TypeScript.
    Script,
    Python,
    Go,
    /// Java, C#, Kotlin, Scala, Swift, PHP, Dart.
    Java,
    /// C, C++ and Objective-C.
    C,
    Ruby,
    Shell,
    /// Anything else that is source code.
    Other,
}

/// Whether a file is source code.
pub(crate) fn is_code(path: &crate::path::RelPath) -> bool {
    language(path.name()).is_some()
}

/// The language of a file, by its name; none for what is not source code.
pub(crate) fn language(name: &str) -> Option<Language> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    Some(match extension.to_ascii_lowercase().as_str() {
        "rs" => Language::Rust,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte" | "astro" => Language::Script,
        "py" | "pyi" | "pyx" => Language::Python,
        "go" => Language::Go,
        "java" | "cs" | "kt" | "kts" | "scala" | "swift" | "php" | "dart" | "groovy" => Language::Java,
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" => Language::C,
        "rb" | "cr" => Language::Ruby,
        "sh" | "bash" | "zsh" | "fish" | "ps1" => Language::Shell,
        "lua" | "ex" | "exs" | "erl" | "hs" | "ml" | "mli" | "clj" | "cljs" | "zig" | "nim" | "pl" | "pm" | "r"
        | "jl" | "fs" | "vb" | "sql" | "sol" | "asm" | "s" | "v" | "vhd" | "elm" | "el" | "lisp" | "razor"
        | "cshtml" | "erb" | "xaml" => Language::Other,
        _ => return None,
    })
}

/// The code of a line: comments cut off, the insides of strings blanked. What a line alone cannot tell (a comment or string
/// that began above) stays.
pub(crate) fn code(line: &[u8], language: Language) -> Cow<'_, [u8]> {
    let marks: &[u8] = match language {
        Language::Python | Language::Ruby | Language::Shell => b"#",
        Language::Other => b"#-/;",
        _ => b"/",
    };
    let plain = |byte: &u8| !matches!(byte, b'"' | b'\'' | b'`' | b'*') && !marks.contains(byte);
    if line.iter().all(plain) {
        return Cow::Borrowed(line);
    }
    let mut code = Vec::with_capacity(line.len());
    pieces(line, language, |piece| code.extend_from_slice(piece));
    Cow::Owned(code)
}

/// The same, piece by piece.
pub(crate) fn pieces<'l>(line: &'l [u8], language: Language, mut each: impl FnMut(&'l [u8])) {
    if line.trim_ascii_start().starts_with(b"* ") || line.trim_ascii_start().starts_with(b"*/") {
        return;
    }
    let (mut start, mut at, mut last) = (0, 0, None);
    while let Some(byte) = line.get(at).copied() {
        let rest = line.get(at..).unwrap_or_default();
        match byte {
            b'/' | b'#' | b'-' | b';' if starts_comment(rest, language, last) => break,
            b'"' | b'\'' | b'`' if let Some(length) = string_length(rest, language) => {
                each(line.get(start..at).unwrap_or_default());
                each(b"\"\"");
                at += length;
                (start, last) = (at, Some(b'"'));
            }
            _ => {
                at += 1;
                last = Some(byte);
            }
        }
    }
    each(line.get(start..at).unwrap_or_default());
}

fn starts_comment(rest: &[u8], language: Language, previous: Option<u8>) -> bool {
    let fresh = previous.is_none_or(|byte| byte.is_ascii_whitespace());
    match language {
        Language::Python | Language::Ruby | Language::Shell => fresh && rest.starts_with(b"#"),
        Language::Other => fresh && [&b"#"[..], b"--", b"//", b";;"].iter().any(|start| rest.starts_with(start)),
        _ => rest.starts_with(b"//") || rest.starts_with(b"/*"),
    }
}

/// The length of the string or character literal that `rest` begins with.
fn string_length(rest: &[u8], language: Language) -> Option<usize> {
    let quote = *rest.first()?;
    let opens = match quote {
        b'"' => true,
        b'`' => matches!(language, Language::Script | Language::Go),
        // A lifetime in Rust has no closing quote.
        b'\'' if language == Language::Rust => rest.get(2) == Some(&b'\'') || rest.get(1) == Some(&b'\\'),
        b'\'' => true,
        _ => false,
    };
    if !opens {
        return None;
    }
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    Some(rest.len())
}

/// How many ways a line of code opens: branches, loops, cases, handlers, and the operators that join conditions.
pub(crate) fn branches(code: &[u8]) -> u32 {
    let mut count = 0;
    let (mut start, mut previous) = (0, b' ');
    for (at, byte) in code.iter().copied().enumerate() {
        if !byte.is_ascii_alphanumeric() && byte != b'_' {
            count += u32::from(is_branch(code.get(start..at).unwrap_or_default()));
            start = at + 1;
            let joins = matches!(byte, b'&' | b'|') && previous == byte;
            let chooses = byte == b'?' && previous == b' ' && code.get(at + 1) == Some(&b' ');
            count += u32::from(joins || chooses);
        }
        previous = byte;
    }
    count + u32::from(is_branch(code.get(start..).unwrap_or_default()))
}

fn is_branch(word: &[u8]) -> bool {
    match word.len() {
        2 => word == b"if",
        3 => word == b"for",
        4 => matches!(word, b"case" | b"when" | b"elif" | b"loop"),
        5 => matches!(word, b"while" | b"match" | b"catch" | b"until" | b"guard" | b"elsif"),
        6 => matches!(word, b"except" | b"unless" | b"rescue" | b"elseif"),
        7 => word == b"foreach",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_counts() {
        for (line, language, expected) in [
            ("let x = \"if // for\"; // if", Language::Rust, "let x = \"\"; "),
            ("fn f<'a>(x: &'a str) { 'x' }", Language::Rust, "fn f<'a>(x: &'a str) { \"\" }"),
            ("x = 'a # b' # if", Language::Python, "x = \"\" "),
            ("a = `if ${b}` /* if */", Language::Script, "a = \"\" "),
            (" * if this is a comment", Language::Java, ""),
            ("url=http://x # y", Language::Shell, "url=http://x "),
        ] {
            assert_eq!(String::from_utf8(code(line.as_bytes(), language).into_owned()).unwrap(), expected);
        }
    }

    #[test]
    fn branches_are_counted() {
        for (code, count) in [("if a && b || c {", 3), ("notify(iffy)", 0), ("x ? y : z", 1), ("} else if (a) {", 1)] {
            assert_eq!(branches(code.as_bytes()), count, "{code}");
        }
    }
}
