//! Ruby.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility};

pub(super) static RUBY: Dialect = Dialect {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    comments: &["comment"],
    notes: &[],
    branches: &[
        "if",
        "elsif",
        "unless",
        "while",
        "until",
        "for",
        "when",
        "in_clause",
        "rescue",
        "conditional",
        "if_modifier",
        "unless_modifier",
        "while_modifier",
        "until_modifier",
        "rescue_modifier",
    ],
    conditions: &["binary"],
    declarations: &["class", "module", "method", "singleton_method"],
    calls: &["call"],
    imports: &[],
    parameters: Parameters::Typed,
    joint: ".",
    marks: &["identifier"],
    marked,
    declared,
    areas: include_str!("../../data/areas/ruby.txt"),
};

/// `private` and its like alone on a line.
fn marked(site: &Site<'_, '_>) -> Option<bool> {
    if site.above.last().is_none_or(|it| it.kind() != "body_statement") {
        return None;
    }
    match site.text(site.node) {
        "private" | "protected" => Some(false),
        "public" => Some(true),
        _ => None,
    }
}

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    // `private def f`
    let call = site.above.iter().rev().nth(1).filter(|it| it.kind() == "call");
    let said = call.and_then(|call| call.child_by_field_name("method")).map_or("", |method| site.text(method));
    let hidden = matches!(said, "private" | "protected" | "private_class_method");
    let open = site.scope.is_none_or(|scope| scope.open);
    out.push(match site.node.kind() {
        "class" => site.declared("class", Shape::Scope { open: true }, Visibility::Public),
        "module" => site.declared("module", Shape::Scope { open: true }, Visibility::Public),
        "singleton_method" => method(site, Visibility::when(!hidden)),
        "method" => method(site, Visibility::when(open && !hidden)),
        _ => return,
    });
}

/// A method may have no body, so its signature ends with its parameters or its name.
fn method<'t>(site: &Site<'_, 't>, visibility: Visibility) -> Declared<'t> {
    let declared = site.declared("def", Shape::Function, visibility);
    let last = declared.parameters.or_else(|| site.node.child_by_field_name("name"));
    Declared { end: last.map_or(declared.end, |last| last.end_byte()), ..declared }
}
