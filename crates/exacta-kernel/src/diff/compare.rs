//! How one sequence of lines becomes another, in bounded time and without a clock.
//!
//! Short sequences are compared as git does it. Long ones are first cut at the lines that occur once on each side, in the
//! longest order that both share, and then piece by piece; a piece without such lines that is still long counts as replaced.
//! So the work is bounded by the number of lines, and the answer is the same everywhere.

use super::number::numbered;
use crate::prelude::*;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The most lines of both sides together that are compared as one piece.
const PIECE: usize = 1 << 13;

/// How `old` becomes `new`.
pub(super) fn compare<'l>(
    old: impl Iterator<Item = &'l [u8]> + Clone,
    new: impl Iterator<Item = &'l [u8]> + Clone,
) -> Vec<DiffOp> {
    let (old, new) = numbered(old, new);
    if let Some(ops) = forced(&old, &new) {
        return ops;
    }
    if old.len() + new.len() <= PIECE {
        return capture_diff_slices(Algorithm::Myers, &old, &new);
    }
    in_pieces(&old, &new, PIECE)
}

/// How some lines become others, where only those at the start and the end are known to stay.
pub(super) fn replaced(old: usize, new: usize, same: usize, same_at_end: usize) -> Vec<DiffOp> {
    let shorter = old.min(new);
    let start = same.min(shorter);
    let end = same_at_end.min(shorter - start);
    let (old_len, new_len) = (old - start - end, new - start - end);
    let equal = |old_index: usize, new_index: usize, len: usize| DiffOp::Equal { old_index, new_index, len };
    let change = match (old_len, new_len) {
        (0, 0) => None,
        (_, 0) => Some(DiffOp::Delete { old_index: start, old_len, new_index: start }),
        (0, _) => Some(DiffOp::Insert { old_index: start, new_index: start, new_len }),
        _ => Some(DiffOp::Replace { old_index: start, old_len, new_index: start, new_len }),
    };
    let ops = [Some(equal(0, 0, start)), change, Some(equal(old - end, new - end, end))];
    ops.into_iter().flatten().filter(|op| !matches!(op, DiffOp::Equal { len: 0, .. })).collect()
}

fn in_pieces(old: &[u32], new: &[u32], limit: usize) -> Vec<DiffOp> {
    let mut pieces = Pieces { old, new, limit, done: (0, 0), ops: Vec::new() };
    for (old_at, new_at) in anchors(old, new) {
        pieces.up_to(place(old_at), place(new_at));
        pieces.equal(1);
    }
    pieces.up_to(old.len(), new.len());
    pieces.ops
}

/// The only shortest way there is, where that needs no search: without the lines that occur on one side alone, which go or
/// come in any case, both sides are the same. Most changes are of this kind.
fn forced(old: &[u32], new: &[u32]) -> Option<Vec<DiffOp>> {
    let (mut in_old, mut in_new) = (Seen::new(old, new), Seen::new(old, new));
    old.iter().for_each(|number| in_old.add(*number));
    new.iter().for_each(|number| in_new.add(*number));
    let (mut ops, mut old_at, mut new_at) = (Vec::new(), 0, 0);
    loop {
        let (old_index, new_index) = (old_at, new_at);
        old_at += old.iter().skip(old_at).take_while(|number| !in_new.has(**number)).count();
        new_at += new.iter().skip(new_at).take_while(|number| !in_old.has(**number)).count();
        let op = match (old_at - old_index, new_at - new_index) {
            (0, 0) => None,
            (old_len, 0) => Some(DiffOp::Delete { old_index, old_len, new_index }),
            (0, new_len) => Some(DiffOp::Insert { old_index, new_index, new_len }),
            (old_len, new_len) => Some(DiffOp::Replace { old_index, old_len, new_index, new_len }),
        };
        ops.extend(op);
        let (old_index, new_index) = (old_at, new_at);
        match (old.get(old_at..)?, new.get(new_at..)?) {
            ([], []) => return Some(ops),
            (old, new) => {
                let same = |(old, new): &(&u32, &u32)| old == new && in_new.has(**old);
                let len = old.iter().zip(new).take_while(same).count();
                if len == 0 {
                    return None;
                }
                ops.push(DiffOp::Equal { old_index, new_index, len });
                (old_at, new_at) = (old_at + len, new_at + len);
            }
        }
    }
}

/// Which numbers occur on a side.
struct Seen(Vec<bool>);

impl Seen {
    fn new(old: &[u32], new: &[u32]) -> Self {
        Self(vec![false; old.iter().chain(new).max().map_or(0, |max| place(*max) + 1)])
    }

    fn add(&mut self, number: u32) {
        if let Some(seen) = self.0.get_mut(place(number)) {
            *seen = true;
        }
    }

    fn has(&self, number: u32) -> bool {
        self.0.get(place(number)).copied().unwrap_or_default()
    }
}

/// A line's number as a place in a table.
const fn place(number: u32) -> usize {
    number as usize
}

/// The places of lines that occur once on each side, as many as are in the same order on both.
fn anchors(old: &[u32], new: &[u32]) -> Vec<(u32, u32)> {
    let old_place = places_of_unique(old);
    let new_place = places_of_unique(new);
    // By their place on the new side; what remains is the longest rising sequence of places on the old side.
    let both = new.iter().filter_map(|number| {
        Some((*old_place.get(place(*number))?.as_ref()?, *new_place.get(place(*number))?.as_ref()?))
    });
    longest_rising(&both.collect::<Vec<_>>())
}

