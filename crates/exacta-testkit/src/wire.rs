//! A wire to a server on this machine: what goes over it is counted, and a test can do something before a request goes on.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long one side may say nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// One wire. Requests go over it one at a time; it ends with the process.
#[derive(Debug)]
pub struct Wire {
    port: u16,
    state: Arc<Mutex<State>>,
}

/// What is done once, before a request goes on.
type Armed = Box<dyn FnOnce(&str) + Send>;

#[derive(Default)]
struct State {
    /// The first line of every request, without the protocol.
    requests: Vec<String>,
    armed: Option<(usize, Armed)>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("requests", &self.requests).finish_non_exhaustive()
    }
}

impl Wire {
    /// A wire to a server at an address such as `127.0.0.1:8080`.
    ///
    /// # Panics
    /// If there is no port for it.
    #[must_use]
    #[track_caller]
    pub fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("no port: {error}"));
        let port = listener.local_addr().map_or(0, |address| address.port());
        let state = Arc::new(Mutex::new(State::default()));
        let (shared, server) = (Arc::clone(&state), server.to_owned());
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // What breaks on the way breaks for the one who asks.
                drop(pass(near, &server, &shared));
            }
        });
        Self { port, state }
    }

    /// The address of its near end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From now on requests are counted from one; before the n-th goes on, this is done, with the request's first line.
    pub fn before(&self, nth: usize, act: impl FnOnce(&str) + Send + 'static) {
        let mut state = held(&self.state);
        state.requests.clear();
        state.armed = Some((nth, Box::new(act)));
    }

    /// From now on requests are counted from one, and nothing else is done.
    pub fn count(&self) {
        *held(&self.state) = State::default();
    }

    /// The first line of each request since they were counted last: method and address.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        held(&self.state).requests.clone()
    }
}

fn held(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One request and its answer; the server ends the connection.
fn pass(mut near: TcpStream, server: &str, state: &Mutex<State>) -> std::io::Result<()> {
    near.set_read_timeout(Some(SILENCE))?;
    let request = request(&mut near)?;
    let line = String::from_utf8_lossy(&request);
    let line = line.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let armed = {
        let mut state = held(state);
        state.requests.push(line.clone());
        let number = state.requests.len();
        state.armed.take_if(|(nth, _)| *nth == number)
    };
    if let Some((_, act)) = armed {
        act(&line);
    }
    let mut far = TcpStream::connect(server)?;
    far.set_read_timeout(Some(SILENCE))?;
    far.write_all(&request)?;
    std::io::copy(&mut far, &mut near)?;
    near.shutdown(Shutdown::Both)
}

/// A whole request: its head, and as much of a body as the head says.
fn request(near: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 14];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                return Ok(bytes);
            }
        }
        match near.read(&mut buffer)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => bytes.extend_from_slice(buffer.get(..count).unwrap_or_default()),
        }
    }
}
