//! Source code as pieces with tones.

use exacta_view::Tone;
use std::sync::LazyLock;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Longer lines are shown plain: minified code would take seconds.
const MAX_LINE: usize = 1_000;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Prefixes of scopes and what they are, most specific first.
static TONES: LazyLock<Vec<(Scope, Tone)>> = LazyLock::new(|| {
    let table = [
        ("comment", Tone::Comment),
        ("punctuation.definition.comment", Tone::Comment),
        ("string", Tone::Text),
        ("punctuation.definition.string", Tone::Text),
        ("constant", Tone::Number),
        ("entity.name", Tone::Name),
        ("support.function", Tone::Name),
        ("keyword.operator", Tone::Plain),
        ("keyword", Tone::Keyword),
        ("storage", Tone::Keyword),
    ];
    table.into_iter().filter_map(|(name, tone)| Some((Scope::new(name).ok()?, tone))).collect()
});

/// Reads one file's lines in order.
#[derive(Clone)]
pub struct Highlighter {
    start: &'static SyntaxReference,
    state: ParseState,
    stack: ScopeStack,
}

impl Highlighter {
    /// For a file of this name, if its language is known.
    #[must_use]
    pub fn for_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
        let start = SYNTAXES.find_syntax_by_extension(name).or_else(|| SYNTAXES.find_syntax_by_extension(extension))?;
        if start.name == "Plain Text" {
            return None;
        }
        Some(Self { start, state: ParseState::new(start), stack: ScopeStack::new() })
    }

    /// Forgets what came before: the next line is somewhere else.
    pub fn restart(&mut self) {
        self.state = ParseState::new(self.start);
        self.stack = ScopeStack::new();
    }

    /// The pieces of one line, without its end. A line that cannot be read is one plain piece.
    pub fn line<'l>(&mut self, line: &'l str) -> Vec<(Tone, &'l str)> {
        if line.len() > MAX_LINE {
            return vec![(Tone::Plain, line)];
        }
        let ended = format!("{line}\n");
        let Ok(changes) = self.state.parse_line(&ended, &SYNTAXES) else {
            return vec![(Tone::Plain, line)];
        };
        let mut pieces = Vec::new();
        let mut from = 0;
        for (at, change) in changes {
            push(&mut pieces, self.tone(), line.get(from..at.min(line.len())).unwrap_or_default());
            from = at.min(line.len());
            if self.stack.apply(&change).is_err() {
                self.restart();
                break;
            }
        }
        push(&mut pieces, self.tone(), line.get(from..).unwrap_or_default());
        pieces
    }

    fn tone(&self) -> Tone {
        let of = |scope: &Scope| TONES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, tone)| *tone);
        self.stack.as_slice().iter().rev().find_map(of).unwrap_or(Tone::Plain)
    }
}

fn push<'l>(pieces: &mut Vec<(Tone, &'l str)>, tone: Tone, text: &'l str) {
    if !text.is_empty() {
        pieces.push((tone, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_is_read() {
        let mut rust = Highlighter::for_path("src/main.rs").unwrap();
        let pieces = rust.line("fn main() { let x = \"a\"; } // b");
        assert!(pieces.contains(&(Tone::Keyword, "fn")), "{pieces:?}");
        assert!(pieces.contains(&(Tone::Name, "main")), "{pieces:?}");
        assert!(pieces.iter().any(|(tone, text)| *tone == Tone::Text && text.contains('a')), "{pieces:?}");
        assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), "fn main() { let x = \"a\"; } // b");
    }

    #[test]
    fn unknown_languages_are_left_alone() {
        assert!(Highlighter::for_path("notes.unheard-of").is_none());
        assert!(Highlighter::for_path("notes.txt").is_none());
    }
}
