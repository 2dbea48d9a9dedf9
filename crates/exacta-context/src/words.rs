//! Words, as they are compared: parts of names and of prose, in lower case, without the endings that do not matter.
//!
//! A word is kept as 28 bits of its hash beside 4 bits that count it. Different kinds of words have different hashes: one that is in a
//! file's name is not one that is in its text.

/// Where a word was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A word of the text.
    Text,
    /// A whole name of several words, in lower case.
    Whole,
    /// A name in code as it is written; also what is defined.
    Name,
    /// A word of a name that is defined.
    Defined,
    /// A word of the file's name.
    File,
    /// A word of the folders above it.
    Folder,
}

/// The longest run of letters that is a word.
const LONGEST: usize = 48;
const COUNT_BITS: u32 = 4;

/// The key of a word: its hash in the upper 28 bits, nothing in the lower.
pub(crate) fn key(kind: Kind, word: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ (kind as u64 + 1);
    hash = hash.wrapping_mul(0x0100_0000_01b3);
    for byte in word {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 29;
    let mixed = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed >> 32) as u32) & !((1 << COUNT_BITS) - 1)
}

/// The key of a counted word.
pub(crate) const fn key_of(counted: u32) -> u32 {
    counted & !((1 << COUNT_BITS) - 1)
}

/// How often a counted word was found, up to 15.
pub(crate) const fn count_of(counted: u32) -> u32 {
    counted & ((1 << COUNT_BITS) - 1)
}

/// A set of keys that answers quickly, and is wrong about one other key in a hundred or so: what it holds is looked up again.
#[derive(Debug)]
pub(crate) struct Sieve(Vec<u64>);

impl Sieve {
    /// Of these keys.
    pub fn of(keys: impl Iterator<Item = u32>) -> Self {
        let mut bits = vec![0_u64; 1 << 14];
        for key in keys {
            if let Some(word) = bits.get_mut((key >> 18) as usize) {
                *word |= 1 << (key >> 12 & 63);
            }
        }
        Self(bits)
    }

    /// Whether a key, counted or not, may be one of them.
    pub fn may_hold(&self, key: u32) -> bool {
        self.0.get((key >> 18) as usize).is_some_and(|word| word >> (key >> 12 & 63) & 1 == 1)
    }
}

/// Sorts keys and counts them.
pub(crate) fn counted(mut keys: Vec<u32>) -> Vec<u32> {
    keys.sort_unstable();
    let mut out: Vec<u32> = Vec::with_capacity(keys.len() / 2);
    for key in keys {
        match out.last_mut() {
            Some(last) if key_of(*last) == key => *last += u32::from(count_of(*last) < 15),
            _ => out.push(key | 1),
        }
    }
    out.shrink_to_fit();
    out
}

/// Calls `each` with every run of letters, digits and `_` in a text.
pub(crate) fn runs<'t>(text: &'t [u8], mut each: impl FnMut(&'t [u8])) {
    for run in text.split(|byte| !is_letter(*byte)).filter(|run| (2..=LONGEST).contains(&run.len())) {
        each(run);
    }
}

/// Calls `each` with the stem of every word in a run and `false`, and then with the run itself and `true` if there are several.
pub(crate) fn parts(run: &[u8], mut each: impl FnMut(&[u8], bool)) {
    let mut lower = [0_u8; LONGEST];
    let Some(lower) = lower.get_mut(..run.len()) else { return };
    lower.copy_from_slice(run);
    lower.make_ascii_lowercase();
    let (mut start, mut several) = (0, false);
    for at in 1..=run.len() {
        if at < run.len() && !is_seam(run, at) {
            continue;
        }
        let part = lower.get(start..at).unwrap_or_default();
        let part = part.strip_prefix(b"_").unwrap_or(part);
        several |= at < run.len();
        start = at;
        if part.len() > 1 && part.iter().any(|byte| !byte.is_ascii_digit()) {
            each(stem(part), false);
        }
    }
    if several {
        each(lower, true);
    }
}

