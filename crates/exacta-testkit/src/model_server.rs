//! A model server for tests, on loopback, that says what a test wants it to say, byte for byte: also what a real server never says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A server that answers each request as its script says. It ends with its value.
pub struct ModelServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Arc<AtomicBool>,
}

/// A request, as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `POST /v1/chat/completions`.
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// An answer, byte for byte.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// The same bytes again and again, with a pause after each time.
    Again(Vec<u8>, usize, Duration),
    /// The connection is torn down without an end of the body.
    Cut,
}

impl ModelServer {
    /// Starts a server. The script is given the number of the request, from 0, and the request.
    ///
    /// # Panics
    /// If there is no port on loopback.
    #[must_use]
    pub fn start(script: impl Fn(usize, &Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("no port on loopback: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let (asked, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (seen, ends, script) = (Arc::clone(&asked), Arc::clone(&over), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                // A client that goes away in the middle of an answer is no failure of the server.
                thread::spawn(move || {
                    let _gone = serve(stream, &seen, &*script);
                });
            }
        });
        Self { address, asked, over }
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _woken = TcpStream::connect(self.address);
    }
}

impl Asked {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Reply {
    /// An answer with this status and type, and no body yet.
    #[must_use]
    pub fn new(status: u16, content_type: &str) -> Self {
        Self { status, headers: vec![("content-type".to_owned(), content_type.to_owned())], pieces: Vec::new() }
    }

    /// One JSON value.
    #[must_use]
    pub fn json(status: u16, body: &str) -> Self {
        Self::new(status, "application/json").bytes(body)
    }

    /// Server-sent events.
    #[must_use]
    pub fn events<T: AsRef<str>>(events: impl IntoIterator<Item = T>) -> Self {
        let body: String = events.into_iter().map(|event| format!("data: {}\n\n", event.as_ref())).collect();
        Self::new(200, "text/event-stream; charset=utf-8").bytes(body)
    }

    /// One JSON value a line.
    #[must_use]
    pub fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Self {
        let body: String = lines.into_iter().map(|line| format!("{}\n", line.as_ref())).collect();
        Self::new(200, "application/x-ndjson").bytes(body)
    }

    /// With another header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// More of the body.
    #[must_use]
    pub fn bytes(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.piece(Piece::Bytes(bytes.into()))
    }

    /// A pause in the body.
    #[must_use]
    pub fn pause(self, pause: Duration) -> Self {
        self.piece(Piece::Pause(pause))
    }

    /// The same bytes many times, with a pause after each.
    #[must_use]
    pub fn again(self, bytes: impl Into<Vec<u8>>, times: usize, pause: Duration) -> Self {
        self.piece(Piece::Again(bytes.into(), times, pause))
    }

    /// The connection breaks here.
    #[must_use]
    pub fn cut(self) -> Self {
        self.piece(Piece::Cut)
    }

    fn piece(mut self, piece: Piece) -> Self {
        self.pieces.push(piece);
        self
    }
}

fn serve(
    stream: TcpStream,
    seen: &Mutex<Vec<Asked>>,
    script: &(dyn Fn(usize, &Asked) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let asked = read(&mut BufReader::new(stream.try_clone()?))?;
    let number = {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(asked.clone());
        seen.len() - 1
    };
    write(stream, &script(number, &asked))
}

fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        if stream.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, size)| size.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    Ok(Asked { line, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

/// Bodies are chunked, so that their end can be missing.
fn write(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\ntransfer-encoding: chunked\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    for piece in &reply.pieces {
        match piece {
            Piece::Bytes(bytes) => chunk(&mut stream, bytes)?,
            Piece::Pause(pause) => thread::sleep(*pause),
            Piece::Again(bytes, times, pause) => {
                for _ in 0..*times {
                    chunk(&mut stream, bytes)?;
                    thread::sleep(*pause);
                }
            }
            Piece::Cut => return Ok(()),
        }
    }
    stream.write_all(b"0\r\n\r\n")
}

fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes())?;
    stream.write_all(bytes)?;
    stream.write_all(b"\r\n")?;
    stream.flush()
}
