//! The first command in a project: its record, and the person's first key.

use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::options::Options;
use crate::settings::{ApproverView, Settings, SigningKey, signed_setting};
use exacta_kernel::approval::ApproverName;
use exacta_kernel::approval::setting::{SettingVerb, profile_subject};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::policy::profile::Profile;
pub use exacta_record::{Configuration, MovedRecord};
use serde_json::json;

impl App {
    /// Whether the user has no approver yet, so that `init` should make one.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn needs_first_approver(options: &Options) -> Result<bool, Error> {
        Ok(options.home()?.approvers()?.is_empty())
    }

    /// The profile that was chosen for the project at hand; SAFE where it is not known yet.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn chosen_profile(options: &Options) -> Result<Profile, Error> {
        let known = options.home()?.project(&options.root()?)?;
        Ok(known.map_or(Profile::Safe, |project| project.profile))
    }

    /// Whether somebody chose the profile of the project at hand.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn profile_is_chosen(options: &Options) -> Result<bool, Error> {
        Ok(options.home()?.project(&options.root()?)?.is_some_and(|project| project.chosen))
    }

    /// Whether giving up the record of the project at hand takes a person: something was recorded, and is not as it was.
    ///
    /// # Errors
    /// If there is no record to give up, or nothing is wrong with it.
    pub fn anew_takes_person(options: &Options) -> Result<bool, Error> {
        match crate::record::verify(options) {
            Ok(_) => Err(Error::new(Exit::Usage, "record_sound", "the record of this project is in order")
                .hint(hint![Remedy::Init, " goes on with it; nothing has to be started over"])),
            Err(error) if error.is_of_the_folder() => Err(error),
            Err(_) => match options.home()?.project(&options.root()?)? {
                // One that cannot be read was one.
                Some(project) => Ok(!matches!(options.home()?.pin(&project.id), Ok(None))),
                None => Ok(false),
            },
        }
    }

    /// Puts records that cannot be gone on with aside, and makes the folder a new project with a record of its own. Its
    /// configuration stays. Where something was recorded for the old project, an approver signs, and the new record says so.
    ///
    /// # Errors
    /// If nothing is wrong with the records, a signature is missing, or they cannot be moved.
    ///
    /// `options` name the folder itself: without its records the search would go further up.
    pub fn anew(options: &Options, key: Option<&SigningKey>) -> Result<(Self, Option<MovedRecord>), Error> {
        options.authorize(if key.is_some() { Act::Configure } else { Act::Begin })?;
        let given_up = if Self::anew_takes_person(options)? { Some(given_up(options, key)?) } else { None };
        let (path, home) = (options.root()?, options.home()?);
        let aside = exacta_record::move_away(&path)?;
        home.renew_project(&path, now())?;
        let mut app = Self::open(options)?;
        // The project's configuration only tightens: it goes on.
        if let Some(MovedRecord { configuration: Configuration::Text(text), .. }) = &aside {
            app.store.put_configuration(text)?;
        }
        if let Some(entry) = given_up {
            app.store.record(&[entry], now())?;
        }
        Ok((app, aside))
    }

    /// Makes the user's first key and puts its owner on the list of approvers.
    ///
    /// # Errors
    /// If there is an approver already.
    pub fn first_approver(
        options: &Options,
        name: &ApproverName,
        passphrase: Option<&str>,
    ) -> Result<ApproverView, Error> {
        options.authorize(Act::Begin)?;
        Settings::open(options)?.add_approver(name, passphrase, None)
    }
}

/// The entry that tells of the record that is given up, for which an approver signs: the profile becomes SAFE with it.
fn given_up(options: &Options, key: Option<&SigningKey>) -> Result<EntryDraft, Error> {
    let key = key.ok_or_else(|| {
        Error::new(Exit::Confirm, "person_needed", "giving up a record needs a person")
            .hint("give the command at a terminal, or name your key with `--approver-key FILE`")
    })?;
    let (path, home) = (options.root()?, options.home()?);
    let old = home.project(&path)?;
    let id = old.as_ref().map(|project| &project.id);
    let by = signed_setting(&home, SettingVerb::ProfileSet, id, profile_subject(Profile::Safe), key)?;
    // How far it went is not known where the pin is damaged too.
    let pin = id.and_then(|id| home.pin(id).ok().flatten());
    let (size, root) = (pin.as_ref().map(|pin| pin.size), pin.as_ref().map(|pin| pin.root));
    let person = Actor::Person(by.statement().approver.clone());
    let entries = size.map_or_else(|| "an unknown number of".to_owned(), |size| size.to_string());
    let why = format!("a record of {entries} entries that did not verify was given up");
    let entry = EntryDraft::new(Event::TamperingFound, person, why);
    Ok(EntryDraft { data: data(json!({ "project": id, "entries": size, "root": root })), ..entry })
}
