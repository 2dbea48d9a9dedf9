//! C and C++. What headers declare is public; what other files hold is theirs.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility};
use tree_sitter::Node;

pub(super) static C: Dialect = Dialect {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    comments: &["comment"],
    notes: &["attribute_declaration", "attribute_specifier"],
    branches: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "case_statement",
        "conditional_expression",
    ],
    conditions: &["binary_expression"],
    declarations: &[
        "function_definition",
        "declaration",
        "field_declaration",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "enumerator",
        "type_definition",
        "preproc_def",
        "preproc_function_def",
    ],
    calls: &["call_expression"],
    imports: &["preproc_include"],
    parameters: Parameters::Bare,
    joint: ".",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/c.txt"),
};

pub(super) static CPP: Dialect = Dialect {
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    comments: &["comment"],
    notes: &["attribute_declaration", "attribute_specifier"],
    branches: &[
        "if_statement",
        "for_statement",
        "for_range_loop",
        "while_statement",
        "do_statement",
        "case_statement",
        "catch_clause",
        "conditional_expression",
    ],
    conditions: &["binary_expression"],
    declarations: &[
        "function_definition",
        "declaration",
        "field_declaration",
        "class_specifier",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "enumerator",
        "type_definition",
        "alias_declaration",
        "namespace_definition",
        "concept_definition",
        "preproc_def",
        "preproc_function_def",
    ],
    calls: &["call_expression"],
    imports: &["preproc_include"],
    parameters: Parameters::Bare,
    joint: "::",
    marks: &["access_specifier"],
    marked,
    declared,
    areas: include_str!("../../data/areas/c.txt"),
};

const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "cuh"];

/// `public:` and its like in a class; the same words stand before base classes.
fn marked(site: &Site<'_, '_>) -> Option<bool> {
    let within = site.above.last().is_some_and(|it| it.kind() == "field_declaration_list");
    within.then(|| !site.text(site.node).starts_with("private"))
}

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let node = site.node;
    let extension = site.file.rsplit_once('.').map_or("", |(_, extension)| extension);
    let header = HEADERS.contains(&extension.to_ascii_lowercase().as_str());
    let visibility = Visibility::when(header && site.scope.is_none_or(|scope| scope.open));
    let has_body = node.child_by_field_name("body").is_some();
    out.push(match node.kind() {
        "function_definition" => function(site, "function", Shape::Function, visibility),
        "declaration" => function(site, "variable", Shape::Item, visibility),
        "field_declaration" => function(site, "field", Shape::Item, visibility),
        "type_definition" => function(site, "type", Shape::Item, visibility),
        "class_specifier" if has_body => site.declared("class", Shape::Scope { open: false }, visibility),
        "struct_specifier" if has_body => site.declared("struct", Shape::Scope { open: true }, visibility),
        "union_specifier" if has_body => site.declared("union", Shape::Scope { open: true }, visibility),
        "enum_specifier" if has_body => site.declared("enum", Shape::Scope { open: true }, visibility),
        "enumerator" => site.declared("value", Shape::Item, visibility).up_to(node, "value"),
        "alias_declaration" => site.declared("type", Shape::Item, visibility),
        "concept_definition" => site.declared("concept", Shape::Item, visibility),
        "namespace_definition" if node.child_by_field_name("name").is_some() => {
            site.declared("namespace", Shape::Group { open: true }, visibility)
        }
        "namespace_definition" => {
            site.declared("namespace", Shape::Group { open: false }, Visibility::Private).named("anonymous")
        }
        "preproc_def" | "preproc_function_def" => site.declared("macro", Shape::Item, visibility).up_to(node, "value"),
        _ => return,
    });
}

/// Something with a declarator: a function if that says so.
fn function<'t>(site: &Site<'_, 't>, word: &'static str, shape: Shape, visibility: Visibility) -> Declared<'t> {
    let declared = site.declared(word, shape, visibility).up_to(site.node, "default_value");
    let (mut name, mut parameters, mut value) = (site.node.child_by_field_name("declarator"), None, None);
    // Pointers, arrays and brackets may stand around the name.
    while let Some(inner) = name.and_then(inner) {
        let outer = name.map_or("", |outer| outer.kind());
        if outer == "function_declarator" {
            parameters = name.and_then(|it| it.child_by_field_name("parameters"));
        }
        value = value.or_else(|| name.and_then(|it| it.child_by_field_name("value")));
        name = Some(inner);
    }
    let text = name.map_or("", |name| site.text(name));
    let end = value.map_or(declared.end, |value: Node<'_>| value.start_byte());
    let word = if parameters.is_some() { "function" } else { word };
    Declared { word, parameters, end: end.min(declared.end), ..declared.named(text) }
}

/// The declarator in a declarator.
fn inner(node: Node<'_>) -> Option<Node<'_>> {
    let wraps = matches!(node.kind(), "reference_declarator" | "parenthesized_declarator" | "attributed_declarator");
    node.child_by_field_name("declarator").or_else(|| wraps.then(|| node.named_child(0)).flatten())
}
