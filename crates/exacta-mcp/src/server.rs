//! Messages in, answers out. One message at a time is worked on; calls that wait for something are looked at again between two messages.

use crate::answer::{Refusal, Shape, answer, line, object, progress, unread};
use crate::host::{Call, Called, Client, Host, Job};
use crate::line::{LONGEST, Line, Lines};
use crate::message::{Fault, INVALID, Id, Message, read};
use crate::version::{Era, STATELESS, negotiated};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How often calls that wait are looked at.
const TICK: Duration = Duration::from_millis(250);

/// How often a client is told that its call goes on.
const TOLD: Duration = Duration::from_secs(5);

/// The most calls that wait at the same time; one more is answered at once.
const WAITING: usize = 32;

pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";

/// A server between a host and whoever asks it.
pub struct Server<H> {
    host: H,
    /// The version and the client of the handshake, if there was one.
    greeted: Option<Greeted>,
    waiting: Vec<Waiting>,
}

/// What a handshake ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeted {
    /// The version that was agreed on, of [`INITIALIZED`](crate::INITIALIZED).
    pub version: &'static str,
    /// Who asks, as it says of itself.
    pub client: Client,
}

impl Greeted {
    /// What a handshake ends with that begins with these parameters.
    pub(crate) fn of(params: &Map<String, Value>) -> Self {
        let version = negotiated(params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default());
        Self { version, client: client(params.get("clientInfo")) }
    }
}

/// A call whose answer comes later.
struct Waiting {
    id: Id,
    shape: Shape,
    job: Box<dyn Job>,
    token: Option<Value>,
    begun: Instant,
    told: Instant,
}

/// Where messages go.
type Send<'s> = &'s mut dyn FnMut(&Value) -> io::Result<()>;

/// Answers what comes on `input` until it ends. Calls that still wait then are forgotten: nobody reads their answers.
///
/// # Errors
/// If a stream fails; an output that nobody reads any more is an end, and no failure.
pub fn serve<H: Host>(
    host: H,
    input: impl BufRead + std::marker::Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let mut server = Server::new(host);
    // One line at most waits for its turn, so that a client that sends without reading fills no memory.
    let (sender, lines) = sync_channel(1);
    std::thread::spawn(move || {
        let mut input = Lines::new(input);
        while let Some(line) = input.read().transpose() {
            let is_over = line.is_err();
            if sender.send(line).is_err() || is_over {
                return;
            }
        }
    });
    let mut send = |message: &Value| {
        output.write_all(line(message).as_bytes())?;
        output.flush()
    };
    let served = loop {
        let next = if server.is_waiting() { lines.recv_timeout(TICK) } else { lines.recv().map_err(Into::into) };
        let done = match next {
            Ok(Ok(line)) => server.receive(&line, &mut send),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => break Ok(()),
        };
        if let Err(error) = done.and_then(|()| server.look(&mut send)) {
            break Err(error);
        }
    };
    match served {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        served => served,
    }
}

impl<H: Host> Server<H> {
    /// A server that nobody has spoken to yet.
    pub const fn new(host: H) -> Self {
        Self { host, greeted: None, waiting: Vec::new() }
    }

    /// A server that goes on with what a handshake ended with.
    pub const fn greeted(host: H, greeted: Greeted) -> Self {
        Self { host, greeted: Some(greeted), waiting: Vec::new() }
    }

    /// Whether an answer is still due.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes a line, and sends what has to be said to it.
    ///
    /// # Errors
    /// If something cannot be sent.
    pub fn receive(&mut self, line: &Line, send: Send<'_>) -> io::Result<()> {
        let message = match line {
            Line::TooLong => {
                let message = format!("the line is longer than {LONGEST} bytes: submit the change in parts");
                Err(Fault { id: None, code: INVALID, message })
            }
            Line::Text(text) => read(text),
        };
        match message {
            Ok(None) => Ok(()),
            Ok(Some(message)) => self.take(message, true, send),
            Err(fault) => send(&unread(&fault)),
        }
    }

