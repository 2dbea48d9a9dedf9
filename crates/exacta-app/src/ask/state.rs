//! What is kept of an ask that stopped on its way, so that `--resume` can go on: the user's words and what was settled. No prompt, no
//! answer, nothing of a file.

use super::intent::Reading;
use super::session::Session;
use super::wish::Wish;
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::proposal::IntentKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptAsk {
    /// What the user asked for.
    pub wish: Wish,
    /// The provider it was asked of. No other goes on with it.
    pub provider: String,
    /// What was read out of it, once that was settled or asked about.
    pub(super) reading: Option<KeptReading>,
    /// What answered so far.
    pub(super) made_by: Option<ModelIdentity>,
    /// What read the request.
    pub(super) read_by: Option<ModelIdentity>,
    /// What was spent: tokens sent and received.
    pub(super) spent: (u64, u64),
    /// What that cost, in millionths of a dollar, where it is known.
    pub(super) cost: Option<u64>,
    /// How many answers were not accepted.
    pub(super) tried: u32,
}

/// A reading, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeptReading {
    kind: String,
    confidence: BasisPoints,
    alternatives: Vec<String>,
    details: BTreeMap<String, String>,
}

impl From<&Reading> for KeptReading {
    fn from(reading: &Reading) -> Self {
        Self {
            kind: reading.kind.name().to_owned(),
            confidence: reading.confidence,
            alternatives: reading.alternatives.clone(),
            details: reading.details.clone(),
        }
    }
}

impl KeptReading {
    /// As it was.
    pub fn reading(&self) -> Option<Reading> {
        let kind = IntentKind::parse(&self.kind)?;
        let (alternatives, details) = (self.alternatives.clone(), self.details.clone());
        Some(Reading { kind, confidence: self.confidence, alternatives, details })
    }
}

impl App {
    /// What was kept of an ask in this project.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn kept_ask(&self, id: &str) -> Result<KeptAsk, Error> {
        self.authorize(Act::Propose)?;
        let shown = exacta_kernel::text::excerpt(id, 64);
        let unknown = || {
            Error::new(Exit::Usage, "ASK_UNKNOWN", format!("no ask `{shown}` waits in this project")).hint(hint![
                "an ask that became a plan is over: ",
                Remedy::List,
                " shows the plans; ask again with ",
                Remedy::Ask
            ])
        };
        let kept = self.home.kept_ask(&self.project.id, id)?.ok_or_else(unknown)?;
        serde_json::from_value(kept).map_err(|_| unknown())
    }
}

impl Session<'_> {
    /// Keeps what is needed to go on.
    pub fn save(&self, reading: Option<&Reading>) -> Result<(), Error> {
        let kept = KeptAsk {
            wish: self.wish.clone(),
            provider: self.maker.name().to_owned(),
            reading: reading.map(KeptReading::from),
            made_by: self.made_by.clone(),
            read_by: self.read_by.clone(),
            spent: (self.view.usage.input, self.view.usage.output),
            cost: self.view.usage.cost_usd,
            tried: self.tried,
        };
        let value = serde_json::to_value(&kept)?;
        Ok(self.app.home.keep_ask(&self.app.project.id, &self.view.ask_id, &value)?)
    }
}
