//! Which public signatures a change takes away: as parsed, or else as far as lines can tell. What they cannot tell is unknown,
//! not kept.

use crate::facts::source::{CodeFacts, SignatureChange};
use crate::prelude::*;

/// What a change takes away from a file's public API.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lost {
    Nothing,
    Signature(String),
    /// Something that may be public, or a language that is not read here.
    Unknown,
}

/// How a language says that something is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
    Go,
    Script,
    Java,
}

/// Source and interface files that are not read here.
const UNREAD: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "rb", "php", "kt", "kts", "scala", "swift", "lua",
    "ex", "exs", "erl", "hrl", "hs", "ml", "mli", "clj", "cljs", "dart", "zig", "nim", "pl", "pm", "r", "jl", "fs",
    "vb", "proto", "graphql", "gql", "thrift", "vue", "svelte", "sql", "sol", "wit", "idl",
];

/// The most lines of one signature.
const MAX_LINES: usize = 64;

/// Compares the file before and after. Additions are never a loss, but lines may take them for one: to a trait or interface
/// they are, so there what was parsed does not settle it.
pub(super) fn lost(path: &str, before: &[u8], after: &[u8], code: Option<&CodeFacts>) -> Lost {
    let Some(code) = code else { return by_lines(path, before, after) };
    let broken = code.public.iter().find(|it| it.change != SignatureChange::Added);
    if let Some(broken) = broken {
        return Lost::Signature(broken.name.clone());
    }
    match by_lines(path, before, after) {
        Lost::Signature(lost) if ["trait ", "interface "].iter().any(|word| lost.contains(word)) => Lost::Unknown,
        _ => Lost::Nothing,
    }
}

fn by_lines(path: &str, before: &[u8], after: &[u8]) -> Lost {
    if before.is_empty() || before == after {
        return Lost::Nothing;
    }
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let Some(language) = language(extension) else {
        let described = name.starts_with("openapi") || name.starts_with("swagger");
        return if described || UNREAD.contains(&extension) { Lost::Unknown } else { Lost::Nothing };
    };
    let (Ok(before), Ok(after)) = (core::str::from_utf8(before), core::str::from_utf8(after)) else {
        return Lost::Unknown;
    };
    let (before, after) = (Surface::of(language, before), Surface::of(language, after));
    match missing(before.signatures, &after.signatures) {
        Some(signature) => Lost::Signature(signature),
        None if missing(before.doubtful, &after.doubtful).is_some() => Lost::Unknown,
        None => Lost::Nothing,
    }
}

fn language(extension: &str) -> Option<Language> {
    match extension {
        "rs" => Some(Language::Rust),
        "py" | "pyi" => Some(Language::Python),
        "go" => Some(Language::Go),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Some(Language::Script),
        "java" | "cs" => Some(Language::Java),
        _ => None,
    }
}

/// The first item that occurs more often before than after.
fn missing(before: Vec<String>, after: &[String]) -> Option<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for item in after {
        *left.entry(item).or_default() += 1;
    }
    before.into_iter().find(|item| match left.get_mut(item.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })
}

/// What of a file others may use.
#[derive(Debug, Default)]
struct Surface {
    /// Certainly public.
    signatures: Vec<String>,
    /// Lines that may be.
    doubtful: Vec<String>,
}

impl Surface {
    fn of(language: Language, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut surface = Self::default();
        for (index, line) in lines.iter().enumerate() {
            match language.visibility(line) {
                Visibility::Public { body } => {
                    let rest = lines.get(index..).unwrap_or_default();
                    surface.signatures.push(signature(language, rest, body));
                }
                Visibility::Doubtful => surface.doubtful.push(line.trim().to_owned()),
                Visibility::Private => {}
            }
        }
        surface
    }
}

/// Who may use what a line begins.
enum Visibility {
    /// Everyone; with `body`, what is in the braces belongs to it.
    Public {
        body: bool,
    },
    Doubtful,
    Private,
}

impl Language {
    fn visibility(self, line: &str) -> Visibility {
        let text = line.trim();
        let indented = line.starts_with([' ', '\t']);
        match self {
            Self::Rust => rust(text),
            Self::Python => python(text, indented),
            Self::Go => go(text, indented),
            Self::Script => script(text, indented),
            Self::Java => java(text),
        }
    }
}

