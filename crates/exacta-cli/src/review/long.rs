//! A diff that is too long to be laid out at once: only its screen lines that are seen are made.
//!
//! Of every few screen lines the place where it begins is kept, so that any of them is found at once, also within a line of
//! many megabytes.

use exacta_kernel::text::visible;
use exacta_view::diff::Kind;
use exacta_view::mark::{self, Marks};
use exacta_view::row::Fold;
use exacta_view::{Row, Span, Tone};
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr as _;

/// Of how many screen lines one place is kept.
const STRIDE: usize = 256;

/// A long diff, folded to a width.
#[derive(Debug, Clone)]
pub struct Long {
    /// The text, where it is not the diff itself because that hides something.
    text: Option<String>,
    marks: Marks,
    width: usize,
    places: Vec<Place>,
    /// The screen lines at which hunks begin.
    hunks: Vec<usize>,
    lines: usize,
}

impl Long {
    /// Lays a diff out.
    pub fn new(diff: &str, width: usize) -> Self {
        let text = match visible(diff) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        };
        let mut long = Self {
            text,
            marks: Marks::of(diff),
            width: width.max(16),
            places: Vec::new(),
            hunks: Vec::new(),
            lines: 0,
        };
        let mut place = Place::default();
        loop {
            let here = place;
            if long.screen_line(diff, &mut place, None).is_none() {
                return long;
            }
            if long.lines.is_multiple_of(STRIDE) {
                long.places.push(here);
            }
            if !here.inside && place.kind == Some(Kind::Hunk) {
                long.hunks.push(long.lines);
            }
            long.lines += 1;
        }
    }

    /// What its marks mean, if it has any.
    pub fn legend(&self) -> Option<Row> {
        self.marks.legend().map(|words| Row::code().with(Tone::Faint, &words))
    }

    /// The screen lines at which hunks begin.
    pub fn hunks(&self) -> impl Iterator<Item = usize> + '_ {
        self.hunks.iter().copied()
    }

    /// How many screen lines it takes.
    pub const fn len(&self) -> usize {
        self.lines
    }

    /// So many screen lines from one on.
    pub fn window(&self, diff: &str, from: usize, count: usize) -> Vec<Row> {
        let Some(mut place) = self.places.get(from / STRIDE).copied() else { return Vec::new() };
        for _ in 0..from % STRIDE {
            self.screen_line(diff, &mut place, None);
        }
        let mut rows = Vec::new();
        while rows.len() < count {
            let mut text = String::new();
            let Some(tone) = self.screen_line(diff, &mut place, Some(&mut text)) else { break };
            rows.push(Row::laid_out(vec![Span { tone, text, column: None }], Fold::Anywhere(1)));
        }
        rows
    }

    /// Moves over the next screen line, and writes it if asked; its tone, or none at the end.
    fn screen_line(&self, diff: &str, place: &mut Place, mut out: Option<&mut String>) -> Option<Tone> {
        let text = self.text.as_deref().unwrap_or(diff);
        let mut used = 0;
        if place.inside {
            used = 1;
            if let Some(out) = &mut out {
                out.push(' ');
            }
        } else {
            place.enter(text)?;
        }
        let start = used;
        let mut glyph = String::new();
        while place.at < place.end {
            let plain = place.plain(text, self.width.saturating_sub(used));
            if !plain.is_empty() {
                place.pass(plain.len(), plain.len());
                used += plain.len();
                if let Some(out) = &mut out {
                    out.push_str(plain);
                }
                continue;
            }
            glyph.clear();
            let Some(bytes) = place.glyph(text, self.marks, &mut glyph) else { break };
            let width = glyph.width();
            if used + width > self.width && used > start {
                break;
            }
            place.pass(bytes, width);
            used += width;
            if let Some(out) = &mut out {
                out.push_str(&glyph);
            }
        }
        let tone = place.kind().tone();
        place.leave();
        Some(tone)
    }
}

