//! Selections of a small project, as data: requests, and what must be shown for each.

use crate::project::{Project, paths};
use exacta_context::{Form, Request, Why, tokens};
use exacta_kernel::hash::Digest;
use exacta_kernel::path::RelPath;
use std::fmt::Write as _;

/// Files between lines `=== path`.
const PROJECT: &str = include_str!("../cases/project.txt");
/// Each a line `request => path, path`: the files that must be shown whole.
const REQUESTS: &str = include_str!("../cases/requests.txt");

fn project() -> Project {
    let files: Vec<(&str, &str)> = PROJECT.split("=== ").skip(1).filter_map(|part| part.split_once('\n')).collect();
    Project::of(&files)
}

#[test]
fn requests_find_their_files() {
    let project = project();
    for line in REQUESTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (request, expected) = line.split_once(" => ").unwrap();
        let selection = project.select(&Request { text: request, budget: 700, ..Request::default() });
        let whole: Vec<&str> =
            selection.files.iter().filter(|file| file.form == Form::Whole).map(|file| file.path.as_str()).collect();
        for path in expected.split(", ") {
            assert!(whole.contains(&path), "`{request}` shows {whole:?} and not {path}");
        }
        assert!(selection.tokens <= 700, "{request}");
    }
}

#[test]
fn a_selection_is_what_it_was() {
    let project = project();
    let selection =
        project.select(&Request { text: "retry when the server is busy", budget: 700, ..Request::default() });
    let mut shown = String::new();
    for file in &selection.files {
        let _ = writeln!(shown, "{} {} {} {}", file.path, file.form.word(), file.why.word(), file.bytes);
    }
    let _ = writeln!(shown, "{} tokens\n\n{}", selection.tokens, selection.text);
    insta::assert_snapshot!(shown);
    assert_eq!(selection.hash, Digest::of(selection.text.as_bytes()));
    assert_eq!(selection.tokens, tokens(&selection.text));
}

#[test]
fn the_same_project_elsewhere_gives_the_same_selection() {
    let (one, other) = (project(), project());
    for request in ["retry when the server is busy", "", "zzz", "config"] {
        assert_eq!(one.ask(request).text, other.ask(request).text, "{request}");
    }
}

#[test]
fn named_files_and_symbols_come_first_within_every_budget() {
    let project = project();
    let files = [RelPath::parse("docs/guide.md").unwrap()];
    let symbols = ["parse_duration".to_owned()];
    for budget in [0, 10, 60, 300, 1000, 100_000] {
        let request =
            Request { text: "make it clearer", files: &files, symbols: &symbols, budget, ..Request::default() };
        let selection = project.select(&request);
        assert!(selection.tokens <= budget, "{budget}");
        if budget >= 300 {
            assert_eq!((paths(&selection)[0], selection.files[0].why), ("docs/guide.md", Why::Named));
            assert!(paths(&selection).contains(&"src/duration.rs"), "{budget}");
        }
    }
}

#[test]
fn paths_of_constraints_rank_higher() {
    let project = project();
    let only = [RelPath::parse("tools").unwrap()];
    let selection = project.select(&Request { text: "tidy up", only: &only, budget: 700, ..Request::default() });
    assert_eq!(paths(&selection)[0], "tools/release.py");
}
