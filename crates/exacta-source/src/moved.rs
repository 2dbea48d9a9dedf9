//! What a plan takes from one place and puts in another: moved, not newly written.

use crate::compare::{Compared, Prints};
use exacta_kernel::diff::{ChangeKind, LineChange};
use exacta_kernel::facts::source::{PublicChange, SignatureChange};
use exacta_kernel::plan::Effect;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that say less than this are alike by chance.
const SHORTEST: usize = 6;
/// Fewer lines in a row are alike by chance.
const RUN: u64 = 3;

/// For each file, how many added lines another place of the plan lost. Indentation does not matter.
pub(crate) fn lines(changes: &[Vec<LineChange<'_>>]) -> Vec<u64> {
    let mut lost: BTreeMap<&[u8], usize> = BTreeMap::new();
    let of = |kind: ChangeKind| move |line: &&LineChange<'_>| line.kind == kind;
    for line in changes.iter().flatten().filter(of(ChangeKind::Removed)) {
        let text = line.bytes.trim_ascii();
        if text.len() >= SHORTEST {
            *lost.entry(text).or_default() += 1;
        }
    }
    if lost.is_empty() {
        return vec![0; changes.len()];
    }
    changes.iter().map(|change| in_runs(change.iter().filter(of(ChangeKind::Added)), &mut lost)).collect()
}

fn in_runs<'a>(added: impl Iterator<Item = &'a LineChange<'a>>, lost: &mut BTreeMap<&[u8], usize>) -> u64 {
    let (mut total, mut run, mut next) = (0, 0, 0);
    for line in added {
        let text = line.bytes.trim_ascii();
        let found = lost.get_mut(text).filter(|left| **left > 0).map(|left| *left -= 1).is_some();
        let goes_on = line.line == next;
        next = line.line + 1;
        // Short lines between moved ones neither count nor end the run.
        if goes_on && text.len() < SHORTEST {
            continue;
        }
        if !(found && goes_on) {
            total += counted(run);
            run = 0;
        }
        run += u64::from(found);
    }
    total + counted(run)
}

const fn counted(run: u64) -> u64 {
    if run >= RUN { run } else { 0 }
}

/// Marks functions that go in one place and come in another, and says where public names went.
pub(crate) fn declarations(effects: &[Effect], files: &mut [Option<Compared>]) {
    let prints = |pick: fn(&Prints) -> Option<u64>| -> BTreeSet<u64> {
        files.iter().flatten().flat_map(|file| &file.prints).filter_map(pick).collect()
    };
    let gone = prints(|print| print.0.filter(|_| print.1.is_none()));
    let come = prints(|print| print.1.filter(|_| print.0.is_none()));
    let mut now: BTreeMap<String, &str> = BTreeMap::new();
    for (effect, file) in effects.iter().zip(files.iter()) {
        for added in file.iter().flat_map(|file| &file.facts.public).filter(|it| it.change == SignatureChange::Added) {
            now.entry(plain(added)).or_insert(effect.path.as_str());
        }
    }
    for file in files.iter_mut().flatten() {
        for (function, print) in file.facts.functions.iter_mut().zip(&file.prints) {
            function.moved = match print {
                (Some(old), None) => come.contains(old),
                (None, Some(new)) => gone.contains(new),
                _ => false,
            };
        }
        for removed in file.facts.public.iter_mut().filter(|it| it.change == SignatureChange::Removed) {
            removed.moved_to = now.get(&plain(removed)).map(|path| (*path).to_owned());
        }
    }
}

/// What it is and its name, without what it is in.
fn plain(change: &PublicChange) -> String {
    let (word, name) = change.name.split_once(' ').unwrap_or(("", &change.name));
    format!("{word} {}", name.rsplit(['.', ':', '\\']).next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(lines: &[&'static str]) -> Vec<LineChange<'static>> {
        let kind = |line: &str| if line.starts_with('-') { ChangeKind::Removed } else { ChangeKind::Added };
        let line = |(number, line): (u64, &&'static str)| LineChange {
            kind: kind(line),
            line: number,
            bytes: &line.as_bytes()[1..],
        };
        (1..).zip(lines).map(line).collect()
    }

    #[test]
    fn lines_that_reappear() {
        let from = changes(&["-alpha one", "-beta two", "-}", "-gamma three", "-delta four"]);
        for (to, moved) in [
            (&["+  alpha one", "+  beta two", "+}", "+  gamma three", "+new line"][..], 3),
            (&["+alpha one", "+something", "+beta two"], 0),
            (&["+alpha one", "+alpha one", "+alpha one"], 0),
            (&["+new line"], 0),
        ] {
            assert_eq!(lines(&[from.clone(), changes(to)]), [0, moved], "{to:?}");
        }
    }
}
