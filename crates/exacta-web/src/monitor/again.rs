//! What the reads that confirm a change say of each place: what is not as it was a moment before changes by itself.

use super::compare::{Comparing, gaps, is_mostly_wild, number, rotates, template};
use crate::tree::{Node, Since};

/// A place with no more words that is not as it was a moment before was replaced.
const SHORT: usize = 8;
/// So often has a place varied of which that was seen: it was one thing, then another, then a third or the first.
const TWICE: u32 = 2;

impl Comparing {
    /// A text that is not what it was a moment before.
    pub(super) fn said_again(&mut self, old: &Node, mut new: Node) -> Node {
        let now = number(&new.words);
        if matches!(old.since, Since::Said(was, _) if was == now) {
            // It went back. That teaches only while the page is learnt: a site may be in the middle of being replaced.
            if self.learning {
                new.habit.known.extend([number(&old.words), now]);
                self.varies(&mut new);
            }
            self.same(&new.words);
            return new;
        }
        let gaps = gaps(&old.words, &new.words);
        let verdicts: Vec<bool> = gaps.iter().map(|gap| self.is_silent(gap, old, &new, false)).collect();
        let moved = verdicts.contains(&false);
        let words = template(&new.words, &gaps, &verdicts, moved);
        if moved {
            self.moved += 1;
            let volatile = is_mostly_wild(&words, &new.words) || rotates(&gaps);
            self.varies(&mut new);
            new.habit.volatile = volatile;
        }
        if !new.habit.volatile {
            new.words = words;
        }
        self.same(&new.words);
        new
    }

    /// A place that was there a moment before.
    pub(super) fn gone_again(&mut self, mut old: Node) -> Option<Node> {
        if old.all_met() && !old.habit.absent {
            return None;
        }
        match old.since {
            Since::Came => {
                self.varies(&mut old);
                (old.habit.optional, old.habit.absent) = (true, true);
                self.learning.then_some(old)
            }
            Since::Gone => Some(old),
            Since::Before | Since::Said(..) => {
                if old.habit.volatile || old.habit.optional {
                    old.habit.absent = true;
                } else if self.look == 1 {
                    self.moved += 1;
                    self.varies(&mut old);
                    (old.habit.optional, old.habit.absent) = (true, true);
                } else if !old.habit.absent {
                    // The next look will see whether it is.
                    self.moved += 1;
                }
                Some(old)
            }
        }
    }

    /// A place that was not there a moment before; kept where it is only somewhere else.
    pub(super) fn came_again(&mut self, mut new: Node) -> Option<Node> {
        if new.habit.volatile || new.size() == 0 || new.all_met() {
            return Some(new);
        }
        self.moved += 1;
        self.varies(&mut new);
        (new.habit.optional, new.habit.absent) = (true, true);
        self.learning.then_some(new)
    }

    /// A place that was there before the look, was gone at the look, and is back.
    pub(super) fn back(&mut self, old: Node, mut new: Node) -> Node {
        let differs = old.content() != new.content();
        if differs && new.all_met() {
            // It is what was there a moment before, in another place.
            return new;
        }
        new.habit = old.habit;
        new.habit.absent = false;
        if differs {
            self.moved += 1;
            new.habit.volatile = true;
        }
        if differs || self.learning {
            new.habit.optional = true;
            self.varies(&mut new);
        }
        new
    }

    /// A place changes by itself if all in it does, or if most of it is not as it was a moment before.
    pub(super) fn rotates(&self, place: &mut Node, whole: &Whole) {
        let shown = || place.children.iter().filter(|child| child.size() > 0);
        let all = shown().count();
        let volatile = all > 0 && shown().all(|child| child.habit.volatile);
        let most = whole.places >= 2 && whole.places * 2 >= all && whole.words * 2 >= place.size();
        if (volatile || most) && place.name != "page" && !place.habit.volatile {
            place.habit.volatile = true;
            self.varies(place);
        }
    }

    fn varies(&self, node: &mut Node) {
        node.habit.varied = node.habit.varied.max(TWICE);
        node.habit.last = self.look;
    }
}

/// The children of a place that are not as they were a moment before, and other ones rather than with something in them that differs.
#[derive(Default)]
pub(super) struct Whole {
    places: usize,
    words: usize,
}

impl Whole {
    pub(super) const fn add(&mut self, moved: bool, words: usize) {
        if moved {
            self.places += 1;
            self.words += words;
        }
    }
}

/// Whether a place that is not as it was a moment before is another one, and not one with something in it that differs.
pub(super) fn is_replaced(place: &Node) -> bool {
    place.habit.volatile || place.size() <= SHORT
}
