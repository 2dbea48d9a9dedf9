//! Python.

use super::{Declared, Dialect, Parameters, Shape, Site, Visibility};

pub(super) static PYTHON: Dialect = Dialect {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    comments: &["comment"],
    notes: &["decorator"],
    branches: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "while_statement",
        "except_clause",
        "conditional_expression",
        "case_clause",
        "boolean_operator",
        "for_in_clause",
        "if_clause",
    ],
    conditions: &[],
    declarations: &["function_definition", "class_definition"],
    calls: &["call"],
    imports: &["import_statement", "import_from_statement"],
    parameters: Parameters::Named,
    joint: ".",
    marks: &[],
    marked: |_| None,
    declared,
    areas: include_str!("../../data/areas/python.txt"),
};

fn declared<'t>(site: &Site<'_, 't>, out: &mut Vec<Declared<'t>>) {
    let name = site.field("name");
    let special = name.starts_with("__") && name.ends_with("__");
    let visibility = Visibility::when(special || !name.starts_with('_'));
    let test = name.starts_with("test_");
    out.push(match site.node.kind() {
        "function_definition" => Declared { test, ..site.declared("def", Shape::Function, visibility) },
        _ => site.declared("class", Shape::Scope { open: true }, visibility),
    });
}
