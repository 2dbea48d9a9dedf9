//! Where a provider is, and what follows from that.

use exacta_kernel::binding::ProviderClass;
use exacta_kernel::provider::{KeySource, ProviderKind, ProviderSetup};
use reqwest::Url;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The address of a provider, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    url: Url,
}

/// Why an address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Not an address of the web.
    #[error("the address is not `http://…` or `https://…` with a host")]
    NotWeb,
    /// It holds a user name, a password, a query or a fragment: places where keys are put by mistake.
    #[error("the address holds a user name, a password, a query or a fragment; a key belongs into `--key-env`")]
    Extra,
    /// A key would go over the network for all to read.
    #[error("a key is sent to another machine only by `https://…`")]
    Plain,
    /// Said to be on this machine, and is not.
    #[error("only a loopback address is LOCAL_ONLY")]
    NotLocal,
}

impl Endpoint {
    /// Reads an address.
    ///
    /// # Errors
    /// [`EndpointError::NotWeb`] and [`EndpointError::Extra`].
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let url = Url::parse(text).map_err(|_| EndpointError::NotWeb)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(EndpointError::NotWeb);
        }
        let extra = !url.username().is_empty() || url.password().is_some();
        if extra || url.query().is_some() || url.fragment().is_some() {
            return Err(EndpointError::Extra);
        }
        Ok(Self { url })
    }

    /// Reads the address of a setup, and checks that its key and class are right for it.
    ///
    /// # Errors
    /// [`EndpointError`].
    pub fn of(setup: &ProviderSetup) -> Result<Self, EndpointError> {
        let endpoint = Self::parse(&setup.url)?;
        let local = endpoint.is_loopback();
        if !local && setup.class == ProviderClass::LocalOnly {
            return Err(EndpointError::NotLocal);
        }
        if !local && endpoint.url.scheme() == "http" && setup.key != KeySource::None {
            return Err(EndpointError::Plain);
        }
        Ok(endpoint)
    }

    /// Whether it is on this machine. A server there may still pass requests on; that is the user's to know.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.url.host_str() {
            Some("localhost") => true,
            Some(host) => host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| match address {
                IpAddr::V4(address) => address.is_loopback(),
                IpAddr::V6(address) => address.is_loopback(),
            }),
            None => false,
        }
    }

    /// The class of what is there, as long as nobody signed for another one.
    #[must_use]
    pub fn class(&self) -> ProviderClass {
        if self.is_loopback() { ProviderClass::LocalOnly } else { ProviderClass::UntrustedCloud }
    }

    /// Scheme, host and port, for people.
    #[must_use]
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The addresses that a name stands for without asking anybody.
    pub(crate) fn pinned(&self) -> Option<[SocketAddr; 2]> {
        let address = |ip: IpAddr| SocketAddr::new(ip, 0);
        (self.url.host_str() == Some("localhost"))
            .then(|| [address(Ipv4Addr::LOCALHOST.into()), address(Ipv6Addr::LOCALHOST.into())])
    }

    /// A place at the server's root, whatever path the address has.
    pub(crate) fn at_root(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(path);
        url
    }

    /// A place below the base, after the version that a kind's paths begin with, unless the address has a path of its own.
    pub(crate) fn below(&self, kind: ProviderKind, parts: &[&str]) -> Url {
        let mut url = self.url.clone();
        let bare = matches!(url.path(), "" | "/");
        let version = match kind {
            ProviderKind::Openai | ProviderKind::OpenaiCompatible | ProviderKind::Anthropic => Some("v1"),
            ProviderKind::Gemini => Some("v1beta"),
            ProviderKind::Ollama => None,
        };
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(version.filter(|_| bare)).extend(parts);
        }
        url
    }
}
