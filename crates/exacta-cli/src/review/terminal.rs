//! The real screen: entered, kept up to date, and always left as it was found.

use super::draw::draw;
use super::state::{Choice, Review};
use crate::interrupt::{Orderly, Waited};
use crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute};
use exacta_app::Options;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use rustix::termios::{QueueSelector, tcflush};
use signal_hook::consts::SIGTSTP;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static ACTIVE: AtomicBool = AtomicBool::new(false);

/// Shows the review until the person has chosen. A signal counts as a pause.
///
/// # Errors
/// If there is no terminal, or it fails.
pub fn run(review: &mut Review, signals: &Orderly, options: &Options) -> io::Result<Choice> {
    let mut screen = Screen::enter()?;
    let mut terminal = blank()?;
    let keys = tty()?;
    let (mut doubtful, mut touched) = (false, true);
    loop {
        // What a terminal draws wider or narrower than was reckoned stays when other text comes: then nothing is kept.
        if (doubtful && touched) | review.take_redraw() {
            terminal = blank()?;
        }
        touched = false;
        review.look_at(crate::clock::now());
        let frame = terminal.draw(|frame| draw(review, frame))?;
        let was_doubtful = core::mem::replace(&mut doubtful, is_doubtful(frame.buffer));
        if doubtful && !was_doubtful {
            touched = true;
            continue;
        }
        // A terminal that was closed would be read from for ever.
        if matches!(signals.wait(&keys)?, Waited::Interrupted | Waited::Gone) {
            return Ok(Choice::Pause);
        }
        // Several may have come at once.
        while event::poll(Duration::ZERO)? {
            touched = true;
            match event::read()? {
                Event::Key(KeyEvent { code: KeyCode::Char('z'), modifiers: KeyModifiers::CONTROL, .. }) => {
                    drop(screen);
                    signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
                    screen = Screen::enter()?;
                    terminal = blank()?;
                }
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if let Some(choice) = review.key(key) {
                        return Ok(choice);
                    }
                    if let Some((name, text)) = review.take_open() {
                        // Whatever is done to it there, the plan stays as it is.
                        drop(screen);
                        if let Err(error) = crate::editor::edited(&text, &name, options) {
                            review.say(error.message);
                        }
                        screen = Screen::enter()?;
                        terminal = blank()?;
                    }
                }
                Event::Paste(text) => review.paste(&text),
                _ => {}
            }
        }
    }
}

/// An empty screen that remembers nothing. The library's own way asks the terminal where its cursor is, and not every one answers.
fn blank() -> io::Result<Terminal<CrosstermBackend<File>>> {
    execute!(tty()?, Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(tty()?))
}

/// Whether terminals disagree on the width of something on the screen: letters of several characters, emoji, scripts whose
/// letters join. Latin letters and the lines and arrows of this program are drawn alike everywhere.
fn is_doubtful(screen: &Buffer) -> bool {
    let is_plain = |c: char| matches!(c, '\u{0}'..='\u{2ff}' | '\u{2010}'..='\u{25ff}' | '\u{27e8}'..='\u{27e9}');
    let is_single = |symbol: &str| symbol.chars().count() == 1 && symbol.chars().all(is_plain);
    !screen.content().iter().all(|cell| cell.symbol().is_empty() || is_single(cell.symbol()))
}

/// Leaves the screen if it is entered; for the panic hook, which runs before anything is dropped.
pub fn leave() {
    if ACTIVE.swap(false, Ordering::SeqCst) {
        // There is no better way left to tell that the terminal is gone.
        drop(disable_raw_mode());
        if let Ok(mut tty) = tty() {
            drop(execute!(tty, EnableLineWrap, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show));
        }
    }
}

/// The screen while it is entered.
struct Screen;

impl Screen {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        // What was typed before there was anything to see is no answer to it.
        tcflush(tty()?, QueueSelector::IFlush)?;
        ACTIVE.store(true, Ordering::SeqCst);
        let screen = Self;
        execute!(tty()?, EnterAlternateScreen, EnableBracketedPaste, DisableLineWrap)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

#[expect(clippy::disallowed_methods, reason = "/dev/tty")]
fn tty() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}
