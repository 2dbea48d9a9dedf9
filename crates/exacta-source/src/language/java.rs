//! Java.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility, children};

pub(super) static JAVA: Dialect = Dialect {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    comments: &["line_comment", "block_comment"],
    notes: &["annotation", "marker_annotation"],
    branches: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "switch_label",
        "catch_clause",
        "ternary_expression",
    ],
    conditions: &["binary_expression"],
    declarations: &[
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "annotation_type_element_declaration",
        "method_declaration",
        "constructor_declaration",
        "field_declaration",
        "constant_declaration",
        "enum_constant",
    ],
    calls: &["method_invocation", "object_creation_expression"],
    imports: &["import_declaration"],
    parameters: Parameters::Typed,
    joint: ".",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/java.txt"),
};

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let visibility = visibility(site);
    out.push(match node.kind() {
        "class_declaration" => site.declared("class", Shape::Scope { open: false }, visibility),
        "enum_declaration" => site.declared("enum", Shape::Scope { open: false }, visibility),
        "record_declaration" => site.declared("record", Shape::Scope { open: false }, visibility),
        "interface_declaration" => site.declared("interface", Shape::Scope { open: true }, visibility),
        "annotation_type_declaration" => site.declared("@interface", Shape::Scope { open: true }, visibility),
        "annotation_type_element_declaration" => site.declared("method", Shape::Item, visibility).up_to(node, "value"),
        "method_declaration" | "constructor_declaration" => site.declared("method", Shape::Function, visibility),
        "enum_constant" => {
            let end = node.child_by_field_name("name").map_or(node.end_byte(), |name| name.end_byte());
            Declared { end, ..site.declared("value", Shape::Item, Visibility::Public) }
        }
        "field_declaration" | "constant_declaration" => {
            let mut cursor = node.walk();
            for name in node
                .children_by_field_name("declarator", &mut cursor)
                .filter_map(|declarator| declarator.child_by_field_name("name"))
            {
                let declared = site.declared("field", Shape::Item, visibility).named(site.text(name));
                out.push(Declared { end: name.start_byte(), ..declared });
            }
            return;
        }
        _ => return,
    });
}

fn visibility(site: &Site<'_, '_>) -> Visibility {
    let modifiers = || site.child("modifiers").into_iter().flat_map(children);
    let says = |word: &str| modifiers().any(|it| it.kind() == word);
    Visibility::when(says("public") || says("protected") || site.open() && !says("private"))
}
