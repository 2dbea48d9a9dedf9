//! What models cost an occasion: counted before it is spent, and held against the caps.

use super::occasion::{Needs, Occasion, OccasionState};
use crate::app::App;
use crate::ask::Models;
use crate::clock::now;
use crate::error::Error;
use exacta_kernel::autopilot::Spending;
use exacta_kernel::binding::ProviderClass;
use exacta_kernel::provider::Price;
use exacta_provider::{Answer, Request};

/// What an answer is taken to cost where nobody knows what tokens cost, in cents.
const UNPRICED: u32 = 16;

/// A cent, in millionths of a dollar.
const CENT: u64 = 10_000;

/// What answers of a model cost.
pub(super) enum Budget {
    /// By the token.
    Priced(Price),
    /// A model on this machine.
    Free,
    /// Nobody knows.
    Unpriced,
}

impl Budget {
    pub fn of(models: &Models) -> Self {
        match (models.price, models.maker.identity().class) {
            (Some(price), _) => Self::Priced(price),
            (None, ProviderClass::LocalOnly) => Self::Free,
            (None, _) => Self::Unpriced,
        }
    }

    /// The most that a request will cost, in cents: a token is taken to have three bytes.
    pub fn before(&self, request: &Request) -> u32 {
        let bytes: usize =
            request.system.len() + request.messages.iter().map(|message| message.text.len()).sum::<usize>();
        match self {
            Self::Priced(price) => cents(price.of(bytes.div_ceil(3) as u64, request.max_output_tokens)),
            Self::Free => 0,
            Self::Unpriced => UNPRICED,
        }
    }

    /// What an answer cost, by the provider's own count.
    pub fn after(&self, answer: &Answer) -> u32 {
        match self {
            Self::Priced(price) => cents(price.of(answer.usage.input, answer.usage.output)),
            Self::Free => 0,
            Self::Unpriced => UNPRICED,
        }
    }
}

impl App {
    /// Whether an occasion may spend this now. It is counted if so; else the occasion waits for a person, or is over.
    pub(super) fn may_spend(&self, occasion: &mut Occasion, cents: u32) -> Result<bool, Error> {
        match self.home.count_spend(&occasion.run_id, cents, &today(), occasion.spend_agreed)? {
            Spending::Within => {
                occasion.spend_cents = occasion.spend_cents.saturating_add(cents);
                return Ok(true);
            }
            Spending::Ask => {
                let reason = format!(
                    "{cents} cents more would pass a soft cap of spending: a person says whether they may be spent"
                );
                (occasion.state, occasion.reason) = (OccasionState::NeedsClarification, reason);
                let (kind, field) = ("clarification".to_owned(), Some("spend".to_owned()));
                occasion.needs = Some(Needs { kind, field, candidates: vec!["allow".to_owned()] });
            }
            Spending::Stop => {
                occasion.over(
                    OccasionState::Blocked,
                    format!("SPEND_CAP: {cents} cents more would pass a cap of spending"),
                );
            }
        }
        Ok(false)
    }

    /// The same for what can be left out: nobody is asked, and nothing is over.
    pub(super) fn has_room(&self, occasion: &mut Occasion, cents: u32) -> Result<bool, Error> {
        let within =
            self.home.count_spend(&occasion.run_id, cents, &today(), occasion.spend_agreed)? == Spending::Within;
        if within {
            occasion.spend_cents = occasion.spend_cents.saturating_add(cents);
        }
        Ok(within)
    }

    /// What it cost in the end; what was counted before is the least.
    pub(super) fn has_spent(&self, occasion: &mut Occasion, counted: u32, actual: u32) -> Result<(), Error> {
        let more = actual.saturating_sub(counted);
        if more > 0 {
            self.home.add_spend(&occasion.run_id, more, &today())?;
            occasion.spend_cents = occasion.spend_cents.saturating_add(more);
        }
        Ok(())
    }
}

fn cents(micro_usd: u64) -> u32 {
    u32::try_from(micro_usd.div_ceil(CENT)).unwrap_or(u32::MAX)
}

/// The day, in UTC.
fn today() -> String {
    now().to_string().chars().take(10).collect()
}
