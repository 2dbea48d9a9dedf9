//! A stream of what happens, made of answers that only grow, until one is all.

use crate::answer::{Answer, Standing};
use crate::body::{self, Body, Bytes};
use hyper::Response;
use hyper::body::Frame;
use hyper::header::{self, HeaderValue};
use std::convert::Infallible;
use std::time::Duration;

/// How long is waited between two looks.
const PAUSE: Duration = Duration::from_millis(400);

/// The longest stream: whoever listens then asks again.
const LOOKS: u32 = 1500;

/// Follows an answer: what is new in it is sent as it comes.
pub fn follow<F, L>(first: Result<Standing, Answer>, look: L) -> Response<Body>
where
    F: Future<Output = Result<Standing, Answer>> + Send,
    L: Fn() -> F + Send + 'static,
{
    let first = match first {
        Ok(first) => first,
        Err(refused) => return refused.into_response(),
    };
    let start = (first, 0_usize, 0_u32, look);
    let stream = futures_util::stream::unfold(start, |(mut so_far, sent, mut looks, look)| async move {
        while so_far.answer.body.len() <= sent && !so_far.is_over && looks < LOOKS {
            tokio::time::sleep(PAUSE).await;
            looks += 1;
            so_far = look().await.ok()?;
        }
        let text = &so_far.answer.body;
        let new = text.get(sent..).filter(|new| !new.is_empty())?;
        let (piece, sent) = (Frame::data(Bytes::copy_from_slice(new)), text.len());
        Some((Ok::<_, Infallible>(piece), (so_far, sent, looks, look)))
    });
    let mut response = Response::new(body::stream(stream));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}
