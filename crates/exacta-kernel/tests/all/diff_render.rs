//! The diff that people read, as a snapshot.

use exacta_kernel::diff::{ChangeKind, line_changes, render};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;

type State<'a> = Option<(&'a [u8], u32)>;

fn rendered(path: &str, before: State<'_>, after: State<'_>) -> String {
    let content = |state: State<'_>| state.map(|(bytes, mode)| FileContent::new(bytes.to_vec(), mode));
    render(&RelPath::parse(path).unwrap(), content(before).as_ref(), content(after).as_ref())
}

#[test]
fn what_people_see() {
    let lines: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    let changed =
        lines.replace("line 2\n", "line two\n").replace("line 25\n", "").replace("line 29\n", "line 29\nmore\n");
    let text = |text: &'static str| Some((text.as_bytes(), 0o644));
    let shown = [
        ("three places", rendered("src/a.rs", Some((lines.as_bytes(), 0o644)), Some((changed.as_bytes(), 0o644)))),
        ("a new file", rendered("new", None, text("one\ntwo\n"))),
        ("a new empty program", rendered("new", None, Some((b"", 0o755)))),
        ("a deleted file without a newline at its end", rendered("gone", text("one\ntwo"), None)),
        ("a newline at the end", rendered("f", text("one"), text("one\n"))),
        ("only the mode", rendered("f", text("one\n"), Some((b"one\n", 0o755)))),
        ("mode and content", rendered("f", text("one\n"), Some((b"two\n", 0o755)))),
        ("nothing", rendered("f", text("one\n"), text("one\n"))),
        ("a binary file", rendered("data.bin", Some((b"\0\x01", 0o644)), None)),
        ("names", rendered("m\u{fc}sli \"x\"", None, text("x\n"))),
        ("a name with a hidden character", rendered("a\u{200b}b c", None, text("x\n"))),
        ("all lines CRLF", rendered("f", text("one\r\ntwo\r\n"), text("one\r\n2\r\n"))),
        ("LF becomes CRLF", rendered("f", text("one\ntwo\n"), text("one\r\ntwo\n"))),
        (
            "escapes, bidi, zero width, tags",
            rendered("f", text("a\n"), text("\u{1b}[31mred\u{202e}x\u{200b}y\u{e0041}\n")),
        ),
        ("a byte order mark and a tab", rendered("f", text("a\n"), text("\u{feff}a\tb\n"))),
        ("a new file of CRLF", rendered("f", None, text("one\r\ntwo\r\n"))),
        ("an escape that the file has already", rendered("f", text("\\u{202e}\n"), text("\u{202e}\n"))),
        ("no escape at all", rendered("f", text("\\u{1b}\n"), text("\\x1b\n"))),
        ("not UTF-8", rendered("f", Some((b"caf\xe9\n", 0o644)), Some((b"caf\xc3\xa9\n", 0o644)))),
    ];
    let all: String = shown.iter().map(|(title, diff)| format!("== {title}\n{diff}")).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn a_change_among_equal_lines_has_its_context() {
    let text = |blank: usize| format!("a\n{}b\nc\nd\ne\nf\n", "\n".repeat(blank)).into_bytes();
    let (fewer, more) = (text(10), text(11));
    let added = rendered("f", Some((&fewer, 0o644)), Some((&more, 0o644)));
    assert!(added.ends_with("@@ -9,6 +9,7 @@\n \n \n \n+\n b\n c\n d\n"), "{added}");
    let removed = rendered("f", Some((&more, 0o644)), Some((&fewer, 0o644)));
    assert!(removed.ends_with("@@ -9,7 +9,6 @@\n \n \n \n-\n b\n c\n d\n"), "{removed}");
}

/// The bytes of the lines with a sign, read back from a rendered diff.
fn read_back(shown: &str, sign: char) -> Vec<Vec<u8>> {
    let escapes = shown.lines().any(|line| line.starts_with("\\ hidden characters are written as"));
    let hunks = shown.split_terminator('\n').skip_while(|line| !line.starts_with("@@"));
    let lines = hunks.filter_map(|line| line.strip_prefix(sign));
    lines.map(|line| if escapes { unescaped(line) } else { line.as_bytes().to_vec() }).collect()
}

/// What a line stands for, as the line above the first hunk explains it.
fn unescaped(line: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), line);
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let run = rest[at..].len() - rest[at..].trim_start_matches('\\').len();
        rest = &rest[at + run..];
        let (escape, length) = escape(rest);
        let literal = if length > 0 { run / 2 } else { run };
        out.extend(std::iter::repeat_n(b'\\', literal));
        if length > 0 && run % 2 == 1 {
            out.extend(escape);
            rest = &rest[length..];
        }
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// What an escape without its backslash stands for, and its length; 0 if it is none.
fn escape(rest: &str) -> (Vec<u8>, usize) {
    let lower = |text: &str| !text.is_empty() && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    if let Some((digits, _)) = rest.strip_prefix("u{").and_then(|rest| rest.split_once('}'))
        && lower(digits)
        && digits.len() <= 6
    {
        let c = char::from_u32(u32::from_str_radix(digits, 16).unwrap());
        return (c.map_or_else(Vec::new, |c| c.to_string().into_bytes()), digits.len() + 3);
    }
    match rest.get(1..3).filter(|digits| rest.starts_with('x') && lower(digits)) {
        Some(digits) if u8::from_str_radix(digits, 16).unwrap() >= 0x80 => {
            (vec![u8::from_str_radix(digits, 16).unwrap()], 3)
        }
        _ => (Vec::new(), 0),
    }
}

