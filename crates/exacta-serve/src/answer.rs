//! What is answered to a request.

use crate::body::{self, Body, Bytes};
use exacta_kernel::hash::Digest;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// An answer: a page, JSON, or the way to another page.
#[derive(Debug, Clone)]
pub struct Answer {
    /// How it went.
    pub status: StatusCode,
    /// What the body is.
    pub kind: &'static str,
    /// Headers of its own.
    pub headers: Vec<(HeaderName, String)>,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// A page.
    #[must_use]
    pub fn page(status: StatusCode, document: String) -> Self {
        Self { status, kind: "text/html; charset=utf-8", headers: Vec::new(), body: document.into() }
    }

    /// Text of this kind.
    #[must_use]
    pub fn text(kind: &'static str, text: &str) -> Self {
        Self { status: StatusCode::OK, kind, headers: Vec::new(), body: Bytes::copy_from_slice(text.as_bytes()) }
    }

    /// JSON, with nothing hidden in it.
    #[must_use]
    pub fn json(status: StatusCode, kind: &'static str, value: &impl Serialize) -> Self {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        let body = exacta_kernel::text::visible_json(&text).into_owned();
        Self { status, kind, headers: Vec::new(), body: body.into() }
    }

    /// Goes on with another page, by GET.
    #[must_use]
    pub fn see(path: &str) -> Self {
        let headers = vec![(header::LOCATION, path.to_owned())];
        Self { status: StatusCode::SEE_OTHER, kind: "text/plain", headers, body: Bytes::new() }
    }

    /// The same with another status.
    #[must_use]
    pub fn at(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// With a tag that says what is in it, if it went well.
    #[must_use]
    pub fn tagged(self) -> Self {
        if self.status != StatusCode::OK || self.tag().is_some() {
            return self;
        }
        let tag = format!("\"{}\"", Digest::of(&self.body));
        self.with(header::ETAG, tag)
    }

    /// Nothing more than its tag, for whoever has it already.
    #[must_use]
    pub fn unless_known(self, known: Option<&str>) -> Self {
        match self.tag() {
            Some(tag) if known == Some(tag) => Self { status: StatusCode::NOT_MODIFIED, body: Bytes::new(), ..self },
            _ => self,
        }
    }

    fn tag(&self) -> Option<&str> {
        self.headers.iter().find(|(name, _)| *name == header::ETAG).map(|(_, tag)| tag.as_str())
    }

    /// As it is sent.
    #[must_use]
    pub fn into_response(self) -> Response<Body> {
        let mut response = Response::new(body::whole(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}

/// What whoever waits for something is answered meanwhile, and whether that is all.
pub struct Standing {
    /// The answer so far.
    pub answer: Answer,
    /// Whether nothing more comes.
    pub is_over: bool,
}
