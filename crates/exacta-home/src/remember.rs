//! A passphrase is asked once and remembered for ten minutes, for the terminal it was given at: the opened seed is, in memory that
//! no disk holds.
//!
//! First choice is the session keyring of the Linux kernel, which other login sessions cannot read and which drops the seed by
//! itself. Where there is none (many containers), a private file in the runtime folder, if that is a memory file system.
//! Where there is neither, nothing is remembered; nor is it where the process has no terminal.

use crate::document::{self, Document};
use crate::file::{self, Lock, Trust};
use crate::key::{KeyFile, SigningKey};
use crate::seal::Hex;
use crate::terminal::Terminal;
use crate::{FileError, Home};
use exacta_kernel::approval::PublicKey;
use linux_keyutils::{KeyError, KeyRing, KeyRingIdentifier};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// How long a seed is remembered.
pub const REMEMBERED_SECONDS: u64 = 600;

/// Where a seed is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remembered {
    /// In the kernel's session keyring.
    Keyring,
    /// In a file in memory.
    RuntimeFile,
    /// Nowhere: this system has no place for it.
    Nowhere,
}

/// Seconds since the machine started.
type Uptime = u64;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seed {
    seed: Hex<32>,
    /// The machine's uptime when it was remembered. Unlike the time of day, nobody sets it back.
    at: Uptime,
}

impl Document for Seed {
    const SCHEMA: &'static str = "exacta.seed/1";
    const TRUST: Trust = Trust::Secret;
}

/// The name that a seed is kept under: whose, and for which terminal.
struct Slot(String);

impl Slot {
    fn new(key: &PublicKey, terminal: &str) -> Self {
        let key = key.to_string();
        Self(format!("{}.{terminal}", key.strip_prefix("ed25519:").unwrap_or(&key)))
    }

    fn in_keyring(&self) -> String {
        format!("exacta:{}", self.0)
    }

    fn in_folder(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.seed", self.0))
    }
}

impl Home {
    /// Remembers an unlocked key for [`REMEMBERED_SECONDS`] and this terminal, where that can be done safely.
    pub fn remember(&self, key: &SigningKey) -> Remembered {
        let (Some(slot), Some(now)) = (slot(&key.public_key()), uptime()) else { return Remembered::Nowhere };
        self.remember_at(key, &slot, now)
    }

    /// The key in a file without its passphrase, if that was given at this terminal less than [`REMEMBERED_SECONDS`] ago.
    #[must_use]
    pub fn remembered(&self, key: &KeyFile) -> Option<SigningKey> {
        self.remembered_at(key, &slot(&key.public_key())?, uptime()?)
    }

    /// Forgets at once what is remembered of a key for this terminal.
    pub fn forget_key(&self, key: &PublicKey) {
        if let Some(slot) = slot(key) {
            self.forget(&slot);
        }
    }

    /// Forgets one at once.
    fn forget(&self, slot: &Slot) {
        if let Ok(found) = session_keyring().and_then(|ring| ring.search(&slot.in_keyring())) {
            let _gone = found.invalidate();
        }
        if let Some(folder) = self.runtime.as_deref() {
            let _gone = std::fs::remove_file(slot.in_folder(folder));
        }
    }

    fn remember_at(&self, key: &SigningKey, slot: &Slot, now: Uptime) -> Remembered {
        let seed = Seed { seed: Hex::from_bytes(key.seed()), at: now };
        if in_keyring(slot, &seed).is_ok() {
            return Remembered::Keyring;
        }
        match self.runtime.as_deref().map(|folder| in_file(folder, slot, &seed)) {
            Some(Ok(true)) => Remembered::RuntimeFile,
            _ => Remembered::Nowhere,
        }
    }

    fn remembered_at(&self, key: &KeyFile, slot: &Slot, now: Uptime) -> Option<SigningKey> {
        let from_file = || from_file(self.runtime.as_deref()?, slot);
        let seed = from_keyring(slot).or_else(from_file)?;
        if now.checked_sub(seed.at).is_none_or(|age| age >= REMEMBERED_SECONDS) {
            self.forget(slot);
            return None;
        }
        SigningKey::from_seed(key.name(), &seed.seed).ok().filter(|found| found.public_key() == key.public_key())
    }
}

/// How long the machine has been up, sleep included.
fn uptime() -> Option<Uptime> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    text.split('.').next()?.parse().ok()
}

/// The login session's keyring; the user's where the login made none. Never one that ends with this process.
fn slot(key: &PublicKey) -> Option<Slot> {
    Some(Slot::new(key, &Terminal::own()?.to_string()))
}

fn session_keyring() -> Result<KeyRing, KeyError> {
    KeyRing::from_special_id(KeyRingIdentifier::Session, false)
}

fn in_keyring(slot: &Slot, seed: &Seed) -> Result<(), KeyError> {
    let mut payload = Zeroizing::new([0_u8; 40]);
    let (front, back) = payload.split_at_mut(32);
    front.copy_from_slice(seed.seed.as_bytes());
    back.copy_from_slice(&seed.at.to_be_bytes());
    let added = session_keyring()?.add_key(&slot.in_keyring(), payload.as_slice())?;
    let timed = usize::try_from(REMEMBERED_SECONDS).map_or(Ok(()), |seconds| added.set_timeout(seconds));
    // One that would stay for ever must not stay at all.
    timed.inspect_err(|_| {
        let _gone = added.invalidate();
    })
}

