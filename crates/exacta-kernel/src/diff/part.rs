//! A change in part: some hunks of what is shown, and nothing else of it.

use super::lines::{CONTEXT, Comparison, bytes};
use crate::facts::FileContent;
use crate::prelude::*;
use similar::{DiffOp, group_diff_ops};

/// How many hunks [`super::render()`] shows of a change.
pub(crate) fn hunks(comparison: &Comparison) -> usize {
    group_diff_ops(comparison.ops.clone(), CONTEXT).len()
}

/// The content after it if only these hunks happen, counted from 1 as they are shown. What is no hunk, such as another mode, does not
/// happen either.
pub(crate) fn with_hunks(
    before: &FileContent,
    after: &FileContent,
    comparison: &Comparison,
    chosen: &BTreeSet<usize>,
) -> FileContent {
    let (old, new) = (bytes(Some(before)), bytes(Some(after)));
    let mut out = Vec::with_capacity(old.len().max(new.len()));
    let mut kept = 0;
    for (number, group) in (1..).zip(group_diff_ops(comparison.ops.clone(), CONTEXT)) {
        if !chosen.contains(&number) {
            continue;
        }
        for op in group.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
            let (gone, come) = comparison.places(old, new, op);
            out.extend_from_slice(old.get(kept..gone.start).unwrap_or_default());
            out.extend_from_slice(new.get(come).unwrap_or_default());
            kept = gone.end;
        }
    }
    out.extend_from_slice(old.get(kept..).unwrap_or_default());
    FileContent::new(out, before.mode())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(bytes: &[u8]) -> FileContent {
        FileContent::new(bytes.to_vec(), 0o644)
    }

    fn text(lines: &[u32]) -> Vec<u8> {
        lines.iter().flat_map(|line| format!("line {line}\n").into_bytes()).collect()
    }

    /// All hunks are the change, none is no change, and what is left after some is the others.
    #[test]
    fn hunks_add_up_to_the_change() {
        let mut dice = crate::dice::Dice(16);
        for _ in 0..200 {
            let old: Vec<u32> = (0..60).collect();
            let new = old
                .iter()
                .filter(|_| dice.roll(12) != 0)
                .flat_map(|line| if *line % 17 == 3 { vec![*line, 1000 + line] } else { vec![*line] });
            let (before, after) = (content(&text(&old)), content(&text(&new.collect::<Vec<_>>())));
            let whole = Comparison::of(Some(&before), Some(&after));
            let all: BTreeSet<usize> = (1..=hunks(&whole)).collect();
            assert_eq!(with_hunks(&before, &after, &whole, &all), after);
            assert_eq!(with_hunks(&before, &after, &whole, &BTreeSet::new()), before);
            let odd: BTreeSet<usize> = all.iter().copied().filter(|number| number % 2 == 1).collect();
            let part = with_hunks(&before, &after, &whole, &odd);
            let (added, removed) = Comparison::of(Some(&before), Some(&part)).stat();
            let (more, fewer) = Comparison::of(Some(&part), Some(&after)).stat();
            assert_eq!((added + more, removed + fewer), whole.stat());
        }
    }

    #[test]
    fn a_last_line_without_an_end_and_a_mode() {
        let before = FileContent::new(b"a\n1\n2\n3\n4\n5\n6\n7\n8\nz".to_vec(), 0o600);
        let after = FileContent::new(b"b\n1\n2\n3\n4\n5\n6\n7\n8\nz\nmore".to_vec(), 0o755);
        let whole = Comparison::of(Some(&before), Some(&after));
        let part = |number: usize| with_hunks(&before, &after, &whole, &BTreeSet::from([number]));
        assert_eq!(hunks(&whole), 2);
        assert_eq!((part(1).bytes(), part(1).mode()), (&b"b\n1\n2\n3\n4\n5\n6\n7\n8\nz"[..], 0o600));
        assert_eq!(part(2).bytes(), b"a\n1\n2\n3\n4\n5\n6\n7\n8\nz\nmore");
    }
}
