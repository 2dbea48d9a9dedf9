//! What happens, told at once to whoever listens: server-sent events.

use crate::body::{self, Body, Bytes};
use exacta_kernel::text::excerpt;
use hyper::body::Frame;
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, broadcast, watch};

/// How many may listen at the same time.
const LISTENERS: usize = 2000;

/// How many events one who is slow may be behind.
const BEHIND: usize = 256;

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// Whoever listens.
pub struct Live {
    events: broadcast::Sender<Arc<str>>,
    ended: watch::Sender<bool>,
    places: Arc<Semaphore>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            events: broadcast::channel(BEHIND).0,
            ended: watch::channel(false).0,
            places: Arc::new(Semaphore::new(LISTENERS)),
        }
    }
}

impl Live {
    /// Tells that a plan stands otherwise now.
    pub fn plan(&self, id: &str, word: &str, why: Option<&str>, title: &str, unasked: bool) {
        let title = excerpt(title, 200);
        self.tell(
            &json!({ "type": "plan", "plan": id, "status": word, "why": why, "title": title, "unasked": unasked }),
        );
    }

    /// Tells what a run does.
    pub fn run(&self, plan: &str, event: &str, words: &str) {
        self.tell(&json!({ "type": "run", "plan": plan, "event": event, "words": words }));
    }

    /// Tells what an ask does; without words, that it has ended.
    pub fn ask(&self, id: &str, words: Option<&str>) {
        self.tell(&json!({ "type": "ask", "ask": id, "words": words }));
    }

    /// Tells that much may be otherwise.
    pub fn all(&self) {
        self.tell(&json!({ "type": "all" }));
    }

    fn tell(&self, event: &Value) {
        // Nobody may be listening.
        let _heard = self.events.send(exacta_kernel::text::visible_json(&event.to_string()).into());
    }

    /// Ends every stream.
    pub fn end(&self) {
        self.ended.send_replace(true);
    }

    /// A stream of events, for as long as the listener and the server live.
    #[must_use]
    pub fn stream(&self) -> Response<Body> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            let mut response = Response::new(body::whole("too many listeners\n"));
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            return response;
        };
        let start = (self.events.subscribe(), self.ended.subscribe(), place, true);
        let stream = futures_util::stream::unfold(start, |(mut events, mut ended, place, first)| async move {
            if first {
                return Some((
                    Ok::<_, Infallible>(Frame::data(Bytes::from_static(b": hello\n\n"))),
                    (events, ended, place, false),
                ));
            }
            let text = tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => format!("data: {event}\n\n"),
                    // Whoever is too slow looks at everything again.
                    Err(broadcast::error::RecvError::Lagged(_)) => "data: {\"type\":\"all\"}\n\n".to_owned(),
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                () = tokio::time::sleep(ALIVE) => ": alive\n\n".to_owned(),
                _ = ended.wait_for(|ended| *ended) => return None,
            };
            Some((Ok(Frame::data(Bytes::from(text))), (events, ended, place, false)))
        });
        let mut response = Response::new(body::stream(stream));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        response
    }
}
