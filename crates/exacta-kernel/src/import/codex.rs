//! Codex's `*** Begin Patch` form.
//!
//! It has no line numbers: a change is looked for after the one before it, and after the lines that its `@@` headings name.
//! The form's own tool takes the first place that looks alike. Here every byte must match, and there must be exactly one
//! place; or, with headings, the first of them must be a line that occurs once, and the place is the next one after it.

use super::{Draft, ImportError, Lookup, Request, description, misfit, rel_path};
use crate::diff::parse::Reader;
use crate::diff::{DiffError, Kind, Misfit};
use crate::facts::FileContent;
use crate::prelude::*;
use memchr::memmem;

/// Makes the text of a proposal from a patch in codex's form: a step for each file, two for a moved one.
///
/// # Errors
/// [`ImportError`] if the text is not such a patch, or a change in it does not fit in exactly one place.
pub fn codex<'l>(patch: &[u8], request: &Request<'_>, lookup: &'l mut Lookup<'l>) -> Result<String, ImportError> {
    let mut draft = Draft::new(lookup);
    let mut reader = Reader::new(patch);
    skip_blank(&mut reader);
    expect(&mut reader, b"*** Begin Patch", "a patch begins with `*** Begin Patch`")?;
    while !at(&reader, b"*** End Patch") {
        one_file(&mut reader, &mut draft)?;
    }
    reader.next();
    skip_blank(&mut reader);
    if reader.peek().is_some() {
        return Err(ImportError::Line { line: reader.number, problem: "text after `*** End Patch`" });
    }
    if draft.steps.is_empty() {
        return Err(ImportError::Nothing("change"));
    }
    Ok(draft.finish(request, None))
}

fn trimmed<'a>(reader: &Reader<'a>) -> Option<&'a [u8]> {
    reader.peek().map(<[u8]>::trim_ascii)
}

fn at(reader: &Reader<'_>, mark: &[u8]) -> bool {
    trimmed(reader) == Some(mark)
}

fn skip_blank(reader: &mut Reader<'_>) {
    while at(reader, b"") {
        reader.next();
    }
}

fn expect(reader: &mut Reader<'_>, mark: &[u8], problem: &'static str) -> Result<(), ImportError> {
    if !at(reader, mark) {
        return Err(ImportError::Line { line: reader.number, problem });
    }
    reader.next();
    Ok(())
}

/// What follows `mark` on the next line, which is then read.
fn marked<'a>(reader: &mut Reader<'a>, mark: &[u8]) -> Option<&'a [u8]> {
    let rest = trimmed(reader)?.strip_prefix(mark)?;
    reader.next();
    Some(rest)
}

fn one_file(reader: &mut Reader<'_>, draft: &mut Draft<'_>) -> Result<(), ImportError> {
    let line = reader.number;
    if let Some(name) = marked(reader, b"*** Add File: ") {
        let path = rel_path(name, line)?;
        let content = FileContent::new(added(reader), 0o644);
        draft.add_new(&path, &content, line, description(Kind::Create, path.as_str()))
    } else if let Some(name) = marked(reader, b"*** Delete File: ") {
        let path = rel_path(name, line)?;
        draft.add(Kind::Delete, path.as_str(), None, description(Kind::Delete, path.as_str()));
        Ok(())
    } else if let Some(name) = marked(reader, b"*** Update File: ") {
        update(reader, draft, name, line)
    } else {
        let problem = "expected `*** Add File:`, `*** Update File:`, `*** Delete File:` or `*** End Patch`";
        Err(ImportError::Line { line, problem })
    }
}

fn added(reader: &mut Reader<'_>) -> Vec<u8> {
    let mut content = Vec::new();
    while let Some(line) = reader.peek().and_then(|line| line.strip_prefix(b"+")) {
        content.extend_from_slice(line);
        content.push(b'\n');
        reader.next();
    }
    content
}

