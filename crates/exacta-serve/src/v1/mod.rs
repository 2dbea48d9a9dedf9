//! `/api/v1`: Plan Contract v1 over HTTP, frozen as the contract has it. A view of the same plans, approvals and runs as everywhere else.

mod envelope;
mod follow;
mod plans;
mod runs;
mod skills;
pub mod wire;

pub use envelope::problem;
pub use follow::follow;
pub use plans::{approve, draft, list, show};
pub use runs::{events, list as list_runs, rollback, show as show_run, start};
pub use skills::{list as list_skills, show as show_skill, sync};

use crate::place::Place;
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::Error;
use exacta_kernel::parse::parse_object;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// The body of a request: one JSON object, read strictly, with nothing unknown in it.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    let wrong = |why: &str| {
        refuse("VALIDATION_ERROR", &format!("the body does not fit: {why}"), "`/api/v2/openapi.json` has every field")
    };
    let text = if request.body.is_empty() {
        "{}"
    } else {
        str::from_utf8(&request.body).map_err(|_| wrong("it is not UTF-8"))?
    };
    let object = parse_object(text).map_err(|findings| {
        let first = findings.first();
        let message = first.map_or("it is no JSON object", |finding| finding.message.as_str());
        let error = wrong(message);
        Error { code: first.map_or(error.code, |finding| finding.code.into()), ..error }
    })?;
    serde_json::from_value(Value::Object(object)).map_err(|error| wrong(&error.to_string()))
}

/// That a person asks: an approver in a session. An agent's token reaches nothing that approves, rolls back or syncs.
fn person(request: &Request) -> Result<(), Error> {
    if request.credential.session().is_some() {
        return Ok(());
    }
    Err(refuse("not_allowed", "only an approver may do this, not an agent's token", "a person does it on the page"))
}

/// The project that has what is asked for, and that; the error of the last one where none has.
fn found<T>(
    request: &Request,
    find: impl Fn(&Arc<Place>) -> Result<T, Error>,
    none: Error,
) -> Result<(Arc<Place>, T), Error> {
    let mut last = none;
    for place in request.places() {
        match find(&place) {
            Ok(it) => return Ok((place, it)),
            Err(error) => last = error,
        }
    }
    Err(last)
}
