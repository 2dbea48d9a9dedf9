//! The approver's session: a one-time link, exchanged for a cookie; and the key, unlocked for ten minutes, in memory alone.

use exacta_app::settings::{KeyFile, SigningKey};
use exacta_app::{Error, Exit};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an unlocked key is kept.
const UNLOCKED: Duration = Duration::from_secs(600);

/// How long a session lives that nobody uses.
const IDLE: Duration = Duration::from_secs(12 * 3600);

/// The name of the cookie.
pub const COOKIE: &str = "exacta_session";

/// 256 random bits, as text. Kept by hash: what is in memory opens nothing.
pub struct Secret(String);

/// Everybody's sessions, and the link that opens the first.
pub struct Sessions {
    link: Mutex<Option<Hash>>,
    open: Mutex<BTreeMap<Hash, Arc<Session>>>,
}

/// One browser of an approver.
pub struct Session {
    /// What every form of it carries.
    pub form_token: String,
    used: Mutex<Instant>,
    key: Mutex<Option<(Arc<SigningKey>, Instant)>>,
}

type Hash = [u8; 32];

impl Secret {
    /// A new one.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn new() -> Result<Self, Error> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::fault("no_randomness", format!("this system gives no random numbers: {error}")))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Its text, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl Sessions {
    /// None yet, but for a link.
    #[must_use]
    pub fn new(link: &Secret) -> Self {
        Self { link: Mutex::new(Some(hash(link.reveal()))), open: Mutex::new(BTreeMap::new()) }
    }

    /// Whether a link would open a session.
    #[must_use]
    pub fn is_link(&self, link: &str) -> bool {
        *lock(&self.link) == Some(hash(link))
    }

    /// Exchanges the link for a session: once.
    ///
    /// # Errors
    /// If it is not the link, or was used.
    pub fn open(&self, link: &str) -> Result<Secret, Error> {
        let mut known = lock(&self.link);
        if *known != Some(hash(link)) {
            return Err(Error::new(Exit::Denied, "unauthenticated", "this link does not open anything")
                .hint("a link works once; `exacta serve` prints a new one each time it starts"));
        }
        let (cookie, form) = (Secret::new()?, Secret::new()?);
        let session = Session { form_token: form.0, used: Mutex::new(Instant::now()), key: Mutex::new(None) };
        lock(&self.open).insert(hash(cookie.reveal()), Arc::new(session));
        *known = None;
        Ok(cookie)
    }

    /// The session of a cookie.
    #[must_use]
    pub fn find(&self, cookie: &str) -> Option<Arc<Session>> {
        let mut open = lock(&self.open);
        open.retain(|_, session| lock(&session.used).elapsed() < IDLE);
        let session = open.get(&hash(cookie))?;
        *lock(&session.used) = Instant::now();
        Some(Arc::clone(session))
    }
}

impl Session {
    /// Whether a form is this session's.
    #[must_use]
    pub fn is_form(&self, token: &str) -> bool {
        hash(token) == hash(&self.form_token)
    }

    /// Whether the passphrase has to be asked for.
    #[must_use]
    pub fn is_locked(&self, file: &KeyFile) -> bool {
        file.is_encrypted() && self.unlocked(file).is_none()
    }

    /// The key, ready to sign: one that needs no passphrase, one that was unlocked less than ten minutes ago, or unlocked now.
    ///
    /// # Errors
    /// If the passphrase is missing or wrong.
    pub fn key(&self, file: &KeyFile, passphrase: Option<&str>) -> Result<Arc<SigningKey>, Error> {
        if !file.is_encrypted() {
            return Ok(Arc::new(file.unlock(None)?));
        }
        if let Some(key) = self.unlocked(file) {
            return Ok(key);
        }
        let Some(passphrase) = passphrase.filter(|words| !words.is_empty()) else {
            return Err(Error::new(
                Exit::Usage,
                "passphrase_needed",
                format!("the key of `{}` needs its passphrase", file.name()),
            )
            .hint("type it beside the button; it is kept for ten minutes, in this server's memory alone"));
        };
        let mut kept = lock(&self.key);
        let key = Arc::new(file.unlock(Some(passphrase))?);
        *kept = Some((Arc::clone(&key), Instant::now()));
        Ok(key)
    }

    fn unlocked(&self, file: &KeyFile) -> Option<Arc<SigningKey>> {
        let mut kept = lock(&self.key);
        if kept.as_ref().is_some_and(|(key, at)| at.elapsed() >= UNLOCKED || key.public_key() != file.public_key()) {
            *kept = None;
        }
        kept.as_ref().map(|(key, _)| Arc::clone(key))
    }
}

/// What a secret is kept and compared as: comparing hashes tells nobody how much of a guess was right.
fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

/// A lock whose holder panicked still guards what is there.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_and_a_cookie_until_it_is_idle() {
        let link = Secret::new().unwrap();
        let sessions = Sessions::new(&link);
        assert!(sessions.is_link(link.reveal()) && !sessions.is_link("") && sessions.open("guess").is_err());
        let cookie = sessions.open(link.reveal()).unwrap();
        assert!(!sessions.is_link(link.reveal()) && sessions.open(link.reveal()).is_err(), "once");
        let session = sessions.find(cookie.reveal()).unwrap();
        assert!(session.is_form(&session.form_token) && !session.is_form("") && !session.is_form(cookie.reveal()));
        assert!(sessions.find(link.reveal()).is_none() && sessions.find(&session.form_token).is_none());
    }
}
