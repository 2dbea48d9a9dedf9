//! Ways through a plan: from hunk to hunk, to a word, and what was looked at already.

use super::pane::Pane;
use super::state::{Mode, Review};
use crate::render::layout::Layout as _;
use exacta_view::{Row, Tone};
use std::collections::{BTreeMap, BTreeSet};

/// How many lines of a long diff are searched at a time.
const SEARCHED: usize = 2_048;

/// What the person marked: whole steps, and single hunks of others, counted from 1.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    steps: BTreeSet<usize>,
    hunks: BTreeMap<usize, BTreeSet<usize>>,
}

impl Marks {
    /// Marks a step, or takes its mark away. Single hunks of it no longer count.
    pub fn step(&mut self, step: usize) {
        self.hunks.remove(&step);
        if !self.steps.remove(&step) {
            self.steps.insert(step);
        }
    }

    /// Marks a hunk of a step, or takes its mark away. All of its hunks are the step.
    pub fn hunk(&mut self, step: usize, hunk: usize, all: usize) {
        let whole = if self.steps.remove(&step) { (1..=all).collect() } else { BTreeSet::new() };
        let marked = self.hunks.entry(step).or_default();
        marked.extend(whole);
        if !marked.remove(&hunk) {
            marked.insert(hunk);
        }
        let count = marked.len();
        if count == 0 || count == all {
            self.hunks.remove(&step);
        }
        if count == all {
            self.steps.insert(step);
        }
    }

    /// Whether a step is marked as a whole.
    pub fn has_step(&self, step: usize) -> bool {
        self.steps.contains(&step)
    }

    /// Whether a hunk is marked, alone or with its step.
    pub fn has_hunk(&self, step: usize, hunk: usize) -> bool {
        self.has_step(step) || self.hunks.get(&step).is_some_and(|hunks| hunks.contains(&hunk))
    }

    /// How many hunks of a step are marked alone.
    pub fn hunks_of(&self, step: usize) -> usize {
        self.hunks.get(&step).map_or(0, BTreeSet::len)
    }

    /// Whether anything of a step is marked.
    pub fn touches(&self, step: usize) -> bool {
        self.has_step(step) || self.hunks.contains_key(&step)
    }

    /// How the marked parts of a step of this id are named: `s1`, or `s1:2` for a hunk.
    pub fn parts(&self, step: usize, id: &str) -> Vec<String> {
        match self.hunks.get(&step) {
            Some(hunks) => hunks.iter().map(|hunk| format!("{id}:{hunk}")).collect(),
            None => vec![id.to_owned()],
        }
    }
}

impl Review {
    /// The hunk that was walked to, counted from 1, and how many this step has.
    #[must_use]
    pub fn hunk(&self) -> Option<(usize, usize)> {
        Some((self.hunk? + 1, self.hunks().len()))
    }

    /// To the next hunk; after the last one of a file to the first of the next.
    pub(super) fn next_hunk(&mut self) {
        let next = self.hunk.map_or(0, |hunk| hunk + 1);
        if next < self.hunks().len() {
            self.go_to_hunk(next);
        } else if self.pane == Pane::Diff && self.step + 1 < self.steps().len() {
            self.go(self.step + 1);
            self.go_to_hunk(0);
        } else {
            self.message = Some("that was the last hunk".to_owned());
        }
    }

    /// To the hunk before; before the first one of a file to the last of the file before.
    pub(super) fn previous_hunk(&mut self) {
        match self.hunk {
            Some(hunk) if hunk > 0 => self.go_to_hunk(hunk - 1),
            _ if self.pane == Pane::Diff && self.step > 0 => {
                self.go(self.step - 1);
                self.go_to_hunk(self.hunks().len().saturating_sub(1));
            }
            _ => self.message = Some("that was the first hunk".to_owned()),
        }
    }

    fn go_to_hunk(&mut self, hunk: usize) {
        if let Some(line) = self.hunks().get(hunk).copied() {
            self.hunk = Some(hunk);
            self.scroll_to(line);
        }
    }

