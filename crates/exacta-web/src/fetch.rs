//! Reads one page: every address through the gate, redirects too.

use crate::error::{WebError, WebErrorKind};
use crate::hosts::Hosts;
use crate::http::{self, Head, bad};
use crate::limits::{MAX_PAUSE, MAX_REDIRECTS};
use crate::page::{Got, Kind, Page, Validators, digest};
use crate::stream::{Deadline, Stream};
use std::time::Duration;
use url::Url;

/// Reads the page at `url`, or learns that it is as it was when the validators were given. Nothing is sent but the request, and nothing is kept but what
/// is returned. It takes 15 seconds at most.
///
/// # Errors
/// Why it was not read.
pub fn get(url: &str, hosts: &Hosts, validators: Option<&Validators>) -> Result<Got, WebError> {
    let deadline = Deadline::start();
    let refused = |why| WebError::new(WebErrorKind::AddressRefused { why }, url);
    let mut here = hosts.admit(url).map_err(refused)?;
    here.set_fragment(None);
    let asked = here.clone();
    let mut seen = vec![here.clone()];
    loop {
        match one(&here, validators, deadline).map_err(|kind| WebError::new(kind, here.as_str()))? {
            Answer::NotModified => return Ok(Got::NotModified),
            Answer::Page(mut page) => {
                page.url = asked.into();
                return Ok(Got::Page(page));
            }
            Answer::Elsewhere(location) => {
                here = follow(&here, &location, hosts, &seen)?;
                seen.push(here.clone());
            }
        }
    }
}

enum Answer {
    Page(Box<Page>),
    NotModified,
    Elsewhere(String),
}

fn one(url: &Url, validators: Option<&Validators>, deadline: Deadline) -> Result<Answer, WebErrorKind> {
    let validators = validators.filter(|validators| validators.url == url.as_str() && !validators.is_empty());
    let mut stream = Stream::open(url, deadline)?;
    stream.send(http::request(url, validators).as_bytes(), deadline)?;
    let (head, start) = http::head(&mut stream, deadline)?;
    match head.status {
        304 if validators.is_some() => Ok(Answer::NotModified),
        304 => Err(bad("it says `not modified` although nobody asked that")),
        301 | 302 | 303 | 307 | 308 => {
            let location = head.one("location")?.filter(|location| !location.is_empty());
            location.map(|location| Answer::Elsewhere(location.to_owned())).ok_or_else(|| bad("it leads nowhere"))
        }
        _ => page(url, &head, start, &mut stream, deadline).map(|page| Answer::Page(Box::new(page))),
    }
}

fn page(url: &Url, head: &Head, start: Vec<u8>, stream: &mut Stream, deadline: Deadline) -> Result<Page, WebErrorKind> {
    let content_type = head.first("content-type").unwrap_or_default();
    let failed = head.status >= 400;
    let empty = matches!(head.status, 204 | 205);
    if !failed && !empty && !content_type.is_empty() {
        Kind::of(content_type, &[])?;
    }
    let body = if empty { Ok(Vec::new()) } else { crate::body::read(head, start, stream, deadline) };
    // What an error page says is not needed to know that it is one.
    let body = if failed { body.unwrap_or_default() } else { body? };
    let kind = Kind::of(content_type, &body);
    let kind = if failed || empty || body.is_empty() { kind.unwrap_or(Kind::Text) } else { kind? };
    Ok(Page {
        url: String::new(),
        final_url: url.as_str().to_owned(),
        status: head.status,
        kind,
        content_type: exacta_kernel::text::excerpt(content_type, 200),
        sha256: digest(&body),
        body,
        validators: if failed { Validators::default() } else { head.validators(url) },
        retry_after: head.first("retry-after").and_then(pause),
    })
}

fn follow(from: &Url, location: &str, hosts: &Hosts, seen: &[Url]) -> Result<Url, WebError> {
    let refused = |why: String| WebError::new(WebErrorKind::RedirectRefused { why }, location);
    if seen.len() > MAX_REDIRECTS {
        return Err(refused(format!("more than {MAX_REDIRECTS} redirects")));
    }
    let to = from.join(location).map_err(|_| refused("it is not an address".to_owned()))?;
    let mut to = hosts.admit_url(to).map_err(refused)?;
    to.set_fragment(None);
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(refused("it leads from https to http".to_owned()));
    }
    if seen.contains(&to) {
        return Err(refused("the redirects go round in a circle".to_owned()));
    }
    Ok(to)
}

/// How long the site asks to wait: seconds, or until a date.
fn pause(text: &str) -> Option<Duration> {
    let seconds = text.parse::<u64>().map(Duration::from_secs).ok();
    let pause = seconds.or_else(|| {
        let then = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        Some(Duration::try_from(then.duration_since(jiff::Timestamp::now())).unwrap_or_default())
    });
    pause.map(|pause| pause.min(MAX_PAUSE))
}