/// Where a screen line begins.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The byte.
    at: usize,
    /// Where the line ends.
    end: usize,
    /// Where the blanks at its end begin.
    trail: usize,
    /// How far the line was shown, in columns.
    column: usize,
    kind: Option<Kind>,
    in_hunk: bool,
    /// Whether the line began before.
    inside: bool,
}

impl Place {
    /// Looks at the line that begins here; none at the end of the text.
    fn enter(&mut self, text: &str) -> Option<()> {
        let rest = text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
        let kind = Kind::of(line, self.in_hunk);
        self.end = self.at + line.len();
        // The sign is no part of the line.
        self.trail = self.at + 1 + mark::trail(line.get(1..).unwrap_or_default());
        self.column = 0;
        self.kind = Some(kind);
        self.in_hunk |= kind == Kind::Hunk;
        Some(())
    }

    /// Goes on after a screen line.
    const fn leave(&mut self) {
        self.inside = self.at < self.end;
        if !self.inside {
            self.at = self.end + 1;
        }
    }

    const fn pass(&mut self, bytes: usize, columns: usize) {
        self.at += bytes;
        self.column += columns;
    }

    /// The letters of one column each that are shown as they are, as many as there is room for.
    fn plain<'t>(&self, text: &'t str, room: usize) -> &'t str {
        let end = self.end.min(self.trail).min(self.at.saturating_add(room));
        let bytes = text.as_bytes().get(self.at..end).unwrap_or_default();
        let count = bytes.iter().position(|byte| !matches!(byte, b' '..=b'~')).unwrap_or(bytes.len());
        text.get(self.at..self.at + count).unwrap_or_default()
    }

    /// The next character as it is shown, and its bytes.
    fn glyph(&self, text: &str, marks: Marks, out: &mut String) -> Option<usize> {
        let c = text.get(self.at..self.end)?.chars().next()?;
        let bytes = c.len_utf8();
        let column = self.column.saturating_sub(1);
        match self.kind() {
            Kind::Added | Kind::Removed => marks.changed(c, self.at >= self.trail, column, out),
            _ => Marks::kept(c, self.at + bytes == self.end, column, out),
        }
        Some(bytes)
    }

    fn kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::diff;
    use crate::render::layout::Layout as _;

    const HEAD: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n";

    /// Any part of it, without the blanks and line ends of folding.
    fn text(rows: &[Row]) -> String {
        rows.iter().map(|row| row.text()).collect::<String>().replace(' ', "")
    }

    #[test]
    fn any_part_of_one_very_long_line_is_found() {
        let line: String = (0..300_000).map(|n| format!("{n} ")).collect();
        let diff = format!("{HEAD}+{line}\n+end\n");
        let long = Long::new(&diff, 60);
        assert!(long.len() > 30_000);
        let all = long.window(&diff, 0, usize::MAX);
        assert_eq!(all.len(), long.len());
        for from in [0, 1, 255, 256, 257, 12_345, long.len() - 1, long.len()] {
            assert_eq!(long.window(&diff, from, 7), all.iter().skip(from).take(7).cloned().collect::<Vec<_>>());
        }
        assert_eq!(all.last().unwrap().text(), "+end");
    }

    proptest::proptest! {
        /// It shows what the rows of a short diff show.
        #[test]
        fn it_shows_the_same_as_a_short_diff(
            lines in proptest::collection::vec("[-+ ][ab\t é漢→·␍⟨\u{a0}]{0,90}\r?", 0..20),
            width in 16usize..90,
        ) {
            let diff: String = HEAD.to_owned() + &lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let long = Long::new(&diff, width);
            let rows = long.window(&diff, 0, usize::MAX);
            proptest::prop_assert_eq!(rows.len(), long.len());
            for row in &rows {
                proptest::prop_assert!(row.width() <= width, "{:?}", row);
            }
            let mut whole = diff::rows("x", &diff, false);
            whole.retain(|row| !row.text().starts_with('\\'));
            proptest::prop_assert_eq!(text(&rows), text(&whole));
        }
    }
}
