//! From a sentence to a plan: intent, constraints, context, steps, changes, and then the gates that every proposal passes.
//!
//! The model is untrusted at every stage. What it answers is parsed strictly, held against every rule as soon as it arrives, and goes back with
//! the findings at most [`REGENERATIONS`] times over all. Files that the user did not name are never changed without a person
//! (the rule `beyond-request` of the gates). No other model is ever asked. One file for each stage; nothing here knows a terminal.

mod answer;
mod changes;
mod finish;
mod identity;
mod intent;
mod limits;
mod models;
mod page;
mod plan;
mod prompt;
mod revise;
mod session;
mod state;
mod target;
mod template;
mod view;
mod wish;
mod words;

pub use exacta_kernel::provider::Price;
pub use intent::TYPES;
pub use models::{Models, Nobody};
pub use page::Errand;
pub use revise::{Revision, VersionChange};
pub use session::REGENERATIONS;
pub use state::KeptAsk;
pub use view::{
    ASK_EVENT, ASK_VIEW, AskEnd, AskEvent, AskStage, AskView, Attempt, ContextFile, ContextView, IntentView, LimitView,
    ModelView, Needs, StepLine, TargetView, UsageView,
};
pub use wish::{Budget, Until, Wish};

pub(crate) use identity::{ModelNow, model_now, note_served, verify_model};
pub(crate) use prompt::{Fence, repair};

use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, ErrorCode, Exit};
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_provider::{Cancel, Model};
use exacta_view::PlanView;
use intent::Reading;
use serde_json::json;
use session::Session;
use std::io::Write;

/// An ask, and with what.
pub struct Asking<'a> {
    /// What the user asks for.
    pub wish: Wish,
    /// How far it goes.
    pub until: Until,
    /// The ask that it goes on with, and what was kept of it.
    pub resume: Option<(String, KeptAsk)>,
    /// What a reviewer wants different, where it is a new version of a plan.
    pub revision: Option<Revision>,
    /// The model that writes plan and changes.
    pub maker: &'a mut dyn Model,
    /// The model that reads the request, where it is another one.
    pub reader: Option<&'a mut dyn Model>,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// The user's wish to stop.
    pub cancel: &'a Cancel,
    /// Told what happens.
    pub observer: &'a mut dyn FnMut(&AskEvent),
    /// Where everything that is said goes, if the user wants that.
    pub transcript: Option<&'a mut dyn Write>,
}

impl App {
    /// Asks a model of the user's for a plan. However it ends, [`AskEnd`] says how far it came; nothing is stored but a whole plan.
    pub fn ask<'a>(&'a mut self, asking: Asking<'a>) -> AskEnd {
        let Asking { wish, until, resume, revision, maker, reader, price, cancel, observer, transcript } = asking;
        let (id, kept) = match resume {
            Some((id, kept)) => (id, Some(kept)),
            None => (exacta_home::fresh_uuid().hyphenated().to_string(), None),
        };
        let mut session = Session {
            app: self,
            wish,
            until,
            maker,
            reader,
            price,
            cancel,
            observer,
            transcript,
            view: AskView::new(id),
            fence: Fence::new(),
            made_by: None,
            read_by: None,
            request_sha256: None,
            constraints: Vec::new(),
            selection: None,
            tried: 0,
            revision,
        };
        if let Some(revision) = &session.revision {
            session.wish.text.clone_from(&revision.text);
        }
        let mut reading = None;
        if let Some(kept) = &kept {
            reading = session.take_up(kept);
        }
        let ended = session.go(&mut reading);
        session.end(ended, reading.as_ref())
    }
}

