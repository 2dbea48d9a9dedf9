//! Two outlines of a file into what changed between them.

use crate::outline::{Function, Item, Outline};
use exacta_kernel::facts::source::{AreaUse, CodeFacts, FunctionChange, PublicChange, SignatureChange};
use std::collections::{BTreeMap, BTreeSet};

/// What changed in a file.
#[derive(Debug)]
pub(crate) struct Compared {
    pub facts: CodeFacts,
    /// For each changed function the fingerprints before and after.
    pub prints: Vec<Prints>,
}

/// A function's fingerprints before and after.
pub(crate) type Prints = (Option<u64>, Option<u64>);

/// What changed.
pub(crate) fn compare(old: Outline, new: Outline) -> Compared {
    let public = public(&old.public, &new.public);
    let (functions, prints) = functions(&old.functions, &new.functions).into_iter().unzip();
    Compared { facts: CodeFacts { public, functions, areas: areas(old.areas, new.areas) }, prints }
}

/// What becomes of the public names, in the order of their lines.
fn public(old: &[Item], new: &[Item]) -> Vec<PublicChange> {
    let (was, is) = (by_name(old), by_name(new));
    let mut changes = Vec::new();
    let mut report = |item: &Item, change: SignatureChange, line: u64| {
        let name = format!("{} {}", item.word, item.name);
        changes.push(PublicChange { name, change, line, moved_to: None });
    };
    for (name, was) in &was {
        let is = is.get(name).map_or(&[][..], Vec::as_slice);
        // Those that serve as before are settled; of the rest, as many as remain have changed.
        let mut left: Vec<&&Item> = is.iter().collect();
        let mut unserved = Vec::new();
        for item in was {
            match left.iter().position(|it| it.serves(item)) {
                Some(place) => drop(left.remove(place)),
                None => unserved.push(item),
            }
        }
        let mut left = left.into_iter();
        for item in unserved {
            match left.next() {
                Some(now) => report(item, SignatureChange::Changed, now.line),
                None => report(item, SignatureChange::Removed, item.line),
            }
        }
        left.for_each(|item| report(item, SignatureChange::Added, item.line));
    }
    for item in is.iter().filter(|(name, _)| !was.contains_key(*name)).flat_map(|(_, items)| items) {
        report(item, SignatureChange::Added, item.line);
    }
    changes.sort_by(|a, b| (a.line, &a.name, a.change).cmp(&(b.line, &b.name, b.change)));
    changes
}

/// By name; a mere mention of something that is declared in the same file says nothing more.
fn by_name(items: &[Item]) -> BTreeMap<&str, Vec<&Item>> {
    let declared: BTreeSet<&str> = items.iter().filter(|it| !it.is_mention()).map(|it| it.name.as_str()).collect();
    let mut by_name: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items.iter().filter(|it| !it.is_mention() || !declared.contains(it.name.as_str())) {
        by_name.entry(&item.name).or_default().push(item);
    }
    by_name
}

impl Item {
    /// Offered here, declared elsewhere.
    fn is_mention(&self) -> bool {
        matches!(self.word, "use" | "export")
    }

    /// Whether whoever uses the old one can use this. What is only mentioned may be anything.
    fn serves(&self, old: &Self) -> bool {
        self.is_mention() || old.is_mention() || self.word == old.word && self.signature.serves(&old.signature)
    }
}

/// A function that differs, with its fingerprints.
type Differing = (FunctionChange, Prints);

/// The functions that differ, by name and, for several of one name, by their order.
fn functions(old: &[Function], new: &[Function]) -> Vec<Differing> {
    let (was, is) = (numbered(old), numbered(new));
    let mut changes = Vec::new();
    for (key, old) in &was {
        let new = is.get(key).copied();
        if new.is_none_or(|new| new.fingerprint != old.fingerprint) {
            changes.push(change(new.unwrap_or(old), Some(old), new));
        }
    }
    changes.extend(is.iter().filter(|(key, _)| !was.contains_key(*key)).map(|(_, new)| change(new, None, Some(new))));
    changes.sort_by(|(a, _), (b, _)| (a.line, &a.name).cmp(&(b.line, &b.name)));
    changes
}

fn numbered(functions: &[Function]) -> BTreeMap<(&str, usize), &Function> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let numbered = functions.iter().map(|function| {
        let count = seen.entry(&function.name).or_default();
        *count += 1;
        ((function.name.as_str(), *count), function)
    });
    numbered.collect()
}

fn change(shown: &Function, old: Option<&Function>, new: Option<&Function>) -> Differing {
    let change = FunctionChange {
        name: shown.name.clone(),
        line: shown.line,
        before: old.map(|function| function.complexity),
        after: new.map(|function| function.complexity),
        test: shown.test,
        moved: false,
    };
    (change, (old.map(|function| function.fingerprint), new.map(|function| function.fingerprint)))
}

/// Each area once: where it is worked in now, or else that it was.
fn areas(old: Vec<AreaUse>, new: Vec<AreaUse>) -> Vec<AreaUse> {
    let mut found = BTreeMap::new();
    for used in new.into_iter().chain(old.into_iter().map(|used| AreaUse { line: None, ..used })) {
        found.entry(used.area).or_insert(used);
    }
    found.into_values().collect()
}
