//! Diffs: one column or two, changed words marked, flagged lines named, and a way to select hunks.

use super::bytes::Bytes;
use super::syntax::{Class, Syntax};
use crate::html::Html;
use exacta_kernel::text::excerpt;
use exacta_view::diff::{Diff, Hunk, Kind, Line};
use exacta_view::emphasis;
use exacta_view::{PlanView, StepView};
use std::collections::BTreeMap;
use std::ops::Range;

/// How diffs are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// What goes above what comes.
    Unified,
    /// What goes beside what comes.
    Split,
}

impl Layout {
    /// How many columns a table of it has.
    const fn columns(self) -> &'static str {
        match self {
            Self::Unified => "3",
            Self::Split => "4",
        }
    }
}

/// Where lines of files are on the page, and what was said about them.
#[derive(Debug, Default)]
pub struct Places {
    /// By path: the number of its step on the page.
    steps: BTreeMap<String, u64>,
    /// By path and line: what was said.
    flags: BTreeMap<(String, u64), Vec<String>>,
}

impl Places {
    /// Of a plan.
    #[must_use]
    pub fn of(view: &PlanView) -> Self {
        let steps = view.detail.iter().flat_map(|detail| &detail.steps);
        let mut places = Self {
            steps: steps.filter(|step| step.diff.is_some()).map(|step| (step.target.clone(), step.order)).collect(),
            flags: BTreeMap::new(),
        };
        let risk = view.risk.iter();
        let reasons =
            risk.flat_map(|risk| risk.factors.iter().flat_map(|factor| &factor.reasons).chain(&risk.boundaries));
        for reason in reasons {
            places.flag(reason.path.as_deref(), reason.line, &reason.message);
        }
        for capability in &view.capabilities {
            places.flag(capability.path.as_deref(), capability.line, &capability.reason);
        }
        for issue in view.quality.iter().flat_map(|quality| &quality.dimensions).flat_map(|dimension| &dimension.issues)
        {
            places.flag(issue.path.as_deref(), issue.line, &issue.message);
        }
        places
    }

    fn flag(&mut self, path: Option<&str>, line: Option<u64>, words: &str) {
        let (Some(path), Some(line)) = (path, line) else { return };
        let said = self.flags.entry((path.to_owned(), line)).or_default();
        if !said.iter().any(|already| already == words) {
            said.push(words.to_owned());
        }
    }

    /// A link to a line, or to its file.
    pub fn link(&self, html: &mut Html, path: Option<&str>, line: Option<u64>) {
        let Some(path) = path else { return };
        let words = line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
        html.text(" ");
        match (self.steps.get(path), line) {
            (Some(step), Some(line)) => {
                html.leaf("a", &[("href", &format!("#{}", anchor(*step, line))), ("class", "place")], &words)
            }
            (Some(step), None) => html.leaf("a", &[("href", &format!("#step-{step}")), ("class", "place")], &words),
            (None, _) => html.leaf("span", &[("class", "place")], &words),
        };
    }

    fn said(&self, path: &str, line: Option<u64>) -> &[String] {
        let said = line.and_then(|line| self.flags.get(&(path.to_owned(), line)));
        said.map(Vec::as_slice).unwrap_or_default()
    }
}

fn anchor(step: u64, line: u64) -> String {
    format!("s{step}-l{line}")
}

/// How much of a description stands above its change before the rest is folded, in characters.
const SAID: usize = 160;

/// What the proposer says about a change. A long text is folded: the change itself comes first.
fn says(html: &mut Html, description: &str) {
    let first = description.lines().next().unwrap_or_default();
    if description.is_empty() {
        return;
    }
    if first.len() == description.trim_end().len() && first.chars().count() <= SAID {
        html.leaf("p", &[("class", "says"), ("dir", "auto")], description);
        return;
    }
    html.tag("details", &[("class", "says"), ("dir", "auto")], |html| {
        html.leaf("summary", &[], &excerpt(first, SAID));
        html.leaf("p", &[("class", "words")], description);
    });
}

