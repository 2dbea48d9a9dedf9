//! A diff as what it consists of: hunks of lines, each with its kind and its numbers, whitespace that changes marked, and nothing hidden.

use crate::mark::{self, Marks};
use crate::row::Tone;
use exacta_kernel::text::visible_line;
use schemars::JsonSchema;
use serde::Serialize;

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It comes.
    Added,
    /// It goes.
    Removed,
    /// It stays.
    Kept,
    /// Where a hunk begins.
    Hunk,
    /// Of the header.
    Header,
    /// None of the file's.
    Note,
}

impl Kind {
    /// Of this line, given whether a hunk has begun.
    #[must_use]
    pub fn of(line: &str, in_hunk: bool) -> Self {
        match line.as_bytes().first() {
            Some(b'@') if line.starts_with("@@") => Self::Hunk,
            Some(b'\\') => Self::Note,
            _ if !in_hunk => Self::Header,
            Some(b'+') => Self::Added,
            Some(b'-') => Self::Removed,
            Some(b' ') => Self::Kept,
            _ => Self::Note,
        }
    }

    /// Its tone, code apart.
    #[must_use]
    pub const fn tone(self) -> Tone {
        match self {
            Self::Added => Tone::Added,
            Self::Removed => Tone::Removed,
            Self::Kept => Tone::Plain,
            Self::Hunk => Tone::Hunk,
            Self::Header => Tone::Strong,
            Self::Note => Tone::Faint,
        }
    }
}

/// A diff with nothing left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diff {
    /// The lines above the first hunk; of a step that changes no file, all there is.
    pub head: Vec<String>,
    /// What the marks in changed lines mean, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legend: Option<String>,
    /// What changes, in the order of the file.
    pub hunks: Vec<Hunk>,
}

/// Lines that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hunk {
    /// Such as `@@ -1,3 +1,4 @@`.
    pub head: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// One line as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// `added`, `removed`, `kept`, or a `note` that is no line of the file.
    pub kind: Kind,
    /// Its number in the old file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<u64>,
    /// Its number in the new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<u64>,
    /// Without its sign; safe to show.
    pub text: String,
}

impl Diff {
    /// Of a unified diff as a view has it.
    #[must_use]
    pub fn of(diff: &str) -> Self {
        let marks = Marks::of(diff);
        let mut shown = Self { head: Vec::new(), legend: marks.legend(), hunks: Vec::new() };
        for line in lines(diff) {
            match (line.kind, shown.hunks.last_mut()) {
                (Kind::Hunk, _) => {
                    shown.hunks.push(Hunk { head: visible_line(line.code).into_owned(), lines: Vec::new() })
                }
                (_, Some(hunk)) => hunk.lines.push(line.shown(marks)),
                (_, None) => shown.head.push(visible_line(line.code).into_owned()),
            }
        }
        shown
    }
}

/// A line as it is in the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'d> {
    /// What it is.
    pub kind: Kind,
    /// Its number in the old file.
    pub old: Option<u64>,
    /// Its number in the new file.
    pub new: Option<u64>,
    /// A line of the file without its sign; any other as it is.
    pub code: &'d str,
}

impl Raw<'_> {
    fn shown(&self, marks: Marks) -> Line {
        let text = match self.kind {
            Kind::Added | Kind::Removed | Kind::Kept => {
                let changed = self.kind != Kind::Kept;
                mark::shown(marks, self.code, 0..self.code.len(), changed, 0).0
            }
            Kind::Hunk | Kind::Header | Kind::Note => self.code.to_owned(),
        };
        Line { kind: self.kind, old: self.old, new: self.new, text: visible_line(&text).into_owned() }
    }
}

/// The lines of a unified diff, one after the other: a diff can be long.
pub fn lines(diff: &str) -> impl Iterator<Item = Raw<'_>> {
    let (mut in_hunk, mut old, mut new) = (false, 0, 0);
    diff.split_terminator('\n').map(move |line| {
        let kind = Kind::of(line, in_hunk);
        let next = |number: &mut u64| {
            *number += 1;
            Some(*number - 1)
        };
        let code = line.get(1..).unwrap_or_default();
        match kind {
            Kind::Hunk => {
                in_hunk = true;
                (old, new) = (start(line, '-'), start(line, '+'));
                Raw { kind, old: None, new: None, code: line }
            }
            Kind::Added => Raw { kind, old: None, new: next(&mut new), code },
            Kind::Removed => Raw { kind, old: next(&mut old), new: None, code },
            Kind::Kept => Raw { kind, old: next(&mut old), new: next(&mut new), code },
            Kind::Header | Kind::Note => Raw { kind, old: None, new: None, code: line },
        }
    })
}

/// The number that a hunk's header has after a sign.
fn start(head: &str, sign: char) -> u64 {
    let digits = head.split_once(sign).map(|(_, rest)| rest).unwrap_or_default();
    digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ fn a\n kept\n-\told\n+new\u{202e} \n\\ No newline at end of file\n@@ -9 +9,2 @@\n--- x\n";

    #[test]
    fn a_diff_is_cut_into_hunks_with_numbers_and_marks() {
        let diff = Diff::of(DIFF);
        assert_eq!(diff.head, ["--- a/x", "+++ b/x"]);
        assert_eq!(diff.legend.as_deref(), Some("\\ in changed lines → is a tab, · is a blank at the end of a line"));
        let told = |line: &Line| (line.kind, line.old, line.new, line.text.clone());
        let first: Vec<_> = diff.hunks[0].lines.iter().map(told).collect();
        let expected = [
            (Kind::Kept, Some(3), Some(3), "kept".to_owned()),
            (Kind::Removed, Some(4), None, "→   old".to_owned()),
            (Kind::Added, None, Some(4), "new\\u{202e}·".to_owned()),
            (Kind::Note, None, None, "\\ No newline at end of file".to_owned()),
        ];
        assert_eq!(first, expected);
        assert_eq!((diff.hunks[0].head.as_str(), diff.hunks.len()), ("@@ -3,3 +3,3 @@ fn a", 2));
        assert_eq!(told(&diff.hunks[1].lines[0]), (Kind::Removed, Some(9), None, "-- x".to_owned()));
    }

    #[test]
    fn what_is_no_diff_is_all_head() {
        let diff = Diff::of("{\n  \"url\": \"x\"\n}");
        assert_eq!((diff.head.len(), diff.hunks.len(), diff.legend), (3, 0, None));
    }

    proptest::proptest! {
        /// Every line of a diff is somewhere in what is shown, once.
        #[test]
        fn nothing_is_left_out(lines in proptest::collection::vec("[-+ @\\\\][ab@+-]{0,6}", 0..30)) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let shown = Diff::of(&text);
            let count = shown.head.len() + shown.hunks.iter().map(|hunk| 1 + hunk.lines.len()).sum::<usize>();
            proptest::prop_assert_eq!(count, lines.len());
        }
    }
}
