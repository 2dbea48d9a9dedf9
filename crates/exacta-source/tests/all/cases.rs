//! What is read from each language: `tests/cases/*.txt` hold a file before and after, the snapshots what it tells.

use crate::plans::plan;
use exacta_kernel::facts::source::{CodeFacts, FileFacts};
use std::fmt::Write as _;

#[test]
fn languages() {
    for (language, text) in [
        ("rust", include_str!("../cases/rust.txt")),
        ("python", include_str!("../cases/python.txt")),
        ("script", include_str!("../cases/script.txt")),
        ("go", include_str!("../cases/go.txt")),
        ("java", include_str!("../cases/java.txt")),
        ("c", include_str!("../cases/c.txt")),
        ("csharp", include_str!("../cases/csharp.txt")),
        ("php", include_str!("../cases/php.txt")),
        ("ruby", include_str!("../cases/ruby.txt")),
    ] {
        let cases = text.split("\n#### ").skip(1).map(case);
        insta::assert_snapshot!(language, cases.collect::<Vec<_>>().join("\n"));
    }
}

/// `title | file`, the content before, `====`, the content after.
fn case(text: &str) -> String {
    let (head, body) = text.split_once('\n').unwrap();
    let (title, file) = head.split_once(" | ").unwrap();
    let (before, after) = body.split_once("====\n").unwrap_or_else(|| panic!("{head}"));
    let content = |text: &'static str| Some(text).filter(|text| !text.trim().is_empty());
    let (before, after) = (before.to_owned().leak(), after.to_owned().leak());
    let plan = plan(&[(file, content(before), content(after))]);
    let facts = exacta_source::read(&plan);
    format!("{title}\n{}", shown(facts.get(&plan.effects()[0].key())))
}

fn shown(facts: Option<&FileFacts>) -> String {
    let Some(facts) = facts else { return "  not parsed\n".to_owned() };
    let mut out = facts.code.as_ref().map_or_else(|| "  not parsed\n".to_owned(), code);
    if facts.moved_lines > 0 {
        writeln!(out, "  moved lines: {}", facts.moved_lines).unwrap();
    }
    out
}

fn code(code: &CodeFacts) -> String {
    let mut out = String::new();
    for it in &code.public {
        writeln!(out, "  {:?} {} (line {})", it.change, it.name, it.line).unwrap();
    }
    for it in &code.functions {
        let number = |value: Option<u32>| value.map_or("none".to_owned(), |value| value.to_string());
        let marks = if it.test { " test" } else { "" };
        let (before, after) = (number(it.before), number(it.after));
        writeln!(out, "  complexity of {}: {before} to {after} (line {}){marks}", it.name, it.line).unwrap();
    }
    for it in &code.areas {
        let line = it.line.map_or("removed".to_owned(), |line| format!("line {line}"));
        writeln!(out, "  area {}: {} ({line})", it.area.name(), it.what).unwrap();
    }
    out
}

#[test]
fn what_moves_to_another_file() {
    let code = "pub fn moved(a: u8) -> u8 {\n    if a > 1 {\n        return a * 2;\n    }\n    a + 1\n}\n";
    let stays = "pub fn stays() {}\n";
    let both = format!("{stays}{code}");
    let plan = plan(&[("src/a.rs", Some(&both), Some(stays)), ("src/b.rs", None, Some(code))]);
    let facts = exacta_source::read(&plan);
    let file = |index: usize| facts.get(&plan.effects()[index].key()).unwrap();
    let (old, new) = (file(0).code.as_ref().unwrap(), file(1).code.as_ref().unwrap());
    assert_eq!(old.public[0].moved_to.as_deref(), Some("src/b.rs"));
    assert!(old.functions[0].moved && new.functions[0].moved);
    assert_eq!((file(0).moved_lines, file(1).moved_lines), (0, 3));
}

#[test]
fn facts_belong_to_one_change() {
    let one = plan(&[("a.rs", Some("fn a() {}\n"), Some("fn a() { b() }\n"))]);
    let other = plan(&[("a.rs", Some("fn a() {}\n"), Some("fn a() { c() }\n"))]);
    let facts = exacta_source::read(&one);
    assert!(facts.get(&one.effects()[0].key()).is_some());
    assert!(facts.get(&other.effects()[0].key()).is_none());
}
