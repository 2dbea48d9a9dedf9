//! Whether a folder is the root of a git work tree, by the rules that git itself has. Git is not run: what it would do is for the
//! repository to say.

use exacta_context::git::settings;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The longest file that is read: `.git`, `HEAD` and `commondir` are one line.
const LINE: usize = 8 << 10;
/// The longest configuration of the user's that is read.
const CONFIGURATION: usize = 1 << 20;

/// What a folder is to git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkTree {
    /// No root of a work tree.
    None,
    /// A root that git accepts for this user.
    Accepted,
    /// One that git refuses, since it is this other user's.
    Foreign(u32),
}

/// What a folder is to git when it is run by `user`.
pub(crate) fn work_tree(path: &Path, user: u32) -> WorkTree {
    look(path, user).unwrap_or(WorkTree::None)
}

fn look(path: &Path, user: u32) -> Option<WorkTree> {
    let folder = open_root(path)?;
    let (git, owners) = repository(&folder)?;
    if !is_repository(&git) {
        return None;
    }
    match owners.into_iter().find(|owner| *owner != user) {
        Some(owner) if !is_safe(path) => Some(WorkTree::Foreign(owner)),
        _ => Some(WorkTree::Accepted),
    }
}

/// The folder of the repository that belongs to a work tree, and whose each thing on the way is.
fn repository(folder: &OwnedFd) -> Option<(OwnedFd, Vec<u32>)> {
    let named = statat(folder, ".git", AtFlags::empty()).ok()?;
    let git = match FileType::from_raw_mode(named.st_mode) {
        FileType::Directory => inner(folder, ".git".as_ref())?,
        FileType::RegularFile => {
            let line = read(folder, ".git", LINE)?;
            inner(folder, line_of(line.strip_prefix(b"gitdir: ")?)?)?
        }
        _ => return None,
    };
    let owners = vec![fstat(folder).ok()?.st_uid, named.st_uid, fstat(&git).ok()?.st_uid];
    Some((git, owners))
}

/// Whether git would take a folder for a repository: it has a `HEAD` that names something, and objects and refs, in itself or in the
/// repository that it is linked to.
fn is_repository(git: &OwnedFd) -> bool {
    let linked = read(git, "commondir", LINE).and_then(|line| inner(git, line_of(&line)?));
    let common = linked.as_ref().unwrap_or(git);
    names_something(git) && ["objects", "refs"].iter().all(|name| inner(common, name.as_ref()).is_some())
}

fn names_something(git: &OwnedFd) -> bool {
    if let Ok(link) = rustix::fs::readlinkat(git, "HEAD", Vec::new()) {
        return link.as_bytes().starts_with(b"refs/");
    }
    let Some(head) = read(git, "HEAD", LINE) else { return false };
    match head.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
        None => {
            let hash = head.trim_ascii_end();
            matches!(hash.len(), 40 | 64) && hash.iter().all(u8::is_ascii_hexdigit)
        }
    }
}

/// Whether the user told git to accept a folder whosever it is: `safe.directory` in the configuration that is theirs or the machine's.
fn is_safe(folder: &Path) -> bool {
    let mut safe = Vec::new();
    for (_, name) in user_settings().into_iter().filter(|(key, _)| key == "safe.directory") {
        // An empty one drops all before it.
        if name.is_empty() { safe.clear() } else { safe.push(name) }
    }
    safe.iter().any(|name| match name.strip_suffix("/*") {
        Some(above) => folder.starts_with(above),
        None => name == "*" || folder == Path::new(name),
    })
}

/// The user's own configuration of git and the machine's, in order. Files that they include are not read.
pub(crate) fn user_settings() -> Vec<(String, String)> {
    let (home, own) = folders();
    let files = [
        Some(PathBuf::from("/etc/gitconfig")),
        own.map(|own| own.join("config")),
        home.map(|home| home.join(".gitconfig")),
    ];
    let text = |file: PathBuf| text(&file).unwrap_or_default();
    files.into_iter().flatten().flat_map(|file| settings(&text(file))).collect()
}

/// The lines of a file of the user's own that git has for all repositories: what `key` names, or else the one of this name.
pub(crate) fn user_lines(key: &str, name: &str) -> String {
    let (home, own) = folders();
    let told = user_settings().into_iter().rfind(|(found, _)| found == key).map(|(_, value)| value);
    let file = match told {
        Some(told) => match told.strip_prefix("~/") {
            Some(rest) => home.map(|home| home.join(rest)),
            None => Some(PathBuf::from(told)),
        },
        None => own.map(|own| own.join(name)),
    };
    file.and_then(|file| text(&file)).unwrap_or_default()
}

/// The user's home folder, and the one for git in their configuration.
fn folders() -> (Option<PathBuf>, Option<PathBuf>) {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let xdg = std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let xdg = xdg.or_else(|| home.as_ref().map(|home| home.join(".config")));
    (home, xdg.map(|xdg| xdg.join("git")))
}

fn text(file: &Path) -> Option<String> {
    let bytes = read(&open_root(file.parent()?)?, file.file_name()?.to_str()?, CONFIGURATION)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a folder above where the user is; what lies in it is reached by this handle"
)]
fn open_root(path: &Path) -> Option<OwnedFd> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

fn inner(folder: &OwnedFd, name: &Path) -> Option<OwnedFd> {
    openat(folder, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// A short regular file, whole.
fn read(folder: &OwnedFd, name: &str, most: usize) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty()).ok()?;
    if FileType::from_raw_mode(fstat(&file).ok()?.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(std::fs::File::from(file), most as u64 + 1), &mut bytes)
        .ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// A file's one line as a path.
fn line_of(bytes: &[u8]) -> Option<&Path> {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (!line.is_empty()).then(|| Path::new(std::ffi::OsStr::from_bytes(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_directories_are_read_as_git_writes_them() {
        let text = "[user]\n\tname = x\n\tdirectory = /no\n[safe]\n\tdirectory = /srv/a\n\tdirectory = \"*\"\n[Safe]\nDirectory=\n";
        let safe = |text: &str| -> Vec<String> {
            settings(text).into_iter().filter(|(key, _)| key == "safe.directory").map(|(_, value)| value).collect()
        };
        assert_eq!(safe(text), ["/srv/a", "*", ""]);
        assert!(safe("").is_empty());
    }
}
