//! What the person is doing, as a value: keys in, a choice out.

use super::input::Input;
use super::long::Long;
use super::pane::Pane;
use super::walk::Marks;
use crate::render::diff::MAX_HIGHLIGHTED;
use crate::render::layout::Layout as _;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use exacta_kernel::time::Timestamp;
use exacta_view::rows::decision;
use exacta_view::{Hex, PlanView, Row, StepView};
use std::collections::{BTreeMap, BTreeSet};

/// What is typed to approve a plan of high risk or SYSTEM-LEVEL.
pub const WORD: &str = "approve";

/// What the person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The whole plan.
    Approve,
    /// The whole plan, and it runs at once.
    ApproveAndRun,
    /// Only these steps, or hunks of them (`s1:2`), as a plan of their own that is shown next.
    ApproveSteps(Vec<String>),
    /// Never, and why.
    Reject(String),
    /// Not like this: what should be different.
    RequestChanges(String),
    /// Not now: the plan stays as it is.
    Pause,
}

/// What a key does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Looking around.
    Browse,
    /// Reading the keys.
    Help,
    /// Typing what to look for.
    Search(Input),
    /// Confirming an approval with a key; where that is too little, by typing [`WORD`].
    Approve {
        /// What was typed of the word.
        input: Input,
        /// Whether it runs at once.
        run: bool,
    },
    /// Typing why it is rejected.
    Reject(Input),
    /// Typing what should be different.
    Changes(Input),
}

/// A review under way.
#[derive(Debug, Clone)]
pub struct Review {
    view: PlanView,
    color: bool,
    pub(super) mode: Mode,
    pub(super) pane: Pane,
    pub(super) step: usize,
    pub(super) marks: Marks,
    /// The steps that were looked at, as the person says.
    pub(super) viewed: BTreeSet<usize>,
    /// The hunk that was walked to.
    pub(super) hunk: Option<usize>,
    /// What was looked for last, and the line where it was found.
    pub(super) wanted: String,
    pub(super) found: Option<usize>,
    pub(super) message: Option<String>,
    /// The page's text, or what is above a diff that is too long to be laid out at once.
    pub(super) body: Vec<Row>,
    pub(super) long: Option<Long>,
    /// Diffs that were laid out: their colours take a while.
    painted: BTreeMap<usize, Vec<Row>>,
    /// Whether the screen is to be drawn from nothing.
    redraw: bool,
    /// Whether the step on the page is to be opened in an editor.
    open: bool,
    /// When it is looked at.
    now: Option<Timestamp>,
    pub(super) scroll: usize,
    /// Columns and lines of the page's text.
    room: (usize, usize),
    /// Whether nothing of it can be seen, because the screen is too small.
    hidden: bool,
}

impl Review {
    /// The review of a plan, with the steps in front; laid out when its room is known.
    #[must_use]
    pub fn new(view: PlanView, color: bool) -> Self {
        Self {
            view,
            color,
            mode: Mode::Browse,
            pane: Pane::Diff,
            step: 0,
            marks: Marks::default(),
            viewed: BTreeSet::new(),
            hunk: None,
            wanted: String::new(),
            found: None,
            message: None,
            body: Vec::new(),
            long: None,
            painted: BTreeMap::new(),
            redraw: false,
            open: false,
            now: None,
            scroll: 0,
            room: (0, 0),
            hidden: false,
        }
    }

    /// The same review, which begins with something to tell the person.
    #[must_use]
    pub fn saying(mut self, message: Option<String>) -> Self {
        self.message = message;
        self
    }

