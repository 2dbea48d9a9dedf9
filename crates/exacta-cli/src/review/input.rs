//! One line of typed text.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Longer texts are not taken: they belong into a file.
const MAX_CHARS: usize = 2_000;

/// Text that is being typed, always edited at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
}

impl Input {
    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes a key that edits; others are not for a text.
    pub fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let held = key.modifiers.difference(KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char('u') if control => self.text.clear(),
            KeyCode::Char('w') if control => self.drop_word(),
            KeyCode::Char(c) if held.is_empty() => self.push(c),
            _ => {}
        }
    }

    /// Takes pasted text; line ends become spaces, so that a paste never submits.
    pub fn paste(&mut self, text: &str) {
        for c in text.chars() {
            self.push(if c.is_whitespace() { ' ' } else { c });
        }
    }

    fn push(&mut self, c: char) {
        if !c.is_control() && self.text.chars().count() < MAX_CHARS {
            self.text.push(c);
        }
    }

    fn drop_word(&mut self) {
        let kept = self.text.trim_end().rfind(' ').map_or(0, |at| at + 1);
        self.text.truncate(kept);
    }
}
