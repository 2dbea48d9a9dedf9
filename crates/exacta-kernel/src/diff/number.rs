//! Small numbers for lines, so that comparing two costs the same however long they are.

use crate::prelude::*;

/// How far a line is looked for from where it belongs. Text that is made so that its lines crowd there is told apart by
/// order instead, so that it costs no more than other text.
const FARTHEST: usize = 128;

/// A number for each line of both sides, counted from 0 as they first occur: the same for lines that are the same.
pub(super) fn numbered<'l>(
    old: impl Iterator<Item = &'l [u8]> + Clone,
    new: impl Iterator<Item = &'l [u8]> + Clone,
) -> (Vec<u32>, Vec<u32>) {
    by_hash(old.clone(), new.clone()).unwrap_or_else(|| by_order(old, new))
}

/// `None` if too many lines crowd at one place of the table.
fn by_hash<'l>(
    old: impl Iterator<Item = &'l [u8]>,
    new: impl Iterator<Item = &'l [u8]>,
) -> Option<(Vec<u32>, Vec<u32>)> {
    let mut table = Table::new();
    // By number: where it first occurs on the old side.
    let mut places = Vec::new();
    let mut old_numbers = Vec::with_capacity(old.size_hint().0);
    for (place, line) in (0_u32..).zip(old) {
        let number = table.number(line)?;
        if place_of(number) == places.len() {
            places.push(place);
        }
        old_numbers.push(number);
    }
    let mut new_numbers = Vec::with_capacity(new.size_hint().0);
    let mut next = 0_u32;
    for line in new {
        // Most lines follow the same one as before, or one that was replaced.
        let following = old_numbers.iter().skip(place_of(next));
        let near = (next..next + 2).zip(following).find(|(_, number)| table.is(**number, line));
        let (number, place) = match near {
            Some((place, number)) => (*number, Some(place)),
            None => table.number(line).map(|number| (number, places.get(place_of(number)).copied()))?,
        };
        next = place.filter(|place| *place >= next).map_or(next, |place| place + 1);
        new_numbers.push(number);
    }
    Some((old_numbers, new_numbers))
}

fn by_order<'l>(old: impl Iterator<Item = &'l [u8]>, new: impl Iterator<Item = &'l [u8]>) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = BTreeMap::new();
    let mut next = 0;
    let mut number = |line| {
        *numbers.entry(line).or_insert_with(|| {
            next += 1;
            next - 1
        })
    };
    let old: Vec<u32> = old.map(&mut number).collect();
    (old, new.map(number).collect())
}

/// A line's number as a place in a table.
const fn place_of(number: u32) -> usize {
    number as usize
}

/// Lines by hash, at most half full. Its size follows the number of different lines.
struct Table<'l> {
    /// A power of two.
    slots: Vec<Slot>,
    /// By number.
    lines: Vec<&'l [u8]>,
}

/// The upper half of a line's hash, and its number plus one; all zero where nothing is.
type Slot = (u32, u32);

impl<'l> Table<'l> {
    fn new() -> Self {
        Self { slots: vec![(0, 0); 1024], lines: Vec::with_capacity(512) }
    }

    /// The line's number; a new one if it was not seen before.
    fn number(&mut self, line: &'l [u8]) -> Option<u32> {
        let hash = hash(line);
        let place = self.place(hash, |number| self.is(number, line))?;
        let slot = self.slots.get_mut(place)?;
        if slot.1 > 0 {
            return Some(slot.1 - 1);
        }
        self.lines.push(line);
        let count = u32::try_from(self.lines.len()).ok()?;
        *slot = (hash, count);
        if self.lines.len() * 2 > self.slots.len() {
            self.grow()?;
        }
        Some(count - 1)
    }

    fn is(&self, number: u32, line: &[u8]) -> bool {
        self.lines.get(place_of(number)).is_some_and(|known| *known == line)
    }

    /// Where a line with this hash is, or the free slot it would have.
    fn place(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let start = usize::try_from(hash).ok()?;
        let here = |at: &usize| match self.slots.get(*at) {
            Some((known, number @ 1..)) => *known == hash && same(*number - 1),
            _ => true,
        };
        (start..start + FARTHEST).map(|at| at & mask).find(here)
    }

    fn grow(&mut self) -> Option<()> {
        let larger = vec![(0, 0); self.slots.len() * 2];
        for slot in core::mem::replace(&mut self.slots, larger).into_iter().filter(|slot| slot.1 > 0) {
            let place = self.place(slot.0, |_| false)?;
            *self.slots.get_mut(place)? = slot;
        }
        Some(())
    }
}

/// Eight bytes at a time; the upper half is the better mixed one.
fn hash(line: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = line.as_chunks::<8>();
    let sum = words.iter().fold(line.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |rest, byte| (rest << 8) | u64::from(*byte));
    (mix(mix(sum, rest), 0) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::iter;

    #[test]
    fn many_lines_by_hash_and_by_order() {
        let lines: Vec<String> = (0..5000).map(|number| format!("line {}\n", number % 3000)).collect();
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        let (old, new) = lines.split_at(2000);
        let (old, new) = (old.iter().copied(), new.iter().copied());
        assert_eq!(by_hash(old.clone(), new.clone()).unwrap(), by_order(old, new));
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
        let crowd = || crowd.iter().map(Vec::as_slice);
        assert_eq!(by_hash(crowd(), iter::empty()), None);
        assert_eq!(numbered(crowd(), iter::empty()).0, (0..200).collect::<Vec<_>>());
    }

    proptest::proptest! {
        #[test]
        fn the_same_numbers_either_way(
            old in proptest::collection::vec("[ab]{0,3}|[a-z ]{0,40}", 0..60),
            new in proptest::collection::vec("[ab]{0,3}|[a-z ]{0,40}", 0..60),
        ) {
            let (old, new) = (old.iter().map(String::as_bytes), new.iter().map(String::as_bytes));
            assert_eq!(by_hash(old.clone(), new.clone()).unwrap(), by_order(old, new));
        }
    }
}
