//! Public signatures in a source file, as far as lines tell.

use super::Language;
use crate::prelude::*;

/// The most lines of one signature.
const LONGEST: usize = 32;

/// Something that other code may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    /// What it is and its name: `fn parse`.
    pub key: String,
    /// All of it, without white space and trailing commas, for comparing.
    pub text: String,
    /// The line it begins on.
    pub line: u64,
}

/// The public signatures of a file, in order.
pub(crate) fn signatures(language: Language, name: &str, text: &str) -> Vec<Signature> {
    if language == Language::C && !name.contains(".h") {
        return Vec::new();
    }
    let declares = |word: &&str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !words(language).iter().any(declares) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(key) = key(language, line) {
            let text = whole(lines.get(index..).unwrap_or_default(), language);
            found.push(Signature { key, text, line: index as u64 + 1 });
        }
    }
    found
}

/// A file that has none of these declares nothing that others may use.
const fn words(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &["pub "],
        Language::Script => &["export"],
        Language::Python => &["def ", "class "],
        Language::Go => &["func ", "type ", "const ", "var "],
        Language::Java => &["public ", "protected ", "open "],
        Language::C => &[");"],
        Language::Ruby => &["def "],
        Language::Shell | Language::Other => &[],
    }
}

/// What a line declares for others to use.
fn key(language: Language, line: &str) -> Option<String> {
    let text = line.trim();
    let indent = line.len() - line.trim_start().len();
    match language {
        Language::Rust => rust(text),
        Language::Script => script(text),
        Language::Python => python(text, indent),
        Language::Go => (indent == 0).then(|| go(text)).flatten(),
        Language::Java => java(text),
        Language::C => {
            (indent == 0 && text.ends_with(");") && !text.starts_with(['#', '/'])).then(|| c(text)).flatten()
        }
        Language::Ruby => {
            text.strip_prefix("def ").map(|rest| format!("def {}", name(rest.strip_prefix("self.").unwrap_or(rest))))
        }
        Language::Shell | Language::Other => None,
    }
}

fn rust(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix("pub ")?;
    for modifier in ["async ", "unsafe ", "const ", "extern \"C\" "] {
        if rest.strip_prefix(modifier).is_some_and(|more| more.contains("fn ")) {
            rest = rest.strip_prefix(modifier).unwrap_or(rest);
        }
    }
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "union", "macro"];
    let kind = kinds.iter().find(|kind| rest.strip_prefix(**kind).is_some_and(|more| more.starts_with(' ')));
    match kind {
        Some(kind) => Some(format!("{kind} {}", name(rest.get(kind.len() + 1..)?))),
        None if rest.starts_with("use ") => Some(rest.trim_end_matches(';').to_owned()),
        None => rest.split_once(':').map(|(field, _)| format!("field {}", field.trim())),
    }
}

fn script(text: &str) -> Option<String> {
    if text.starts_with("module.exports") || text.starts_with("exports.") {
        return Some(text.split('=').next().unwrap_or(text).trim().to_owned());
    }
    let mut rest = text.strip_prefix("export ").filter(|rest| !rest.starts_with("{}"))?;
    for modifier in ["default ", "declare ", "abstract ", "async "] {
        rest = rest.strip_prefix(modifier).unwrap_or(rest);
    }
    let kinds = ["function*", "function", "class", "interface", "type", "enum", "const", "let", "var", "namespace"];
    let kind = kinds.iter().find(|kind| rest.strip_prefix(**kind).is_some_and(|more| more.starts_with(' ')));
    kind.map_or_else(
        || Some(format!("export {rest}")),
        |kind| Some(format!("{kind} {}", name(rest.get(kind.len() + 1..)?))),
    )
}

fn python(text: &str, indent: usize) -> Option<String> {
    let declared = [("def ", "def"), ("async def ", "def"), ("class ", "class")];
    let (rest, kind) = declared.iter().find_map(|(start, kind)| Some((text.strip_prefix(start)?, kind)))?;
    let name = name(rest);
    let private = name.starts_with('_') && !name.starts_with("__init__");
    (!private && indent <= 4).then(|| if indent == 0 { format!("{kind} {name}") } else { format!("method {name}") })
}

