//! `/mcp`: the Model Context Protocol for agents with a token, a message a request. What is offered is `exacta-host`'s; here is only how it comes and goes.

use crate::answer::Answer;
use crate::body::{self, Body, Bytes};
use crate::calls::Call;
use crate::credential::Credential;
use crate::place::Place;
use crate::problem::status;
use crate::request::Request;
use crate::runs;
use crate::session::Secret;
use crate::state::Server;
use exacta_app::{App, Caller, Error, Options};
use exacta_host::{Desk, Stop};
use exacta_kernel::id::PlanId;
use exacta_kernel::text::visible_json;
use exacta_mcp::http::{Headers, Posted};
use hyper::body::Frame;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// How often a call that waits is looked at.
const LOOK: Duration = Duration::from_millis(300);

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// How long the end of a run is waited for: clients give up on a call after a minute.
const LONGEST: Duration = Duration::from_secs(50);

/// How often an agent is told that its run goes on.
const TOLD: Duration = Duration::from_secs(5);

/// How many messages of one answer wait to be sent.
const BEHIND: usize = 64;

/// What a request says beside its body.
pub struct Asked {
    headers: Headers,
    /// Whether an answer may come in pieces, and whether it may come whole.
    pieces: bool,
    whole: bool,
}

/// What is said to a message.
enum Said {
    Message(Value),
    /// That nothing is to be said for a while.
    Waits,
}

impl Asked {
    /// What the headers of a request say.
    pub fn of(headers: &HeaderMap) -> Self {
        let one = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
        let accept = one("accept").unwrap_or_else(|| "application/json".to_owned());
        let takes = |kind: &str| accept.contains(kind) || accept.contains("*/*");
        let headers = Headers {
            version: one("mcp-protocol-version"),
            conversation: one("mcp-session-id"),
            method: one("mcp-method"),
            name: one("mcp-name"),
        };
        Self { headers, pieces: takes("text/event-stream"), whole: takes("application/json") }
    }
}

/// Answers a message of an agent.
pub async fn answer(request: Request, asked: Asked) -> Response<Body> {
    if !asked.pieces && !asked.whole {
        return Answer::text("text/plain", "answers are application/json or text/event-stream\n")
            .at(StatusCode::NOT_ACCEPTABLE)
            .into_response();
    }
    let place = match request.place() {
        Ok(place) => Arc::clone(place),
        Err(error) => return refused(&error).into_response(),
    };
    let posted = match Posted::of(&asked.headers, &request.body) {
        Ok(posted) => posted,
        Err(rejected) => return told(rejected.status, &rejected.body).into_response(),
    };
    let credential = request.caller.credential();
    let named = |id: &exacta_mcp::Id| {
        let conversation = asked.headers.conversation.as_ref()?;
        Some(format!("{credential}\0{conversation}\0{}", id.value()))
    };
    if let Some(name) = posted.cancels().as_ref().and_then(named) {
        request.server.calls.cancel(&name);
    }
    let begun = match Secret::new() {
        Ok(unique) => posted.begins(unique.reveal()),
        Err(error) => return refused(&error).into_response(),
    };
    let call = request.server.calls.begin(posted.id().and_then(named));
    let seat = Seat {
        server: request.server,
        place,
        caller: request.caller,
        credential: request.credential,
        stop: call.stop(),
    };
    let status = posted.statuses();
    let (sender, said) = mpsc::channel(BEHIND);
    tokio::spawn(work(seat, posted, sender));
    let response = sent(said, call, asked.pieces, status).await;
    match begun.and_then(|name| HeaderValue::from_str(&name).ok()) {
        Some(name) if response.status() == StatusCode::OK => with(response, "mcp-session-id", name),
        _ => response,
    }
}

/// Works on a message until everything is said to it, or nobody listens.
async fn work(seat: Seat, posted: Posted, said: mpsc::Sender<Said>) {
    let acts = posted.tool().is_some_and(|tool| !exacta_host::only_reads(tool));
    let permit = seat.server.calls.may_wait();
    let Posted { message, greeted } = posted;
    let mut talk = exacta_mcp::Server::greeted(Desk::new(seat.clone()), greeted);
    let Some(turn) = seat.turn(acts, &said).await else { return };
    let (sender, may_wait) = (said.clone(), permit.is_some());
    let taken = tokio::task::spawn_blocking(move || {
        let taken = talk.take(message, may_wait, &mut |message| send(&sender, message));
        drop(turn);
        taken.map(|()| talk)
    });
    let Ok(Ok(mut talk)) = taken.await else { return };
    if talk.is_waiting() {
        // Whoever is gone is seen below.
        let _heard = said.send(Said::Waits).await;
    }
    while talk.is_waiting() && !seat.stop.load(Ordering::SeqCst) && !said.is_closed() {
        tokio::time::sleep(LOOK).await;
        let Some(turn) = seat.turn(false, &said).await else { return };
        let sender = said.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let looked = talk.look(&mut |message| send(&sender, message));
            drop(turn);
            looked.map(|()| talk)
        });
        let Ok(Ok(still)) = looked.await else { return };
        talk = still;
    }
    drop::<Option<OwnedSemaphorePermit>>(permit);
}

