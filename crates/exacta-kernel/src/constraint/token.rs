//! The words and quoted names of a constraint's text.

use crate::prelude::*;

/// The longest text worth reading, in tokens. Longer ones say more than one thing.
const MAX_TOKENS: usize = 64;

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word in lower case, with whatever punctuation sticks to it.
    Word(String),
    /// A name: in backticks, in quotes, or bare where nothing else can be meant.
    Name {
        /// As written, without its quotes.
        text: String,
        /// How it was marked.
        mark: Mark,
    },
    /// Between the items of a list.
    Comma,
}

/// How a name was marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// As code.
    Backticks,
    /// As a quotation.
    Quotes,
    /// Not at all.
    None,
}

/// Splits a text; `None` for one that is too long or has an open quote.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut rest = text.trim().trim_end_matches(['.', '!']).trim_end();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= MAX_TOKENS {
            return None;
        }
        let (token, after) = match first {
            ',' => (Some(Token::Comma), rest.get(1..)?),
            ':' => (None, rest.get(1..)?),
            _ if first.is_whitespace() => (None, rest.trim_start()),
            '`' => quoted(rest, '`', Mark::Backticks)?,
            '"' => quoted(rest, '"', Mark::Quotes)?,
            '\'' => quoted(rest, '\'', Mark::Quotes)?,
            '“' => quoted(rest, '”', Mark::Quotes)?,
            '‘' => quoted(rest, '’', Mark::Quotes)?,
            _ => word(rest),
        };
        tokens.extend(token);
        rest = after;
    }
    Some(tokens)
}

fn quoted(text: &str, close: char, mark: Mark) -> Option<(Option<Token>, &str)> {
    let body = text.get(text.chars().next()?.len_utf8()..)?;
    let (name, after) = body.split_once(close)?;
    let name = name.trim();
    (!name.is_empty()).then(|| (Some(Token::Name { text: name.to_owned(), mark }), after))
}

fn word(text: &str) -> (Option<Token>, &str) {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '`' | '"' | '“');
    let (word, after) = text.split_at(text.find(ends).unwrap_or(text.len()));
    let word = word.strip_suffix(':').unwrap_or(word);
    let token = if is_bare_path(word) {
        Token::Name { text: word.to_owned(), mark: Mark::None }
    } else {
        Token::Word(word.replace('’', "'").to_lowercase())
    };
    (Some(token), after)
}

/// A path that nobody takes for a word: `src/` and `src/main.rs`, but not `client/server` or `Node.js`.
fn is_bare_path(word: &str) -> bool {
    word.contains('/') && (word.ends_with('/') || word.contains('*') || has_file_extension(word))
}

/// Whether a name has an extension that files have and identifiers seldom do.
pub(super) fn has_file_extension(name: &str) -> bool {
    const KNOWN: &[&str] = &[
        "bash", "bat", "bib", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "gif", "go", "gradle", "h",
        "hpp", "html", "ini", "ipynb", "java", "jpg", "js", "json", "jsx", "kt", "lock", "lua", "md", "mjs", "mod",
        "pem", "php", "png", "proto", "ps1", "py", "rb", "rs", "rst", "scala", "scss", "sh", "sql", "sum", "svg",
        "swift", "tex", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zsh",
    ];
    name.rsplit_once('.').is_some_and(|(_, extension)| KNOWN.contains(&extension.to_ascii_lowercase().as_str()))
}
