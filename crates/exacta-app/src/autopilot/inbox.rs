//! An inbox is sorted one message at a time: the oldest that nobody has decided about.

use super::occasion::{Needs, Occasion, OccasionState, Read};
use super::reply::{self, Mail};
use super::settle::SUPERSEDED;
use crate::app::App;
use crate::clock::now;
use crate::error::{Error, Exit};
use exacta_kernel::autopilot::{Autopilot, AutopilotName};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_mail::{MailError, Mailbox, Messages, message};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How many of the newest messages are looked at.
const NEWEST: u32 = 50;

/// How many messages an autopilot remembers.
const REMEMBERED: usize = 5_000;

/// The longest text that is taken for a forwarded mail, in characters.
const FORWARDED: usize = 20_000;

/// The pauses before a mailbox is tried again.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(400)];

/// The messages that an autopilot has met, by hash, and the occasion of each. A Message-ID is whatever a stranger writes, so that it tells nothing.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Met {
    met: Vec<(Digest, String)>,
}

/// Whether there is something to do about a message.
enum Turn {
    /// Nobody has decided about it.
    Open,
    /// A person is asked already.
    Waits,
    /// It is over.
    Decided,
}

impl App {
    /// Reads the inbox, or the text that was given, and makes a plan for the message whose turn it is.
    pub(super) fn sort(
        &mut self,
        autopilot: &Autopilot,
        occasion: &mut Occasion,
        text: Option<&[u8]>,
    ) -> Result<(), Error> {
        let name = &autopilot.definition.name;
        let mails = match (text, &autopilot.definition.mail) {
            (Some(text), _) => vec![forwarded(text)?],
            (None, Some(account)) => match self.mails_of(account) {
                Ok(mails) => mails,
                Err(error) => {
                    occasion.over(OccasionState::Failed, error.message);
                    return Ok(());
                }
            },
            (None, None) => {
                asks(occasion, "inbox_source_text", Vec::new(), "it has no mail account and no mail to sort");
                return Ok(());
            }
        };
        let mut met = self.met(name)?;
        for mail in mails {
            match self.turn(&met, mail.sha256)? {
                Turn::Decided => {}
                Turn::Waits => {
                    occasion.over(OccasionState::Succeeded, "a person is asked about an earlier mail already");
                    return Ok(());
                }
                Turn::Open => {
                    self.note_mail(occasion, &mail)?;
                    self.propose_answer(autopilot, occasion, &mail, None)?;
                    met.met.retain(|(hash, _)| *hash != mail.sha256);
                    met.met.push((mail.sha256, occasion.run_id.clone()));
                    let old = met.met.len().saturating_sub(REMEMBERED);
                    met.met.drain(..old);
                    let learnt = serde_json::to_value(&met)?;
                    return Ok(self.home.keep_autopilot_memory(&self.project.id, name, &learnt)?);
                }
            }
        }
        occasion.over(OccasionState::Succeeded, "there is no new mail");
        Ok(())
    }

    /// The plan for one message. `chosen` is a person's answer to whom a mail may be sent: an address, or nobody.
    pub(super) fn propose_answer(
        &mut self,
        autopilot: &Autopilot,
        occasion: &mut Occasion,
        mail: &Mail,
        chosen: Option<Option<&str>>,
    ) -> Result<(), Error> {
        let message = message::read(&mail.bytes);
        let sender = reply::sender(&message);
        occasion.correspondents = sender.iter().map(|address| address.to_lowercase()).collect();
        // What is held against it when the plan is judged has to be on record first.
        self.update_occasion(occasion)?;
        let from = autopilot.definition.mail.as_deref().map(|account| crate::mail::sender(&self.home, account));
        let from = from.transpose()?.flatten();
        let sends = autopilot.definition.wants_send() && autopilot.sends() && from.is_some();
        let listed = |address: &str| autopilot.allowed(None, Default::default()).has_recipient(address);
        let to = match (chosen, sender.as_deref().filter(|_| sends)) {
            (Some(chosen), _) => chosen.map(ToOwned::to_owned).filter(|_| sends),
            (None, Some(sender)) if !listed(sender) => {
                let why = "it may not send to who wrote the mail: say whether it may, or `none`";
                asks(occasion, "recipient", vec![sender.to_owned()], why);
                return Ok(());
            }
            (None, sender) => sender.map(ToOwned::to_owned),
        };
        let words = match &sender {
            Some(_) => self.written(autopilot, occasion, "the user's answer to a mail", &message.text)?,
            None => None,
        };
        let text = words.as_ref().map(|words| words.text.as_str());
        let plan = reply::plan(autopilot, mail, &message, from.as_deref(), to.as_deref(), text);
        self.propose(autopilot, occasion, &plan, words.map(|words| words.maker))
    }