fn from_keyring(slot: &Slot) -> Option<Seed> {
    let found = session_keyring().and_then(|ring| ring.search(&slot.in_keyring())).ok()?;
    let mut payload = Zeroizing::new([0_u8; 40]);
    let size = found.read(&mut *payload).ok()?;
    let (seed, at) = payload.split_first_chunk::<32>()?;
    let at = Uptime::from_be_bytes(at.try_into().ok()?);
    (size == 40).then(|| Seed { seed: Hex::from_bytes(seed), at })
}

/// Writes the seed to a private file, if the folder is in memory. Says whether it did.
fn in_file(folder: &Path, slot: &Slot, seed: &Seed) -> Result<bool, FileError> {
    file::make_folder(folder)?;
    if !is_in_memory(folder)? {
        return Ok(false);
    }
    let lock = Lock::on(folder)?;
    document::write(&lock, &slot.in_folder(folder), seed)?;
    Ok(true)
}

fn from_file(folder: &Path, slot: &Slot) -> Option<Seed> {
    document::read(&slot.in_folder(folder)).ok().flatten()
}

fn is_in_memory(folder: &Path) -> Result<bool, FileError> {
    const TMPFS: i64 = 0x0102_1994;
    const RAMFS: i64 = 0x8584_58f6;
    let system = rustix::fs::statfs(folder).map_err(FileError::io("look at", folder))?;
    let kind = system.f_type as i64;
    Ok(kind == TMPFS || kind == RAMFS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_kernel::approval::ApproverName;

    fn key() -> (KeyFile, SigningKey) {
        KeyFile::generate(&ApproverName::parse("ada").unwrap(), None).unwrap()
    }

    fn seed_of(key: &SigningKey) -> Seed {
        Seed { seed: Hex::from_bytes(key.seed()), at: 1000 }
    }

    /// A home whose runtime folder is in memory, where this system has such a place.
    fn home_in_memory() -> Option<(tempfile::TempDir, Home)> {
        let folder = tempfile::tempdir_in("/dev/shm").ok();
        if !exacta_testkit::offers(folder.is_some(), "`/dev/shm`") {
            return None;
        }
        let folder = folder?;
        let home = Home::at(&folder.path().join("home")).unwrap();
        let runtime = Some(folder.path().join("runtime"));
        Some((folder, Home { runtime, ..home }))
    }

    fn slot_of(key: &SigningKey, terminal: &str) -> Slot {
        Slot::new(&key.public_key(), terminal)
    }

    #[test]
    fn ten_minutes_and_not_a_second_longer() {
        let Some((_folder, home)) = home_in_memory() else { return };
        let (file, key) = key();
        let slot = slot_of(&key, "here");
        assert!(home.remembered_at(&file, &slot, 1000).is_none());
        assert_ne!(home.remember_at(&key, &slot, 1000), Remembered::Nowhere);
        assert_eq!(home.remembered_at(&file, &slot, 1599).unwrap().public_key(), file.public_key());
        assert!(home.remembered_at(&file, &slot, 1600).is_none());
        assert!(home.remembered_at(&file, &slot, 1599).is_none(), "and then it is gone for good");

        assert_ne!(home.remember_at(&key, &slot, 1000), Remembered::Nowhere);
        assert!(home.remembered_at(&file, &slot, 999).is_none(), "not from the time before it");
        assert_ne!(home.remember_at(&key, &slot, 1000), Remembered::Nowhere);
        home.forget(&slot);
        assert!(home.remembered_at(&file, &slot, 1000).is_none());
    }

    #[test]
    fn another_terminal_is_asked_again() {
        let Some((_folder, home)) = home_in_memory() else { return };
        let (file, key) = key();
        assert_ne!(home.remember_at(&key, &slot_of(&key, "34816-70-900"), 1000), Remembered::Nowhere);
        for other in ["34817-70-900", "34816-71-900", "34816-70-901"] {
            assert!(home.remembered_at(&file, &slot_of(&key, other), 1001).is_none(), "{other}");
        }
        assert!(home.remembered_at(&file, &slot_of(&key, "34816-70-900"), 1001).is_some());
    }

    #[test]
    fn a_disk_never_holds_a_seed() {
        let on_disk = tempfile::tempdir().unwrap();
        let (_, key) = key();
        let slot = slot_of(&key, "here");
        let written = in_file(on_disk.path(), &slot, &seed_of(&key)).unwrap();
        assert_eq!(written, is_in_memory(on_disk.path()).unwrap());
        assert_eq!(from_file(on_disk.path(), &slot).is_some(), written);
        assert!(!is_in_memory(Path::new("/proc")).unwrap());
    }

    #[test]
    fn a_memory_file_system_holds_it_privately() {
        let Some((folder, _)) = home_in_memory() else { return };
        let (_, key) = key();
        let slot = slot_of(&key, "here");
        assert!(in_file(folder.path(), &slot, &seed_of(&key)).unwrap());
        let found = from_file(folder.path(), &slot).unwrap();
        assert_eq!((found.seed.as_bytes(), found.at), (key.seed(), 1000));
        let mode = std::fs::metadata(slot.in_folder(folder.path())).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
    }

    #[test]
    fn the_keyring_gives_back_what_it_was_given() {
        let (_, key) = key();
        let slot = slot_of(&key, "here");
        let kept = in_keyring(&slot, &seed_of(&key)).is_ok();
        if exacta_testkit::offers(kept, "the kernel's keyring") {
            let found = from_keyring(&slot).unwrap();
            assert_eq!((found.seed.as_bytes(), found.at), (key.seed(), 1000));
        }
    }
}
