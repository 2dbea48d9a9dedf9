//! The page of an answer: framed in one way, packed at most once, and never larger than it may be.

use crate::error::{TooLarge, WebErrorKind};
use crate::http::{Head, bad};
use crate::limits::MAX_PAGE;
use crate::stream::{Deadline, Stream};
use std::io::Read;

/// The most bytes on the wire: a page that does not pack at all has a few more packed.
const MAX_WIRE: usize = MAX_PAGE + 4 * 1024;
/// The most bytes after the last chunk.
const MAX_TRAILER: usize = 4 * 1024;

/// Reads the whole page.
pub(crate) fn read(
    head: &Head,
    start: Vec<u8>,
    stream: &mut Stream,
    deadline: Deadline,
) -> Result<Vec<u8>, WebErrorKind> {
    let packing = packing(head)?;
    let framing = framing(head)?;
    if let Framing::Length(length) = framing
        && length > MAX_WIRE
    {
        return Err(large());
    }
    let mut wire = Wire { start, at: 0, stream, deadline };
    let packed = match framing {
        Framing::Length(length) => wire.exactly(length)?,
        Framing::Chunked => wire.chunks()?,
        Framing::Close => wire.rest()?,
    };
    unpack(&packed, packing)
}

const fn large() -> WebErrorKind {
    WebErrorKind::TooLarge { what: TooLarge::Page }
}

enum Framing {
    Length(usize),
    Chunked,
    Close,
}

/// How the page's end is known. Two ways at once are refused: one reader could take the first, another the second.
fn framing(head: &Head) -> Result<Framing, WebErrorKind> {
    let coding = head.one("transfer-encoding")?;
    let length = head.one("content-length")?;
    match (coding, length) {
        (Some(_), Some(_)) => Err(bad("it has both a length and chunks")),
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
        (Some(_), None) => Err(bad("its transfer encoding is not known")),
        (None, Some(length)) if !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(Framing::Length(length.parse().unwrap_or(usize::MAX)))
        }
        (None, Some(_)) => Err(bad("its length is no number")),
        (None, None) => Ok(Framing::Close),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Deflate,
}

fn packing(head: &Head) -> Result<Packing, WebErrorKind> {
    match head.one("content-encoding")?.unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(Packing::None),
        "gzip" | "x-gzip" => Ok(Packing::Gzip),
        "deflate" => Ok(Packing::Deflate),
        _ => Err(bad("it is packed in a way that was not asked for")),
    }
}

/// Bytes that come after the head.
struct Wire<'s> {
    start: Vec<u8>,
    at: usize,
    stream: &'s mut Stream,
    deadline: Deadline,
}

impl Wire<'_> {
    /// Some bytes; none at the end.
    fn some(&mut self, most: usize) -> Result<Vec<u8>, WebErrorKind> {
        let kept = self.start.get(self.at..).unwrap_or_default();
        if !kept.is_empty() {
            let taken = kept.get(..most.min(kept.len())).unwrap_or_default().to_vec();
            self.at = self.at.saturating_add(taken.len());
            return Ok(taken);
        }
        let mut buffer = vec![0; most.min(16 * 1024)];
        // Where TLS ends without saying so, somebody else may have ended it.
        let count = self.stream.read(&mut buffer).map_err(|_| self.deadline.kind(WebErrorKind::CutShort))?;
        self.deadline.left()?;
        buffer.truncate(count);
        Ok(buffer)
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>, WebErrorKind> {
        let mut body = Vec::new();
        while body.len() < length {
            let bytes = self.some(length - body.len())?;
            if bytes.is_empty() {
                return Err(WebErrorKind::CutShort);
            }
            body.extend_from_slice(&bytes);
        }
        Ok(body)
    }

    fn rest(&mut self) -> Result<Vec<u8>, WebErrorKind> {
        let mut body = Vec::new();
        loop {
            let bytes = self.some(16 * 1024)?;
            if bytes.is_empty() {
                return Ok(body);
            }
            body.extend_from_slice(&bytes);
            if body.len() > MAX_WIRE {
                return Err(large());
            }
        }
    }

    fn chunks(&mut self) -> Result<Vec<u8>, WebErrorKind> {
        let mut body = Vec::new();
        loop {
            let line = self.line(256)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            if size.is_empty() || size.len() > 8 || !size.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(bad("a chunk has no size"));
            }
            let size = usize::from_str_radix(size, 16).unwrap_or(usize::MAX);
            if size == 0 {
                return self.trailer().map(|()| body);
            }
            if body.len().saturating_add(size) > MAX_WIRE {
                return Err(large());
            }
            body.extend(self.exactly(size)?);
            if !self.line(2)?.is_empty() {
                return Err(bad("a chunk is longer than its size"));
            }
        }
    }

    fn trailer(&mut self) -> Result<(), WebErrorKind> {
        let mut left = MAX_TRAILER;
        loop {
            let line = self.line(left)?;
            if line.is_empty() {
                return Ok(());
            }
            left = left.saturating_sub(line.len() + 2);
        }
    }

    /// One line without its end, which is CR LF or LF.
    fn line(&mut self, most: usize) -> Result<String, WebErrorKind> {
        let mut line = Vec::new();
        loop {
            match self.byte()? {
                b'\n' => break,
                _ if line.len() >= most => return Err(bad("its chunks are malformed")),
                byte => line.push(byte),
            }
        }
        line.pop_if(|last| *last == b'\r');
        String::from_utf8(line).map_err(|_| bad("its chunks are malformed"))
    }

    fn byte(&mut self) -> Result<u8, WebErrorKind> {
        if self.at >= self.start.len() {
            self.start = self.some(8 * 1024)?;
            self.at = 0;
        }
        let byte = *self.start.get(self.at).ok_or(WebErrorKind::CutShort)?;
        self.at = self.at.saturating_add(1);
        Ok(byte)
    }
}

fn unpack(packed: &[u8], packing: Packing) -> Result<Vec<u8>, WebErrorKind> {
    let body = match packing {
        Packing::None => Ok(packed.to_vec()),
        Packing::Gzip if packed.is_empty() => Ok(Vec::new()),
        Packing::Deflate if packed.is_empty() => Ok(Vec::new()),
        Packing::Gzip => inflate(flate2::bufread::MultiGzDecoder::new(packed)),
        // Most servers mean zlib by it, some mean what the name says.
        Packing::Deflate if zlib(packed) => inflate(flate2::bufread::ZlibDecoder::new(packed)),
        Packing::Deflate => inflate(flate2::bufread::DeflateDecoder::new(packed)),
    }?;
    if body.len() > MAX_PAGE {
        return Err(large());
    }
    if body.starts_with(&[0x1f, 0x8b]) {
        return Err(bad("it is packed twice, or packed without saying so"));
    }
    Ok(body)
}

fn zlib(packed: &[u8]) -> bool {
    matches!(packed, [method, flags, ..] if method & 0x0f == 8 && (u16::from(*method) * 256 + u16::from(*flags)).is_multiple_of(31))
}

fn inflate(decoder: impl Read) -> Result<Vec<u8>, WebErrorKind> {
    let mut body = Vec::new();
    let limit = u64::try_from(MAX_PAGE).unwrap_or(u64::MAX).saturating_add(1);
    match decoder.take(limit).read_to_end(&mut body) {
        Ok(_) => Ok(body),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(WebErrorKind::CutShort),
        Err(_) => Err(bad("it cannot be unpacked")),
    }
}