    /// Takes a key; a choice ends the review.
    pub fn key(&mut self, key: KeyEvent) -> Option<Choice> {
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Some(Choice::Pause);
        }
        if self.hidden {
            return matches!(key.code, KeyCode::Char('q') | KeyCode::Esc).then_some(Choice::Pause);
        }
        // Letters that are typed with Ctrl or Alt are other keys.
        let is_letter = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('l') {
            self.redraw = true;
            return None;
        }
        let half = (self.room.1 / 2).max(1);
        match &mut self.mode {
            Mode::Browse if key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('d') => {
                self.scroll_to(self.scroll + half);
                None
            }
            Mode::Browse if key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('u') => {
                self.scroll_to(self.scroll.saturating_sub(half));
                None
            }
            Mode::Browse if !is_letter && matches!(key.code, KeyCode::Char(_)) => None,
            Mode::Browse => self.browse(key),
            Mode::Help => {
                self.mode = Mode::Browse;
                None
            }
            Mode::Approve { run, .. } if !decision::is_grave(&self.view) => {
                let run = *run;
                self.confirm(key.code, is_letter, run)
            }
            Mode::Approve { input, .. } | Mode::Reject(input) | Mode::Changes(input) | Mode::Search(input) => {
                match key.code {
                    KeyCode::Enter => self.submit(),
                    KeyCode::Esc => {
                        self.mode = Mode::Browse;
                        None
                    }
                    _ => {
                        input.key(key);
                        None
                    }
                }
            }
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if let (false, Mode::Approve { input, .. } | Mode::Reject(input) | Mode::Changes(input) | Mode::Search(input)) =
            (self.hidden, &mut self.mode)
        {
            input.paste(text);
        }
    }

    /// Nothing of it is seen: until it is again, keys decide nothing.
    pub const fn hide(&mut self) {
        self.hidden = true;
    }

    /// Fits the page's text into this many columns and lines.
    pub fn resize(&mut self, columns: usize, lines: usize) {
        self.hidden = false;
        if self.room != (columns, lines) {
            self.room = (columns, lines);
            self.painted.clear();
            self.refresh();
        }
    }

    /// Whether the screen is to be drawn from nothing, as somebody asked; only once.
    pub const fn take_redraw(&mut self) -> bool {
        core::mem::replace(&mut self.redraw, false)
    }

    /// What is to be opened in an editor, as somebody asked: a name for it and its text; only once.
    pub fn take_open(&mut self) -> Option<(String, String)> {
        let step = self.steps().get(self.step)?;
        let (name, text) = (format!("{}.diff", step.id), step.diff.clone()?);
        core::mem::replace(&mut self.open, false).then_some((name, text))
    }

    /// Tells the person something.
    pub fn say(&mut self, message: String) {
        self.message = Some(message);
    }