    /// The mail that an occasion read, as it is kept.
    pub(super) fn kept_mail(&self, occasion: &Occasion) -> Result<Mail, Error> {
        let gone =
            || Error::new(Exit::Drifted, "not_kept", "what was read for it is no longer kept").hint("run it again");
        let read = occasion.reads.first().ok_or_else(gone)?;
        let sha256 = Digest::parse(&read.sha256).map_err(|_| gone())?;
        let bytes = self.home.snapshot(&self.project.id, sha256)?.ok_or_else(gone)?;
        Ok(Mail { id: read.message.clone().filter(|id| id.contains('/')), bytes, sha256 })
    }

    /// The newest messages of an account's inbox, the oldest of them first.
    fn mails_of(&self, account: &str) -> Result<Vec<Mail>, Error> {
        let (opened, password) = crate::mail::opened(&self.home, account)?;
        let read = || -> Result<Messages, MailError> {
            let mut mailbox = Mailbox::connect(&opened, &password)?;
            let messages = mailbox.messages(NEWEST)?;
            mailbox.close();
            Ok(messages)
        };
        let mut found = read();
        for pause in PAUSES {
            if !found.as_ref().is_err_and(MailError::is_transient) {
                break;
            }
            std::thread::sleep(pause);
            found = read();
        }
        let found = found.map_err(|error| crate::mail::not_reached(&error))?;
        let mail = |raw: exacta_mail::RawMessage| Mail {
            id: Some(format!("{account}/{}/{}", raw.uid_validity, raw.uid)),
            sha256: raw.sha256,
            bytes: raw.bytes,
        };
        Ok(found.messages.into_iter().rev().map(mail).collect())
    }

    fn met(&self, name: &AutopilotName) -> Result<Met, Error> {
        let kept = self.home.autopilot_memory(&self.project.id, name)?;
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    fn turn(&mut self, met: &Met, sha256: Digest) -> Result<Turn, Error> {
        let Some((_, id)) = met.met.iter().find(|(hash, _)| *hash == sha256) else { return Ok(Turn::Open) };
        let occasion = self.settled_occasion(id)?;
        let plan = occasion.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
        let plan = plan.map(|plan| self.record(&plan)).transpose()?;
        Ok(match occasion.state {
            OccasionState::Canceled if occasion.reason == SUPERSEDED => Turn::Open,
            // Nobody repeats what may have happened.
            OccasionState::Failed => match plan.and_then(|plan| plan.run) {
                Some(run) if run.state.waits_for_a_person() => Turn::Decided,
                _ => Turn::Open,
            },
            state if state.is_over() => Turn::Decided,
            _ if plan.is_some_and(|plan| plan.status == Status::Expired) => Turn::Open,
            _ => Turn::Waits,
        })
    }

    fn note_mail(&self, occasion: &mut Occasion, mail: &Mail) -> Result<(), Error> {
        let sha256 = self.home.keep_snapshot(&self.project.id, &mail.bytes)?;
        occasion.reads.push(Read {
            step: "read".to_owned(),
            url: None,
            message: Some(mail.id.clone().unwrap_or_else(|| "inbox-text".to_owned())),
            sha256: sha256.to_string(),
            bytes: mail.bytes.len() as u64,
            fetched_at: now(),
            from_cache: false,
        });
        Ok(())
    }
}

/// A text that somebody forwarded: a mail with its header, or the words alone.
pub(super) fn forwarded(text: &[u8]) -> Result<Mail, Error> {
    let unusable = |why: &str| {
        Error::new(Exit::Usage, "inbox_text_unusable", format!("the text of the mail {why}"))
            .hint(format!("UTF-8 text of 1 to {FORWARDED} characters"))
    };
    let words = str::from_utf8(text).map_err(|_| unusable("is not UTF-8"))?;
    if words.trim().is_empty() || words.chars().count() > FORWARDED {
        return Err(unusable("is empty or too long"));
    }
    let has_header = words.lines().next().and_then(|line| line.split_once(':')).is_some_and(|(name, _)| {
        ["from", "to", "subject", "date", "received", "return-path", "message-id", "delivered-to", "reply-to"]
            .contains(&name.to_ascii_lowercase().as_str())
    });
    let head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n";
    let bytes = if has_header { words.to_owned() } else { format!("{head}{words}") }.into_bytes();
    Ok(Mail { id: None, sha256: Digest::of(&bytes), bytes })
}

/// The occasion cannot go on without a person's answer.
fn asks(occasion: &mut Occasion, field: &str, candidates: Vec<String>, why: &str) {
    (occasion.state, occasion.reason) = (OccasionState::NeedsClarification, why.to_owned());
    occasion.needs = Some(Needs { kind: "clarification".to_owned(), field: Some(field.to_owned()), candidates });
}