/// One step with its diff.
pub fn step(html: &mut Html, step: &StepView, places: &Places, layout: Layout, selectable: bool, bytes: Bytes) {
    let id = format!("step-{}", step.order);
    html.tag("article", &[("class", "step"), ("id", &id), ("data-file", &step.target)], |html| {
        let diff = step.diff.as_deref().map(Diff::of);
        let hunks = diff.as_ref().map_or(0, |diff| diff.hunks.len());
        html.tag("header", &[("class", "file")], |html| head(html, step, selectable));
        says(html, &step.description);
        let Some(diff) = diff else { return };
        let heads = diff
            .head
            .iter()
            .filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ ") && !line.starts_with("diff --git "));
        let heads: Vec<&str> = heads.map(String::as_str).chain(diff.legend.as_deref()).collect();
        if !heads.is_empty() {
            html.leaf("pre", &[("class", "notes")], &heads.join("\n"));
        }
        bytes.write(html, step);
        let divisible = selectable && hunks > 1 && step.kind == "file_modify";
        let (mut end, syntax) = (0, Syntax::of(&step.target));
        for (number, hunk) in (1_usize..).zip(&diff.hunks) {
            let first = hunk.lines.iter().find_map(|line| line.old);
            let folded = first.and_then(|first| first.checked_sub(end + 1)).filter(|hidden| *hidden > 0);
            end = hunk.lines.iter().rev().find_map(|line| line.old).unwrap_or(end);
            let part = divisible.then(|| format!("{}:{number}", step.id));
            hunk_table(html, hunk, &Shown { step, places, layout, syntax, part: part.as_deref(), number, folded });
        }
    });
}

/// The name of a file, what happens to it, and how much.
fn head(html: &mut Html, step: &StepView, selectable: bool) {
    if selectable {
        let label = format!("select {}", step.target);
        html.tag("label", &[("class", "pick")], |html| {
            html.void(
                "input",
                &[
                    ("type", "checkbox"),
                    ("name", "part"),
                    ("value", &step.id),
                    ("form", "selection"),
                    ("aria-label", &label),
                ],
            );
        });
    }
    let (letter, word) = letter(&step.kind);
    html.leaf("abbr", &[("class", "kind"), ("title", word)], letter);
    html.leaf("h3", &[("dir", "auto")], &step.target);
    counts(html, step);
    if step.diff.is_some() {
        html.tag("label", &[("class", "viewed")], |html| {
            html.void("input", &[("type", "checkbox"), ("data-viewed", &step.id)]).text("viewed");
        });
    }
}

/// What a kind of step is in a letter, as git has it, and in a word.
#[must_use]
pub fn letter(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "file_create" => ("A", "added"),
        "file_modify" => ("M", "modified"),
        "file_delete" => ("D", "deleted"),
        "build" => ("B", "build"),
        _ => ("•", "step"),
    }
}

/// How many lines come and go.
pub fn counts(html: &mut Html, step: &StepView) {
    html.tag("span", &[("class", "counts")], |html| {
        html.leaf("span", &[("class", "added")], &format!("+{}", step.added)).text(" ");
        html.leaf("span", &[("class", "removed")], &format!("−{}", step.removed));
    });
}

/// A diff to be read only: nothing of it can be selected, and nothing was said about it.
pub fn plain(html: &mut Html, diff: &str) {
    for hunk in &Diff::of(diff).hunks {
        html.tag("section", &[("class", "hunk")], |html| {
            html.leaf("div", &[("class", "hunk-head")], &hunk.head);
            html.tag("table", &[("class", "diff")], |html| {
                for line in &hunk.lines {
                    let (class, sign) = match line.kind {
                        Kind::Added => ("added", "+"),
                        Kind::Removed => ("removed", "−"),
                        _ => ("kept", " "),
                    };
                    html.tag("tr", &[], |html| {
                        html.tag("td", &[("class", class)], |html| {
                            html.leaf("span", &[("class", "sign")], sign);
                            html.leaf("code", &[], &line.text);
                        });
                    });
                }
            });
        });
    }
}

struct Shown<'a> {
    step: &'a StepView,
    places: &'a Places,
    layout: Layout,
    syntax: Option<Syntax>,
    /// What selects it alone, if it can be.
    part: Option<&'a str>,
    number: usize,
    /// How many unchanged lines are left out above it.
    folded: Option<u64>,
}

