//! What is kept of pages and acts on this machine: content-addressed, mode 0600, verified before use.

use exacta_effect::{Folder, IoError};
use exacta_kernel::hash::Digest;
use serde::{Deserialize, Serialize};

/// The largest thing that is kept.
const MOST: u64 = 64 << 20;

/// Pages as they were, acts as they were approved, and which acts were begun.
#[derive(Debug, Clone)]
pub struct Images {
    kept: Folder,
    begun: Folder,
}

/// What is known of an act that was done, beyond that it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    /// The page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// The page as it is stored, or what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// How many things were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// `exact`, `normalised` or `differs`: what is stored, beside what was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<String>,
}

/// A page that an act made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) page: u64,
    /// [`crate::page::Page::made`] of it.
    pub(crate) stored: Option<Digest>,
}

impl Images {
    /// Opens them in a project's folder under the user's state, making them the first time.
    ///
    /// # Errors
    /// If they cannot be opened.
    pub fn open(state: &Folder) -> Result<Self, IoError> {
        let site = state.within("site")?;
        Ok(Self { kept: site.within("kept")?, begun: site.within("begun")? })
    }

    /// Keeps bytes, durably.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn keep(&self, bytes: &[u8]) -> Result<Digest, IoError> {
        let sha256 = Digest::of(bytes);
        if self.get(&sha256)?.is_none() {
            self.kept.keep(&sha256.to_string(), bytes)?;
        }
        Ok(sha256)
    }

    /// The bytes with this hash; `None` if they are not kept, or are not those any more.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn get(&self, sha256: &Digest) -> Result<Option<Vec<u8>>, IoError> {
        let bytes = self.kept.bytes(&sha256.to_string(), MOST)?;
        Ok(bytes.filter(|bytes| Digest::of(bytes) == *sha256))
    }

    /// Notes that an act begins now, and the newest revision of its page: whatever comes, it may have reached the site.
    pub(crate) fn begin(&self, key: &str, newest: Option<u64>) -> Result<(), IoError> {
        let text = newest.map_or_else(|| "begun\n".to_owned(), |newest| format!("begun {newest}\n"));
        self.begun.keep(key, text.as_bytes()).map(drop)
    }

    /// The newest revision of the page when an act was begun.
    pub(crate) fn newest_at(&self, key: &str) -> Result<Option<u64>, IoError> {
        let bytes = self.begun.bytes(key, 64)?;
        Ok(bytes.and_then(|bytes| str::from_utf8(&bytes).ok()?.trim().strip_prefix("begun ")?.parse().ok()))
    }

    /// Whether an act was ever begun.
    pub(crate) fn is_begun(&self, key: &str) -> Result<bool, IoError> {
        Ok(self.begun.bytes(key, 64)?.is_some())
    }

    /// Notes which page an act made, and as what the site stored it, where it said so.
    pub(crate) fn made(&self, key: &str, page: u64, stored: Option<Digest>) -> Result<(), IoError> {
        let bytes = serde_json::to_vec(&Made { page, stored }).unwrap_or_default();
        self.begun.keep(&format!("{key}.page"), &bytes).map(drop)
    }

    /// The page that an act made, if that is known.
    pub(crate) fn made_by(&self, key: &str) -> Result<Option<Made>, IoError> {
        let Some(bytes) = self.begun.bytes(&format!("{key}.page"), 256)? else { return Ok(None) };
        // Once only the number was noted.
        let number = || Some(Made { page: serde_json::from_slice(&bytes).ok()?, stored: None });
        Ok(serde_json::from_slice(&bytes).ok().or_else(number))
    }

    /// Notes what an act left. What was noted first stays.
    pub(crate) fn note(&self, key: &str, noted: &Noted) -> Result<(), IoError> {
        let bytes = serde_json::to_vec(noted).unwrap_or_default();
        self.begun.keep(&format!("{key}.noted"), &bytes).map(drop)
    }

    /// What an act left, if it was ever done.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn noted(&self, key: &str) -> Result<Option<Noted>, IoError> {
        let bytes = self.begun.bytes(&format!("{key}.noted"), 4096)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Notes that a reading act counts no more.
    pub(crate) fn drop_read(&self, key: &str) -> Result<(), IoError> {
        self.begun.keep(&format!("{key}.dropped"), b"dropped\n").map(drop)
    }

    /// Whether it counts no more.
    pub(crate) fn is_dropped(&self, key: &str) -> Result<bool, IoError> {
        Ok(self.begun.bytes(&format!("{key}.dropped"), 64)?.is_some())
    }
}
