//! Addresses of pages: no more of them than who is spoken to.

use crate::prelude::*;

/// The host of an http(s) address, in lower case. `None` for anything that two readers could read differently: another
/// scheme, a user name, a backslash, white space, an escape or a character outside ASCII in the host.
#[must_use]
pub fn host(url: &str) -> Option<String> {
    host_and_port(url).map(|(host, _)| host)
}

/// The host and the port that an address names, if it names one.
#[must_use]
pub fn host_and_port(url: &str) -> Option<(String, Option<u16>)> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let start = url.get(..scheme.len())?;
        if start.eq_ignore_ascii_case(scheme) { url.get(scheme.len()..) } else { None }
    })?;
    if url.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, "")) => (host, None),
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (host, Some(port.parse().ok()?)),
        Some(_) => return None,
        None => (authority, None),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    (!host.is_empty() && host.bytes().all(plain)).then(|| (host.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_and_nothing_else() {
        for (url, expected) in [
            ("https://example.com", Some("example.com")),
            ("HTTP://Example.COM:8080/a?b#c", Some("example.com")),
            ("https://example.com?x=@evil.org", Some("example.com")),
            ("https://example.com@evil.org/", None),
            ("https://example.com:x@evil.org/", None),
            ("https://example.com\\@evil.org/", None),
            ("https://exa mple.com", None),
            ("https://ex%61mple.com", None),
            ("https://exämple.com", None),
            ("https://[::1]/", None),
            ("https://", None),
            ("https:///x", None),
            ("ftp://example.com", None),
            ("file:///etc/passwd", None),
            ("example.com", None),
            ("", None),
        ] {
            assert_eq!(host(url).as_deref(), expected, "{url}");
        }
    }
}
