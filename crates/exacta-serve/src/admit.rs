//! Who may ask: by which credential, from which page, with what size; then what they ask for, as handlers see it.

use crate::body;
use crate::credential::Credential;
use crate::place::Place;
use crate::problem::refuse;
use crate::request::{Request, fields};
use crate::route::{About, Access, Method, Route};
use crate::session::{COOKIE, Session};
use crate::state::Server;
use exacta_app::{Caller, Error};
use exacta_kernel::id::{PlanId, RunId};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::http::request::Parts;
use serde_json::Value;
use std::sync::Arc;

/// The largest body of a form, in bytes.
const LARGEST: usize = 1 << 20;

/// The largest body of a program's request: a plan can be that large where the operator says so.
const LARGEST_PLAN: usize = 64 << 20;

/// What an approver's program does with a decision that it signed itself.
const SIGNED: [&str; 3] = ["approve", "reject", "withdraw"];

/// The session of the cookie.
pub fn session_of(server: &Server, headers: &HeaderMap) -> Option<Arc<Session>> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).and_then(|(_, value)| server.sessions.find(value))
}

/// A request that may be worked on.
///
/// # Errors
/// If it may not.
pub async fn admitted(
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
    let request_id = request_id
        .filter(|id| (1..=128).contains(&id.len()))
        .map_or_else(exacta_app::fresh_request_id, ToOwned::to_owned);
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
///
/// # Errors
/// If it shows nothing.
pub fn shown_by(headers: &HeaderMap, session: Option<Arc<Session>>, may_sign: bool) -> Result<Credential, Error> {
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

/// That nobody is known who asks.
pub fn unauthenticated() -> Error {
    refuse(
        "unauthenticated",
        "this needs the session of somebody who is an approver, or an agent's token that counts",
        "open the link that `exacta serve` printed; programs send `Authorization: Bearer TOKEN`; `exacta token list` says which count",
    )
}

fn too_large(limit: usize) -> Error {
    refuse("too_large", &format!("the request is larger than {limit} bytes"), "send less")
}
