//! Decides whether a page changed. Pure: what was learnt so far and what was read now go in, a verdict and what is learnt now come out.
//!
//! In this order: an error (the page is not there, or something else is in its place), unchanged, changed. The first sight never alarms.

mod again;
mod align;
mod compare;
mod confirm;
mod fault;
mod pair;
mod passage;
mod phrases;
mod rules;
mod score;
mod sight;

pub use confirm::{Doubt, Seen};
pub use fault::ErrorKind;
pub use rules::{RuleError, Rules};
pub use sight::Sight;

use crate::error::WebError;
use crate::page::{Got, Page, Validators};
use compare::compare;
use confirm::Mode;
use fault::Fault;
use serde::{Deserialize, Serialize};

/// So many errors in a row are silent but for the last, which is told.
pub const ERRORS_TOLD: u32 = 3;

/// What a monitor has learnt. It is kept between looks; what was kept can be changed by nobody into more than a wrong verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The page as it was, with what was learnt of its places.
    sight: Option<Sight>,
    /// How many good looks there were.
    looks: u32,
    /// How many errors there were in a row.
    errors: u32,
    /// What to ask with the next time.
    validators: Validators,
    /// Which rules it was looked at with.
    rules: String,
}

/// What a look says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether the page changed.
    pub verdict: Verdict,
    /// What a person should be told of the monitor itself.
    pub notice: Option<Notice>,
    /// The places that change by themselves and are not compared, as paths of their elements; at most 50.
    pub volatile: Vec<String>,
}

/// Whether a page changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing was known of it.
    First,
    /// Nothing that matters changed.
    Unchanged,
    /// It changed.
    Changed {
        /// How much, in ten-thousandths: 10 000 is everything.
        score: u32,
        /// What is there now and was not; at most 50 passages, each at most 400 characters.
        added: Vec<String>,
        /// What was there and is not.
        removed: Vec<String>,
    },
    /// It was not there, or something else was in its place.
    Error {
        /// What kind of error.
        kind: ErrorKind,
        /// In one line, for people.
        message: String,
        /// How many there were in a row, this one among them.
        in_a_row: u32,
    },
}

/// What a person should be told of the monitor itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// It has failed so often in a row.
    Failing(u32),
    /// It works again, after so many failures.
    Recovered(u32),
}

impl Memory {
    /// What to ask the site with.
    #[must_use]
    pub fn validators(&self) -> Option<&Validators> {
        (!self.validators.is_empty()).then_some(&self.validators)
    }

    /// The page as it was last seen without an error.
    #[must_use]
    pub const fn sight(&self) -> Option<&Sight> {
        self.sight.as_ref()
    }

    /// How many errors there were in a row.
    #[must_use]
    pub const fn errors(&self) -> u32 {
        self.errors
    }

    fn failed(&self, fault: Fault) -> (Judged, Self) {
        let in_a_row = self.errors.saturating_add(1);
        let memory = Self { errors: in_a_row, ..self.clone() };
        let verdict = Verdict::Error { kind: fault.kind, message: fault.message, in_a_row };
        let notice = (in_a_row == ERRORS_TOLD).then_some(Notice::Failing(in_a_row));
        (Judged { verdict, notice, volatile: self.volatile() }, memory)
    }

    /// A good look: errors in a row are over.
    fn good(mut self, verdict: Verdict) -> (Judged, Self) {
        let notice = (self.errors >= ERRORS_TOLD).then_some(Notice::Recovered(self.errors));
        self.errors = 0;
        self.looks = self.looks.saturating_add(1);
        (Judged { verdict, notice, volatile: self.volatile() }, self)
    }

    fn volatile(&self) -> Vec<String> {
        self.sight.as_ref().map(Sight::volatile).unwrap_or_default()
    }
}

/// What a look says of a page, and what is remembered of it. A change is in doubt until the page was read again: [`Doubt::again`].
#[must_use]
pub fn judge(memory: &Memory, got: &Result<Got, WebError>, rules: &Rules) -> Seen {
    let fresh = Memory { errors: memory.errors, rules: rules.digest().to_owned(), ..Memory::default() };
    // What was seen with other rules says nothing about what is seen with these.
    let memory = if memory.rules == rules.digest() { memory } else { &fresh };
    match got {
        Err(error) => memory.failed(Fault::of(error)).into(),
        Ok(Got::NotModified) if memory.sight.is_some() => memory.clone().good(Verdict::Unchanged).into(),
        Ok(Got::NotModified) => memory.failed(Fault::not_asked()).into(),
        Ok(Got::Page(page)) => look(memory, page, rules),
    }
}

fn look(memory: &Memory, page: &Page, rules: &Rules) -> Seen {
    if let Some(before) = &memory.sight
        && before.sha256 == page.sha256
        && before.kind == page.kind
        && matches!(page.status, 200 | 203)
    {
        let next = Memory { validators: page.validators.clone(), ..memory.clone() };
        return next.good(Verdict::Unchanged).into();
    }
    let sight = match fault::check(memory.sight.as_ref(), page, rules) {
        Err(fault) => return memory.failed(fault).into(),
        Ok(sight) => sight,
    };
    let next = Memory { validators: page.validators.clone(), rules: rules.digest().to_owned(), ..memory.clone() };
    match next.sight.clone() {
        None => Doubt::first(next, sight, page),
        Some(before) => Doubt::of(next, compare(before, sight, memory.looks, Mode::Look), page),
    }
}

impl From<(Judged, Memory)> for Seen {
    fn from((judged, memory): (Judged, Memory)) -> Self {
        Self { judged, memory, doubt: None, counts: true }
    }
}
