//! Finds the known names that an unknown one was probably meant to be.

use crate::prelude::*;

/// The longest name worth comparing.
const MAX_NAME: usize = 64;

/// The known names nearest to an unknown one, best first, at most `count`; none that differs in more than half its letters.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let name = plain(name);
    if name.is_empty() || name.len() > MAX_NAME {
        return Vec::new();
    }
    let ranked = known.map(|known| (distance(&name, &plain(known)), known));
    let mut close: Vec<_> = ranked.filter(|(far, known)| far * 2 <= known.len()).collect();
    close.sort();
    close.into_iter().take(count).map(|(_, known)| known).collect()
}

/// Names in backticks with commas between them.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Lower-case letters and digits only, so that `estimatedTokens` meets `estimated_tokens`.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).take(MAX_NAME + 1).map(|c| c.to_ascii_lowercase()).collect()
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let best = (diagonal + usize::from(x != y)).min(*cell + 1).min(left + 1);
            diagonal = core::mem::replace(cell, best);
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, far) in [("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2)] {
            assert_eq!(distance(a, b), far, "{a} {b}");
        }
    }

    #[test]
    fn suggestions() {
        let known = || ["FixBug", "AddFeature", "CreateProject"].into_iter();
        assert_eq!(nearest("fix_bugs", known(), 3), ["FixBug"]);
        assert_eq!(nearest("NewFeature", known(), 3), ["AddFeature"]);
        assert!(nearest("Refactor", known(), 3).is_empty());
        assert!(nearest("", known(), 3).is_empty());
        assert!(nearest(&"x".repeat(1_000_000), known(), 3).is_empty());
    }
}
