//! Where texts occur in a file, all of them in one pass.
//!
//! A proposal can carry a hundred thousand tiny texts and a file sixty million bytes, so they are never looked for one by one.

use crate::prelude::*;
use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A text that occurs more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Twice {
    /// Which one.
    pub(super) index: usize,
    /// Where it begins first.
    pub(super) first: usize,
    /// Where it begins again; the two may overlap.
    pub(super) second: usize,
}

/// Where each text occurs in the file, if it does; none may occur twice. Stops at the first that does, so that the work is
/// that of reading the texts and the file once, whatever they are.
pub(super) fn each_once<T: AsRef<[u8]>>(texts: &[T], file: &[u8]) -> Result<Vec<Option<usize>>, Twice> {
    let mut places = vec![None; texts.len()];
    let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(texts);
    // Neither fails: texts are far too short to run out of state numbers, and this kind finds overlapping occurrences.
    let Ok(automaton) = automaton else { return Ok(places) };
    let Ok(matches) = automaton.try_find_overlapping_iter(file) else { return Ok(places) };
    for found in matches {
        let index = found.pattern().as_usize();
        let Some(place) = places.get_mut(index) else { continue };
        match *place {
            None => *place = Some(found.start()),
            Some(first) => return Err(Twice { index, first, second: found.start() }),
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_occurrences_count() {
        assert_eq!(each_once(&["aa"], b"aaa"), Err(Twice { index: 0, first: 0, second: 1 }));
        assert_eq!(each_once(&["ab", "b", "c"], b"xab"), Ok(vec![Some(1), Some(2), None]));
    }
}
