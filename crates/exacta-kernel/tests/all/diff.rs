//! Diffs, edits and contents against the cases in `tests/cases/diff`.
//!
//! A file holds many cases. Lines that begin with `#! ` give structure, everything else is content:
//!
//! ```text
//! #! case NAME [create|modify|delete] [path=PATH]
//! #! before [WORDS]        left out: an absent file for create, else an empty one
//! #! diff|edits|content    left out: no payload; edits are `find=>replace` lines
//! #! after [WORDS]         or `#! deleted`, or `#! error CODE` and words of the message
//! ```
//!
//! Words after `before`, `after` and payloads: `noeol` drops the last line feed, `crlf` ends lines with CRLF, `escaped` reads
//! `\r \n \t \0 \xNN`, `mode=755` sets permission bits.

use exacta_kernel::diff::{Kind, line_changes, materialise, render, render_exact, stat};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::{Edit, Payload};
use std::fs;
use std::path::Path;

/// One case as it is written down.
#[derive(Default)]
struct Case {
    place: String,
    kind: Option<Kind>,
    path: String,
    before: Option<FileContent>,
    payload: Option<Payload>,
    expected: Option<Expected>,
}

enum Expected {
    After(FileContent),
    Deleted,
    Error { code: String, words: Vec<String> },
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/diff");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

fn read(file: &Path) -> Vec<Case> {
    let text = fs::read_to_string(file).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for section in text.split("#! ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap();
        let words: Vec<&str> = title.split(' ').collect();
        if words[0] == "case" {
            cases.push(new_case(file, &words));
            continue;
        }
        let case = cases.last_mut().unwrap();
        let bytes = content(body, &words);
        let text = || String::from_utf8(bytes.clone()).unwrap();
        match words[0] {
            "before" => case.before = Some(FileContent::new(bytes, mode(&words))),
            "after" => case.expected = Some(Expected::After(FileContent::new(bytes, mode(&words)))),
            "deleted" => case.expected = Some(Expected::Deleted),
            "error" => {
                let code = words[1].to_owned();
                let words = words[2..].iter().map(|word| (*word).to_owned()).collect();
                case.expected = Some(Expected::Error { code, words });
            }
            "diff" => case.payload = Some(Payload::Diff(text())),
            "content" => case.payload = Some(Payload::Content(text())),
            "edits" => case.payload = Some(Payload::Edits(edits(body, words.contains(&"escaped")))),
            other => panic!("{}: unknown section {other}", case.place),
        }
    }
    cases
}

fn new_case(file: &Path, words: &[&str]) -> Case {
    let kind = |word: &&str| match *word {
        "create" => Some(Kind::Create),
        "modify" => Some(Kind::Modify),
        "delete" => Some(Kind::Delete),
        _ => None,
    };
    let path = words.iter().find_map(|word| word.strip_prefix("path=")).unwrap_or("f.txt");
    Case {
        place: format!("{} {}", file.file_name().unwrap().display(), words[1]),
        kind: Some(words.iter().find_map(kind).unwrap_or(Kind::Modify)),
        // A path with spaces is written with `+`.
        path: path.replace('+', " "),
        ..Case::default()
    }
}

fn mode(words: &[&str]) -> u32 {
    let mode = words.iter().find_map(|word| word.strip_prefix("mode="));
    mode.map_or(0o644, |mode| u32::from_str_radix(mode, 8).unwrap())
}

fn content(body: &str, words: &[&str]) -> Vec<u8> {
    let has = |word: &str| words.contains(&word);
    let body = if has("crlf") { body.replace('\n', "\r\n") } else { body.to_owned() };
    let body = if has("noeol") { body.trim_end_matches(['\n', '\r']) } else { &body };
    if has("escaped") { unescape(body) } else { body.as_bytes().to_vec() }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        match after {
            [b'r', after @ ..] => (out.push(b'\r'), rest = after).1,
            [b'n', after @ ..] => (out.push(b'\n'), rest = after).1,
            [b't', after @ ..] => (out.push(b'\t'), rest = after).1,
            [b'0', after @ ..] => (out.push(0), rest = after).1,
            [b'x', high, low, after @ ..] => {
                let digits = [*high, *low];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                rest = after;
            }
            _ => out.push(b'\\'),
        }
    }
    out
}

fn edits(body: &str, escaped: bool) -> Vec<Edit> {
    let text = |text: &str| if escaped { String::from_utf8(unescape(text)).unwrap() } else { text.to_owned() };
    let edit = |line: &str| {
        let (find, replace) = line.split_once("=>").unwrap();
        Edit { find: text(find), replace: text(replace) }
    };
    body.lines().map(edit).collect()
}

#[test]
fn every_case_gives_exactly_the_expected_bytes_or_the_expected_refusal() {
    let cases = cases();
    assert!(cases.len() >= 100, "only {} cases were read", cases.len());
    let failures: Vec<String> = cases.iter().filter_map(check).collect();
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn check(case: &Case) -> Option<String> {
    let path = RelPath::parse(&case.path).unwrap();
    let kind = case.kind.unwrap();
    let empty = FileContent::new(Vec::new(), 0o644);
    let before = match (&case.before, kind) {
        (Some(before), _) => Some(before),
        (None, Kind::Create) => None,
        (None, _) => Some(&empty),
    };
    let result = materialise(kind, case.payload.as_ref(), &path, before);
    let wrong = |found: String| Some(format!("{}: {found}", case.place));
    match (case.expected.as_ref().unwrap(), result) {
        (Expected::After(expected), Ok(Some(found))) if *expected == found => None,
        (Expected::Deleted, Ok(None)) => None,
        (Expected::Error { code, words }, Err(error)) => {
            let finding = error.into_finding();
            let said = finding.message.clone();
            let right = finding.code.as_str() == code && words.iter().all(|word| said.contains(word));
            if right { None } else { wrong(format!("refused with {}: {said}", finding.code)) }
        }
        (_, Ok(Some(found))) => {
            wrong(format!("gave mode {:o} and {:?}", found.mode(), String::from_utf8_lossy(found.bytes())))
        }
        (_, Ok(None)) => wrong("deleted the file".to_owned()),
        (_, Err(error)) => wrong(format!("refused with {}: {error}", error.code())),
    }
}

/// What was applied can be rendered and applied again, with the same result.
#[test]
fn rendering_a_change_and_applying_the_rendering_is_the_same_change() {
    let mut rendered = 0;
    for case in cases() {
        let Some(Expected::After(after)) = &case.expected else { continue };
        let path = RelPath::parse(&case.path).unwrap();
        let kind = case.kind.unwrap();
        let before = if kind == Kind::Create { None } else { case.before.as_ref() };
        let exact = render_exact(&path, before, Some(after));
        let Ok(diff) = String::from_utf8(exact) else { continue };
        let again = materialise(kind, Some(&Payload::Diff(diff.clone())), &path, before);
        assert_eq!(again.as_ref().ok(), Some(&Some(after.clone())), "{}: {again:?}\n{diff}", case.place);
        let (added, removed) = stat(before, Some(after));
        let shown = render(&path, before, Some(after));
        let count = |sign: char| {
            let mut lines = shown.lines().skip_while(|line| !line.starts_with("+++")).skip(1);
            let counted = lines.by_ref().filter(|line| line.starts_with(sign)).count();
            u64::try_from(counted).unwrap()
        };
        assert_eq!((added, removed), (count('+'), count('-')), "{}\n{shown}", case.place);
        assert_eq!(line_changes(before, Some(after)).len() as u64, added + removed, "{}", case.place);
        rendered += 1;
    }
    assert!(rendered > 30, "only {rendered} cases were rendered");
}
