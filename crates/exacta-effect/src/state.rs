//! Where each effect of a run stands, by its journal.

use crate::effector::{Direction, Trace};
use crate::journal::{Acted, Entry};
use crate::outcome::Outcome;
use exacta_kernel::id::{PlanId, RunId};

/// Where one effect stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// Nothing of it is there.
    Before,
    /// It is there.
    Done,
    /// An act was begun, and nobody has written what became of it.
    Tried(Direction),
}

/// A run, as its journal tells it.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) run: RunId,
    pub(crate) plan: PlanId,
    /// Which way it goes: an undo compensates.
    pub(crate) direction: Direction,
    pub(crate) traces: Vec<Trace>,
    pub(crate) positions: Vec<Position>,
    /// How many acts of each direction were begun, for each effect.
    attempts: Vec<(usize, usize)>,
    /// Why it is being rolled back, and whether because somebody said so.
    pub(crate) rolling_back: Option<(String, bool)>,
    pub(crate) ended: Option<Outcome>,
    /// A person's word about the act of which nobody could tell.
    pub(crate) resolved: Option<bool>,
}

impl State {
    /// The state that a journal's lines lead to; `None` where it has no first line.
    pub(crate) fn of(entries: &[Entry]) -> Option<Self> {
        let Some(Entry::Begin { run_id, plan_id, undoes, traces, .. }) = entries.first() else { return None };
        let direction = if undoes.is_some() { Direction::Compensate } else { Direction::Perform };
        let start = if undoes.is_some() { Position::Done } else { Position::Before };
        let mut state = Self {
            run: run_id.clone(),
            plan: plan_id.clone(),
            direction,
            positions: vec![start; traces.len()],
            attempts: vec![(0, 0); traces.len()],
            traces: traces.clone(),
            rolling_back: None,
            ended: None,
            resolved: None,
        };
        entries.iter().for_each(|entry| state.apply(entry));
        Some(state)
    }

    /// What one more line says.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        match entry {
            Entry::Begin { .. } => {}
            Entry::Intent { step, direction } => {
                self.place(*step, Position::Tried(*direction));
                if let Some((performed, compensated)) = self.attempts.get_mut(*step) {
                    *(if *direction == Direction::Perform { performed } else { compensated }) += 1;
                }
            }
            Entry::Acted { step, direction, how } => match (how, direction) {
                (Acted::Done, Direction::Perform) | (Acted::NotDone(_), Direction::Compensate) => {
                    self.place(*step, Position::Done);
                }
                (Acted::Done, Direction::Compensate) | (Acted::NotDone(_), Direction::Perform) => {
                    self.place(*step, Position::Before);
                }
                (Acted::Unknown(_), _) => {}
            },
            Entry::Resolved { step, direction, happened } => {
                let done = *happened == (*direction == Direction::Perform);
                self.place(*step, if done { Position::Done } else { Position::Before });
                self.resolved = Some(*happened);
                self.ended = None;
            }
            Entry::RollingBack { cause, cancelled } => self.rolling_back = Some((cause.clone(), *cancelled)),
            Entry::End { outcome } => self.ended = Some(outcome.clone()),
        }
    }

    /// How many acts in this direction were begun for an effect.
    pub(crate) fn attempts(&self, step: usize, direction: Direction) -> usize {
        let (performed, compensated) = self.attempts.get(step).copied().unwrap_or_default();
        if direction == Direction::Perform { performed } else { compensated }
    }

    /// Whether no act was ever begun.
    pub(crate) fn is_untouched(&self) -> bool {
        self.attempts.iter().all(|attempts| *attempts == (0, 0))
    }

    /// Whether every effect is where the run leads.
    pub(crate) fn is_whole(&self) -> bool {
        let goal = if self.direction == Direction::Perform { Position::Done } else { Position::Before };
        self.positions.iter().all(|position| *position == goal)
    }

    fn place(&mut self, step: usize, to: Position) {
        if let Some(position) = self.positions.get_mut(step) {
            *position = to;
        }
    }
}
