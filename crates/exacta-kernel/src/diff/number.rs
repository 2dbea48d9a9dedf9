//! Small numbers for lines, so that comparing two costs the same however long they are.

use crate::prelude::*;

/// How far a line is looked for from where it belongs. Text that is made so that its lines crowd there is told apart by
/// order instead, so that it costs no more than other text.
const FARTHEST: usize = 128;

/// A number for each line of both sides, counted from 0 as they first occur: the same for lines that are the same.
pub(super) fn numbered(old: &[&[u8]], new: &[&[u8]]) -> (Vec<usize>, Vec<usize>) {
    by_hash(old, new).unwrap_or_else(|| by_order(old, new))
}

/// `None` if too many lines crowd at one place of the table.
fn by_hash(old: &[&[u8]], new: &[&[u8]]) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut table = Table::new();
    let old = old.iter().map(|line| table.number(line)).collect::<Option<_>>()?;
    Some((old, new.iter().map(|line| table.number(line)).collect::<Option<_>>()?))
}

fn by_order(old: &[&[u8]], new: &[&[u8]]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers = BTreeMap::new();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let old: Vec<usize> = old.iter().copied().map(&mut number).collect();
    (old, new.iter().copied().map(number).collect())
}

/// Lines by hash, at most half full. Its size follows the number of different lines.
struct Table<'l> {
    /// A power of two.
    slots: Vec<Option<Slot<'l>>>,
    len: usize,
}

#[derive(Clone, Copy)]
struct Slot<'l> {
    line: &'l [u8],
    hash: u64,
    number: usize,
}

impl<'l> Table<'l> {
    fn new() -> Self {
        Self { slots: vec![None; 1024], len: 0 }
    }

    fn number(&mut self, line: &'l [u8]) -> Option<usize> {
        let hash = hash(line);
        let number = self.len;
        let slot = self.place(hash, |slot| slot.line == line)?;
        if let Some(known) = slot {
            return Some(known.number);
        }
        *slot = Some(Slot { line, hash, number });
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            self.grow()?;
        }
        Some(number)
    }

    /// The slot of a line with this hash, or the free one it would have.
    fn place(&mut self, hash: u64, same: impl Fn(&Slot<'l>) -> bool) -> Option<&mut Option<Slot<'l>>> {
        let mask = self.slots.len() - 1;
        let start = usize::try_from(hash >> 32).unwrap_or_default();
        let here = |at: &usize| match self.slots.get(*at) {
            Some(Some(slot)) => slot.hash == hash && same(slot),
            _ => true,
        };
        let at = (start..start + FARTHEST).map(|at| at & mask).find(here)?;
        self.slots.get_mut(at)
    }

    fn grow(&mut self) -> Option<()> {
        let larger = vec![None; self.slots.len() * 2];
        for slot in core::mem::replace(&mut self.slots, larger).into_iter().flatten() {
            *self.place(slot.hash, |_| false)? = Some(slot);
        }
        Some(())
    }
}

/// Eight bytes at a time; the upper half is the better mixed one.
fn hash(line: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = line.as_chunks::<8>();
    let sum = words.iter().fold(line.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |rest, byte| (rest << 8) | u64::from(*byte));
    mix(mix(sum, rest), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_by_hash_and_by_order() {
        let lines: Vec<String> = (0..5000).map(|number| format!("line {}\n", number % 3000)).collect();
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        let (old, new) = lines.split_at(2000);
        assert_eq!(by_hash(old, new).unwrap(), by_order(old, new));
    }

    #[test]
    fn a_crowd_is_told_apart_all_the_same() {
        // The last word undoes what the first one did, so that all of these have one hash.
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        let crowd: Vec<Vec<u8>> = (0..200_u64)
            .map(|first| {
                let sum = (16_u64.rotate_left(23) ^ first).wrapping_mul(FACTOR);
                [first.to_le_bytes(), sum.rotate_left(23).to_le_bytes()].concat()
            })
            .collect();
        let crowd: Vec<&[u8]> = crowd.iter().map(Vec::as_slice).collect();
        assert_eq!(by_hash(&crowd, &[]), None);
        assert_eq!(numbered(&crowd, &[]).0, (0..200).collect::<Vec<_>>());
    }

    proptest::proptest! {
        #[test]
        fn the_same_numbers_either_way(
            old in proptest::collection::vec("[ab]{0,3}|[a-z ]{0,40}", 0..60),
            new in proptest::collection::vec("[ab]{0,3}|[a-z ]{0,40}", 0..60),
        ) {
            let old: Vec<&[u8]> = old.iter().map(String::as_bytes).collect();
            let new: Vec<&[u8]> = new.iter().map(String::as_bytes).collect();
            assert_eq!(by_hash(&old, &new).unwrap(), by_order(&old, &new));
        }
    }
}
