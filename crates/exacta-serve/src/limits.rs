//! How often a credential may ask, and what it asked for before: nothing is done twice for the same key.

use crate::answer::Answer;
use crate::problem::refuse;
use crate::session::lock;
use exacta_app::Error;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

/// Requests at once, and then in a second.
const BURST: u32 = 200;
const PER_SECOND: f64 = 50.0;

/// How many answers are remembered.
const REMEMBERED: usize = 1000;

/// What is counted and remembered.
#[derive(Default)]
pub struct Limits {
    left: Mutex<BTreeMap<String, (f64, Instant)>>,
    answered: Mutex<BTreeMap<String, Kept>>,
}

struct Kept {
    body: [u8; 32],
    /// None while it is worked on.
    answer: Option<Answer>,
    at: Instant,
}

impl Limits {
    /// Counts a request.
    ///
    /// # Errors
    /// If there were too many.
    pub fn count(&self, credential: &str) -> Result<(), Error> {
        let mut all = lock(&self.left);
        if all.len() > REMEMBERED {
            all.retain(|_, (_, at)| at.elapsed().as_secs() < 60);
        }
        let (left, at) = all.entry(credential.to_owned()).or_insert((f64::from(BURST), Instant::now()));
        *left = (*left + at.elapsed().as_secs_f64() * PER_SECOND).min(f64::from(BURST));
        *at = Instant::now();
        if *left < 1.0 {
            return Err(refuse("too_many", "too many requests by this credential", "wait a second"));
        }
        *left -= 1.0;
        Ok(())
    }

    /// The answer that the same request got before, if it did.
    ///
    /// # Errors
    /// If the key was used for something else, or the first request with it is still worked on.
    pub fn before(&self, key: &str, body: &[u8]) -> Result<Option<Answer>, Error> {
        let body = Sha256::digest(body).into();
        let mut all = lock(&self.answered);
        match all.get(key) {
            Some(kept) if kept.body != body => Err(refuse(
                "key_reused",
                "this idempotency key was used for another request",
                "use a new key for a new request",
            )),
            Some(kept) => match &kept.answer {
                Some(answer) => Ok(Some(answer.clone())),
                None => {
                    Err(refuse("busy", "the first request with this key is still worked on", "ask again in a moment"))
                }
            },
            None => {
                if all.len() >= REMEMBERED
                    && let Some(oldest) = all.iter().min_by_key(|(_, kept)| kept.at).map(|(key, _)| key.clone())
                {
                    all.remove(&oldest);
                }
                all.insert(key.to_owned(), Kept { body, answer: None, at: Instant::now() });
                Ok(None)
            }
        }
    }

    /// Remembers an answer. One that says that something is broken or busy is not: the same request may be tried again.
    pub fn remember(&self, key: &str, answer: &Answer) {
        let mut all = lock(&self.answered);
        if answer.status.is_server_error() {
            all.remove(key);
        } else if let Some(kept) = all.get_mut(key) {
            kept.answer = Some(answer.clone());
        }
    }
}
