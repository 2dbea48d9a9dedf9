//! The one way in. In this order: the host that was asked for, the page that asks, the size, the credential; then the route's own work.

use crate::answer::Answer;
use crate::body::{self, Body};
use crate::credential::Credential;
use crate::hint::for_a_program;
use crate::mcp;
use crate::openapi;
use crate::page;
use crate::place::Place;
use crate::problem::{refuse, status};
use crate::request::{Request, fields};
use crate::route::{About, Access, Handler, Method, ROUTES, Route};
use crate::session::{COOKIE, Session};
use crate::state::Server;
use crate::v1;
use exacta_app::{Caller, Error};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{PlanId, RunId};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The largest body of a form, in bytes.
const LARGEST: usize = 1 << 20;

/// The largest body of a program's request: a plan can be that large where the operator says so.
const LARGEST_PLAN: usize = 64 << 20;

/// What an approver's program does with a decision that it signed itself.
const SIGNED: [&str; 3] = ["approve", "reject", "withdraw"];

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
                tagged(Answer::json(StatusCode::OK, "application/json", &openapi::document()), etag).into_response()
            }
            Handler::Wait(work) => waited(&server, route, request, work).await.into_response(),
            Handler::Follow(work) => {
                let (server, request) = (Arc::clone(&server), Arc::new(request));
                let first = shared(&server, route, Arc::clone(&request), work, false).await;
                v1::follow(first, move || {
                    let (server, request) = (Arc::clone(&server), Arc::clone(&request));
                    async move { shared(&server, route, request, work, false).await }
                })
            }
            Handler::Work(work) if route.access == Access::Api && method == Method::Post => {
                once(&server, route, request, work, key).await.into_response()
            }
            Handler::Work(work) => {
                let answer = worked(&server, route, request, work, method == Method::Post).await;
                if route.access == Access::Api { tagged(answer, etag) } else { answer }.into_response()
            }
        },
    }
}

/// Works on a request of a program once for its idempotency key: whoever asks again gets the same answer.
async fn once(
    server: &Arc<Server>,
    route: &'static Route,
    request: Request,
    work: Work,
    key: Option<String>,
) -> Answer {
    let Some(key) = key.filter(|key| (1..=128).contains(&key.len())) else {
        return worked(server, route, request, work, true).await;
    };
    let key = format!("{}\0{}\0{:?}\0{key}", request.caller.credential(), request.path, request.query);
    match server.limits.before(&key, &request.body) {
        Err(error) => told(route, &error),
        Ok(Some(answer)) => answer,
        Ok(None) => {
            let answer = worked(server, route, request, work, true).await;
            server.limits.remember(&key, &answer);
            answer
        }
    }
}

