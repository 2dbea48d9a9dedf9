//! A door before a server that shows a token for whoever has none, and changes nothing else that is asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _, copy};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

pub struct Door(SocketAddr);

impl Door {
    pub fn before(server: &str, token: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap();
        let (server, token) = (server.to_owned(), token.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, server, token) = (stream.unwrap(), server.clone(), token.clone());
                // A client that breaks off is its own affair.
                thread::spawn(move || drop(pass(stream, &own.to_string(), &server, &token)));
            }
        });
        Self(own)
    }

    pub fn address(&self) -> SocketAddr {
        self.0
    }
}

/// One request there, its answer back. What names the door names the server there.
fn pass(stream: TcpStream, own: &str, server: &str, token: &str) -> std::io::Result<()> {
    let mut asked = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        asked.read_line(&mut line)?;
        let name = line.split(':').next().unwrap_or_default().to_lowercase();
        match name.as_str() {
            "connection" => continue,
            "content-length" => length = line["content-length:".len()..].trim().parse().unwrap(),
            _ => {}
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line.replace(own, server));
    }
    let mut body = vec![0; length];
    asked.read_exact(&mut body)?;
    let mut there = TcpStream::connect(server)?;
    write!(there, "{head}Authorization: Bearer {token}\r\nConnection: close\r\n\r\n")?;
    there.write_all(&body)?;
    copy(&mut there, &mut &stream).map(drop)
}
