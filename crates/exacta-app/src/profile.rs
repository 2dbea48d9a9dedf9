//! How much may happen without a person. Lowering it is free; raising it needs a person; it falls by itself.

use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::in_force::InForce;
use crate::recorded::{Setting, record_with};
use crate::settings::signed_setting;
use exacta_home::{Fall, Home, ProjectRecord, SigningKey};
use exacta_kernel::approval::setting::{SettingVerb, profile_subject};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::gate::{self, Question, Verdicts};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::policy::profile::Profile;
use serde::Serialize;
use serde_json::json;
use std::path::Path;

/// Failed runs in a row after which the profile falls by one level.
const FAILURES: u32 = 3;

/// The profile of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfileView {
    /// What was chosen.
    pub chosen: Profile,
    /// The most the Safety Policy allows.
    pub ceiling: Profile,
    /// What is in force: the lower of the two.
    pub in_force: Profile,
    /// Runs that may go on at the same time.
    pub concurrency: u32,
    /// When and why it last fell by itself.
    pub fell: Option<String>,
}

impl App {
    /// The project's profile.
    ///
    /// # Errors
    /// If the policy cannot be read.
    pub fn profile_view(&self) -> Result<ProfileView, Error> {
        self.authorize(Act::Read)?;
        let in_force = self.in_force()?;
        let record = self.home.project(self.path())?;
        Ok(ProfileView {
            chosen: self.profile()?,
            ceiling: in_force.policy.ceiling(),
            in_force: in_force.policy.profile(),
            concurrency: in_force.policy.concurrency(),
            fell: record.and_then(|record| record.fell).map(|fall| format!("{}: {}", fall.at, fall.why)),
        })
    }

    /// What the gates would say of something like this, and which rule speaks.
    ///
    /// # Errors
    /// If the policy cannot be read.
    pub fn explain(&self, question: &Question) -> Result<Verdicts, Error> {
        self.authorize(Act::Read)?;
        Ok(gate::explain(question, &self.in_force()?.policy))
    }

    /// Changes the profile. Raising it needs a person's key, nothing running, and stays within the ceiling. Setting the one that
    /// is set changes nothing: failed runs still count.
    ///
    /// # Errors
    /// If it may not be raised so far, or not now, or not without a person, or it changed meanwhile.
    pub fn set_profile(&mut self, profile: Profile, key: Option<&SigningKey>) -> Result<ProfileView, Error> {
        let before = self.profile()?;
        self.authorize(if profile > before && key.is_some() { Act::Configure } else { Act::Adjust })?;
        if profile == before {
            self.home.update_project(self.root.path(), |record| record.chosen = true)?;
            return self.profile_view();
        }
        if profile > before {
            self.may_raise(profile, key.is_some())?;
        }
        let mut actor = self.actor();
        if let Some(key) = key {
            let by = signed_setting(
                &self.home,
                SettingVerb::ProfileSet,
                Some(&self.project.id),
                profile_subject(profile),
                key,
            )?;
            actor = Actor::Person(by.statement().approver.clone());
        }
        let choice = Choice { home: &self.home, path: self.root.path(), before, profile, stood: None };
        record_with(&mut self.store, changed(actor, before, profile, "set by command"), choice)?;
        self.profile_view()
    }

    fn may_raise(&self, profile: Profile, person: bool) -> Result<(), Error> {
        let policy = self.in_force()?.policy;
        let ceiling = policy.ceiling();
        if profile > ceiling {
            let (whose, hint) = if ceiling < policy.safety().ceiling {
                ("the project's configuration", "the project sets it: `ceiling` in `.exacta/config.toml`".into())
            } else {
                (
                    "the safety policy",
                    hint!["the operator sets the ceiling: ", Remedy::PolicyShow, ", ", Remedy::PolicySet],
                )
            };
            let message = format!("{} is above the ceiling {} of {whose}", profile.name(), ceiling.name());
            return Err(Error::new(Exit::AboveCeiling, "above_ceiling", message).hint(hint));
        }
        if !person {
            return Err(Error::new(Exit::Confirm, "person_needed", "raising the profile needs a person")
                .hint("give the command at a terminal, or name your key with `--approver-key FILE`"));
        }
        let running = self.store.running()?.len();
        if running > 0 {
            let message = format!("the profile cannot be raised while {running} runs are going on");
            return Err(
                Error::new(Exit::Fault, "runs_going_on", message).hint(hint!["wait for them: ", Remedy::Status])
            );
        }
        Ok(())
    }

