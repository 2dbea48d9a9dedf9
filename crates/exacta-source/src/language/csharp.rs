//! C#.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility, children};
use tree_sitter::Node;

pub(super) static CSHARP: Dialect = Dialect {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    comments: &["comment"],
    notes: &["attribute_list"],
    branches: &[
        "if_statement",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "switch_section",
        "switch_expression_arm",
        "catch_clause",
        "conditional_expression",
    ],
    conditions: &["binary_expression"],
    declarations: &[
        "class_declaration",
        "struct_declaration",
        "record_declaration",
        "interface_declaration",
        "enum_declaration",
        "enum_member_declaration",
        "delegate_declaration",
        "method_declaration",
        "constructor_declaration",
        "property_declaration",
        "event_declaration",
        "field_declaration",
        "event_field_declaration",
        "local_function_statement",
        "namespace_declaration",
    ],
    calls: &["invocation_expression", "object_creation_expression"],
    imports: &["using_directive"],
    parameters: Parameters::Named,
    joint: ".",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/csharp.txt"),
};

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let visibility = visibility(site);
    out.push(match node.kind() {
        "class_declaration" => site.declared("class", Shape::Scope { open: false }, visibility),
        "struct_declaration" => site.declared("struct", Shape::Scope { open: false }, visibility),
        "record_declaration" => site.declared("record", Shape::Scope { open: false }, visibility),
        "interface_declaration" => site.declared("interface", Shape::Scope { open: true }, visibility),
        "enum_declaration" => site.declared("enum", Shape::Scope { open: true }, visibility),
        "enum_member_declaration" => site.declared("value", Shape::Item, visibility).up_to(node, "value"),
        "delegate_declaration" => site.declared("delegate", Shape::Item, visibility),
        "method_declaration" | "constructor_declaration" => site.declared("method", Shape::Function, visibility),
        "local_function_statement" => site.declared("method", Shape::Function, Visibility::Private),
        "property_declaration" => {
            site.declared("property", Shape::Item, visibility).up_to(node, "accessors").up_to(node, "value")
        }
        "event_declaration" => site.declared("event", Shape::Item, visibility).up_to(node, "accessors"),
        "namespace_declaration" => site.declared("namespace", Shape::Group { open: false }, Visibility::Public),
        "field_declaration" | "event_field_declaration" => {
            let variables = children(node).filter(|it| it.kind() == "variable_declaration").flat_map(children);
            for name in variables.filter_map(|it| it.child_by_field_name("name")) {
                let declared = site.declared("field", Shape::Item, visibility).named(site.text(name));
                out.push(Declared { end: name.start_byte(), ..declared });
            }
            return;
        }
        _ => return,
    });
}

fn visibility(site: &Site<'_, '_>) -> Visibility {
    let modifiers = || children(site.node).filter(|it: &Node<'_>| it.kind() == "modifier");
    let says = |word: &str| modifiers().any(|it| site.text(it) == word);
    Visibility::when(says("public") || says("protected") || site.open() && !says("private") && !says("internal"))
}
