//! The server's life: it listens on this machine, answers until it is told to end, and ends in order.

use crate::body::Body;
use crate::gate;
use crate::place::Places;
use crate::session::{Secret, Sessions};
use crate::socket;
use crate::state::Server;
use crate::tls::{self, TlsFiles};
use crate::{timer, watch};
use exacta_app::{App, Caller, Error, Exit, Options};
use exacta_kernel::approval::ApproverName;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// How many connections there are at most.
const CONNECTIONS: usize = 4096;

/// How long a client may take for the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// How long requests may take that are under way when the server ends, and runs.
const LAST_REQUESTS: Duration = Duration::from_secs(10);
const LAST_RUNS: Duration = Duration::from_secs(120);

/// What the server is to be.
pub struct Settings {
    /// The user's folder, and the one project that is served; all of the user's where none is named.
    pub options: Options,
    /// Where it listens, unless it was started with a socket.
    pub listen: SocketAddr,
    /// Whose page it is; the owner of the oldest key here where none is named.
    pub approver: Option<ApproverName>,
    /// Whether other machines may reach it.
    pub beyond: bool,
    /// How it proves who it is to them.
    pub tls: Option<TlsFiles>,
    /// By what name they reach it, beside its address.
    pub name: Option<String>,
}

/// A server that listens and does not answer yet.
pub struct Bound {
    server: Arc<Server>,
    listener: TcpListener,
    address: SocketAddr,
    link: Secret,
    tls: Option<TlsAcceptor>,
}

/// Begins to listen.
///
/// # Errors
/// If the address is not on this machine or taken, nothing is recorded in the project that is named, or the approver has no key here.
pub fn bind(settings: Settings) -> Result<Bound, Error> {
    let Settings { options, listen, approver, beyond, tls, name } = settings;
    let given = socket::given()?;
    let listen = match &given {
        Some(given) => given.local_addr().map_err(|error| not_listening(listen, &error))?,
        None => listen,
    };
    let reachable = !listen.ip().is_loopback();
    if reachable && (!beyond || tls.is_none()) {
        return Err(Error::new(
            Exit::Usage,
            "not_loopback",
            format!("`{}` can be reached from other machines, and without TLS others could listen", listen.ip()),
        )
        .hint("listen on `127.0.0.1` or `[::1]` and use `ssh -L` from elsewhere; or give `--beyond-this-machine`, `--tls-certificate` and `--tls-key`"));
    }
    let tls = tls.as_ref().map(|files| tls::acceptor(files, &options)).transpose()?;
    let approver = match approver {
        Some(name) => exacta_app::settings::key_of(&options, &name)?,
        None => exacta_app::settings::own_key(&options, None)?,
    };
    let person = Caller::Session { approver: approver.name().clone() };
    let options = match &options.project {
        Some(_) => Options { project: Some(options.root()?), exactly: true, ..options },
        None => options,
    };
    if options.project.is_some() {
        // Whoever names a project is told what is wrong with it.
        drop(App::look(&Options { caller: person.clone(), ..options.clone() })?);
    }
    let places = Places::of(options);
    places.refresh(&person)?;
    let listener =
        given.map_or_else(|| TcpListener::bind(listen), Ok).map_err(|error| not_listening(listen, &error))?;
    let address = listener.local_addr().map_err(|error| not_listening(listen, &error))?;
    listener.set_nonblocking(true).map_err(|error| not_listening(listen, &error))?;
    let link = Secret::new()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let server = Server::new(places, &approver, (scheme, hosts(address, name.as_deref())), Sessions::new(&link));
    Ok(Bound { server: Arc::new(server), listener, address, link, tls })
}

