//! The picture of a review.

use super::pane::Pane;
use super::state::{Mode, Review, WORD};
use crate::render::layout::{Layout as _, fit, pieces};
use exacta_view::rows::{ask, checks, decision, plan};
use exacta_view::{Row, Tone};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use unicode_width::UnicodeWidthStr as _;

/// Columns of the list of steps.
const LIST: u16 = 28;

/// Smaller screens cannot show what is being decided.
const SMALLEST: (u16, u16) = (40, 12);

/// Each fits into one line of the smallest screen.
const KEYS: &[(&str, &str)] = &[
    ("a, x", "approve; and run"),
    ("r, c", "reject; changes"),
    ("n p, N P", "hunk; file"),
    ("space, s", "mark; take it"),
    ("v, e", "viewed; editor"),
    ("/", "search"),
    ("j k, ↑ ↓", "file, or line"),
    ("J K d u f b g G", "scroll"),
    ("1-7, tab, ← →", "pages"),
    ("q, Esc", "leave undecided"),
];

/// Paints the review onto a frame of any size.
pub fn draw(review: &mut Review, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let text = format!("this screen is too small: {}×{} are needed; q pauses", SMALLEST.0, SMALLEST.1);
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        review.hide();
        return;
    }
    let [top, what, verdict, reason, tabs, body, status, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_title(review, frame, top);
    draw_row(&decision::what(review.view()).cut(what.width.into()), review.color(), frame, what);
    draw_row(&decision::scores(review.view(), review.now()).cut(verdict.width.into()), review.color(), frame, verdict);
    draw_reason(review, frame, reason);
    draw_tabs(review, frame, tabs);
    draw_body(review, frame, body);
    draw_status(review, frame, status);
    let hint = " a approve  x and run  r reject  c changes  n hunk  v viewed  q leave  ? keys";
    frame.render_widget(Paragraph::new(fit(hint, keys.width.into())).style(faint()), keys);
    draw_dialog(review, frame, area);
}

fn draw_title(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    let text = format!(" exacta review  {}", plan::short_title(review.view()).text());
    let bar = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
    let width = usize::from(area.width);
    let text = fit(&text, width);
    let fill = " ".repeat(width.saturating_sub(text.width()));
    frame.render_widget(Paragraph::new(format!("{text}{fill}")).style(bar), area);
}

/// Why a person is asked: the first reason, cut where the screen ends; where the decision is made it is whole.
fn draw_reason(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    if let Some((first, more)) = ask::reason(review.view()) {
        let reason = if more == 0 { first } else { first.with(Tone::Warn, &format!(" (and {more} more: page 4)")) };
        draw_row(&reason.cut(area.width.into()), review.color(), frame, area);
    }
}

