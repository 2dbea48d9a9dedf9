//! What is alike is said once.

use super::{Gate, GateVerdict, Verdict};
use crate::prelude::*;
use core::cmp::Reverse;

/// Verdicts of one gate: each reason once, with its first place and how many more there are.
#[derive(Default)]
pub(super) struct Grouped {
    groups: BTreeMap<Key, Places>,
}

/// Sorts the strictest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    verdict: Reverse<Verdict>,
    rule: Option<String>,
    what: String,
}

struct Places {
    first: String,
    count: usize,
}

impl Grouped {
    /// Adds a reason at a place; an empty place is none.
    pub(super) fn add(&mut self, verdict: Verdict, rule: Option<&str>, what: &str, place: &str) {
        let key = Key { verdict: Reverse(verdict), rule: rule.map(ToOwned::to_owned), what: what.to_owned() };
        self.groups.entry(key).or_insert_with(|| Places { first: place.to_owned(), count: 0 }).count += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The verdicts, the strictest first; where there is none, one that allows.
    pub(super) fn verdicts(self, gate: Gate, nothing: &str) -> Vec<GateVerdict> {
        if self.groups.is_empty() {
            return vec![GateVerdict::new(gate, Verdict::Allow, nothing)];
        }
        let verdict = |(key, places): (Key, Places)| {
            let verdict = GateVerdict::new(gate, key.verdict.0, &reason(&key.what, &places));
            GateVerdict { rule: key.rule, ..verdict }
        };
        self.groups.into_iter().map(verdict).collect()
    }
}

fn reason(what: &str, places: &Places) -> String {
    match (places.first.as_str(), places.count) {
        ("", _) => what.to_owned(),
        (first, 1) => format!("{what}: {first}"),
        (first, count) => format!("{what}: {first}, and {} more", count - 1),
    }
}
