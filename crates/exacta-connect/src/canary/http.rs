//! As much of HTTP as the programs of agents speak with a model: one request a connection, answered and closed.

use std::io::{self, BufRead, BufReader, Write as _};
use std::net::TcpStream;

/// Larger requests are not read.
const LARGEST: usize = 64 << 20;

/// A request.
pub struct Request {
    /// `/v1/responses`.
    pub path: String,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer.
pub struct Answer {
    /// Its type.
    pub kind: &'static str,
    /// Its body.
    pub body: String,
}

/// Reads a request.
pub fn read(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
            "expect" => (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let body = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Ok(Request { path, body })
}

/// Writes an answer.
pub fn write(mut stream: &TcpStream, answer: &Answer) -> io::Result<()> {
    let Answer { kind, body } = answer;
    let head = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

fn exactly(reader: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > LARGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim().split(';').next().unwrap_or_default(), 16);
        let size = size.map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        if size == 0 {
            return Ok(body);
        }
        body.extend(exactly(reader, size.min(LARGEST.saturating_sub(body.len()) + 1))?);
        reader.read_line(&mut String::new())?;
    }
}
