//! Acts on a project's sites. A site is reached only when an act on it is looked at, so that other commands need no password.

use super::kept::{Keeper, verified_site};
use super::name;
use super::reach::reached;
use crate::error::Error;
use exacta_effect::{Answer, Direction, Effector, Fault, Folder, IdempotencyKey, Reversal, Seen, Trace};
use exacta_kernel::effect::Effect;
use exacta_kernel::effect::site::{ACTS, READS};
use exacta_site::{Client, Images, Pages};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Every site of a project, opened as it is needed.
pub(crate) struct Sites {
    keeper: Keeper,
    state: Folder,
    opened: RefCell<BTreeMap<String, Rc<Pages<Box<Client>>>>>,
}

impl Sites {
    /// A project's sites, with what is kept of their pages.
    pub fn new(keeper: Keeper, state: Folder) -> Self {
        Self { keeper, state, opened: RefCell::default() }
    }

    fn client(&self, named: &str) -> Result<Client, Error> {
        let Keeper { home, project, .. } = &self.keeper;
        let setup = verified_site(home, &self.keeper.record()?, project, &name(named)?)?;
        reached(home, &setup)
    }

    /// The site that an effect's place names.
    fn of(&self, trace: &Trace) -> Result<Rc<Pages<Box<Client>>>, Fault> {
        let named = trace.place.as_str().split('/').nth(1).unwrap_or_default().to_owned();
        if let Some(pages) = self.opened.borrow().get(&named) {
            return Ok(Rc::clone(pages));
        }
        let fault = |error: Error| Fault(error.message);
        let client = self.client(&named).map_err(fault)?;
        let images = Images::open(&self.state).map_err(|error| Fault(error.to_string()))?;
        let pages = Rc::new(Pages::new(&named, Box::new(client), images));
        self.opened.borrow_mut().insert(named, Rc::clone(&pages));
        Ok(pages)
    }
}

impl Effector for Sites {
    fn performs(&self, act: &str) -> bool {
        ACTS.contains(&act) || READS.contains(&act)
    }

    fn reversal(&self, act: &str) -> Reversal {
        if READS.contains(&act) { Reversal::Exact } else { Reversal::Compensated }
    }

    fn result(&self, trace: &Trace) -> Option<Value> {
        self.of(trace).ok()?.result(trace)
    }

    fn prepare(&self, effect: &Effect, trace: &Trace) -> Result<(), Fault> {
        self.of(trace)?.prepare(effect, trace)
    }

    fn look(&self, trace: &Trace) -> Result<Seen, Fault> {
        self.of(trace)?.look(trace)
    }

    fn settle(&self, trace: &Trace, tried: Direction, key: &IdempotencyKey) -> Result<Seen, Fault> {
        self.of(trace)?.settle(trace, tried, key)
    }

    fn perform(&self, effect: &Effect, trace: &Trace) -> Answer {
        self.of(trace).map_or_else(Answer::NotDone, |pages| pages.perform(effect, trace))
    }

    fn compensate(&self, trace: &Trace, key: &IdempotencyKey) -> Answer {
        self.of(trace).map_or_else(Answer::NotDone, |pages| pages.compensate(trace, key))
    }
}
