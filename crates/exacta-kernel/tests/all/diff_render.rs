//! The diff that people read, as a snapshot.

use exacta_kernel::diff::render;
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
