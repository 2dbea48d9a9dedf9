//! `tests/cases/path/paths.txt`: what each path is taken for.

use exacta_kernel::finding::Code;
use exacta_kernel::path::{MAX_PATH, RelPath};
use proptest::prelude::*;

const CASES: &str = include_str!("../cases/path/paths.txt");

/// Expectation and path of each case.
fn cases() -> Vec<(&'static str, String)> {
    let lines = CASES.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines
        .map(|line| line.split_once(' ').expect("expectation and path"))
        .map(|(word, path)| (word, decoded(path)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        rest = if let Some(body) = escape.strip_prefix("u{") {
            let (digits, after) = body.split_once('}').expect("closing brace");
            out.push(char::from_u32(u32::from_str_radix(digits, 16).expect("hexadecimal")).expect("character"));
            after
        } else if let Some(body) = escape.strip_prefix('{') {
            let (body, after) = body.split_once('}').expect("closing brace");
            let (unit, times) = body.split_once('*').expect("times");
            out.push_str(&unit.repeat(times.parse().expect("number")));
            after
        } else if escape == "s" {
            out.push(' ');
            ""
        } else {
            out.push('\\');
            escape
        };
    }
    out + rest
}

fn taken_for(text: &str) -> &'static str {
    match RelPath::parse(text) {
        Err(error) if error.code == Code::PathOutside => "outside",
        Err(error) if error.code == Code::PathInvalid => "invalid",
        Err(error) => panic!("{error}"),
        Ok(path) if path.check_protected().is_err() => "protected",
        Ok(path) if path.check_new().is_err() => "new",
        Ok(_) => "ok",
    }
}

#[test]
fn every_path_is_taken_for_what_it_is() {
    let cases = cases();
    assert!(cases.len() >= 160);
    let wrong: Vec<_> = cases.iter().filter(|(expected, path)| taken_for(path) != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn messages_never_carry_what_is_hidden() {
    for (_, path) in cases() {
        if let Err(error) = RelPath::parse(&path) {
            let shown = format!("{error} {} {}", error.path, error.hint);
            assert!(exacta_kernel::text::hidden(&shown).next().is_none(), "{shown:?}");
            assert!(shown.len() < 1000, "{}", shown.len());
        }
    }
}

/// Text that is likely to be a nasty path.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just(".git".to_owned()),
        Just("~1".to_owned()),
        Just(":".to_owned()),
        Just("\u{200c}".to_owned()),
        Just(" ".to_owned()),
        Just("\u{ff0e}".to_owned()),
        any::<char>().prop_map(String::from),
        "[a-zA-Z]{1,5}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn an_accepted_path_stays_beneath_the_root(text in nasty()) {
        if let Ok(path) = RelPath::parse(&text) {
            prop_assert_eq!(path.as_str(), text.as_str());
            prop_assert!(path.as_str().len() <= MAX_PATH);
            prop_assert!(path.parts().count() >= 1);
            for part in path.parts() {
                prop_assert!(!part.is_empty() && part != "." && part != "..");
                prop_assert!(!part.contains(['\0', '\\', '\n']));
            }
            let joined = std::path::Path::new("/root").join(path.as_str());
            let normal = joined.components().all(|it| !matches!(it, std::path::Component::ParentDir));
            prop_assert!(normal && joined.starts_with("/root"));
        }
    }

    #[test]
    fn folding_is_idempotent_and_blind_to_case(text in nasty()) {
        if let Ok(path) = RelPath::parse(&text) {
            let key = path.fold_key();
            if let Ok(folded) = RelPath::parse(&key) {
                prop_assert_eq!(folded.fold_key(), key.clone());
            }
            if let Ok(lower) = RelPath::parse(&text.to_lowercase()) {
                prop_assert_eq!(lower.fold_key(), key);
            }
        }
    }
}