    /// Takes a message, and sends what has to be said to it. A call waits for something only where it may.
    ///
    /// # Errors
    /// If something cannot be sent.
    pub fn take(&mut self, message: Message, may_wait: bool, send: Send<'_>) -> io::Result<()> {
        match message {
            Message::Batch(items) => self.batch(items, send),
            message => match self.message(message, may_wait, send)? {
                Some(answer) => send(&answer),
                None => Ok(()),
            },
        }
    }

    /// Looks at the calls that wait, once.
    ///
    /// # Errors
    /// If something cannot be sent.
    pub fn look(&mut self, send: Send<'_>) -> io::Result<()> {
        let about = self.host.about();
        let mut still = Vec::new();
        for mut call in std::mem::take(&mut self.waiting) {
            if let Some(result) = call.job.look() {
                send(&answer(&call.id, Ok(call.shape.called(&result, &about))))?;
                continue;
            }
            if let Some(token) = call.token.as_ref().filter(|_| call.told.elapsed() >= TOLD) {
                let total = call.job.limit().as_secs();
                send(&progress(token, call.begun.elapsed().as_secs(), Some(total), &call.job.words()))?;
                call.told = Instant::now();
            }
            still.push(call);
        }
        self.waiting = still;
        Ok(())
    }

    fn batch(&mut self, items: Vec<Result<Message, Fault>>, send: Send<'_>) -> io::Result<()> {
        if !self.greeted.as_ref().is_some_and(|greeted| Era::Initialized(greeted.version).is_batched()) {
            let message = "several messages in one array are not part of this version: send one a line".to_owned();
            return send(&unread(&Fault { id: None, code: INVALID, message }));
        }
        let mut answers = Vec::new();
        for item in items {
            match item {
                Ok(message) => answers.extend(self.message(message, false, &mut *send)?),
                Err(fault) => answers.push(unread(&fault)),
            }
        }
        if answers.is_empty() { Ok(()) } else { send(&Value::Array(answers)) }
    }

    /// The answer to a message, if there is one now.
    fn message(&mut self, message: Message, may_wait: bool, send: Send<'_>) -> io::Result<Option<Value>> {
        match message {
            Message::Request { id, method, params } => self.request(id, &method, &params, may_wait, send),
            Message::Notification { method, params } => {
                if method == "notifications/cancelled" {
                    let cancelled = params.get("requestId").and_then(Id::of);
                    self.waiting.retain(|call| Some(&call.id) != cancelled.as_ref());
                }
                Ok(None)
            }
            // An array in an array is no message, and was told apart where it was read.
            Message::Response | Message::Batch(_) => Ok(None),
        }
    }

    fn request(
        &mut self,
        id: Id,
        method: &str,
        params: &Map<String, Value>,
        may_wait: bool,
        send: Send<'_>,
    ) -> io::Result<Option<Value>> {
        if method == "initialize" {
            return Ok(Some(answer(&id, Ok(self.initialize(params)))));
        }
        let (era, client) = match self.asked_by(method, params) {
            Ok(asked) => asked,
            Err(refusal) => return Ok(Some(answer(&id, Err(refusal)))),
        };
        let shape = Shape { era };
        if method == "tools/call" {
            return self.call(id, shape, &client, params, may_wait, send);
        }
        let result = self.answer(shape, method, params);
        Ok(Some(answer(&id, result)))
    }

    /// In which era a request is made, and by whom.
    fn asked_by(&self, method: &str, params: &Map<String, Value>) -> Result<(Era, Client), Refusal> {
        let meta = object(params, "_meta");
        match (meta.and_then(|meta| meta.get(VERSION_KEY)), &self.greeted) {
            (Some(version), _) => match version.as_str() {
                Some(STATELESS) => Ok((Era::Stateless, client(meta.and_then(|meta| meta.get(CLIENT_KEY))))),
                Some(other) => Err(Refusal::version(other)),
                None => Err(Refusal::params(format!("`_meta[\"{VERSION_KEY}\"]` has to be a string"))),
            },
            (None, Some(greeted)) => Ok((Era::Initialized(greeted.version), greeted.client.clone())),
            // Clients ask whether anybody is there before they begin.
            (None, None) if method == "ping" => Ok((Era::Initialized(negotiated("")), Client::default())),
            (None, None) => Err(Refusal::invalid(format!(
                "begin with `initialize`, or say the version in `_meta[\"{VERSION_KEY}\"]` (\"{STATELESS}\")"
            ))),
        }
    }

