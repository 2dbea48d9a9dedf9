//! The one way out of an agent's network: a proxy that connects to the hosts that are allowed, and to no other.
//!
//! It listens in the agent's own network, by a socket that was opened there and passed out, and connects from here. It reads the first lines
//! of each connection, and after that passes bytes on in both directions; what is in them is between the agent and its provider.

use super::network::Allowed;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest head of a request, in bytes.
const HEAD: usize = 16 << 10;

/// How long a request may take to say what it wants, and a host to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most connections at a time.
const MOST: usize = 256;

/// Hosts that were refused, and how often.
#[derive(Debug, Clone, Default)]
pub struct Refused(Arc<Mutex<BTreeMap<String, u64>>>);

impl Refused {
    /// All so far.
    #[must_use]
    pub fn list(&self) -> Vec<(String, u64)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(host, count)| (host.clone(), *count)).collect()
    }

    fn add(&self, place: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < 1000 || all.contains_key(&place) {
            *all.entry(place).or_default() += 1;
        }
    }
}

/// Serves a listener until the process ends.
pub fn serve(listener: TcpListener, allowed: Allowed, refused: Refused) {
    let allowed = Arc::new(allowed);
    each(listener, move |stream| {
        if let Err(place) = answer(&stream, &allowed) {
            refused.add(place);
        }
    });
}

/// Passes every connection of a listener on to a port of this machine.
pub fn forward(listener: TcpListener, port: u16) {
    each(listener, move |stream| {
        if let Ok(other) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))) {
            pass(&stream, &other);
        }
    });
}

fn each(listener: TcpListener, act: impl Fn(TcpStream) + Send + Sync + 'static) {
    let (act, open) = (Arc::new(act), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            if open.load(Ordering::Relaxed) >= MOST {
                continue;
            }
            open.fetch_add(1, Ordering::Relaxed);
            let (act, open) = (Arc::clone(&act), Arc::clone(&open));
            std::thread::spawn(move || {
                act(stream);
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
}

/// Answers one connection; says which place was refused.
fn answer(stream: &TcpStream, allowed: &Allowed) -> Result<(), String> {
    // A connection that fails before anything was asked for is nobody's refusal.
    let _slow = stream.set_read_timeout(Some(PATIENCE));
    let Some((head, rest)) = head(stream) else { return Ok(()) };
    let Some(asked) = Asked::read(&head) else {
        say(stream, "400 Bad Request", "this proxy understands CONNECT, and http addresses");
        return Ok(());
    };
    let place = format!("{}:{}", asked.host, asked.port);
    let addresses = allowed.resolve(&asked.host, asked.port).map_err(|why| {
        say(stream, "403 Forbidden", &format!("{place}: {why}"));
        place.clone()
    })?;
    let connected = addresses.iter().find_map(|address| TcpStream::connect_timeout(address, PATIENCE).ok());
    let Some(other) = connected else {
        say(stream, "502 Bad Gateway", &format!("{place} cannot be reached"));
        return Ok(());
    };
    let begun = match &asked.forwarded {
        None => (&*stream).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n"),
        Some(head) => (&other).write_all(head.as_bytes()),
    };
    if begun.and_then(|()| (&other).write_all(&rest)).is_ok() {
        let _unlimited = stream.set_read_timeout(None);
        pass(stream, &other);
    }
    Ok(())
}

/// The head of a request, and what came after it.
fn head(mut stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = bytes.split_off(at + 4);
            return Some((String::from_utf8(bytes).ok()?, rest));
        }
        if bytes.len() > HEAD {
            return None;
        }
        match stream.read(&mut chunk).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(chunk.get(..count)?),
        }
    }
}

/// What a request asks for.
struct Asked {
    host: String,
    port: u16,
    /// Of a request that is passed on: its head, as the host is to read it.
    forwarded: Option<String>,
}

impl Asked {
    fn read(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if method == "CONNECT" {
            let (host, port) = exacta_kernel::web::host_and_port(&format!("https://{target}"))?;
            return Some(Self { host, port: port.unwrap_or(443), forwarded: None });
        }
        let (host, port) = exacta_kernel::web::host_and_port(target).filter(|_| target.starts_with("http://"))?;
        let port = port.unwrap_or(80);
        let path = target.get("http://".len()..)?.find('/').and_then(|at| target.get("http://".len() + at..));
        // One request for each connection: the next may be for another host.
        let dropped = ["connection:", "proxy-connection:", "proxy-authorization:", "keep-alive:"];
        let kept = |line: &&str| {
            let line = line.to_ascii_lowercase();
            !line.is_empty() && !dropped.iter().any(|name| line.starts_with(name))
        };
        let lines: Vec<&str> = lines.filter(kept).collect();
        let forwarded = format!(
            "{method} {} {version}\r\n{}\r\nConnection: close\r\n\r\n",
            path.unwrap_or("/"),
            lines.join("\r\n")
        );
        Some(Self { host, port, forwarded: Some(forwarded) })
    }
}

fn say(mut stream: &TcpStream, status: &str, why: &str) {
    let body = format!("exacta: {why}\n");
    let length = body.len();
    // Whoever asked may be gone.
    let _gone = stream.write_all(
        format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").as_bytes(),
    );
}

/// Passes bytes on in both directions until both ends are done.
fn pass(one: &TcpStream, other: &TcpStream) {
    let half = |mut from: TcpStream, mut to: TcpStream| {
        // Whichever end fails, the other is told that nothing more comes.
        let _ended = io::copy(&mut from, &mut to);
        let _closed = to.shutdown(Shutdown::Write);
    };
    let (Ok(from), Ok(to)) = (other.try_clone(), one.try_clone()) else { return };
    let back = std::thread::spawn(move || half(from, to));
    if let (Ok(from), Ok(to)) = (one.try_clone(), other.try_clone()) {
        half(from, to);
    }
    let _ended = back.join();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_where_it_goes_and_nothing_else() {
        let read = |head: &str| Asked::read(head).map(|asked| (asked.host, asked.port, asked.forwarded));
        assert_eq!(
            read("CONNECT API.example.com:443 HTTP/1.1\r\nHost: other\r\n\r\n"),
            Some(("api.example.com".to_owned(), 443, None))
        );
        let forwarded = "POST /v1?a=b HTTP/1.1\r\nHost: h:81\r\nX: y\r\nConnection: close\r\n\r\n".to_owned();
        assert_eq!(
            read("POST http://h:81/v1?a=b HTTP/1.1\r\nHost: h:81\r\nProxy-Connection: keep-alive\r\nX: y\r\n\r\n"),
            Some(("h".to_owned(), 81, Some(forwarded)))
        );
        for bad in [
            "CONNECT user@host:443 HTTP/1.1\r\n\r\n",
            "CONNECT [::1]:443 HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET ftp://a/ HTTP/1.1\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\n\r\n",
            "CONNECT\r\n\r\n",
            "",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
