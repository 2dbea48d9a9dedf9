//! Messages end with a line feed. How long one may be is bounded before it is read whole.

use std::io::{self, BufRead};

/// The longest line that is read, in bytes: the largest plan that any policy allows, and what JSON's escapes add to it.
pub const LONGEST: usize = 128 << 20;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// What it holds.
    Text(Vec<u8>),
    /// It was longer than [`LONGEST`], and was not kept.
    TooLong,
}

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    longest: usize,
}

impl<R: BufRead> Lines<R> {
    /// The lines of this stream.
    pub const fn new(source: R) -> Self {
        Self { source, longest: LONGEST }
    }

    /// The same with another bound.
    #[must_use]
    pub const fn at_most(mut self, longest: usize) -> Self {
        self.longest = longest;
        self
    }

    /// The next line; none at the end of the stream. What comes after the last line feed is a line, too.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn read(&mut self) -> io::Result<Option<Line>> {
        let mut line = Some(Vec::new());
        let mut is_begun = false;
        loop {
            let buffer = match self.source.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            let taken = part.len() + usize::from(end.is_some());
            is_begun |= taken > 0;
            // A line that is too long is forgotten at once, and read on to its end.
            line = line.filter(|text: &Vec<u8>| text.len() + part.len() <= self.longest);
            line.iter_mut().for_each(|text| text.extend_from_slice(part));
            self.source.consume(taken);
            if end.is_some() || taken == 0 {
                return Ok(is_begun.then(|| line.map_or(Line::TooLong, Line::Text)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, longest: usize, buffer: usize) -> Vec<Option<String>> {
        let mut lines = Lines::new(io::BufReader::with_capacity(buffer, text.as_bytes())).at_most(longest);
        let mut all = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            all.push(match line {
                Line::Text(text) => Some(String::from_utf8(text).unwrap()),
                Line::TooLong => None,
            });
        }
        all
    }

    #[test]
    fn lines_are_read_one_by_one_and_long_ones_forgotten() {
        let text = |text: &str| Some(text.to_owned());
        for buffer in [1, 2, 3, 64] {
            assert_eq!(lines("", 4, buffer), []);
            assert_eq!(lines("a\n\nb", 4, buffer), [text("a"), text(""), text("b")]);
            assert_eq!(lines("abcd\nabcde\nf\n", 4, buffer), [text("abcd"), None, text("f")]);
            assert_eq!(lines("abcdefgh", 4, buffer), [None]);
        }
    }
}
