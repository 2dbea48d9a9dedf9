//! PHP.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility, children};

pub(super) static PHP: Dialect = Dialect {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    comments: &["comment"],
    notes: &["attribute_list"],
    branches: &[
        "if_statement",
        "else_if_clause",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "case_statement",
        "match_conditional_expression",
        "catch_clause",
        "conditional_expression",
    ],
    conditions: &["binary_expression"],
    declarations: &[
        "function_definition",
        "class_declaration",
        "interface_declaration",
        "trait_declaration",
        "enum_declaration",
        "enum_case",
        "method_declaration",
        "property_declaration",
        "const_declaration",
        "namespace_definition",
    ],
    calls: &[
        "function_call_expression",
        "member_call_expression",
        "nullsafe_member_call_expression",
        "scoped_call_expression",
        "object_creation_expression",
    ],
    imports: &["namespace_use_declaration"],
    parameters: Parameters::Named,
    joint: "::",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/php.txt"),
};

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let hidden = site.child("visibility_modifier").is_some_and(|it| site.text(it) == "private");
    let visibility = Visibility::when(!hidden);
    out.push(match node.kind() {
        "function_definition" => site.declared("function", Shape::Function, visibility),
        "method_declaration" => site.declared("method", Shape::Function, visibility),
        "class_declaration" => site.declared("class", Shape::Scope { open: true }, visibility),
        "interface_declaration" => site.declared("interface", Shape::Scope { open: true }, visibility),
        "trait_declaration" => site.declared("trait", Shape::Scope { open: true }, visibility),
        "enum_declaration" => site.declared("enum", Shape::Scope { open: true }, visibility),
        "enum_case" => site.declared("case", Shape::Item, visibility).up_to(node, "value"),
        // A namespace without braces is followed by what is in it.
        "namespace_definition" if node.child_by_field_name("body").is_some() => {
            site.declared("namespace", Shape::Group { open: true }, visibility)
        }
        "property_declaration" => {
            for element in children(node).filter(|it| it.kind() == "property_element") {
                let name = element.child_by_field_name("name").map_or("", |name| site.text(name));
                let declared = site.declared("property", Shape::Item, visibility).named(name);
                out.push(Declared { end: element.start_byte(), ..declared });
            }
            return;
        }
        "const_declaration" => {
            for element in children(node).filter(|it| it.kind() == "const_element") {
                let name = element.named_child(0).map_or("", |name| site.text(name));
                let declared = site.declared("const", Shape::Item, visibility).named(name);
                out.push(Declared { end: element.start_byte(), ..declared });
            }
            return;
        }
        _ => return,
    });
}
