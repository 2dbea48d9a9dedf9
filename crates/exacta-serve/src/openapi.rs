//! The OpenAPI document, made from the table of routes and the types that are read.

use crate::route::{Access, Method, ROUTES, Route};
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
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Exacta", "version": env!("CARGO_PKG_VERSION"), "description": "Plans of agents: submitted, decided by people, run, undone, recorded." },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "an agent's token: `exacta token add NAME`" },
                "session": { "type": "apiKey", "in": "cookie", "name": crate::session::COOKIE },
            },
            "schemas": { "Problem": problem() },
        },
        "security": [{ "token": [] }, { "session": [] }],
    })
}

fn operation(route: &Route) -> Value {
    let problem = |what: &str| json!({ "description": what, "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } } });
    let mut responses = Map::new();
    for status in route.doc.answers {
        responses
            .insert((*status).to_owned(), json!({ "description": route.doc.what, "content": { route.doc.kind: {} } }));
    }
    for (status, what) in [
        ("400", "it does not fit"),
        ("401", "no credential"),
        ("403", "not for this credential"),
        ("404", "there is none"),
        ("409", "too late, or not yet"),
        ("415", "not JSON"),
        ("413", "too large"),
        ("422", "denied"),
        ("429", "too many requests"),
        ("500", "a fault"),
        ("503", "busy"),
    ] {
        responses.entry(status).or_insert_with(|| problem(what));
    }
    let mut told = json!({ "summary": route.doc.what, "operationId": route.doc.name, "parameters": parameters(route), "responses": responses });
    if let (Method::Post, Value::Object(told)) = (route.method, &mut told) {
        let schema = route.doc.body.map_or_else(|| json!({ "type": "object" }), |body| body());
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
