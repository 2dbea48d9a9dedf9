//! `docs/rules.md`: where each rule and each code is kept, and where that is tested. Written from the sources:
//! `WRITE_RULES=1 cargo test -p exacta-testkit --test architecture rules`.

use crate::codes::quoted;
use crate::sources::{code, crates, files, workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const PAGE: &str = "docs/rules.md";

/// Files that name codes without finding anything: the table itself, and which gate speaks for which code.
const LISTS: [&str; 3] =
    ["exacta-app/src/error/code.rs", "exacta-kernel/src/finding.rs", "exacta-kernel/src/gate/refusal.rs"];

/// The invariants. A comment that names one stands at the code that keeps it, another at a test that would fail without.
const INVARIANTS: [(&str, &str); 6] = [
    ("INV-GATE", "nothing acts without a permit, and no code path leads around the gates"),
    (
        "INV-GLOBAL-5",
        "what an AI says is untrusted: never run, never believed, never shown with live control characters",
    ),
    ("INV-PIPE-3", "no profile, risk or quality allows what the Safety Policy forbids"),
    ("INV-PLAN-2", "an approval is of exactly the plan that was shown, and holds only as long as that plan does"),
    ("INV-PLAN-3", "a run changes everything that it was approved for, or nothing"),
    ("INV-PLAN-4", "the same plan and facts give the same risk, byte for byte"),
];

/// A file, and what it says.
struct File {
    name: String,
    text: String,
}

#[test]
fn the_index_of_rules_is_as_the_sources_are() {
    let (sources, tests) = read();
    let (page, missing) = page(&sources, &tests);
    assert!(missing.is_empty(), "rules that no code or no test names:\n{}", missing.join("\n"));
    let path = workspace().join(PAGE);
    if std::env::var_os("WRITE_RULES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let wrong = stale(&written, &page, sources.iter().chain(&tests));
    assert!(
        wrong.is_empty(),
        "`WRITE_RULES=1 cargo test -p exacta-testkit --test architecture rules` writes {PAGE} again, which is stale:\n{}",
        wrong.join("\n")
    );
}

/// What the written page has wrong: a rule or code without a row, a row of none, or a place where its function is no more.
fn stale<'f>(written: &str, page: &str, files: impl Iterator<Item = &'f File>) -> Vec<String> {
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    for file in files {
        // A source comes before the tests at its end.
        texts.entry(&file.name).or_insert(&file.text);
    }
    let (written, page) = (rows(written), rows(page));
    let missing = page.keys().filter(|key| !written.contains_key(*key)).map(|key| format!("no row for {key}"));
    let over = written.keys().filter(|key| !page.contains_key(*key)).map(|key| format!("there is no {key} any more"));
    let mut wrong: Vec<String> = missing.chain(over).collect();
    for (key, places) in &written {
        for place in places {
            let mut names = place.split('`').skip(1).step_by(2);
            let Some(file) = names.next() else { continue };
            let text = texts.get(file).copied().unwrap_or_default();
            if text.is_empty() || names.next().is_some_and(|name| whole(text, name).is_none()) {
                wrong.push(format!("{key} is not in {place} any more"));
            }
        }
    }
    wrong
}

/// The rows of a page: what each is about, and its two places.
fn rows(page: &str) -> BTreeMap<String, Vec<String>> {
    let mut rows = BTreeMap::new();
    for line in
        page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| rule") && !line.starts_with("| code"))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (about, places) = cells.split_at(cells.len().saturating_sub(2));
        rows.insert(about.join(" "), places.iter().map(|place| (*place).to_owned()).collect());
    }
    rows
}

#[test]
fn a_stale_row_is_found() {
    let file = File { name: "a/src/b.rs".to_owned(), text: "fn one() {}".to_owned() };
    let row = |code: &str, name: &str| {
        format!("| code | code | test |\n|---|---|---|\n| `{code}` | `a/src/b.rs` `{name}` | none |\n")
    };
    let wrong = |written: &str| stale(written, &row("A", "one"), [&file].into_iter()).len();
    assert_eq!((wrong(&row("A", "one")), wrong(&row("A", "gone")), wrong(&row("B", "one")), wrong("")), (0, 1, 2, 1));
}

#[test]
fn the_function_around_a_place_is_found() {
    let text = "fn one() {\n    x\n}\n/// Keeps R-1.\npub fn two() { y }\n";
    assert_eq!(around(text, text.find('x').unwrap()), "one");
    assert_eq!(around(text, text.find('y').unwrap()), "two");
    assert_eq!(below(text, text.find("R-1").unwrap()), "two");
}

