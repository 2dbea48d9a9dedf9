//! Inputs made to be slow: each of these takes hours where the work grows with the square of the size.

use exacta_kernel::diff::{Kind, MAX_FILE, line_changes, materialise, render, render_exact, stat};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::{Edit, Payload};
use std::fmt::Write as _;

fn file(text: &str) -> FileContent {
    FileContent::new(text.as_bytes().to_vec(), 0o644)
}

fn modify(before: &str, payload: &Payload) -> Result<String, String> {
    let path = RelPath::parse("f").unwrap();
    match materialise(Kind::Modify, Some(payload), &path, Some(&file(before))) {
        Ok(after) => Ok(String::from_utf8(after.unwrap().bytes().to_vec()).unwrap()),
        Err(error) => Err(error.into_finding().code.as_str().to_owned()),
    }
}

fn diff(hunks: &str) -> Payload {
    Payload::Diff(format!("--- a/f\n+++ b/f\n{hunks}"))
}

fn numbered(lines: usize) -> String {
    (0..lines).fold(String::new(), |mut text, n| {
        writeln!(text, "{n}").unwrap();
        text
    })
}

#[test]
fn many_tiny_hunks_with_wrong_numbers() {
    const LINES: usize = 50_000;
    let mut hunks = String::new();
    for n in 0..LINES {
        write!(hunks, "@@ -7,2 +7,2 @@\n-{}\n+x{n}\n {}\n", 2 * n, 2 * n + 1).unwrap();
    }
    let after = modify(&numbered(2 * LINES), &diff(&hunks)).unwrap();
    assert!(after.starts_with("x0\n1\nx1\n3\n") && after.ends_with("x49999\n99999\n"));
}

#[test]
fn many_hunks_that_almost_fit_everywhere() {
    let mut hunks = String::new();
    for n in 0..2_000 {
        write!(hunks, "@@ -1,12 +1,12 @@\n{}-b{n}\n+c\n", " a\n".repeat(11)).unwrap();
    }
    let before = "a\n".repeat(500_000);
    assert_eq!(modify(&before, &diff(&hunks)).unwrap_err(), "PLAN_DIFF_CONTEXT");
}

#[test]
fn a_repeated_line_is_ambiguous_at_once() {
    let before = "\n".repeat(1 << 20);
    assert_eq!(modify(&before, &diff("@@ -99999999 +99999999 @@\n-\n+x\n")).unwrap_err(), "PLAN_DIFF_CONTEXT");
}

#[test]
fn many_edits_in_a_large_file() {
    const EDITS: usize = 20_000;
    let mut before = String::new();
    for n in 0..EDITS {
        writeln!(before, "line {n}; and some more text").unwrap();
    }
    let edits = (0..EDITS).rev().map(|n| Edit { find: format!("line {n};"), replace: format!("row {n};") }).collect();
    let after = modify(&before, &Payload::Edits(edits)).unwrap();
    assert_eq!(after, before.replace("line", "row"));
}

#[test]
fn edits_whose_texts_contain_each_other() {
    let edits = (1..1_000).map(|n| Edit { find: "a".repeat(n), replace: String::new() }).collect();
    assert_eq!(modify(&"a".repeat(1 << 20), &Payload::Edits(edits)).unwrap_err(), "PLAN_DIFF_CONTEXT");
}

#[test]
fn a_result_over_the_cap() {
    let size = usize::try_from(MAX_FILE).unwrap();
    let before = "x".repeat(size - 1) + "\n";
    let edits = |replace: &str| Payload::Edits(vec![Edit { find: "x\n".to_owned(), replace: replace.to_owned() }]);
    assert_eq!(modify(&before, &edits("y\n")).unwrap().len(), size);
    assert_eq!(modify(&before, &edits("yy\n")).unwrap_err(), "PLAN_TARGET_TOO_LARGE");
}

/// Two files without a common line, two of one repeated line, a file and itself backwards.
#[test]
fn comparing_unlike_files() {
    let numbers = numbered(100_000);
    let backwards: Vec<&str> = numbers.lines().rev().collect();
    let pairs = [
        (numbers.clone(), numbers.replace('\n', "x\n")),
        ("a\n".repeat(200_000), "a\n".repeat(199_999)),
        (numbers.clone(), backwards.join("\n")),
        ("a\nb\n".repeat(100_000), "b\nb\na\n".repeat(60_000)),
    ];
    for (before, after) in pairs {
        let (before, after) = (file(&before), file(&after));
        let (added, removed) = stat(Some(&before), Some(&after));
        assert_eq!(line_changes(Some(&before), Some(&after)).len() as u64, added + removed);
    }
}

