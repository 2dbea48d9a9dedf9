//! Where hunks land, against the rule written down as plainly as possible.

use exacta_kernel::diff::{Kind, materialise};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::Payload;
use proptest::prelude::*;

/// A hunk that replaces some lines by another line: where it says it belongs (from 1), and the lines.
type Hunk = (usize, Vec<&'static str>);

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn diff(hunks: &[Hunk]) -> String {
    let mut diff = "--- a/f\n+++ b/f\n".to_owned();
    let mut shrunk = 0;
    for (start, old) in hunks {
        // Right numbers on the new side: each hunk before this one made many lines into one.
        let new = (start - shrunk.min(start - 1)).max(1);
        shrunk += old.len() - 1;
        diff += &format!("@@ -{start},{} +{new} @@\n", old.len());
        diff.extend(old.iter().map(|line| format!("-{line}\n")));
        diff += "+NEW\n";
    }
    diff
}

fn fits(file: &[&str], at: usize, old: &[&str]) -> bool {
    file.get(at..at + old.len()) == Some(old)
}

/// All numbers right, or every hunk in exactly one place; in order either way.
fn places(file: &[&str], hunks: &[Hunk]) -> Option<Vec<usize>> {
    let in_order =
        |places: &[usize]| places.windows(2).zip(hunks).all(|(pair, (_, old))| pair[0] + old.len() <= pair[1]);
    let said: Vec<usize> = hunks.iter().map(|(start, _)| start - 1).collect();
    let right = said.iter().zip(hunks).all(|(at, (_, old))| fits(file, *at, old));
    if right && in_order(&said) {
        return Some(said);
    }
    let mut found = Vec::new();
    for (_, old) in hunks {
        let all: Vec<usize> = (0..file.len()).filter(|at| fits(file, *at, old)).collect();
        found.push(*all.first().filter(|_| all.len() == 1)?);
    }
    in_order(&found).then_some(found)
}

fn expected(file: &[&str], hunks: &[Hunk]) -> Option<String> {
    let mut after = file.to_vec();
    for (at, (_, old)) in places(file, hunks)?.into_iter().zip(hunks).rev() {
        after.splice(at..at + old.len(), ["NEW"]);
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
        hunks in prop::collection::vec((1_usize..16, lines(1..4)), 1..3),
    ) {
        prop_assert_eq!(found(&file, &hunks), expected(&file, &hunks));
    }

    /// Mostly hunks that do occur, so that success is tried as often as refusal.
    #[test]
    fn hunks_taken_from_the_file_land_where_the_rule_says(
        file in lines(4..14),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..4, 0_usize..3), 1..3),
    ) {
        let hunk = |(at, count, off): (prop::sample::Index, usize, usize)| {
            let at = at.index(file.len());
            (at + 1 + off, file.iter().skip(at).take(count).copied().collect())
        };
        let mut hunks: Vec<Hunk> = cuts.into_iter().map(hunk).collect();
        hunks.sort();
        prop_assert_eq!(found(&file, &hunks), expected(&file, &hunks));
    }
}
