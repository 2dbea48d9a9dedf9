//! The parts of a message, found in one pass over its lines.

use super::doubt::{Doubt, Doubts};
use super::head::{Head, Parameters, end_off};
use super::transfer::Transfer;

/// The most multiparts within each other.
const DEPTH: usize = 32;

/// The most parts that are looked at.
const PARTS: usize = 1_000;

/// The most of a part's header that is looked at.
const HEAD: usize = 64 << 10;

/// A part that has no parts itself.
#[derive(Debug, Clone)]
pub(super) struct Part<'b> {
    /// `text/plain`.
    pub(super) media: String,
    pub(super) charset: Option<String>,
    /// Its file name, as bytes of a charset.
    pub(super) name: Option<(Option<String>, Vec<u8>)>,
    pub(super) is_attachment: bool,
    pub(super) transfer: Transfer,
    /// As it is written.
    pub(super) body: &'b [u8],
    /// Which of the message's `multipart/alternative` it belongs to.
    pub(super) alternative: Option<usize>,
}

/// A multipart that is open.
struct Multi {
    boundary: Vec<u8>,
    alternative: Option<usize>,
}

/// What the current lines belong to.
enum At {
    /// Nothing that is shown: before the first part, or after the last.
    Between,
    /// The header of a part that began here.
    Head(usize),
    /// The body of a part that began here.
    Body(usize, Head),
}

struct Walk<'b> {
    bytes: &'b [u8],
    stack: Vec<Multi>,
    parts: Vec<Part<'b>>,
    alternatives: usize,
}

/// The parts of a message with this header, whose body begins there.
pub(super) fn parts<'b>(head: &Head, bytes: &'b [u8], body: usize, doubts: &mut Doubts) -> Vec<Part<'b>> {
    let mut walk = Walk { bytes, stack: Vec::new(), parts: Vec::new(), alternatives: 0 };
    let mut at = walk.begin(head.clone(), body, doubts);
    if let At::Body(from, head) = at {
        walk.end(&head, from, bytes.len());
        return walk.parts;
    }
    let mut position = body;
    for line in bytes.get(body..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
        let (from, text) = (position, end_off(line));
        position += line.len();
        if let Some((level, closes)) = walk.boundary(text) {
            walk.close(at, from, doubts);
            walk.stack.truncate(if closes { level } else { level + 1 });
            at = if closes { At::Between } else { At::Head(position) };
            if walk.parts.len() >= PARTS || walk.stack.is_empty() {
                doubts.add_if(walk.parts.len() >= PARTS, Doubt::LeftOut("part of its parts"));
                return walk.parts;
            }
        } else if let (At::Head(began), true) = (&at, text.is_empty()) {
            let head = walk.read_head(*began, from, doubts);
            at = walk.begin(head, position, doubts);
        }
    }
    walk.close(at, bytes.len(), doubts);
    walk.parts
}

impl<'b> Walk<'b> {
    /// Whether a line is the boundary of an open multipart: of which, and whether it ends it.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let rest = line.strip_prefix(b"--")?;
        for (level, multi) in self.stack.iter().enumerate().rev() {
            let Some(after) = rest.strip_prefix(multi.boundary.as_slice()) else { continue };
            let closing = after.strip_prefix(b"--");
            if closing.unwrap_or(after).trim_ascii().is_empty() {
                return Some((level, closing.is_some()));
            }
        }
        None
    }

    fn read_head(&self, from: usize, to: usize, doubts: &mut Doubts) -> Head {
        doubts.add_if(to.saturating_sub(from) > HEAD, Doubt::LeftOut("part of a header"));
        let head = Head::read(self.bytes.get(from..to.min(from + HEAD)).unwrap_or_default());
        doubts.add_if(head.malformed, Doubt::MalformedHeader);
        head
    }

    /// A part whose header was read: a multipart is opened, anything else has a body.
    fn begin(&mut self, head: Head, body: usize, doubts: &mut Doubts) -> At {
        let kind = Parameters::read(head.first("content-type").unwrap_or_default());
        let boundary = kind.get("boundary").filter(|boundary| !boundary.is_empty() && boundary.len() <= 200);
        let Some(boundary) = boundary.filter(|_| kind.value.starts_with("multipart/")) else {
            return At::Body(body, head);
        };
        if self.stack.len() == DEPTH {
            doubts.add(Doubt::TooDeep);
            return At::Between;
        }
        let alternative = if kind.value == "multipart/alternative" {
            self.alternatives += 1;
            Some(self.alternatives)
        } else {
            self.stack.last().and_then(|multi| multi.alternative)
        };
        self.stack.push(Multi { boundary: boundary.as_bytes().to_vec(), alternative });
        At::Between
    }

    /// What was open ends before this place.
    fn close(&mut self, at: At, to: usize, doubts: &mut Doubts) {
        match at {
            At::Between => {}
            At::Head(from) => {
                let head = self.read_head(from, to, doubts);
                self.end(&head, to, to);
            }
            At::Body(from, head) => {
                // The line end before a boundary belongs to the boundary.
                let body = self.bytes.get(from..to).unwrap_or_default();
                let body = end_off(body).len();
                self.end(&head, from, from + body);
            }
        }
    }

    fn end(&mut self, head: &Head, from: usize, to: usize) {
        let kind = Parameters::read(head.first("content-type").unwrap_or_default());
        let disposition = Parameters::read(head.first("content-disposition").unwrap_or_default());
        let plain = |text: &str| (None, text.as_bytes().to_vec());
        let name = disposition.extended("filename").or_else(|| disposition.get("filename").map(plain));
        let name = name.or_else(|| kind.extended("name")).or_else(|| kind.get("name").map(plain));
        let media = if kind.value.is_empty() { "text/plain".to_owned() } else { kind.value.clone() };
        self.parts.push(Part {
            is_attachment: disposition.value == "attachment" || name.is_some() || !is_text(&media),
            media,
            charset: kind.get("charset").map(str::to_owned),
            name,
            transfer: Transfer::of(head.word("content-transfer-encoding").as_deref()),
            body: self.bytes.get(from..to).unwrap_or_default(),
            alternative: self.stack.last().and_then(|multi| multi.alternative),
        });
    }
}

fn is_text(media: &str) -> bool {
    media == "text/plain" || media == "text/html"
}