fn hunk_table(html: &mut Html, hunk: &Hunk, shown: &Shown<'_>) {
    let label = format!("{}, hunk {}", shown.step.target, shown.number);
    html.tag("section", &[("class", "hunk"), ("aria-label", &label), ("tabindex", "-1")], |html| {
        html.tag("div", &[("class", "hunk-head")], |html| {
            if let Some(part) = shown.part {
                let label = format!("select hunk {} of {}", shown.number, shown.step.target);
                html.tag("label", &[("class", "pick")], |html| {
                    html.void(
                        "input",
                        &[
                            ("type", "checkbox"),
                            ("name", "part"),
                            ("value", part),
                            ("form", "selection"),
                            ("aria-label", &label),
                        ],
                    );
                });
            }
            html.leaf("span", &[], &hunk.head);
            if let Some(folded) = shown.folded {
                let words = format!("{folded} unchanged {} above", if folded == 1 { "line" } else { "lines" });
                html.leaf("span", &[("class", "fold")], &words);
            }
        });
        let rows = rows(&hunk.lines);
        let class = if shown.layout == Layout::Split { "diff split" } else { "diff" };
        html.tag("table", &[("class", class)], |html| {
            html.tag("tbody", &[], |html| {
                for row in rows {
                    match shown.layout {
                        Layout::Unified => row.unified(html, shown),
                        Layout::Split => row.split(html, shown),
                    }
                }
            });
        });
    });
}

/// Lines that stand for each other.
enum Row<'a> {
    /// One line that stays, or a note.
    One(&'a Line),
    /// What goes and what comes instead, either of which may be missing.
    Pair(Vec<(&'a Line, Range<usize>)>, Vec<(&'a Line, Range<usize>)>),
}

/// The lines of a hunk, each run of changes as one row. Where as many lines come as go, each takes the place of one.
fn rows(lines: &[Line]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut left = lines;
    while let Some((first, rest)) = left.split_first() {
        if !matches!(first.kind, Kind::Removed | Kind::Added) {
            rows.push(Row::One(first));
            left = rest;
            continue;
        }
        let run = left.iter().take_while(|line| line.kind != Kind::Kept).count();
        let (run, rest) = left.split_at(run);
        let of = |kind: Kind| run.iter().filter(move |line| line.kind == kind);
        let (gone, come): (Vec<&Line>, Vec<&Line>) = (of(Kind::Removed).collect(), of(Kind::Added).collect());
        let pairs = gone.len() == come.len();
        let marks: Vec<(Range<usize>, Range<usize>)> = if pairs {
            gone.iter().zip(&come).map(|(old, new)| emphasis::changed(&old.text, &new.text)).collect()
        } else {
            Vec::new()
        };
        let mark = |at: usize, old: bool| {
            marks.get(at).map(|(a, b)| if old { a.clone() } else { b.clone() }).unwrap_or_default()
        };
        let gone = gone.into_iter().enumerate().map(|(at, line)| (line, mark(at, true))).collect();
        let come = come.into_iter().enumerate().map(|(at, line)| (line, mark(at, false))).collect();
        rows.push(Row::Pair(gone, come));
        rows.extend(run.iter().filter(|line| line.kind == Kind::Note).map(Row::One));
        left = rest;
    }
    rows
}

impl Row<'_> {
    fn unified(&self, html: &mut Html, shown: &Shown<'_>) {
        match self {
            Self::One(line) => one(html, line, &(0..0), shown),
            Self::Pair(gone, come) => {
                for (line, mark) in gone.iter().chain(come) {
                    one(html, line, mark, shown);
                }
            }
        }
    }

    fn split(&self, html: &mut Html, shown: &Shown<'_>) {
        match self {
            Self::One(line) if line.kind == Kind::Note => one_note(html, line, shown.layout),
            Self::One(line) => html_row(
                html,
                line,
                |html| {
                    number(html, line.old);
                    code(html, line, &(0..0), "kept", shown.syntax);
                    number(html, line.new);
                    code(html, line, &(0..0), "kept", shown.syntax);
                },
                shown,
            ),
            Self::Pair(gone, come) => {
                for at in 0..gone.len().max(come.len()) {
                    let (old, new) = (gone.get(at), come.get(at));
                    let anchor = new.or(old).map(|(line, _)| *line);
                    let Some(anchor) = anchor else { continue };
                    html_row(
                        html,
                        anchor,
                        |html| {
                            side(html, old, true, shown.syntax);
                            side(html, new, false, shown.syntax);
                        },
                        shown,
                    );
                }
            }
        }
    }
}

