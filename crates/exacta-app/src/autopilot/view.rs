//! Autopilots as people and programs see them.

use super::{Kept, schedule};
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::error::Error;
use exacta_kernel::action::primitive::PrimitiveId;
use exacta_kernel::autopilot::{Autopilot, AutopilotName, Definition, Schedule, Sending, Tuning};
use serde::Serialize;
use std::collections::BTreeSet;

/// An autopilot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AutopilotView {
    /// What it is called.
    pub name: String,
    /// How it works.
    pub recipe: &'static str,
    /// In the user's own words.
    pub request: String,
    /// The page that it watches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The sources that it reads.
    pub sources: Vec<String>,
    /// When it runs by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The next time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// Its mail account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    /// What its words and lists allow.
    pub allowed: AllowedView,
    /// Whether and when it sends.
    pub sending: Sending,
    /// How loud it is.
    pub tuning: Tuning,
    /// Whether it rests.
    pub paused: bool,
    /// Who signed for it; none where that signature does not count.
    pub signed_by: Option<String>,
    /// What to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What an autopilot's words and lists allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AllowedView {
    /// Hosts.
    pub hosts: BTreeSet<String>,
    /// Addresses, and `@domain`s.
    pub recipients: BTreeSet<String>,
    /// Primitives.
    pub primitives: Vec<&'static str>,
}

/// What an autopilot would do, before anything is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    /// What it is called.
    pub name: String,
    /// How it works.
    pub recipe: &'static str,
    /// In the user's own words.
    pub request: String,
    /// Its steps, each with whether a person is asked.
    pub steps: Vec<CardStep>,
    /// Whom and what its words name.
    pub allowed: AllowedView,
    /// What it reads.
    pub sources: Vec<String>,
    /// When it runs by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// What an occasion costs, in US cents. Without a model: nothing.
    pub cost_cents: u32,
}

/// One step of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardStep {
    /// The primitive.
    pub primitive: &'static str,
    /// Whether a person is asked before it.
    pub approval: bool,
    /// Its tier.
    pub tier: String,
}

impl Card {
    /// Of a definition that nobody has signed for yet.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let allowed = AllowedView::of(&definition.would_allow());
        let steps = definition.recipe.steps(definition.wants_send());
        let step =
            |id: &PrimitiveId| CardStep { primitive: id.name(), approval: id.needs_approval(), tier: id.tier().name() };
        Self {
            name: definition.name.to_string(),
            recipe: definition.recipe.name(),
            request: definition.request.clone(),
            steps: steps.iter().map(step).collect(),
            allowed,
            sources: definition.url.iter().chain(&definition.sources).cloned().collect(),
            schedule: definition.schedule.clone(),
            cost_cents: 0,
        }
    }
}

impl AllowedView {
    /// Of what the kernel holds plans against.
    #[must_use]
    pub fn of(allowed: &exacta_kernel::check::Allowed) -> Self {
        let standing = allowed.standing.as_ref();
        let domains = standing.iter().flat_map(|standing| &standing.domains);
        Self {
            hosts: allowed.hosts.clone(),
            recipients: allowed.recipients.iter().chain(domains).cloned().collect(),
            primitives: standing.iter().flat_map(|standing| &standing.primitives).map(|id| id.name()).collect(),
        }
    }
}

impl App {
    /// An autopilot of this project.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn autopilot(&self, name: &AutopilotName) -> Result<AutopilotView, Error> {
        self.authorize(Act::ReadAll)?;
        self.autopilot_view(&self.kept(name)?.autopilot)
    }

    /// Every autopilot of this project.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn autopilots(&self) -> Result<Vec<AutopilotView>, Error> {
        self.authorize(Act::ReadAll)?;
        self.all_kept()?.iter().map(|Kept { autopilot, .. }| self.autopilot_view(autopilot)).collect()
    }

    pub(super) fn autopilot_view(&self, autopilot: &Autopilot) -> Result<AutopilotView, Error> {
        let Definition { name, recipe, request, url, sources, schedule, mail, sending, .. } = &autopilot.definition;
        let verified = autopilot.verify(&self.home.approvers()?, &self.project.id);
        let next = schedule.as_ref().filter(|_| !autopilot.paused).and_then(|it| schedule::next_due(it, now()));
        Ok(AutopilotView {
            name: name.to_string(),
            recipe: recipe.name(),
            request: request.clone(),
            url: url.clone(),
            sources: sources.clone(),
            schedule: schedule.clone(),
            next_at: next.map(|at| at.to_string()),
            mail: mail.clone(),
            allowed: AllowedView::of(&autopilot.allowed(None, BTreeSet::new())),
            sending: Sending { on: autopilot.sends(), ..sending.clone() },
            tuning: autopilot.tuning.clone(),
            paused: autopilot.paused,
            signed_by: verified.is_ok().then(|| autopilot.signed.statement.approver.to_string()),
            note: verified.err().map(|error| error.to_string()),
        })
    }
}
