//! Who decides: a person at the terminal with their own key, or the key that was named.

use crate::args::Signer;
use crate::prompt::Person;
use exacta_app::settings::{KeyFile, SigningKey, own_key, unlock, unlocked};
use exacta_app::{Error, ErrorCode, Exit, Options};

/// Wrong passphrases before it ends.
const TRIES: u32 = 3;

/// Whoever decides.
pub enum Decider {
    /// A person at the terminal, who is asked, and their own key.
    Person(Person, Box<KeyFile>),
    /// The owner of a key that was named on the command line.
    Key(Box<SigningKey>),
}

impl Decider {
    /// As the arguments say.
    ///
    /// # Errors
    /// Exit 30 if there is neither a key nor a person, and exit 2 if the person has no key here.
    pub fn new(signer: &Signer, options: &Options) -> Result<Self, Error> {
        match &signer.approver_key {
            Some(path) => Ok(Self::Key(Box::new(open(options, &own_key(options, Some(path))?)?))),
            None => Ok(Self::Person(Person::present()?, Box::new(own_key(options, None)?))),
        }
    }

    /// Asks the person; the owner of a named key has said yes by naming it.
    ///
    /// # Errors
    /// Exit 30 if the person says no or interrupts.
    pub fn agrees(&self, question: &str) -> Result<(), Error> {
        match self {
            Self::Person(person, _) if !person.confirm(question)? => Err(declined()),
            Self::Person(..) | Self::Key(_) => Ok(()),
        }
    }

    /// The person who is asked, if one is.
    pub const fn person(&self) -> Option<&Person> {
        match self {
            Self::Person(person, _) => Some(person),
            Self::Key(_) => None,
        }
    }

    /// Whether a person is asked.
    pub const fn is_person(&self) -> bool {
        matches!(self, Self::Person(..))
    }

    /// The key that signs; the person's own is unlocked now.
    ///
    /// # Errors
    /// If there is no key here, or the passphrase is wrong.
    pub fn key(self, options: &Options) -> Result<SigningKey, Error> {
        match self {
            Self::Person(_, file) => open(options, &file),
            Self::Key(key) => Ok(*key),
        }
    }
}

/// The person said no.
pub fn declined() -> Error {
    Error::new(Exit::Confirm, "declined", "you said no: everything stays as it is")
        .hint("give the command again to decide")
}

/// Unlocks a key with its passphrase, also where that is remembered: whoever sits at an open terminal need not be who gave it.
///
/// # Errors
/// If there is no person, or the passphrase is wrong.
pub fn reopen(file: &KeyFile) -> Result<SigningKey, Error> {
    if !file.is_encrypted() {
        return Ok(file.unlock(None)?);
    }
    tried(&format!("present passphrase of `{}`: ", file.name()), |passphrase| Ok(file.unlock(Some(passphrase))?))
}

/// Unlocks a key: without a passphrase where none is needed or it was given in the last ten minutes.
fn open(options: &Options, file: &KeyFile) -> Result<SigningKey, Error> {
    if let Some(key) = unlocked(options, file)? {
        return Ok(key);
    }
    tried(&format!("passphrase of `{}`: ", file.name()), |passphrase| unlock(options, file, passphrase))
}

/// Asks for a passphrase until it is right, a few times.
fn tried(question: &str, unlock: impl Fn(&str) -> Result<SigningKey, Error>) -> Result<SigningKey, Error> {
    let person = Person::present()?;
    // Also while a passphrase is tried, which takes a while: the next one may be typed by then.
    let silence = person.silence()?;
    let mut key = unlock(&person.passphrase(question)?);
    for _ in 1..TRIES {
        match &key {
            Err(error) if error.code == ErrorCode::KEY => person.say(&format!("{error}\n"))?,
            _ => break,
        }
        key = unlock(&person.passphrase(question)?);
    }
    silence.end().and(key)
}

/// Asks for a new passphrase, twice.
///
/// # Errors
/// Exit 30 if there is no person to ask.
pub fn new_passphrase(name: &str) -> Result<String, Error> {
    let person = Person::present().map_err(|error| {
        error.hint("run the command in a terminal, or keep the key without a passphrase: `--no-passphrase`")
    })?;
    person.say(&format!("the key of approver `{name}` signs what you decide;\nit is kept under a passphrase\n"))?;
    let _silence = person.silence()?;
    loop {
        let first = person.passphrase(&format!("new passphrase for `{name}`: "))?;
        if first.is_empty() {
            person.say("an empty one protects nothing; `--no-passphrase` keeps the key without one\n")?;
        } else if person.passphrase("the same again: ")? == first {
            return Ok(first);
        } else {
            person.say("these were not the same\n")?;
        }
    }
}

/// The person's own key, unlocked.
///
/// # Errors
/// If there is none here, or the passphrase is wrong.
pub fn open_own(options: &Options) -> Result<SigningKey, Error> {
    open(options, &own_key(options, None)?)
}
