//! JavaScript and TypeScript.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility, children};
use tree_sitter::Node;

/// What both share.
const SCRIPT: Dialect = Dialect {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    comments: &["comment"],
    notes: &["decorator"],
    branches: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_case",
        "catch_clause",
        "ternary_expression",
    ],
    conditions: &["binary_expression"],
    declarations: &[
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "class",
        "method_definition",
        "field_definition",
        "variable_declarator",
        "pair",
        "assignment_expression",
        "export_statement",
    ],
    calls: &["call_expression", "new_expression"],
    imports: &["import_statement"],
    parameters: Parameters::Typed,
    joint: ".",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/script.txt"),
};

pub(super) static JAVASCRIPT: Dialect = SCRIPT;

pub(super) static TYPESCRIPT: Dialect =
    Dialect { grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), declarations: TYPED, ..SCRIPT };

pub(super) static TSX: Dialect =
    Dialect { grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(), declarations: TYPED, ..SCRIPT };

const TYPED: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "class_declaration",
    "abstract_class_declaration",
    "class",
    "method_definition",
    "method_signature",
    "abstract_method_signature",
    "public_field_definition",
    "property_signature",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "enum_assignment",
    "internal_module",
    "variable_declarator",
    "pair",
    "assignment_expression",
    "export_statement",
];

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let visibility = visibility(site);
    out.push(match node.kind() {
        "function_declaration" | "generator_function_declaration" => {
            site.declared("function", Shape::Function, visibility)
        }
        "function_signature" => site.declared("function", Shape::Item, visibility),
        "class_declaration" | "abstract_class_declaration" | "class" => {
            site.declared("class", Shape::Scope { open: true }, visibility)
        }
        "method_definition" => site.declared("method", Shape::Function, visibility),
        "method_signature" | "abstract_method_signature" => site.declared("method", Shape::Item, visibility),
        "field_definition" | "public_field_definition" => value(site, "field", "name", visibility),
        "property_signature" => site.declared("property", Shape::Item, visibility),
        "interface_declaration" => site.declared("interface", Shape::Scope { open: true }, visibility),
        "type_alias_declaration" => site.declared("type", Shape::Item, visibility),
        "enum_declaration" => site.declared("enum", Shape::Scope { open: true }, visibility),
        "enum_assignment" => site.declared("value", Shape::Item, visibility).up_to(node, "value"),
        "internal_module" => site.declared("namespace", Shape::Scope { open: false }, visibility),
        "variable_declarator" => value(site, "const", "name", visibility),
        // In an object, only functions are looked at, for what they do.
        "pair" if is_function(node) => value(site, "function", "key", Visibility::Private),
        "assignment_expression" => return assigned(site, out),
        "export_statement" => return exported(site, out),
        _ => return,
    });
}

/// Exported, a member of something that says nothing else, or perhaps exported further down.
fn visibility(site: &Site<'_, '_>) -> Visibility {
    if site.open() {
        let hidden = site.child("accessibility_modifier").is_some_and(|it| site.text(it) == "private");
        let name = site.field("name");
        return Visibility::when(!hidden && !name.starts_with(['#', '_']));
    }
    let mut above = site.above.iter().rev().take(3);
    match above.find(|it| !matches!(it.kind(), "lexical_declaration" | "variable_declaration" | "ambient_declaration"))
    {
        Some(parent) if parent.kind() == "export_statement" => Visibility::Public,
        Some(parent) if matches!(parent.kind(), "program") => Visibility::IfExported,
        _ => Visibility::Private,
    }
}

/// Something with a value; one that is a function has that function's parameters and complexity.
fn value<'t>(site: &Site<'_, 't>, word: &'static str, name: &str, visibility: Visibility) -> Declared<'t> {
    let function = site.node.child_by_field_name("value").filter(|value| is_code(value.kind()));
    let declared = site.declared(word, Shape::Item, visibility).named(site.field(name)).up_to(site.node, "value");
    function.map_or(declared, |function| Declared {
        word: "function",
        shape: Shape::Function,
        parameters: function.child_by_field_name("parameters").or_else(|| function.child_by_field_name("parameter")),
        ..declared
    })
}

fn is_function(node: Node<'_>) -> bool {
    node.child_by_field_name("value").is_some_and(|value| is_code(value.kind()))
}

fn is_code(kind: &str) -> bool {
    matches!(kind, "arrow_function" | "function_expression" | "generator_function")
}

/// `module.exports = { a, b }`, `module.exports = a`, `exports.a = …`.
fn assigned<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let Some(right) = site.node.child_by_field_name("right") else { return };
    let left = site.field("left");
    let exports = left.strip_prefix("module.").unwrap_or(left);
    let alias = site.declared("export", Shape::Alias, Visibility::Public);
    let export = site.declared("export", Shape::Export, Visibility::Public);
    match exports.strip_prefix("exports").map(|rest| rest.strip_prefix('.')) {
        Some(Some(name)) => out.extend([alias.named(name), export.named(site.text(right))]),
        Some(None) if right.kind() == "object" => {
            for member in children(right) {
                let name = match member.kind() {
                    "shorthand_property_identifier" => site.text(member),
                    "pair" => member.child_by_field_name("key").map_or("", |key| site.text(key)),
                    "method_definition" => member.child_by_field_name("name").map_or("", |name| site.text(name)),
                    _ => continue,
                };
                let value = member.child_by_field_name("value").map_or(name, |value| site.text(value));
                out.extend([alias.named(name), export.named(value)]);
            }
        }
        Some(None) => out.extend([alias.named("default"), export.named(site.text(right))]),
        // Only functions are looked at, for what they do.
        None if is_code(right.kind()) => {
            out.push(site.declared("function", Shape::Function, Visibility::Private).named(left));
        }
        None => {}
    }
}

/// `export { a, b as c }`, `export default a`, `export * from "x"`.
fn exported<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let alias = site.declared("export", Shape::Alias, Visibility::Public);
    let export = site.declared("export", Shape::Export, Visibility::Public);
    let foreign = site.node.child_by_field_name("source").is_some();
    if site.child("default").is_some() {
        let value = site.node.child_by_field_name("value");
        out.push(alias.named("default"));
        out.extend(value.map(|value| export.named(site.text(value))));
    } else if foreign && site.child("*").is_some() {
        out.push(alias.named(site.field("source")));
    }
    for clause in children(site.node).filter(|child| child.kind() == "export_clause") {
        for specifier in children(clause).filter(|child| child.kind() == "export_specifier") {
            let part = |field: &str| specifier.child_by_field_name(field).map(|it| site.text(it));
            let name = part("name").unwrap_or_default();
            out.push(alias.named(part("alias").unwrap_or(name)));
            if !foreign {
                out.push(export.named(name));
            }
        }
    }
}
