//! Acts on the user's sites. A site is reached only when an act on it is looked at, so that other commands need no password.

use super::{name, reached};
use crate::error::Error;
use exacta_effect::{Answer, Direction, Effector, Fault, Folder, IdempotencyKey, Reversal, Seen, Trace};
use exacta_home::Home;
use exacta_kernel::effect::Effect;
use exacta_kernel::effect::site::ACTS;
use exacta_site::{Client, Images, Pages};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Every site of the user's, opened as it is needed.
pub(crate) struct Sites {
    home: Home,
    state: Folder,
    opened: RefCell<BTreeMap<String, Rc<Pages<Box<Client>>>>>,
}

impl Sites {
    /// The user's sites, with what is kept for a project.
    pub fn new(home: &Home, state: Folder) -> Self {
        Self { home: home.clone(), state, opened: RefCell::default() }
    }

    /// The site that an effect's place names.
    fn of(&self, trace: &Trace) -> Result<Rc<Pages<Box<Client>>>, Fault> {
        let named = trace.place.as_str().split('/').nth(1).unwrap_or_default().to_owned();
        if let Some(pages) = self.opened.borrow().get(&named) {
            return Ok(Rc::clone(pages));
        }
        let fault = |error: Error| Fault(error.message);
        let setup = super::known(&self.home, &name(&named).map_err(fault)?).map_err(fault)?;
        let client = reached(&self.home, &setup).map_err(fault)?;
        let images = Images::open(&self.state).map_err(|error| Fault(error.to_string()))?;
        let pages = Rc::new(Pages::new(&named, Box::new(client), images));
        self.opened.borrow_mut().insert(named, Rc::clone(&pages));
        Ok(pages)
    }
}

impl Effector for Sites {
    fn performs(&self, act: &str) -> bool {
        ACTS.contains(&act)
    }

    fn reversal(&self, _act: &str) -> Reversal {
        Reversal::Compensated
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