    /// Falls to SAFE, whatever it was.
    pub(crate) fn fall_to_safe(&mut self, why: &str) -> Result<(), Error> {
        self.fall_to(Profile::Safe, why)
    }

    /// Counts a failed run; after three in a row the profile falls by one level.
    pub(crate) fn count_failure(&mut self) -> Result<(), Error> {
        let record = self
            .home
            .update_project(self.root.path(), |record| record.failed_runs = record.failed_runs.saturating_add(1))?;
        let lower = match record.profile {
            Profile::FullAuto => Profile::Dev,
            Profile::Dev | Profile::Safe => Profile::Safe,
        };
        if record.failed_runs >= FAILURES { self.fall_to(lower, "three runs failed in a row") } else { Ok(()) }
    }

    /// Records that the Safety Policy is another one than the log knows of, however it was changed: elsewhere, or by hand.
    pub(crate) fn note_policy(&mut self, in_force: &InForce) -> Result<(), Error> {
        let (known, now_is) = (self.project.policy, in_force.policy.safety_hash());
        if known == Some(now_is) {
            return Ok(());
        }
        if let Some(known) = known {
            let reason = format!("safety policy {}, set elsewhere or by hand", in_force.policy.safety_version());
            let entry = EntryDraft::new(Event::PolicyChanged, Actor::System, reason);
            let data = data(json!({ "from": known, "to": now_is }));
            self.store.record(&[EntryDraft { data, ..entry }], now())?;
        }
        self.knows(now_is)
    }

    /// The log was told of this policy.
    pub(crate) fn knows(&mut self, policy: Digest) -> Result<(), Error> {
        self.project = self.home.update_project(self.root.path(), |record| record.policy = Some(policy))?;
        Ok(())
    }

    fn fall_to(&mut self, profile: Profile, why: &str) -> Result<(), Error> {
        let before = self.profile()?;
        if before <= profile {
            return Ok(());
        }
        let at = now();
        self.home.update_project(self.root.path(), |record| {
            record.profile = profile;
            record.failed_runs = 0;
            record.fell = Some(Fall { at, why: exacta_kernel::text::excerpt(why, 500) });
        })?;
        Ok(self.store.record(&[changed(Actor::System, before, profile, why)], at)?)
    }

    /// Records that the profile fell to SAFE.
    pub(crate) fn note_fall(&mut self, before: Profile, why: &str) -> Result<(), Error> {
        Ok(self.store.record(&[changed(Actor::System, before, Profile::Safe, why)], now())?)
    }
}

/// A profile that is chosen.
struct Choice<'a> {
    home: &'a Home,
    path: &'a Path,
    before: Profile,
    profile: Profile,
    /// What was known of the project before.
    stood: Option<ProjectRecord>,
}

impl Setting for Choice<'_> {
    fn set(&mut self) -> Result<(), Error> {
        let (before, profile) = (self.before, self.profile);
        let mut found = before;
        self.home.update_project(self.path, |record| {
            found = record.profile;
            if found == before {
                self.stood = Some(record.clone());
                record.profile = profile;
                record.chosen = true;
                record.failed_runs = 0;
                record.fell = None;
            }
        })?;
        if found == before { Ok(()) } else { Err(changed_meanwhile(found)) }
    }

    fn put_back(&mut self) -> Result<(), Error> {
        let Some(stood) = self.stood.take() else { return Ok(()) };
        self.home.update_project(self.path, |record| {
            // Whoever made it another one meanwhile has an entry of their own.
            if record.profile == self.profile {
                record.profile = stood.profile;
                record.chosen = stood.chosen;
                record.failed_runs = stood.failed_runs;
                record.fell = stood.fell;
            }
        })?;
        Ok(())
    }
}

fn changed_meanwhile(found: Profile) -> Error {
    Error::new(Exit::Drifted, "profile_changed", format!("the profile has become {} meanwhile", found.name()))
        .hint(hint![Remedy::ProfileCurrent, " says why; then give the command again"])
}

/// The entry of a change of profile.
fn changed(actor: Actor, before: Profile, after: Profile, why: &str) -> EntryDraft {
    let reason = format!("{} → {}: {why}", before.name(), after.name());
    let mut entry = EntryDraft::new(Event::ProfileChanged, actor, reason);
    entry.data = data(json!({ "from": before, "to": after }));
    entry
}
