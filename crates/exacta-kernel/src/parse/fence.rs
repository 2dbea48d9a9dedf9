//! Finds the one JSON object in a text: raw, or in one fenced `json` block.

use crate::finding::{Code, Finding};
use crate::prelude::*;

/// The white space of JSON; nothing else may stand around the object.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
const FENCE: &str = "```";

/// Where the object is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Located<'a> {
    /// Starts with `{`; the strict reader decides where it ends.
    pub object: &'a str,
    /// Lines before it.
    pub lines: usize,
    /// Bytes before it on its first line.
    pub columns: usize,
}

/// Finds the object, or says why there is not exactly one.
pub(super) fn locate(text: &str) -> Result<Located<'_>, Finding> {
    let start = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim_start_matches(SPACE);
    if start.starts_with('{') {
        return Ok(located(text, text.len() - start.len(), text.len()));
    }
    let fences: Vec<Fence<'_>> = fences(text).collect();
    match fences.as_slice() {
        [] => Err(no_object(start)),
        several if blocks(several) > 1 => Err(multiblock()),
        [open, close] if start.starts_with(FENCE) => in_fence(text, open, close),
        [_, _] => Err(nonjson("there is text before the fenced block", "send the JSON object and nothing else")),
        _ => Err(nonjson("the fenced block is not closed", "end the block with a line of three backticks")),
    }
}

/// A line that starts with three backticks.
struct Fence<'a> {
    start: usize,
    end: usize,
    info: &'a str,
}

fn fences(text: &str) -> impl Iterator<Item = Fence<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let marked = if start == 0 { line.strip_prefix('\u{FEFF}').unwrap_or(line) } else { line };
        let info = marked.strip_prefix(FENCE)?.trim_start_matches('`').trim_matches(SPACE);
        Some(Fence { start, end: at, info })
    })
}

/// How many blocks the fences open: a bare fence closes an open block, any other opens one.
fn blocks(fences: &[Fence<'_>]) -> usize {
    let mut open = false;
    let mut count = 0;
    for fence in fences {
        open = !(open && fence.info.is_empty());
        count += usize::from(open);
    }
    count
}

fn in_fence<'a>(text: &'a str, open: &Fence<'_>, close: &Fence<'_>) -> Result<Located<'a>, Finding> {
    if !text.get(close.end..).unwrap_or_default().trim_matches(SPACE).is_empty() {
        return Err(nonjson("there is text after the fenced block", "send the JSON object and nothing else"));
    }
    if !open.info.eq_ignore_ascii_case("json") {
        return Err(nonjson("the fenced block is not tagged `json`", "start the block with ```json"));
    }
    let body = text.get(open.end..close.start).unwrap_or_default();
    let object = body.trim_start_matches(SPACE);
    if object.starts_with('{') {
        Ok(located(text, close.start - object.len(), close.start))
    } else {
        Err(no_object(object))
    }
}

fn located(text: &str, start: usize, end: usize) -> Located<'_> {
    let before = text.get(..start).unwrap_or_default();
    let columns = before.rsplit('\n').next().unwrap_or_default().len();
    Located { object: text.get(start..end).unwrap_or_default(), lines: before.matches('\n').count(), columns }
}

fn no_object(text: &str) -> Finding {
    let message = match text.chars().next() {
        None => "there is no JSON object: the text is empty",
        Some('[') => "the JSON is an array, not one object",
        Some(_) => return around(text),
    };
    nonjson(message, "send one JSON object, raw or in one ```json block")
}

/// Text in which an object may begin somewhere.
fn around(text: &str) -> Finding {
    let begins = text.lines().position(|line| line.trim_start_matches(SPACE).starts_with('{'));
    match begins {
        Some(line) => nonjson(
            &format!("there is text before the JSON object, which begins at line {}", line + 1),
            "send the JSON object and nothing else",
        ),
        None => nonjson("there is no JSON object in the text", "send one JSON object, raw or in one ```json block"),
    }
}

fn multiblock() -> Finding {
    let hint = "send exactly one block that holds the whole proposal";
    Finding::new(Code::ParseMultiblock, "there is more than one fenced block", hint)
}

fn nonjson(message: &str, hint: &str) -> Finding {
    Finding::new(Code::ParseNonjson, message, hint)
}
