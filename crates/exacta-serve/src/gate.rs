//! The one way in. In this order: the host that was asked for, the page that asks, the size, the credential; then the route's own work.

use crate::answer::Answer;
use crate::body::{self, Body};
use crate::page;
use crate::problem::{refuse, status};
use crate::request::{Request, fields};
use crate::route::{Access, Handler, Method, ROUTES, Route};
use crate::session::{COOKIE, Session};
use crate::state::Server;
use exacta_app::{Caller, Error};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use std::sync::Arc;

/// The largest body of a form, in bytes.
const LARGEST: usize = 1 << 20;

/// What every answer says to a browser: nothing from elsewhere, nothing inline, in nobody's frame, and no word to others of where one came from.
const HEADERS: [(&str, &str); 8] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cache-control", "no-store"),
];

/// Answers a request.
pub async fn enter(server: Arc<Server>, request: hyper::Request<Incoming>) -> Response<Body> {
    let mut response = answer(server, request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

async fn answer(server: Arc<Server>, request: hyper::Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if !is_ours(&server, &parts) {
        let error = refuse(
            "host_refused",
            "this server does not answer to that name",
            "use the address that `exacta serve` printed",
        );
        return shown(&error, StatusCode::MISDIRECTED_REQUEST).into_response();
    }
    let session = session_of(&server, &parts.headers);
    let path = parts.uri.path().to_owned();
    let found = ROUTES.iter().filter_map(|route| Some((route, route.matches(&path)?))).collect::<Vec<_>>();
    let method = match parts.method.as_str() {
        "GET" | "HEAD" => Method::Get,
        "POST" => Method::Post,
        _ => return nothing_there(&path, session.as_deref(), true).into_response(),
    };
    let Some((route, named)) = found.iter().find(|(route, _)| route.method == method) else {
        return nothing_there(&path, session.as_deref(), !found.is_empty()).into_response();
    };
    match admitted(&server, route, named.clone(), parts, body, session).await {
        Err(error) => shown(&error, status(&error)).into_response(),
        Ok(request) => match route.handler {
            Handler::Live => server.live.stream(),
            Handler::Work(work) => worked(&server, request, work, method == Method::Post).await.into_response(),
        },
    }
}

/// Whether the request names this server: by `Host`, exactly, and by nothing else.
fn is_ours(server: &Server, parts: &Parts) -> bool {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let named = hosts.next().and_then(|host| host.to_str().ok());
    let ours = |host: &str| server.hosts.iter().any(|known| known == host);
    let authority = parts.uri.authority().is_none_or(|authority| ours(authority.as_str()));
    named.is_some_and(ours) && hosts.next().is_none() && authority
}

/// The session of the cookie.
fn session_of(server: &Server, headers: &HeaderMap) -> Option<Arc<Session>> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).and_then(|(_, value)| server.sessions.find(value))
}

/// A request that may be worked on.
async fn admitted(
    server: &Arc<Server>,
    route: &Route,
    named: Vec<String>,
    parts: Parts,
    body: Incoming,
    session: Option<Arc<Session>>,
) -> Result<Request, Error> {
    if route.access == Access::Session && session.is_none() {
        return Err(unauthenticated());
    }
    if route.method == Method::Post {
        from_our_page(server, &parts.headers)?;
    }
    let limit = if route.method == Method::Post { LARGEST } else { 0 };
    let body = body::read(body, limit).await.ok_or_else(|| too_large(limit))?;
    let mut form = Vec::new();
    if route.method == Method::Post {
        let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(refuse("media_type", "this takes a form of this page", "use the buttons of the page"));
        }
        form = fields(&String::from_utf8_lossy(&body));
    }
    let token = form.iter().find(|(name, _)| name == "token").map(|(_, token)| token.as_str()).unwrap_or_default();
    if route.method == Method::Post
        && session.as_ref().is_some_and(|session| route.access == Access::Session && !session.is_form(token))
    {
        return Err(refuse("form_refused", "this form is not of this session", "reload the page and try again"));
    }
    Ok(Request {
        server: Arc::clone(server),
        caller: session.as_ref().map_or_else(Caller::default, |_| server.person()),
        session,
        path: parts.uri.path().to_owned(),
        named,
        query: fields(parts.uri.query().unwrap_or_default()),
        form,
    })
}

/// Whether a page of this server asks, and no other: by `Origin`, which a browser always sends with a POST, and by `Sec-Fetch-Site`.
fn from_our_page(server: &Server, headers: &HeaderMap) -> Result<(), Error> {
    let one = |name: &str| {
        let mut values = headers.get_all(name).iter();
        let first = values.next().map(|value| value.to_str().unwrap_or("?"));
        if values.next().is_some() { Some("?") } else { first }
    };
    let origin = one("origin").and_then(|origin| origin.strip_prefix("http://"));
    let is_ours =
        origin.is_some_and(|origin| one("host") == Some(origin) && server.hosts.iter().any(|host| host == origin));
    let site = one("sec-fetch-site").is_none_or(|site| site == "same-origin");
    if is_ours && site {
        return Ok(());
    }
    Err(refuse("origin_refused", "another page asks for this", "use the buttons of the page itself"))
}

/// Works on a request in a worker's thread.
async fn worked(
    server: &Arc<Server>,
    request: Request,
    work: fn(&Request) -> Result<Answer, Error>,
    acts: bool,
) -> Answer {
    let turn = match server.turn(acts).await {
        Ok(turn) => turn,
        Err(error) => return shown(&error, status(&error)),
    };
    let done = tokio::task::spawn_blocking(move || {
        let answer = work(&request);
        drop(turn);
        answer.unwrap_or_else(|error| in_session(&request, &error))
    });
    done.await.unwrap_or_else(|_| {
        let error =
            Error::fault("internal", "something in this server is broken").hint("report this as a defect of exacta");
        shown(&error, StatusCode::INTERNAL_SERVER_ERROR)
    })
}

/// An error, with the page around it if there is one to show.
fn in_session(request: &Request, error: &Error) -> Answer {
    let server = &request.server;
    let app = request.session.as_ref().and_then(|_| server.look(&request.caller).ok());
    let around = app.as_ref().zip(request.session.as_ref()).and_then(|(app, session)| server.around(app, session).ok());
    Answer::page(status(error), page::message(around.as_ref(), title(status(error)), error))
}

fn shown(error: &Error, status: StatusCode) -> Answer {
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

/// There is no such page, or not in this way. Beneath `/api/` nobody without a credential learns even that.
fn nothing_there(path: &str, session: Option<&Session>, other_method: bool) -> Answer {
    if path.starts_with("/api/") && session.is_none() {
        let error = unauthenticated();
        return shown(&error, status(&error));
    }
    let error = refuse("not_found", "there is no such page", "the inbox is at `/`");
    shown(&error, if other_method { StatusCode::METHOD_NOT_ALLOWED } else { StatusCode::NOT_FOUND })
}

fn unauthenticated() -> Error {
    refuse("unauthenticated", "this needs an approver's session", "open the link that `exacta serve` printed")
}

fn too_large(limit: usize) -> Error {
    refuse("too_large", &format!("the request is larger than {limit} bytes"), "send less")
}