fn draw_tabs(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    let mut spans = vec![Span::raw(" ")];
    for (index, pane) in Pane::ALL.iter().enumerate() {
        let label = format!(" {} {} ", index + 1, pane.name());
        let here = *pane == review.pane();
        let style = if here { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        spans.push(Span::styled(label, style));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn draw_body(review: &mut Review, frame: &mut Frame<'_>, area: Rect) {
    let text = if review.pane() == Pane::Diff {
        let [list, rule, text] = Layout::horizontal([
            Constraint::Length(LIST.min(area.width / 2)),
            Constraint::Length(2),
            Constraint::Min(1),
        ])
        .areas(area);
        draw_steps(review, frame, list);
        let bars = vec![Line::raw("│"); usize::from(rule.height)];
        frame.render_widget(Paragraph::new(bars).style(faint()), rule);
        text
    } else {
        Rect { x: area.x + 1, width: area.width - 2, ..area }
    };
    review.resize(text.width.into(), text.height.into());
    let lines: Vec<Line<'_>> = review.visible().iter().map(|row| owned_line(row, review.color())).collect();
    frame.render_widget(Paragraph::new(lines), text);
}

/// Two lines a step; the list moves so that the current one is always seen.
fn draw_steps(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    let room = usize::from(area.height / 2).max(1);
    let first = review.step().saturating_sub(room.saturating_sub(1));
    let width = usize::from(area.width);
    let mut lines = Vec::new();
    for (index, step) in review.steps().iter().enumerate().skip(first).take(room) {
        let mark = mark(review, index);
        let here = if index == review.step() { ">" } else { " " };
        let kind = step.kind.strip_prefix("file_").unwrap_or(&step.kind);
        let head = Row::new()
            .plain(&format!("{here}{mark}{}", if review.is_viewed(index) { "✓" } else { " " }))
            .with(Tone::Strong, &fit(&step.id, 8))
            .plain(&format!(" {kind} "))
            .with(Tone::Added, &format!("+{}", step.added))
            .with(Tone::Removed, &format!(" -{}", step.removed));
        let style = if index == review.step() { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        lines.push(owned_line(&head, review.color()).style(style));
        lines.push(Line::styled(format!("     {}", tail(&step.target, width.saturating_sub(6))), style));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_status(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    let (first, last, all) = review.position();
    let text = match review.message() {
        Some(message) => {
            Line::styled(format!(" {message}"), style(Tone::Warn, review.color()).add_modifier(Modifier::BOLD))
        }
        None => {
            let lines = if last < all || first > 1 {
                format!("lines {first}–{last} of {all}")
            } else {
                "all of it is shown".to_owned()
            };
            Line::styled(format!(" {}{lines}{}", at_hunk(review), viewed(review)), faint())
        }
    };
    frame.render_widget(Paragraph::new(text), area);
}

/// Whether a step is marked as a whole, in part, or not.
fn mark(review: &Review, step: usize) -> String {
    match review.marks().hunks_of(step) {
        0 if review.marks().has_step(step) => "[x]".to_owned(),
        0 => "[ ]".to_owned(),
        hunks @ 1..=9 => format!("[{hunks}]"),
        _ => "[+]".to_owned(),
    }
}

fn at_hunk(review: &Review) -> String {
    review.hunk().map_or_else(String::new, |(hunk, all)| {
        let marked = if review.marks().has_hunk(review.step(), hunk) { ", marked" } else { "" };
        format!("hunk {hunk} of {all}{marked} · ")
    })
}

fn viewed(review: &Review) -> String {
    let all = review.steps().len();
    let viewed = (0..all).filter(|step| review.is_viewed(*step)).count();
    if viewed == 0 { String::new() } else { format!(" · {viewed} of {all} viewed") }
}

fn draw_dialog(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    let width = area.width.min(76) - 4;
    let (title, rows, ask, input) = match review.mode() {
        Mode::Browse => return,
        Mode::Help => (" keys ", help(), Row::new(), None),
        Mode::Search(input) => {
            let ask = Row::new().plain("Look for what? Enter alone looks for the last words again, Esc goes back.");
            (" search ", Vec::new(), ask, Some(input.text()))
        }
        Mode::Approve { input, run } => {
            let typed = decision::is_grave(review.view()).then(|| input.text());
            (" approve ", approve_rows(review), approve_ask(*run, typed.is_some()), typed)
        }
        Mode::Reject(input) => {
            (" reject ", Vec::new(), Row::new().plain("Why? Enter rejects, Esc goes back."), Some(input.text()))
        }
        Mode::Changes(input) => {
            let ask = Row::new().plain("What should be different? Enter sends it, Esc goes back.");
            (" ask for changes ", Vec::new(), ask, Some(input.text()))
        }
    };
    let inner = usize::from(width) - 4;
    let fold = |rows: Vec<Row>| rows.into_iter().flat_map(|row| row.folded(inner)).collect::<Vec<_>>();
    // What to type and where is always seen; what does not fit above it is named.
    let foot = if matches!(review.mode(), Mode::Help) { Vec::new() } else { fold(vec![ask]) };
    let room = usize::from(area.height).saturating_sub(2 + foot.len() + usize::from(input.is_some()));
    let mut head = fold(rows);
    if head.len() > room {
        head.truncate(room.saturating_sub(1));
        head.push(Row::new().with(Tone::Warn, "… more: Esc, then pages 4 and 7"));
    }
    let mut lines: Vec<Line<'_>> = head.iter().chain(&foot).map(|row| owned_line(row, review.color())).collect();
    let mut cursor = None;
    if let Some(text) = input {
        let shown = end(text, inner - 3);
        cursor = Some((shown.width() + 2, lines.len()));
        lines.push(Line::raw(format!("> {shown}")));
    }
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let place = Rect { x: (area.width - width) / 2, y: area.height.saturating_sub(height) / 2, width, height };
    frame.render_widget(Clear, place);
    let block = Block::bordered().title(title).padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Paragraph::new(lines).block(block), place);
    if let Some((column, row)) = cursor {
        let offset = |n: usize| u16::try_from(n).unwrap_or_default();
        frame.set_cursor_position(Position::new(place.x + 2 + offset(column), place.y + 1 + offset(row)));
    }
}

fn help() -> Vec<Row> {
    KEYS.iter().map(|(key, what)| Row::new().column(Tone::Strong, key, 16).hanging(16).plain(what)).collect()
}

/// What is about to be approved, why that is asked, and who proposes it.
fn approve_rows(review: &Review) -> Vec<Row> {
    let view = review.view();
    let mut rows = vec![plan::short_title(view)];
    rows.extend(ask::reasons(view));
    rows.push(plan::verdict(view));
    rows.extend(checks::brief(view));
    rows.extend(ask::irreversible(view));
    rows.extend(ask::changes(view).map(|what| Row::new().plain(&what)));
    rows.extend(view.detail.iter().flat_map(ask::proposer));
    rows
}

fn approve_ask(run: bool, typed: bool) -> Row {
    let what = if run { "approves exactly this and runs it" } else { "approves exactly this" };
    let row = if typed {
        Row::new().plain("Type ").with(Tone::Strong, WORD).plain(": with Enter it ")
    } else {
        Row::new().with(Tone::Strong, "y").plain(" ")
    };
    row.plain(what).plain(if typed { ". Esc goes back." } else { ", n goes back." })
}

fn draw_row(row: &Row, color: bool, frame: &mut Frame<'_>, area: Rect) {
    frame.render_widget(Paragraph::new(owned_line(row, color)), area);
}

fn owned_line(row: &Row, color: bool) -> Line<'static> {
    pieces(row).map(|(tone, text)| Span::styled(text.into_owned(), style(tone, color))).collect()
}

/// The last part of a path that fits; its end says most.
fn tail(path: &str, width: usize) -> String {
    let path = exacta_kernel::text::visible_line(path);
    if path.width() <= width { path.into_owned() } else { format!("…{}", end(&path, width.saturating_sub(1))) }
}

/// The end of a text that fits into a width.
fn end(text: &str, width: usize) -> &str {
    let mut from = 0;
    while text.get(from..).is_some_and(|rest| rest.width() > width) {
        from += text.get(from..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    text.get(from..).unwrap_or_default()
}

const fn faint() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// The sixteen colours every terminal has; without colour, weight alone.
fn style(tone: Tone, color: bool) -> Style {
    let weight = match tone {
        Tone::Strong => Modifier::BOLD,
        Tone::Faint | Tone::Comment => Modifier::DIM,
        Tone::Bad | Tone::Warn if !color => Modifier::BOLD,
        _ => Modifier::empty(),
    };
    let style = Style::new().add_modifier(weight);
    let shade = match tone {
        Tone::Good | Tone::Added => Color::Green,
        Tone::Warn | Tone::Text => Color::Yellow,
        Tone::Bad | Tone::Removed => Color::Red,
        Tone::Hunk | Tone::Number => Color::Cyan,
        Tone::Keyword => Color::Magenta,
        Tone::Name => Color::Blue,
        Tone::Plain | Tone::Strong | Tone::Faint | Tone::Comment => return style,
    };
    if color { style.fg(shade) } else { style }
}
