//! Colours for code, line by line: comments, strings, numbers and the words of the language. Only a help for the eye: what is shown is the same text,
//! and a line that is read wrongly is only coloured wrongly.

use std::ops::Range;

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A word of the language.
    Keyword,
    /// Text.
    Text,
    /// A number.
    Number,
    /// Not read by the machine.
    Comment,
}

impl Class {
    /// Its name in the style sheet.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keyword => "kw",
            Self::Text => "st",
            Self::Number => "nu",
            Self::Comment => "co",
        }
    }
}

/// Longer lines are not coloured: nobody reads them for their syntax.
const LONGEST: usize = 2000;

/// How a family of languages is written.
#[derive(Debug, Clone, Copy)]
pub struct Syntax {
    /// What a comment begins with, up to the end of the line.
    comments: &'static [&'static str],
    /// Whether `/*` and `*/` are around one.
    block: bool,
    quotes: &'static [char],
    keywords: &'static [&'static str],
}

const RUST: Syntax = Syntax {
    comments: &["//"],
    block: true,
    quotes: &['"'],
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
        "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
        "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
    ],
};
const PYTHON: Syntax = Syntax {
    comments: &["#"],
    block: false,
    quotes: &['"', '\''],
    keywords: &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ],
};
const C_LIKE: Syntax = Syntax {
    comments: &["//"],
    block: true,
    quotes: &['"', '\'', '`'],
    keywords: &[
        "abstract",
        "async",
        "await",
        "bool",
        "boolean",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "defer",
        "delete",
        "do",
        "double",
        "else",
        "enum",
        "export",
        "extends",
        "extern",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "foreach",
        "func",
        "function",
        "go",
        "if",
        "implements",
        "import",
        "in",
        "int",
        "interface",
        "let",
        "long",
        "map",
        "namespace",
        "new",
        "nil",
        "null",
        "of",
        "override",
        "package",
        "private",
        "protected",
        "public",
        "range",
        "return",
        "select",
        "short",
        "static",
        "string",
        "struct",
        "super",
        "switch",
        "this",
        "throw",
        "throws",
        "true",
        "try",
        "type",
        "typeof",
        "undefined",
        "using",
        "var",
        "virtual",
        "void",
        "while",
        "yield",
    ],
};
const SHELL: Syntax = Syntax {
    comments: &["#"],
    block: false,
    quotes: &['"', '\''],
    keywords: &[
        "begin", "case", "class", "def", "do", "done", "elif", "else", "end", "esac", "exit", "export", "fi", "for",
        "function", "if", "in", "local", "module", "require", "return", "set", "then", "unless", "until", "while",
    ],
};
const DATA: Syntax =
    Syntax { comments: &["#"], block: false, quotes: &['"', '\''], keywords: &["false", "no", "null", "true", "yes"] };
const JSON: Syntax = Syntax { comments: &[], block: false, quotes: &['"'], keywords: &["false", "null", "true"] };
const SQL: Syntax = Syntax {
    comments: &["--"],
    block: true,
    quotes: &['\''],
    keywords: &[
        "ALTER", "AND", "AS", "BEGIN", "BY", "COMMIT", "CREATE", "DELETE", "DROP", "FROM", "GROUP", "INDEX", "INSERT",
        "INTO", "JOIN", "LEFT", "NOT", "NULL", "ON", "OR", "ORDER", "PRIMARY", "SELECT", "SET", "TABLE", "UPDATE",
        "VALUES", "WHERE",
    ],
};

impl Syntax {
    /// Of a file, by its name; none where it is unknown, or prose.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.').unwrap_or(("", name));
        Some(match extension {
            "rs" => RUST,
            "py" | "pyi" => PYTHON,
            "c" | "cc" | "cpp" | "cs" | "css" | "dart" | "go" | "h" | "hpp" | "java" | "js" | "jsx" | "kt" | "mjs"
            | "php" | "scala" | "scss" | "swift" | "ts" | "tsx" => C_LIKE,
            "bash" | "ex" | "exs" | "pl" | "rb" | "sh" | "zsh" | "Dockerfile" | "Makefile" => SHELL,
            "cfg" | "conf" | "ini" | "toml" | "yaml" | "yml" => DATA,
            "json" => JSON,
            "sql" => SQL,
            _ => return None,
        })
    }

    /// The pieces of a line that have a colour, in order.
    #[must_use]
    pub fn paint(&self, line: &str) -> Vec<(Range<usize>, Class)> {
        let mut pieces = Vec::new();
        if line.len() > LONGEST {
            return pieces;
        }
        let mut at = 0;
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            let (length, class) = self.piece(rest);
            if let Some(class) = class {
                pieces.push((at..at + length, class));
            }
            at += length;
        }
        pieces
    }

    /// How long the piece is that a text begins with, and what it is.
    fn piece(&self, rest: &str) -> (usize, Option<Class>) {
        if self.comments.iter().any(|mark| rest.starts_with(mark)) {
            return (rest.len(), Some(Class::Comment));
        }
        if self.block && rest.starts_with("/*") {
            return (rest.find("*/").map_or(rest.len(), |end| end + 2), Some(Class::Comment));
        }
        let Some(first) = rest.chars().next() else { return (1, None) };
        if self.quotes.contains(&first) {
            return (quoted(rest, first), Some(Class::Text));
        }
        if !(first.is_alphanumeric() || first == '_') {
            return (first.len_utf8(), None);
        }
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let is_keyword = self.keywords.contains(&rest.get(..word).unwrap_or_default());
        let class = if first.is_ascii_digit() { Some(Class::Number) } else { is_keyword.then_some(Class::Keyword) };
        (word, class)
    }
}

/// How long a text in quotes is, up to its end or that of the line.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(path: &str, line: &str) -> Vec<(String, &'static str)> {
        let pieces = Syntax::of(path).map(|syntax| syntax.paint(line)).unwrap_or_default();
        pieces.into_iter().map(|(range, class)| (line[range].to_owned(), class.name())).collect()
    }

    #[test]
    fn pieces_are_what_they_look_like() {
        for (path, line, expected) in [
            ("a.rs", "let x = \"a\\\"b\"; // c", &[("let", "kw"), ("\"a\\\"b\"", "st"), ("// c", "co")][..]),
            ("a.py", "    return f'{x}' # no", &[("return", "kw"), ("'{x}'", "st"), ("# no", "co")]),
            ("a.go", "x /* y */ := 0x1f", &[("/* y */", "co"), ("0x1f", "nu")]),
            ("a.rs", "fn a<'b>(letter: &'b str)", &[("fn", "kw")]),
            ("a.json", "{\"ü\": true}", &[("\"ü\"", "st"), ("true", "kw")]),
            ("a.sh", "echo \"open", &[("\"open", "st")]),
            ("README.md", "return 1", &[]),
        ] {
            let expected: Vec<_> = expected.iter().map(|(text, class)| ((*text).to_owned(), *class)).collect();
            assert_eq!(painted(path, line), expected, "{line}");
        }
        assert!(painted("a.rs", &"1 ".repeat(LONGEST)).is_empty());
    }
}
