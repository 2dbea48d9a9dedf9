//! The `.git` of a copy: its own head, refs and index, the project's objects by reference, and a configuration that runs nothing.
//!
//! Git is never run here, and what the copy's `.git` becomes is never looked at again: it is the agent's.

use super::index::{self, Tracked};
use crate::beneath;
use crate::error::AgentError;
use crate::tree::Name;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, statat};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Where the project's objects are for the agent.
pub const OBJECTS: &str = "/run/exacta/objects";

/// The most that is read of one file of a repository.
const LARGEST: u64 = 256 << 20;

/// The most refs that are copied one by one; a repository has the others in one file.
const MOST_REFS: usize = 20_000;

/// Files of a repository that say how it stands.
const FILES: [&str; 5] = ["HEAD", "index", "packed-refs", "shallow", "ORIG_HEAD"];

/// The repository of a project.
pub struct Repository {
    /// Of this work tree.
    own: OwnedFd,
    /// Of all its work trees.
    common: OwnedFd,
    /// By path.
    place: PathBuf,
}

/// Whether the copy has a repository.
pub enum Made {
    /// Its own.
    Repository,
    /// None, and why.
    Nothing(&'static str),
}

impl Repository {
    /// The repository of a project: a folder `.git`, or that of another work tree if the link between the two holds both ways, so that
    /// nobody who can write here alone can have other objects shown.
    pub fn find(project: BorrowedFd<'_>, at: &Path) -> Option<Self> {
        let git = Name::from(&b".git"[..]);
        if let Ok(own) = beneath::folder(project, &git) {
            let common = beneath::folder(project, &git).ok()?;
            return Some(Self { own, common, place: at.join(".git") });
        }
        let line = line(project, &git)?;
        let own = PathBuf::from(std::ffi::OsStr::from_bytes(line.strip_prefix(b"gitdir: ")?));
        let held = beneath::hold(&own).ok().filter(|_| own.is_absolute())?;
        let back = self::line(held.as_fd(), &Name::from(&b"gitdir"[..]))?;
        let links_back = back == at.join(".git").as_os_str().as_bytes();
        let worktrees = own.parent().filter(|folder| links_back && folder.ends_with("worktrees"))?;
        let place = worktrees.parent()?.to_owned();
        let common = beneath::hold(&place).ok()?;
        let user = rustix::process::getuid().as_raw();
        let is_own = |fd: &OwnedFd| rustix::fs::fstat(fd).is_ok_and(|facts| facts.st_uid == user);
        (is_own(&held) && is_own(&common)).then_some(Self { own: held, common, place })
    }

    /// Where its objects are.
    pub fn objects(&self) -> PathBuf {
        self.place.join("objects")
    }

    /// What is tracked.
    pub fn tracked(&self) -> Tracked {
        let object = if self.configuration().contains("sha256") { 32 } else { 20 };
        let bytes = read(self.own.as_fd(), &Name::from(&b"index"[..])).unwrap_or_default();
        index::read(&bytes, object)
    }

    /// The one line of the configuration that a reader of the objects has to know.
    fn configuration(&self) -> String {
        let bytes = read(self.common.as_fd(), &Name::from(&b"config"[..])).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        let words: Vec<String> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let format = words.iter().any(|line| line == "objectformat=sha256");
        let tables = words.iter().any(|line| line == "refstorage=reftable");
        format!("{}{}", if format { "sha256" } else { "" }, if tables { "reftable" } else { "" })
    }

    /// Makes the copy's own.
    pub fn copy(&self, into: BorrowedFd<'_>) -> Result<Made, AgentError> {
        let format = self.configuration();
        if format.contains("reftable") {
            return Ok(Made::Nothing("its refs are kept in tables (`reftable`)"));
        }
        if beneath::folder(self.common.as_fd(), &Name::from(&b"objects"[..])).is_err() {
            return Ok(Made::Nothing("its objects are not in its own folder"));
        }
        for folder in [".git", ".git/objects", ".git/objects/info", ".git/objects/pack", ".git/refs", ".git/info"] {
            make(into, &Name::from(folder.as_bytes()))?;
        }
        let version = if format.is_empty() { "0" } else { "1" };
        let extension = if format.is_empty() { "" } else { "[extensions]\n\tobjectformat = sha256\n" };
        let configuration = format!(
            "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
             \thooksPath = /dev/null\n\tfsmonitor = false\n\tattributesFile = /dev/null\n[gc]\n\tauto = 0\n{extension}"
        );
        write(into, ".git/config", configuration.as_bytes())?;
        write(into, ".git/objects/info/alternates", format!("{OBJECTS}\n").as_bytes())?;
        for name in FILES {
            let from = if name == "packed-refs" || name == "shallow" { &self.common } else { &self.own };
            if let Some(bytes) = read(from.as_fd(), &Name::from(name.as_bytes())) {
                write(into, &format!(".git/{name}"), &bytes)?;
            }
        }
        if let Some(bytes) = read(self.common.as_fd(), &Name::from(&b"info/exclude"[..])) {
            write(into, ".git/info/exclude", &bytes)?;
        }
        self.copy_refs(into)?;
        Ok(Made::Repository)
    }

    fn copy_refs(&self, into: BorrowedFd<'_>) -> Result<(), AgentError> {
        let (mut folders, mut count) = (vec![Name::from(&b"refs"[..])], 0);
        while let Some(folder) = folders.pop() {
            let Ok(handle) = beneath::folder(self.common.as_fd(), &folder) else { continue };
            for leaf in beneath::names(&handle).map_err(AgentError::at("read", &folder))? {
                let name = folder.join(leaf.to_bytes());
                let Ok(facts) = statat(&handle, &leaf, AtFlags::SYMLINK_NOFOLLOW) else { continue };
                let own = Name::from(&[b".git/", name.bytes()].concat()[..]);
                match FileType::from_raw_mode(facts.st_mode) {
                    FileType::Directory => {
                        make(into, &own)?;
                        folders.push(name);
                    }
                    FileType::RegularFile if count < MOST_REFS => {
                        let bytes = read(self.common.as_fd(), &name).unwrap_or_default();
                        put(into, &own, &bytes)?;
                        count += 1;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

fn make(into: BorrowedFd<'_>, name: &Name) -> Result<(), AgentError> {
    let (folder, last) = super::place(into, name)?;
    mkdirat(&folder, last, Mode::RWXU).map_err(AgentError::at("make", name))
}

fn write(into: BorrowedFd<'_>, name: &str, bytes: &[u8]) -> Result<(), AgentError> {
    put(into, &Name::from(name.as_bytes()), bytes)
}

fn put(into: BorrowedFd<'_>, name: &Name, bytes: &[u8]) -> Result<(), AgentError> {
    let (folder, last) = super::place(into, name)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(&folder, last, flags, Mode::RUSR | Mode::WUSR).map_err(AgentError::at("make", name))?;
    File::from(file).write_all(bytes).map_err(AgentError::io("write", name.path()))
}

fn read(root: BorrowedFd<'_>, name: &Name) -> Option<Vec<u8>> {
    let (file, _) = beneath::file(root, name).ok()?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn line(root: BorrowedFd<'_>, name: &Name) -> Option<Vec<u8>> {
    read(root, name).map(|bytes| bytes.trim_ascii_end().to_vec())
}
