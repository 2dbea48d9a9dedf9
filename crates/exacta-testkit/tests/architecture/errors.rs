//! The codes of errors: one list (`exacta-app/src/error/code.rs`), which `docs/errors.md` is written from
//! (`WRITE_ERRORS=1 cargo test -p exacta-testkit --test architecture errors`), and no decision by a code's text.

use crate::sources::{Source, crates, sources, workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const LIST: &str = "crates/exacta-app/src/error/code.rs";
const PAGE: &str = "docs/errors.md";

/// The crates whose errors have codes of the list.
const NAMING: [&str; 3] = ["exacta-app", "exacta-cli", "exacta-serve"];

/// What decides by a text: the file, what it looks for, and why it may.
const DECIDED_BY_TEXT: [(&str, &str, &str); 7] = [
    ("exacta-app/src/error/code.rs", "[\"PLAN_\",", "the list itself: which codes are of Plan Contract v1"),
    (
        "exacta-app/src/site/draft.rs",
        "message.contains(",
        "a fault of the site's crate says that it was late in words alone",
    ),
    ("exacta-app/src/site/runs.rs", "reason.contains(", "what the log says of a run is words"),
    (
        "exacta-serve/src/v1/runs.rs",
        "\"PLAN_STEP_CAP_EXCEEDED\"",
        "a stored finding has its code as text; both caps have one code",
    ),
    ("exacta-app/src/autopilot/settle.rs", "reason.contains(", "an occasion's reason is words, and told once"),
    ("exacta-kernel/src/gate/mod.rs", "reason.starts_with(", "beside the gate that writes it"),
    ("exacta-kernel/src/gate/withheld.rs", "reason.", "beside the gates that write it, and it only withholds"),
];

/// One row of the list.
#[derive(Debug)]
struct Row {
    means: String,
    code: String,
    exits: Vec<String>,
    fix: String,
    status: Option<String>,
}

#[test]
fn nothing_is_decided_by_the_text_of_a_code_or_message() {
    let (codes, mut found, mut used) = (codes(), Vec::new(), BTreeSet::new());
    for name in crates().into_iter().filter(|name| name != "exacta-testkit") {
        for Source { name: file, code } in sources(&name) {
            let file = format!("{name}/src/{file}");
            for line in code.lines().filter(|line| decides_by_text(line, &codes)) {
                let may = |(at, what, _): &(&str, &str, &str)| *at == file && line.contains(what);
                match DECIDED_BY_TEXT.iter().position(may) {
                    Some(exception) => drop(used.insert(exception)),
                    None => found.push(format!("{file}: {}", line.trim())),
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "compare with a constant of `ErrorCode`, or ask a method of `Error` or `Exit`:\n{}",
        found.join("\n")
    );
    let over: Vec<_> = DECIDED_BY_TEXT.iter().enumerate().filter(|(at, _)| !used.contains(at)).collect();
    assert!(over.is_empty(), "exceptions that nothing needs any more: {over:?}");
}

#[test]
fn a_decision_by_text_is_found() {
    let codes = codes();
    for line in [
        r#"Err(error) if error.code == "plan_unknown" => None,"#,
        r#"Err(error) if matches!(error.code, "a" | "b") => None,"#,
        r#"if error.code.as_str() == "a" {"#,
        r#"if code.starts_with("PLAN_") {"#,
        "Err(error) if error.exit == Exit::Usage => None,",
        "let can = matches!(error.exit, Exit::Confirm | Exit::Fault);",
        "if error.exit.code() == 30 {",
        r#"let late = error.message.contains("late");"#,
        r#"if gate.reason.starts_with("risk ") {"#,
        r#"    "plan_expired" => "PLAN_EXPIRED","#,
    ] {
        assert!(decides_by_text(line, &codes), "{line}");
    }
    for line in [
        "Err(error) if error.code == ErrorCode::PLAN_UNKNOWN => None,",
        r#"if key.code == KeyCode::Char('q') {"#,
        "Ok(error.exit.code())",
        r#"Error::new(Exit::Usage, "plan_unknown", message)"#,
        r#"Some("PERMISSION_DENIED") => Some(kind),"#,
    ] {
        assert!(!decides_by_text(line, &codes), "{line}");
    }
}

/// Whether a line of code looks at the text of a code or message, or at how a command would end, to decide something.
fn decides_by_text(line: &str, codes: &BTreeSet<String>) -> bool {
    let line = line.trim();
    by_code(line) || by_exit(line) || by_words(line) || by_arm(line, codes)
}

/// A code is compared with a text.
fn by_code(line: &str) -> bool {
    let compared = line.match_indices(".code").any(|(at, field)| {
        let rest = &line[at + field.len()..];
        let rest = rest.strip_prefix(".as_str()").unwrap_or(rest);
        let one_of = line.contains("matches!(") && rest.starts_with(", \"");
        rest.starts_with(" == \"") || rest.starts_with(" != \"") || one_of
    });
    let begins =
        line.split("code.starts_with(\"").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    compared || begins || line.contains("[\"PLAN_\",")
}

/// What happened is read off how the command would end.
fn by_exit(line: &str) -> bool {
    [".exit == Exit::", ".exit != Exit::", ".exit, Exit::", "exit.code() ==", "exit.code() !="]
        .iter()
        .any(|what| line.contains(what))
}

/// Something is read off what people are told.
fn by_words(line: &str) -> bool {
    [".message", ".reason"].iter().any(|field| {
        [".contains(", ".starts_with(", ".ends_with("].iter().any(|how| {
            let call = format!("{field}{how}");
            line.split(call.as_str()).skip(1).any(|rest| !rest.starts_with("&self.") && !rest.starts_with('&'))
        })
    }) || line.contains("reason.contains(\"")
}

/// An arm of a `match` is a code.
fn by_arm(line: &str, codes: &BTreeSet<String>) -> bool {
    let arm = line.split_once(" =>").map_or(line, |(arm, _)| arm);
    let arm = arm.split_once(" if ").map_or(arm, |(arm, _)| arm);
    arm.len() < line.len()
        && arm.split(" | ").all(|code| codes.contains(code.trim_matches('"')) && code.starts_with('"'))
}

/// Every code of the list.
fn codes() -> BTreeSet<String> {
    rows().into_iter().map(|row| row.code).collect()
}

#[test]
fn every_code_of_an_error_is_in_the_list() {
    let rows = rows();
    let exits: BTreeMap<&str, &[String]> = rows.iter().map(|row| (row.code.as_str(), row.exits.as_slice())).collect();
    assert!(rows.len() > 200 && exits.len() == rows.len(), "{} rows, {} codes", rows.len(), exits.len());
    let mut wrong = Vec::new();
    let mut seen = 0;
    for name in NAMING {
        for source in sources(name) {
            for (exit, code) in named(&source.code) {
                seen += 1;
                match exits.get(code.as_str()) {
                    None => wrong.push(format!("{name}/src/{}: `{code}` is not in {LIST}", source.name)),
                    Some(listed) if !listed.contains(&exit) => {
                        wrong.push(format!("{name}/src/{}: `{code}` with {exit} is not in {LIST}", source.name));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    assert!(seen > 200, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_named_code_is_found() {
    let code = "Error::new(\n    Exit::Usage,\n    \"a\", m); Error::fault(\"b\", m); refuse(\"c\", m); Error::new(Exit::Denied, ErrorCode::D, m)";
    let found: Vec<String> = named(code).into_iter().map(|(exit, code)| format!("{exit} {code}")).collect();
    assert_eq!(found, ["Usage a", "Fault b", "Usage c"]);
}

/// The codes that are given to new errors as text, each with how the command ends.
fn named(code: &str) -> Vec<(String, String)> {
    let literal = |text: &str| {
        let text = text.trim_start().strip_prefix('"')?;
        text.split_once('"').map(|(code, _)| code.to_owned())
    };
    let mut found = Vec::new();
    for (at, new) in code.match_indices("Error::new(").chain(code.match_indices("Self::new(")) {
        let arguments = code[at + new.len()..].trim_start();
        if let Some((exit, rest)) = arguments.strip_prefix("Exit::").and_then(|rest| rest.split_once(',')) {
            found.extend(literal(rest).map(|code| (exit.to_owned(), code)));
        }
    }
    for (call, exit) in [("Error::fault(", "Fault"), ("Self::fault(", "Fault"), ("refuse(", "Usage")] {
        for (at, _) in code.match_indices(call) {
            let is_name = code[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            let code = literal(&code[at + call.len()..]).filter(|code| !is_name && !code.contains(' '));
            found.extend(code.map(|code| (exit.to_owned(), code)));
        }
    }
    found
}

#[test]
fn the_page_of_errors_is_as_the_list_is() {
    let mut page = "# Errors\n\nEvery error has a stable code beside its message, in `--json`, over HTTP and in MCP. Each command says in its own hint what \
        helps; this page says it in general. What is wrong with a plan is in [findings.md](findings.md), and so is what goes wrong with providers and on the web.\n\n\
        Written from the list in the program. The exit codes are in [cli.md](cli.md); the status is HTTP's where it says more than the exit does.\n\n\
        | code | means | what helps | exit | status |\n|---|---|---|---|---|\n"
        .to_owned();
    for row in rows() {
        let exits: Vec<String> = row.exits.iter().map(|exit| number(exit).to_string()).collect();
        let status = row.status.unwrap_or_default();
        let _ = writeln!(page, "| `{}` | {} | {} | {} | {status} |", row.code, row.means, row.fix, exits.join(", "));
    }
    let path = workspace().join(PAGE);
    if std::env::var_os("WRITE_ERRORS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "`WRITE_ERRORS=1 cargo test -p exacta-testkit --test architecture errors` writes {PAGE} again"
    );
}

/// The number of an exit.
fn number(exit: &str) -> u8 {
    let text = std::fs::read_to_string(workspace().join("crates/exacta-app/src/error/mod.rs")).unwrap();
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(&format!("{exit} = ")).map(str::to_owned));
    line.unwrap().trim_end_matches(',').parse().unwrap()
}

/// The rows of the list: a line of documentation, then `NAME = "code", [Exit], "fix", status;`.
fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(workspace().join(LIST)).unwrap();
    let table = text.split("\ncodes! {").nth(1).unwrap().split("\n}").next().unwrap();
    let (mut rows, mut means) = (Vec::new(), String::new());
    for line in table.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("/// ") {
            doc.trim_end_matches('.').clone_into(&mut means);
        } else if let Some((_, rest)) = line.split_once(" = ") {
            let texts: Vec<&str> = rest.split('"').collect();
            let [_, code, exits, fix, status] = texts[..] else { panic!("{line}") };
            let exits = exits.trim_matches([',', ' ', '[', ']']).split(", ").map(str::to_owned).collect();
            let status = Some(status.trim_matches([',', ' ', ';']).to_owned()).filter(|status| !status.is_empty());
            let means = std::mem::take(&mut means);
            rows.push(Row { means, code: code.to_owned(), exits, fix: fix.to_owned(), status });
        }
    }
    rows
}
