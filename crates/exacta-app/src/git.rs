//! Whether a folder is the root of a git work tree, by the rules that git itself has. Git is not run: what it would do is for the
//! repository to say.

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
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let xdg = std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let xdg = xdg.or_else(|| home.as_ref().map(|home| home.join(".config")));
    let files = [
        Some(PathBuf::from("/etc/gitconfig")),
        xdg.map(|xdg| xdg.join("git/config")),
        home.map(|home| home.join(".gitconfig")),
    ];
    let mut safe = Vec::new();
    for file in files.into_iter().flatten() {
        let text = file
            .parent()
            .and_then(open_root)
            .and_then(|outer| read(&outer, file.file_name()?.to_str()?, CONFIGURATION));
        for name in safe_directories(&String::from_utf8_lossy(&text.unwrap_or_default())) {
            // An empty one drops all before it.
            if name.is_empty() { safe.clear() } else { safe.push(name) }
        }
    }
    safe.iter().any(|name| match name.strip_suffix("/*") {
        Some(above) => folder.starts_with(above),
        None => name == "*" || folder == Path::new(name),
    })
}

/// The values of `safe.directory` in a configuration of git's, in order.
fn safe_directories(text: &str) -> Vec<String> {
    let (mut inside, mut found) = (false, Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            inside = section.trim_end_matches(']').eq_ignore_ascii_case("safe");
        } else if let (true, Some((key, value))) = (inside, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("directory")
        {
            found.push(value.trim().trim_matches('"').to_owned());
        }
    }
    found
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
        assert_eq!(safe_directories(text), ["/srv/a", "*", ""]);
        assert!(safe_directories("").is_empty());
    }
}
