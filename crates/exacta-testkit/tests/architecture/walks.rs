//! The walks in `ARCHITECTURE.md`: each hop is a function that exists, and is called by the one above it.

use crate::sources::{code, workspace};
use std::collections::BTreeSet;

/// The walks by their headings, and how many files each may lead through.
const WALKS: [(&str, usize); 2] = [("### From text to a decision", 15), ("### From approval to recovery", 20)];

/// A function that a walk names.
#[derive(Debug, PartialEq, Eq)]
struct Hop {
    depth: usize,
    file: String,
    name: String,
}

#[test]
fn every_hop_of_a_walk_calls_the_next() {
    let text = std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let mut wrong = Vec::new();
    for (heading, most) in WALKS {
        let hops = hops(&text, heading);
        assert!(hops.len() > 10, "{heading}: {hops:?}");
        let files: BTreeSet<&str> = hops.iter().map(|hop| hop.file.as_str()).collect();
        if files.len() > most {
            wrong.push(format!("{heading}: {} files, and at most {most} can be kept in mind", files.len()));
        }
        for (at, hop) in hops.iter().enumerate() {
            let bodies = bodies(&read(&hop.file), hop.name());
            if bodies.is_empty() {
                wrong.push(format!("{}: no function `{}`", hop.file, hop.name));
            }
            let calls = |caller: &Hop| {
                self::bodies(&read(&caller.file), caller.name()).iter().any(|body| names(body, hop.name()))
            };
            if let Some(caller) = hops[..at].iter().rfind(|above| above.depth < hop.depth).filter(|above| !calls(above))
            {
                wrong.push(format!("{}: `{}` does not call `{}`", caller.file, caller.name, hop.name));
            }
        }
    }
    assert!(wrong.is_empty(), "the walks in ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn a_broken_walk_is_found() {
    let hop = |depth: usize, file: &str, name: &str| Hop { depth, file: file.to_owned(), name: name.to_owned() };
    let text = "### W\n\n- `a/src/b.rs` `one` begins\n  - `c/src/d.rs` `T::two` ends\n\n### Next\n- `x` `y`\n";
    assert_eq!(hops(text, "### W"), [hop(0, "a/src/b.rs", "one"), hop(2, "c/src/d.rs", "T::two")]);
    let code =
        "fn one<T>(a: [u8; 2]) -> Result<(), ()> {\n    if x { self.two(a) }\n}\nfn other() { three() }\nfn two();\n";
    let found = bodies(code, "one");
    assert!(names(&found[0], "two") && !names(&found[0], "three") && !names(&found[0], "tw"));
    assert!(bodies(code, "missing").is_empty() && bodies(code, "two").is_empty());
}

impl Hop {
    /// The function's own name, without its type.
    fn name(&self) -> &str {
        self.name.rsplit("::").next().unwrap()
    }
}

fn read(file: &str) -> String {
    code(&std::fs::read_to_string(workspace().join("crates").join(file)).unwrap_or_default())
}

/// The hops under a heading: lines such as "  - `crate/src/file.rs` `Type::function` and what it does", indented under their caller.
fn hops(text: &str, heading: &str) -> Vec<Hop> {
    let section =
        text.split(&format!("{heading}\n")).nth(1).unwrap_or_default().split("\n#").next().unwrap_or_default();
    let hop = |line: &str| {
        let (indent, rest) = line.split_once("- `")?;
        let (file, rest) = rest.split_once("` `")?;
        let (name, _) = rest.split_once('`')?;
        indent.trim().is_empty().then(|| Hop { depth: indent.len(), file: file.to_owned(), name: name.to_owned() })
    };
    section.lines().filter_map(hop).collect()
}

/// The bodies of all functions of this name in a file: several types may have one.
fn bodies(code: &str, name: &str) -> Vec<String> {
    let heads = code.match_indices("fn ").filter(|(at, head)| {
        let rest = &code[at + head.len()..];
        rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '<']))
    });
    heads.filter_map(|(at, _)| body(&code[at..])).collect()
}

/// From the first brace that opens to the one that closes it; none for a function that is only declared.
fn body(code: &str) -> Option<String> {
    let open =
        code.find('{').filter(|open| code.find(";\n").is_none_or(|end| end > *open || code[..end].contains('[')))?;
    let mut depth = 0_i32;
    for (at, letter) in code[open..].char_indices() {
        depth += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(code[open..=open + at].to_owned());
        }
    }
    None
}

/// Whether code names a function, as a whole word.
fn names(code: &str, function: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    code.match_indices(function)
        .any(|(at, _)| !is_word(code[..at].chars().next_back()) && !is_word(code[at + function.len()..].chars().next()))
}
