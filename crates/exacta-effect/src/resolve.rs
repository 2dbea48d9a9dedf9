//! A person's word about an act that nobody else could tell of. The run goes on from there as recovery does: nothing is performed, what was
//! done is compensated, unless everything was done.

use crate::error::EffectError;
use crate::journal::Entry;
use crate::outcome::Outcome;
use crate::run::{Effects, Engine};
use crate::state::{Position, State};
use exacta_kernel::id::RunId;

/// What became of one effect of a run, by its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// The step.
    pub step: String,
    /// What is done.
    pub act: String,
    /// Whether it is done; `None` where nobody knows.
    pub done: Option<bool>,
}

impl Effects<'_> {
    /// What became of each effect of a run; nothing where it has no journal.
    ///
    /// # Errors
    /// If its journal cannot be used.
    pub fn stands(&self, run: &RunId) -> Result<Vec<Stand>, EffectError> {
        let Some(state) = self.journals.entries(run)?.as_deref().and_then(State::of) else { return Ok(Vec::new()) };
        let stand = |(trace, position): (&crate::Trace, &Position)| Stand {
            step: trace.step.clone(),
            act: trace.act.clone(),
            done: match position {
                Position::Before => Some(false),
                Position::Done => Some(true),
                Position::Tried(_) => None,
            },
        };
        Ok(state.traces.iter().zip(&state.positions).map(stand).collect())
    }

    /// Takes a person's word that the act of which nobody could tell happened, or did not, and brings the run to its end.
    ///
    /// # Errors
    /// [`EffectError::NotUnknown`] if no such word is missing for this step; then nothing was done.
    pub fn resolve(&self, run: &RunId, step: &str, happened: bool) -> Result<Outcome, EffectError> {
        let not_unknown = || EffectError::NotUnknown { run: run.clone(), step: step.to_owned() };
        let (journal, entries) = self.journals.hold_over(run)?.ok_or_else(not_unknown)?;
        let state = State::of(&entries).ok_or_else(not_unknown)?;
        let asked = matches!(&state.ended, Some(Outcome::Unknown { step: unknown, .. }) if unknown == step);
        let tried = state.positions.iter().enumerate().find_map(|(index, position)| match position {
            Position::Tried(direction) => Some((index, *direction)),
            _ => None,
        });
        let (index, direction) = tried.filter(|_| asked).ok_or_else(not_unknown)?;
        self.journals.reopen(run)?;
        let mut engine = Engine { effects: self, journal, state, known: Vec::new() };
        engine.write(&Entry::Resolved { step: index, direction, happened })?;
        engine.recover()
    }
}
