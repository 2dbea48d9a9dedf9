//! A person's answer to what an occasion could not know. Only the person's signature makes it count.

use super::change::Listed;
use super::inbox::forwarded;
use super::occasion::{Occasion, OccasionState};
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use crate::settings::SigningKey;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;

/// The longest answer, in characters; the text of a mail may be longer.
const LONGEST: usize = 512;

impl App {
    /// Answers what an occasion asks, and has it go on from what it read. A recipient is put on the autopilot's list, which the key signs for.
    ///
    /// # Errors
    /// If it asks nothing, or something else, or the answer is none of those that it may be.
    pub fn answer_occasion(&mut self, id: &str, field: &str, value: &str, key: &SigningKey) -> Result<Occasion, Error> {
        self.authorize(Act::Configure)?;
        let mut occasion = self.settled_occasion(id)?;
        let asked = occasion.needs.clone().filter(|_| occasion.state == OccasionState::NeedsClarification);
        let wanted = asked.as_ref().and_then(|needs| needs.field.as_deref());
        let Some(wanted) = wanted.filter(|wanted| *wanted == field) else {
            let (exit, message) = match wanted {
                Some(wanted) => (Exit::Usage, format!("occasion `{id}` asks for `{wanted}`, not for this")),
                None => (Exit::Drifted, format!("occasion `{id}` asks nothing: it is {}", occasion.state.name())),
            };
            return Err(
                Error::new(exit, "nothing_asked", message).hint(hint![Remedy::AutopilotRuns, " shows what waits"])
            );
        };
        let name = super::name(&occasion.autopilot)?;
        // Whoever answers is an approver, whatever the answer leads to.
        self.signed(&self.verified(&name)?.autopilot.definition, key)?;
        if wanted == "inbox_source_text" {
            let autopilot = self.verified(&name)?.autopilot;
            forwarded(value.as_bytes())?;
            self.sort(&autopilot, &mut occasion, Some(value.as_bytes()))?;
            self.update_occasion(&occasion)?;
            return Ok(occasion);
        }
        if wanted == "spend" {
            return self.answer_spend(occasion, value);
        }
        let candidates = asked.map(|needs| needs.candidates).unwrap_or_default();
        let chosen = candidates.iter().find(|candidate| candidate.eq_ignore_ascii_case(value));
        if value.chars().count() > LONGEST || (chosen.is_none() && value != "none") {
            let message = format!("that is none of the answers: {}, or `none`", candidates.join(", "));
            return Err(Error::new(Exit::Usage, "answer_unusable", message)
                .hint(hint!["another address is allowed with ", Remedy::AutopilotAllowRecipient(name.to_string())]));
        }
        if let Some(chosen) = chosen {
            self.allow(&name, Listed::Recipient, chosen, key)?;
        }
        let (autopilot, mail) = (self.verified(&name)?.autopilot, self.kept_mail(&occasion)?);
        self.propose_answer(&autopilot, &mut occasion, &mail, Some(chosen.map(String::as_str)))?;
        self.update_occasion(&occasion)?;
        Ok(occasion)
    }

    /// Goes on after a person allowed the occasion to pass the soft caps, or ends it.
    fn answer_spend(&mut self, mut occasion: Occasion, value: &str) -> Result<Occasion, Error> {
        match value {
            "allow" => {
                let autopilot = self.verified(&super::name(&occasion.autopilot)?)?.autopilot;
                (occasion.spend_agreed, occasion.needs) = (true, None);
                occasion.reads.clear();
                self.compose(&autopilot, &mut occasion)?;
            }
            "none" => occasion.over(OccasionState::Blocked, "a person did not allow it to spend more"),
            _ => {
                let message = "the answer is `allow` or `none`";
                return Err(Error::new(Exit::Usage, "answer_unusable", message).hint("caps are in docs/autopilot.md"));
            }
        }
        self.update_occasion(&occasion)?;
        Ok(occasion)
    }
}
