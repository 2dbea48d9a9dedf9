//! The definition that an approver signs, what was taken away from it since, and what both together allow.

use super::{AutopilotName, Recipe, Tuning, words};
use crate::approval::setting::{self, SettingDemand, SettingVerb, SignedSetting};
use crate::approval::{ApprovalError, Approver};
use crate::check::{Allowed, Standing};
use crate::hash::{Digest, canonical_hash};
use crate::id::ProjectId;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// The schema of what is signed.
pub const SCHEMA: &str = "exacta.autopilot/1";

/// A person's standing request: the words, the lists and the switches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// What it is called.
    pub name: AutopilotName,
    /// How it works.
    pub recipe: Recipe,
    /// The request in the user's own words.
    pub request: String,
    /// The page to watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The sources of a brief.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// When it runs by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The mail account it reads and writes with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    /// Hosts it may read, beside those in the words.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<String>,
    /// Addresses it may write to, beside those in the words; `@domain` for everybody there.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub recipients: BTreeSet<String>,
    /// Whether and when it sends.
    pub sending: Sending,
}

/// When an autopilot runs by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Five fields, as cron has them.
    pub cron: String,
    /// The user's time zone, by its IANA name.
    pub zone: String,
}

/// Whether and when an autopilot sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sending {
    /// Whether it may send at all.
    pub on: bool,
    /// How many mails a day, in the user's zone.
    pub per_day: u32,
    /// The hours in which nothing is sent, from and to; equal hours are none.
    pub quiet: (u8, u8),
}

impl Default for Sending {
    fn default() -> Self {
        Self { on: false, per_day: 10, quiet: (18, 9) }
    }
}

/// What was taken away from a definition since it was signed, which nobody has to sign for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withheld {
    /// Hosts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<String>,
    /// Addresses.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub recipients: BTreeSet<String>,
    /// Sending, altogether.
    #[serde(default)]
    pub sending: bool,
}

/// An autopilot as it is kept. What it says counts only where [`Autopilot::verify`] says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Autopilot {
    /// What was signed.
    pub definition: Definition,
    /// By whom.
    pub signed: SignedSetting,
    /// What was taken away since.
    #[serde(default)]
    pub withheld: Withheld,
    /// How loud it is.
    #[serde(default)]
    pub tuning: Tuning,
    /// Whether it rests.
    #[serde(default)]
    pub paused: bool,
    /// Whether it is no more.
    #[serde(default)]
    pub removed: bool,
}

/// Why an autopilot's words, lists and switches do not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no approver signed for autopilot `{name}` as it is: {why}")]
pub struct NotSigned {
    /// Which one.
    pub name: AutopilotName,
    /// Why not.
    pub why: ApprovalError,
}

impl Definition {
    /// What an approver signs for, by hash.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn subject(&self) -> Result<Digest, serde_json::Error> {
        canonical_hash(&(SCHEMA, self))
    }

    /// Whether its words ask to send.
    #[must_use]
    pub fn wants_send(&self) -> bool {
        words::wants_send(&self.request)
    }
}

impl Autopilot {
    /// That an approver on the list signed for exactly this, for this project. When it was signed does not matter: it is asked at
    /// every use.
    ///
    /// # Errors
    /// [`NotSigned`] says what does not hold.
    pub fn verify(&self, approvers: &[Approver], project: &ProjectId) -> Result<(), NotSigned> {
        let not = |why| NotSigned { name: self.definition.name.clone(), why };
        let subject = self.definition.subject().map_err(|_| not(ApprovalError::NotCanonical))?;
        let now = self.signed.statement.at;
        let demand = SettingDemand { verb: SettingVerb::AutopilotSet, project: Some(project), subject, now };
        setting::verify(&self.signed, approvers, &demand).map(drop).map_err(not)
    }

    /// What plans made for it are bound to: the words, lists and switches as they are now. Tuning and a pause are not among them.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn hash(&self) -> Result<Digest, serde_json::Error> {
        canonical_hash(&(SCHEMA, &self.definition, &self.withheld, self.removed))
    }

    /// Hosts that may be read.
    #[must_use]
    pub fn hosts(&self) -> BTreeSet<String> {
        self.definition.hosts_without(&self.withheld)
    }

    /// Addresses that may be written to, and whole domains as `@domain`. Lower case.
    #[must_use]
    pub fn recipients(&self) -> BTreeSet<String> {
        self.definition.recipients_without(&self.withheld)
    }

    /// Whether it may send.
    #[must_use]
    pub fn sends(&self) -> bool {
        self.definition.sending.on && !self.withheld.sending
    }

    /// What a plan made for it may do. `from` is the address of its mail account; `correspondents` wrote what was read.
    #[must_use]
    pub fn allowed(&self, from: Option<&str>, correspondents: BTreeSet<String>) -> Allowed {
        let allowed = self.definition.allowed_without(&self.withheld);
        let mail = self.definition.mail.clone().zip(from.map(ToOwned::to_owned));
        let standing = allowed.standing.map(|standing| Standing { mail, correspondents, ..standing });
        Allowed { standing, ..allowed }
    }
}