impl Bound {
    /// The link that opens the approver's session, once.
    #[must_use]
    pub fn session_url(&self) -> String {
        let host = self.server.hosts.first().cloned().unwrap_or_else(|| self.address.to_string());
        format!("{}://{host}/open/{}", self.server.scheme, self.link.reveal())
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The folders of the projects that it serves so far.
    #[must_use]
    pub fn projects(&self) -> Vec<String> {
        self.server.places.all().iter().map(|place| place.folder().display().to_string()).collect()
    }

    /// Whose page it is.
    #[must_use]
    pub fn approver(&self) -> &ApproverName {
        &self.server.approver
    }

    /// Answers until SIGTERM or SIGINT comes; then what is under way ends, and the plans of this session with it.
    ///
    /// # Errors
    /// If the system gives no threads or signals, or that the plans ended cannot be recorded.
    pub fn run(self) -> Result<(), Error> {
        let Self { server, listener, tls, .. } = self;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).max_blocking_threads(32).enable_all().build();
        let runtime = runtime.map_err(|error| broken(&error))?;
        let stop = Arc::new(AtomicBool::new(false));
        let beside = [watch::watch, timer::run].map(|work: fn(&Arc<Server>, &AtomicBool)| {
            let (server, stop) = (Arc::clone(&server), Arc::clone(&stop));
            std::thread::spawn(move || work(&server, &stop))
        });
        let served = runtime.block_on(serve(&server, listener, tls));
        stop.store(true, Ordering::SeqCst);
        let until = Instant::now() + LAST_RUNS;
        server.asks.cancel_all();
        let is_idle = || server.runs.is_idle() && server.asks.is_idle() && beside.iter().all(JoinHandle::is_finished);
        while !is_idle() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        runtime.shutdown_timeout(Duration::from_secs(1));
        served.map_err(|error| broken(&error))?;
        ended(server)
    }
}

/// Records that the plans of this session are over.
fn ended(server: Arc<Server>) -> Result<(), Error> {
    let person = server.person();
    let apps: Vec<Result<App, Error>> = server.places.all().iter().map(|place| place.act(&person)).collect();
    // A session ends with its last holder.
    drop(server);
    // One project that cannot be written keeps no other from its end.
    let ended: Vec<Result<(), Error>> =
        apps.into_iter().map(|app| app.and_then(|mut app| app.end_held_session().map(drop))).collect();
    ended.into_iter().collect()
}

async fn serve(server: &Arc<Server>, listener: TcpListener, tls: Option<TlsAcceptor>) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let places = Arc::new(Semaphore::new(connections()));
    let graceful = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Too many open files, or a client that went away: others are answered.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(turn_away(stream));
            continue;
        };
        let (server, tls, watcher) = (Arc::clone(server), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            match tls {
                None => converse(server, stream, watcher).await,
                // Whoever is slow at the handshake is cut off like whoever is slow at the head of a request.
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, tls.accept(stream)).await {
                        converse(server, stream, watcher).await;
                    }
                }
            }
            drop(place);
        });
    }
    drop(listener);
    server.live.end();
    let _in_time = tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await;
    Ok(())
}

/// Answers what comes on one connection.
async fn converse(server: Arc<Server>, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, watcher: Watcher) {
    let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
        let server = Arc::clone(&server);
        async move { Ok::<Response<Body>, Infallible>(gate::enter(server, request).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_headers(100)
        .serve_connection(TokioIo::new(stream), service);
    // A client that breaks off is its own affair.
    let _ended = watcher.watch(connection).await;
}

/// How many connections can be held: of the files that this process may open, half are left for the work itself.
fn connections() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let files = setrlimit(Resource::Nofile, raised).map_or(limit.current, |()| limit.maximum);
    files.map_or(CONNECTIONS, |files| usize::try_from(files / 2).unwrap_or(CONNECTIONS).clamp(16, CONNECTIONS))
}

/// Says why not, to whoever comes when there is no room.
async fn turn_away(mut stream: tokio::net::TcpStream) {
    const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Type: text/plain\r\nContent-Length: 39\r\nConnection: close\r\n\r\nthere are too many connections already\n";
    // Whoever does not read it is gone already.
    let _told = tokio::time::timeout(Duration::from_secs(1), stream.write_all(FULL.as_bytes())).await;
}

/// What `Host` may say of this address: the name that was given, the address, and on this machine `localhost`. The first is in the link.
fn hosts(address: SocketAddr, name: Option<&str>) -> Vec<String> {
    let port = address.port();
    let mut hosts: Vec<String> = name.iter().map(|name| format!("{name}:{port}")).collect();
    // A browser leaves out the port that everybody knows.
    hosts.extend(name.filter(|_| port == 443).map(ToOwned::to_owned));
    hosts.push(address.to_string());
    if address.ip().is_loopback() {
        hosts.push(format!("localhost:{port}"));
    }
    hosts
}

fn not_listening(listen: SocketAddr, error: &std::io::Error) -> Error {
    Error::fault("not_listening", format!("cannot listen on `{listen}`: {error}"))
        .hint("name another address with `--listen 127.0.0.1:PORT`; port 0 takes any that is free")
}

fn broken(error: &std::io::Error) -> Error {
    Error::fault("server", format!("the server cannot go on: {error}")).hint("start it again")
}
