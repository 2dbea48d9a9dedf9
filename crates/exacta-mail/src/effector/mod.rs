//! Acts in the user's mail accounts: a message is sent, a draft is put beside the user's own, a message is archived.
//!
//! Whatever a server answers, the mailbox is looked at. Where looking cannot tell (a sent message is nowhere to be seen), this process's own
//! word counts: the server's clear yes or no, or that the message was never handed over whole. A process that comes after a dead one has
//! no such word, and says that it is unsure.

mod archive;
mod draft;
mod place;
mod send;

use crate::account::{Account, Password};
use crate::error::{Failed, MailError};
use crate::imap::Session;
use crate::wire::Limits;
use exacta_effect::{Answer, Direction, Effector, Fault, IdempotencyKey, Reversal, Seen, Trace};
use exacta_kernel::effect::{APPEND_DRAFT, ARCHIVE, Effect, SEND};
use exacta_kernel::facts::FileContent;
use place::{Place, What};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a server that gave no answer may take until what it did can be seen.
const LATE: [Duration; 3] = [Duration::from_millis(100), Duration::from_millis(400), Duration::from_millis(1500)];

/// Performs `send_email`, `append_draft` and `triage_email` in the accounts that it is given.
pub struct MailEffector {
    accounts: Vec<Held>,
    limits: Limits,
    /// What this process knows of acts by the servers' own words.
    known: Mutex<BTreeMap<IdempotencyKey, Known>>,
}

/// An account, and the connection to it while there is one.
struct Held {
    account: Account,
    password: Password,
    session: Mutex<Option<Session>>,
}

/// What became of an act, as far as this process was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The server said yes.
    Done,
    /// The server said no, or was never asked to the end.
    NotDone,
    /// The server said yes to its reversal.
    Reversed,
}

impl MailEffector {
    /// For these accounts.
    #[must_use]
    pub fn new(accounts: Vec<(Account, Password)>) -> Self {
        Self::within(accounts, Limits::default())
    }

    /// For these accounts, with time limits of the caller's own.
    #[must_use]
    pub fn within(accounts: Vec<(Account, Password)>, limits: Limits) -> Self {
        let held = |(account, password)| Held { account, password, session: Mutex::new(None) };
        Self { accounts: accounts.into_iter().map(held).collect(), limits, known: Mutex::new(BTreeMap::new()) }
    }

    fn held(&self, place: &Place<'_>) -> Result<&Held, Fault> {
        let found = self.accounts.iter().find(|held| held.account.name() == place.account);
        found.ok_or_else(|| Fault(format!("there is no mail account `{}`", place.account)))
    }

    fn known(&self, key: &IdempotencyKey) -> Option<Known> {
        lock(&self.known).get(key).copied()
    }

    /// Remembers what became of an act, and says it.
    fn tell(&self, trace: &Trace, direction: Direction, done: Result<(), Failed>) -> Answer {
        let (known, answer) = match (done, direction) {
            (Ok(()), Direction::Perform) => (Some(Known::Done), Answer::Done),
            (Ok(()), Direction::Compensate) => (Some(Known::Reversed), Answer::Done),
            (Err(Failed::Never(error)), Direction::Perform) => (Some(Known::NotDone), Answer::NotDone(fault(&error))),
            (Err(Failed::Never(error)), Direction::Compensate) => (Some(Known::Done), Answer::NotDone(fault(&error))),
            (Err(Failed::Unanswered(error)), _) => (None, Answer::Lost(fault(&error))),
        };
        let mut all = lock(&self.known);
        match known {
            Some(known) => all.insert(trace.key.clone(), known),
            None => all.remove(&trace.key),
        };
        answer
    }

    /// Does something in an account, over the connection that is there or a new one. What fails leaves no connection behind.
    fn with<T>(&self, held: &Held, act: impl FnOnce(&mut Session) -> Result<T, Failed>) -> Result<T, Failed> {
        let mut slot = lock(&held.session);
        let kept = slot.take().and_then(|mut session| session.is_alive().then_some(session));
        let mut session = match kept {
            Some(session) => session,
            None => Session::open(&held.account, &held.password, self.limits).map_err(Failed::Never)?,
        };
        let done = act(&mut session);
        if done.is_ok() {
            *slot = Some(session);
        }
        done
    }

    /// Looks at something in an account.
    fn see<T>(&self, held: &Held, look: impl FnOnce(&mut Session) -> Result<T, MailError>) -> Result<T, Fault> {
        self.with(held, |session| look(session).map_err(Failed::Never)).map_err(|failed| fault(&failed.into()))
    }