impl Session<'_> {
    /// Goes on from what was kept.
    fn take_up(&mut self, kept: &KeptAsk) -> Option<Reading> {
        (self.made_by, self.read_by, self.tried) = (kept.made_by.clone(), kept.read_by.clone(), kept.tried);
        (self.view.usage.input, self.view.usage.output) = kept.spent;
        self.view.usage.cost_usd = kept.cost;
        // Another intent that the user names now is read again.
        let named = self.wish.answer("intent").is_some() || self.wish.intent != kept.wish.intent;
        kept.reading.as_ref().filter(|_| !named).and_then(state::KeptReading::reading)
    }

    /// All stages, one after the other.
    fn go(&mut self, reading: &mut Option<Reading>) -> Result<Option<PlanView>, Error> {
        self.app.authorize(Act::Propose)?;
        self.revision.as_ref().map_or(Ok(()), |revision| self.app.authorize_for(Act::Answer, &revision.plan))?;
        finish::check_text(&self.wish.text)?;
        self.check_provider()?;
        self.check_price()?;
        if let Some(revision) = self.revision.clone() {
            return self.go_again(&revision, reading);
        }
        // Contradictions are named before a token is spent.
        self.gather_constraints()?;
        if self.until != Until::Context && reading.is_none() {
            *reading = Some(self.read_intent()?);
        }
        let target = self.resolve()?;
        if let Some(read) = reading.clone() {
            *reading = Some(self.settle_intent(read, &target)?);
        }
        self.show_context()?;
        let Some(read) = reading.clone().filter(|_| self.until != Until::Context) else { return Ok(None) };
        let mut outline = self.plan(&read, None)?;
        if self.until == Until::Plan {
            return Ok(None);
        }
        if self.has_model() {
            self.write_changes(&mut outline, &read)?;
        }
        let lineage = self.app.new_lineage()?;
        self.finish(outline, &read, lineage).map(Some)
    }

    /// The next version of a plan: what is wanted is known, the rest goes the same way.
    fn go_again(&mut self, revision: &Revision, reading: &mut Option<Reading>) -> Result<Option<PlanView>, Error> {
        let read = self.read_revision(revision)?;
        *reading = Some(read.clone());
        self.gather_constraints()?;
        self.show_context()?;
        let mut outline = self.plan(&read, None)?;
        self.write_changes(&mut outline, &read)?;
        let lineage = self.app.next_version(&revision.plan)?;
        self.finish(outline, &read, lineage).map(Some)
    }

    /// Whether anybody can be asked. Without a model, what needs none is made by rule.
    fn has_model(&self) -> bool {
        self.maker.name() != models::NOBODY
    }

    /// That the Safety Policy lets this kind of provider plan at all, before anything is sent to it.
    fn check_provider(&self) -> Result<(), Error> {
        if !self.has_model() {
            return Ok(());
        }
        let policy = self.app.in_force()?.policy;
        let asked = [Some(self.maker.identity().class), self.reader.as_ref().map(|reader| reader.identity().class)];
        let Some(class) = asked.into_iter().flatten().find(|class| !policy.allows_provider(*class)) else {
            return Ok(());
        };
        let message = format!("the Safety Policy allows no plans from {} providers; nothing was sent", class.name());
        let hint = hint![
            Remedy::ProviderList,
            " shows the others; the operator changes `provider_classes` in the Safety Policy"
        ];
        Err(Error::new(Exit::Denied, "ASK_PROVIDER_CLASS", message).hint(hint))
    }

    /// That a budget in dollars can be kept.
    fn check_price(&self) -> Result<(), Error> {
        let known = self.price.is_some() && self.reader.as_ref().is_none_or(|reader| reader.price().is_some());
        if self.wish.budget.micro_usd.is_none() || known {
            return Ok(());
        }
        let message = format!("nobody knows what tokens cost at `{}`; nothing was sent", self.maker.name());
        let hint =
            hint!["limit the tokens instead: `--budget-tokens N`, or say what they cost: ", Remedy::ProviderPrice];
        Err(Error::new(Exit::Usage, "ASK_NO_PRICE", message).hint(hint))
    }

    /// Records that a request was refused after a model had read it: codes and who read it, no words.
    fn note_refused(&mut self, error: &Error) -> Result<(), Error> {
        let mut entry =
            EntryDraft::new(Event::ProposalRefused, self.app.actor(), format!("ask refused: {}", error.code));
        entry.correlation_id = Some(self.app.new_lineage()?.correlation_id);
        entry.decision = Some("deny".to_owned());
        let confidence = self.view.intent.as_ref().map(|intent| intent.confidence);
        entry.data = data(json!({
            "ask_id": self.view.ask_id, "codes": [error.code], "stage": self.view.stage, "confidence": confidence,
            "model": self.made_by, "reader": self.read_by,
        }));
        Ok(self.app.store.record(&[entry], now())?)
    }

    /// How it ended, with what is needed to go on where that can help.
    fn end(mut self, ended: Result<Option<PlanView>, Error>, reading: Option<&Reading>) -> AskEnd {
        let (plan, error) = match ended {
            Ok(plan) => (plan, None),
            Err(error) => (None, Some(error)),
        };
        let can_go_on = error.as_ref().is_some_and(|error| error.exit.leaves_open());
        self.view.error = match (error, can_go_on) {
            (Some(error), true) => Some(match self.save(reading) {
                Ok(()) if error.exit.is_for_a_person() || error.code == ErrorCode::ASK_BUDGET => error,
                Ok(()) => {
                    let go_on = hint![Remedy::AskResume(self.view.ask_id.clone()), " goes on"];
                    error.also(go_on)
                }
                // Why it stopped is what counts.
                Err(_) => error,
            }),
            (error, _) => {
                let refused = error.as_ref().filter(|error| error.exit.is_denial() && self.view.plan_id.is_none());
                if let Some(refused) = refused.filter(|_| self.read_by.is_some() || self.made_by.is_some()) {
                    // Why it was refused is what counts, also where that cannot be recorded.
                    let _unrecorded = self.note_refused(refused);
                }
                // It is over: nothing is left to go on with, and if this fails it is only left lying.
                let _left = self.app.home.drop_ask(&self.app.project.id, &self.view.ask_id);
                error
            }
        };
        AskEnd { view: self.view, plan }
    }
}
