//! One request and the head of its answer. Strict where two readers could read an answer differently.

use crate::error::{TooLarge, WebErrorKind};
use crate::limits::{MAX_HEAD, MAX_HEADERS, MAX_VALIDATOR};
use crate::page::Validators;
use crate::stream::{Deadline, Stream};
use std::io::Read as _;
use url::Url;

/// Informational answers that may come before the real one.
const MAX_INTERIM: usize = 4;

/// How it names itself.
const USER_AGENT: &str = concat!("exacta/", env!("CARGO_PKG_VERSION"), " (reads pages for its user)");

/// What comes before a page.
pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The only value of a header.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, WebErrorKind> {
        let mut found = self.headers.iter().filter(|(given, _)| given == name).map(|(_, value)| value.as_str());
        match (found.next(), found.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(bad(&format!("it has two `{name}` headers"))),
        }
    }

    /// The first value of a header.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// What to ask with the next time.
    pub(crate) fn validators(&self, url: &Url) -> Validators {
        let value =
            |name| self.first(name).filter(|value| value.len() <= MAX_VALIDATOR && plain(value)).map(ToOwned::to_owned);
        Validators { url: url.as_str().to_owned(), etag: value("etag"), last_modified: value("last-modified") }
    }
}

pub(crate) fn bad(why: &str) -> WebErrorKind {
    WebErrorKind::BadAnswer { why: why.to_owned() }
}

fn plain(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// The request. No cookies, no credentials, no referrer.
pub(crate) fn request(url: &Url, validators: Option<&Validators>) -> String {
    let mut target = url.path().to_owned();
    if let Some(query) = url.query() {
        target = format!("{target}?{query}");
    }
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut text = format!(
        "GET {target} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {USER_AGENT}\r\nAccept: text/html, application/xhtml+xml, \
         text/plain, application/json, application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9\r\n\
         Accept-Encoding: gzip, deflate\r\nConnection: close\r\n"
    );
    let conditions = validators
        .map(|validators| [("If-None-Match", &validators.etag), ("If-Modified-Since", &validators.last_modified)]);
    for (name, value) in conditions.into_iter().flatten() {
        if let Some(value) = value.as_ref().filter(|value| value.len() <= MAX_VALIDATOR && plain(value)) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    text.push_str("\r\n");
    text
}

/// Reads the head, and what came with it of the page.
pub(crate) fn head(stream: &mut Stream, deadline: Deadline) -> Result<(Head, Vec<u8>), WebErrorKind> {
    let mut read = Vec::new();
    for _ in 0..=MAX_INTERIM {
        let end = fill(stream, &mut read, deadline)?;
        let rest = read.split_off(end);
        let head = parse(&read)?;
        match head.status {
            101 => return Err(bad("it changes the protocol")),
            100..=199 => read = rest,
            _ => return Ok((head, rest)),
        }
    }
    Err(bad("it never comes to an answer"))
}

/// Reads until the head is complete; says where it ends.
fn fill(stream: &mut Stream, read: &mut Vec<u8>, deadline: Deadline) -> Result<usize, WebErrorKind> {
    let mut looked = 0_usize;
    loop {
        let from = looked.saturating_sub(3);
        if let Some(end) = end_of(read.get(from..).unwrap_or_default()) {
            return if from + end > MAX_HEAD { Err(large()) } else { Ok(from + end) };
        }
        looked = read.len();
        if read.len() > MAX_HEAD {
            return Err(large());
        }
        if read.len() > 5 && !read.starts_with(b"HTTP/1.") {
            return Err(bad("it is not HTTP/1"));
        }
        let mut buffer = [0; 8 * 1024];
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) if read.is_empty() => return Err(deadline.kind(WebErrorKind::Unreachable)),
            Ok(0) | Err(_) => return Err(deadline.kind(WebErrorKind::CutShort)),
            Ok(count) => read.extend_from_slice(buffer.get(..count).unwrap_or_default()),
        }
    }
}

const fn large() -> WebErrorKind {
    WebErrorKind::TooLarge { what: TooLarge::Head }
}

fn end_of(bytes: &[u8]) -> Option<usize> {
    let crlf = bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
    let bare = bytes.windows(2).position(|window| window == b"\n\n").map(|at| at + 2);
    match (crlf, bare) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn parse(bytes: &[u8]) -> Result<Head, WebErrorKind> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(large()),
        Ok(httparse::Status::Partial) | Err(_) => return Err(bad("its headers are malformed")),
    }
    let headers = response.headers.iter().map(|header| {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        (header.name.to_ascii_lowercase(), value)
    });
    let headers = headers.collect();
    Ok(Head { status: response.code.ok_or_else(|| bad("it has no status"))?, headers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_who_asks_and_nothing_else() {
        let url = Url::parse("https://example.com:8443/a b?c=d#e").unwrap();
        let validators = Validators {
            url: url.to_string(),
            etag: Some("\"x\"".to_owned()),
            last_modified: Some("x\r\nCookie: y".to_owned()),
        };
        insta::assert_snapshot!(request(&url, Some(&validators)).replace("\r\n", "\n"));
    }

    #[test]
    fn heads() {
        for (text, status) in [
            ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", Some(200)),
            ("HTTP/1.0 404 Not Found\n\n", Some(404)),
            ("HTTP/1.1 200\r\n\r\n", Some(200)),
            ("HTTP/1.1 2x0 OK\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\n folded\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\nA b\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", None),
        ] {
            assert_eq!(parse(text.as_bytes()).ok().map(|head| head.status), status, "{text:?}");
        }
    }
}