const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b" ",
    b"  \n",
    b"\\",
    b"\\\\",
    b"\\u{202e}",
    b"\\xff",
    b"u{d}",
    b"xe9",
    b"\xff",
    b"\xe9",
    b"\xc3\xa9",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"\xe2\x80\x8b",
    b"\xef\xbb\xbf",
    b"-",
    b"+",
    b"@@",
    b"\xc2\xa0",
];

proptest::proptest! {
    /// Attack 3: every byte that comes or goes can be told from what is shown, and nothing of it hides.
    #[test]
    fn what_is_shown_gives_back_every_changed_byte(
        before in proptest::collection::vec(0..PIECES.len(), 0..40),
        after in proptest::collection::vec(0..PIECES.len(), 0..40),
    ) {
        let bytes = |pieces: &[usize]| pieces.iter().flat_map(|piece| PIECES[*piece]).copied().collect::<Vec<u8>>();
        let content = |bytes: Vec<u8>| FileContent::new(bytes, 0o644);
        let (before, after) = (content(bytes(&before)), content(bytes(&after)));
        let shown = render(&RelPath::parse("f").unwrap(), Some(&before), Some(&after));
        proptest::prop_assert_eq!(exacta_kernel::text::hidden(&shown).next(), None);
        let changes = line_changes(Some(&before), Some(&after));
        for (sign, kind) in [('+', ChangeKind::Added), ('-', ChangeKind::Removed)] {
            let lines = changes.iter().filter(|change| change.kind == kind).map(|change| change.bytes.to_vec());
            proptest::prop_assert_eq!(read_back(&shown, sign), lines.collect::<Vec<_>>(), "{}", shown);
        }
    }
}

/// Attack 8: the end of a key cannot be told from other text; what is masked is found in the whole file.
#[test]
fn attack_08_a_part_of_a_secret_in_context_is_masked() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(12);
    let before = format!("{0}BEGIN PRIVATE KEY{0}\n{body}{0}END PRIVATE KEY{0}\nlimit = 4\n", "-----");
    let content = |text: &str| FileContent::new(text.as_bytes().to_vec(), 0o644);
    let path = RelPath::parse("k.py").unwrap();
    let shown = render(&path, Some(&content(&before)), Some(&content(&before.replace("= 4", "= 5"))));
    assert!(!shown.contains("MIIEvQIBADANBgkqhkiG9w0BAQEF"), "{shown}");
    assert!(shown.contains(" ‹secret:private key›\n-limit = 4\n+limit = 5\n"), "{shown}");
}