fn send(said: &mpsc::Sender<Said>, message: &Value) -> io::Result<()> {
    said.blocking_send(Said::Message(message.clone())).map_err(|_| io::ErrorKind::BrokenPipe.into())
}

/// What is said, as an answer: whole, where there is only one thing to say, else in pieces, where the asker takes them.
async fn sent(
    mut said: mpsc::Receiver<Said>,
    call: Call,
    pieces: bool,
    status: impl Fn(&Value) -> u16,
) -> Response<Body> {
    loop {
        match said.recv().await {
            // A notification, or a call that was cancelled.
            None => return Answer::text("text/plain", "").at(StatusCode::ACCEPTED).into_response(),
            Some(Said::Message(message)) if !is_told(&message) => {
                return told(status(&message), &message).into_response();
            }
            Some(Said::Message(message)) if pieces => return streamed(said, call, Some(message)),
            Some(Said::Waits) if pieces => return streamed(said, call, None),
            Some(_) => {}
        }
    }
}

/// Whether a message says only that a call goes on.
fn is_told(message: &Value) -> bool {
    message.get("method").is_some()
}

/// Server-sent events, the answer last.
fn streamed(said: mpsc::Receiver<Said>, call: Call, first: Option<Value>) -> Response<Body> {
    let first = first.map_or_else(|| ": wait\n\n".to_owned(), |message| event(&message));
    let start = (said, call, Some(first));
    let stream = futures_util::stream::unfold(start, |(mut said, call, first)| async move {
        let text = match first {
            Some(text) => text,
            None => loop {
                match tokio::time::timeout(ALIVE, said.recv()).await {
                    Ok(None) => return None,
                    Ok(Some(Said::Waits)) => {}
                    Ok(Some(Said::Message(message))) => break event(&message),
                    Err(_) => break ": alive\n\n".to_owned(),
                }
            },
        };
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), (said, call, None)))
    });
    let mut response = Response::new(body::stream(stream));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    with(response, "x-accel-buffering", HeaderValue::from_static("no"))
}

fn with(mut response: Response<Body>, name: &'static str, value: HeaderValue) -> Response<Body> {
    response.headers_mut().insert(HeaderName::from_static(name), value);
    response
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {}\n\n", visible_json(&message.to_string()))
}

fn told(status: u16, message: &Value) -> Answer {
    Answer::json(StatusCode::from_u16(status).unwrap_or(StatusCode::OK), "application/json", message)
}

/// An error before there is anybody to ask, as the protocol has it; the status says what kind it is.
pub fn refused(error: &Error) -> Answer {
    let hint = error.hint.as_ref().map(crate::hint::for_a_program);
    let data = json!({ "code": error.code, "hint": hint });
    let error_body = json!({ "code": -32000, "message": error.message, "data": data });
    let answer = told(status(error).as_u16(), &json!({ "jsonrpc": "2.0", "id": null, "error": error_body }));
    match status(error) {
        StatusCode::UNAUTHORIZED => answer.with(header::WWW_AUTHENTICATE, "Bearer".to_owned()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            answer.with(header::RETRY_AFTER, "1".to_owned())
        }
        _ => answer,
    }
}

/// Where an agent with a token is served from.
#[derive(Clone)]
struct Seat {
    server: Arc<Server>,
    place: Arc<Place>,
    /// Who asked, by what was shown.
    caller: Caller,
    credential: Credential,
    stop: Arc<AtomicBool>,
}

impl Seat {
    /// The agent with the scopes that it has now; a token that was revoked since has none.
    fn now(&self) -> Caller {
        if let Ok(Some(now)) = self.credential.caller(&self.server) {
            return now;
        }
        let mut nobody = self.caller.clone();
        if let Caller::Agent { scopes, .. } = &mut nobody {
            scopes.clear();
        }
        nobody
    }

    /// Waits for a worker; says so if there is none.
    async fn turn(&self, acts: bool, said: &mpsc::Sender<Said>) -> Option<OwnedSemaphorePermit> {
        match self.place.turn(acts).await {
            Ok(turn) => Some(turn),
            Err(error) => {
                let message = json!({ "code": -32603, "message": error.message });
                let message = json!({ "jsonrpc": "2.0", "id": null, "error": message });
                // Nobody may be listening.
                let _heard = said.send(Said::Message(message)).await;
                None
            }
        }
    }
}

impl exacta_host::Place for Seat {
    fn options(&self) -> Options {
        self.place.options_for(&self.now())
    }

    fn open(&self) -> Result<App, Error> {
        self.place.act(&self.now())
    }

    fn stop(&self) -> Result<Box<dyn Stop>, Error> {
        Ok(Box::new(Arc::clone(&self.stop)))
    }

    /// The run goes on also when nobody waits for it any more.
    fn run(&self, app: App, plan: &PlanId, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
        drop(app);
        let ended = runs::start(&self.server, &self.place, &self.now(), plan);
        let until = Instant::now() + LONGEST;
        loop {
            match ended.recv_timeout(TOLD) {
                Ok(Err(error)) if error.run_id.is_none() => return Err(error),
                Err(RecvTimeoutError::Timeout) if Instant::now() < until && !self.stop.load(Ordering::SeqCst) => {
                    tell("the run goes on");
                }
                _ => return Ok(()),
            }
        }
    }
}
