//! Recovery: runs whose process died are brought to their end, before anything else is done.
//!
//! An intent without an outcome is looked up; where journal and world disagree, the world wins. Nothing is performed here: what
//! was done is compensated, unless everything was done. An undo goes on: it only compensates.

use crate::effector::Direction;
use crate::error::EffectError;
use crate::journal::{Acted, Entry};
use crate::outcome::Outcome;
use crate::run::{Effects, Engine, Options};
use crate::state::{Position, State};
use exacta_kernel::id::{PlanId, RunId};
use std::sync::atomic::AtomicBool;

/// A run that was found dead, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The run.
    pub run_id: RunId,
    /// Its plan; `None` if it died before its journal was written.
    pub plan_id: Option<PlanId>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Effects<'_> {
    /// Brings every run whose process died to its end. `is_open` says whether the record knows a run as going on: no other run is
    /// touched, unless nothing came of it. May be repeated and interrupted at will.
    ///
    /// # Errors
    /// [`EffectError`] at the first run that cannot be brought to its end; it is left as it is.
    pub fn recover(&self, is_open: &dyn Fn(&RunId) -> bool) -> Result<Vec<Recovered>, EffectError> {
        let mut recovered = Vec::new();
        for run in self.journals.open_runs()? {
            recovered.extend(self.recover_run(&run, is_open(&run))?);
        }
        Ok(recovered)
    }

    /// How a run ended; `None` while it has no end. A run without a journal never came to its first act.
    ///
    /// # Errors
    /// If its journal cannot be used.
    pub fn outcome(&self, run: &RunId) -> Result<Option<Outcome>, EffectError> {
        match self.journals.entries(run)? {
            None => Ok(Some(Outcome::NothingDone)),
            Some(entries) => Ok(State::of(&entries).and_then(|state| state.ended)),
        }
    }

    /// Whether a run acts, or acted, here: it had its journal before it was entered into the record.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn is_known(&self, run: &RunId) -> Result<bool, EffectError> {
        Ok(self.journals.has(run)?)
    }

    fn recover_run(&self, run: &RunId, is_open: bool) -> Result<Option<Recovered>, EffectError> {
        let Some((journal, entries)) = self.journals.hold(run)? else { return Ok(None) };
        let Some(state) = State::of(&entries) else {
            // It died before its first line was whole.
            self.journals.discard(journal)?;
            return Ok(Some(Recovered { run_id: run.clone(), plan_id: None, outcome: Outcome::NothingDone }));
        };
        let (run_id, plan_id) = (state.run.clone(), Some(state.plan.clone()));
        if let Some(outcome) = state.ended {
            self.journals.close(journal);
            return Ok(Some(Recovered { run_id, plan_id, outcome }));
        }
        if state.is_untouched() {
            let engine = Engine { effects: self, journal, state, known: Vec::new() };
            let outcome = engine.end(Outcome::NothingDone)?;
            return Ok(Some(Recovered { run_id, plan_id, outcome }));
        }
        if !is_open {
            return Err(EffectError::BadJournal {
                run: run.clone(),
                why: "the record knows of no such run without an end",
            });
        }
        let outcome = Engine { effects: self, journal, state, known: Vec::new() }.recover()?;
        Ok(Some(Recovered { run_id, plan_id, outcome }))
    }
}

impl Engine<'_> {
    /// Finds out what became of the act that was begun, and brings the run to its end.
    pub(crate) fn recover(mut self) -> Result<Outcome, EffectError> {
        let never = AtomicBool::new(false);
        let options = &mut Options { cancel: &never, holds: &|| Ok(()), observer: &mut |_| {} };
        for step in 0..self.state.traces.len() {
            let Some(Position::Tried(direction)) = self.state.positions.get(step).copied() else { continue };
            let how = self.found(step, direction, None)?;
            self.write(&Entry::Acted { step, direction, how: how.clone() })?;
            if let Acted::Unknown(evidence) = how {
                return self.unknown(step, evidence);
            }
        }
        let undo = self.state.direction == Direction::Compensate;
        match self.state.rolling_back.clone() {
            Some((cause, cancelled)) => self.roll_back(cause, cancelled, options),
            None if undo || self.state.is_whole() => self.drive(options),
            None => {
                let cause = match self.state.resolved {
                    Some(true) => "what came after it was never done",
                    Some(false) => "a person found that it was not done",
                    None => "the process died in the middle of the run",
                };
                self.roll_back(cause.to_owned(), false, options)
            }
        }
    }
}