fn go(text: &str) -> Option<String> {
    let is_exported = |name: &str| name.starts_with(|c: char| c.is_uppercase());
    if let Some(rest) = text.strip_prefix("func ") {
        let (receiver, rest) = rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")).unwrap_or(("", rest));
        let receiver = receiver.rsplit([' ', '*']).next().unwrap_or_default();
        let name = name(rest);
        return is_exported(name).then(|| format!("func {receiver}.{name}").replace(" .", " "));
    }
    let (kind, rest) = text.split_once(' ')?;
    let name = name(rest);
    (matches!(kind, "type" | "const" | "var") && is_exported(name)).then(|| format!("{kind} {name}"))
}

fn java(text: &str) -> Option<String> {
    let rest = text
        .strip_prefix("public ")
        .or_else(|| text.strip_prefix("protected "))
        .or_else(|| text.strip_prefix("open "))?;
    let head = rest.split(['(', '{', ';', '=', ':']).next().unwrap_or(rest).trim_end();
    // A return type may be generic, and so may the declared type.
    let tail = head.rsplit('>').next().unwrap_or(head).trim();
    let head = if tail.is_empty() { head.split('<').next().unwrap_or(head).trim_end() } else { tail };
    head.rsplit(' ').next().filter(|name| !name.is_empty()).map(|name| format!("public {name}"))
}

fn c(text: &str) -> Option<String> {
    let head = text.split('(').next()?.trim_end();
    let name = head.rsplit([' ', '*', '&']).next()?;
    (head.contains(' ') && !name.is_empty()).then(|| format!("function {name}"))
}

/// The identifier that a text begins with.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '?' | '!')).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// The declaration up to its body, its value, or its end.
fn whole(lines: &[&str], language: Language) -> String {
    let mut out = String::new();
    let mut depth = 0_i32;
    for line in lines.iter().take(LONGEST) {
        for c in line.trim().chars() {
            let ends = match language {
                Language::Python => c == ':',
                _ => matches!(c, '{' | ';' | '='),
            };
            if ends && depth == 0 {
                return folded(&out);
            }
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            out.push(c);
        }
        if depth <= 0 && !matches!(language, Language::Rust | Language::Java) {
            break;
        }
    }
    folded(&out)
}

fn folded(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")").trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for (language, line, expected) in [
            (Language::Rust, "    pub fn parse(text: &str) -> u8 {", Some("fn parse")),
            (Language::Rust, "pub const fn max() -> u8 {", Some("fn max")),
            (Language::Rust, "pub const MAX: u8 = 1;", Some("const MAX")),
            (Language::Rust, "    pub name: String,", Some("field name")),
            (Language::Rust, "pub(crate) fn inner() {", None),
            (Language::Script, "export default async function load(a) {", Some("function load")),
            (Language::Script, "export const A = 1", Some("const A")),
            (Language::Script, "module.exports = { a }", Some("module.exports")),
            (Language::Python, "def load(path):", Some("def load")),
            (Language::Python, "    def run(self):", Some("method run")),
            (Language::Python, "def _inner():", None),
            (Language::Go, "func (s *Server) Close() error {", Some("func Server.Close")),
            (Language::Go, "func helper() {", None),
            (Language::Java, "    public static List<String> names(int a) {", Some("public names")),
            (Language::Java, "public void close() {", Some("public close")),
            (Language::C, "int exacta_open(const char *path);", Some("function exacta_open")),
        ] {
            assert_eq!(key(language, line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_signature_ends_before_its_body() {
        let text = "pub fn f(\n    a: u8,\n) -> u8\nwhere\n    T: X,\n{\n    1\n}\n";
        let found = signatures(Language::Rust, "a.rs", text);
        assert_eq!(found.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["pubfnf(a:u8)->u8whereT:X"]);
    }
}
