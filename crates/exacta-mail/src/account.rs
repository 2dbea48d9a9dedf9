//! A mail account of the user's: its servers, its user, its address, and the password that opens it.

use std::fmt;
use std::net::IpAddr;
use zeroize::Zeroizing;

/// The longest password that is taken.
const MAX_PASSWORD: usize = 1024;

/// The longest address there is (RFC 5321).
const MAX_ADDRESS: usize = 254;

/// An account. Everything in it was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    name: String,
    imap: ServerUrl,
    smtp: ServerUrl,
    user: String,
    from: String,
}

/// The way to a mail server: `imaps://mail.example`, `smtp://mail.example:587`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    scheme: Scheme,
    host: String,
    port: u16,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// IMAP within TLS.
    Imaps,
    /// IMAP without TLS: on this machine only.
    Imap,
    /// Submission within TLS.
    Smtps,
    /// Submission that begins without TLS and goes on within it, except on this machine.
    Smtp,
}

/// A password. It has neither `Debug` nor `Display`, and its memory is wiped.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

/// What is wrong with an account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// Its name.
    #[error("the name of a mail account is at most 64 of `a-z`, `0-9`, `-` and `_`, beginning with a letter or digit")]
    Name,
    /// The way to a server.
    #[error("`{url}` is not the way to a mail server: {why}")]
    Url {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Its user.
    #[error("the user of a mail account is one line without control characters, at most 254 bytes")]
    User,
    /// Its address.
    #[error("`{0}` is no plain mail address such as `me@example.org`")]
    From(String),
    /// Its password.
    #[error("a mail password is one line without control characters, at most 1024 bytes")]
    Password,
}

impl Account {
    /// An account, if everything about it can be used.
    ///
    /// # Errors
    /// The first thing that cannot.
    pub fn new(name: &str, imap: &str, smtp: &str, user: &str, from: &str) -> Result<Self, AccountError> {
        let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        if name.len() > 64 || !begins || !name.chars().all(named) {
            return Err(AccountError::Name);
        }
        if user.is_empty() || user.len() > MAX_ADDRESS || user.chars().any(char::is_control) {
            return Err(AccountError::User);
        }
        if !is_plain_address(from) {
            return Err(AccountError::From(from.to_owned()));
        }
        let imap = ServerUrl::parse(imap, [Scheme::Imaps, Scheme::Imap])?;
        let smtp = ServerUrl::parse(smtp, [Scheme::Smtps, Scheme::Smtp])?;
        Ok(Self { name: name.to_owned(), imap, smtp, user: user.to_owned(), from: from.to_owned() })
    }

    /// What the user calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its messages are.
    #[must_use]
    pub const fn imap(&self) -> &ServerUrl {
        &self.imap
    }

    /// Where it sends from.
    #[must_use]
    pub const fn smtp(&self) -> &ServerUrl {
        &self.smtp
    }

    /// Who logs in.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The address it sends from.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.from
    }
}

impl ServerUrl {
    fn parse(url: &str, schemes: [Scheme; 2]) -> Result<Self, AccountError> {
        let bad = |why| AccountError::Url { url: exacta_kernel::text::excerpt(url, 120), why };
        let (word, rest) = url.split_once("://").ok_or_else(|| bad("it has no scheme such as `imaps://`"))?;
        let scheme = schemes.into_iter().find(|scheme| scheme.word() == word);
        let [first, second] = schemes;
        let scheme = scheme.ok_or_else(|| {
            bad(if first == Scheme::Imaps {
                "it begins with neither `imaps://` nor `imap://`"
            } else {
                "it begins with neither `smtps://` nor `smtp://`"
            })
        })?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            // An IPv6 address in brackets has colons of its own.
            Some((host, port)) if !port.ends_with(']') => {
                let port = port
                    .parse()
                    .ok()
                    .filter(|port| *port != 0)
                    .ok_or_else(|| bad("its port is no number from 1 to 65535"))?;
                (host, port)
            }
            _ => (rest, scheme.port()),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':');
        if host.is_empty() || host.len() > 253 || !host.chars().all(plain) {
            return Err(bad("its host is no name or address (write a name with other letters in its `xn--` form)"));
        }
        if host.contains(':') && host.parse::<IpAddr>().is_err() {
            return Err(bad("its host is no name or address"));
        }
        let url = Self { scheme, host: host.to_ascii_lowercase(), port };
        if scheme == Scheme::Imap && !second.is_tls() && !url.names_this_machine() {
            return Err(bad("without TLS only this machine may be spoken to: use `imaps://`"));
        }
        Ok(url)
    }

    pub(crate) const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host's name or address.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Whether its name can only mean this machine. Where it leads is looked at again when it is connected to.
    fn names_this_machine(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, host, port) = (self.scheme.word(), &self.host, self.port);
        if host.contains(':') { write!(f, "{word}://[{host}]:{port}") } else { write!(f, "{word}://{host}:{port}") }
    }
}

