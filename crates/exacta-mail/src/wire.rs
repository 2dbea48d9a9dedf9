//! A connection to a mail server: in TLS or on this machine, with a time limit on everything and a size limit on what comes.

use crate::account::ServerUrl;
use crate::error::MailError;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a server may take. The whole of a stage counts, however the server spreads its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To be connected to, TLS included.
    pub connect: Duration,
    /// To answer a command.
    pub command: Duration,
    /// To give or take a whole message, and to say what became of it.
    pub message: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(15), command: Duration::from_secs(60), message: Duration::from_secs(180) }
    }
}

/// A connection.
pub(crate) struct Wire {
    stream: Stream,
    /// For messages.
    server: String,
    host: String,
    /// Whether the other end is this machine.
    pub(crate) is_local: bool,
    pub(crate) limits: Limits,
    buffer: Vec<u8>,
    at: usize,
}

enum Stream {
    Plain(Timed),
    Tls(Box<StreamOwned<ClientConnection, Timed>>),
    /// While TLS is begun, or where that failed.
    None,
}

/// A socket whose every call ends at one time.
struct Timed {
    tcp: TcpStream,
    end: Instant,
}

impl Wire {
    /// Connects. TLS begins at once where the scheme says so; without it, only this machine is connected to, or TLS has to
    /// be begun by [`Self::start_tls`].
    pub(crate) fn connect(url: &ServerUrl, limits: Limits) -> Result<Self, MailError> {
        let server = url.to_string();
        let end = Instant::now() + limits.connect;
        let tcp = dial(url, &server, end)?;
        let peer = tcp.peer_addr().map_err(|error| unreachable(&server, &error))?;
        let is_local = peer.ip().to_canonical().is_loopback();
        // An answer that is late is no answer: small writes go out at once.
        let _as_it_is = tcp.set_nodelay(true);
        let stream = Stream::Plain(Timed { tcp, end });
        let host = url.host().to_owned();
        let mut wire = Self { stream, server, host, is_local, limits, buffer: Vec::new(), at: 0 };
        if url.scheme().is_tls() {
            wire.start_tls()?;
        }
        Ok(wire)
    }

