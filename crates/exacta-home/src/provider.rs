//! The user's AI providers, `providers.json`, and what is known of each: what it can do, and what answered last.

use crate::document::{self, Document};
use crate::file::Lock;
use crate::{Home, HomeError};
use exacta_kernel::approval::ApprovalError;
use exacta_kernel::approval::setting::{SettingDemand, SettingVerb, VerifiedSetting, verify};
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::hash::Digest;
use exacta_kernel::provider::{Probed, ProviderName, ProviderSetup, WeightsFile};
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Every provider that an approver signed for, and which of them is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Providers {
    /// In the order they were added.
    pub providers: Vec<ProviderSetup>,
    /// Who is asked for plans and diffs.
    pub chosen: Option<ProviderName>,
    /// Who is asked what the user wants; the same where none is named.
    pub for_intent: Option<ProviderName>,
    /// Whether each stage is given to the provider that fits it best, by what tests found.
    #[serde(default)]
    pub best: bool,
}

/// What is known of a provider beyond its setup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderState {
    /// The setup it is about: of another one nothing is known.
    pub setup: Digest,
    /// What a test found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested: Option<TestedAt>,
    /// The newest identity that any answer gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<ServedBy>,
    /// The file of the model's weights, as it was last hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_file: Option<WeightsFile>,
}

/// What a test found out, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestedAt {
    /// What it found out.
    pub probed: Probed,
    /// When.
    pub at: Timestamp,
}

/// What answered, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServedBy {
    /// What answered.
    pub identity: ModelIdentity,
    /// When.
    pub at: Timestamp,
}

impl Document for Providers {
    const SCHEMA: &'static str = "exacta.providers/1";
}

impl Document for ProviderState {
    const SCHEMA: &'static str = "exacta.provider-state/1";
}

impl Providers {
    /// The provider of this name.
    #[must_use]
    pub fn get(&self, name: &ProviderName) -> Option<&ProviderSetup> {
        self.providers.iter().find(|setup| setup.name == *name)
    }
}

impl Home {
    /// Every provider.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn providers(&self) -> Result<Providers, HomeError> {
        Ok(document::read(&self.providers_file())?.unwrap_or_default())
    }

    /// Adds a provider, or changes the one of the same name. The first one is also the one that is asked.
    ///
    /// # Errors
    /// Where no listed approver signed for exactly this.
    pub fn set_provider(&self, setup: &ProviderSetup, now: Timestamp, by: &VerifiedSetting) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        // Again, under the lock: the signer may have been removed since.
        let demand = SettingDemand { verb: SettingVerb::ProviderSet, project: None, subject, now };
        verify(by.signed(), &self.approvers()?, &demand)?;
        let mut list = self.providers()?;
        match list.providers.iter_mut().find(|known| known.name == setup.name) {
            Some(known) => known.clone_from(setup),
            None => list.providers.push(setup.clone()),
        }
        list.chosen.get_or_insert_with(|| setup.name.clone());
        Ok(document::write(&lock, &self.providers_file(), &list)?)
    }

    /// Removes a provider; nobody has to sign for that.
    ///
    /// # Errors
    /// Where there is none of that name.
    pub fn remove_provider(&self, name: &ProviderName) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut list = self.known_providers(name)?;
        list.providers.retain(|setup| setup.name != *name);
        for slot in [&mut list.chosen, &mut list.for_intent] {
            slot.take_if(|chosen| *chosen == *name);
        }
        Ok(document::write(&lock, &self.providers_file(), &list)?)
    }

    /// Chooses who is asked, and perhaps another one to be asked what the user wants.
    ///
    /// # Errors
    /// Where there is none of that name.
    pub fn use_provider(&self, name: &ProviderName, for_intent: Option<&ProviderName>) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut list = self.known_providers(name)?;
        if let Some(unknown) = for_intent.filter(|other| list.get(other).is_none()) {
            return Err(HomeError::NoProvider(unknown.clone()));
        }
        list.chosen = Some(name.clone());
        list.for_intent = for_intent.cloned();
        list.best = false;
        Ok(document::write(&lock, &self.providers_file(), &list)?)
    }

    /// Leaves the choice to what tests found: each stage is given to the provider that fits it best.
    ///
    /// # Errors
    /// Where the list cannot be read or written.
    pub fn use_best_providers(&self) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut list = self.providers()?;
        list.best = true;
        Ok(document::write(&lock, &self.providers_file(), &list)?)
    }

    /// What is known of a provider as it is set up now; none where nothing was asked of it yet.
    ///
    /// # Errors
    /// Where the file is damaged or could have been changed by others.
    pub fn provider_state(&self, setup: &ProviderSetup) -> Result<Option<ProviderState>, HomeError> {
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let state: Option<ProviderState> = document::read(&self.state_file(&setup.name))?;
        Ok(state.filter(|state| state.setup == subject))
    }

    /// Changes what is known of a provider.
    ///
    /// # Errors
    /// As [`Home::provider_state`], and where it cannot be written.
    pub fn update_provider_state(
        &self,
        setup: &ProviderSetup,
        change: impl FnOnce(&mut ProviderState),
    ) -> Result<(), HomeError> {
        let lock = Lock::on(&self.provider_states())?;
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let known = self.provider_state(setup)?;
        let mut state =
            known.unwrap_or(ProviderState { setup: subject, tested: None, served: None, weights_file: None });
        change(&mut state);
        Ok(document::write(&lock, &self.state_file(&setup.name), &state)?)
    }

    pub(crate) fn providers_file(&self) -> PathBuf {
        self.config.join("providers.json")
    }

    fn known_providers(&self, name: &ProviderName) -> Result<Providers, HomeError> {
        let list = self.providers()?;
        if list.get(name).is_none() { Err(HomeError::NoProvider(name.clone())) } else { Ok(list) }
    }

    fn provider_states(&self) -> PathBuf {
        self.state.join("providers")
    }

    fn state_file(&self, name: &ProviderName) -> PathBuf {
        self.provider_states().join(format!("{name}.json"))
    }
}