impl Scheme {
    const fn word(self) -> &'static str {
        match self {
            Self::Imaps => "imaps",
            Self::Imap => "imap",
            Self::Smtps => "smtps",
            Self::Smtp => "smtp",
        }
    }

    const fn port(self) -> u16 {
        match self {
            Self::Imaps => 993,
            Self::Imap => 143,
            Self::Smtps => 465,
            Self::Smtp => 587,
        }
    }

    /// Whether TLS comes before the first word.
    pub(crate) const fn is_tls(self) -> bool {
        matches!(self, Self::Imaps | Self::Smtps)
    }
}

impl Password {
    /// A password that the caller took from the environment, a keyring or a file.
    ///
    /// # Errors
    /// [`AccountError::Password`] if no server could be told it.
    pub fn new(text: Zeroizing<String>) -> Result<Self, AccountError> {
        if text.is_empty() || text.len() > MAX_PASSWORD || text.chars().any(char::is_control) {
            return Err(AccountError::Password);
        }
        Ok(Self(text))
    }

    /// For the login, and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// Whether a text is one mail address and nothing else, of characters that need no quoting.
#[must_use]
pub fn is_plain_address(text: &str) -> bool {
    let local = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let dotted =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.contains("..");
    let Some((name, host)) = text.split_once('@') else { return false };
    let labels = |host: &str| {
        host.split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        })
    };
    text.len() <= MAX_ADDRESS && name.len() <= 64 && dotted(name) && name.chars().all(local) && labels(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_checked() {
        let account = |name, imap, smtp, user, from| {
            Account::new(name, imap, smtp, user, from).map_err(|error| error.to_string())
        };
        let good =
            account("work", "imaps://mail.example", "smtp://mail.example:2525", "me", "me@mail.example").unwrap();
        assert_eq!(
            (good.imap().to_string(), good.smtp().to_string()),
            ("imaps://mail.example:993".to_owned(), "smtp://mail.example:2525".to_owned())
        );
        for (imap, word) in [
            ("mail.example", "no scheme"),
            ("smtp://mail.example", "neither `imaps://`"),
            ("https://mail.example", "neither `imaps://`"),
            ("imap://mail.example", "this machine"),
            ("imap://10.0.0.1", "this machine"),
            ("imap://localhost.example", "this machine"),
            ("imaps://me@mail.example", "host"),
            ("imaps://mail.example/INBOX", "host"),
            ("imaps://mail.example:0", "port"),
            ("imaps://mail.example:99999", "port"),
            ("imaps://", "host"),
            ("imaps://[::1", "host"),
        ] {
            let said = account("work", imap, "smtps://x.example", "me", "me@x.example").unwrap_err();
            assert!(said.contains(word), "{imap}: {said}");
        }
        for imap in ["imap://127.0.0.1:1143", "imap://localhost", "imap://[::1]:143", "imaps://[::1]/"] {
            assert!(account("work", imap, "smtps://x.example", "me", "me@x.example").is_ok(), "{imap}");
        }
        for name in ["", "Work", "-a", "a/b", "ä"] {
            assert!(account(name, "imaps://x.example", "smtps://x.example", "me", "me@x.example").is_err(), "{name}");
        }
        assert!(account("a", "imaps://x.example", "smtps://x.example", "a\r\nb", "me@x.example").is_err());
        for from in
            ["me", "Me <me@x.example>", "me@x..example", "a b@x.example", "me@x.example, you@x.example", "ö@x.example"]
        {
            assert!(account("a", "imaps://x.example", "smtps://x.example", "me", from).is_err(), "{from}");
        }
    }
}
