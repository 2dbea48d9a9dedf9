//! A connection to exactly the address that was checked, with TLS where the address says so, and one deadline for all of it.

use crate::address::reserved;
use crate::error::WebErrorKind;
use crate::limits::{MAX_ADDRESSES, MAX_CONNECT, MAX_TIME};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};
use url::{Host, Url};

/// When everything has to be over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self(now.checked_add(MAX_TIME).unwrap_or(now))
    }

    /// What is left of the time.
    pub(crate) fn left(self) -> Result<Duration, WebErrorKind> {
        let left = self.0.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(WebErrorKind::Timeout { limit: MAX_TIME }) } else { Ok(left) }
    }

    /// The kind of an error of the connection: the deadline, or what it would be otherwise.
    pub(crate) fn kind(self, otherwise: WebErrorKind) -> WebErrorKind {
        self.left().err().unwrap_or(otherwise)
    }
}

/// A connection that can be read and written.
pub(crate) enum Stream {
    Plain(Timed),
    Secure(Box<StreamOwned<ClientConnection, Timed>>),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Secure(stream) => stream.read(buffer),
        }
    }
}

impl Stream {
    /// Resolves once, checks every address, connects to one of those, and sends.
    pub(crate) fn open(url: &Url, deadline: Deadline) -> Result<Self, WebErrorKind> {
        let addresses = addresses(url, deadline)?;
        let timed = connect(&addresses, deadline)?;
        if url.scheme() != "https" {
            return Ok(Self::Plain(timed));
        }
        secure(url, timed, deadline)
    }

    pub(crate) fn send(&mut self, bytes: &[u8], deadline: Deadline) -> Result<(), WebErrorKind> {
        let sent = match self {
            Self::Plain(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Self::Secure(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        };
        sent.map_err(|error| deadline.kind(untrusted(&error).unwrap_or(WebErrorKind::Unreachable)))
    }
}

/// A socket on which no call goes on past the deadline, however slowly bytes come.
pub(crate) struct Timed {
    socket: TcpStream,
    deadline: Deadline,
}

impl Timed {
    fn left(&self) -> io::Result<Duration> {
        self.deadline.left().map_err(|_| io::ErrorKind::TimedOut.into())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        self.socket.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        self.socket.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// Every address of the host, if all of them are public. One that is not spoils the others: a name that leads both inside and outside is an attack,
/// or a mistake that would be one next time.
fn addresses(url: &Url, deadline: Deadline) -> Result<Vec<SocketAddr>, WebErrorKind> {
    let port = url.port_or_known_default().unwrap_or(80);
    let found: Vec<IpAddr> = match url.host() {
        Some(Host::Ipv4(address)) => vec![address.into()],
        Some(Host::Ipv6(address)) => vec![address.into()],
        Some(Host::Domain(name)) => resolve(name, deadline)?,
        None => Vec::new(),
    };
    if let Some((address, what)) = found.iter().find_map(|address| Some((address, reserved(*address)?))) {
        return Err(WebErrorKind::AddressRefused { why: format!("its address {address} belongs to {what}") });
    }
    if found.is_empty() {
        return Err(WebErrorKind::NameUnknown);
    }
    Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}

/// Asks the system, as every other program does (`/etc/hosts`, DNS). Its resolver has no time limit of ours, so it is asked from a thread that is
/// left behind when time is up; the system ends it.
fn resolve(name: &str, deadline: Deadline) -> Result<Vec<IpAddr>, WebErrorKind> {
    let (sender, answer) = mpsc::sync_channel(1);
    let name = name.to_owned();
    let asking = std::thread::Builder::new().name("resolve".to_owned()).stack_size(256 * 1024).spawn(move || {
        let found = (name.as_str(), 0_u16).to_socket_addrs();
        // Nobody waits any more if this fails.
        let _sent = sender.send(found.map(|found| found.map(|address| address.ip()).collect::<Vec<_>>()));
    });
    asking.map_err(|_| WebErrorKind::Unreachable)?;
    match answer.recv_timeout(deadline.left()?) {
        Ok(Ok(found)) if found.len() > MAX_ADDRESSES => {
            Err(WebErrorKind::AddressRefused { why: format!("it has more than {MAX_ADDRESSES} addresses") })
        }
        Ok(Ok(found)) => Ok(found),
        Ok(Err(_)) => Err(deadline.kind(WebErrorKind::NameUnknown)),
        Err(_) => Err(WebErrorKind::Timeout { limit: MAX_TIME }),
    }
}

fn connect(addresses: &[SocketAddr], deadline: Deadline) -> Result<Timed, WebErrorKind> {
    for (index, address) in addresses.iter().enumerate() {
        let left = deadline.left()?;
        let last = index + 1 == addresses.len();
        let patience = if last { left } else { left.min(MAX_CONNECT) };
        if let Ok(socket) = TcpStream::connect_timeout(address, patience) {
            // Slower, but no less right, if this is not possible.
            let _quick = socket.set_nodelay(true);
            return Ok(Timed { socket, deadline });
        }
    }
    Err(deadline.kind(WebErrorKind::Unreachable))
}

fn secure(url: &Url, mut timed: Timed, deadline: Deadline) -> Result<Stream, WebErrorKind> {
    let name = match url.host() {
        Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).map_err(|_| WebErrorKind::Untrusted)?,
        Some(Host::Ipv4(address)) => ServerName::from(IpAddr::from(address)),
        Some(Host::Ipv6(address)) => ServerName::from(IpAddr::from(address)),
        None => return Err(WebErrorKind::Untrusted),
    };
    let mut connection = ClientConnection::new(config()?, name).map_err(|_| WebErrorKind::Untrusted)?;
    while connection.is_handshaking() {
        connection
            .complete_io(&mut timed)
            .map_err(|error| deadline.kind(untrusted(&error).unwrap_or(WebErrorKind::Unreachable)))?;
    }
    Ok(Stream::Secure(Box::new(StreamOwned::new(connection, timed))))
}

fn untrusted(error: &io::Error) -> Option<WebErrorKind> {
    error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()).then_some(WebErrorKind::Untrusted)
}

/// The system's certificates, or those that `SSL_CERT_FILE` names; read once, and only when something is read by https.
fn config() -> Result<Arc<ClientConfig>, WebErrorKind> {
    static CONFIG: OnceLock<Option<Arc<ClientConfig>>> = OnceLock::new();
    CONFIG.get_or_init(make_config).clone().ok_or(WebErrorKind::Untrusted)
}

fn make_config() -> Option<Arc<ClientConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let mut config = versions.with_platform_verifier().ok()?.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = rustls::client::Resumption::disabled();
    Some(Arc::new(config))
}
