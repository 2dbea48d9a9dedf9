//! Adding an autopilot and allowing it more, which an approver signs for; taking away, resting and tuning, which nobody has to.

use super::view::AutopilotView;
use super::{Kept, schedule};
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::settings::{SigningKey, signed_setting};
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::autopilot::{
    Autopilot, AutopilotName, Definition, Recipe, Schedule, Sending, Tuning, Withheld, recipe_of,
};
use exacta_kernel::effect::is_plain_address;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::limit;
use exacta_kernel::web;
use exacta_record::{DocumentChange, DocumentKind};
use serde_json::json;

/// What a person asks for.
#[derive(Debug, Clone)]
pub struct NewAutopilot {
    /// What it is called.
    pub name: AutopilotName,
    /// In the user's own words.
    pub request: String,
    /// How it works; by its words where none is given.
    pub recipe: Option<Recipe>,
    /// The page to watch.
    pub url: Option<String>,
    /// The sources of a brief.
    pub sources: Vec<String>,
    /// The mail account.
    pub mail: Option<String>,
    /// When it runs by itself.
    pub schedule: Option<Schedule>,
}

/// What is allowed by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// A host to read.
    Host,
    /// An address to write to, or `@domain`.
    Recipient,
}

/// Whether and when an autopilot sends.
#[derive(Debug, Clone, Copy, Default)]
pub struct Switch {
    /// Whether it sends.
    pub on: bool,
    /// How many mails a day.
    pub per_day: Option<u32>,
    /// The hours in which nothing is sent.
    pub quiet: Option<(u8, u8)>,
}

impl NewAutopilot {
    /// The definition that an approver is to sign: everything that it names must be usable.
    ///
    /// # Errors
    /// What cannot be used, and why.
    pub fn definition(self) -> Result<Definition, Error> {
        let Self { name, request, recipe, url, sources, mail, schedule } = self;
        if request.trim().is_empty() || request.len() > limit::REQUEST {
            return Err(unusable(format!("the request has 1 to {} bytes", limit::REQUEST)));
        }
        let recipe = recipe.unwrap_or_else(|| recipe_of(&request));
        for url in url.iter().chain(&sources) {
            if web::host(url).is_none() || url.len() > limit::URL {
                return Err(unusable(format!("`{}` is not a plain http or https address", excerpt(url))));
            }
        }
        let named = urls(&request);
        let url = url.or_else(|| named.first().cloned()).filter(|_| recipe == Recipe::WebsiteMonitor);
        if recipe == Recipe::WebsiteMonitor && url.is_none() {
            return Err(unusable("a WebsiteMonitor needs the address of a page".to_owned())
                .hint("write it into the request, or name it with `--url`"));
        }
        let sources = if sources.is_empty() { named } else { sources };
        let sources = if recipe == Recipe::DailyBrief { sources } else { Vec::new() };
        if recipe == Recipe::DailyBrief && sources.is_empty() {
            return Err(unusable("a DailyBrief needs at least one source".to_owned())
                .hint("write their addresses into the request, or name them with `--source`"));
        }
        if let Some(schedule) = &schedule {
            schedule::check(schedule, now())?;
        }
        let (hosts, recipients) = Default::default();
        Ok(Definition {
            name,
            recipe,
            request,
            url,
            sources,
            schedule,
            mail,
            hosts,
            recipients,
            sending: Sending::default(),
        })
    }
}

/// The addresses of pages that occur in a text.
pub(super) fn urls(text: &str) -> Vec<String> {
    let ends = |c: char| c.is_whitespace() || "<>\"'()[]{}|,;".contains(c);
    let trimmed = |word: &str| word.trim_end_matches(['.', '!', '?', ':', '”', '’']).to_owned();
    text.split(ends).map(trimmed).filter(|word| web::host(word).is_some()).collect()
}

impl App {
    /// Adds an autopilot, for which an approver signs.
    ///
    /// # Errors
    /// If the name is taken, or the key is not an approver's.
    pub fn add_autopilot(&mut self, definition: Definition, key: &SigningKey) -> Result<AutopilotView, Error> {
        self.authorize(Act::Configure)?;
        let name = definition.name.clone();
        if let Some(account) = &definition.mail
            && crate::mail::sender(&self.home, account)?.is_none()
        {
            return Err(crate::mail::unknown(account));
        }
        let known = self.store.document(DocumentKind::Autopilot, name.as_str())?;
        let known = known.map(Kept::of).transpose()?;
        if let Some(place) = self.home.claim_autopilot(&name, self.root.path())?
            && (place != self.root.path() || known.as_ref().is_some_and(|kept| !kept.autopilot.removed))
        {
            let message = format!("there is an autopilot `{name}` already, in `{}`", place.display());
            return Err(Error::new(Exit::Usage, "name_taken", message).hint("choose another name"));
        }
        let was = known.map(|kept| kept.was);
        let added = self.sign_and_keep(definition, Tuning::default(), was, "added", key);
        if added.is_err() && was.is_none() {
            let _unclaimed = self.home.release_autopilot(&name);
        }
        added
    }

