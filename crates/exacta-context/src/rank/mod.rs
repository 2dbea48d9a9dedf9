//! Which files matter most to a request, best first.

mod ask;
mod graph;
mod import;
mod score;

pub(crate) use import::folder;

use crate::gate::Class;
use crate::index::Index;
use crate::words::Sieve;
use crate::{Request, Why};
use ask::Ask;
use exacta_kernel::path::RelPath;
use graph::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// So many files are ranked by what they hang together with; of more, those that the words find.
const MOST_LINKED: usize = 3000;
/// So many of the best begin the walk over the links.
const STARTS: usize = 24;
/// So many files of a large project lend their neighbours.
const LENDERS: usize = 40;

/// A file with its place among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranked {
    pub file: usize,
    pub why: Why,
}

/// The files of an index in the order of what they matter, with what of the project's history is known: the files of each change,
/// newest first.
pub(crate) fn rank(index: &Index, request: &Request<'_>, history: &[Vec<String>]) -> Vec<Ranked> {
    let ask = Ask::read(request.text, request.symbols);
    let words = score::by_words(index, &ask);
    let mut start = words.clone();
    for (at, file) in index.files.iter().enumerate() {
        let Some(score) = start.get_mut(at) else { continue };
        if request.files.contains(&file.seen.path) {
            *score += score::NAMED;
        }
        if is_beneath(&file.seen.path, request.only) {
            *score = *score * 3 + 40_000;
        }
        *score = *score * class_share(file.seen.class) / 8;
    }
    let changes = changes(index, history);
    let chosen = chosen(index, &start);
    let linked = linked(index, &chosen, &start, &changes);
    let recent = recent(index, &changes);
    let mut all: Vec<(u64, Ranked)> = Vec::with_capacity(index.files.len());
    for (at, file) in index.files.iter().enumerate() {
        let value = |list: &[u64]| list.get(at).copied().unwrap_or_default();
        let (own, link, change) = (value(&start), value(&linked), value(&recent));
        let score = own + link + change;
        let why = why(file, request, value(&words), link, change);
        if score > 0 {
            all.push((score, Ranked { file: at, why }));
        }
    }
    all.sort_by_key(|(score, ranked)| (std::cmp::Reverse(*score), ranked.file));
    all.into_iter().map(|(_, ranked)| ranked).collect()
}

/// Whether a path is one of these or beneath one.
pub(crate) fn is_beneath(path: &RelPath, above: &[RelPath]) -> bool {
    above.iter().any(|above| {
        path.as_str().strip_prefix(above.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// How much a kind of file counts, in eighths: most requests are about code.
const fn class_share(class: Class) -> u64 {
    match class {
        Class::Code => 8,
        Class::Document | Class::Settings => 6,
        Class::Data => 3,
    }
}

fn why(file: &crate::index::File, request: &Request<'_>, words: u64, link: u64, change: u64) -> Why {
    if request.files.contains(&file.seen.path) {
        Why::Named
    } else if words * 2 >= link && words >= change && words > 0 {
        Why::Words
    } else if link >= change && link > 0 {
        Why::Linked
    } else {
        Why::Recent
    }
}

/// The changes as places in the index, of files that are still there.
fn changes(index: &Index, history: &[Vec<String>]) -> Vec<Vec<usize>> {
    history.iter().map(|files| files.iter().filter_map(|path| index.find(path)).collect()).collect()
}

/// The files among which links are looked at: all of a small project; of a large one those that the words find, with what lies beside
/// the best of them and what defines the names these use.
fn chosen(index: &Index, scores: &[u64]) -> Vec<usize> {
    if index.files.len() <= MOST_LINKED {
        return (0..index.files.len()).collect();
    }
    let best = best(scores, MOST_LINKED / 2);
    let mut chosen: BTreeSet<usize> = best.iter().copied().collect();
    let lenders: Vec<usize> = best.into_iter().take(LENDERS).collect();
    let files = lenders.iter().filter_map(|at| index.files.get(*at));
    let folders: BTreeSet<&str> = files.clone().map(|file| folder(file.seen.path.as_str())).collect();
    let names: BTreeSet<u32> =
        files.flat_map(|file| file.record.words.iter().map(|word| crate::words::key_of(*word))).collect();
    let sieve = Sieve::of(names.iter().copied());
    let mut definers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, file) in index.files.iter().enumerate() {
        if folders.contains(folder(file.seen.path.as_str())) && chosen.len() < MOST_LINKED {
            chosen.insert(at);
        }
        for name in file.record.defines.iter().filter(|name| sieve.may_hold(**name) && names.contains(name)) {
            definers.entry(*name).or_default().push(at);
        }
    }
    let rare = definers.into_values().filter(|files| files.len() <= 3).flatten();
    chosen.extend(rare.take(MOST_LINKED));
    chosen.into_iter().collect()
}

/// The places of the highest scores above nothing, best first.
fn best(scores: &[u64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..scores.len()).filter(|at| scores.get(*at).is_some_and(|score| *score > 0)).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(scores.get(*at)), *at));
    order.truncate(most);
    order
}

/// What links add to each score: up to as much as the best file has by words.
fn linked(index: &Index, chosen: &[usize], scores: &[u64], changes: &[Vec<usize>]) -> Vec<u64> {
    let places: BTreeMap<usize, usize> = chosen.iter().enumerate().map(|(place, at)| (*at, place)).collect();
    let together: Vec<Vec<usize>> =
        changes.iter().map(|files| files.iter().filter_map(|at| places.get(at).copied()).collect()).collect();
    let mut start = vec![0_u64; chosen.len()];
    for at in best(scores, STARTS) {
        if let (Some(start), Some(score)) = (places.get(&at).and_then(|place| start.get_mut(*place)), scores.get(at)) {
            // A file that is named outright does not take all of the walk.
            *start = (*score).min(1 << 20);
        }
    }
    let spread = Graph::of(index, chosen, &together).spread(&start);
    let most = spread.iter().copied().max().unwrap_or(1).max(1);
    let top = start.iter().copied().max().unwrap_or(0);
    let mut added = vec![0_u64; index.files.len()];
    for (at, mass) in chosen.iter().zip(spread) {
        if let Some(added) = added.get_mut(*at) {
            *added = u64::try_from(u128::from(mass) * u128::from(top) / u128::from(most)).unwrap_or(0);
        }
    }
    added
}

/// What the history adds: the more often and the more recently a file was changed, the more.
fn recent(index: &Index, changes: &[Vec<usize>]) -> Vec<u64> {
    let mut recent = vec![0_u64; index.files.len()];
    for (age, files) in changes.iter().enumerate() {
        // A change of very many files says little about each.
        let share = 16_000 / (age as u64 + 8) / (files.len() as u64 / 8 + 1);
        for at in files {
            if let Some(recent) = recent.get_mut(*at) {
                *recent += share;
            }
        }
    }
    recent
}
