//! Which words of a line changed, where it takes the place of another.

use std::ops::Range;

/// The part of each line that the other does not have, to whole words. Empty where a line has nothing of its own; all of both where they have so
/// little in common that marking words would only distract.
#[must_use]
pub fn changed(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let start = old.char_indices().zip(new.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    let start = word_start(old, new, start.unwrap_or(old.len().min(new.len())));
    let (rest_old, rest_new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = rest_old.chars().rev().zip(rest_new.chars().rev()).take_while(|(a, b)| a == b);
    let end = word_end(rest_old, rest_new, same.map(|(c, _)| c.len_utf8()).sum());
    let of = |line: &str| start.min(line.len())..line.len().saturating_sub(end).max(start.min(line.len()));
    let (a, b) = (of(old), of(new));
    let common = start + end;
    if common * 4 < old.len().max(new.len()) { (0..old.len(), 0..new.len()) } else { (a, b) }
}

/// Where the word begins that changes at a place, up to which both lines are the same; the place itself where no word does.
fn word_start(old: &str, new: &str, at: usize) -> usize {
    let goes_on = |line: &str| line.get(at..).and_then(|rest| rest.chars().next()).is_some_and(is_word);
    if !goes_on(old) && !goes_on(new) {
        return at;
    }
    let before = old.get(..at).unwrap_or_default();
    before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last().map_or(at, |(start, _)| start)
}

/// How many bytes at the end both lines share, without the rest of a word that changes before them.
fn word_end(old: &str, new: &str, shared: usize) -> usize {
    let before = |line: &str| line.get(..line.len() - shared).and_then(|rest| rest.chars().next_back());
    if !before(old).is_some_and(is_word) && !before(new).is_some_and(is_word) {
        return shared;
    }
    let after = old.get(old.len() - shared..).unwrap_or_default();
    shared - after.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_marked() {
        for (old, new, from_old, from_new) in [
            ("name = \"world\"", "name = \"there\"", "world", "there"),
            ("let total = a + b;", "let total = a + b + c;", "", " + c"),
            ("fn get_name()", "fn get_names()", "get_name", "get_names"),
            ("same", "same", "", ""),
            ("é = 1 # ü", "é = 2 # ü", "1", "2"),
            ("aaaa", "bbbb", "aaaa", "bbbb"),
            ("", "new", "", "new"),
            ("x", "x x", "", " x"),
        ] {
            let (a, b) = changed(old, new);
            assert_eq!((&old[a], &new[b]), (from_old, from_new), "{old:?} {new:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_not_marked_is_the_same(old in "[ab_ é]{0,12}", new in "[ab_ é]{0,12}") {
            let (a, b) = changed(&old, &new);
            proptest::prop_assert_eq!(&old[..a.start], &new[..b.start]);
            proptest::prop_assert_eq!(&old[a.end..], &new[b.end..]);
        }
    }
}