    fn look_at(&self, trace: &Trace) -> Result<Seen, Fault> {
        let place = Place::of(trace)?;
        let held = self.held(&place)?;
        match place.what {
            What::Send { .. } => {
                Ok(if self.known(&trace.key) == Some(Known::Done) { Seen::Done } else { Seen::Before })
            }
            What::Draft { run, step } => self.see(held, |session| draft::look(session, &place, run, step)),
            What::Archive { validity, uid } => {
                let reversed = self.known(&trace.key) == Some(Known::Reversed);
                self.see(held, |session| archive::look(session, &place, validity, uid, reversed))
            }
        }
    }

    /// Looks until the act can be seen, or nobody needs to wait any longer.
    fn wait_for(&self, trace: &Trace, tried: Direction) -> Result<Seen, Fault> {
        let mut seen = self.look_at(trace);
        for pause in LATE {
            if seen.as_ref().is_ok_and(|seen| seen.is_end_of(tried)) {
                break;
            }
            std::thread::sleep(pause);
            seen = self.look_at(trace);
        }
        seen
    }
}

impl Effector for MailEffector {
    fn performs(&self, act: &str) -> bool {
        [SEND, APPEND_DRAFT, ARCHIVE].contains(&act)
    }

    fn reversal(&self, act: &str) -> Reversal {
        if act == SEND { Reversal::None } else { Reversal::Compensated }
    }

    fn look(&self, trace: &Trace) -> Result<Seen, Fault> {
        self.look_at(trace)
    }

    fn settle(&self, trace: &Trace, tried: Direction, _key: &IdempotencyKey) -> Result<Seen, Fault> {
        let place = Place::of(trace)?;
        let held = self.held(&place)?;
        let known = self.known(&trace.key);
        if let What::Send { run, step } = place.what {
            return match known {
                Some(Known::Done) => Ok(Seen::Done),
                Some(Known::NotDone) => Ok(Seen::Before),
                _ => self.see(held, |session| send::look_for(session, run, step)),
            };
        }
        let clear = matches!(
            (known, tried),
            (Some(Known::NotDone), Direction::Perform) | (Some(Known::Done), Direction::Compensate)
        );
        if clear {
            return self.look_at(trace);
        }
        match self.wait_for(trace, tried)? {
            // It was asked for, or may have been, and nobody has seen it: it may still come.
            seen if seen.is_start_of(tried) => Ok(Seen::Unsure),
            seen => Ok(seen),
        }
    }

    fn perform(&self, effect: &Effect, trace: &Trace) -> Answer {
        // An act on a message that is there already has no bytes of its own.
        let bytes = effect.content().map(FileContent::bytes).unwrap_or_default();
        let done = self.place_for(trace).and_then(|(place, held)| match place.what {
            What::Send { run, step } => send::send(held.into(), self.limits, bytes, (run, step)),
            What::Draft { run, step } => self.with(held, |session| draft::append(session, bytes, (run, step))),
            What::Archive { validity, uid } => {
                let account = held.account.name();
                self.with(held, |session| archive::archive(session, &place, (account, validity, uid)))
            }
        });
        self.tell(trace, Direction::Perform, done)
    }

    fn compensate(&self, trace: &Trace, _key: &IdempotencyKey) -> Answer {
        let done = self.place_for(trace).and_then(|(place, held)| match place.what {
            What::Send { .. } => Err(Failed::Never(MailError::BadMessage("what was sent cannot be called back"))),
            What::Draft { run, step } => self.with(held, |session| draft::remove(session, &place, run, step)),
            What::Archive { .. } => self.with(held, |session| archive::put_back(session, &place)),
        });
        self.tell(trace, Direction::Compensate, done)
    }
}

impl MailEffector {
    fn place_for<'t>(&self, trace: &'t Trace) -> Result<(Place<'t>, &Held), Failed> {
        let place =
            Place::of(trace).map_err(|_| Failed::Never(MailError::BadMessage("its place is no place of mail")))?;
        let no_account = || MailError::BadMessage("its account is not configured");
        let held = self.held(&place).map_err(|_| Failed::Never(no_account()))?;
        Ok((place, held))
    }
}

impl<'h> From<&'h Held> for (&'h Account, &'h Password) {
    fn from(held: &'h Held) -> Self {
        (&held.account, &held.password)
    }
}

fn fault(error: &MailError) -> Fault {
    Fault(error.to_string())
}

/// Whoever panicked while holding it left nothing half done: what is in it is whole at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
