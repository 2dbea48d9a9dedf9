//! What a proposal may leave out, filled in: ids, dependencies, and an order that fits the dependencies.
//!
//! The document itself is filled in, so that it is hashed, kept and derived from as if it had been written so.

use crate::prelude::*;
use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use serde_json::{Map, Value, json};

/// Gives steps without an id the name `sN`, after their place in the list, and steps without dependencies none.
pub(super) fn names(document: &mut Map<String, Value>) {
    for (index, step) in steps(document).enumerate() {
        step.entry("id").or_insert_with(|| json!(format!("s{}", index + 1)));
        step.entry("dependencies").or_insert_with(|| json!([]));
    }
}

/// Numbers the steps, if none has a number: each after those it depends on, else as they are listed. Steps that depend on each
/// other in a circle come last; the circle is reported later.
pub(super) fn order(document: &mut Map<String, Value>) {
    if steps(document).any(|step| step.contains_key("order")) {
        return;
    }
    let ranks = ranks(&dependencies(document));
    for (step, rank) in steps(document).zip(ranks) {
        step.insert("order".to_owned(), json!(rank));
    }
}

fn steps(document: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    document.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// For each step, the places of the steps that it depends on, as far as there are such steps.
fn dependencies(document: &mut Map<String, Value>) -> Vec<Vec<usize>> {
    let steps: Vec<&Map<String, Value>> = steps(document).map(|step| &*step).collect();
    let id = |step: &&Map<String, Value>| step.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let places: BTreeMap<String, usize> = steps.iter().map(id).zip(0..).collect();
    let named = |step: &&Map<String, Value>| {
        let names = step.get("dependencies").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        names.filter_map(|name| places.get(name).copied()).collect()
    };
    steps.iter().map(named).collect()
}

/// The place of each step in the first order, by the list, in which every step comes after those it depends on.
fn ranks(dependencies: &[Vec<usize>]) -> Vec<u64> {
    let mut waits: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut followers = vec![Vec::new(); dependencies.len()];
    for (step, needs) in dependencies.iter().enumerate() {
        for need in needs {
            followers.get_mut(*need).into_iter().for_each(|list| list.push(step));
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        waits.iter().enumerate().filter(|(_, waits)| **waits == 0).map(|(step, _)| Reverse(step)).collect();
    let mut ranks = vec![0; dependencies.len()];
    let mut numbers = 1..;
    while let Some(Reverse(step)) = ready.pop() {
        ranks.get_mut(step).into_iter().zip(&mut numbers).for_each(|(rank, number)| *rank = number);
        for follower in followers.get(step).into_iter().flatten() {
            let Some(left) = waits.get_mut(*follower) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.push(Reverse(*follower));
            }
        }
    }
    let unranked = ranks.iter_mut().filter(|rank| **rank == 0);
    unranked.zip(numbers).for_each(|(rank, number)| *rank = number);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_what_it_needs_else_as_listed() {
        for (dependencies, expected) in [
            (vec![], vec![]),
            (vec![vec![], vec![], vec![]], vec![1, 2, 3]),
            (vec![vec![2], vec![], vec![]], vec![3, 1, 2]),
            (vec![vec![1], vec![2], vec![]], vec![3, 2, 1]),
            (vec![vec![1], vec![0], vec![]], vec![2, 3, 1]),
            (vec![vec![0], vec![0]], vec![1, 2]),
            (vec![vec![1, 1], vec![]], vec![2, 1]),
        ] {
            assert_eq!(ranks(&dependencies), expected, "{dependencies:?}");
        }
    }
}