fn update(reader: &mut Reader<'_>, draft: &mut Draft<'_>, name: &[u8], line: usize) -> Result<(), ImportError> {
    let path = rel_path(name, line)?;
    let moved_to = marked(reader, b"*** Move to: ").map(|name| rel_path(name, line)).transpose()?;
    let before = draft.content(&path, draft.steps.len())?;
    if before.is_binary() {
        return Err(misfit(&path, DiffError::Binary));
    }
    let mut text = Text { before: before.bytes(), done: 0, after: Vec::new() };
    while let Some(chunk) = chunk(reader, before.bytes())? {
        text.apply(&chunk)
            .map_err(|misfit_found| misfit(&path, DiffError::Context { line: chunk.line, misfit: misfit_found }))?;
    }
    let after = FileContent::new(text.finish(), before.mode());
    match moved_to {
        Some(to) => draft.add_move(&path, &to, &after, line),
        None => draft.add_change(&path, &before, &after, line, description(Kind::Modify, path.as_str())),
    }
}

/// One change within a file.
#[derive(Default)]
struct Chunk<'a> {
    line: usize,
    /// The lines after which to look, one after the other.
    headings: Vec<&'a [u8]>,
    /// With line ends.
    old: Vec<u8>,
    /// With line ends.
    new: Vec<u8>,
    /// Whether the last line is in both.
    ends_alike: bool,
    at_end: bool,
}

fn chunk<'a>(reader: &mut Reader<'a>, before: &[u8]) -> Result<Option<Chunk<'a>>, ImportError> {
    let feed: &[u8] = if uses_crlf(before) { b"\r\n" } else { b"\n" };
    let mut chunk = Chunk { line: reader.number, ..Chunk::default() };
    while let Some(line) = reader.peek() {
        let no_lines_yet = chunk.old.is_empty() && chunk.new.is_empty();
        match line {
            [b'@', b'@', heading @ ..] if no_lines_yet => {
                chunk.headings.extend(Some(heading.trim_ascii()).filter(|heading| !heading.is_empty()));
            }
            [b'@', b'@', ..] => break,
            _ if line.trim_ascii() == b"*** End of File" && !no_lines_yet => {
                chunk.at_end = true;
                reader.next();
                break;
            }
            _ if line.trim_ascii_start().starts_with(b"*** ") => break,
            _ => chunk.push(line, feed).ok_or(ImportError::Line {
                line: reader.number,
                problem: "a line of a change begins with ` `, `+` or `-`",
            })?,
        }
        reader.next();
    }
    let begun = reader.number > chunk.line;
    if begun && chunk.old.is_empty() && chunk.new.is_empty() {
        return Err(ImportError::Line { line: chunk.line, problem: "the change has no lines" });
    }
    Ok(begun.then_some(chunk))
}

impl Chunk<'_> {
    /// Adds a line to the sides it belongs to, with the file's line end.
    fn push(&mut self, line: &[u8], feed: &[u8]) -> Option<()> {
        let (old, new, text) = match line {
            [] => (true, true, line),
            [b' ', text @ ..] => (true, true, text),
            [b'-', text @ ..] => (true, false, text),
            [b'+', text @ ..] => (false, true, text),
            _ => return None,
        };
        let text = if feed == b"\r\n" { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
        for side in [old.then_some(&mut self.old), new.then_some(&mut self.new)].into_iter().flatten() {
            side.extend_from_slice(text);
            side.extend_from_slice(feed);
        }
        self.ends_alike = old && new;
        Some(())
    }
}

fn uses_crlf(content: &[u8]) -> bool {
    let mut lines = content.split_inclusive(|byte| *byte == b'\n').peekable();
    lines.peek().is_some() && lines.all(|line| line.ends_with(b"\r\n"))
}

/// A file on the way from before to after.
struct Text<'f> {
    before: &'f [u8],
    /// How much of it is settled; a line begins there.
    done: usize,
    after: Vec<u8>,
}