    /// Allows an autopilot a host or an address, for which an approver signs.
    ///
    /// # Errors
    /// If the value is none, or the key is not an approver's.
    pub fn allow(
        &mut self,
        name: &AutopilotName,
        what: Listed,
        value: &str,
        key: &SigningKey,
    ) -> Result<AutopilotView, Error> {
        self.authorize(Act::Configure)?;
        let value = listed(what, value)?;
        let (mut definition, kept) = self.effective(name)?;
        match what {
            Listed::Host => definition.hosts.insert(value.clone()),
            Listed::Recipient => definition.recipients.insert(value.clone()),
        };
        let reason = format!("allowed `{value}`");
        let mut view = self.sign_and_keep_all(definition, &kept, &value, &reason, key)?;
        view.note = None;
        Ok(view)
    }

    /// Takes a host or an address away. Nobody has to sign for that.
    ///
    /// # Errors
    /// If there is no such autopilot.
    pub fn disallow(&mut self, name: &AutopilotName, what: Listed, value: &str) -> Result<AutopilotView, Error> {
        self.authorize(Act::Adjust)?;
        let value = value.trim().to_lowercase();
        self.narrow(name, &format!("no longer allowed `{value}`"), |autopilot| {
            match what {
                Listed::Host => autopilot.withheld.hosts.insert(value.clone()),
                Listed::Recipient => autopilot.withheld.recipients.insert(value.clone()),
            };
            if autopilot.recipients().is_empty() {
                autopilot.withheld.sending |= autopilot.definition.sending.on;
            }
            Ok(())
        })
    }

    /// Switches sending on or off. On, and every wider limit, an approver signs for.
    ///
    /// # Errors
    /// If nobody could be written to, the limits are out of bounds, or a key is needed and missing.
    pub fn set_sending(
        &mut self,
        name: &AutopilotName,
        switch: Switch,
        key: Option<&SigningKey>,
    ) -> Result<AutopilotView, Error> {
        self.authorize(if switch.on { Act::Configure } else { Act::Adjust })?;
        let Switch { on, per_day, quiet } = switch;
        if per_day.is_some_and(|per_day| !(1..=200).contains(&per_day)) {
            return Err(unusable("`--per-day` is 1 to 200".to_owned()));
        }
        if quiet.is_some_and(|(from, to)| from > 23 || to > 23) {
            return Err(unusable("`--quiet` is two hours of the day, such as 18-9".to_owned()));
        }
        if !on {
            return self.narrow(name, "sending is off", |autopilot| {
                autopilot.withheld.sending = true;
                Ok(())
            });
        }
        let (mut definition, kept) = self.effective(name)?;
        if kept.autopilot.recipients().is_empty() {
            return Err(unusable(format!("`{name}` may write to nobody, so sending cannot be switched on"))
                .hint(hint![Remedy::AutopilotAllowRecipient(name.to_string()), " first"]));
        }
        let key = key.ok_or_else(|| person_needed("sending is switched on"))?;
        let before = definition.sending.clone();
        definition.sending =
            Sending { on, per_day: per_day.unwrap_or(before.per_day), quiet: quiet.unwrap_or(before.quiet) };
        self.sign_and_keep_all(definition, &kept, "", "sending is on", key)
    }

    /// Turns a knob.
    ///
    /// # Errors
    /// If there is no such knob, or the value is out of its bounds.
    pub fn tune(&mut self, name: &AutopilotName, knob: &str, value: &str) -> Result<AutopilotView, Error> {
        self.authorize(Act::Adjust)?;
        self.narrow(name, &format!("tuned: `{knob}`"), |autopilot| {
            let tuned = autopilot.tuning.clone().set(knob, value);
            autopilot.tuning = tuned.map_err(|error| unusable(error.to_string()))?;
            super::look::rules(&autopilot.tuning).map(drop)
        })
    }

    /// Has it rest, or work again.
    ///
    /// # Errors
    /// If there is no such autopilot.
    pub fn pause(&mut self, name: &AutopilotName, paused: bool) -> Result<AutopilotView, Error> {
        self.authorize(Act::Adjust)?;
        self.narrow(name, if paused { "paused" } else { "resumed" }, |autopilot| {
            autopilot.paused = paused;
            Ok(())
        })
    }

