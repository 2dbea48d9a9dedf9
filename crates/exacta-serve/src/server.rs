//! The server's life: it listens on this machine, answers until it is told to end, and ends in order.

use crate::body::Body;
use crate::gate;
use crate::session::{Secret, Sessions};
use crate::state::Server;
use crate::watch;
use exacta_app::{App, Caller, Error, Exit, Options};
use exacta_kernel::approval::ApproverName;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;

/// How many connections there are at most.
const CONNECTIONS: usize = 4096;

/// How long a client may take for the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// How long requests may take that are under way when the server ends, and runs.
const LAST_REQUESTS: Duration = Duration::from_secs(10);
const LAST_RUNS: Duration = Duration::from_secs(120);

/// What the server is to be.
pub struct Settings {
    /// The project and the user's folder.
    pub options: Options,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Whose page it is; the owner of the oldest key here where none is named.
    pub approver: Option<ApproverName>,
}

/// A server that listens and does not answer yet.
pub struct Bound {
    server: Arc<Server>,
    listener: TcpListener,
    address: SocketAddr,
    link: Secret,
}

/// Begins to listen.
///
/// # Errors
/// If the address is not on this machine or taken, nothing is recorded here, or the approver has no key here.
pub fn bind(settings: Settings) -> Result<Bound, Error> {
    let Settings { options, listen, approver } = settings;
    if !listen.ip().is_loopback() {
        return Err(Error::new(
            Exit::Usage,
            "not_loopback",
            format!("`{}` can be reached from other machines, and without TLS others could listen", listen.ip()),
        )
        .hint("listen on `127.0.0.1` or `[::1]`; from elsewhere, use `ssh -L`"));
    }
    let approver = match approver {
        Some(name) => exacta_app::settings::key_of(&options, &name)?.name().clone(),
        None => exacta_app::settings::own_key(&options, None)?.name().clone(),
    };
    let options = Options { project: Some(options.root()?), exactly: true, ..options };
    let caller = Caller::Session { approver: approver.clone() };
    let mut app = App::resume(&Options { caller, ..options.clone() })?;
    let held = app.hold_session()?;
    let listener = TcpListener::bind(listen).map_err(|error| not_listening(listen, &error))?;
    let address = listener.local_addr().map_err(|error| not_listening(listen, &error))?;
    listener.set_nonblocking(true).map_err(|error| not_listening(listen, &error))?;
    let link = Secret::new()?;
    let server = Server::new(options, approver, hosts(address), Sessions::new(&link), held);
    Ok(Bound { server: Arc::new(server), listener, address, link })
}

impl Bound {
    /// The link that opens the approver's session, once.
    #[must_use]
    pub fn session_url(&self) -> String {
        format!("http://{}/open/{}", self.address, self.link.reveal())
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
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
        let Self { server, listener, .. } = self;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).max_blocking_threads(32).enable_all().build();
        let runtime = runtime.map_err(|error| broken(&error))?;
        let stop = Arc::new(AtomicBool::new(false));
        let watcher = {
            let (server, stop) = (Arc::clone(&server), Arc::clone(&stop));
            std::thread::spawn(move || watch::watch(&server, &stop))
        };
        let served = runtime.block_on(serve(&server, listener));
        stop.store(true, Ordering::SeqCst);
        let until = Instant::now() + LAST_RUNS;
        while !server.runs.is_idle() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _watched = watcher.join();
        runtime.shutdown_timeout(Duration::from_secs(1));
        served.map_err(|error| broken(&error))?;
        ended(server)
    }
}

/// Records that the plans of this session are over.
fn ended(server: Arc<Server>) -> Result<(), Error> {
    let mut app = server.act(&server.person())?;
    // The session ends with its last holder.
    drop(server);
    app.end_held_session().map(drop)
}

async fn serve(server: &Arc<Server>, listener: TcpListener) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
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
        let server = Arc::clone(server);
        let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
            let server = Arc::clone(&server);
            async move { Ok::<Response<Body>, Infallible>(gate::enter(server, request).await) }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_headers(100)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is its own affair.
            let _ended = connection.await;
            drop(place);
        });
    }
    drop(listener);
    server.live.end();
    let _in_time = tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await;
    Ok(())
}

/// What `Host` may say of this address: the address, and `localhost`.
fn hosts(address: SocketAddr) -> Vec<String> {
    vec![address.to_string(), format!("localhost:{}", address.port())]
}

fn not_listening(listen: SocketAddr, error: &std::io::Error) -> Error {
    Error::fault("not_listening", format!("cannot listen on `{listen}`: {error}"))
        .hint("name another address with `--listen 127.0.0.1:PORT`; port 0 takes any that is free")
}

fn broken(error: &std::io::Error) -> Error {
    Error::fault("server", format!("the server cannot go on: {error}")).hint("start it again")
}
