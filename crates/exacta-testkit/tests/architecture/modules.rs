//! No crate has modules that need each other in a circle: each can be read after those it uses.

use crate::sources::{crates, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Which modules at the top of a crate each of them names.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let mut found = Vec::new();
    for name in crates() {
        let graph = graph(&name);
        assert!(!graph.is_empty(), "{name} has no modules");
        found.extend(circle(&graph).map(|path| format!("{name}: {}", path.join(" → "))));
    }
    assert!(found.is_empty(), "modules that use each other:\n{}", found.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let edge = |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|name| (*name).to_owned()).collect());
    let straight = Graph::from([edge("a", &["b", "c"]), edge("b", &["c"]), edge("c", &[])]);
    assert_eq!(circle(&straight), None);
    let round = Graph::from([edge("a", &["b"]), edge("b", &["c"]), edge("c", &["b"])]);
    assert_eq!(circle(&round).unwrap().join(" "), "b c b");
}

fn graph(name: &str) -> Graph {
    let sources = sources(name);
    let top = |name: &str| name.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
    let mut graph = Graph::new();
    for source in &sources {
        let module = top(&source.name);
        if module != "lib" && module != "main" {
            graph.entry(module).or_default().extend(named(&source.code));
        }
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, uses) in &mut graph {
        uses.retain(|other| other != module && modules.contains(other));
    }
    graph
}

/// The modules that code names, as `crate::module` or within `crate::{…}`.
fn named(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(group_names(group)),
            None => names.push(word(rest)),
        }
    }
    names
}

/// The first word of each item of a `use` group, up to its closing brace.
fn group_names(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut at_start) = (0, Vec::new(), true);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            character if at_start && !character.is_whitespace() => {
                names.push(word(&group[at..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

/// A way from a module back to itself, if there is one.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| visit(graph, start, &mut Vec::new(), &mut done))
}

fn visit<'g>(
    graph: &'g Graph,
    at: &'g str,
    path: &mut Vec<&'g str>,
    done: &mut BTreeSet<&'g str>,
) -> Option<Vec<String>> {
    if let Some(first) = path.iter().position(|module| *module == at) {
        return Some(path[first..].iter().chain([&at]).map(|module| (*module).to_owned()).collect());
    }
    if !done.insert(at) {
        return None;
    }
    path.push(at);
    let found = graph[at].iter().find_map(|next| visit(graph, next, path, done));
    path.pop();
    found
}