/// Works on a request until there is an answer to wait for: as long as the asker says, a minute at most.
async fn waited(server: &Arc<Server>, route: &'static Route, request: Request, work: Work) -> Answer {
    let seconds = request.asked("timeout").and_then(|seconds| seconds.parse().ok()).unwrap_or(30_u64).min(60);
    let until = Instant::now() + Duration::from_secs(seconds);
    let request = Arc::new(request);
    loop {
        let answer = shared(server, route, Arc::clone(&request), work, false).await;
        let waits = String::from_utf8_lossy(&answer.body).contains("\"answer\":\"waiting\"");
        if !waits || Instant::now() >= until {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

/// With a tag that says what is in it; whoever has that already gets no more.
fn tagged(answer: Answer, known: Option<String>) -> Answer {
    if answer.status != StatusCode::OK {
        return answer;
    }
    let tag = format!("\"{}\"", Digest::of(&answer.body));
    if known.as_deref() == Some(tag.as_str()) {
        return Answer {
            status: StatusCode::NOT_MODIFIED,
            kind: answer.kind,
            headers: vec![(header::ETAG, tag)],
            body: Vec::new(),
        };
    }
    answer.with(header::ETAG, tag)
}

type Work = fn(&Request) -> Result<Answer, Error>;

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
    let post = route.method == Method::Post;
    let kind =
        parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    let credential = match route.access {
        Access::Open => Credential::None,
        Access::Session => Credential::Session(session.ok_or_else(unauthenticated)?),
        Access::Api => shown_by(&parts.headers, session, SIGNED.contains(&route.doc.name))?,
        Access::Agent => shown_by(&parts.headers, None, false)?,
    };
    let caller = credential.caller(server)?.ok_or_else(unauthenticated)?;
    if matches!(credential, Credential::Token(_)) {
        server.limits.count(&caller.credential())?;
    }
    if post {
        from_our_page(server, &parts.headers, matches!(credential, Credential::None | Credential::Session(_)))?;
    }
    let limit = match (post, route.access) {
        (false, _) => 0,
        (true, Access::Api | Access::Agent) => LARGEST_PLAN,
        (true, _) => LARGEST,
    };
    let body = body::read(body, limit).await.ok_or_else(|| too_large(limit))?;
    let mut form = Vec::new();
    if post && route.access.is_program() {
        if matches!(credential, Credential::Signature) && !is_signed(&body) {
            return Err(unauthenticated());
        }
        if !kind.starts_with("application/json") {
            return Err(refuse("media_type", "this takes JSON", "send `Content-Type: application/json`"));
        }
        // A request with a token was counted where the token was looked at.
        if !matches!(credential, Credential::Token(_)) {
            server.limits.count(&caller.credential())?;
        }
    } else if post {
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(refuse("media_type", "this takes a form of this page", "use the buttons of the page"));
        }
        form = fields(&String::from_utf8_lossy(&body));
        let token = form.iter().find(|(name, _)| name == "token").map(|(_, token)| token.as_str()).unwrap_or_default();
        if route.access == Access::Session && !credential.session().is_some_and(|session| session.is_form(token)) {
            return Err(refuse("form_refused", "this form is not of this session", "reload the page and try again"));
        }
    }
    let query = fields(parts.uri.query().unwrap_or_default());
    let request_id = parts.headers.get("x-request-id").and_then(|id| id.to_str().ok());
    let request_id =
        request_id.filter(|id| (1..=128).contains(&id.len())).map_or_else(fresh_request, ToOwned::to_owned);
    let place = place_of(server, route, &named, &query, &caller).await?;
    let (server, path) = (Arc::clone(server), parts.uri.path().to_owned());
    Ok(Request { server, place, caller, credential, path, named, query, form, body, request_id })
}

/// The project that a request is about: by the plan or run that its path names, by `project` of its query, or the only one there is.
async fn place_of(
    server: &Arc<Server>,
    route: &Route,
    named: &[String],
    query: &[(String, String)],
    caller: &Caller,
) -> Result<Option<Arc<Place>>, Error> {
    let id = named.first().map(String::as_str).unwrap_or_default();
    let about = route.about();
    let asked = query.iter().find(|(name, _)| name == "project").map(|(_, project)| project.as_str());
    if let (About::Project, Some(asked)) = (about, asked.filter(|asked| !asked.is_empty())) {
        let unknown = || refuse("project_unknown", "this server has no such project", "`/api/v2/projects` has the ids");
        return server.places.named(asked).map(Some).ok_or_else(unknown);
    }
    if about == About::Project || server.places.known(id).is_some() {
        return Ok(if about == About::Project { server.places.only() } else { server.places.known(id) });
    }
    let turn = server.workers.turn(false).await?;
    let (server, caller, id) = (Arc::clone(server), caller.clone(), id.to_owned());
    let search = move || {
        let _turn = turn;
        let plan = || refuse("plan_unknown", "there is no such plan", "only a whole plan id counts here");
        let run = || refuse("run_unknown", "there is no such run", "`run` of a plan has its id");
        match about {
            About::Run => server.places.of_run(&RunId::parse(&id).map_err(|_| run())?, &caller),
            _ => server.places.of_plan(&PlanId::parse(&id).map_err(|_| plan())?, &caller),
        }
    };
    match tokio::task::spawn_blocking(search).await {
        Ok(found) => found.map(Some),
        Err(_) => Err(Error::fault("internal", "something in this server is broken")),
    }
}

/// What a program shows: its token, an approver's session, or, to decide, the approver's signature in the body, which is looked for then.
fn shown_by(headers: &HeaderMap, session: Option<Arc<Session>>, may_sign: bool) -> Result<Credential, Error> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(token) = given.and_then(|value| value.strip_prefix("Bearer ")) {
        return Ok(Credential::Token(token.trim().to_owned()));
    }
    match session {
        Some(session) if given.is_none() => Ok(Credential::Session(session)),
        None if given.is_none() && may_sign => Ok(Credential::Signature),
        _ => Err(unauthenticated()),
    }
}

