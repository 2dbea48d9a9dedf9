//! A step's diff as rows.

use super::ansi::Paint;
use super::syntax::Highlighter;
use exacta_view::diff::{Kind, Raw, lines};
use exacta_view::mark::{self, Marks};
use exacta_view::rows::plan::diff_head;
use exacta_view::{PlanView, Row, StepView, Tone};

/// Longer diffs are shown without syntax colours: they would take seconds.
pub const MAX_HIGHLIGHTED: usize = 200_000;

/// A unified diff as rows; the code in it in the colours of its language if asked.
#[must_use]
pub fn rows(path: &str, diff: &str, highlight: bool) -> Vec<Row> {
    let mut painter = Painter::new(path, diff, highlight);
    lines(diff).flat_map(|line| painter.rows(line)).collect()
}

/// A unified diff as text: the rows of it, each with its line end, line by line, since a diff can be long.
pub fn write(path: &str, diff: &str, paint: Paint, out: &mut String) {
    if !paint.0 && is_plain(diff) {
        out.push_str(diff);
        if !diff.is_empty() && !diff.ends_with('\n') {
            out.push('\n');
        }
        return;
    }
    let mut painter = Painter::new(path, diff, paint.0);
    for row in lines(diff).flat_map(|line| painter.rows(line)) {
        paint.write_row(&row, out);
        out.push('\n');
    }
}

/// Every step's diff, each under its file.
#[must_use]
pub fn all(view: &PlanView, highlight: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for step in view.detail.iter().flat_map(|detail| &detail.steps) {
        let body = of_step(step, highlight);
        if !body.is_empty() {
            rows.push(Row::new());
            rows.extend(body);
        }
    }
    rows
}

/// The same as text.
#[must_use]
pub fn all_text(view: &PlanView, paint: Paint) -> String {
    let steps = view.detail.iter().flat_map(|detail| &detail.steps);
    let shown: Vec<_> = steps.filter_map(|step| Some((step, step.diff.as_ref()?))).collect();
    let mut text = String::with_capacity(shown.iter().map(|(_, diff)| diff.len() + 128).sum());
    for (step, diff) in shown {
        text.push_str(&paint.unfolded(&[Row::new(), diff_head(step)]));
        write(&step.target, diff, paint, &mut text);
    }
    text
}

/// Of how many rows a piece is made at once.
const PIECE: usize = 4_096;

/// The bytes of the files that are no text, each under its file, piece by piece.
pub fn bytes(view: &PlanView) -> impl Iterator<Item = Vec<Row>> + '_ {
    let steps = view.detail.iter().flat_map(|detail| &detail.steps);
    let files = steps.filter_map(|step| Some((step, step.binary.as_ref()?.hex.as_ref()?)));
    files.flat_map(|(step, hex)| {
        let pieces = (0..hex.rows(16)).step_by(PIECE).map(|from| hex.window(16, from, PIECE).collect());
        core::iter::once(vec![Row::new(), diff_head(step)]).chain(pieces)
    })
}

/// One step's diff under its file; empty where there is none.
#[must_use]
pub fn of_step(step: &StepView, highlight: bool) -> Vec<Row> {
    let Some(text) = &step.diff else { return Vec::new() };
    let mut shown = vec![diff_head(step)];
    shown.extend(rows(&step.target, text, highlight));
    shown
}

/// Nothing but printable ASCII and line feeds, and no blank before one of these. Without a branch, so that it runs on many
/// bytes at once.
fn is_plain(diff: &str) -> bool {
    let odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n');
    let printable =
        diff.as_bytes().chunks(4096).all(|chunk| !chunk.iter().fold(false, |found, byte| found | odd(byte)));
    printable && !diff.contains(" \n") && !diff.ends_with(' ')
}

/// Keeps the state of both sides of the diff, so that a string or comment over several lines is seen as one.
struct Painter {
    marks: Marks,
    old: Option<Highlighter>,
    new: Option<Highlighter>,
    in_hunk: bool,
}

