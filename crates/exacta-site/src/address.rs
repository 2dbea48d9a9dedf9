//! Where a site is: https, or http on this machine alone.

use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// A site's address, normalised: the same site is always written the same way, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteUrl(String);

/// Why a text is no address of a site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no URL.
    #[error("`{0}` is no URL such as `https://example.com`")]
    NotAUrl(String),
    /// A password would cross the network in clear text.
    #[error("`{0}` is not https: the password would cross the network in clear text; http is for this machine alone")]
    NotSecret(String),
    /// It has parts that a site's address has not.
    #[error("`{0}` has {1}, which a site's address has not")]
    Extra(String, &'static str),
}

impl SiteUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// [`AddressError`]
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text.trim()).map_err(|_| AddressError::NotAUrl(text.to_owned()))?;
        // A name or password in it must not come into a message.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Extra("the URL".to_owned(), "a user or a password in it"));
        }
        let shown = || url.to_string();
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::Extra(shown(), "a query or a fragment"));
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(AddressError::NotSecret(shown())),
            _ => return Err(AddressError::NotAUrl(shown())),
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(AddressError::NotAUrl(shown()));
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_loopback(&url))
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, is) in [
            ("https://Example.com/", Some("https://example.com")),
            ("https://example.com:443/blog/", Some("https://example.com/blog")),
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("http://[::1]:8080/", Some("http://[::1]:8080")),
            ("http://localhost", Some("http://localhost")),
            ("http://example.com", None),
            ("http://127.0.0.1.example.com", None),
            ("http://10.0.0.1", None),
            ("ftp://example.com", None),
            ("https://user:secret@example.com", None),
            ("https://example.com/?x=1", None),
            ("https://example.com/#x", None),
            ("example.com", None),
            ("", None),
        ] {
            let parsed = SiteUrl::parse(text);
            assert_eq!(parsed.as_ref().ok().map(SiteUrl::as_str), is, "{text}");
            assert!(!format!("{parsed:?}").contains("secret"), "{text}");
        }
    }
}