    /// Begins TLS. What the server said before it is forgotten: nobody vouches for it.
    pub(crate) fn start_tls(&mut self) -> Result<(), MailError> {
        let not_secure = |why: String| MailError::NotSecure { server: self.server.clone(), why };
        if self.at < self.buffer.len() {
            return Err(not_secure("it spoke on after the last word without TLS".to_owned()));
        }
        let Stream::Plain(mut socket) = std::mem::replace(&mut self.stream, Stream::None) else {
            return Err(not_secure("TLS is begun already".to_owned()));
        };
        let name = ServerName::try_from(self.host.clone()).map_err(|error| not_secure(error.to_string()))?;
        let config = tls().map_err(|why| not_secure(why.to_owned()))?;
        let mut connection = ClientConnection::new(config, name).map_err(|error| not_secure(error.to_string()))?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| match error.kind() {
                ErrorKind::InvalidData => not_secure(crate::error::said(error.to_string().as_bytes())),
                _ => lost(&self.server, &error),
            })?;
        }
        self.stream = Stream::Tls(Box::new(StreamOwned::new(connection, socket)));
        Ok(())
    }

    /// Whether what is said stays between the two.
    pub(crate) const fn is_tls(&self) -> bool {
        matches!(self.stream, Stream::Tls(_))
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// From now on everything has to be over within this time.
    pub(crate) fn within(&mut self, limit: Duration) {
        let end = Instant::now() + limit;
        match &mut self.stream {
            Stream::Plain(socket) => socket.end = end,
            Stream::Tls(stream) => stream.sock.end = end,
            Stream::None => {}
        }
    }

    /// Writes bytes, and has them on their way when it returns.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), MailError> {
        let written = match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(bytes),
            Stream::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Stream::None => Err(io::Error::from(ErrorKind::NotConnected)),
        };
        written.map_err(|error| lost(&self.server, &error))
    }

    /// A line without its end, at most `cap` bytes.
    pub(crate) fn line(&mut self, cap: usize) -> Result<Vec<u8>, MailError> {
        let mut line = Vec::new();
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let (piece, ends) = match rest.iter().position(|byte| *byte == b'\n') {
                Some(end) => (rest.get(..=end).unwrap_or_default(), true),
                None => (rest, false),
            };
            line.extend_from_slice(piece);
            self.at += piece.len();
            if line.len() > cap {
                return Err(self.strange("a line is too long"));
            }
            if ends {
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(line);
            }
            self.fill()?;
        }
    }

    /// Exactly so many bytes.
    pub(crate) fn exactly(&mut self, count: usize) -> Result<Vec<u8>, MailError> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let piece = rest.get(..rest.len().min(count - bytes.len())).unwrap_or_default();
            bytes.extend_from_slice(piece);
            self.at += piece.len();
            if bytes.len() < count {
                self.fill()?;
            }
        }
        Ok(bytes)
    }

    pub(crate) fn strange(&self, what: &str) -> MailError {
        MailError::Strange { server: self.server.clone(), what: what.to_owned() }
    }

    fn fill(&mut self) -> Result<(), MailError> {
        self.buffer.resize(16 << 10, 0);
        self.at = 0;
        let read = match &mut self.stream {
            Stream::Plain(socket) => retry(|| socket.read(&mut self.buffer)),
            Stream::Tls(stream) => retry(|| stream.read(&mut self.buffer)),
            Stream::None => Err(io::Error::from(ErrorKind::NotConnected)),
        };
        let count = match read {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "it ended the connection")),
            other => other,
        };
        let kept = count.as_ref().copied().unwrap_or(0);
        self.buffer.truncate(kept);
        count.map(drop).map_err(|error| lost(&self.server, &error))
    }
}

impl Timed {
    fn left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::Error::from(ErrorKind::TimedOut)) } else { Ok(left) }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.tcp.set_read_timeout(Some(self.left()?))?;
        self.tcp.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.set_write_timeout(Some(self.left()?))?;
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

/// A socket to the first address that answers. Without TLS from the first word on, a name that says that it is this machine must be it.
fn dial(url: &ServerUrl, server: &str, end: Instant) -> Result<TcpStream, MailError> {
    let addresses: Vec<SocketAddr> =
        (url.host(), url.port()).to_socket_addrs().map_err(|error| unreachable(server, &error))?.take(8).collect();
    let must_be_local = matches!(url.scheme(), crate::account::Scheme::Imap);
    let mut last = io::Error::new(ErrorKind::NotFound, "its name has no address");
    for address in addresses {
        if must_be_local && !address.ip().to_canonical().is_loopback() {
            last = io::Error::new(ErrorKind::PermissionDenied, "without TLS only this machine is spoken to");
            continue;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last = error,
        }
    }
    Err(unreachable(server, &last))
}

/// What TLS needs, made once: ring, and the certificates that this system trusts.
fn tls() -> Result<Arc<ClientConfig>, &'static str> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, &'static str>> = OnceLock::new();
    let make = || {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.and_then(|builder| builder.with_platform_verifier());
        builder
            .map(|builder| Arc::new(builder.with_no_client_auth()))
            .map_err(|_| "this system's certificates cannot be read")
    };
    CONFIG.get_or_init(make).clone()
}

fn unreachable(server: &str, error: &io::Error) -> MailError {
    MailError::Unreachable { server: server.to_owned(), why: words(error) }
}

fn lost(server: &str, error: &io::Error) -> MailError {
    MailError::Lost { server: server.to_owned(), why: words(error) }
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "it did not answer in time".to_owned(),
        _ => crate::error::said(error.to_string().as_bytes()),
    }
}

fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}