    /// Removes it. Its occasions and plans stay on record.
    ///
    /// # Errors
    /// If there is no such autopilot.
    pub fn remove_autopilot(&mut self, name: &AutopilotName) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        self.narrow(name, "removed", |autopilot| {
            autopilot.removed = true;
            Ok(())
        })?;
        Ok(self.home.release_autopilot(name)?)
    }

    /// The definition as it is in force: without what was taken away. What is signed next is signed whole.
    fn effective(&self, name: &AutopilotName) -> Result<(Definition, Kept), Error> {
        let kept = self.verified(name)?;
        let Autopilot { definition, withheld, .. } = &kept.autopilot;
        let mut definition = definition.clone();
        definition.hosts.retain(|host| !withheld.hosts.contains(host));
        definition.recipients.retain(|address| !withheld.recipients.contains(&address.to_lowercase()));
        definition.sending.on &= !withheld.sending;
        Ok((definition, kept))
    }

    /// Signs a definition that takes another's place. What was taken away stays away, but for `granted`.
    fn sign_and_keep_all(
        &mut self,
        definition: Definition,
        kept: &Kept,
        granted: &str,
        reason: &str,
        key: &SigningKey,
    ) -> Result<AutopilotView, Error> {
        let mut withheld = kept.autopilot.withheld.clone();
        withheld.hosts.remove(granted);
        withheld.recipients.remove(granted);
        withheld.sending = false;
        let signed = self.signed(&definition, key)?;
        let autopilot = Autopilot { definition, signed, withheld, ..kept.autopilot.clone() };
        self.keep_autopilot(autopilot, Some(kept.was), reason, Some(key))
    }

    fn sign_and_keep(
        &mut self,
        definition: Definition,
        tuning: Tuning,
        was: Option<exacta_kernel::hash::Digest>,
        reason: &str,
        key: &SigningKey,
    ) -> Result<AutopilotView, Error> {
        let signed = self.signed(&definition, key)?;
        let autopilot =
            Autopilot { definition, signed, withheld: Withheld::default(), tuning, paused: false, removed: false };
        self.keep_autopilot(autopilot, was, reason, Some(key))
    }

    pub(super) fn signed(
        &self,
        definition: &Definition,
        key: &SigningKey,
    ) -> Result<exacta_kernel::approval::setting::SignedSetting, Error> {
        let subject = definition.subject()?;
        let by = signed_setting(&self.home, SettingVerb::AutopilotSet, Some(&self.project.id), subject, key)?;
        Ok(by.signed().clone())
    }

    /// A change that allows nothing.
    fn narrow(
        &mut self,
        name: &AutopilotName,
        reason: &str,
        change: impl FnOnce(&mut Autopilot) -> Result<(), Error>,
    ) -> Result<AutopilotView, Error> {
        self.authorize(Act::Adjust)?;
        let Kept { mut autopilot, was } = self.kept(name)?;
        change(&mut autopilot)?;
        self.keep_autopilot(autopilot, Some(was), reason, None)
    }

    fn keep_autopilot(
        &mut self,
        autopilot: Autopilot,
        was: Option<exacta_kernel::hash::Digest>,
        reason: &str,
        key: Option<&SigningKey>,
    ) -> Result<AutopilotView, Error> {
        let name = autopilot.definition.name.clone();
        let actor = key.map_or_else(|| self.actor(), |key| exacta_kernel::audit::Actor::Person(key.name().clone()));
        let mut entry = EntryDraft::new(Event::AutopilotChanged, actor, format!("autopilot `{name}`: {reason}"));
        entry.data = data(json!({ "autopilot": name, "sha256": autopilot.hash()? }));
        let change = DocumentChange {
            kind: DocumentKind::Autopilot,
            id: name.to_string(),
            owner: name.to_string(),
            state: if autopilot.removed { "removed" } else { "kept" }.to_owned(),
            body: serde_json::to_value(&autopilot)?,
            was,
        };
        if !self.store.put_documents(&[change], &[entry], now())? {
            let message = format!("somebody else changed autopilot `{name}` at the same time");
            return Err(Error::new(Exit::Drifted, "lost_race", message).hint("look at it, and give the command again"));
        }
        self.autopilot_view(&autopilot)
    }
}

fn listed(what: Listed, value: &str) -> Result<String, Error> {
    let value = value.trim().to_lowercase();
    let host = |name: &str| web::host(&format!("http://{name}/")).is_some();
    let fits = match what {
        Listed::Host => host(&value),
        Listed::Recipient => match value.strip_prefix('@') {
            Some(domain) => host(domain) && domain.contains('.') && !domain.contains(':'),
            None => is_plain_address(&value),
        },
    };
    let wanted = match what {
        Listed::Host => "a host such as `example.com`",
        Listed::Recipient => "a plain address such as `anna@example.com`, or `@example.com`",
    };
    if fits { Ok(value) } else { Err(unusable(format!("`{}` is not {wanted}", excerpt(&value)))) }
}

pub(super) fn unusable(message: String) -> Error {
    Error::new(Exit::Usage, "autopilot_unusable", message)
}

fn person_needed(what: &str) -> Error {
    Error::new(Exit::Confirm, "person_needed", format!("an approver has to sign before {what}"))
        .hint("give the command at a terminal, or name your key with `--approver-key FILE`")
}

fn excerpt(text: &str) -> String {
    exacta_kernel::text::excerpt(text, 120)
}
