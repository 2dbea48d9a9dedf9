//! What was read of the user's own folder, so that whoever keeps an answer can tell whether it would still come out the same.
//!
//! Every file is read in one place ([`crate::file::read`]), which notes it here while somebody on the same thread wants to know.

use crate::held::is_held;
use std::cell::RefCell;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

thread_local! {
    static NOTED: RefCell<Option<Vec<Reading>>> = const { RefCell::new(None) };
}

/// What was read while somebody wanted to know, each with what it was then.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Readings(Vec<Reading>);

#[derive(Debug, PartialEq, Eq)]
struct Reading {
    path: PathBuf,
    was: Was,
}

/// What was there, and of what is there everything by which a change shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Was {
    Nothing,
    File(Node),
    /// A folder, of which only its owner and its mode matter.
    Folder(Node),
    /// The file of a session, held by a process or not.
    Session(bool),
}

/// A file or a folder without its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Node {
    device: u64,
    inode: u64,
    mode: u32,
    owner: u32,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Does something, and tells what of the user's own folder was read for it.
pub fn noting<T>(work: impl FnOnce() -> T) -> (T, Readings) {
    let before = NOTED.with(|noted| noted.replace(Some(Vec::new())));
    let done = work();
    let noted = NOTED.with(|noted| noted.replace(before)).unwrap_or_default();
    (done, Readings(noted))
}

/// Notes what was read, if somebody wants to know.
pub(crate) fn note(path: &Path, was: impl FnOnce() -> Was) {
    NOTED.with(|noted| {
        if let Some(noted) = noted.borrow_mut().as_mut() {
            let reading = Reading { path: path.to_owned(), was: was() };
            if !noted.contains(&reading) {
                noted.push(reading);
            }
        }
    });
}

impl Readings {
    /// Whether all of it would be read the same now.
    #[must_use]
    pub fn hold(&self) -> bool {
        self.0.iter().all(Reading::holds)
    }

    /// Whether none of it changed since so long before that moment that a later change shows: file systems count in steps.
    #[must_use]
    pub fn settled(&self, moment: SystemTime, step: Duration) -> bool {
        let moment = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().saturating_sub(step);
        let seconds = i64::try_from(moment.as_secs()).unwrap_or(i64::MAX);
        self.0.iter().all(|reading| match &reading.was {
            Was::File(node) => node.modified.0 < seconds && node.changed.0 < seconds,
            Was::Nothing | Was::Folder(_) | Was::Session(_) => true,
        })
    }
}

impl Reading {
    fn holds(&self) -> bool {
        let now = |follow: bool| {
            let found = if follow { std::fs::metadata(&self.path) } else { std::fs::symlink_metadata(&self.path) };
            found.ok()
        };
        match &self.was {
            Was::Nothing => now(false).is_none(),
            Was::File(node) => now(false).is_some_and(|found| Node::of(&found) == *node),
            Was::Folder(node) => now(true).is_some_and(|found| Node::owned(&found) == *node),
            Was::Session(held) => is_held(&self.path).is_ok_and(|now| now == *held),
        }
    }
}

impl Node {
    /// All of it.
    pub(crate) fn of(found: &Metadata) -> Self {
        let (modified, changed) = ((found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec()));
        Self { size: found.size(), modified, changed, ..Self::owned(found) }
    }

    /// Only which one it is, whose, and who may do what there.
    pub(crate) fn owned(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            mode: found.mode(),
            owner: found.uid(),
            size: 0,
            modified: (0, 0),
            changed: (0, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Home;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    /// Whatever is changed that was read, or was looked for, no longer holds.
    #[test]
    fn every_change_shows() {
        let dir = tempfile::tempdir().unwrap();
        let policy = dir.path().join("safety-policy.toml");
        let set = |text: &str, mode: u32| {
            fs::write(&policy, text).unwrap();
            fs::set_permissions(&policy, fs::Permissions::from_mode(mode)).unwrap();
        };
        let home = || Home::at(dir.path()).unwrap();
        let read = || {
            let (text, readings) = noting(|| home().safety_policy_text().map(|source| source.is_some()));
            (text.unwrap(), readings)
        };
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (found, readings) = read();
        assert!(!found && readings.hold(), "{readings:?}");
        set("x = 1\n", 0o600);
        assert!(!readings.hold(), "it was not there");
        let (found, readings) = read();
        assert!(found && readings.hold());
        let now = SystemTime::now();
        assert!(!readings.settled(now, Duration::from_secs(2)), "it changed just now");
        assert!(readings.settled(now + Duration::from_secs(60), Duration::from_secs(2)));
        set("x = 22\n", 0o600);
        assert!(!readings.hold(), "another size");
        for change in [|| {}, || std::thread::sleep(Duration::from_millis(20))] {
            let (_, readings) = read();
            change();
            fs::rename(dir.path().join("safety-policy.toml"), dir.path().join("aside")).unwrap();
            assert!(!readings.hold(), "gone");
            fs::rename(dir.path().join("aside"), dir.path().join("safety-policy.toml")).unwrap();
        }
        let (_, readings) = read();
        set("x = 22\n", 0o644);
        assert!(!readings.hold(), "another mode");
        let (_, readings) = read();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!readings.hold(), "another mode of the folder");
    }

    #[test]
    fn a_session_holds_until_its_process_lets_go() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path()).unwrap();
        let project = exacta_kernel::id::ProjectId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap();
        let held = home.hold_session(&project).unwrap();
        let id = held.id().clone();
        let (alive, readings) = noting(|| home.is_alive(&project, &id).unwrap());
        assert!(alive && readings.hold());
        drop(held);
        assert!(!readings.hold());
    }
}
