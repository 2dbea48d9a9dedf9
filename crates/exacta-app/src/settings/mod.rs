//! What holds for all projects of the user: the Safety Policy here, the approvers and their keys beside it.

mod approver;
mod key;

use crate::app::App;
use crate::caller::{Act, Caller};
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, ErrorCode, Exit};
use crate::in_force::{policy_error, safety_policy};
use crate::options::Options;
use crate::recorded::{Setting, record_with};
use exacta_home::{Home, HomeError, SettingsSnapshot};
use exacta_kernel::approval::setting::{self, SettingDemand, SettingStatement, SettingVerb, VerifiedSetting};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use exacta_kernel::policy::safety::SafetyPolicy;
use serde::Serialize;
use serde_json::{Map, json};

pub use approver::ApproverView;
pub use exacta_home::{KeyFile, SigningKey};
pub use key::{is_listed, key_of, own_key, unlock, unlocked};

/// The user's own settings, and the project whose log records changes of them, if there is one here.
pub struct Settings {
    pub(crate) home: Home,
    project: Option<App>,
    caller: Caller,
}

/// The Safety Policy in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyView {
    /// Its file; none for the built-in one.
    pub file: Option<String>,
    /// Whether it is the administrator's, which no user can change.
    pub system: bool,
    /// Its version.
    pub version: String,
    /// The parsed policy with defaults filled in, by hash.
    pub sha256: String,
    /// Its text.
    pub text: String,
}

impl Settings {
    /// The user's settings; with the project that `options` names, if anything is recorded there.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn open(options: &Options) -> Result<Self, Error> {
        let home = options.home()?;
        let project = match App::known(options) {
            Ok(app) => Some(app),
            // What holds for all projects can be changed wherever the user is.
            Err(error) if matches!(error.code, ErrorCode::PROJECT_UNKNOWN | ErrorCode::PROJECT_FOREIGN) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { home, project, caller: options.caller.clone() })
    }

    /// The same to look at only: whatever is wrong with the project here.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn look(options: &Options) -> Result<Self, Error> {
        Ok(Self { home: options.home()?, project: None, caller: options.caller.clone() })
    }

    /// The Safety Policy in force.
    ///
    /// # Errors
    /// If it is broken, with its line.
    pub fn policy(&self) -> Result<PolicyView, Error> {
        self.authorize(Act::ReadAll)?;
        let policy = safety_policy(&self.home)?;
        let source = self.home.safety_policy_text()?;
        Ok(PolicyView {
            file: source.as_ref().map(|source| source.file.display().to_string()),
            system: source.as_ref().is_some_and(|source| source.system),
            version: policy.version.clone(),
            sha256: policy.hash().to_string(),
            text: source.map_or_else(built_in, |source| source.text),
        })
    }

    /// That the caller may change what holds for all projects.
    ///
    /// # Errors
    /// If it may not.
    pub fn may_configure(&self) -> Result<(), Error> {
        self.authorize(Act::Configure)
    }

    /// The text of the Safety Policy in force, also where it is broken.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn policy_source(&self) -> Result<String, Error> {
        self.authorize(Act::ReadAll)?;
        Ok(self.home.safety_policy_text()?.map_or_else(built_in, |source| source.text))
    }

    /// Replaces the Safety Policy, for which an approver signs.
    ///
    /// # Errors
    /// If the text is not a policy, or the key is not an approver's.
    pub fn set_policy(&mut self, text: &str, file: &str, key: &SigningKey) -> Result<PolicyView, Error> {
        self.authorize(Act::Configure)?;
        let before = safety_policy(&self.home).map(|policy| policy.hash());
        let after = SafetyPolicy::parse(text, file).map_err(policy_error)?;
        let by = signed_setting(&self.home, SettingVerb::PolicySet, None, Digest::of(text.as_bytes()), key)?;
        let change = json!({ "from": before.ok(), "to": after.hash() });
        let entry = entry(Event::PolicyChanged, &by, format!("safety policy {}", after.version), data(change));
        self.enter(entry, |home| home.write_safety_policy(text, &by))?;
        self.knows(after.hash())?;
        self.policy()
    }

    /// Goes back to the built-in Safety Policy, for which an approver signs.
    ///
    /// # Errors
    /// If the key is not an approver's, or the administrator's policy is in force.
    pub fn reset_policy(&mut self, key: &SigningKey) -> Result<PolicyView, Error> {
        self.authorize(Act::Configure)?;
        let text = built_in();
        let by = signed_setting(&self.home, SettingVerb::PolicyReset, None, Digest::of(text.as_bytes()), key)?;
        let change = json!({ "to": SafetyPolicy::default().hash() });
        let entry = entry(Event::PolicyChanged, &by, "the built-in safety policy".to_owned(), data(change));
        self.enter(entry, |home| home.reset_safety_policy(&text, &by))?;
        self.knows(SafetyPolicy::default().hash())?;
        self.policy()
    }

    /// That the caller may do this.
    pub(crate) fn authorize(&self, act: Act) -> Result<(), Error> {
        crate::access::authorize(&self.caller, act)
    }

    /// Who changes something without a signature.
    pub(crate) fn actor(&self) -> Actor {
        self.caller.actor()
    }

    /// The project's log was told of this policy just now; the others' will be when something is decided there.
    fn knows(&mut self, policy: Digest) -> Result<(), Error> {
        self.project.as_mut().map_or(Ok(()), |app| app.knows(policy))
    }

    /// Makes a change, and records it: what cannot be recorded is not done.
    pub(crate) fn enter(
        &mut self,
        entry: EntryDraft,
        act: impl FnOnce(&Home) -> Result<(), HomeError>,
    ) -> Result<(), Error> {
        match &mut self.project {
            Some(app) => {
                let change =
                    Shared { home: &self.home, act: Some(act), before: None, after: SettingsSnapshot::default() };
                record_with(&mut app.store, entry, change)
            }
            None => Ok(act(&self.home)?),
        }
    }
}