/// By number: where it occurs, if it does exactly once.
fn places_of_unique(numbers: &[u32]) -> Vec<Option<u32>> {
    let mut seen = vec![false; numbers.iter().max().map_or(0, |max| place(*max) + 1)];
    let mut places = vec![None; seen.len()];
    for (at, number) in (0..).zip(numbers) {
        if let (Some(seen), Some(slot)) = (seen.get_mut(place(*number)), places.get_mut(place(*number))) {
            *slot = (!*seen).then_some(at);
            *seen = true;
        }
    }
    places
}

/// The longest subsequence whose first members rise.
fn longest_rising(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // The index of the least last member of a rising sequence of each length, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs.get(*end).is_some_and(|end| end.0 < pair.0));
        previous.push(length.checked_sub(1).and_then(|length| ends.get(length).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut rising: Vec<(u32, u32)> = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        rising.extend(pairs.get(index));
        at = previous.get(index).copied().flatten();
    }
    rising.reverse();
    rising
}

/// The way through both sides, piece by piece.
struct Pieces<'s> {
    old: &'s [u32],
    new: &'s [u32],
    limit: usize,
    done: (usize, usize),
    ops: Vec<DiffOp>,
}

impl Pieces<'_> {
    /// Compares what lies before these places.
    fn up_to(&mut self, old_end: usize, new_end: usize) {
        let old = self.old.get(self.done.0..old_end).unwrap_or_default();
        let new = self.new.get(self.done.1..new_end).unwrap_or_default();
        let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        self.equal(start);
        let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
        let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        self.unequal(old.get(..old.len() - end).unwrap_or_default(), new.get(..new.len() - end).unwrap_or_default());
        self.equal(end);
    }

    fn unequal(&mut self, old: &[u32], new: &[u32]) {
        let (old_index, new_index) = self.done;
        let (old_len, new_len) = (old.len(), new.len());
        if old_len + new_len == 0 {
            return;
        }
        if old_len == 0 || new_len == 0 || old_len + new_len > self.limit {
            self.ops.push(DiffOp::Replace { old_index, old_len, new_index, new_len });
        } else {
            let ops = capture_diff_slices(Algorithm::Myers, old, new);
            self.ops.extend(ops.into_iter().map(|op| shifted(op, old_index, new_index)));
        }
        self.done = (old_index + old_len, new_index + new_len);
    }

    fn equal(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let (old_index, new_index) = self.done;
        match self.ops.last_mut() {
            Some(DiffOp::Equal { len, .. }) => *len += count,
            _ => self.ops.push(DiffOp::Equal { old_index, new_index, len: count }),
        }
        self.done = (old_index + count, new_index + count);
    }
}

/// The same operation on the whole sequences.
fn shifted(op: DiffOp, old: usize, new: usize) -> DiffOp {
    match op {
        DiffOp::Equal { old_index, new_index, len } => {
            DiffOp::Equal { old_index: old_index + old, new_index: new_index + new, len }
        }
        DiffOp::Delete { old_index, old_len, new_index } => {
            DiffOp::Delete { old_index: old_index + old, old_len, new_index: new_index + new }
        }
        DiffOp::Insert { old_index, new_index, new_len } => {
            DiffOp::Insert { old_index: old_index + old, new_index: new_index + new, new_len }
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            DiffOp::Replace { old_index: old_index + old, old_len, new_index: new_index + new, new_len }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_order_that_both_sides_share() {
        let pairs = [(4, 0), (1, 1), (2, 2), (0, 3), (3, 4)];
        assert_eq!(longest_rising(&pairs), [(1, 1), (2, 2), (3, 4)]);
        assert_eq!(anchors(&[7, 1, 2, 7, 3], &[1, 7, 3, 2]), [(1, 0), (2, 3)]);
        assert_eq!(anchors(&[], &[1]), []);
    }
    proptest::proptest! {
        #[test]
        fn what_is_forced_is_what_a_search_finds(
            old in proptest::collection::vec(0_u32..30, 0..40),
            changes in proptest::collection::vec((0_usize..40, proptest::option::of(20_u32..60)), 0..12),
        ) {
            let mut new = old.clone();
            for (at, line) in changes {
                match line {
                    Some(line) if at % 2 == 0 => new.insert(at.min(new.len()), line),
                    Some(line) => new.iter_mut().skip(at).take(1).for_each(|it| *it = line),
                    None if at < new.len() => drop(new.remove(at)),
                    None => {}
                }
            }
            if let Some(ops) = forced(&old, &new) {
                assert_eq!(ops, capture_diff_slices(Algorithm::Myers, &old, &new));
            }
        }

        #[test]
        fn in_pieces_or_whole_old_becomes_new(
            old in proptest::collection::vec(0_u32..12, 0..40),
            new in proptest::collection::vec(0_u32..12, 0..40),
            limit in 0_usize..20,
        ) {
            let (mut from, mut made) = (Vec::new(), Vec::new());
            for op in in_pieces(&old, &new, limit) {
                assert_eq!((from.len(), made.len()), (op.old_range().start, op.new_range().start));
                from.extend_from_slice(&old[op.old_range()]);
                made.extend_from_slice(&new[op.new_range()]);
                if let DiffOp::Equal { .. } = op {
                    assert_eq!(old[op.old_range()], new[op.new_range()]);
                }
            }
            assert_eq!((from, made), (old, new));
        }
    }
}
