//! One exchange: sends a request and reads its answer, within all limits, until somebody cancels.

use crate::answer::Source;
use crate::cancel::Cancel;
use crate::draft::Draft;
use crate::endpoint::Endpoint;
use crate::fault::{FaultKind, Phase};
use crate::frame::{Frames, Framing};
use crate::limits::{MAX_ERROR, MAX_WHOLE, MAX_WIRE, Patience, TICK};
use crate::status;
use crate::wire::Wire;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde_json::Value;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// A request, ready to be sent as often as it takes.
pub(crate) struct Outgoing {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// None for a GET.
    pub(crate) body: Option<Vec<u8>>,
}

/// How long this exchange may go on, and whether anybody still wants it.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub(crate) patience: Patience,
    pub(crate) began: Instant,
    pub(crate) cancel: &'a Cancel,
}

/// A client that goes nowhere but where it is sent.
pub(crate) fn client(endpoint: &Endpoint, patience: Patience) -> Result<Client, FaultKind> {
    // It is installed once in a process; a second time changes nothing.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(patience.connect)
        .pool_max_idle_per_host(0)
        .referer(false)
        .user_agent(concat!("exacta/", env!("CARGO_PKG_VERSION")));
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
    }
    if let Some(addresses) = endpoint.pinned() {
        builder = builder.resolve_to_addrs("localhost", &addresses);
    }
    builder.build().map_err(|_| FaultKind::Setup { why: "no client for it can be made".to_owned() })
}

/// Headers, of which none is ever shown.
pub(crate) fn headers(pairs: Vec<(&'static str, String)>) -> Result<HeaderMap, FaultKind> {
    let mut map = HeaderMap::new();
    map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in pairs {
        let value = zeroize::Zeroizing::new(value);
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| FaultKind::Setup { why: "its key cannot be sent in a header".to_owned() })?;
        value.set_sensitive(true);
        map.insert(HeaderName::from_static(name), value);
    }
    Ok(map)
}

/// Asks, and reads the answer into the draft.
pub(crate) async fn ask(
    client: &Client,
    outgoing: &Outgoing,
    wire: &dyn Wire,
    watch: Watch<'_>,
    draft: &mut Draft<'_>,
) -> Result<Framing, FaultKind> {
    let mut response = send(client, outgoing, watch).await?;
    let framing = framing(&response, wire)?;
    let named = response.headers().get("openai-model").and_then(|name| name.to_str().ok()).map(ToOwned::to_owned);
    draft.model(named.as_deref(), Source::Header)?;
    let mut body = Body { frames: Frames::new(framing), size: 0, partial_since: None };
    while let Some(bytes) = body.next(&mut response, watch).await? {
        if body.size == bytes.len() {
            draft.began();
        }
        for event in body.frames.push(&bytes)? {
            take(wire, framing, &event, draft)?;
            body.partial_since = None;
        }
        body.partial_since = body.frames.is_partial().then(|| body.partial_since.unwrap_or_else(Instant::now));
        if draft.ended {
            return Ok(framing);
        }
    }
    match body.frames.end()? {
        Some(event) => take(wire, framing, &event, draft).map(|()| framing),
        None if body.size == 0 => Err(FaultKind::Unreachable),
        None => Ok(framing),
    }
}

/// Asks for one JSON value.
pub(crate) async fn value(client: &Client, outgoing: &Outgoing, watch: Watch<'_>) -> Result<Value, FaultKind> {
    let mut response = send(client, outgoing, watch).await?;
    let body = whole(&mut response, MAX_WHOLE, watch).await?;
    serde_json::from_slice(&body).map_err(|_| FaultKind::BadAnswer)
}

async fn send(client: &Client, outgoing: &Outgoing, watch: Watch<'_>) -> Result<Response, FaultKind> {
    let request = match &outgoing.body {
        Some(body) => client.post(outgoing.url.clone()).body(body.clone()),
        None => client.get(outgoing.url.clone()),
    };
    let sent = request.headers(outgoing.headers.clone()).send();
    let mut response =
        watch.wait(sent, Phase::FirstByte, watch.patience.first_byte).await?.map_err(|error| refused(&error, watch))?;
    let status = response.status().as_u16();
    if response.status().is_success() {
        return Ok(response);
    }
    let pause = retry_after(response.headers());
    // What cannot be read of an error is not missed.
    let body = whole(&mut response, MAX_ERROR, watch).await.or_else(|fault| match fault {
        FaultKind::Cancelled => Err(FaultKind::Cancelled),
        _ => Ok(Vec::new()),
    })?;
    Err(status::fault(status, &body, pause))
}

/// Why nothing came back at all.
fn refused(error: &reqwest::Error, watch: Watch<'_>) -> FaultKind {
    if error.is_timeout() {
        return FaultKind::Timeout { phase: Phase::Connect, limit: watch.patience.connect };
    }
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(inner) = cause {
        // A connector wraps its error into one of the system's.
        let wrapped = inner.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if inner.is::<rustls::Error>() || wrapped.is_some_and(|error| error.is::<rustls::Error>()) {
            return FaultKind::Untrusted;
        }
        cause = inner.source();
    }
    FaultKind::Unreachable
}

