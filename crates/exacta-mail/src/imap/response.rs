//! What an IMAP server says, in tokens. The server may be hostile: everything is bounded, and what is not understood is an error.

use crate::error::MailError;
use crate::wire::Wire;

/// The longest line without the literals in it.
const LINE: usize = 256 << 10;

/// The deepest list.
const DEPTH: usize = 32;

/// The most literals in one response.
const LITERALS: usize = 64;

/// One word of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Open,
    Close,
    Atom(String),
    Text(Vec<u8>),
}

/// One response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Response {
    /// `+`: the server waits for the rest.
    Continue,
    /// Of a command, or of none.
    Status(Status),
    /// Anything else that is no answer to a command by itself.
    Data(Vec<Token>),
}

/// `OK`, `NO`, `BAD`, `BYE` or `PREAUTH`, with what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    /// `None` if it answers no command.
    pub(crate) tag: Option<String>,
    pub(crate) word: String,
    /// What is in brackets: `UIDVALIDITY 7`.
    pub(crate) code: String,
    pub(crate) text: Vec<u8>,
}

/// Reads one response, of which the literals may have `budget` bytes in all; what was used is taken from it.
pub(crate) fn read(wire: &mut Wire, budget: &mut usize) -> Result<Response, MailError> {
    let line = wire.line(LINE)?;
    *budget = budget.checked_sub(line.len()).ok_or_else(|| too_much(wire))?;
    if line.first() == Some(&b'+') {
        return Ok(Response::Continue);
    }
    let (tag, rest) = word(&line);
    if tag.is_empty() {
        return Err(wire.strange("a line without a tag"));
    }
    let own = (tag != b"*").then(|| String::from_utf8_lossy(tag).into_owned());
    let (first, after) = word(rest);
    let upper = String::from_utf8_lossy(first).to_ascii_uppercase();
    if ["OK", "NO", "BAD", "BYE", "PREAUTH"].contains(&upper.as_str()) {
        let (code, text) = code(after);
        return Ok(Response::Status(Status { tag: own, word: upper, code, text: text.to_vec() }));
    }
    if own.is_some() {
        return Err(wire.strange("an answer that is neither yes nor no"));
    }
    let mut reader = Tokens { tokens: Vec::new(), depth: 0 };
    let mut piece = rest.to_vec();
    for _ in 0..LITERALS {
        let size = literal(&piece);
        let text = size.map_or(piece.as_slice(), |(_, from)| piece.get(..from).unwrap_or_default());
        reader.read(text).map_err(|what| wire.strange(what))?;
        let Some((size, _)) = size else {
            return if reader.depth == 0 {
                Ok(Response::Data(reader.tokens))
            } else {
                Err(wire.strange("a list without an end"))
            };
        };
        *budget = budget.checked_sub(size).ok_or_else(|| too_much(wire))?;
        reader.tokens.push(Token::Text(wire.exactly(size)?));
        piece = wire.line(LINE)?;
        *budget = budget.checked_sub(piece.len()).ok_or_else(|| too_much(wire))?;
    }
    Err(wire.strange("too many literals in one response"))
}

fn too_much(wire: &Wire) -> MailError {
    wire.strange("it says more than it was asked for")
}

/// The size of the literal that follows a line, and where its `{` is.
fn literal(line: &[u8]) -> Option<(usize, usize)> {
    let inner = line.strip_suffix(b"}")?;
    let from = inner.iter().rposition(|byte| *byte == b'{')?;
    let digits = inner.get(from + 1..)?;
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((str::from_utf8(digits).ok()?.parse().ok()?, from))
}

fn word(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|byte| *byte == b' ') {
        Some(at) => (line.get(..at).unwrap_or_default(), line.get(at + 1..).unwrap_or_default()),
        None => (line, &[]),
    }
}

/// What is in brackets, and the text after it.
fn code(text: &[u8]) -> (String, &[u8]) {
    let inner = text.strip_prefix(b"[").and_then(|text| {
        let end = text.iter().position(|byte| *byte == b']')?;
        Some((text.get(..end)?, text.get(end + 1..)?))
    });
    inner.map_or((String::new(), text), |(code, rest)| (String::from_utf8_lossy(code).into_owned(), rest))
}

