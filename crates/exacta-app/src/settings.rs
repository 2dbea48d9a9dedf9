//! What holds for all projects of the user: the Safety Policy, the approvers and their keys.

use crate::app::App;
use crate::caller::{Act, Caller};
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, ErrorCode, Exit};
use crate::in_force::{policy_error, safety_policy};
use crate::options::Options;
use crate::recorded::{Setting, record_with};
use exacta_home::{FileError, Home, HomeError, KeyError, SettingsSnapshot, Weakness};
pub use exacta_home::{KeyFile, SigningKey};
use exacta_kernel::approval::setting::{
    self, SettingDemand, SettingStatement, SettingVerb, VerifiedSetting, approver_subject,
};
use exacta_kernel::approval::{Approver, ApproverName, PublicKey};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::ProjectId;
use exacta_kernel::policy::safety::SafetyPolicy;
use serde::Serialize;
use serde_json::{Map, json};
use std::path::{Path, PathBuf};

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

    /// The names of everybody who may approve.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn names(options: &Options) -> Result<Vec<String>, Error> {
        let listed = options.home()?.approvers()?.into_iter().filter(|approver| approver.removed_at.is_none());
        Ok(listed.map(|approver| approver.name.to_string()).collect())
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

/// The person's own key: the named file, or the oldest key here that an approver on the list owns, which is the one that
/// `init` made.
///
/// # Errors
/// If there is none.
#[expect(clippy::disallowed_methods, reason = "the user's own folder")]
pub fn own_key(options: &Options, file: Option<&Path>) -> Result<KeyFile, Error> {
    if let Some(file) = file {
        return KeyFile::load(file).map_err(not_a_key);
    }
    let home = options.home()?;
    let listed = home.approvers()?;
    let mut own = Vec::new();
    for approver in listed.iter().filter(|approver| approver.removed_at.is_none()) {
        let path: PathBuf = home.key_path(&approver.name);
        if path.exists() {
            let file = KeyFile::load(&path)?;
            if file.public_key() == approver.public_key {
                own.push(file);
            }
        }
    }
    own.into_iter().next().ok_or_else(no_key)
}

/// The key of the approver of this name.
///
/// # Errors
/// If it is not here, or that approver is not on the list.
pub fn key_of(options: &Options, name: &ApproverName) -> Result<KeyFile, Error> {
    let home = options.home()?;
    let file = KeyFile::load(&home.key_path(name))?;
    if is_listed(options, file.public_key())? { Ok(file) } else { Err(no_key()) }
}

/// Whether whoever has this key is an approver.
///
/// # Errors
/// If the list cannot be read.
pub fn is_listed(options: &Options, key: PublicKey) -> Result<bool, Error> {
    let listed = options.home()?.approvers()?;
    Ok(listed.iter().any(|approver| approver.removed_at.is_none() && approver.public_key == key))
}

/// A key that was unlocked less than ten minutes ago, or needs no passphrase.
///
/// # Errors
/// If the key file is damaged.
pub fn unlocked(options: &Options, file: &KeyFile) -> Result<Option<SigningKey>, Error> {
    if !file.is_encrypted() {
        return Ok(Some(file.unlock(None)?));
    }
    Ok(options.home()?.remembered(file))
}

/// Unlocks a key and remembers it for ten minutes.
///
/// # Errors
/// If the passphrase is wrong.
pub fn unlock(options: &Options, file: &KeyFile, passphrase: &str) -> Result<SigningKey, Error> {
    let key = file.unlock(Some(passphrase))?;
    let _where = options.home()?.remember(&key);
    Ok(key)
}

/// The built-in Safety Policy as a file.
fn built_in() -> String {
    SafetyPolicy::default().to_toml()
}

/// A file that was named for a key and is none is not to be repaired or moved away.
fn not_a_key(error: KeyError) -> Error {
    use Weakness::{NotAFile, NotAFolder, TooLarge};
    let unfit = matches!(
        error,
        KeyError::File(
            FileError::Malformed { .. } | FileError::Unsafe { weakness: NotAFile | NotAFolder | TooLarge, .. }
        )
    );
    let told = Error::from(error);
    if unfit { told.hint(hint!["name a key file; ", Remedy::ApproverKeys, " says where yours are"]) } else { told }
}

fn no_key() -> Error {
    Error::new(Exit::Usage, "key_missing", "no approver's key is here")
        .hint(hint![Remedy::Init, " makes your first key; or name one with `--approver-key FILE`"])
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