    fn initialize(&mut self, params: &Map<String, Value>) -> Value {
        let greeted = Greeted::of(params);
        let answer = Shape::initialized(greeted.version, &self.host.about());
        self.greeted = Some(greeted);
        answer
    }

    fn answer(&mut self, shape: Shape, method: &str, params: &Map<String, Value>) -> Result<Value, Refusal> {
        let about = self.host.about();
        let text = |name: &str| {
            let text = params.get(name).and_then(Value::as_str);
            text.ok_or_else(|| Refusal::params(format!("`{name}` has to be a string")))
        };
        match (method, shape.era) {
            ("server/discover", Era::Stateless) => Ok(shape.discovered(&about)),
            ("ping", Era::Initialized(_)) => Ok(json!({})),
            ("tools/list", _) => Ok(shape.tools(&self.host)),
            ("resources/list", _) => Ok(shape.resources(&self.host.resources()?, &about)),
            ("resources/templates/list", _) => Ok(shape.templates(&self.host.templates(), &about)),
            ("resources/read", _) => {
                let uri = text("uri")?;
                let (mime, content) = self.host.read(uri)?;
                Ok(shape.read(uri, mime, &content, &about))
            }
            ("prompts/list", _) => Ok(shape.prompts(&self.host.prompts(), &about)),
            ("prompts/get", _) => {
                let name = text("name")?;
                let none = Map::new();
                let words = self.host.prompt(name, object(params, "arguments").unwrap_or(&none))?;
                let found = self.host.prompts().into_iter().find(|prompt| prompt.name == name);
                Ok(shape.prompt(found.map_or("", |prompt| prompt.description), &words, &about))
            }
            (other, _) => Err(Refusal::method(other)),
        }
    }

    fn call(
        &mut self,
        id: Id,
        shape: Shape,
        client: &Client,
        params: &Map<String, Value>,
        may_wait: bool,
        send: Send<'_>,
    ) -> io::Result<Option<Value>> {
        let refused = |message: &str| Ok(Some(answer(&id, Err(Refusal::params(message)))));
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return refused("`name` has to be a string");
        };
        let none = Map::new();
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return refused("`arguments` has to be an object"),
        };
        let meta = object(params, "_meta").unwrap_or(&none);
        let token = meta.get("progressToken").filter(|token| Id::of(token).is_some()).cloned();
        let may_wait = may_wait && self.waiting.len() < WAITING;
        let (mut told, mut failed) = (0, None);
        let called = self.host.call(&Call { name, arguments, client, meta, may_wait }, &mut |words| {
            if let (Some(token), None) = (&token, &failed) {
                told += 1;
                failed = send(&progress(token, told, None, words)).err();
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        match called {
            Ok(Called::Done(result)) => Ok(Some(answer(&id, Ok(shape.called(&result, &self.host.about()))))),
            Ok(Called::Later(job)) => {
                let now = Instant::now();
                self.waiting.push(Waiting { id, shape, job, token, begun: now, told: now });
                Ok(None)
            }
            Err(failure) => Ok(Some(answer(&id, Err(failure.into())))),
        }
    }
}

/// What a client says of itself, as far as it can be shown.
fn client(told: Option<&Value>) -> Client {
    let word = |name: &str| {
        let word = told.and_then(|told| told.get(name)?.as_str()).map(|word| exacta_kernel::text::excerpt(word, 128));
        word.filter(|word| !word.is_empty())
    };
    Client { name: word("name"), version: word("version") }
}
