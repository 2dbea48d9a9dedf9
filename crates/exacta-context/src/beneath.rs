//! Reading beneath a held folder: through no link, into no other file system, and never more than asked for.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2};
use rustix::io::Errno;
use std::io::Read as _;

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Opens the folder at `path`, which is empty for `root` itself.
pub(crate) fn folder(root: BorrowedFd<'_>, path: &str) -> Result<OwnedFd, Errno> {
    open(root, if path.is_empty() { "." } else { path }, OFlags::RDONLY | OFlags::DIRECTORY)
}

/// A regular file with what it was when it was opened, whole; none if it is longer than `most` or another kind of thing.
pub(crate) fn file(root: BorrowedFd<'_>, path: &str, most: u64) -> Result<Option<(Stat, Vec<u8>)>, Errno> {
    let file = open(root, path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let stat = fstat(&file)?;
    let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || size > most {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    let read = std::fs::File::from(file).take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok((bytes.len() as u64 <= most).then_some((stat, bytes)))
}

fn open(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    loop {
        match openat2(root, path, flags, Mode::empty(), RESOLVE) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            // Where the kernel, or what stands before it, does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => return by_parts(root, path, flags),
            answer => return answer,
        }
    }
}

/// The same, part by part from folders that are held.
fn by_parts(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let device = fstat(root)?.st_dev;
    let mut parts = path.split('/').peekable();
    let mut held: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        if matches!(part, "" | "..") {
            return Err(Errno::INVAL);
        }
        let inner = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = if parts.peek().is_some() { inner } else { flags };
        let opened = openat(held.as_ref().map_or(root, AsFd::as_fd), part, flags, Mode::empty())?;
        if fstat(&opened)?.st_dev != device {
            return Err(Errno::XDEV);
        }
        held = Some(opened);
    }
    held.ok_or(Errno::INVAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own folder")]
    fn both_ways_read_files_and_follow_no_link() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::write(dir.path().join("a/b/file"), "12345").unwrap();
        std::os::unix::fs::symlink("b", dir.path().join("a/link")).unwrap();
        std::os::unix::fs::symlink("file", dir.path().join("a/b/last")).unwrap();
        let root = fs::File::open(dir.path()).unwrap();
        for (path, good) in [("a/b/file", true), ("a/link/file", false), ("a/b/last", false), ("a/../a/b/file", false)]
        {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            assert_eq!(by_parts(root.as_fd(), path, flags).is_ok(), good, "{path}");
            if !path.contains("..") {
                assert_eq!(open(root.as_fd(), path, OFlags::RDONLY).is_ok(), good, "{path}");
            }
        }
        assert!(file(root.as_fd(), "a/b/file", 4).unwrap().is_none());
        assert_eq!(file(root.as_fd(), "a/b/file", 5).unwrap().unwrap().1, b"12345");
        assert!(file(root.as_fd(), "a/b", 5).unwrap().is_none());
    }
}