impl Definition {
    /// What it would allow if it were signed as it is.
    #[must_use]
    pub fn would_allow(&self) -> Allowed {
        self.allowed_without(&Withheld::default())
    }

    fn allowed_without(&self, withheld: &Withheld) -> Allowed {
        let (domains, recipients) =
            self.recipients_without(withheld).into_iter().partition(|entry| entry.starts_with('@'));
        let primitives = match self.recipe {
            Recipe::Custom => words::acts(&self.request),
            recipe => recipe.steps(self.wants_send()).into_iter().collect(),
        };
        let sending = self.sending.on && !withheld.sending;
        let standing = Standing { primitives, sending, mail: None, correspondents: BTreeSet::new(), domains };
        let hosts = self.hosts_without(withheld);
        Allowed { hosts, recipients, standing: Some(standing), skills: BTreeMap::new(), sites: BTreeMap::new() }
    }

    fn hosts_without(&self, withheld: &Withheld) -> BTreeSet<String> {
        let Self { request, url, sources, hosts, .. } = self;
        let named = url.iter().chain(sources).flat_map(|url| words::of_url(url));
        let all = words::hosts(request).into_iter().chain(named).chain(hosts.iter().map(|host| host.to_lowercase()));
        all.filter(|host| !withheld.hosts.contains(host)).collect()
    }

    fn recipients_without(&self, withheld: &Withheld) -> BTreeSet<String> {
        let stored = self.recipients.iter().map(|address| address.to_lowercase());
        let all = words::addresses(&self.request).into_iter().chain(stored);
        all.filter(|address| !withheld.recipients.contains(address)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::primitive::PrimitiveId;

    fn autopilot(request: &str, recipe: Recipe) -> Autopilot {
        let signed = serde_json::from_value(serde_json::json!({
            "statement": { "schema": "exacta.setting/1", "verb": "autopilot_set", "project": null,
                "subject": Digest::of(b""), "approver": "anna", "at": "2026-01-01T00:00:00.000Z",
                "expires_at": "2026-01-01T00:01:00.000Z" },
            "signature": "a".repeat(128),
        }))
        .unwrap();
        let definition = Definition {
            name: AutopilotName::parse("a").unwrap(),
            recipe,
            request: request.to_owned(),
            url: None,
            sources: Vec::new(),
            schedule: None,
            mail: None,
            hosts: BTreeSet::new(),
            recipients: BTreeSet::new(),
            sending: Sending::default(),
        };
        Autopilot {
            definition,
            signed,
            withheld: Withheld::default(),
            tuning: Tuning::default(),
            paused: false,
            removed: false,
        }
    }

    #[test]
    fn only_words_and_lists_allow() {
        let mut it =
            autopilot("watch https://a.example/x and send what changed to me@a.example", Recipe::WebsiteMonitor);
        let allowed = it.allowed(None, BTreeSet::new());
        assert_eq!(allowed.hosts, ["a.example".to_owned()].into());
        assert_eq!(allowed.recipients, ["me@a.example".to_owned()].into());
        let standing = allowed.standing.unwrap();
        assert!(standing.primitives.contains(&PrimitiveId::SendEmail) && !standing.sending);
        it.definition.recipients.insert("@B.example".to_owned());
        it.withheld.recipients.insert("me@a.example".to_owned());
        it.withheld.hosts.insert("a.example".to_owned());
        let allowed = it.allowed(None, BTreeSet::new());
        assert_eq!((allowed.hosts, allowed.recipients), (BTreeSet::new(), BTreeSet::new()));
        assert_eq!(allowed.standing.unwrap().domains, ["@b.example".to_owned()].into());
    }

    #[test]
    fn tuning_changes_nothing_that_is_bound() {
        let it = autopilot("watch https://a.example/x", Recipe::WebsiteMonitor);
        let mut tuned = it.clone();
        for (key, value) in [("max_bullets", "10"), ("min_diff_score_to_notify", "0.9"), ("mode", "max_savings")] {
            tuned.tuning = tuned.tuning.set(key, value).unwrap();
        }
        tuned.paused = true;
        assert_eq!(it.hash().unwrap(), tuned.hash().unwrap());
        assert_eq!(it.allowed(None, BTreeSet::new()), tuned.allowed(None, BTreeSet::new()));
        tuned.withheld.sending = true;
        assert_ne!(it.hash().unwrap(), tuned.hash().unwrap());
    }
}
