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
    /// Whether something changes in a type that may be declared, and hidden, where nobody looked.
    pub doubtful: bool,
}

/// A function's fingerprints before and after.
pub(crate) type Prints = (Option<u64>, Option<u64>);

/// What changed.
pub(crate) fn compare(old: Outline, new: Outline) -> Compared {
    let mut doubtful = false;
    let public = public(&old.public, &new.public, &mut doubtful);
    let (functions, prints) = functions(&old.functions, &new.functions).into_iter().unzip();
    Compared { facts: CodeFacts { public, functions, areas: areas(old.areas, new.areas) }, prints, doubtful }
}

/// What becomes of the public names, in the order of their lines. What both have says nothing, however often.
fn public(old: &[Item], new: &[Item], doubtful: &mut bool) -> Vec<PublicChange> {
    let (was, is) = (by_name(old), by_name(new));
    let mut changes = Vec::new();
    let mut report = |item: &Item, change: SignatureChange, line: u64| {
        let name = format!("{} {}", item.word, item.name);
        *doubtful |= item.owner.as_ref().is_some_and(|owner| owner.contains("::"));
        changes.push(PublicChange { name, change, line, moved_to: None });
    };
    for (name, was) in &was {
        let is = is.get(name).map_or(&[][..], Vec::as_slice);
        // Those that serve as before are settled, the same ones first; of the rest, as many as remain have changed.
        let (was, mut left) = differing(was, is, |item| (item.word, &item.signature), |item| (item.touched, item.line));
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

/// The functions that differ, by name; of several of one name those that differ, by their order.
fn functions(old: &[Function], new: &[Function]) -> Vec<Differing> {
    let (was, mut is) = (named(old), named(new));
    let mut changes = Vec::new();
    for (name, was) in &was {
        let is = is.remove(name).unwrap_or_default();
        let (was, is) =
            differing(was, &is, |function| function.fingerprint, |function| (function.touched, function.line));
        let mut is = is.into_iter();
        for old in was {
            let new = is.next();
            changes.push(change(new.unwrap_or(old), Some(old), new));
        }
        changes.extend(is.map(|new| change(new, None, Some(new))));
    }
    changes.extend(is.into_values().flatten().map(|new| change(new, None, Some(new))));
    changes.sort_by(|(a, _), (b, _)| (a.line, &a.name).cmp(&(b.line, &b.name)));
    changes
}

/// What the one has and the other has not, in the order of their lines. Of several that are alike, those on lines that stay
/// are the same ones.
fn differing<'a, T, K: Ord>(
    was: &[&'a T],
    is: &[&'a T],
    key: impl Fn(&'a T) -> K,
    place: impl Fn(&T) -> (bool, u64),
) -> (Vec<&'a T>, Vec<&'a T>) {
    let sorted = |items: &[&'a T]| {
        let mut items = items.to_vec();
        items.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| place(a).cmp(&place(b))));
        items.into_iter().peekable()
    };
    let (mut was, mut is) = (sorted(was), sorted(is));
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    while let (Some(old), Some(new)) = (was.peek(), is.peek()) {
        let order = key(old).cmp(&key(new));
        if order.is_lt() {
            gone.extend(was.next());
        } else if order.is_gt() {
            come.extend(is.next());
        } else {
            was.next();
            is.next();
        }
    }
    gone.extend(was);
    come.extend(is);
    gone.sort_by_key(|item| place(item).1);
    come.sort_by_key(|item| place(item).1);
    (gone, come)
}

fn named(functions: &[Function]) -> BTreeMap<&str, Vec<&Function>> {
    let mut named: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
    for function in functions {
        named.entry(&function.name).or_default().push(function);
    }
    named
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
