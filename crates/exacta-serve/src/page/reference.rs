//! The interface for programs, read by people: the OpenAPI document as a page.

use super::shell::Around;
use crate::html::Html;
use serde_json::{Map, Value};

/// Every route of a document, with what it takes and what it answers.
#[must_use]
pub fn reference(around: &Around, document: &Value) -> String {
    let mut html = Html::new();
    html.leaf("h1", &[], "For programs");
    html.tag("p", &[], |html| {
        html.text("The same as ").leaf("a", &[("href", "/api/v2/openapi.json")], "openapi.json");
        html.text(" (OpenAPI 3.1), made from the table of routes. A program sends ");
        html.leaf("code", &[], "Authorization: Bearer TOKEN").text("; ");
        html.leaf("code", &[], "exacta token add NAME").text(" makes one.");
    });
    for (path, methods) in fields(document, "/paths") {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            route(&mut html, path, method, operation);
        }
    }
    html.leaf("h2", &[], "Schemas");
    for (name, schema) in fields(document, "/components/schemas") {
        html.tag("details", &[("class", "rest"), ("id", &anchor(name))], |html| {
            html.leaf("summary", &[], name);
            written(html, schema);
        });
    }
    around.document("reference", "For programs", &html)
}

fn route(html: &mut Html, path: &str, method: &str, operation: &Value) {
    let text = |name: &str| operation.get(name).and_then(Value::as_str).unwrap_or_default();
    html.tag("details", &[("class", "rest"), ("id", &anchor(text("operationId")))], |html| {
        html.tag("summary", &[], |html| {
            html.leaf("strong", &[], &method.to_uppercase()).text(" ").leaf("code", &[], path);
            html.leaf("span", &[("class", "faint")], &format!(" {}", text("summary")));
        });
        let parameters = operation.get("parameters").and_then(Value::as_array);
        html.tag("ul", &[("class", "rows")], |html| {
            for parameter in parameters.into_iter().flatten() {
                let word = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default();
                html.tag("li", &[], |html| {
                    html.leaf("code", &[], word("name")).text(&format!(" in {} ", word("in")));
                    html.leaf("span", &[("class", "faint")], word("description"));
                });
            }
        });
        for (kind, body) in fields(operation, "/requestBody/content") {
            html.leaf("h3", &[], &format!("Sends {kind}"));
            written(html, body.get("schema").unwrap_or(&Value::Null));
        }
        html.leaf("h3", &[], "Answers");
        for (status, answer) in fields(operation, "/responses") {
            html.tag("p", &[], |html| {
                let words = answer.get("description").and_then(Value::as_str).unwrap_or_default();
                html.leaf("strong", &[], status).text(&format!(" {words}"));
            });
            // What every failure looks like is told once.
            for (_, body) in fields(answer, "/content").filter(|_| status.starts_with('2')) {
                written(html, body.get("schema").unwrap_or(&Value::Null));
            }
        }
    });
}

/// A schema: a link where it has a name, else as it is written.
fn written(html: &mut Html, schema: &Value) {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.rsplit('/').next());
    match name {
        Some(name) => html.leaf("a", &[("href", &format!("#{}", anchor(name)))], name),
        None => html.leaf("pre", &[("class", "notes")], &serde_json::to_string_pretty(schema).unwrap_or_default()),
    };
}

fn anchor(name: &str) -> String {
    format!("r-{name}")
}

fn fields<'a>(value: &'a Value, at: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.pointer(at).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