fn side(html: &mut Html, line: Option<&(&Line, Range<usize>)>, old: bool, syntax: Option<Syntax>) {
    match line {
        Some((line, mark)) => {
            number(html, if old { line.old } else { line.new });
            code(html, line, mark, if old { "removed" } else { "added" }, syntax);
        }
        None => {
            html.tag("td", &[("class", "no")], |_| {});
            html.tag("td", &[("class", "empty")], |_| {});
        }
    }
}

/// A row of the table, with its anchor, and under it what was said about the line.
fn html_row(html: &mut Html, line: &Line, inside: impl FnOnce(&mut Html), shown: &Shown<'_>) {
    let said = shown.places.said(&shown.step.target, line.new);
    let id = line.new.map(|number| anchor(shown.step.order, number)).unwrap_or_default();
    let class = if said.is_empty() { "" } else { "flagged" };
    let attributes = [("id", id.as_str()), ("class", class)];
    let attributes: Vec<(&'static str, &str)> = attributes.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    html.tag("tr", &attributes, inside);
    for words in said {
        html.tag("tr", &[("class", "said")], |html| {
            html.leaf("td", &[("colspan", shown.layout.columns()), ("dir", "auto")], words);
        });
    }
}

fn one(html: &mut Html, line: &Line, mark: &Range<usize>, shown: &Shown<'_>) {
    if line.kind == Kind::Note {
        return one_note(html, line, shown.layout);
    }
    let class = match line.kind {
        Kind::Added => "added",
        Kind::Removed => "removed",
        _ => "kept",
    };
    html_row(
        html,
        line,
        |html| {
            number(html, line.old);
            number(html, line.new);
            code(html, line, mark, class, shown.syntax);
        },
        shown,
    );
}

fn one_note(html: &mut Html, line: &Line, layout: Layout) {
    html.tag("tr", &[("class", "note")], |html| {
        html.leaf("td", &[("colspan", layout.columns())], &line.text);
    });
}

fn number(html: &mut Html, number: Option<u64>) {
    html.leaf("td", &[("class", "no")], &number.map_or_else(String::new, |number| number.to_string()));
}

/// The text of a line behind its sign, its changed words marked and its syntax coloured.
fn code(html: &mut Html, line: &Line, mark: &Range<usize>, class: &'static str, syntax: Option<Syntax>) {
    let sign = match class {
        "added" => "+",
        "removed" => "−",
        _ => " ",
    };
    html.tag("td", &[("class", class)], |html| {
        html.leaf("span", &[("class", "sign")], sign);
        html.tag("code", &[("dir", "ltr")], |html| {
            let whole = 0..line.text.len();
            let pieces = syntax.map(|syntax| syntax.paint(&line.text)).unwrap_or_default();
            if mark.is_empty() || *mark == whole {
                painted(html, &line.text, whole, &pieces);
            } else {
                painted(html, &line.text, 0..mark.start, &pieces);
                html.tag("mark", &[], |html| painted(html, &line.text, mark.clone(), &pieces));
                painted(html, &line.text, mark.end..line.text.len(), &pieces);
            }
        });
    });
}

/// A part of a line, its pieces coloured as far as they are in it.
fn painted(html: &mut Html, text: &str, part: Range<usize>, pieces: &[(Range<usize>, Class)]) {
    let mut at = part.start;
    for (range, class) in pieces {
        let (start, end) = (range.start.max(at), range.end.min(part.end));
        if start < end {
            html.text(text.get(at..start).unwrap_or_default());
            html.leaf("span", &[("class", class.name())], text.get(start..end).unwrap_or_default());
            at = end;
        }
    }
    html.text(text.get(at..part.end).unwrap_or_default());
}
