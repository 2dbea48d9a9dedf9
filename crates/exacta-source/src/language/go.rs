//! Go.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility, children, plain_type};

pub(super) static GO: Dialect = Dialect {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    comments: &["comment"],
    notes: &[],
    branches: &["if_statement", "for_statement", "expression_case", "type_case", "communication_case"],
    conditions: &["binary_expression"],
    declarations: &[
        "function_declaration",
        "method_declaration",
        "type_spec",
        "type_alias",
        "const_spec",
        "var_spec",
        "field_declaration",
        "method_elem",
    ],
    calls: &["call_expression"],
    imports: &["import_spec"],
    parameters: Parameters::Typed,
    joint: ".",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/go.txt"),
};

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let visibility = |name: &str| Visibility::when(is_exported(name) && !is_program(site.source));
    let name = site.field("name");
    out.push(match node.kind() {
        "function_declaration" => {
            let test = ["Test", "Benchmark", "Fuzz"].iter().any(|start| name.starts_with(start));
            Declared { test, ..site.declared("func", Shape::Function, visibility(name)) }
        }
        "method_declaration" => method(site, visibility(name)),
        "type_spec" => kind(site, visibility(name)),
        "type_alias" => site.declared("type", Shape::Item, visibility(name)),
        "method_elem" => site.declared("func", Shape::Item, visibility(name)),
        kind @ ("const_spec" | "var_spec" | "field_declaration") => {
            let word = if kind == "const_spec" { "const" } else { "var" };
            let word = if kind == "field_declaration" { "field" } else { word };
            let mut cursor = node.walk();
            for name in node.children_by_field_name("name", &mut cursor).filter(|name| name.is_named()) {
                let name = site.text(name);
                // Only the type counts, not what stands around it.
                let kind = node.child_by_field_name("type").map_or(0..0, |kind| kind.byte_range());
                let declared = site.declared(word, Shape::Item, visibility(name)).named(name);
                out.push(Declared { start: kind.start, end: kind.end, ..declared });
            }
            return;
        }
        _ => return,
    });
}

/// A method by its type; what the receiver is called does not matter.
fn method<'t>(site: &Site<'_, 't>, visibility: Visibility) -> Declared<'t> {
    let receiver = site.node.child_by_field_name("receiver");
    let kind = receiver.into_iter().flat_map(children).find_map(|it| it.child_by_field_name("type"));
    let owner = kind.map(|kind| plain_type(site.text(kind)));
    let visibility = if owner.is_some_and(is_exported) { visibility } else { Visibility::Private };
    Declared { owner, ..site.declared("func", Shape::Function, visibility).starting_at(site.node, "name") }
}

/// A type; what is in a structure or an interface counts by itself.
fn kind<'t>(site: &Site<'_, 't>, visibility: Visibility) -> Declared<'t> {
    let inner = site.node.child_by_field_name("type");
    let holds = inner.filter(|inner| matches!(inner.kind(), "struct_type" | "interface_type"));
    let declared = site.declared("type", Shape::Scope { open: false }, visibility);
    Declared { end: holds.map_or(declared.end, |inner| inner.start_byte()), ..declared }
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Nobody can import a program.
fn is_program(source: &[u8]) -> bool {
    let source = source.get(..source.len().min(1 << 16)).unwrap_or_default();
    let below = || memchr::memmem::find(source, b"\npackage ").and_then(|at| source.get(at + 1..));
    let clause = if source.starts_with(b"package ") { Some(source) } else { below() };
    clause.is_some_and(|clause| clause.starts_with(b"package main\n"))
}
