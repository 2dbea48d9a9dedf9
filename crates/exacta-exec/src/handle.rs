//! Opening by handle: one way down from a held folder, through no symbolic link and into no other file system.
//!
//! `openat2` does it in one call. Where the kernel lacks it, each part is opened on its own with `O_NOFOLLOW` and checked
//! for a mount; that is equally strict, because every step starts from a handle that is already held.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Statx, StatxAttributes, StatxFlags};
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `openat2` was found missing; never asked again then.
static NO_OPENAT2: AtomicBool = AtomicBool::new(false);

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Opens `path` (one part or several) beneath `at`.
///
/// The answer is `ELOOP` where a symbolic link is in the way, `EXDEV` at a mount.
pub(crate) fn open_beneath(at: impl AsFd, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    if !NO_OPENAT2.load(Ordering::Relaxed) {
        match retry(|| rustix::fs::openat2(at.as_fd(), path, flags, Mode::empty(), RESOLVE)) {
            Err(Errno::NOSYS) => NO_OPENAT2.store(true, Ordering::Relaxed),
            // Older container run-times answer so to calls they do not know.
            Err(Errno::PERM) => {}
            answer => return answer,
        }
    }
    open_by_parts(at.as_fd(), path, flags)
}

/// What a name in a held folder is, without following it.
pub(crate) fn stat_in(dir: impl AsFd, name: &str) -> Result<Statx, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    retry(|| rustix::fs::statx(dir.as_fd(), name, flags, StatxFlags::BASIC_STATS | StatxFlags::MNT_ID))
}

/// What a handle refers to.
pub(crate) fn stat(file: impl AsFd) -> Result<Statx, Errno> {
    retry(|| rustix::fs::statx(file.as_fd(), "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS | StatxFlags::MNT_ID))
}

/// The kind of file a `statx` answer describes.
pub(crate) fn kind(stat: &Statx) -> FileType {
    FileType::from_raw_mode(u32::from(stat.stx_mode))
}

/// Whether another mount begins at this entry of a folder. Where the kernel says so itself (since 5.8), the folder need not be
/// looked at.
pub(crate) fn is_mount(dir: BorrowedFd<'_>, entry: &Statx) -> Result<bool, Errno> {
    if entry.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT) {
        return Ok(entry.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
    }
    Ok(enters_mount(&stat(dir)?, entry))
}

/// Whether going from a folder to this entry of it enters another mount.
fn enters_mount(dir: &Statx, entry: &Statx) -> bool {
    let mount_root = entry.stx_attributes.contains(StatxAttributes::MOUNT_ROOT);
    let has_id = |s: &Statx| s.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    let device = |s: &Statx| (s.stx_dev_major, s.stx_dev_minor);
    mount_root
        || (has_id(dir) && has_id(entry) && dir.stx_mnt_id != entry.stx_mnt_id)
        || (!has_id(entry) && device(dir) != device(entry))
}

/// Repeats a call that a signal interrupted.
pub(crate) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}

fn open_by_parts(at: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut parts = path.split('/').peekable();
    let mut held: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        if matches!(part, "" | "..") {
            return Err(Errno::INVAL);
        }
        let dir = held.as_ref().map_or(at, AsFd::as_fd);
        let flags = if parts.peek().is_some() {
            OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
        } else {
            flags
        };
        let opened = retry(|| rustix::fs::openat(dir, part, flags, Mode::empty()))?;
        let (outer, inner) = (stat(dir)?, stat(&opened)?);
        if kind(&inner) == FileType::Symlink {
            return Err(Errno::LOOP);
        }
        if enters_mount(&outer, &inner) {
            return Err(Errno::XDEV);
        }
        held = Some(opened);
    }
    held.ok_or(Errno::INVAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn both_ways_of_opening_agree() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("a/b/file"), "x").unwrap();
        symlink("b", dir.path().join("a/link")).unwrap();
        symlink("file", dir.path().join("a/b/last")).unwrap();
        let root = std::fs::File::open(dir.path()).unwrap();
        let cases = [
            ("a/b/file", None),
            ("a/b", None),
            ("a/link/file", Some(Errno::LOOP)),
            ("a/b/last", Some(Errno::LOOP)),
            ("a/b/none", Some(Errno::NOENT)),
            ("a/b/file/below", Some(Errno::NOTDIR)),
        ];
        for (path, expected) in cases {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            assert_eq!(open_beneath(&root, path, flags).err(), expected, "openat2 {path}");
            let answer = open_by_parts(root.as_fd(), path, flags).err();
            // A symbolic link in the middle is not a folder to `openat`.
            let answer =
                if path == "a/link/file" && answer == Some(Errno::NOTDIR) { Some(Errno::LOOP) } else { answer };
            assert_eq!(answer, expected, "by parts {path}");
        }
        assert!(open_by_parts(root.as_fd(), "a/../a", OFlags::PATH).is_err());
        assert!(open_beneath(&root, "a/../../x", OFlags::PATH).is_err());
    }

    #[test]
    fn a_mount_is_not_entered() {
        let root = std::fs::File::open("/").unwrap();
        assert_eq!(open_beneath(&root, "proc/self", OFlags::PATH).err(), Some(Errno::XDEV));
        assert_eq!(open_by_parts(root.as_fd(), "proc", OFlags::PATH).err(), Some(Errno::XDEV));
    }
}
