//! Every file in `cases` is a conversation; the snapshot beside it is what was said to each line.

use crate::host::Parrot;
use exacta_mcp::{Line, Server};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn conversations() {
    let mut seen = 0;
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")) {
        seen += 1;
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let told = transcript(&fs::read_to_string(file).unwrap());
        insta::with_settings!({ snapshot_path => "../cases", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, told);
        });
    }
    assert!(seen >= 6, "only {seen} conversations");
}

/// Each line and what was said to it. A line `@look` lets the server look at the calls that wait; `@long` is a line that was too long.
fn transcript(lines: &str) -> String {
    let mut server = Server::new(Parrot);
    let mut told = String::new();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        told.push_str(&format!("→ {line}\n"));
        let mut send = |message: &Value| {
            told.push_str(&format!("← {message}\n"));
            Ok(())
        };
        match line {
            "@look" => server.look(&mut send).unwrap(),
            "@long" => server.receive(&Line::TooLong, &mut send).unwrap(),
            line => server.receive(&Line::Text(line.as_bytes().to_vec()), &mut send).unwrap(),
        }
    }
    told
}
