//! Rust.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility, children, plain_type};
use tree_sitter::Node;

pub(super) static RUST: Dialect = Dialect {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    comments: &["line_comment", "block_comment"],
    notes: &["attribute_item", "inner_attribute_item"],
    branches: &["if_expression", "while_expression", "for_expression", "loop_expression", "match_arm"],
    conditions: &["binary_expression", "let_chain"],
    declarations: &[
        "function_item",
        "function_signature_item",
        "struct_item",
        "enum_item",
        "union_item",
        "enum_variant",
        "field_declaration",
        "trait_item",
        "impl_item",
        "associated_type",
        "type_item",
        "const_item",
        "static_item",
        "mod_item",
        "macro_definition",
        "use_declaration",
    ],
    calls: &["call_expression", "macro_invocation"],
    imports: &["use_declaration"],
    parameters: Parameters::Typed,
    joint: "::",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/rust.txt"),
};

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let public = site.open() || site.child("visibility_modifier").is_some_and(|it| site.text(it) == "pub");
    let visibility = Visibility::when(public);
    out.push(match node.kind() {
        "function_item" => Declared { test: is_test(site), ..site.declared("fn", Shape::Function, visibility) },
        "function_signature_item" => site.declared("fn", Shape::Item, visibility),
        "struct_item" => record(site, "struct", visibility),
        "union_item" => record(site, "union", visibility),
        "enum_item" => site.declared("enum", Shape::Scope { open: true }, visibility),
        "enum_variant" => site.declared("variant", Shape::Item, visibility).up_to(node, "value"),
        "field_declaration" => site.declared("field", Shape::Item, visibility),
        "trait_item" => site.declared("trait", Shape::Scope { open: true }, visibility),
        "impl_item" => {
            // What a trait's implementation holds is the trait's business.
            let own = Visibility::when(node.child_by_field_name("trait").is_none());
            site.declared("impl", Shape::Group { open: false }, own).named(plain_type(site.field("type")))
        }
        "associated_type" | "type_item" => site.declared("type", Shape::Item, visibility),
        "const_item" => site.declared("const", Shape::Item, visibility).up_to(node, "value"),
        "static_item" => site.declared("static", Shape::Item, visibility).up_to(node, "value"),
        "mod_item" => {
            Declared { test: is_test(site), ..site.declared("mod", Shape::Scope { open: false }, visibility) }
        }
        "macro_definition" => {
            let exported = site.notes.iter().any(|(_, it)| site.text(*it).contains("macro_export"));
            let end = node.child_by_field_name("name").map_or(node.end_byte(), |name| name.end_byte());
            Declared { end, ..site.declared("macro", Shape::Item, Visibility::when(exported)) }
        }
        "use_declaration" if public => return reexports(site, out),
        _ => return,
    });
}

/// A tuple's fields have no names, so they are part of its signature.
fn record<'t>(site: &Site<'_, 't>, word: &'static str, visibility: Visibility) -> Declared<'t> {
    let declared = site.declared(word, Shape::Scope { open: false }, visibility);
    let tuple = site.node.child_by_field_name("body").filter(|body| body.kind() == "ordered_field_declaration_list");
    Declared { end: tuple.map_or(declared.end, |body| body.end_byte()), ..declared }
}

/// The names that `pub use a::{b, c as d, e::*}` offers.
fn reexports<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let mut left: Vec<Node<'t>> = site.node.child_by_field_name("argument").into_iter().collect();
    while let Some(node) = left.pop() {
        let name = match node.kind() {
            "scoped_use_list" | "use_list" => {
                let list = node.child_by_field_name("list").unwrap_or(node);
                left.extend(children(list).filter(Node::is_named));
                continue;
            }
            "scoped_identifier" => node.child_by_field_name("name").map_or("", |name| site.text(name)),
            "use_as_clause" => node.child_by_field_name("alias").map_or("", |name| site.text(name)),
            _ => site.text(node),
        };
        out.push(site.declared("use", Shape::Alias, Visibility::Public).named(name));
    }
}

fn is_test(site: &Site<'_, '_>) -> bool {
    site.notes.iter().any(|(_, it)| {
        let text = site.text(*it);
        text.contains("cfg(test)") || text.ends_with("test]") || text.contains("test(")
    })
}
