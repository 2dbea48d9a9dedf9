//! A stream of what happens, made of answers that only grow, until one says that it is all.

use crate::answer::Answer;
use crate::body::{self, Body, Bytes};
use hyper::Response;
use hyper::body::Frame;
use hyper::header::{self, HeaderValue};
use std::convert::Infallible;
use std::time::Duration;

/// What says that nothing more comes.
pub(super) const END: &str = "event: end\ndata: {}\n\n";

/// How long is waited between two looks.
const PAUSE: Duration = Duration::from_millis(400);

/// The longest stream: whoever listens then asks again.
const LOOKS: u32 = 1500;

/// Follows an answer: what is new in it is sent as it comes.
pub fn follow<F, L>(first: Answer, look: L) -> Response<Body>
where
    F: Future<Output = Answer> + Send,
    L: Fn() -> F + Send + 'static,
{
    if !first.status.is_success() {
        return first.into_response();
    }
    let start = (first.body, 0_usize, 0_u32, look);
    let stream = futures_util::stream::unfold(start, |(mut text, sent, mut looks, look)| async move {
        let over = text.ends_with(END.as_bytes());
        while text.len() <= sent && !over && looks < LOOKS {
            tokio::time::sleep(PAUSE).await;
            looks += 1;
            let answer = look().await;
            if !answer.status.is_success() {
                return None;
            }
            text = answer.body;
        }
        let new = text.get(sent..).filter(|new| !new.is_empty())?;
        let piece = Frame::data(Bytes::copy_from_slice(new));
        let sent = text.len();
        Some((Ok::<_, Infallible>(piece), (text, sent, looks, look)))
    });
    let mut response = Response::new(body::stream(stream));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}
