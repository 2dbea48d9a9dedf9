//! Which children of a place are the same as before.

use super::align::align;
use crate::text::{WILD, hash};
use crate::tree::Node;

/// The most pairs that are weighed against each other.
const MAX_CELLS: usize = 3_600;
/// The most words of a place that are weighed.
const MAX_WEIGHED: usize = 80;

/// Pairs in order: equal ones first, then those that differ in figures only, then the most alike.
pub(crate) fn pairs(old: &[Node], new: &[Node]) -> Vec<(usize, usize)> {
    let keys = |nodes: &[Node], key: fn(&Node) -> (u64, u64)| nodes.iter().map(key).collect::<Vec<_>>();
    let mut pairs = align(&keys(old, content), &keys(new, content));
    fill(old.len(), new.len(), &mut pairs, &mut |range_old, range_new| {
        let (old, new) = (slice(old, range_old), slice(new, range_new));
        align(&keys(old, skeleton), &keys(new, skeleton))
    });
    fill(old.len(), new.len(), &mut pairs, &mut |range_old, range_new| {
        alike(slice(old, range_old), slice(new, range_new))
    });
    pairs
}

type Range = (usize, usize);

fn slice(nodes: &[Node], range: Range) -> &[Node] {
    nodes.get(range.0..range.1).unwrap_or_default()
}

/// Finds more pairs between those that are known.
fn fill(
    old: usize,
    new: usize,
    pairs: &mut Vec<(usize, usize)>,
    find: &mut dyn FnMut(Range, Range) -> Vec<(usize, usize)>,
) {
    let known = std::mem::take(pairs);
    let mut from = (0, 0);
    for pair in known.into_iter().map(Some).chain([None]) {
        let to = pair.unwrap_or((old, new));
        if from.0 < to.0 && from.1 < to.1 {
            let found = find((from.0, to.0), (from.1, to.1));
            pairs.extend(found.into_iter().map(|(a, b)| (from.0 + a, from.1 + b)));
        }
        pairs.extend(pair);
        from = (to.0 + 1, to.1 + 1);
    }
}

/// All text; the name of a place without any.
fn content(node: &Node) -> (u64, u64) {
    let content = node.content();
    (content, if node.size() == 0 && !node.is_text() { hash(&node.name) } else { 0 })
}

/// All words without figures, and the name.
fn skeleton(node: &Node) -> (u64, u64) {
    let mut skeleton = 17_u64;
    node.texts(&mut |words, _| {
        for word in words.iter().filter(|word| *word != WILD && !word.bytes().any(|byte| byte.is_ascii_digit())) {
            skeleton = skeleton.rotate_left(7).wrapping_mul(31) ^ hash(word);
        }
    });
    (skeleton, hash(&node.name))
}

/// The pairs that are most alike together.
fn alike(old: &[Node], new: &[Node]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MAX_CELLS {
        let names = |nodes: &[Node]| nodes.iter().map(|node| hash(&node.name)).collect::<Vec<_>>();
        return align(&names(old), &names(new));
    }
    let weights = |nodes: &[Node]| nodes.iter().map(bag).collect::<Vec<_>>();
    let (bags_old, bags_new) = (weights(old), weights(new));
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    let cell = |best: &[u32], row: usize, column: usize| best.get(row * width + column).copied().unwrap_or(0);
    let mut weight = vec![0_u32; old.len() * width];
    for (row, (node_old, bag_old)) in old.iter().zip(&bags_old).enumerate().rev() {
        for (column, (node_new, bag_new)) in new.iter().zip(&bags_new).enumerate().rev() {
            let together = likeness(node_old, bag_old, node_new, bag_new);
            let with = if together == 0 { 0 } else { together + cell(&best, row + 1, column + 1) };
            let without = cell(&best, row + 1, column).max(cell(&best, row, column + 1));
            if let Some(slot) = best.get_mut(row * width + column) {
                *slot = with.max(without);
            }
            if let Some(slot) = weight.get_mut(row * width + column) {
                *slot = together;
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < old.len() && column < new.len() {
        let together = cell(&weight, row, column);
        if together > 0 && together + cell(&best, row + 1, column + 1) == cell(&best, row, column) {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if cell(&best, row + 1, column) >= cell(&best, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// The first words of a place, sorted.
fn bag(node: &Node) -> Vec<u64> {
    let mut bag = Vec::new();
    node.texts(&mut |words, _| {
        let left = MAX_WEIGHED.saturating_sub(bag.len());
        bag.extend(words.iter().filter(|word| *word != WILD).take(left).map(|word| hash(word)));
    });
    bag.sort_unstable();
    bag
}

/// How alike two places are: in hundredths of their words, and something for the same name. Nothing for places that have nothing in common.
fn likeness(old: &Node, bag_old: &[u64], new: &Node, bag_new: &[u64]) -> u32 {
    if old.is_text() != new.is_text() {
        return 0;
    }
    let common = common(bag_old, bag_new);
    let longer = bag_old.len().max(bag_new.len()).max(1);
    let part = u32::try_from(common * 100 / longer).unwrap_or(0);
    let named = old.name == new.name;
    let tag = |name: &str| name.split(['.', '#']).next().unwrap_or_default().to_owned();
    match (named, part) {
        (true, part) => part + if old.name.contains(['.', '#']) { 30 } else { 8 },
        (false, part) if part >= 50 || (part >= 20 && tag(&old.name) == tag(&new.name)) => part,
        _ => 0,
    }
}

fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut at_a, mut at_b, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(at_a), b.get(at_b)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => at_a += 1,
            std::cmp::Ordering::Greater => at_b += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                (at_a, at_b) = (at_a + 1, at_b + 1);
            }
        }
    }
    common
}