impl Painter {
    fn new(path: &str, diff: &str, highlight: bool) -> Self {
        let highlighter = (highlight && diff.len() <= MAX_HIGHLIGHTED).then(|| Highlighter::for_path(path)).flatten();
        Self { marks: Marks::of(diff), old: highlighter.clone(), new: highlighter, in_hunk: false }
    }

    /// A line of the diff; before the first hunk also what the marks in it mean.
    fn rows(&mut self, line: Raw<'_>) -> impl Iterator<Item = Row> + use<> {
        let begins = !self.in_hunk && line.kind == Kind::Hunk;
        let legend = if begins { self.marks.legend() } else { None };
        let legend = legend.map(|words| Row::code().with(Kind::Note.tone(), &words));
        legend.into_iter().chain([self.row(line)])
    }

    fn row(&mut self, Raw { kind, code, .. }: Raw<'_>) -> Row {
        match kind {
            Kind::Hunk => {
                self.in_hunk = true;
                self.restart();
            }
            Kind::Added => return code_row(self.marks, kind, code, &mut self.new),
            Kind::Removed => return code_row(self.marks, kind, code, &mut self.old),
            Kind::Kept => {
                if let Some(old) = &mut self.old {
                    old.line(code);
                }
                return code_row(self.marks, kind, code, &mut self.new);
            }
            Kind::Header | Kind::Note => {}
        }
        Row::code().with(kind.tone(), code)
    }

    fn restart(&mut self) {
        for side in [&mut self.old, &mut self.new].into_iter().flatten() {
            side.restart();
        }
    }
}

fn code_row(marks: Marks, kind: Kind, code: &str, highlighter: &mut Option<Highlighter>) -> Row {
    let (tone, sign) = match kind {
        Kind::Added => (Tone::Added, "+"),
        Kind::Removed => (Tone::Removed, "-"),
        _ => (Tone::Plain, " "),
    };
    let changed = kind != Kind::Kept;
    let mut row = Row::code().with(tone, sign);
    let pieces = match highlighter {
        Some(highlighter) => highlighter.line(code),
        None => vec![(tone, code)],
    };
    let (mut at, mut column) = (0, 0);
    for (tone, piece) in pieces {
        let shown;
        (shown, column) = mark::shown(marks, code, at..at + piece.len(), changed, column);
        at += piece.len();
        row = row.with(tone, &shown);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::layout::Layout as _;

    const DIFF: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n-let a = 1;\r\n+\tlet a\u{202e} = \"2\";\n }\n";

    #[test]
    fn signs_tabs_and_hidden_characters() {
        let rows = rows("x.rs", DIFF, false);
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(text[2], "\\ in changed lines → is a tab, ␍ is a carriage return");
        assert_eq!(text[4], "-let a = 1;␍");
        assert_eq!(text[5], "+→   let a\\u{202e} = \"2\";");
        assert_eq!(rows[5].spans()[0].tone, Tone::Added);
    }

    #[test]
    fn as_text_it_is_the_same() {
        for diff in [DIFF, "--- a/x\n@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-a\n+b", "{\n  \"url\": \"x\"\n}", "", "\n"]
        {
            let mut text = String::new();
            write("x.rs", diff, Paint(false), &mut text);
            let rows: String = rows("x.rs", diff, false).iter().map(|row| format!("{}\n", row.text())).collect();
            assert_eq!(text, rows);
        }
    }

    #[test]
    fn highlighting_changes_tones_and_not_text() {
        let plain: Vec<String> = rows("x.rs", DIFF, false).iter().map(Row::text).collect();
        let coloured = rows("x.rs", DIFF, true);
        assert_eq!(coloured.iter().map(Row::text).collect::<Vec<_>>(), plain);
        assert!(coloured[5].spans().iter().any(|span| span.tone == Tone::Keyword));
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_removed_line() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n--- old\n";
        assert_eq!(rows("x", diff, false)[3].spans()[0].tone, Tone::Removed);
    }
}
