//! Where hunks land, against the rule written down as plainly as possible.

use exacta_kernel::diff::{Kind, materialise};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::Payload;
use proptest::prelude::*;

/// A hunk that replaces its middle lines by another line: where it says it belongs (from 1), its lines, and how many of them
/// are context before and after.
type Hunk = (usize, Vec<&'static str>, usize, usize);

/// The lines of a hunk: context, what goes, context.
fn parts((_, old, lead, trail): &Hunk) -> (&[&'static str], &[&'static str], &[&'static str]) {
    let lead = (*lead).min(old.len() - 1);
    let trail = (*trail).min(old.len() - 1 - lead);
    (&old[..lead], &old[lead..old.len() - trail], &old[old.len() - trail..])
}

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn diff(hunks: &[Hunk]) -> String {
    let mut diff = "--- a/f\n+++ b/f\n".to_owned();
    let mut shrunk = 0;
    for hunk in hunks {
        let (start, (lead, gone, trail)) = (hunk.0, parts(hunk));
        // Right numbers on the new side: each hunk before this one made many lines into one.
        let new = (start - shrunk.min(start - 1)).max(1);
        shrunk += gone.len() - 1;
        diff += &format!("@@ -{start},{} +{new},{} @@\n", hunk.1.len(), lead.len() + 1 + trail.len());
        diff.extend(lead.iter().map(|line| format!(" {line}\n")));
        diff.extend(gone.iter().map(|line| format!("-{line}\n")));
        diff += "+NEW\n";
        diff.extend(trail.iter().map(|line| format!(" {line}\n")));
    }
    diff
}

fn fits(file: &[&str], at: usize, old: &[&str]) -> bool {
    file.get(at..at + old.len()) == Some(old)
}

/// All numbers right, or every hunk in exactly one place; in order either way. One that says it begins the file does, and one
/// without context at its end ends it.
fn places(file: &[&str], hunks: &[Hunk]) -> Option<Vec<usize>> {
    let in_order =
        |places: &[usize]| places.windows(2).zip(hunks).all(|(pair, (_, old, ..))| pair[0] + old.len() <= pair[1]);
    let anchored = |(at, hunk): (&usize, &Hunk)| {
        (hunk.0 > 1 || *at == 0) && (!parts(hunk).2.is_empty() || at + hunk.1.len() == file.len())
    };
    let said: Vec<usize> = hunks.iter().map(|(start, ..)| start - 1).collect();
    let right = said.iter().zip(hunks).all(|(at, (_, old, ..))| fits(file, *at, old));
    if right && in_order(&said) {
        return said.iter().zip(hunks).all(anchored).then_some(said);
    }
    let mut found = Vec::new();
    for (_, old, ..) in hunks {
        let all: Vec<usize> = (0..file.len()).filter(|at| fits(file, *at, old)).collect();
        found.push(*all.first().filter(|_| all.len() == 1)?);
    }
    (in_order(&found) && found.iter().zip(hunks).all(anchored)).then_some(found)
}

fn expected(file: &[&str], hunks: &[Hunk]) -> Option<String> {
    let mut after = file.to_vec();
    for (at, hunk) in places(file, hunks)?.into_iter().zip(hunks).rev() {
        let (lead, gone, _) = parts(hunk);
        after.splice(at + lead.len()..at + lead.len() + gone.len(), ["NEW"]);
    }
    Some(text(&after))
}

fn found(file: &[&str], hunks: &[Hunk]) -> Option<String> {
    let before = FileContent::new(text(file).into_bytes(), 0o644);
    let path = RelPath::parse("f").unwrap();
    let after = materialise(Kind::Modify, Some(&Payload::Diff(diff(hunks))), &path, Some(&before)).ok()??;
    Some(String::from_utf8(after.bytes().to_vec()).unwrap())
}

fn lines(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "", "ab"]), count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hunks_land_where_the_rule_says(
        file in lines(0..14),
        hunks in prop::collection::vec((1_usize..16, lines(1..4), 0_usize..2, 0_usize..3), 1..3),
    ) {
        prop_assert_eq!(found(&file, &hunks), expected(&file, &hunks));
    }

    /// Mostly hunks that do occur, so that success is tried as often as refusal.
    #[test]
    fn hunks_taken_from_the_file_land_where_the_rule_says(
        file in lines(4..14),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..5, 0_usize..3, 0_usize..2, 0_usize..3), 1..3),
    ) {
        let hunk = |(at, count, off, lead, trail): (prop::sample::Index, usize, usize, usize, usize)| {
            let at = at.index(file.len());
            (at + 1 + off, file.iter().skip(at).take(count).copied().collect(), lead, trail)
        };
        let mut hunks: Vec<Hunk> = cuts.into_iter().map(hunk).collect();
        hunks.sort();
        prop_assert_eq!(found(&file, &hunks), expected(&file, &hunks));
    }
}