fn rust(text: &str) -> Visibility {
    let Some(rest) = text.strip_prefix("pub ") else { return Visibility::Private };
    Visibility::Public {
        body: ["enum ", "trait ", "union ", "unsafe trait ", "use "].iter().any(|it| rest.starts_with(it)),
    }
}

fn python(text: &str, indented: bool) -> Visibility {
    let name = ["def ", "async def ", "class "].iter().find_map(|keyword| text.strip_prefix(keyword));
    match name {
        Some(name) if name.starts_with('_') && !name.starts_with("__") => Visibility::Private,
        Some(_) if indented => Visibility::Doubtful,
        Some(_) => Visibility::Public { body: false },
        None if !indented && text.starts_with("__all__") => Visibility::Doubtful,
        None => Visibility::Private,
    }
}

fn go(text: &str, indented: bool) -> Visibility {
    let exported = |name: &str| name.starts_with(|c: char| c.is_uppercase());
    if indented {
        let doubtful = exported(text) && !text.starts_with(|c: char| !c.is_alphabetic());
        return if doubtful { Visibility::Doubtful } else { Visibility::Private };
    }
    if let Some(rest) = text.strip_prefix("func ") {
        // A method's receiver comes first.
        let name = if rest.starts_with('(') { rest.split_once(") ").map_or("", |(_, name)| name) } else { rest };
        return if exported(name) { Visibility::Public { body: false } } else { Visibility::Private };
    }
    let name = ["type ", "const ", "var "].iter().find_map(|keyword| text.strip_prefix(keyword));
    match name {
        Some(name) if exported(name) => Visibility::Public { body: name.contains("interface") },
        _ => Visibility::Private,
    }
}

fn script(text: &str, indented: bool) -> Visibility {
    if let Some(rest) = text.strip_prefix("export ") {
        let rest = rest.strip_prefix("declare ").unwrap_or(rest);
        let body = ["interface ", "type ", "enum ", "const enum ", "{", "type {"].iter().any(|it| rest.starts_with(it));
        return Visibility::Public { body };
    }
    if text.starts_with("module.exports") || text.starts_with("exports.") {
        return Visibility::Public { body: false };
    }
    const STATEMENTS: &[&str] = &["if", "for", "while", "switch", "catch", "function", "return", "else", "do", "with"];
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let hidden = text.starts_with(['#', '_', '}', '/', '*', '.']) || word == "private" || STATEMENTS.contains(&word);
    let method = indented && text.ends_with('{') && text.contains('(') && !text.contains("=>");
    if method && !hidden { Visibility::Doubtful } else { Visibility::Private }
}

fn java(text: &str) -> Visibility {
    if text.starts_with("public ") || text.starts_with("protected ") {
        return Visibility::Public { body: text.contains(" enum ") };
    }
    // A method of an interface.
    let call = text.contains(['=', '.']) || text.starts_with("return") || !text.contains(' ');
    if text.ends_with(");") && !call { Visibility::Doubtful } else { Visibility::Private }
}

