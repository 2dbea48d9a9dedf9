//! `/api/v2`: the use cases for programs, as JSON.

mod audit;
pub mod given;
mod plans;
mod project;
mod runs;
pub mod wire;

pub use audit::{checkpoint, entries, proof, verify};
pub use plans::{approve, check, derive, diff, list, reject, revise, show, submit, wait, withdraw};
pub use project::{health, metrics, policy, profile, projects, set_policy, set_profile};
pub use runs::{cancel, events, run, start, undo};

pub(crate) use plans::key as session_key;

use crate::answer::Answer;
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::Error;
use hyper::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An answer in JSON.
fn json(value: &impl Serialize) -> Answer {
    Answer::json(StatusCode::OK, "application/json", value)
}

/// The body of a request, with nothing unknown in it. None is an empty object.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    let bytes: &[u8] = if request.body.is_empty() { b"{}" } else { &request.body };
    serde_json::from_slice(bytes).map_err(|error| {
        refuse("body_invalid", &format!("the body does not fit: {error}"), "`/api/v2/openapi.json` has every field")
    })
}
