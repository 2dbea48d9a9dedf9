//! Questions to a person. An answer is only ever read from a terminal, never from a pipe or a file.

use crate::interrupt::{Orderly, Waited};
use exacta_app::{Error, Exit};
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Longer answers are not taken.
const MAX_ANSWER: usize = 4_096;

/// Ctrl-D, where keys are read one by one.
const END_OF_INPUT: u8 = 4;

/// Whether standard input carries the plan that is asked about.
static CARRIES_PLAN: AtomicBool = AtomicBool::new(false);

/// Says that standard input carries the plan that a person is asked about. No answer is ever read from it.
pub fn free_standard_input() {
    CARRIES_PLAN.store(true, Ordering::SeqCst);
}

/// A person at a terminal.
#[derive(Debug)]
pub struct Person {
    tty: File,
}

impl Person {
    /// The person at this process's terminal: standard input and standard error must both be one; only where standard input
    /// carries the plan that is asked about may it be something else ([`free_standard_input`]). The answer is read from
    /// `/dev/tty` in every case.
    ///
    /// # Errors
    /// Exit 30: a person is needed and there is none.
    #[expect(clippy::disallowed_methods, reason = "/dev/tty")]
    pub fn present() -> Result<Self, Error> {
        let absent = || {
            Error::new(Exit::Confirm, "person_needed", "a person has to decide, and there is no terminal")
                .hint("run the command in a terminal, or give `--approver-key FILE` where it takes one")
        };
        let asked_here = io::stdin().is_terminal() || CARRIES_PLAN.load(Ordering::SeqCst);
        if !asked_here || !io::stderr().is_terminal() {
            return Err(absent());
        }
        let tty = File::options().read(true).write(true).open("/dev/tty").map_err(|_| absent())?;
        Ok(Self { tty })
    }

    /// Whether there is one.
    #[must_use]
    pub fn is_present() -> bool {
        Self::present().is_ok()
    }

    /// Asks for a yes, with one key; anything else is a no.
    ///
    /// # Errors
    /// If the terminal fails, or the person interrupts.
    pub fn confirm(&self, question: &str) -> Result<bool, Error> {
        let key = self.key(&format!("{question} [y]es  [n]o "))?;
        Ok(matches!(key, Some('y' | 'Y')))
    }

    /// Asks for one line. What was typed before the question was seen does not count.
    ///
    /// # Errors
    /// As [`Self::confirm`].
    pub fn ask(&self, question: &str) -> Result<String, Error> {
        let signals = Orderly::begin().map_err(|error| broken(&error))?;
        self.put(question)?;
        let answer = self.line(&signals)?;
        Ok(answer.trim().to_owned())
    }

    /// Asks for one key, without Enter, and shows it. What was typed before the question was seen does not count. None for Enter
    /// and the like, and for several keys at once: an arrow, or something pasted.
    ///
    /// # Errors
    /// As [`Self::confirm`].
    pub fn key(&self, question: &str) -> Result<Option<char>, Error> {
        let hold = Silence::begin(&self.tty, LocalModes::ECHO | LocalModes::ICANON)?;
        self.put(question)?;
        let bytes = self.piece(&hold.signals)?;
        let key = match bytes.as_slice() {
            [END_OF_INPUT] => return Err(self.given_up()),
            [byte] if byte.is_ascii_graphic() => Some(char::from(*byte)),
            _ => None,
        };
        self.say(&key.map_or_else(|| "\n".to_owned(), |key| format!("{key}\n")))?;
        Ok(key)
    }

    /// Asks for a passphrase, which is not shown.
    ///
    /// # Errors
    /// As [`Self::confirm`].
    pub fn passphrase(&self, question: &str) -> Result<String, Error> {
        let silence = self.silence()?;
        self.put(question)?;
        let answer = self.line(&silence.signals);
        self.put("\n")?;
        answer
    }

    /// Nothing that is typed is shown as long as it lives, and what is left of it then is forgotten. A signal does not end the
    /// program meanwhile: the terminal would stay as it is.
    ///
    /// # Errors
    /// If the terminal fails.
    pub fn silence(&self) -> Result<Silence<'_>, Error> {
        Silence::begin(&self.tty, LocalModes::ECHO)
    }

    /// Tells the person something.
    ///
    /// # Errors
    /// If the terminal fails.
    pub fn say(&self, text: &str) -> Result<(), Error> {
        (&self.tty).write_all(exacta_kernel::text::visible(text).as_bytes()).map_err(|error| broken(&error))
    }

    fn put(&self, text: &str) -> Result<(), Error> {
        tcflush(&self.tty, QueueSelector::IFlush).map_err(|errno| broken(&errno.into()))?;
        self.say(text)
    }

    /// A line without its end. A signal while waiting is an interruption.
    fn line(&self, signals: &Orderly) -> Result<String, Error> {
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\n") && bytes.len() < MAX_ANSWER {
            bytes.extend_from_slice(&self.piece(signals)?);
        }
        let text = String::from_utf8(bytes).map_err(|_| broken(&io::ErrorKind::InvalidData.into()))?;
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }

    /// What is typed next. A signal while waiting is an interruption, and so is the end of input.
    fn piece(&self, signals: &Orderly) -> Result<Vec<u8>, Error> {
        loop {
            match signals.wait(&self.tty).map_err(|error| broken(&error))? {
                Waited::Ready => break,
                Waited::Nothing => {}
                Waited::Interrupted | Waited::Gone => return Err(self.given_up()),
            }
        }
        let mut piece = [0_u8; 256];
        let count = rustix::io::read(&self.tty, &mut piece).map_err(|errno| broken(&errno.into()))?;
        if count == 0 { Err(interrupted()) } else { Ok(piece.get(..count).unwrap_or_default().to_vec()) }
    }

    fn given_up(&self) -> Error {
        // What is said next begins a line; nobody minds if the terminal is gone.
        drop(self.say("\n"));
        interrupted()
    }
}

/// No echo as long as it lives; for single keys no lines either.
#[derive(Debug)]
pub struct Silence<'t> {
    tty: &'t File,
    before: Termios,
    signals: Orderly,
}

impl<'t> Silence<'t> {
    fn begin(tty: &'t File, without: LocalModes) -> Result<Self, Error> {
        let signals = Orderly::begin().map_err(|error| broken(&error))?;
        let before = tcgetattr(tty).map_err(|errno| broken(&errno.into()))?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(without);
        if without.contains(LocalModes::ICANON) {
            quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
            quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        }
        tcsetattr(tty, OptionalActions::Now, &quiet).map_err(|errno| broken(&errno.into()))?;
        Ok(Self { tty, before, signals })
    }

    /// Ends it.
    ///
    /// # Errors
    /// Exit 30 if the person interrupted meanwhile.
    pub fn end(self) -> Result<(), Error> {
        if self.signals.interrupted() { Err(interrupted()) } else { Ok(()) }
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        // A terminal that is gone needs no echo.
        let _gone = tcsetattr(self.tty, OptionalActions::Flush, &self.before);
    }
}

fn interrupted() -> Error {
    Error::new(Exit::Confirm, "interrupted", "interrupted: nothing was decided").hint("give the command again")
}

fn broken(error: &io::Error) -> Error {
    Error::fault("terminal", format!("the terminal cannot be used: {error}")).hint("run the command in a terminal")
}