/// The page, and what has no code or no test.
fn page(sources: &[File], tests: &[File]) -> (String, Vec<String>) {
    let mut out = "# Rules, where they are kept, and where that is tested\n\n\
        Written from the sources by a test. Rules have the numbers of the specification; [findings.md](findings.md) explains the codes. Paths are beneath `crates/`.\n\n\
        | rule | what | code | test |\n|---|---|---|---|\n"
        .to_owned();
    let mut missing = Vec::new();
    for (rule, what) in INVARIANTS {
        let (kept, tested) = (comment(sources, rule), comment(tests, rule));
        if kept.is_none() || tested.is_none() {
            missing.push(format!("{rule}: {kept:?} {tested:?}"));
        }
        let _ = writeln!(out, "| {rule} | {what} | {} | {} |", kept.unwrap_or_default(), tested.unwrap_or_default());
    }
    let kernel = kernel_codes(sources);
    let mut by_rule: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &kernel {
        if let Some(rule) = row.rule.as_deref() {
            by_rule.entry(rule).or_default().push(row);
        }
    }
    for (rule, rows) in by_rule {
        for row in rows {
            let (kept, tested) = (first(sources, &format!("Code::{}", row.variant)), mention(tests, &row.code));
            if kept.is_none() || tested.is_none() {
                missing.push(format!("{rule} {}: {kept:?} {tested:?}", row.code));
            }
            let what = format!("{} (`{}`)", row.what, row.code);
            let _ =
                writeln!(out, "| {rule} | {what} | {} | {} |", kept.unwrap_or_default(), tested.unwrap_or_default());
        }
    }
    out.push_str("\n| code | code | test |\n|---|---|---|\n");
    let named: BTreeSet<String> = sources.iter().flat_map(|file| quoted(&file.text)).collect();
    for code in named {
        let variant = kernel.iter().find(|row| row.code == code).map(|row| format!("Code::{}", row.variant));
        let kept =
            variant.and_then(|variant| first(sources, &variant)).or_else(|| first(sources, &format!("\"{code}\"")));
        let kept = kept.or_else(|| first(sources, &format!("ErrorCode::{code}")));
        let _ = writeln!(
            out,
            "| `{code}` | {} | {} |",
            kept.unwrap_or_default(),
            mention(tests, &code).unwrap_or_else(|| "none by name".to_owned())
        );
    }
    (out, missing)
}

/// One code of the kernel's table.
struct Row {
    variant: String,
    code: String,
    rule: Option<String>,
    what: String,
}

/// The table of `finding.rs`: a line of documentation, then `Variant = "CODE", "RULE";`.
fn kernel_codes(sources: &[File]) -> Vec<Row> {
    let table = sources.iter().find(|file| file.name == "exacta-kernel/src/finding.rs").unwrap();
    let table = table.text.split("codes! {").nth(1).unwrap().split("\n}").next().unwrap();
    let (mut rows, mut what) = (Vec::new(), String::new());
    for line in table.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("/// ") {
            doc.trim_end_matches('.').clone_into(&mut what);
        } else if let Some((variant, rest)) = line.split_once(" = ") {
            let mut words = rest.split('"').skip(1).step_by(2).map(str::to_owned);
            let code = words.next().unwrap();
            rows.push(Row { variant: variant.to_owned(), code, rule: words.next(), what: what.clone() });
        }
    }
    assert!(rows.len() > 40, "{}", rows.len());
    rows
}

/// The first place in code that names something, but for lists of codes.
fn first(files: &[File], name: &str) -> Option<String> {
    files.iter().filter(|file| !LISTS.contains(&file.name.as_str())).find_map(|file| {
        let code = code(&file.text);
        let at = whole(&code, name)?;
        Some(format!("`{}` `{}`", file.name, around(&code, at)))
    })
}

/// The first test that names a code: in Rust, or among its cases.
fn mention(files: &[File], name: &str) -> Option<String> {
    files.iter().find_map(|file| {
        let at = whole(&file.text, name)?;
        let place = if file.name.ends_with(".rs") { format!(" `{}`", around(&file.text, at)) } else { String::new() };
        Some(format!("`{}`{place}", file.name))
    })
}

/// The item beneath the first comment that names a rule.
fn comment(files: &[File], rule: &str) -> Option<String> {
    files.iter().find_map(|file| {
        let lines =
            file.text.match_indices("//").map(|(at, _)| (at, file.text[at..].lines().next().unwrap_or_default()));
        let (at, _) = lines.into_iter().find(|(_, line)| whole(line, rule).is_some())?;
        Some(format!("`{}` `{}`", file.name, below(&file.text, at)))
    })
}

/// Where a name stands as a whole word.
fn whole(text: &str, name: &str) -> Option<usize> {
    let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(name)
        .map(|(at, _)| at)
        .find(|at| !is_word(text[..*at].chars().next_back()) && !is_word(text[at + name.len()..].chars().next()))
}

/// The name of the function around a place.
fn around(text: &str, at: usize) -> String {
    text[..at].rfind("fn ").map_or_else(String::new, |found| word(&text[found + 3..]))
}

/// The name of the item beneath a comment.
fn below(text: &str, at: usize) -> String {
    let items = ["fn ", "struct ", "enum ", "mod "];
    let code = text[at..]
        .lines()
        .map(str::trim)
        .find(|line| !line.starts_with("//") && !line.starts_with('#') && items.iter().any(|item| line.contains(item)));
    let code = code.unwrap_or_default();
    items.iter().find_map(|item| Some(word(&code[code.find(item)? + item.len()..]))).unwrap_or_default()
}

fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// Sources and tests, the kernel's first.
fn read() -> (Vec<File>, Vec<File>) {
    let mut names = crates();
    names.retain(|name| name != "exacta-testkit");
    names.sort_by_key(|name| (name != "exacta-kernel", name.clone()));
    let root = workspace().join("crates");
    let (mut sources, mut tests) = (Vec::new(), Vec::new());
    for name in names {
        for path in files(&root.join(&name)) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let file = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let is_test = file.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "benches");
            match (is_test, path.extension().and_then(|extension| extension.to_str())) {
                (true, Some("rs" | "json" | "jsonl" | "toml" | "txt")) => tests.push(File { name: file, text }),
                (false, Some("rs")) => sources.push(File { name: file, text }),
                _ => {}
            }
        }
    }
    // Tests that stand at the end of a source file.
    for file in &sources {
        if let Some(at) = file.text.rfind("#[cfg(test)]") {
            tests.push(File { name: file.name.clone(), text: file.text[at..].to_owned() });
        }
    }
    (sources, tests)
}