/// A change of what holds for all projects.
struct Shared<'a, A> {
    home: &'a Home,
    act: Option<A>,
    before: Option<SettingsSnapshot>,
    after: SettingsSnapshot,
}

impl<A: FnOnce(&Home) -> Result<(), HomeError>> Setting for Shared<'_, A> {
    fn set(&mut self) -> Result<(), Error> {
        let Some(act) = self.act.take() else { return Ok(()) };
        let before = self.home.settings_snapshot()?;
        let done = act(self.home);
        self.after = self.home.settings_snapshot()?;
        self.before = Some(before);
        Ok(done?)
    }

    fn put_back(&mut self) -> Result<(), Error> {
        Ok(self.before.take().map_or(Ok(()), |before| self.home.restore_settings(&before, &self.after))?)
    }
}

/// The entry of a change that an approver signed for.
pub(crate) fn entry(
    event: Event,
    by: &VerifiedSetting,
    reason: String,
    data: Map<String, serde_json::Value>,
) -> EntryDraft {
    let entry = EntryDraft::new(event, Actor::Person(by.statement().approver.clone()), reason);
    EntryDraft { data, ..entry }
}

/// The built-in Safety Policy as a file.
fn built_in() -> String {
    SafetyPolicy::default().to_toml()
}

/// A signed setting, checked at once against the list of approvers.
pub(crate) fn signed_setting(
    home: &Home,
    verb: SettingVerb,
    project: Option<&ProjectId>,
    subject: Digest,
    key: &SigningKey,
) -> Result<VerifiedSetting, Error> {
    let at = now();
    let statement = SettingStatement::new(verb, project.cloned(), subject, key.name().clone(), at, at.plus_seconds(60));
    let signed = key.sign_setting(&statement)?;
    let demand = SettingDemand { verb, project, subject, now: at };
    setting::verify(&signed, &home.approvers()?, &demand)
        .map_err(|error| Error::new(Exit::Denied, "approval_invalid", error.to_string()).hint(error.hint()))
}
