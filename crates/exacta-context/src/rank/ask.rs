//! What a request speaks of: words, names of code, paths.

use crate::words::{self, Kind, key};
use std::collections::{BTreeMap, BTreeSet};

/// The most words of a request that are looked for.
const MOST: usize = 400;

/// What a request speaks of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ask {
    /// Stems, each with how much it counts.
    pub words: BTreeMap<String, u32>,
    /// Whole names of several words, in lower case.
    pub wholes: BTreeSet<String>,
    /// Names that are written like code, or were named as symbols.
    pub symbols: BTreeSet<String>,
    /// Any other word as it is written: it may be the name of something.
    pub spellings: BTreeSet<String>,
    /// What is written like a path or the name of a file.
    pub paths: BTreeSet<String>,
}

impl Ask {
    /// Reads a request. What its first line says counts double.
    pub fn read(text: &str, symbols: &[String]) -> Self {
        let mut ask = Self::default();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        for (line, weight) in std::iter::once((first, 2)).chain(lines.map(|line| (line, 1))) {
            for word in line.split_whitespace() {
                ask.word(word, weight);
            }
        }
        for symbol in symbols {
            ask.word(symbol, 2);
            let last = symbol.rsplit([':', '.', '#']).next().unwrap_or(symbol);
            ask.symbols.insert(last.trim_end_matches("()").to_owned());
        }
        ask
    }

    fn word(&mut self, word: &str, weight: u32) {
        if self.words.len() >= MOST {
            return;
        }
        let marked = word.contains('`') || word.contains("()") || word.contains("::");
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '-'));
        let bare = bare.trim_end_matches(['.', '-']);
        if is_path(bare) {
            self.paths.insert(bare.trim_start_matches("./").trim_matches('/').to_owned());
        }
        words::runs(word.as_bytes(), |run| {
            let Ok(name) = std::str::from_utf8(run) else { return };
            let mut several = false;
            words::parts(run, |part, whole| {
                let Ok(part) = std::str::from_utf8(part) else { return };
                if whole {
                    several = true;
                    self.wholes.insert(part.to_owned());
                } else if !words::is_stop(part) && !words::is_stop(&name.to_ascii_lowercase()) {
                    let counted = self.words.entry(part.to_owned()).or_default();
                    *counted = (*counted).max(weight);
                }
            });
            let code = marked || several && name.trim_matches('_').contains('_') || is_camel(name);
            if code {
                self.symbols.insert(name.to_owned());
            } else if !words::is_stop(&name.to_ascii_lowercase()) {
                self.spellings.insert(name.to_owned());
            }
        });
    }

    /// Everything that is looked for in files, with how much a find counts.
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        for (word, weight) in &self.words {
            for (kind, share) in [(Kind::Text, 4), (Kind::Defined, 5), (Kind::File, 9), (Kind::Folder, 3)] {
                terms.push(Term { key: key(kind, word.as_bytes()), kind, weight: weight * share });
            }
        }
        for whole in &self.wholes {
            terms.push(Term { key: key(Kind::Whole, whole.as_bytes()), kind: Kind::Whole, weight: 12 });
        }
        for symbol in &self.symbols {
            terms.push(Term { key: key(Kind::Name, symbol.as_bytes()), kind: Kind::Name, weight: 10 });
        }
        terms.sort_by_key(|term| (term.key, std::cmp::Reverse(term.weight)));
        terms.dedup_by_key(|term| term.key);
        terms
    }
}

/// Something that is looked for in files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Term {
    pub key: u32,
    pub kind: Kind,
    pub weight: u32,
}

/// Whether a word is written like a path: `src/a`, `a.rs`.
fn is_path(word: &str) -> bool {
    let extension = word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    !word.contains("://") && (extension || (word.contains('/') && word.len() > 3))
}

/// `someName`, `SomeName`; not `Some` or `SOME`.
fn is_camel(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.windows(2).any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_for_words_names_and_paths() {
        let ask =
            Ask::read("Fix parsing in src/config.rs\nwhen `load` gets readAll() or a_b.", &["Kernel::seal".to_owned()]);
        let texts = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(texts(&ask.paths), "a_b src/config.rs".replace("a_b ", ""));
        assert_eq!(texts(&ask.symbols), "Kernel a_b load readAll seal");
        assert_eq!(ask.words.get("pars"), Some(&2));
        assert_eq!(ask.words.get("load"), Some(&1));
        assert!(!ask.words.contains_key("when"));
    }
}