/// Whether a new word begins at this place of a run: `a_b`, `aB`, `ABc`.
fn is_seam(run: &[u8], at: usize) -> bool {
    let byte = |at: usize| run.get(at).copied().unwrap_or(b'_');
    let (before, here, after) = (byte(at.wrapping_sub(1)), byte(at), byte(at + 1));
    here == b'_'
        || (here.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_digit() || after.is_ascii_lowercase()))
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A word without its ending: `parses`, `parsing`, `parsed`, `parser` and `parse` are one word.
pub(crate) fn stem(word: &[u8]) -> &[u8] {
    const ENDINGS: [(&[u8], usize); 9] = [
        (b"sses", 2),
        (b"ies", 3),
        (b"ions", 4),
        (b"ion", 3),
        (b"ing", 3),
        (b"ers", 3),
        (b"er", 2),
        (b"ed", 2),
        (b"or", 2),
    ];
    let shortened = |cut: usize| word.get(..word.len() - cut).unwrap_or(word);
    let ending = ENDINGS.iter().find(|(ending, cut)| word.ends_with(ending) && word.len() >= cut + 4);
    let word = match ending {
        Some((_, cut)) => shortened(*cut),
        None if word.len() > 3 && word.ends_with(b"s") && !word.ends_with(b"ss") && !word.ends_with(b"us") => {
            shortened(1)
        }
        None => word,
    };
    match word {
        [start @ .., b'e' | b'y'] if start.len() > 3 => start,
        [start @ .., a, b] if start.len() > 2 && a == b && !matches!(a, b'l' | b's' | b'e') => {
            word.get(..word.len() - 1).unwrap_or(word)
        }
        _ => word,
    }
}

/// Words that say nothing about where to look.
pub(crate) fn is_stop(word: &str) -> bool {
    static STOP: &str = " a about after all also an and any are as at be because been before but by can could do does don doesn for from \
        get had has have how if in into is isn it its just let like may more most must no not now of on one only or other our out over \
        own same set should so some such than that the their them then there these they this those through to too up us use used uses \
        using very was we were what when where which while who why will with would you your ";
    STOP.split_ascii_whitespace().any(|stop| stop == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(run: &str) -> (Vec<String>, Option<String>) {
        let (mut found, mut whole) = (Vec::new(), None);
        let owned = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        parts(run.as_bytes(), |part, all| if all { whole = Some(owned(part)) } else { found.push(owned(part)) });
        (found, whole)
    }

    #[test]
    fn names_fall_into_their_words() {
        let cases = [
            ("parse_config", vec!["pars", "config"], Some("parse_config")),
            ("HTTPServer", vec!["http", "serv"], Some("httpserver")),
            ("readAll2Times", vec!["read", "all2", "time"], Some("readall2times")),
            ("simple", vec!["simpl"], None),
            ("__init__", vec!["init"], Some("__init__")),
            ("x_1", vec![], Some("x_1")),
        ];
        for (run, expected, whole) in cases {
            let (found, seen) = all(run);
            assert_eq!((found, seen.as_deref()), (expected.into_iter().map(str::to_owned).collect(), whole), "{run}");
        }
    }

    #[test]
    fn endings_do_not_matter() {
        let groups = [
            &["parse", "parses", "parsed", "parsing", "parser", "parsers"][..],
            &["validate", "validation", "validator", "validating"],
            &["stop", "stopped", "stopping", "stops"],
            &["class", "classes"],
            &["query", "queries"],
        ];
        for group in groups {
            for word in group {
                assert_eq!(stem(word.as_bytes()), stem(group[0].as_bytes()), "{word}");
            }
        }
        assert_ne!(stem(b"status"), stem(b"state"));
    }

    #[test]
    fn words_are_counted_up_to_fifteen() {
        let (a, b) = (key(Kind::Text, b"a"), key(Kind::Text, b"b"));
        assert_ne!(a, key(Kind::Name, b"a"));
        let counted = counted([vec![a; 40], vec![b; 2]].concat());
        let mut expected = vec![a | 15, b | 2];
        expected.sort_unstable();
        assert_eq!(counted, expected);
    }
}
