//! Who may approve: the list of approvers, and how it changes.

use super::{Settings, entry, signed_setting};
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::options::Options;
use exacta_home::{HomeError, KeyError};
use exacta_home::{KeyFile, SigningKey};
use exacta_kernel::approval::setting::{SettingVerb, approver_subject};
use exacta_kernel::approval::{Approver, ApproverName, PublicKey};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// One approver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApproverView {
    /// The name.
    pub name: String,
    /// The public key.
    pub public_key: String,
    /// When it was added.
    pub added_at: String,
    /// When it was taken off the list.
    pub removed_at: Option<String>,
    /// Where its key is, if it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_path: Option<String>,
}

impl Settings {
    /// The names of everybody who may approve.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn names(options: &Options) -> Result<Vec<String>, Error> {
        let listed = options.home()?.approvers()?.into_iter().filter(|approver| approver.removed_at.is_none());
        Ok(listed.map(|approver| approver.name.to_string()).collect())
    }

    /// Everybody who is or was an approver.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn approvers(&self) -> Result<Vec<ApproverView>, Error> {
        self.authorize(Act::ReadAll)?;
        let view = |approver: Approver| ApproverView {
            key_path: self.key_path(&approver),
            name: approver.name.to_string(),
            public_key: approver.public_key.to_string(),
            added_at: approver.added_at.to_string(),
            removed_at: approver.removed_at.map(|at| at.to_string()),
        };
        Ok(self.home.approvers()?.into_iter().map(view).collect())
    }

    /// Where an approver's key is, if it is here.
    fn key_path(&self, approver: &Approver) -> Option<String> {
        let path = self.home.key_path(&approver.name);
        let here = KeyFile::load(&path).is_ok_and(|file| file.public_key() == approver.public_key);
        here.then(|| path.display().to_string())
    }

    /// Makes a key and puts its owner on the list. The first approver needs nobody's signature; every other one does.
    ///
    /// # Errors
    /// If the name is taken, or a signature is needed and missing.
    #[expect(clippy::disallowed_methods, reason = "the user's own folder")]
    pub fn add_approver(
        &mut self,
        name: &ApproverName,
        passphrase: Option<&str>,
        by: Option<&SigningKey>,
    ) -> Result<ApproverView, Error> {
        let first = self.home.approvers()?.is_empty();
        if !first && by.is_none() {
            return Err(Error::new(Exit::Confirm, "person_needed", "another approver has to sign for a new one")
                .hint("give the command at a terminal, or name your key with `--approver-key FILE`"));
        }
        self.authorize(if first { Act::Begin } else { Act::Configure })?;
        let (file, key) = KeyFile::generate(name, passphrase)?;
        let path = self.home.key_path(name);
        file.save(&path)?;
        let listed = self.list_approver(name, key.public_key(), if first { None } else { by });
        if listed.is_err() && !self.may_be_listed(key.public_key()) {
            // The key is of no use without its place on the list.
            let _unlisted = std::fs::remove_file(&path);
        }
        listed
    }

    /// Whether a key is on the list, for all that can be told: an error can come after the change.
    fn may_be_listed(&self, public_key: PublicKey) -> bool {
        self.home.approvers().map_or(true, |listed| listed.iter().any(|approver| approver.public_key == public_key))
    }

    fn list_approver(
        &mut self,
        name: &ApproverName,
        public_key: PublicKey,
        by: Option<&SigningKey>,
    ) -> Result<ApproverView, Error> {
        let approver = Approver { name: name.clone(), public_key, added_at: now(), removed_at: None };
        let reason = format!("approver `{name}` added");
        let change = data(json!({ "name": name, "public_key": public_key }));
        match by {
            None => {
                let entry = EntryDraft::new(Event::ApproverChanged, Actor::Person(name.clone()), reason);
                self.enter(EntryDraft { data: change, ..entry }, |home| home.add_first_approver(&approver))?;
            }
            Some(key) => {
                let subject = approver_subject(name, &public_key);
                let by = signed_setting(&self.home, SettingVerb::ApproverAdd, None, subject, key)?;
                let entry = entry(Event::ApproverChanged, &by, reason, change);
                self.enter(entry, |home| home.add_approver(&approver, &by))?;
            }
        }
        let added = self.approvers()?.into_iter().rfind(|listed| listed.public_key == public_key.to_string());
        added.ok_or_else(|| Error::fault("internal", "the approver is not on the list after it was added"))
    }

    /// The approver of this name, if it can be taken off the list.
    ///
    /// # Errors
    /// If there is no such approver, or it is the last one.
    pub fn removable(&self, name: &ApproverName) -> Result<Approver, Error> {
        self.authorize(Act::ReadAll)?;
        let mut listed = self.home.approvers()?;
        listed.retain(|approver| approver.removed_at.is_none());
        let last = listed.len() == 1;
        match listed.into_iter().find(|approver| approver.name == *name) {
            Some(_) if last => Err(HomeError::LastApprover(name.clone()).into()),
            Some(approver) => Ok(approver),
            None => Err(Error::new(Exit::Usage, "approver_unknown", format!("no approver `{name}`"))
                .hint(hint!["see ", Remedy::ApproverList])),
        }
    }

    /// Takes an approver off the list, for which one on it signs.
    ///
    /// # Errors
    /// As [`Settings::removable`], and if the key is not an approver's.
    pub fn remove_approver(&mut self, name: &ApproverName, key: &SigningKey) -> Result<(), Error> {
        self.authorize(Act::Configure)?;
        let approver = self.removable(name)?;
        let subject = approver_subject(name, &approver.public_key);
        let by = signed_setting(&self.home, SettingVerb::ApproverRemove, None, subject, key)?;
        let change = data(json!({ "name": name }));
        let entry = entry(Event::ApproverChanged, &by, format!("approver `{name}` removed"), change);
        self.enter(entry, |home| home.remove_approver(name, by.statement().at, &by).map(drop))
    }

    /// Puts a key of this home under another passphrase, or under none; what was remembered of it at this terminal is forgotten.
    ///
    /// # Errors
    /// If the key is not this home's, or its file cannot be written.
    pub fn change_passphrase(&self, key: &SigningKey, passphrase: Option<&str>) -> Result<PathBuf, Error> {
        self.authorize(Act::Configure)?;
        let (file, path) = (KeyFile::of(key, passphrase)?, self.home.key_path(key.name()));
        if file.unlock(passphrase)?.public_key() != key.public_key() {
            return Err(KeyError::Damaged(key.name().clone()).into());
        }
        file.replace(&path)?;
        self.home.forget_key(&key.public_key());
        Ok(path)
    }

    /// Forgets every passphrase that is remembered for this terminal: the next signature asks for it.
    ///
    /// # Errors
    /// If the list of approvers cannot be read.
    pub fn forget_passphrases(&self) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        self.home.approvers()?.iter().for_each(|approver| self.home.forget_key(&approver.public_key));
        Ok(())
    }
}
