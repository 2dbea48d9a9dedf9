//! What hangs together with what the request speaks of: a walk over references, imports, tests, folders and common changes, in
//! whole numbers.

use super::import::{Targets, folder};
use crate::index::{File, Index};
use crate::words;
use std::collections::BTreeMap;

/// All weight that the walk starts with.
const MASS: u64 = 1 << 40;
/// How often it goes one step further.
const ROUNDS: usize = 6;
/// A name that more files define says nothing.
const COMMON: usize = 6;

/// The weights of the kinds of links.
const REFERENCE: u64 = 40;
const IMPORT: u64 = 60;
const TEST: u64 = 120;
const TOGETHER: u64 = 90;
const FOLDER: u64 = 30;

/// Links between files; further nodes stand for folders.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    links: Vec<Vec<(usize, u64)>>,
}

impl Graph {
    /// The links among these files of an index, each known by its place in the list.
    pub fn of(index: &Index, chosen: &[usize], together: &[Vec<usize>]) -> Self {
        let files: Vec<&File> = chosen.iter().filter_map(|at| index.files.get(*at)).collect();
        let mut graph = Self { links: vec![Vec::new(); files.len()] };
        graph.add_references(&files);
        graph.add_imports(&files);
        graph.add_tests(&files);
        graph.add_together(together);
        graph.add_folders(&files);
        graph
    }

    /// Where a walk that starts by these weights, and returns to them at every second step, spends its time.
    pub fn spread(&self, start: &[u64]) -> Vec<u64> {
        let total: u64 = start.iter().sum::<u64>().max(1);
        let home: Vec<u64> = start
            .iter()
            .map(|weight| scaled(*weight, total))
            .chain(std::iter::repeat(0))
            .take(self.links.len())
            .collect();
        let mut at = home.clone();
        for _ in 0..ROUNDS {
            let mut next: Vec<u64> = home.iter().map(|mass| mass / 2).collect();
            for (mass, links) in at.iter().zip(&self.links) {
                let out: u64 = links.iter().map(|(_, weight)| weight).sum::<u64>().max(1);
                for (to, weight) in links {
                    if let Some(next) = next.get_mut(*to) {
                        *next += mass / 2 / out * weight;
                    }
                }
            }
            at = next;
        }
        at.truncate(start.len());
        at
    }

    fn link(&mut self, from: usize, to: usize, weight: u64) {
        if from != to
            && weight > 0
            && let Some(links) = self.links.get_mut(from)
        {
            links.push((to, weight));
        }
    }

    /// From who uses a name to who defines it, and more weakly back. A rare name counts more.
    fn add_references(&mut self, files: &[&File]) {
        let mut definers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            for name in &file.record.defines {
                definers.entry(*name).or_default().push(at);
            }
        }
        definers.retain(|_, files| files.len() <= COMMON);
        let mut uses: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            for word in &file.record.words {
                for definer in
                    definers.get(&words::key_of(*word)).into_iter().flatten().filter(|definer| **definer != at)
                {
                    *uses.entry((at, *definer)).or_default() += 1;
                }
            }
        }
        for ((user, definer), names) in uses {
            let weight = REFERENCE * u64::from(names.ilog2() + 1);
            self.link(user, definer, weight);
            self.link(definer, user, weight / 2);
        }
    }

    fn add_imports(&mut self, files: &[&File]) {
        let paths: Vec<&str> = files.iter().map(|file| file.seen.path.as_str()).collect();
        let targets = Targets::of(&paths);
        for (at, file) in files.iter().enumerate() {
            for import in file.record.imports.lines() {
                let found = targets.resolve(at, import);
                for to in &found {
                    let weight = IMPORT / found.len() as u64;
                    self.link(at, *to, weight);
                    self.link(*to, at, weight / 2);
                }
            }
        }
    }

    /// Between a file and its tests.
    fn add_tests(&mut self, files: &[&File]) {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            groups.entry(subject(file.seen.path.name())).or_default().push(at);
        }
        for group in groups.values().filter(|group| group.len() <= 8) {
            for a in group {
                for b in group {
                    self.link(*a, *b, TEST / group.len() as u64);
                }
            }
        }
    }

    /// Between files that were changed together, the more the smaller the change was.
    fn add_together(&mut self, together: &[Vec<usize>]) {
        let mut shared: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for files in together.iter().filter(|files| files.len() <= 12) {
            for a in files {
                for b in files.iter().filter(|b| *b != a) {
                    *shared.entry((*a, *b)).or_default() += TOGETHER / files.len() as u64;
                }
            }
        }
        for ((a, b), weight) in shared {
            self.link(a, b, weight.min(TOGETHER * 2));
        }
    }

    /// Through a node for the folder.
    fn add_folders(&mut self, files: &[&File]) {
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            let next = self.links.len();
            let node = *folders.entry(folder(file.seen.path.as_str())).or_insert(next);
            if node == next {
                self.links.push(Vec::new());
            }
            self.link(at, node, FOLDER);
            self.link(node, at, FOLDER);
        }
    }
}

/// A weight as a part of all mass.
fn scaled(weight: u64, total: u64) -> u64 {
    u64::try_from(u128::from(weight) * u128::from(MASS) / u128::from(total)).unwrap_or(MASS)
}

/// What a file is about, the same for its tests: `a_test.go`, `test_a.py`, `a.spec.ts` and `ATest.java` are about `a`.
fn subject(name: &str) -> String {
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name).to_ascii_lowercase();
    let mut subject = stem.as_str();
    for affix in ["tests", "test", "spec"] {
        for mark in ["_", "-", ""] {
            subject = subject.strip_suffix(&format!("{mark}{affix}")).unwrap_or(subject);
            if !mark.is_empty() {
                subject = subject.strip_prefix(&format!("{affix}{mark}")).unwrap_or(subject);
            }
        }
    }
    if subject.is_empty() { stem } else { subject.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_about_what_it_tests() {
        for name in [
            "walk.go",
            "walk_test.go",
            "test_walk.py",
            "walk.spec.ts",
            "WalkTest.java",
            "walk_tests.rs",
            "Walk.test.tsx",
        ] {
            assert_eq!(subject(name), "walk", "{name}");
        }
        assert_eq!(subject("test.rs"), "test");
    }

    #[test]
    fn mass_goes_where_links_lead_and_never_grows() {
        let mut graph = Graph { links: vec![Vec::new(); 4] };
        graph.link(0, 1, 10);
        graph.link(1, 2, 5);
        graph.link(1, 0, 5);
        let spread = graph.spread(&[1, 0, 0, 0]);
        assert!(spread[0] > spread[1] && spread[1] > spread[2] && spread[2] > 0 && spread[3] == 0);
        assert!(spread.iter().sum::<u64>() <= MASS);
    }
}
