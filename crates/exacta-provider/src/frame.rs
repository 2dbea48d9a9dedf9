//! Cuts a stream of bytes into events: server-sent events, or one JSON value a line.

use crate::fault::FaultKind;
use crate::limits::MAX_WHOLE;

/// How a body is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events: `data:` lines, ended by an empty one.
    Events,
    /// One JSON value a line.
    Lines,
    /// One JSON value in all.
    Whole,
}

/// The bytes that have arrived and are not yet an event.
#[derive(Debug)]
pub(crate) struct Frames {
    framing: Framing,
    /// A line that has not ended, or the whole body.
    line: Vec<u8>,
    /// The `data:` lines of the event that has not ended.
    data: String,
}

impl Frames {
    pub(crate) const fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), data: String::new() }
    }

    /// Takes bytes in and gives the events out that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, FaultKind> {
        let mut events = Vec::new();
        if self.line.len().saturating_add(self.data.len()).saturating_add(bytes.len()) > MAX_WHOLE {
            return Err(FaultKind::TooLarge { limit: MAX_WHOLE });
        }
        if self.framing == Framing::Whole {
            self.line.extend_from_slice(bytes);
            return Ok(events);
        }
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.line.extend_from_slice(piece);
            if pieces.peek().is_some() {
                events.extend(self.end_line()?);
            }
        }
        Ok(events)
    }

    /// The end of the stream: the event that nothing followed.
    pub(crate) fn end(&mut self) -> Result<Option<String>, FaultKind> {
        let last = if self.line.is_empty() { None } else { self.end_line()? };
        Ok(last.or_else(|| (!self.data.is_empty()).then(|| std::mem::take(&mut self.data))))
    }

    /// Whether an event has begun and not ended.
    pub(crate) const fn is_partial(&self) -> bool {
        !self.line.is_empty() || !self.data.is_empty()
    }

    fn end_line(&mut self) -> Result<Option<String>, FaultKind> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8(bytes).map_err(|_| FaultKind::BadAnswer)?;
        let line = if self.framing == Framing::Whole { line.as_str() } else { line.trim_end_matches('\r') };
        match self.framing {
            Framing::Lines | Framing::Whole => Ok((!line.trim().is_empty()).then(|| line.to_owned())),
            Framing::Events => Ok(self.event_line(line)),
        }
    }

    /// One line of server-sent events. Comments and fields other than `data` say nothing that the data does not say again.
    fn event_line(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            return (!self.data.is_empty()).then(|| std::mem::take(&mut self.data));
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(framing: Framing, text: &str, size: usize) -> Vec<String> {
        let mut frames = Frames::new(framing);
        let mut events: Vec<String> =
            text.as_bytes().chunks(size).flat_map(|bytes| frames.push(bytes).unwrap()).collect();
        events.extend(frames.end().unwrap());
        events
    }

    #[test]
    fn events_are_the_same_however_the_bytes_arrive() {
        let stream = ": comment\r\nevent: x\r\ndata: {\"a\":\r\ndata: \"ä\"}\r\n\r\ndata:[DONE]\n\ndata: last";
        for size in 1..stream.len() {
            assert_eq!(read(Framing::Events, stream, size), ["{\"a\":\n\"ä\"}", "[DONE]", "last"], "{size}");
            assert_eq!(read(Framing::Lines, "{\"a\":1}\r\n\n{\"b\":2}", size), ["{\"a\":1}", "{\"b\":2}"], "{size}");
            assert_eq!(read(Framing::Whole, "{\n}\n", size), ["{\n}\n"], "{size}");
        }
    }

    #[test]
    fn what_is_no_text_or_has_no_end_is_refused() {
        assert_eq!(Frames::new(Framing::Events).push(b"data: \xff\n"), Err(FaultKind::BadAnswer));
        let mut frames = Frames::new(Framing::Events);
        let block = vec![b'x'; 1 << 20];
        let refused = (0..64).find_map(|_| frames.push(&block).err());
        assert_eq!(refused, Some(FaultKind::TooLarge { limit: MAX_WHOLE }));
    }
}
