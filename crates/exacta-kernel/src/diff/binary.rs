//! What git writes of files that are no text: `GIT binary patch`, zlib in a base 85 of its own.
//!
//! Only whole contents are written and read. A delta is against bytes that no plan may change, so there is nothing it could be of.

use super::error::{DiffError, Form};
use super::parse::Reader;
use crate::facts::FileContent;
use crate::limit::BINARY;
use crate::prelude::*;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// The digits of git's base 85.
const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// The most bytes in a line.
const LINE: usize = 52;
/// How hard the bytes are squeezed, as git does it.
const LEVEL: u8 = 6;

/// What follows the modes in a patch: the names of both contents, which `git apply` insists on, and how to come from one to the
/// other and back.
pub(super) fn write(before: Option<&FileContent>, after: Option<&FileContent>, out: &mut String) {
    let name = |content: Option<&FileContent>| content.map_or_else(|| "0".repeat(40), |it| blob_name(it.bytes()));
    out.push_str(&format!("index {}..{}\nGIT binary patch\n", name(before), name(after)));
    for content in [after, before] {
        literal(content.map_or(&[], FileContent::bytes), out);
    }
}

fn literal(bytes: &[u8], out: &mut String) {
    out.push_str(&format!("literal {}\n", bytes.len()));
    for line in compress_to_vec_zlib(bytes, LEVEL).chunks(LINE) {
        let length = line.len() as u8;
        out.push(char::from(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 }));
        for four in line.chunks(4) {
            let mut word = [0; 4];
            word.iter_mut().zip(four).for_each(|(to, from)| *to = *from);
            let mut rest = u32::from_be_bytes(word);
            let mut signs = [b'0'; 5];
            for sign in signs.iter_mut().rev() {
                *sign = DIGITS.get((rest % 85) as usize).copied().unwrap_or(b'0');
                rest /= 85;
            }
            out.extend(signs.map(char::from));
        }
        out.push('\n');
    }
    out.push('\n');
}

/// Reads the bytes of a new file after the line `GIT binary patch`, and the way back if there is one. `named` is what the `index`
/// line calls the new content.
pub(crate) fn read(reader: &mut Reader<'_>, named: Option<&[u8]>) -> Result<Vec<u8>, DiffError> {
    let head = reader.peek_header().unwrap_or_default();
    if head.starts_with(b"delta ") {
        return Err(reader.refused(Form::Binary));
    }
    let size = head.strip_prefix(b"literal ").and_then(number);
    let Some(size) = size else { return Err(reader.invalid("a binary patch begins with `literal` and a size")) };
    if size > BINARY {
        return Err(DiffError::BytesTooLarge { size: size as u64 });
    }
    let start = reader.number;
    reader.next();
    let packed = packed(reader)?;
    let wrong = |problem: &str| DiffError::Invalid { line: start, problem: problem.to_owned() };
    let bytes = decompress_to_vec_zlib_with_limit(&packed, size)
        .ok()
        .filter(|bytes| bytes.len() == size)
        .ok_or_else(|| wrong("the bytes of the binary patch are damaged, or not as many as it says"))?;
    // Shortened names tell nothing.
    if named.is_some_and(|named| named.len() == 40 && named != blob_name(&bytes).as_bytes()) {
        return Err(wrong("the bytes of the binary patch are not those that its `index` line names"));
    }
    skip(reader);
    Ok(bytes)
}

/// Reads past what a binary patch carries, there and back: each a line with its size, lines in base 85, and an empty line.
pub(crate) fn skip(reader: &mut Reader<'_>) {
    let begins = |line: &[u8]| line.starts_with(b"literal ") || line.starts_with(b"delta ");
    while reader.peek_header().is_some_and(begins) {
        while reader.peek_header().is_some_and(|line| line.first().is_some_and(u8::is_ascii_alphabetic)) {
            reader.next();
        }
        if reader.peek_header().is_some_and(<[u8]>::is_empty) {
            reader.next();
        }
    }
}

/// The lines in base 85 up to the empty one.
fn packed(reader: &mut Reader<'_>) -> Result<Vec<u8>, DiffError> {
    let mut packed = Vec::new();
    loop {
        let Some(line) = reader.peek_header() else { return Err(reader.invalid("the binary patch ends too early")) };
        if line.is_empty() {
            reader.next();
            return Ok(packed);
        }
        unpack_line(line, &mut packed).ok_or_else(|| reader.invalid("this is no line of a binary patch"))?;
        reader.next();
    }
}