impl Text<'_> {
    fn apply(&mut self, chunk: &Chunk<'_>) -> Result<(), Misfit> {
        let from = self.after_headings(&chunk.headings)?;
        let (start, end) = self.place(chunk, from)?;
        self.after.extend_from_slice(self.before.get(self.done..start).unwrap_or_default());
        self.after.extend_from_slice(&chunk.new);
        // A last line without a newline that stays as it is stays without.
        if end - start < chunk.old.len() && chunk.ends_alike {
            self.after.truncate(self.after.len() - (chunk.old.len() - (end - start)));
        }
        self.done = end;
        Ok(())
    }

    /// Where to look: after the one line that the first heading names, and the next that each other one names.
    fn after_headings(&self, headings: &[&[u8]]) -> Result<usize, Misfit> {
        let mut from = self.done;
        for (index, heading) in headings.iter().enumerate() {
            let mut found = self.lines_like(heading, from);
            let (start, end) = found.next().ok_or(Misfit::Absent)?;
            if let (0, Some((second, _))) = (index, found.next()) {
                return Err(self.ambiguous(start, second));
            }
            from = end;
        }
        Ok(from)
    }

    /// Where lines that read like this begin and end.
    fn lines_like(&self, heading: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
        let lines = self.before.get(from..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
        let places = lines.scan(from, |end, line| {
            let start = *end;
            *end += line.len();
            Some((line, start, *end))
        });
        places.filter(move |(line, ..)| line.trim_ascii() == heading).map(|(_, start, end)| (start, end))
    }

    /// The place of the chunk's old lines.
    fn place(&self, chunk: &Chunk<'_>, from: usize) -> Result<(usize, usize), Misfit> {
        let end = self.before.len();
        if chunk.old.is_empty() {
            // Lines without a place belong at the end, says the form; with a heading it says nothing.
            let whole = self.before.is_empty() || self.before.ends_with(b"\n");
            return if chunk.headings.is_empty() && whole { Ok((end, end)) } else { Err(Misfit::NoContext) };
        }
        let at_end = self.at_end(&chunk.old, from);
        if chunk.at_end {
            return at_end.ok_or(Misfit::Absent);
        }
        let mut places = self.occurrences(&chunk.old, from).map(|start| (start, start + chunk.old.len()));
        let open = at_end.filter(|(start, end)| end - start < chunk.old.len());
        match (places.next(), places.next().or(open)) {
            (Some((first, _)), Some((second, _))) if chunk.headings.is_empty() => Err(self.ambiguous(first, second)),
            (Some(place), _) => Ok(place),
            (None, open) => open.ok_or(Misfit::Absent),
        }
    }

    /// The end of the file, if the lines are there, with or without the last newline.
    fn at_end(&self, lines: &[u8], from: usize) -> Option<(usize, usize)> {
        let open = lines.strip_suffix(b"\n").map(|lines| lines.strip_suffix(b"\r").unwrap_or(lines));
        let start = |lines: &[u8]| {
            let rest = self.before.get(from..)?.strip_suffix(lines)?;
            (rest.is_empty() || rest.ends_with(b"\n")).then_some((from + rest.len(), self.before.len()))
        };
        start(lines).or_else(|| start(open?).filter(|_| !self.before.ends_with(b"\n")))
    }

    /// Every place at the beginning of a line.
    fn occurrences(&self, lines: &[u8], from: usize) -> impl Iterator<Item = usize> {
        let rest = self.before.get(from..).unwrap_or_default();
        let first = rest.starts_with(lines).then_some(from);
        let mut text = vec![b'\n'];
        text.extend_from_slice(lines);
        let finder = memmem::Finder::new(&text).into_owned();
        let mut at = 0;
        first.into_iter().chain(core::iter::from_fn(move || {
            let found = at + finder.find(rest.get(at..)?)?;
            at = found + 1;
            Some(from + found + 1)
        }))
    }

    fn ambiguous(&self, first: usize, second: usize) -> Misfit {
        let line = |offset| 1 + memchr::memchr_iter(b'\n', self.before.get(..offset).unwrap_or_default()).count();
        Misfit::Ambiguous { first: line(first), second: line(second) }
    }

    fn finish(mut self) -> Vec<u8> {
        self.after.extend_from_slice(self.before.get(self.done..).unwrap_or_default());
        self.after
    }
}
