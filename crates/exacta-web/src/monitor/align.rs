//! Which parts of two lists belong together, in time close to proportional to their length, whatever is in them: equal starts and ends, then what
//! occurs once in both, in order; what is left between is small, or is not looked into.

use std::collections::BTreeMap;

/// The most cells that are compared between two anchors.
const MAX_CELLS: usize = 40_000;

/// Pairs of equal things, in order.
pub(crate) fn align<T: Ord>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    between(old, new, (0, 0), &mut pairs, 0);
    pairs
}

fn between<T: Ord>(old: &[T], new: &[T], at: (usize, usize), pairs: &mut Vec<(usize, usize)>, depth: usize) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let left = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(a, b)| a == b).count();
    pairs.extend((0..start).map(|index| (at.0 + index, at.1 + index)));
    let inner_old = old.get(start..old.len() - end).unwrap_or_default();
    let inner_new = new.get(start..new.len() - end).unwrap_or_default();
    let inner_at = (at.0 + start, at.1 + start);
    if !inner_old.is_empty() && !inner_new.is_empty() {
        middle(inner_old, inner_new, inner_at, pairs, depth);
    }
    pairs.extend((0..end).rev().map(|index| (at.0 + old.len() - 1 - index, at.1 + new.len() - 1 - index)));
}

fn middle<T: Ord>(old: &[T], new: &[T], at: (usize, usize), pairs: &mut Vec<(usize, usize)>, depth: usize) {
    if old.len().saturating_mul(new.len()) <= MAX_CELLS {
        longest(old, new, at, pairs);
        return;
    }
    let anchors = rising(&once_in_both(old, new));
    if anchors.is_empty() || depth > 8 {
        return;
    }
    let mut from = (0, 0);
    for anchor in anchors {
        let gap = (old.get(from.0..anchor.0).unwrap_or_default(), new.get(from.1..anchor.1).unwrap_or_default());
        between(gap.0, gap.1, (at.0 + from.0, at.1 + from.1), pairs, depth + 1);
        pairs.push((at.0 + anchor.0, at.1 + anchor.1));
        from = (anchor.0 + 1, anchor.1 + 1);
    }
    let gap = (old.get(from.0..).unwrap_or_default(), new.get(from.1..).unwrap_or_default());
    between(gap.0, gap.1, (at.0 + from.0, at.1 + from.1), pairs, depth + 1);
}

/// What occurs once in each, by its places, in the order of the old.
fn once_in_both<T: Ord>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<&T, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (index, item) in old.iter().enumerate() {
        places.entry(item).or_default().0.push(index);
    }
    for (index, item) in new.iter().enumerate() {
        places.entry(item).or_default().1.push(index);
    }
    let once = places.into_values().filter_map(|places| match (places.0.as_slice(), places.1.as_slice()) {
        ([old], [new]) => Some((*old, *new)),
        _ => None,
    });
    let mut once: Vec<(usize, usize)> = once.collect();
    once.sort_unstable();
    once
}

/// The longest list of pairs that rises on both sides.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let new_of = |index: usize| pairs.get(index).map_or(0, |pair| pair.1);
    for (index, pair) in pairs.iter().enumerate() {
        let at = ends.partition_point(|end| new_of(*end) < pair.1);
        before.push(at.checked_sub(1).and_then(|at| ends.get(at)).copied());
        match ends.get_mut(at) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chain = Vec::new();
    let mut at = ends.last().copied();
    while let Some(index) = at {
        chain.extend(pairs.get(index).copied());
        at = before.get(index).copied().flatten();
    }
    chain.reverse();
    chain
}

/// The longest common subsequence, for few things.
fn longest<T: Ord>(old: &[T], new: &[T], at: (usize, usize), pairs: &mut Vec<(usize, usize)>) {
    let width = new.len() + 1;
    let mut lengths = vec![0_u16; (old.len() + 1) * width];
    let cell = |lengths: &[u16], row: usize, column: usize| lengths.get(row * width + column).copied().unwrap_or(0);
    for (row, a) in old.iter().enumerate().rev() {
        for (column, b) in new.iter().enumerate().rev() {
            let length = if a == b {
                cell(&lengths, row + 1, column + 1).saturating_add(1)
            } else {
                cell(&lengths, row + 1, column).max(cell(&lengths, row, column + 1))
            };
            if let Some(cell) = lengths.get_mut(row * width + column) {
                *cell = length;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    while let (Some(a), Some(b)) = (old.get(row), new.get(column)) {
        if a == b {
            pairs.push((at.0 + row, at.1 + column));
            (row, column) = (row + 1, column + 1);
        } else if cell(&lengths, row + 1, column) >= cell(&lengths, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_equal_and_rise(old in prop::collection::vec(0_u8..9, 0..60), new in prop::collection::vec(0_u8..9, 0..60)) {
            let pairs = align(&old, &new);
            for window in pairs.windows(2) {
                prop_assert!(window[0].0 < window[1].0 && window[0].1 < window[1].1);
            }
            for (a, b) in pairs {
                prop_assert_eq!(old[a], new[b]);
            }
        }
    }

    #[test]
    fn long_lists_are_aligned_in_time() {
        let old: Vec<usize> = (0..50_000).collect();
        let mut new = old.clone();
        new.insert(100, 99_999);
        new.remove(40_000);
        new.rotate_left(3);
        assert!(align(&old, &new).len() > 49_900);
        let same = vec![1_usize; 50_000];
        let other = vec![2_usize; 50_000];
        assert_eq!(align(&same, &other).len(), 0);
    }
}