struct Tokens {
    tokens: Vec<Token>,
    depth: usize,
}

impl Tokens {
    /// Reads the tokens of a piece of a line.
    fn read(&mut self, mut text: &[u8]) -> Result<(), &'static str> {
        while let Some((first, rest)) = text.split_first() {
            text = match first {
                b' ' => rest,
                b'(' => self.open(rest)?,
                b')' => self.close(rest)?,
                b'"' => self.quoted(rest)?,
                _ => self.atom(text)?,
            };
        }
        Ok(())
    }

    fn open<'t>(&mut self, rest: &'t [u8]) -> Result<&'t [u8], &'static str> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("lists within lists within lists");
        }
        self.tokens.push(Token::Open);
        Ok(rest)
    }

    fn close<'t>(&mut self, rest: &'t [u8]) -> Result<&'t [u8], &'static str> {
        self.depth = self.depth.checked_sub(1).ok_or("a list ends that never began")?;
        self.tokens.push(Token::Close);
        Ok(rest)
    }

    fn quoted<'t>(&mut self, text: &'t [u8]) -> Result<&'t [u8], &'static str> {
        let (mut value, mut at) = (Vec::new(), 0);
        loop {
            match text.get(at) {
                None => return Err("a quoted text without an end"),
                Some(b'"') => break,
                Some(b'\\') => {
                    at += 1;
                    value.push(*text.get(at).ok_or("a quoted text without an end")?);
                }
                Some(byte) => value.push(*byte),
            }
            at += 1;
        }
        self.tokens.push(Token::Text(value));
        Ok(text.get(at + 1..).unwrap_or_default())
    }

    /// An atom; what it has in brackets belongs to it, spaces included: `BODY[HEADER.FIELDS (MESSAGE-ID)]`.
    fn atom<'t>(&mut self, text: &'t [u8]) -> Result<&'t [u8], &'static str> {
        let (mut at, mut in_brackets) = (0, false);
        while let Some(byte) = text.get(at) {
            match byte {
                b'[' => in_brackets = true,
                b']' => in_brackets = false,
                b' ' | b'(' | b')' | b'"' if !in_brackets => break,
                _ => {}
            }
            at += 1;
        }
        let (atom, rest) = text.split_at_checked(at).ok_or("an atom without an end")?;
        self.tokens.push(Token::Atom(String::from_utf8_lossy(atom).into_owned()));
        Ok(rest)
    }
}

impl Token {
    /// A number.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Self::Atom(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is this word, in any case.
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Atom(text) if text.eq_ignore_ascii_case(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_or_refused() {
        let read = |text: &str| {
            let mut reader = Tokens { tokens: Vec::new(), depth: 0 };
            reader.read(text.as_bytes()).map(|()| reader.tokens)
        };
        let atom = |text: &str| Token::Atom(text.to_owned());
        assert_eq!(
            read("1 FETCH (UID 7 BODY[HEADER.FIELDS (MESSAGE-ID)] \"a\\\"b\")").unwrap(),
            [
                atom("1"),
                atom("FETCH"),
                Token::Open,
                atom("UID"),
                atom("7"),
                atom("BODY[HEADER.FIELDS (MESSAGE-ID)]"),
                Token::Text(b"a\"b".to_vec()),
                Token::Close
            ]
        );
        for bad in [")", "\"a", "\"a\\", &"(".repeat(40)] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(literal(b"BODY[] {12}"), Some((12, 7)));
        for none in [&b"{}"[..], b"{99999999999}", b"{-1}", b"12}", b"{12} "] {
            assert_eq!(literal(none), None);
        }
        assert_eq!(code(b"[UIDVALIDITY 7] ok"), ("UIDVALIDITY 7".to_owned(), &b" ok"[..]));
        assert_eq!(code(b"[broken"), (String::new(), &b"[broken"[..]));
    }
}