    /// The lines of the page at which hunks begin.
    fn hunks(&self) -> Vec<usize> {
        if self.pane != Pane::Diff {
            return Vec::new();
        }
        let begins = |row: &Row| row.spans().first().is_some_and(|span| span.tone == Tone::Hunk);
        let above = self.body.len();
        let short = self.body.iter().enumerate().filter(|(_, row)| begins(row)).map(|(line, _)| line);
        let long = self.long.iter().flat_map(|long| long.hunks()).map(|line| above + line);
        short.chain(long).collect()
    }

    /// Marks the hunk that was walked to, else the step.
    pub(super) fn mark(&mut self) {
        if self.pane != Pane::Diff || self.steps().is_empty() {
            self.message = Some("steps are marked on page 1".to_owned());
            return;
        }
        match self.hunk() {
            Some((hunk, all)) if all > 1 => self.marks.hunk(self.step, hunk, all),
            _ => self.marks.step(self.step),
        }
    }

    /// Says that a step was looked at, and goes on to the next that was not.
    pub(super) fn mark_viewed(&mut self) {
        if !self.viewed.insert(self.step) {
            self.viewed.remove(&self.step);
            return;
        }
        let count = self.steps().len();
        let next = (self.step + 1..count).chain(0..self.step).find(|step| !self.viewed.contains(step));
        match next {
            Some(step) => self.go(step),
            None => self.message = Some("every step is marked as viewed".to_owned()),
        }
    }

    /// Whether a step was marked as looked at.
    #[must_use]
    pub fn is_viewed(&self, step: usize) -> bool {
        self.viewed.contains(&step)
    }

    /// Goes to the next line with the words that were typed, or with those of the last search; after the end of a diff in the
    /// next one.
    pub(super) fn find(&mut self, typed: &str) {
        if !typed.trim().is_empty() {
            self.wanted = typed.trim().to_owned();
        }
        self.mode = Mode::Browse;
        if self.wanted.is_empty() {
            return;
        }
        let (start, scroll, found) = (self.step, self.scroll, self.found);
        let from = found.map_or(scroll, |line| line + 1);
        if self.find_here(from) {
            return;
        }
        let steps = if self.pane == Pane::Diff { self.steps().len() } else { 1 };
        for step in 1..=steps {
            if self.pane == Pane::Diff {
                self.go((start + step) % steps);
            }
            if self.find_here(0) {
                return;
            }
        }
        self.go(start);
        self.scroll_to(scroll);
        self.found = found;
        self.message = Some(format!("`{}` is not on this page", self.wanted));
    }

    fn find_here(&mut self, from: usize) -> bool {
        let wanted = self.wanted.to_lowercase();
        let exact = wanted != self.wanted;
        let has = |row: &Row| {
            let text = row.text();
            if exact { text.contains(&self.wanted) } else { text.to_lowercase().contains(&wanted) }
        };
        let mut line = from;
        while line < self.length() {
            let rows = self.lines(line, SEARCHED);
            if let Some(at) = rows.iter().position(has) {
                self.scroll_to(line + at);
                self.found = Some(line + at);
                return true;
            }
            line += rows.len().max(1);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_and_steps_are_marked_and_unmarked() {
        let mut marks = Marks::default();
        marks.hunk(0, 2, 3);
        assert_eq!((marks.parts(0, "s1"), marks.has_step(0), marks.hunks_of(0)), (vec!["s1:2".to_owned()], false, 1));
        marks.hunk(0, 1, 3);
        marks.hunk(0, 3, 3);
        assert!(marks.has_step(0), "all hunks are the step");
        marks.hunk(0, 2, 3);
        assert_eq!(marks.parts(0, "s1"), ["s1:1", "s1:3"], "all but one");
        marks.step(0);
        assert_eq!((marks.parts(0, "s1"), marks.hunks_of(0)), (vec!["s1".to_owned()], 0));
        marks.step(0);
        assert!(!marks.touches(0));
    }
}