fn unpack_line(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (first, signs) = line.split_first()?;
    let length = match first {
        b'A'..=b'Z' => usize::from(first - b'A') + 1,
        b'a'..=b'z' => usize::from(first - b'a') + 27,
        _ => return None,
    };
    if signs.len() != length.div_ceil(4) * 5 {
        return None;
    }
    let end = out.len() + length;
    for five in signs.chunks(5) {
        let mut word = 0_u32;
        for sign in five {
            let digit = DIGITS.iter().position(|known| known == sign)?;
            word = word.checked_mul(85)?.checked_add(u32::try_from(digit).ok()?)?;
        }
        out.extend(word.to_be_bytes());
    }
    out.truncate(end);
    Some(())
}

/// At most nine digits.
fn number(digits: &[u8]) -> Option<usize> {
    let known = (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    known.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0')))
}

/// What git calls a content: SHA-1, which it wants to see. Nothing here relies on it.
fn blob_name(bytes: &[u8]) -> String {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut message = format!("blob {}\0", bytes.len()).into_bytes();
    message.extend_from_slice(bytes);
    let bits = (message.len() as u64) * 8;
    message.push(0x80);
    message.resize(message.len().next_multiple_of(64), 0);
    if message.len() < (bits / 8) as usize + 9 {
        message.resize(message.len() + 64, 0);
    }
    let end = message.len() - 8;
    message.truncate(end);
    message.extend(bits.to_be_bytes());
    for block in message.chunks_exact(64) {
        state = mixed(state, block);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// One round of SHA-1 over a block.
fn mixed(state: [u32; 5], block: &[u8]) -> [u32; 5] {
    let mut words: Vec<u32> =
        block.chunks_exact(4).map(|four| four.iter().fold(0, |word, byte| (word << 8) | u32::from(*byte))).collect();
    let [mut a, mut b, mut c, mut d, mut e] = state;
    for round in 0..80 {
        if round >= 16 {
            let word = |back: usize| words.get(round - back).copied().unwrap_or_default();
            words.push((word(3) ^ word(8) ^ word(14) ^ word(16)).rotate_left(1));
        }
        let (choice, constant) = match round {
            0..20 => ((b & c) | (!b & d), 0x5a82_7999),
            20..40 => (b ^ c ^ d, 0x6ed9_eba1),
            40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let word = words.get(round).copied().unwrap_or_default();
        let sum = a.rotate_left(5).wrapping_add(choice).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
    }
    let [v, w, x, y, z] = state;
    [v.wrapping_add(a), w.wrapping_add(b), x.wrapping_add(c), y.wrapping_add(d), z.wrapping_add(e)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_called_as_git_calls_them() {
        // As `git hash-object` says.
        for (bytes, name) in [
            (b"".to_vec(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (b"hello\n".to_vec(), "ce013625030ba8dba906f756967f9e9ca394464a"),
            (vec![0; 48], "2a560968cf1f21e1b2d29af08f907797bf3b9038"),
            (vec![0; 1000], "012b3279398166a8f9e06174a33624048581648a"),
        ] {
            assert_eq!(blob_name(&bytes), name, "{}", bytes.len());
        }
    }

    fn of(text: &str) -> Result<Vec<u8>, DiffError> {
        read(&mut Reader::new(text.as_bytes()), None)
    }

    proptest::proptest! {
        /// Whatever the bytes, they come back.
        #[test]
        fn written_bytes_are_read_back(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let mut text = String::new();
            literal(&bytes, &mut text);
            proptest::prop_assert_eq!(of(&text), Ok(bytes));
        }

        #[test]
        fn reading_never_panics(text in "(literal|delta) [0-9]{1,10}\n([A-Za-z][!-~]{0,12}\n){0,3}\n?") {
            let _ = of(&text);
        }
    }

    #[test]
    fn damaged_and_deceitful_patches() {
        let mut good = String::new();
        literal(&[0; 100], &mut good);
        assert_eq!(of(&good), Ok(vec![0; 100]));
        for other in [
            good.replace("literal 100", "literal 99"),
            good.replace("literal 100", "literal 101"),
            good.replace("literal 100", "literal -1"),
            good.replace("literal 100", "literal 1e2"),
            good.replace("literal 100", ""),
            good.trim_end().to_owned(),
            good.replacen('z', "y", 1),
            "literal 3\nA~~~~~\n\n".to_owned(),
            "literal 0\n\n".to_owned(),
        ] {
            assert!(matches!(of(&other), Err(DiffError::Invalid { .. })), "{other}");
        }
        let delta = of(&good.replace("literal", "delta"));
        assert!(matches!(delta, Err(DiffError::Refused { form: Form::Binary, .. })), "{delta:?}");
        let mut bomb = String::new();
        literal(&vec![0; BINARY + 1], &mut bomb);
        assert!(bomb.len() < 10_000);
        assert_eq!(of(&bomb), Err(DiffError::BytesTooLarge { size: BINARY as u64 + 1 }));
        // One that says it is small unpacks no further than that.
        assert!(matches!(of(&bomb.replace("literal 5242881", "literal 10")), Err(DiffError::Invalid { .. })));
    }
}
