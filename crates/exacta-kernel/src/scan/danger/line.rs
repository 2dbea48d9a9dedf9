//! One line of shell or code, and what can be asked of it.

use crate::prelude::*;

/// A logical line (continuations joined), lower-cased.
#[derive(Debug)]
pub(super) struct Line(String);

impl Line {
    pub fn new(bytes: &[u8]) -> Self {
        Self(String::from_utf8_lossy(bytes).to_lowercase())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a phrase occurs, as whole words where it begins or ends with one.
    pub fn has(&self, phrase: &str) -> bool {
        has(&self.0, phrase)
    }

    pub fn has_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase))
    }

    /// The commands of the line's pipelines: what stands between `|`, `;`, `&&` and the like.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.0
            .split(['|', ';', '&', '\n', '(', ')', '`', '"', '\''])
            .map(str::trim)
            .filter(|command| !command.is_empty())
    }

    /// Whether the output of `left` goes into a command whose first word is one of `right`; and whether as root.
    pub fn pipes(&self, left: &[&str], right: &[&str]) -> Option<Piped> {
        let from = left.iter().filter_map(|word| find(&self.0, word)).min()?;
        let rest = self.0.get(from..)?;
        let mut into = rest.split('|').skip(1).filter_map(command_word);
        into.find(|(word, _)| right.contains(word)).map(|(_, root)| Piped { root })
    }

    /// Whether the last command of a pipeline is an interpreter that is given nothing but what it reads.
    pub fn feeds(&self, interpreters: &[&str]) -> bool {
        let Some((before, last)) = self.0.rsplit_once('|') else { return false };
        let mut words = last.split_whitespace().map(|word| word.trim_matches(['"', '\'', ')', ']', ';', '`', ',']));
        let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word));
        last.starts_with([' ', '/', 's', 'b'])
            && !before.ends_with('|')
            && !before.trim().is_empty()
            && program.is_some_and(|program| interpreters.contains(&program))
            && words.all(|word| word.is_empty() || word.starts_with('-'))
    }
}

/// A pipe into an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piped {
    /// Whether it runs as root.
    pub root: bool,
}

/// The program that a command runs, its folder left out, and whether `sudo` runs it.
fn command_word(command: &str) -> Option<(&str, bool)> {
    let mut root = false;
    for word in command.split_whitespace() {
        let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches(['"', '\'', '`']);
        let name = name.split(['"', '\'', ')', ';', '`']).next().unwrap_or(name);
        match name {
            "sudo" | "doas" => root = true,
            "env" | "exec" | "command" | "nohup" | "tee" | "cat" | "xargs" => {}
            _ if word.starts_with('-') || word.contains('=') => {}
            _ => return Some((name, root)),
        }
    }
    None
}

/// Whether a phrase occurs in a text, as whole words where it begins or ends with one.
pub(super) fn has(text: &str, phrase: &str) -> bool {
    find(text, phrase).is_some()
}

fn find(text: &str, phrase: &str) -> Option<usize> {
    let (first, last) = (phrase.bytes().next()?, phrase.bytes().next_back()?);
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, phrase.as_bytes()).find(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
        let after = bytes.get(at + phrase.len()).copied().unwrap_or(b' ');
        let joined_before = is_word(first) && is_word(before);
        let joined_after = last.is_ascii_alphanumeric() && is_word(after);
        !joined_before && !joined_after
    })
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
