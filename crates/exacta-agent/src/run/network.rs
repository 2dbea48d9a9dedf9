//! Whom an agent may speak to.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

/// How much network an agent has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Its provider, and what the user names.
    Provider,
    /// What the user names, and nothing else.
    None,
    /// Every public address.
    All,
}

/// One place that may be spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// A host in lower case; with `*.` in front, all beneath.
    host: String,
    /// The port; none for the usual ones.
    port: Option<u16>,
    /// Whether the user named it, so that it may be on this machine or in this network.
    named: bool,
}

/// All of them.
#[derive(Debug, Clone)]
pub struct Allowed {
    network: Network,
    rules: Vec<Rule>,
    /// What an address is where it is not everybody's.
    reserved: fn(IpAddr) -> Option<&'static str>,
}

/// Ports that are meant where none is named.
const USUAL: [u16; 2] = [80, 443];

impl Rule {
    /// A host that a client is known to speak to.
    #[must_use]
    pub fn known(host: &str) -> Self {
        Self { host: host.to_owned(), port: None, named: false }
    }

    /// A place that the user named: `HOST`, `HOST:PORT`, `*.HOST`. None for what is no such thing.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok().filter(|port| *port != 0)?)),
            None => (text, None),
        };
        let plain = host.strip_prefix("*.").unwrap_or(host);
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let is_host =
            !plain.is_empty() && plain.len() < 254 && plain.bytes().all(letter) && !plain.starts_with(['.', '-']);
        is_host.then(|| Self { host: host.to_ascii_lowercase(), port, named: true })
    }

    /// The host and port of an address that the user set.
    #[must_use]
    pub fn of_address(url: &str) -> Option<Self> {
        let (host, port) = exacta_kernel::web::host_and_port(url)?;
        Some(Self { host, port, named: true })
    }

    /// The port on this machine that it means, if it means one.
    fn local_port(&self) -> Option<u16> {
        matches!(self.host.as_str(), "localhost" | "127.0.0.1").then_some(self.port?)
    }

    fn fits(&self, host: &str, port: u16) -> bool {
        let same = match self.host.strip_prefix("*.") {
            Some(above) => host.strip_suffix(above).is_some_and(|rest| rest.ends_with('.')),
            None => self.host == host,
        };
        same && self.port.map_or(USUAL.contains(&port), |own| own == port)
    }
}

impl Allowed {
    /// These rules; `reserved` says what an address is that not everybody has.
    #[must_use]
    pub const fn new(network: Network, rules: Vec<Rule>, reserved: fn(IpAddr) -> Option<&'static str>) -> Self {
        Self { network, rules, reserved }
    }

    /// Whether nobody at all may be spoken to.
    #[must_use]
    pub fn is_nobody(&self) -> bool {
        self.network != Network::All && self.rules.is_empty()
    }

    /// Ports of this machine that the agent finds at the same number.
    #[must_use]
    pub fn local_ports(&self) -> Vec<u16> {
        let mut ports: Vec<u16> = self.rules.iter().filter_map(Rule::local_port).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// Where to connect to for a host, if that is allowed: looked up now, and connected to as it was looked up.
    ///
    /// # Errors
    /// Why not.
    pub fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let rule = self.rules.iter().find(|rule| rule.fits(&host, port));
        if rule.is_none() && self.network != Network::All {
            return Err("it is not among the hosts that this agent may speak to".to_owned());
        }
        let found = (host.as_str(), port).to_socket_addrs().map_err(|error| error.to_string())?;
        let named = rule.is_some_and(|rule| rule.named);
        let (good, bad): (Vec<SocketAddr>, Vec<SocketAddr>) =
            found.partition(|address| named || (self.reserved)(address.ip()).is_none());
        match (good.is_empty(), bad.first().and_then(|address| (self.reserved)(address.ip()))) {
            (true, Some(what)) => Err(format!("it is {what}")),
            (true, None) => Err("it has no address".to_owned()),
            _ => Ok(good),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private(address: IpAddr) -> Option<&'static str> {
        address.is_loopback().then_some("this machine")
    }

    #[test]
    fn a_place_is_named_in_one_way() {
        for good in ["example.com", "*.example.com", "localhost:8080", "127.0.0.1:1", "API.Example.com:443"] {
            assert!(Rule::named(good).is_some(), "{good}");
        }
        for bad in ["", "*", "*.", "a b", "a/b", "http://a", "a:", "a:0", "a:99999", ":80", "-a", "a@b", "[::1]:80"] {
            assert!(Rule::named(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn only_what_is_allowed_is_looked_up() {
        let rules =
            vec![Rule::known("api.example.com"), Rule::known("*.b.example"), Rule::named("127.0.0.1:81").unwrap()];
        let allowed = Allowed::new(Network::Provider, rules, private);
        for (host, port, fits) in [
            ("api.example.com", 443, true),
            ("api.example.com", 22, false),
            ("evil-api.example.com", 443, false),
            ("a.b.example", 443, true),
            ("b.example", 443, false),
            ("xb.example", 443, false),
            ("127.0.0.1", 81, true),
            ("127.0.0.1", 80, false),
        ] {
            assert_eq!(allowed.rules.iter().any(|rule| rule.fits(host, port)), fits, "{host}:{port}");
        }
        assert!(allowed.resolve("127.0.0.1", 81).is_ok());
        assert!(allowed.resolve("127.0.0.1", 80).unwrap_err().contains("not among"));
        assert_eq!(allowed.local_ports(), [81]);
        let all = Allowed::new(Network::All, Vec::new(), private);
        assert_eq!(all.resolve("127.0.0.1", 80).unwrap_err(), "it is this machine");
        // A known host that leads to this machine leads nowhere.
        let known = Allowed::new(Network::Provider, vec![Rule::known("localhost")], private);
        assert_eq!(known.resolve("localhost", 80).unwrap_err(), "it is this machine");
        assert!(Allowed::new(Network::None, Vec::new(), private).is_nobody());
    }
}