/// Long files with a few changes: exactly those, wherever they are.
#[test]
fn small_changes_at_both_ends_of_a_long_file() {
    let before = numbered(300_000);
    let after = format!("first\n{before}last\n").replacen("\n150000\n", "\nx\ny\n", 1);
    let path = RelPath::parse("f").unwrap();
    let (before, after) = (file(&before), file(&after));
    assert_eq!(stat(Some(&before), Some(&after)), (4, 1));
    let patch = String::from_utf8(render_exact(&path, Some(&before), Some(&after))).unwrap();
    let applied = materialise(Kind::Modify, Some(&Payload::Diff(patch)), &path, Some(&before)).unwrap().unwrap();
    assert!(applied == after);
}

/// More lines than are compared one by one, with a change at either end: what is between counts as replaced, and is right.
#[test]
fn far_changes_in_a_file_of_too_many_lines() {
    let lines = "\n".repeat(1_100_000);
    let (before, after) = (file(&format!("a\n{lines}b\nc\n")), file(&format!("A\n{lines}B\nc\n")));
    assert_eq!(stat(Some(&before), Some(&after)), (1_100_003, 1_100_003));
    let path = RelPath::parse("f").unwrap();
    let patch = String::from_utf8(render_exact(&path, Some(&before), Some(&after))).unwrap();
    let applied = materialise(Kind::Modify, Some(&Payload::Diff(patch)), &path, Some(&before)).unwrap().unwrap();
    assert!(applied == after);
    assert!(render(&path, Some(&before), Some(&after)).len() < 5 << 20);
}

/// Attack 3: lines that do not pair, deletions and new files are shown whole, however long.
#[test]
fn what_comes_and_goes_is_shown_whole() {
    let path = RelPath::parse("f").unwrap();
    let long = format!("{}steal(document.cookie){}\n", "a".repeat(120_000), "b".repeat(3_000_000));
    let (old, new) = (file("old\n"), file(&format!("one\n{long}two\n")));
    let lines = |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    assert!(render(&path, Some(&old), Some(&new)).ends_with(&lines('+', &format!("one\n{long}two\n"))));
    assert!(render(&path, None, Some(&new)).ends_with(&lines('+', &format!("one\n{long}two\n"))));
    let many = numbered(1_000_000);
    assert!(render(&path, Some(&file(&many)), None).ends_with(&lines('-', &many)));
    assert!(render(&path, Some(&file(&many)), Some(&file("b\n"))).ends_with(&(lines('-', &many) + "+b\n")));
}

/// Of a long line people see what changes in it, wherever that is, and how much they do not see.
#[test]
fn a_change_within_a_long_line() {
    let line = |word: &str| file(&format!("{}{word}{}\nend\n", "\u{e9}".repeat(100_000), "\u{fc}".repeat(100_000)));
    let shown = render(&RelPath::parse("f").unwrap(), Some(&line("old")), Some(&line("newer")));
    let near = |word: &str, sign: char| format!("{sign}{}{word}{}\n", "\u{e9}".repeat(100), "\u{fc}".repeat(100));
    let note =
        |end: u32, all: u32| format!("\\ bytes 199801 to {end} of this line of {all} are shown; the others stay\n");
    let lines = [near("old", '-'), note(200_203, 400_003), near("newer", '+'), note(200_205, 400_005)];
    assert_eq!(shown.split_once("@@\n").unwrap().1, lines.concat() + " end\n");
}

/// The same length with a small change is compared as ever: what is equal at both ends is passed over first.
#[test]
fn a_small_change_in_a_long_file() {
    let before = numbered(2_000_000);
    let after = before.replacen("\n1000000\n", "\nx\n", 1);
    let (before, after) = (file(&before), file(&after));
    let changes = line_changes(Some(&before), Some(&after));
    let found: Vec<_> = changes.iter().map(|change| (change.line, change.bytes)).collect();
    assert_eq!(found, [(1_000_001, &b"1000000"[..]), (1_000_001, &b"x"[..])]);
}
