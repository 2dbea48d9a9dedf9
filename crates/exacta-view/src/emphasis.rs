//! Which words of a line changed, where it takes the place of another.

use std::ops::Range;

/// The part of each line that the other does not have, to whole words. Empty where a line has nothing of its own; all of both where they have so
/// little in common that marking words would only distract.
#[must_use]
pub fn changed(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let start = old.char_indices().zip(new.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    let start = word_start(old, start.unwrap_or(old.len().min(new.len())));
    let (rest_old, rest_new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = rest_old.chars().rev().zip(rest_new.chars().rev()).take_while(|(a, b)| a == b);
    let end: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let end = old.len() - word_end(old, old.len() - end);
    let of = |line: &str| start.min(line.len())..line.len().saturating_sub(end).max(start.min(line.len()));
    let (a, b) = (of(old), of(new));
    let common = start + end;
    if common * 4 < old.len().max(new.len()) { (0..old.len(), 0..new.len()) } else { (a, b) }
}

/// Where the word begins that a place is in; both lines are the same before it.
fn word_start(line: &str, at: usize) -> usize {
    let before = line.get(..at).unwrap_or_default();
    before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last().map_or(at, |(start, _)| start)
}

/// Where the word ends that a place is in.
fn word_end(line: &str, at: usize) -> usize {
    let after = line.get(at..).unwrap_or_default();
    at + after.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>()
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
