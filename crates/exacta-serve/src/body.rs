//! Bodies of requests and answers.

use futures_util::Stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, Limited, StreamBody};
pub use hyper::body::Bytes;
use hyper::body::{Frame, Incoming};
use std::convert::Infallible;

/// What is sent.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

/// All of it at once.
#[must_use]
pub fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed_unsync()
}

/// Piece by piece.
pub fn stream(pieces: impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static) -> Body {
    StreamBody::new(pieces).boxed_unsync()
}

/// A request's body, if it has at most so many bytes and comes whole.
pub async fn read(body: Incoming, limit: usize) -> Option<Bytes> {
    Limited::new(body, limit).collect().await.ok().map(http_body_util::Collected::to_bytes)
}