/// The signature that begins on the first line, with white space and comments folded away.
fn signature(language: Language, lines: &[&str], body: bool) -> String {
    let mut out = String::new();
    let mut depth = 0_i32;
    for line in lines.iter().take(MAX_LINES) {
        let line = line.trim();
        if line.starts_with("//") || line.starts_with('*') || line.starts_with("/*") {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        let mut previous = ' ';
        for (at, c) in line.char_indices() {
            let rest = line.get(at..).unwrap_or_default();
            if depth == 0 && ends(language, rest, previous, body) {
                return out.trim_end().to_owned();
            }
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            out.push(c);
            previous = c;
            if body && depth == 0 && c == '}' {
                return out;
            }
        }
        if depth <= 0 && ends_at_line(language, &out, body) {
            break;
        }
    }
    out.trim_end().to_owned()
}

/// Whether the signature ends before this rest of a line.
fn ends(language: Language, rest: &str, previous: char, body: bool) -> bool {
    let assigned = rest.starts_with("= ") && !matches!(previous, '=' | '<' | '>' | '!');
    match language {
        Language::Python => rest == ":" || rest.starts_with(": ") || rest.starts_with(":#"),
        _ if body => rest.starts_with(';'),
        _ => rest.starts_with(['{', ';']) || rest.starts_with("=>") || assigned,
    }
}

fn ends_at_line(language: Language, so_far: &str, body: bool) -> bool {
    match language {
        Language::Go | Language::Python => true,
        Language::Script => !body || !so_far.contains('{'),
        Language::Rust => so_far.ends_with(','),
        Language::Java => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lines_can_tell() {
        // file, before, after, the lost signature (`?`: cannot be told)
        for (path, before, after, expected) in [
            ("a.rs", "pub fn f(a: u8) -> u8 { a }", "pub fn f(a: u8) -> u8 { a + 1 }", ""),
            ("a.rs", "pub fn f(a: u8) {}", "pub fn f(a: u16) {}", "pub fn f(a: u8)"),
            ("a.rs", "pub fn f(\n    a: u8,\n) {}", "pub fn f(\n    a: u16,\n) {}", "pub fn f( a: u8, )"),
            ("a.rs", "pub fn f() {}\npub fn g() {}", "pub fn g() {}\n\npub fn f() {}", ""),
            ("a.rs", "pub(crate) fn f() {}\nfn g() {}", "", ""),
            ("a.rs", "pub fn f() {}", "", "pub fn f()"),
            ("a.rs", "pub enum E { A, B }", "pub enum E { A }", "pub enum E { A, B }"),
            ("a.rs", "pub enum E {\n    /// One.\n    A,\n}", "pub enum E {\n    /// The one.\n    A,\n}", ""),
            ("a.rs", "pub struct S {\n    pub a: u8,\n    b: u8,\n}", "pub struct S {\n    pub a: u8,\n}", ""),
            ("a.rs", "pub struct S {\n    pub a: u8,\n}", "pub struct S {\n    a: u8,\n}", "pub a: u8,"),
            ("a.rs", "pub const A: u8 = 1;", "pub const A: u8 = 2;", ""),
            ("a.rs", "pub trait T { fn f(); }", "pub trait T { fn f(); fn g(); }", "pub trait T { fn f(); }"),
            ("a.rs", "", "pub fn new() {}", ""),
            ("a.py", "def f(a, b=1):\n    pass", "def f(a, b=2):\n    pass", "def f(a, b=1)"),
            ("a.py", "def _f(a):\n    pass", "", ""),
            ("a.py", "class A:\n    def f(self): pass", "class A:\n    pass", "?"),
            ("a.go", "func F(a int) error {\n}", "func F(a int) {\n}", "func F(a int) error"),
            ("a.go", "func f(a int) {\n}", "", ""),
            ("a.go", "type T struct {\n\tName string\n}", "type T struct {\n}", "?"),
            (
                "a.ts",
                "export function f(a: string): void {}",
                "export function f(): void {}",
                "export function f(a: string): void",
            ),
            ("a.ts", "function f(a) {}", "", ""),
            ("a.ts", "export class A {\n  f(a: string) {\n  }\n}", "export class A {\n}", "?"),
            ("a.js", "export const a = 1", "export const a = 2", ""),
            ("A.java", "public void f(int a) {\n}", "public void f() {\n}", "public void f(int a)"),
            ("a.c", "int f(void);", "int f(int);", "?"),
            ("README.md", "pub fn f()", "", ""),
            ("openapi.yaml", "a: 1", "a: 2", "?"),
        ] {
            let found = match lost(path, before.as_bytes(), after.as_bytes(), None) {
                Lost::Nothing => String::new(),
                Lost::Signature(text) => text,
                Lost::Unknown => "?".to_owned(),
            };
            assert_eq!(found, expected, "{path}: {before:?} → {after:?}");
        }
    }

    #[test]
    fn what_was_parsed_settles_it() {
        use crate::facts::source::PublicChange;
        let change = |change| PublicChange { name: "fn f".to_owned(), change, line: 1, moved_to: None };
        let code = |public| CodeFacts { public, ..CodeFacts::default() };
        let (kept, added) = (code(Vec::new()), code(vec![change(SignatureChange::Added)]));
        let gone = code(vec![change(SignatureChange::Removed)]);
        for (path, before, after, code, expected) in [
            ("a.c", "int f(void);", "int f(int);", &kept, Lost::Nothing),
            (
                "a.py",
                "class A:\n    def f(self): pass",
                "class A:\n    pass",
                &gone,
                Lost::Signature("fn f".to_owned()),
            ),
            ("a.rs", "pub enum E { A }", "pub enum E { A, B }", &added, Lost::Nothing),
            ("a.rs", "pub trait T { fn f(); }", "pub trait T { fn f(); fn g(); }", &added, Lost::Unknown),
        ] {
            assert_eq!(lost(path, before.as_bytes(), after.as_bytes(), Some(code)), expected, "{path}");
        }
    }
}
