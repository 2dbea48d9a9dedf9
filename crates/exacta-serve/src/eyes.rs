//! Learns from the kernel (inotify) that something happened in a folder. It is only a hint to look: what is there is then read by handle, as always.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to be told of: folders, and in each the names that matter.
pub type Wanted = BTreeMap<PathBuf, BTreeSet<OsString>>;

/// Watches folders for several owners.
pub struct Eyes {
    handle: Option<OwnedFd>,
    /// By watch: its folder.
    folders: BTreeMap<i32, PathBuf>,
    /// By owner: what it wants.
    wanted: BTreeMap<String, Wanted>,
}

impl Eyes {
    /// None of the folders yet; where the system gives no such thing, it sees nothing.
    #[must_use]
    pub fn open() -> Self {
        let handle = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        Self { handle, folders: BTreeMap::new(), wanted: BTreeMap::new() }
    }

    /// Watches what an owner wants from now on, and nothing else for it. Whether all of that can be seen.
    pub fn watch(&mut self, owner: &str, wanted: Wanted) -> bool {
        let Some(handle) = &self.handle else { return false };
        self.wanted.insert(owner.to_owned(), wanted);
        let needed: BTreeSet<&PathBuf> = self.wanted.values().flat_map(BTreeMap::keys).collect();
        self.folders.retain(|watch, folder| {
            let keep = needed.contains(folder);
            if !keep {
                // It may be gone with its folder.
                let _gone = inotify::remove_watch(handle, *watch);
            }
            keep
        });
        let flags = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let mut all = true;
        for folder in needed {
            if self.folders.values().any(|known| known == folder) {
                continue;
            }
            match inotify::add_watch(handle, folder.as_path(), flags) {
                Ok(watch) => drop(self.folders.insert(watch, folder.clone())),
                Err(_) => all = false,
            }
        }
        all
    }

    /// Waits until something happens that an owner wants to know, or the time is over; whose it is.
    pub fn wait(&mut self, longest: Duration) -> BTreeSet<String> {
        let Some(handle) = &self.handle else {
            std::thread::sleep(longest);
            return BTreeSet::new();
        };
        let nanos = i64::from(longest.subsec_nanos());
        let longest = Timespec { tv_sec: i64::try_from(longest.as_secs()).unwrap_or(1), tv_nsec: nanos };
        // A signal ends the wait early, which does no harm.
        let _ready = poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&longest));
        self.read()
    }

    fn read(&mut self) -> BTreeSet<String> {
        let mut told = BTreeSet::new();
        let mut lost = BTreeSet::new();
        let Some(handle) = &self.handle else { return told };
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(handle, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(_) => break,
            };
            if event.events().contains(inotify::ReadFlags::QUEUE_OVERFLOW) {
                told.extend(self.wanted.keys().cloned());
                continue;
            }
            let gone = inotify::ReadFlags::IGNORED | inotify::ReadFlags::DELETE_SELF | inotify::ReadFlags::MOVE_SELF;
            let Some(folder) = self.folders.get(&event.wd()) else { continue };
            let name = event.file_name().map(|name| OsString::from_vec(name.to_bytes().to_vec()));
            if event.events().intersects(gone) {
                lost.insert(event.wd());
            }
            told.extend(whose(&self.wanted, folder, name.as_ref()));
        }
        for watch in lost {
            self.folders.remove(&watch);
        }
        told
    }
}

/// Whose it is that something of this name happened in a folder; without a name, to the folder itself.
fn whose(wanted: &BTreeMap<String, Wanted>, folder: &Path, name: Option<&OsString>) -> Vec<String> {
    let is = |wanted: &Wanted| wanted.get(folder).is_some_and(|names| name.is_none_or(|name| names.contains(name)));
    wanted.iter().filter(|(_, wanted)| is(wanted)).map(|(owner, _)| owner.clone()).collect()
}
