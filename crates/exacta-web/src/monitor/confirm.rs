//! Confirms a change before it is told: the page is read again a little later, and only what stays is news. A rotation differs again or goes back, a
//! change does not. What is not told is not lost: it stays compared with the page as it was.

use super::compare::{Difference, LEARNING, Look, SMALL, compare, promote};
use super::fault;
use super::rules::Rules;
use super::sight::Sight;
use super::{Judged, Memory, Verdict};
use crate::error::WebError;
use crate::page::{Got, Page, Validators};
use crate::tree::{Node, Since};
use std::time::Duration;

/// How long to wait before each of the reads that confirm a change.
const CHANGED: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// And before those that a page is learnt from when it is seen for the first time; the others only follow where the first differs.
const FIRST: [Duration; 3] = [Duration::ZERO, Duration::from_millis(500), Duration::from_secs(1)];

/// What two sights are compared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A look, and the one before.
    Look,
    /// A read that confirms a change, and the one a moment before: what differs changes by itself, and nothing is told.
    Again,
    /// The look before, and what the confirming reads left of this one.
    Told,
}

/// What a look says, and what is to be confirmed before it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What it says.
    pub judged: Judged,
    /// What is remembered of the page.
    pub memory: Memory,
    /// Given where it has to be read again.
    pub doubt: Option<Doubt>,
    /// Whether what was read last is part of this: an error a moment later is not.
    pub counts: bool,
}

/// A page that is to be read again: it changed, or nobody knows yet what in it changes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    before: Memory,
    now: Sight,
    validators: Validators,
    /// How often it was read again.
    reads: usize,
    /// Whether anything in it was not as it was a moment before.
    moves: bool,
}

impl Doubt {
    /// What to ask the site with: it may say that the page is as it was a moment before.
    #[must_use]
    pub fn validators(&self) -> Option<&Validators> {
        (!self.validators.is_empty()).then_some(&self.validators)
    }

    /// How long to wait before the page is read again.
    #[must_use]
    pub fn pause(&self) -> Duration {
        self.pauses().get(self.reads).copied().unwrap_or_default()
    }

    const fn pauses(&self) -> [Duration; 3] {
        if self.before.sight.is_some() { CHANGED } else { FIRST }
    }

    /// What a look says, until somebody looks again.
    pub(super) fn of(before: Memory, look: Look, page: &Page) -> Seen {
        let doubt = Self { before, now: look.sight, validators: page.validators.clone(), reads: 0, moves: false };
        doubt.told(look.difference)
    }

    /// What a first look says.
    pub(super) fn first(before: Memory, sight: Sight, page: &Page) -> Seen {
        let doubt = Self { before, now: sight.first(), validators: page.validators.clone(), reads: 0, moves: false };
        let (judged, memory) = doubt.memory().good(Verdict::First);
        Seen { judged, memory, doubt: Some(doubt), counts: true }
    }

    /// What the page says when it is read again. What cannot be read confirms what was seen: nothing is lost by a site that fails a moment later.
    #[must_use]
    pub fn again(mut self, so_far: Judged, got: &Result<Got, WebError>, rules: &Rules) -> Seen {
        self.reads += 1;
        let page = match got {
            Ok(Got::Page(page)) if page.sha256 != self.now.sha256 => page,
            Ok(_) => return self.same(so_far),
            Err(_) => return Seen { doubt: None, counts: false, ..self.same(so_far) },
        };
        let known = self.before.sight.as_ref().unwrap_or(&self.now);
        let Ok(sight) = fault::check(Some(known), page, rules) else {
            return Seen { doubt: None, counts: false, ..self.same(so_far) };
        };
        let mut now = compare(self.now, sight, self.before.looks, Mode::Again);
        let mut validators = page.validators.clone();
        if now.moved > 0 {
            // What is kept is no page that the site ever sent.
            (now.sight.sha256, validators) = (String::new(), Validators::default());
        }
        let moves = self.moves || now.moved > 0;
        let doubt = Self { now: now.sight, validators, moves, ..self };
        let Some(before) = doubt.before.sight.clone() else { return doubt.same(so_far) };
        let stays = doubt.now.clone().without(&|node| node.habit.absent);
        let difference = compare(before, stays, doubt.before.looks, Mode::Told).difference;
        doubt.told(difference)
    }

    /// What was said is said again. A page that is seen for the first time and does not move is known.
    fn same(self, so_far: Judged) -> Seen {
        let known = so_far.verdict == Verdict::First && !self.moves;
        let (judged, memory) = self.memory().good(so_far.verdict);
        Seen { judged, memory, doubt: self.unless(known), counts: true }
    }

    fn told(self, difference: Option<Difference>) -> Seen {
        let verdict = difference.map_or(Verdict::Unchanged, |difference| {
            let Difference { score, added, removed } = difference;
            Verdict::Changed { score, added, removed }
        });
        let over = verdict == Verdict::Unchanged;
        let (judged, memory) = self.memory().good(verdict);
        Seen { judged, memory, doubt: self.unless(over), counts: true }
    }

    /// To be read again, unless it was often enough.
    fn unless(self, over: bool) -> Option<Self> {
        (!over && self.reads < self.pauses().len()).then_some(self)
    }

    /// What is kept of the page as it is now.
    fn memory(&self) -> Memory {
        let gone = |node: &Node| node.since == Since::Gone && !node.habit.optional;
        let mut sight = self.now.clone().without(&gone);
        let small = self.before.sight.as_ref().is_none_or(|sight| sight.size() < SMALL);
        let look = self.before.looks.saturating_add(1);
        settled(&mut sight.tree.0, look, look <= LEARNING && !small);
        Memory { sight: Some(sight), validators: self.validators.clone(), ..self.before.clone() }
    }
}

impl Sight {
    /// The same without some of its places.
    fn without(mut self, which: &dyn Fn(&Node) -> bool) -> Self {
        drop_places(&mut self.tree.0, which);
        self
    }
}

fn drop_places(node: &mut Node, which: &dyn Fn(&Node) -> bool) {
    node.children.retain(|child| !which(child));
    node.children.iter_mut().for_each(|child| drop_places(child, which));
}

/// What a look changed is only known while it is confirmed. A text that another took the place of while the page is learnt is not compared until it was
/// quiet for a while: places that show something else each day begin like that.
fn settled(node: &mut Node, look: u32, learning: bool) {
    node.children.iter_mut().for_each(|child| settled(child, look, learning));
    node.habit.volatile |= learning && matches!(node.since, Since::Said(_, true));
    node.since = Since::Before;
    if !node.is_text() {
        promote(node, look);
    }
}