/// Whether a body carries a signed decision. What it is worth, the application finds out.
fn is_signed(body: &[u8]) -> bool {
    let given: Option<Value> = serde_json::from_slice(body).ok();
    given.is_some_and(|given| {
        given.get("signature").is_some_and(Value::is_string) && given.get("statement").is_some_and(Value::is_object)
    })
}

/// Whether a page of this server asks, and no other: by `Origin`, which a browser always sends with a POST, and by `Sec-Fetch-Site`.
/// A program with a token of its own sends neither; if it does, they count.
fn from_our_page(server: &Server, headers: &HeaderMap, needed: bool) -> Result<(), Error> {
    let one = |name: &str| {
        let mut values = headers.get_all(name).iter();
        let first = values.next().map(|value| value.to_str().unwrap_or("?"));
        if values.next().is_some() { Some("?") } else { first }
    };
    let origin = one("origin").and_then(|origin| origin.strip_prefix(server.scheme)?.strip_prefix("://"));
    let is_ours =
        origin.is_some_and(|origin| one("host") == Some(origin) && server.hosts.iter().any(|host| host == origin));
    let site = one("sec-fetch-site").is_none_or(|site| site == "same-origin");
    if (is_ours || !needed && one("origin").is_none()) && site {
        return Ok(());
    }
    Err(refuse("origin_refused", "another page asks for this", "use the buttons of the page itself"))
}

/// Works on a request in a worker's thread.
async fn worked(server: &Arc<Server>, route: &'static Route, request: Request, work: Work, acts: bool) -> Answer {
    shared(server, route, Arc::new(request), work, acts).await
}

async fn shared(server: &Arc<Server>, route: &'static Route, request: Arc<Request>, work: Work, acts: bool) -> Answer {
    let turn = match request.place.as_ref() {
        Some(place) => place.turn(acts).await,
        None => server.workers.turn(acts).await,
    };
    let turn = match turn {
        Ok(turn) => turn,
        Err(error) => return told(route, &error),
    };
    let done = tokio::task::spawn_blocking(move || {
        // It may have waited for its turn, or for an answer, since it was let in.
        if let Err(error) = still(&request) {
            return told(route, &error);
        }
        let answer = work(&request);
        drop(turn);
        answer.unwrap_or_else(|error| match route.access {
            Access::Api | Access::Agent => told(route, &error),
            Access::Open | Access::Session => in_session(&request, &error),
        })
    });
    done.await.unwrap_or_else(|_| {
        let error =
            Error::fault("internal", "something in this server is broken").hint("report this as a defect of exacta");
        told(route, &error)
    })
}

/// That whoever asks is still who they were when they were let in.
fn still(request: &Request) -> Result<(), Error> {
    let now = request.credential.caller(&request.server)?;
    if now.as_ref() == Some(&request.caller) { Ok(()) } else { Err(unauthenticated()) }
}

/// An error, as the route's askers read it.
fn told(route: &Route, error: &Error) -> Answer {
    match route.access {
        Access::Api if route.path.starts_with("/api/v1/") => v1::problem(route.path, error, &fresh_request()),
        Access::Api => problem(error),
        Access::Agent => mcp::refused(error),
        Access::Open | Access::Session => shown(error, status(error)),
    }
}

/// A name for a request whose asker gave none.
fn fresh_request() -> String {
    exacta_app::fresh_request_id()
}

/// An error for programs: RFC 9457, with our code and what helps.
fn problem(error: &Error) -> Answer {
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
fn in_session(request: &Request, error: &Error) -> Answer {
    let server = &request.server;
    let looked = request.place.iter().filter_map(|place| Some((Arc::clone(place), place.look(&request.caller).ok()?)));
    let looked: Vec<_> = looked.collect();
    let around = request.credential.session().and_then(|session| server.around(&looked, session).ok());
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

fn unauthenticated() -> Error {
    refuse(
        "unauthenticated",
        "this needs the session of somebody who is an approver, or an agent's token that counts",
        "open the link that `exacta serve` printed; programs send `Authorization: Bearer TOKEN`; `exacta token list` says which count",
    )
}

fn too_large(limit: usize) -> Error {
    refuse("too_large", &format!("the request is larger than {limit} bytes"), "send less")
}
