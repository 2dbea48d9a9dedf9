//! The OpenAPI document, made from the table of routes and the types that are read and answered.

use crate::route::{Access, Method, Route};
use crate::routes::ROUTES;
use serde_json::{Map, Value, json};

/// The document.
#[must_use]
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES.iter().filter(|route| route.access == Access::Api) {
        let method = if route.method == Method::Get { "get" } else { "post" };
        let path = paths.entry(route.path.to_owned()).or_insert_with(|| json!({}));
        if let Value::Object(path) = path {
            path.insert(method.to_owned(), operation(route));
        }
    }
    let mut schemas = named("Plan", exacta_view::schema::plan_view());
    schemas.extend(named("Proposal", exacta_kernel::schema::proposal()));
    schemas.insert("Problem".to_owned(), problem());
    schemas.insert("Envelope".to_owned(), envelope());
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Exacta", "version": env!("CARGO_PKG_VERSION"), "description": "Plans of agents: submitted, decided by people, run, undone, recorded." },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "an agent's token: `exacta token add NAME`" },
                "session": { "type": "apiKey", "in": "cookie", "name": crate::session::COOKIE },
            },
            "schemas": schemas,
        },
        "security": [{ "token": [] }, { "session": [] }],
    })
}

/// A schema and those of what is in it, each by its own name.
fn named(name: &str, schema: Value) -> Map<String, Value> {
    let Value::Object(mut whole) = moved(schema) else { return Map::new() };
    let parts = whole.remove("$defs");
    for head in ["$schema", "$id"] {
        whole.remove(head);
    }
    let mut schemas = match parts {
        Some(Value::Object(parts)) => parts,
        _ => Map::new(),
    };
    schemas.insert(name.to_owned(), Value::Object(whole));
    schemas
}

/// The same schema with its references to where this document has the parts.
fn moved(schema: Value) -> Value {
    match schema {
        Value::String(text) => match text.strip_prefix("#/$defs/") {
            Some(name) => json!(format!("#/components/schemas/{name}")),
            None => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(moved).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, moved(value))).collect(),
        other => other,
    }
}

const PROBLEMS: [(&str, &str); 11] = [
    ("400", "it does not fit"),
    ("401", "no credential"),
    ("403", "not for this credential"),
    ("404", "there is none"),
    ("409", "too late, or not yet"),
    ("413", "too large"),
    ("415", "not JSON"),
    ("422", "denied"),
    ("429", "too many requests"),
    ("500", "a fault"),
    ("503", "busy"),
];

/// What `/api/v1` also answers: it asks others.
const UPSTREAM: [(&str, &str); 2] =
    [("502", "the site, the provider or the repository failed"), ("504", "it took too long")];

fn operation(route: &Route) -> Value {
    let v1 = route.path.starts_with("/api/v1/");
    let (kind, schema) = if v1 { ("application/json", "Envelope") } else { ("application/problem+json", "Problem") };
    let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
    let problem = |what: &str| json!({ "description": what, "content": { kind: { "schema": schema } } });
    let mut responses = Map::new();
    let schema = route.doc.gives.map_or_else(|| json!({}), |gives| gives());
    let given = |what: &str| json!({ "description": what, "content": { route.doc.kind: { "schema": schema } } });
    for status in route.doc.answers {
        responses.insert((*status).to_owned(), given(route.doc.what));
    }
    let upstream = v1.then_some(UPSTREAM).into_iter().flatten();
    for (status, what) in PROBLEMS.into_iter().chain(upstream) {
        responses.entry(status).or_insert_with(|| problem(what));
    }
    if route.method == Method::Get {
        responses.insert("304".to_owned(), json!({ "description": "as `If-None-Match` has it" }));
    }
    // A proposal that is denied is answered with everything that was found about it.
    if route.doc.body.is_none() && route.method == Method::Post && !v1 {
        let mut denied = given("denied, with every finding");
        if let Some(Value::Object(content)) = denied.get_mut("content") {
            content.insert(
                "application/problem+json".to_owned(),
                json!({ "schema": { "$ref": "#/components/schemas/Problem" } }),
            );
        }
        responses.insert("422".to_owned(), denied);
    }
    let mut told = json!({ "summary": route.doc.what, "operationId": route.doc.name, "parameters": parameters(route), "responses": responses });
    if let (Method::Post, Value::Object(told)) = (route.method, &mut told) {
        let schema = match route.doc.body {
            Some(body) => body(),
            None if v1 => json!({ "type": "object" }),
            None => json!({ "$ref": "#/components/schemas/Proposal" }),
        };
        told.insert("requestBody".to_owned(), json!({ "content": { "application/json": { "schema": schema } } }));
    }
    told
}

fn parameters(route: &Route) -> Vec<Value> {
    let named = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut all: Vec<Value> = named
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    all.extend(
        route.doc.query.iter().map(|name| json!({ "name": name, "in": "query", "schema": { "type": "string" } })),
    );
    if route.method == Method::Post {
        all.push(json!({ "name": "Idempotency-Key", "in": "header", "schema": { "type": "string", "maxLength": 128 }, "description": "the same key with the same body gets the same answer, and nothing is done twice" }));
    } else {
        all.push(json!({ "name": "If-None-Match", "in": "header", "schema": { "type": "string" }, "description": "the `ETag` of an answer that is known already" }));
    }
    all
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": { "const": "about:blank" }, "title": { "type": "string" }, "status": { "type": "integer" }, "detail": { "type": "string" },
            "code": { "type": "string" }, "hint": { "type": ["string", "null"] }, "places": { "type": "array", "items": { "type": "string" } },
        },
    })
}

/// Every answer of the site contract.
fn envelope() -> Value {
    json!({
        "type": "object",
        "required": ["ok", "data", "error", "meta"],
        "properties": {
            "ok": { "type": "boolean" }, "data": {},
            "error": {
                "type": ["object", "null"],
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string" }, "message": { "type": "string" }, "hint": { "type": ["string", "null"] },
                    "findings": { "type": "array" }, "active_run_id": { "type": "string" },
                },
            },
            "meta": { "type": "object", "required": ["request_id"], "properties": { "request_id": { "type": "string" } } },
        },
    })
}
