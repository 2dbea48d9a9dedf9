//! The tree itself. It is kept as a flat list, so that no depth is too deep for whoever reads it again.

use crate::text::hash;
use serde::{Deserialize, Serialize};

/// The deepest place; what lies deeper belongs to it.
pub(crate) const MAX_DEPTH: usize = 48;
/// The most places of a page; what comes after them belongs to the one before.
pub(crate) const MAX_NODES: usize = 20_000;

/// A place (an element with others in it) or the text in one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// What the place is called; empty for text.
    pub(crate) name: String,
    /// The words of a text.
    pub(crate) words: Vec<String>,
    pub(crate) children: Vec<Node>,
    /// What was learnt of it.
    pub(crate) habit: Habit,
    /// Its text is in the other sight too, in the same order. Only while two are compared.
    pub(crate) met: bool,
    /// What this look changed in it. Only while a change is confirmed.
    pub(crate) since: Since,
}

/// What a look changed in a place, for the reads that confirm it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Since {
    /// Nothing.
    #[default]
    Before,
    /// Its text: it was one with this number; and whether it is another text now, and not that one with something in it that differs.
    Said(u64, bool),
    /// It was not there.
    Came,
    /// It is not there any more.
    Gone,
}

/// How a place behaves from one look to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Habit {
    /// What is in it says nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) volatile: bool,
    /// It comes and goes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) optional: bool,
    /// It was not there the last time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) absent: bool,
    /// How often it differed while that counted for learning.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) varied: u32,
    /// At which look it last differed.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) last: u32,
    /// What it said before, as numbers: something that comes back is no news.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) known: Vec<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Node {
    pub(crate) fn place(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    pub(crate) fn text(words: &str) -> Self {
        Self {
            words: words.split(' ').filter(|word| !word.is_empty()).map(ToOwned::to_owned).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.name.is_empty()
    }

    /// A number for all text in it, which says nothing of its places, nor whether it is there.
    pub(crate) fn content(&self) -> u64 {
        let mut content = 17_u64;
        self.texts(&mut |words, _| {
            for word in words {
                content = content.rotate_left(7).wrapping_mul(31) ^ hash(word);
            }
        });
        content
    }

    /// Every text in it that is there, in order, and whether it says nothing. Whether the node itself is there is not asked.
    pub(crate) fn texts<'n>(&'n self, each: &mut dyn FnMut(&'n [String], bool)) {
        self.walk(false, each);
    }

    fn walk<'n>(&'n self, volatile: bool, each: &mut dyn FnMut(&'n [String], bool)) {
        let volatile = volatile || self.habit.volatile;
        if self.is_text() {
            each(&self.words, volatile);
        }
        for child in self.children.iter().filter(|child| !child.habit.absent) {
            child.walk(volatile, each);
        }
    }

    /// Marks every text, in order, as the list says.
    pub(crate) fn mark_met(&mut self, met: &mut dyn Iterator<Item = bool>) {
        if self.is_text() {
            self.met = met.next().unwrap_or(false);
        }
        for child in self.children.iter_mut().filter(|child| !child.habit.absent) {
            child.mark_met(met);
        }
    }

    /// Whether all text in it is in the other sight too.
    pub(crate) fn all_met(&self) -> bool {
        let own = !self.is_text() || self.met;
        own && self.children.iter().filter(|child| !child.habit.absent).all(Self::all_met)
    }

    /// How many words it holds.
    pub(crate) fn size(&self) -> usize {
        let mut size = 0_usize;
        self.texts(&mut |words, _| size = size.saturating_add(words.len()));
        size
    }
}

/// A whole page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<Flat>", from = "Vec<Flat>")]
pub(crate) struct Tree(pub(crate) Node);

/// One node of the list: how deep it lies, its name, its text, its habit.
#[derive(Clone, Serialize, Deserialize)]
struct Flat(u8, String, String, #[serde(default)] Habit);

impl From<Tree> for Vec<Flat> {
    fn from(tree: Tree) -> Self {
        let mut list = Self::new();
        flatten(&tree.0, 0, &mut list);
        list
    }
}

fn flatten(node: &Node, depth: u8, list: &mut Vec<Flat>) {
    list.push(Flat(depth, node.name.clone(), node.words.join(" "), node.habit.clone()));
    for child in &node.children {
        flatten(child, depth.saturating_add(1), list);
    }
}

impl From<Vec<Flat>> for Tree {
    /// A list that was tampered with gives another tree, and never a deeper one.
    fn from(list: Vec<Flat>) -> Self {
        let mut open: Vec<(u8, Node)> = vec![(0, Node::place("page"))];
        for (index, Flat(depth, name, words, habit)) in list.into_iter().enumerate() {
            let node = Node { name, habit, ..Node::text(&words) };
            if index == 0 {
                open = vec![(0, node)];
                continue;
            }
            let depth = depth.clamp(1, u8::try_from(MAX_DEPTH + 2).unwrap_or(u8::MAX));
            close(&mut open, depth);
            open.push((depth, node));
        }
        close(&mut open, 1);
        Self(open.pop().map(|(_, node)| node).unwrap_or_default())
    }
}

/// Puts every open node of this depth or deeper into the one it belongs to.
fn close(open: &mut Vec<(u8, Node)>, depth: u8) {
    while open.len() > 1 && open.last().is_some_and(|(other, _)| *other >= depth) {
        if let Some((_, node)) = open.pop()
            && let Some((_, parent)) = open.last_mut()
        {
            parent.children.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_survives_being_kept() {
        let mut page = Node::place("page");
        let mut list = Node::place("ul");
        for text in ["one", "two words"] {
            let mut item = Node::place("li");
            item.children.push(Node::text(text));
            item.habit.optional = text == "one";
            list.children.push(item);
        }
        page.children = vec![Node::text("first"), list, Node::text("last")];
        let tree = Tree(page);
        let kept = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<Tree>(&kept).unwrap(), tree);
        assert_eq!((tree.0.size(), tree.0.content() == Tree::default().0.content()), (5, false));
        let odd: Tree = serde_json::from_str(r#"[[9,"a",""],[200,"b",""],[0,"","x"]]"#).unwrap();
        assert_eq!(odd.0.size(), 1);
    }
}
