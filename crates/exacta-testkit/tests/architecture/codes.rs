//! Every stable code that the program can print is explained on one page.

use crate::sources::{crates, sources, workspace};
use std::collections::BTreeSet;

/// What codes begin with.
const AREAS: [&str; 9] = ["PLAN_", "ASK_", "PROVIDER_", "SEND_", "WEB_", "SPEND_", "SITE_", "SKILL_", "RUN_"];

/// Upper-case words in quotes that begin like a code and are none: names of environment variables and of fields.
const OTHERS: [&str; 1] = ["ASK_ID"];

#[test]
fn every_code_is_explained() {
    let page = std::fs::read_to_string(workspace().join("docs/findings.md")).unwrap();
    let codes: BTreeSet<String> =
        crates().iter().flat_map(|name| sources(name)).flat_map(|source| quoted(&source.code)).collect();
    assert!(codes.len() > 100, "{} codes", codes.len());
    let silent: Vec<&String> = codes.iter().filter(|code| !page.contains(&format!("`{code}`"))).collect();
    assert!(silent.is_empty(), "docs/findings.md says nothing of {silent:?}");
}

#[test]
fn a_code_is_found() {
    assert_eq!(quoted(r#"Error::new("ASK_TEXT", "ASK_ID, or PLAN_X")"#), ["ASK_TEXT"]);
}

/// The codes that stand alone in quotes.
pub fn quoted(code: &str) -> Vec<String> {
    let is_code = |word: &&str| {
        AREAS.iter().any(|area| word.len() > area.len() && word.starts_with(area))
            && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
            && !OTHERS.contains(word)
    };
    code.split('"').filter(is_code).map(str::to_owned).collect()
}
