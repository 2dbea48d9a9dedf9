//! How well each file answers the words of a request: BM25 over several kinds of words, in whole numbers.

use super::ask::{Ask, Term};
use crate::index::Index;
use crate::words::{self, Kind, Sieve, key};

/// A file that is named outright is worth more than any words.
pub(crate) const NAMED: u64 = 1 << 34;
/// One that defines a symbol of the request, if it is the only one.
const DEFINES: u64 = 40_000;
/// The same where the word may have been meant otherwise.
const MAY_DEFINE: u64 = 8_000;
/// One that has the name, or the end of the path, that the request writes.
const MENTIONED: u64 = 60_000;

/// The score of every file by what the request says, in the order of the index.
pub(crate) fn by_words(index: &Index, ask: &Ask) -> Vec<u64> {
    let terms = ask.terms();
    let hits = scan(index, &terms);
    let mut found_in = vec![0_u64; terms.len()];
    for hit in &hits {
        if let Some(files) = found_in.get_mut(hit.term) {
            *files += 1;
        }
    }
    let count = index.files.len() as u64;
    let words: u64 = index.files.iter().map(|file| file.record.words.len() as u64).sum();
    let usual = (words / count.max(1)).max(1);
    let mut scores = vec![0_u64; index.files.len()];
    for hit in hits {
        let (Some(term), Some(files)) = (terms.get(hit.term), found_in.get(hit.term)) else { continue };
        let length = index.files.get(hit.file).map_or(0, |file| file.record.words.len() as u64);
        let rarity = log2((count * 2 + 2) * 256 / (files * 2 + 1));
        let often = match term.kind {
            Kind::Text | Kind::Whole | Kind::Name => often(hit.count, length, usual),
            Kind::Defined | Kind::File | Kind::Folder => 256,
        };
        if let Some(score) = scores.get_mut(hit.file) {
            *score += rarity * often * u64::from(term.weight) / 256;
        }
    }
    add_definers(index, ask, &mut scores);
    add_mentioned(index, ask, &mut scores);
    scores
}

/// One word of the request in one file.
struct Hit {
    file: usize,
    term: usize,
    count: u64,
}

/// Finds all terms in all files. Most words of a file are none of them; a sieve says so at once.
fn scan(index: &Index, terms: &[Term]) -> Vec<Hit> {
    let sieve = Sieve::of(terms.iter().map(|term| term.key));
    let mut hits = Vec::new();
    for (file, entry) in index.files.iter().enumerate() {
        for word in &entry.record.words {
            if !sieve.may_hold(*word) {
                continue;
            }
            if let Ok(term) = terms.binary_search_by_key(&words::key_of(*word), |term| term.key) {
                hits.push(Hit { file, term, count: u64::from(words::count_of(*word)) });
            }
        }
    }
    hits
}

/// BM25's measure of how often a word is found, with k = 1.2 and b = 0.5; 256 is about once.
const fn often(count: u64, length: u64, usual: u64) -> u64 {
    let norm = 128 + 128 * length / usual;
    count * 22 * 256 / (10 * count + 12 * norm / 256)
}

fn add_definers(index: &Index, ask: &Ask, scores: &mut [u64]) {
    let symbols = ask.symbols.iter().map(|name| (name, DEFINES));
    for (name, worth) in symbols.chain(ask.spellings.iter().map(|name| (name, MAY_DEFINE))) {
        let name = key(Kind::Name, name.as_bytes());
        let defines = |file: &crate::index::File| file.record.defines.binary_search(&name).is_ok();
        let definers: Vec<usize> =
            index.files.iter().enumerate().filter(|(_, file)| defines(file)).map(|(at, _)| at).collect();
        for at in &definers {
            if let Some(score) = scores.get_mut(*at) {
                *score += worth / definers.len() as u64;
            }
        }
    }
}

fn add_mentioned(index: &Index, ask: &Ask, scores: &mut [u64]) {
    for path in &ask.paths {
        let ends =
            |file: &str| file.strip_suffix(path.as_str()).is_some_and(|above| above.is_empty() || above.ends_with('/'));
        let mentioned: Vec<usize> = index
            .files
            .iter()
            .enumerate()
            .filter(|(_, file)| ends(file.seen.path.as_str()))
            .map(|(at, _)| at)
            .collect();
        for at in &mentioned {
            if let Some(score) = scores.get_mut(*at) {
                *score += MENTIONED / mentioned.len() as u64;
            }
        }
    }
}

/// The logarithm to base 2 of a number in 1/256, itself in 1/256 and rounded down.
pub(crate) fn log2(number: u64) -> u64 {
    let Some(whole) = number.checked_ilog2().filter(|whole| *whole >= 8) else { return 0 };
    let rest = (number << (63 - whole)) >> 55 & 255;
    u64::from(whole - 8) * 256 + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_grow_and_hit_the_powers() {
        for power in 0..20 {
            assert_eq!(log2(256 << power), 256 * power);
        }
        assert!((0..100_000).map(log2).is_sorted());
        assert_eq!(log2(0), 0);
    }

    #[test]
    fn often_is_about_once_for_one_and_ends() {
        assert_eq!(often(1, 100, 100), 256);
        assert!(often(15, 100, 100) < 256 * 22 / 10);
        assert!(often(1, 1000, 100) < often(1, 10, 100));
    }
}
