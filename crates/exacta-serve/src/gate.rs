//! The one way in. In this order: the host that was asked for, the page that asks, the size, the credential; then the route's own work.

use crate::admit::{admitted, session_of, shown_by, unauthenticated};
use crate::answer::Answer;
use crate::body::Body;
use crate::mcp;
use crate::openapi;
use crate::pages;
use crate::problem::{refuse, status};
use crate::route::{Access, Handler, Method, Route};
use crate::routes::ROUTES;
use crate::session::Session;
use crate::state::Server;
use crate::told::{problem, shown, told};
use crate::v1;
use crate::work::{Work, once, standing, waited, worked};
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use std::sync::Arc;

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
    let counted = Arc::clone(&server);
    let mut response = answer(server, request).await;
    counted.counted(response.status());
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
        _ => return nothing_there(&server, &parts, session, &found).into_response(),
    };
    let Some((route, named)) = found.iter().find(|(route, _)| route.method == method) else {
        return nothing_there(&server, &parts, session, &found).into_response();
    };
    let route: &'static Route = route;
    let etag = parts.headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
    let key = parts.headers.get("idempotency-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
    let asked = mcp::Asked::of(&parts.headers);
    match admitted(&server, route, named.clone(), parts, body, session).await {
        Err(error) => told(route, &error).into_response(),
        Ok(request) => match route.handler {
            Handler::Mcp => mcp::answer(request, asked).await,
            Handler::Live => server.live.stream(),
            Handler::OpenApi => {
                let document = Answer::json(StatusCode::OK, "application/json", &openapi::document());
                document.tagged().unless_known(etag.as_deref()).into_response()
            }
            Handler::Reference => {
                let page: Work<Answer> = |request| pages::reference(request, &openapi::document());
                worked(&server, route, request, page, false).await.into_response()
            }
            Handler::Wait(work) => waited(&server, route, request, work).await.into_response(),
            Handler::Follow(work) => {
                let (server, request) = (Arc::clone(&server), Arc::new(request));
                let first = standing(&server, route, Arc::clone(&request), work).await;
                v1::follow(first, move || {
                    let (server, request) = (Arc::clone(&server), Arc::clone(&request));
                    async move { standing(&server, route, request, work).await }
                })
            }
            Handler::Work(work) if route.access == Access::Api && method == Method::Post => {
                once(&server, route, request, work, key).await.into_response()
            }
            Handler::Work(work) => {
                let answer = worked(&server, route, request, work, method == Method::Post).await;
                let answer =
                    if route.access == Access::Api { answer.tagged().unless_known(etag.as_deref()) } else { answer };
                answer.into_response()
            }
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

/// There is no such page, or not in this way. Beneath `/api/` nobody without a credential learns even that.
fn nothing_there(
    server: &Server,
    parts: &Parts,
    session: Option<Arc<Session>>,
    found: &[(&Route, Vec<String>)],
) -> Answer {
    let path = parts.uri.path();
    let is_api = path.starts_with("/api/") || path == "/mcp";
    let caller = shown_by(&parts.headers, session, false).and_then(|credential| credential.caller(server));
    if is_api && !caller.is_ok_and(|caller| caller.is_some()) {
        return problem(&unauthenticated());
    }
    let allowed: Vec<&str> = found.iter().map(|(route, _)| route.method.name()).collect();
    let error = match allowed.is_empty() {
        true => refuse("not_found", "there is no such page", "the inbox is at `/`"),
        false => refuse("method_not_allowed", "this is not asked for in this way", "see `/api/v2/openapi.json`"),
    };
    let answer = if is_api { problem(&error) } else { shown(&error, status(&error)) };
    if allowed.is_empty() { answer } else { answer.with(header::ALLOW, allowed.join(", ")) }
}
