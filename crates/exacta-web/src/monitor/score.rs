//! How much a page changed: the middle that differs between a common start and a common end, and the difference in length (a quarter counts at
//! most), as a part of the longer text. In ten-thousandths.

/// The most a score can be.
pub(crate) const WHOLE: u32 = 10_000;

pub(crate) fn score(old: &str, new: &str) -> u32 {
    let longer = old.chars().count().max(new.chars().count());
    if longer == 0 || old == new {
        return 0;
    }
    let shorter = old.chars().count().min(new.chars().count());
    let start = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let end = old.chars().rev().zip(new.chars().rev()).take(shorter - start).take_while(|(a, b)| a == b).count();
    let middle = longer - start - end;
    let delta = (longer - shorter).min(longer / 4);
    let whole = u64::from(WHOLE);
    let part =
        u64::try_from(middle + delta).unwrap_or(u64::MAX).saturating_mul(whole) / u64::try_from(longer).unwrap_or(1);
    // What changed is never nothing.
    u32::try_from(part.clamp(1, whole)).unwrap_or(WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        for (old, new, expected) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("", "abc", 10_000),
            ("price 10 euro", "price 12 euro", 769),
            ("aaaaaaaaaa", "aaaaaaaaaabb", 3_333),
            ("abcd", "wxyz", 10_000),
            ("aa", "aaa", 3_333),
            ("éé", "éa", 5_000),
        ] {
            assert_eq!(score(old, new), expected, "{old:?} {new:?}");
        }
    }
}
