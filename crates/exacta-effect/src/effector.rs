//! The trait through which drafts, mail and sites are reached.

use exacta_kernel::effect::Effect;
use exacta_kernel::facts::FileState;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One kind of act. It never takes a model's words as authority: what it may reach comes from what the user wrote or an approver
/// signed.
///
/// INVARIANT: `perform` and `compensate` act at most once for each call, and never retry by themselves.
pub trait Effector {
    /// Whether it performs this act, such as `write_email_draft`.
    fn performs(&self, act: &str) -> bool;

    /// Whether what the act did can be reversed: known before, shown, gated.
    fn reversal(&self, act: &str) -> Reversal;

    /// Keeps whatever is needed to look at an effect and to compensate it, durably. Asked for every effect before the run's journal
    /// begins; nothing is done yet.
    ///
    /// # Errors
    /// If it cannot be kept: then the run does not begin.
    fn prepare(&self, _effect: &Effect, _trace: &Trace) -> Result<(), Fault> {
        Ok(())
    }

    /// What is there now.
    ///
    /// # Errors
    /// If it cannot be looked at now.
    fn look(&self, trace: &Trace) -> Result<Seen, Fault>;

    /// What is there once the act of this key, whose answer was lost or contradicted, can no longer happen. An effector that can have
    /// the other side refuse a late act does so first, and its answer is final. One that cannot answers [`Seen::Unsure`] where
    /// nothing tells that the act happened.
    ///
    /// # Errors
    /// If it cannot be told now.
    fn settle(&self, trace: &Trace, tried: Direction, key: &IdempotencyKey) -> Result<Seen, Fault>;

    /// What is known of an effect beyond that it is done, for its receipt: what was read, or what was stored.
    fn result(&self, _trace: &Trace) -> Option<serde_json::Value> {
        None
    }

    /// Does it, once, with the key that the trace has.
    fn perform(&self, effect: &Effect, trace: &Trace) -> Answer;

    /// Reverses it by a second act, once, with a key of its own.
    fn compensate(&self, trace: &Trace, key: &IdempotencyKey) -> Answer;
}

/// What the other side says of an act. It is only a word: the engine looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is done.
    Done,
    /// It is not.
    NotDone(Fault),
    /// There was no answer, or none that could be understood.
    Lost(Fault),
}

/// What is found where an effect belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Nothing of it.
    Before,
    /// What the effect leaves, once, to the byte.
    Done,
    /// Something else: somebody changed it, or it is there twice. What it is, in words.
    Other(String),
    /// Nothing of it now, but an act that is under way may still do it.
    Unsure,
}

/// Whether what an act did can be reversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reversal {
    /// Afterwards it is as if it had never been.
    Exact,
    /// A second act makes it good.
    Compensated,
    /// It cannot be.
    None,
}

/// Which way an act goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The effect is performed.
    Perform,
    /// It is compensated.
    Compensate,
}

/// What an effect leaves, without its bytes: all that is needed to look for it and to compensate it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The step.
    pub step: String,
    /// What is done.
    pub act: String,
    /// Where, in the effector's own names.
    pub place: RelPath,
    /// What is there afterwards.
    pub after: FileState,
    /// The key that it is performed with.
    pub key: IdempotencyKey,
}

/// Tells one act from every other, so that the other side can refuse a second one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IdempotencyKey(String);

/// Why something could not be done or told. One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct Fault(
    /// In words.
    pub String,
);

impl Seen {
    /// What is there before an act in a direction.
    #[must_use]
    pub const fn is_start_of(&self, direction: Direction) -> bool {
        matches!((self, direction), (Self::Before, Direction::Perform) | (Self::Done, Direction::Compensate))
    }

    /// What is there after it.
    #[must_use]
    pub const fn is_end_of(&self, direction: Direction) -> bool {
        matches!((self, direction), (Self::Done, Direction::Perform) | (Self::Before, Direction::Compensate))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before => f.write_str("nothing of it is there"),
            Self::Done => f.write_str("it is there"),
            Self::Other(what) => f.write_str(what),
            Self::Unsure => f.write_str("nothing of it is there, but it may still happen"),
        }
    }
}

impl IdempotencyKey {
    /// The key of an act: the run that acts, the step and what it does, the direction, and which attempt of that run it is. The same act always has
    /// the same key, and no other act ever has it.
    pub(crate) fn of(run: &RunId, (step, act): (&str, &str), direction: Direction, attempt: usize) -> Self {
        let word = match direction {
            Direction::Perform => "perform",
            Direction::Compensate => "compensate",
        };
        let text = format!("exacta.idempotency/2\0{run}\0{word}\0{attempt}\0{act}\0{step}");
        let text = Digest::of(text.as_bytes()).to_string();
        Self(text.get(..32).unwrap_or(&text).to_owned())
    }

    /// The key that an effect of a run is performed with.
    #[must_use]
    pub fn performing(run: &RunId, step: &str, act: &str) -> Self {
        Self::of(run, (step, act), Direction::Perform, 0)
    }

    /// 32 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
