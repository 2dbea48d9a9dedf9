//! The gate: which addresses may be read at all.

use crate::limits::MAX_URL;
use std::collections::BTreeSet;
use url::{Host, Url};

/// The hosts that may be read, each exactly as it is listed: `example.com` on the ports 80 and 443, `example.com:8080` on that port too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    listed: BTreeSet<(String, Option<u16>)>,
}

impl Hosts {
    /// Makes the list; what is no host is left out, so it allows nothing.
    pub fn new<S: AsRef<str>>(listed: impl IntoIterator<Item = S>) -> Self {
        Self { listed: listed.into_iter().filter_map(|entry| entry_of(entry.as_ref())).collect() }
    }

    /// Those that the user's own words and lists allow.
    #[must_use]
    pub fn allowed(allowed: &exacta_kernel::check::Allowed) -> Self {
        Self::new(&allowed.hosts)
    }

    /// The address, if it may be read.
    ///
    /// # Errors
    /// Why not.
    pub fn admit(&self, text: &str) -> Result<Url, String> {
        if text.len() > MAX_URL {
            return Err(format!("the address is longer than {MAX_URL} bytes"));
        }
        let url = Url::parse(text).map_err(|_| "it is not an address".to_owned())?;
        self.admit_url(url)
    }

    pub(crate) fn admit_url(&self, url: Url) -> Result<Url, String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{}` is neither http nor https", exacta_kernel::text::excerpt(url.scheme(), 40)));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a user name or a password".to_owned());
        }
        if url.as_str().len() > MAX_URL {
            return Err(format!("the address is longer than {MAX_URL} bytes"));
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err("it names no host".to_owned());
        };
        let usual = matches!(port, 80 | 443) && self.listed.contains(&(host.to_owned(), None));
        if !usual && !self.listed.contains(&(host.to_owned(), Some(port))) {
            let shown = exacta_kernel::text::excerpt(host, 120);
            return Err(match self.listed.iter().any(|(listed, _)| listed == host) {
                true => format!("port {port} of `{shown}` is not listed"),
                false => format!("the host `{shown}` is not listed"),
            });
        }
        Ok(url)
    }
}

/// A host as addresses spell it, and its port.
fn entry_of(entry: &str) -> Option<(String, Option<u16>)> {
    let bare = Host::parse(entry).ok().map(|host| (host.to_string(), None));
    bare.or_else(|| {
        let (host, port) = entry.rsplit_once(':')?;
        Some((Host::parse(host).ok()?.to_string(), Some(port.parse().ok()?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate() {
        let hosts = Hosts::new([
            "example.com",
            "Shop.Example.COM",
            "other.org:8080",
            "[2606:4700::1111]",
            "münchen.de",
            "1.1.1.1",
        ]);
        for (url, admitted) in [
            ("http://example.com", true),
            ("https://EXAMPLE.com:443/a?b#c", true),
            ("http://example.com:443/", true),
            ("https://shop.example.com/", true),
            ("http://other.org:8080/", true),
            ("http://[2606:4700::1111]/", true),
            ("https://xn--mnchen-3ya.de/", true),
            ("https://MÜNCHEN.de/", true),
            ("http://0x01010101/", true), // the same address, spelt another way
            ("http://other.org/", false),
            ("http://example.com:8080/", false),
            ("http://www.example.com/", false),
            ("http://example.com./", false),
            ("http://example.com@evil.org/", false),
            ("http://user@example.com/", false),
            ("http://:pw@example.com/", false),
            ("http://evil.org/example.com", false),
            ("http://evil.org\\@example.com/", false),
            ("ftp://example.com/", false),
            ("file:///etc/passwd", false),
            ("gopher://example.com/", false),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("//example.com/", false),
            ("", false),
        ] {
            assert_eq!(hosts.admit(url).is_ok(), admitted, "{url}: {:?}", hosts.admit(url));
        }
        assert!(hosts.admit(&format!("http://example.com/{}", "a".repeat(3000))).is_err());
        assert!(Hosts::new(["", "a b", "x:y:z", "ex:99999"]).listed.is_empty());
    }
}