/// How the body is framed, as its type says.
fn framing(response: &Response, wire: &dyn Wire) -> Result<Framing, FaultKind> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "text/event-stream" if wire.framing() == Framing::Events => Ok(Framing::Events),
        "application/x-ndjson" | "application/ndjson" if wire.framing() == Framing::Lines => Ok(Framing::Lines),
        "application/json" => Ok(Framing::Whole),
        _ => Err(FaultKind::ContentType),
    }
}

fn take(wire: &dyn Wire, framing: Framing, event: &str, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    if event.trim() == "[DONE]" {
        draft.end();
        return Ok(());
    }
    if framing != Framing::Whole {
        return wire.event(&read(event)?, draft);
    }
    match read(event) {
        // A stream that is sent as a list.
        Ok(Value::Array(events)) => events.iter().try_for_each(|event| wire.event(event, draft)),
        Ok(value) => wire.whole(&value, draft),
        // A stream of lines that is not called so.
        Err(fault) if wire.framing() == Framing::Lines => {
            let lines = event.lines().filter(|line| !line.trim().is_empty());
            if lines.clone().count() < 2 {
                Err(fault)
            } else {
                lines.map(read).try_for_each(|line| wire.event(&line?, draft))
            }
        }
        Err(fault) => Err(fault),
    }
}

fn read(text: &str) -> Result<Value, FaultKind> {
    serde_json::from_str(text).map_err(|_| FaultKind::BadAnswer)
}

/// A body that is read to its end.
struct Body {
    frames: Frames,
    size: usize,
    /// Since when an event has been unfinished.
    partial_since: Option<Instant>,
}

impl Body {
    /// The next bytes; none at the end.
    async fn next(&mut self, response: &mut Response, watch: Watch<'_>) -> Result<Option<Vec<u8>>, FaultKind> {
        let (phase, limit) = match self.partial_since {
            _ if self.size == 0 => (Phase::FirstByte, watch.patience.first_byte),
            Some(since) => (Phase::Event, watch.patience.event.saturating_sub(since.elapsed())),
            None => (Phase::Idle, watch.patience.idle),
        };
        match watch.wait(response.chunk(), phase, limit).await? {
            Ok(Some(bytes)) => {
                self.size = self.size.saturating_add(bytes.len());
                if self.size > MAX_WIRE {
                    return Err(FaultKind::TooLarge { limit: MAX_WIRE });
                }
                Ok(Some(bytes.to_vec()))
            }
            Ok(None) => Ok(None),
            Err(_) if self.size == 0 => Err(FaultKind::Unreachable),
            Err(_) => Err(FaultKind::CutStream),
        }
    }
}

/// A whole body, if it is not larger than this.
async fn whole(response: &mut Response, limit: usize, watch: Watch<'_>) -> Result<Vec<u8>, FaultKind> {
    let mut body = Vec::new();
    let mut pieces = Body { frames: Frames::new(Framing::Whole), size: 0, partial_since: Some(Instant::now()) };
    while let Some(bytes) = pieces.next(response, watch).await? {
        body.extend_from_slice(&bytes);
        if body.len() > limit {
            return Err(FaultKind::TooLarge { limit });
        }
    }
    Ok(body)
}

impl Watch<'_> {
    /// Waits for something, but not longer than this limit and the one for everything, and not if somebody cancels.
    pub(crate) async fn wait<F: Future>(
        &self,
        future: F,
        phase: Phase,
        limit: Duration,
    ) -> Result<F::Output, FaultKind> {
        let mut future = pin!(future);
        let started = Instant::now();
        loop {
            if self.cancel.is_cancelled() {
                return Err(FaultKind::Cancelled);
            }
            if let Ok(output) = timeout(TICK, future.as_mut()).await {
                return Ok(output);
            }
            if self.began.elapsed() >= self.patience.whole {
                return Err(FaultKind::Timeout { phase: Phase::Whole, limit: self.patience.whole });
            }
            if started.elapsed() >= limit {
                return Err(FaultKind::Timeout { phase, limit: self.patience.of_phase(phase) });
            }
        }
    }
}

impl Patience {
    const fn of_phase(&self, phase: Phase) -> Duration {
        match phase {
            Phase::Connect => self.connect,
            Phase::FirstByte => self.first_byte,
            Phase::Idle => self.idle,
            Phase::Event => self.event,
            Phase::Whole => self.whole,
        }
    }
}

/// How long a provider asks to wait: seconds, OpenAI's milliseconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let said = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = said(HeaderName::from_static("retry-after-ms")).and_then(|text| text.parse::<u64>().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let text = said(RETRY_AFTER)?;
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.or_else(|| until(text))
}

/// The time until a date as HTTP writes it.
fn until(date: &str) -> Option<Duration> {
    let then = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    let pause = then.duration_since(jiff::Timestamp::now());
    Some(Duration::try_from(pause).unwrap_or_default())
}