    /// Says when it is looked at, so that the time left can be shown.
    pub const fn look_at(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// When it is looked at, where that is known.
    #[must_use]
    pub const fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// The plan, back again.
    #[must_use]
    pub fn into_view(self) -> PlanView {
        self.view
    }

    /// The plan.
    #[must_use]
    pub const fn view(&self) -> &PlanView {
        &self.view
    }

    /// Whether colour is used.
    #[must_use]
    pub const fn color(&self) -> bool {
        self.color
    }

    /// What a key does next.
    #[must_use]
    pub const fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Something to tell the person.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The plan's steps.
    #[must_use]
    pub fn steps(&self) -> &[StepView] {
        self.view.detail.as_ref().map(|detail| detail.steps.as_slice()).unwrap_or_default()
    }

    /// The step whose diff is shown.
    #[must_use]
    pub const fn step(&self) -> usize {
        self.step
    }

    /// What the person marked.
    #[must_use]
    pub const fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The lines that are on screen.
    #[must_use]
    pub fn visible(&self) -> Vec<Row> {
        self.lines(self.scroll, self.room.1)
    }

    /// At most this many lines of the page, from one on.
    pub(super) fn lines(&self, from: usize, count: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = self.body.iter().skip(from).take(count).cloned().collect();
        if let (Some(long), Some(diff)) = (&self.long, self.long_diff()) {
            let from = from.saturating_sub(self.body.len());
            rows.extend(long.window(diff, from, count.saturating_sub(rows.len())));
        }
        if let Some(hex) = self.hex() {
            let from = from.saturating_sub(self.body.len());
            rows.extend(hex.window(self.each(), from, count.saturating_sub(rows.len())));
        }
        rows
    }

    /// First and last line on screen, and how many there are.
    #[must_use]
    pub fn position(&self) -> (usize, usize, usize) {
        let all = self.length();
        let shown = self.room.1.min(all.saturating_sub(self.scroll));
        (self.scroll + usize::from(shown > 0), self.scroll + shown, all)
    }

    pub(super) const fn pane(&self) -> Pane {
        self.pane
    }

    fn browse(&mut self, key: KeyEvent) -> Option<Choice> {
        let page = self.room.1.max(2) - 1;
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Some(Choice::Pause),
            KeyCode::Char('?') | KeyCode::F(1) => self.mode = Mode::Help,
            KeyCode::Char('a') => self.decide(Mode::Approve { input: Input::default(), run: false }),
            KeyCode::Char('x') => self.decide(Mode::Approve { input: Input::default(), run: true }),
            KeyCode::Char('r') => self.decide(Mode::Reject(Input::default())),
            KeyCode::Char('c') => self.decide(Mode::Changes(Input::default())),
            KeyCode::Char('s') => return self.approve_selected(),
            KeyCode::Char(' ') => self.mark(),
            KeyCode::Char('n') => self.next_hunk(),
            KeyCode::Char('p') => self.previous_hunk(),
            KeyCode::Char('N') => self.go_file(self.step + 1),
            KeyCode::Char('P') => self.go_file(self.step.wrapping_sub(1)),
            KeyCode::Char('v') => self.mark_viewed(),
            KeyCode::Char('e') => self.open = self.pane == Pane::Diff,
            KeyCode::Char('/') => self.mode = Mode::Search(Input::default()),
            KeyCode::Char('d') => self.scroll_to(self.scroll + self.room.1.max(2) / 2),
            KeyCode::Char('u') => self.scroll_to(self.scroll.saturating_sub(self.room.1.max(2) / 2)),
            KeyCode::Up | KeyCode::Char('k') => self.move_up(1),
            KeyCode::Down | KeyCode::Char('j') => self.move_down(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.scroll_to(self.scroll.saturating_sub(page)),
            KeyCode::PageDown | KeyCode::Char('f') => self.scroll_to(self.scroll + page),
            KeyCode::Char('K') => self.scroll_to(self.scroll.saturating_sub(1)),
            KeyCode::Char('J') => self.scroll_to(self.scroll + 1),
            KeyCode::Home | KeyCode::Char('g') => self.scroll_to(0),
            KeyCode::End | KeyCode::Char('G') => self.scroll_to(self.length()),
            KeyCode::Tab | KeyCode::Right | KeyCode::Char('l') => self.turn(self.pane.turned(1)),
            KeyCode::BackTab | KeyCode::Left | KeyCode::Char('h') => self.turn(self.pane.turned(Pane::ALL.len() - 1)),
            KeyCode::Char(digit @ '1'..='7') => {
                let at = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(1) - 1;
                self.turn(Pane::ALL.get(at).copied().unwrap_or(self.pane));
            }
            _ => {}
        }
        None
    }

    /// A key at the question whether to approve: only `y` does, and Enter is no answer.
    fn confirm(&mut self, code: KeyCode, is_letter: bool, run: bool) -> Option<Choice> {
        match code {
            KeyCode::Char('y') if is_letter => return Some(approval(run)),
            KeyCode::Char('n' | 'q') | KeyCode::Esc if is_letter => self.mode = Mode::Browse,
            _ => self.message = Some("y approves, n goes back".to_owned()),
        }
        None
    }

    /// Enters a mode that ends in a decision, if there is one to be taken.
    fn decide(&mut self, mode: Mode) {
        match self.view.status {
            Some(status) if !status.is_final() => self.mode = mode,
            Some(status) => self.message = Some(format!("this plan is {status}: there is nothing to decide")),
            None => self.message = Some("this proposal was not submitted: there is nothing to decide".to_owned()),
        }
    }

    fn submit(&mut self) -> Option<Choice> {
        match &self.mode {
            Mode::Approve { input, run } if input.text().trim() == WORD => Some(approval(*run)),
            Mode::Approve { run, .. } => {
                self.message = Some(format!("that is not `{WORD}`: nothing was approved"));
                self.mode = Mode::Approve { input: Input::default(), run: *run };
                None
            }
            Mode::Reject(input) => Some(Choice::Reject(input.text().trim().to_owned())),
            Mode::Changes(input) if !input.text().trim().is_empty() => {
                Some(Choice::RequestChanges(input.text().trim().to_owned()))
            }
            Mode::Changes(_) => {
                self.message = Some("say what should be different, or Esc".to_owned());
                None
            }
            Mode::Search(input) => {
                let typed = input.text().to_owned();
                self.find(&typed);
                None
            }
            Mode::Browse | Mode::Help => None,
        }
    }

    /// The selected steps, if each comes with the steps it depends on.
    fn approve_selected(&mut self) -> Option<Choice> {
        let picked = || self.steps().iter().enumerate().filter(|(index, _)| self.marks.touches(*index));
        let chosen: Vec<String> = picked().map(|(_, step)| step.id.clone()).collect();
        let whole = picked().all(|(index, _)| self.marks.has_step(index));
        let parts: Vec<String> = picked().flat_map(|(index, step)| self.marks.parts(index, &step.id)).collect();
        let missing: BTreeSet<&str> = picked()
            .flat_map(|(_, step)| &step.dependencies)
            .filter(|needed| !chosen.contains(needed))
            .map(String::as_str)
            .collect();
        if chosen.is_empty() {
            self.message = Some("nothing is marked, which is a rejection; Esc goes back, space marks".to_owned());
            self.decide(Mode::Reject(Input::default()));
        } else if !missing.is_empty() {
            let missing = missing.into_iter().collect::<Vec<_>>().join(", ");
            self.message = Some(format!("the marked steps need {missing}: mark them too"));
        } else if whole && chosen.len() == self.steps().len() {
            self.decide(Mode::Approve { input: Input::default(), run: false });
        } else if self.view.status.is_some_and(|status| !status.is_final()) {
            return Some(Choice::ApproveSteps(parts));
        } else {
            self.decide(Mode::Browse);
        }
        None
    }

    /// To the step before; on other pages a line up.
    fn move_up(&mut self, by: usize) {
        if self.pane == Pane::Diff {
            self.go(self.step.saturating_sub(by));
        } else {
            self.scroll_to(self.scroll.saturating_sub(by));
        }
    }

    fn move_down(&mut self, by: usize) {
        if self.pane == Pane::Diff {
            self.go((self.step + by).min(self.steps().len().saturating_sub(1)));
        } else {
            self.scroll_to(self.scroll + by);
        }
    }

    /// To another file, from whichever page.
    fn go_file(&mut self, step: usize) {
        if step < self.steps().len() {
            self.turn(Pane::Diff);
            self.go(step);
        } else {
            self.message = Some("there is no other file that way".to_owned());
        }
    }

    pub(super) fn go(&mut self, step: usize) {
        self.hunk = None;
        self.found = None;
        if step != self.step {
            self.step = step;
            self.scroll = 0;
            self.refresh();
        }
    }

    fn turn(&mut self, pane: Pane) {
        if pane != self.pane {
            self.pane = pane;
            self.scroll = 0;
            self.found = None;
            self.refresh();
        }
    }

    pub(super) fn scroll_to(&mut self, line: usize) {
        self.scroll = line.min(self.length().saturating_sub(self.room.1));
    }

    /// How many lines the page has.
    pub(super) fn length(&self) -> usize {
        self.body.len() + self.long.as_ref().map_or(0, Long::len) + self.hex().map_or(0, |hex| hex.rows(self.each()))
    }

    /// The bytes of the step on the page, if its file is no text: below the rest of it.
    fn hex(&self) -> Option<&Hex> {
        let step = self.steps().get(self.step).filter(|_| self.pane == Pane::Diff)?;
        step.binary.as_ref()?.hex.as_ref()
    }

    /// How many of them fit into a line.
    const fn each(&self) -> usize {
        if self.room.0 < 78 { 8 } else { 16 }
    }

    /// The diff of the step on the page, if it is too long to be laid out at once.
    fn long_diff(&self) -> Option<&str> {
        let step = self.steps().get(self.step).filter(|_| self.pane == Pane::Diff)?;
        step.diff.as_deref().filter(|diff| diff.len() > MAX_HIGHLIGHTED)
    }

    /// Lays the page's text out again. A diff that was laid out before is taken as it is.
    fn refresh(&mut self) {
        let columns = self.room.0;
        self.long = self.long_diff().map(|diff| Long::new(diff, columns));
        let painted = self.painted.get(&self.step).filter(|_| self.pane == Pane::Diff).cloned();
        self.body = painted.unwrap_or_else(|| {
            let mut rows = self.pane.rows(&self.view, self.step, self.color);
            rows.extend(self.long.as_ref().and_then(Long::legend));
            rows.into_iter().flat_map(|row| row.folded(columns)).collect()
        });
        if self.pane == Pane::Diff {
            self.painted.insert(self.step, self.body.clone());
        }
        self.scroll_to(self.scroll);
    }
}

const fn approval(run: bool) -> Choice {
    if run { Choice::ApproveAndRun } else { Choice::Approve }
}
