//! What went wrong, as whoever asked reads it: a page, problem details, or the site contract's envelope.

use crate::answer::Answer;
use crate::hint::for_a_program;
use crate::mcp;
use crate::page;
use crate::problem::status;
use crate::request::Request;
use crate::route::{Access, Route};
use crate::v1;
use exacta_app::Error;
use hyper::{StatusCode, header};
use serde_json::json;
use std::sync::Arc;

/// An error, as the route's askers read it.
pub fn told(route: &Route, error: &Error) -> Answer {
    match route.access {
        Access::Api if route.path.starts_with("/api/v1/") => {
            v1::problem(route.path, error, &exacta_app::fresh_request_id())
        }
        Access::Api => problem(error),
        Access::Agent => mcp::refused(error),
        Access::Open | Access::Session => shown(error, status(error)),
    }
}

/// An error for programs: RFC 9457, with our code and what helps.
pub fn problem(error: &Error) -> Answer {
    let status = status(error);
    let body = json!({
        "type": "about:blank", "title": title(status), "status": status.as_u16(), "detail": error.message,
        "code": error.code, "hint": error.hint.as_ref().map(for_a_program), "places": error.places,
    });
    let answer = Answer::json(status, "application/problem+json", &body);
    match status {
        StatusCode::UNAUTHORIZED => answer.with(header::WWW_AUTHENTICATE, "Bearer".to_owned()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            answer.with(header::RETRY_AFTER, "1".to_owned())
        }
        _ => answer,
    }
}

/// An error, with the page around it if there is one to show.
pub fn in_session(request: &Request, error: &Error) -> Answer {
    let server = &request.server;
    let looked = request.place.iter().filter_map(|place| Some((Arc::clone(place), place.look(&request.caller).ok()?)));
    let looked: Vec<_> = looked.collect();
    let around = request.credential.session().and_then(|session| server.around(&looked, session).ok());
    Answer::page(status(error), page::message(around.as_ref(), title(status(error)), error))
}

/// An error as a page for whoever has no session.
pub fn shown(error: &Error, status: StatusCode) -> Answer {
    Answer::page(status, page::message(None, title(status), error))
}

const fn title(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "Not signed in",
        403 | 421 => "Refused",
        404 => "Not found",
        409 => "Too late",
        _ => "That did not work",
    }
}
