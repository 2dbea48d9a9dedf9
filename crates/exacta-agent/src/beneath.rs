//! What is beneath a held folder: through no link, into no other file system, by names that need not be text.

use crate::error::AgentError;
use crate::tree::{Entry, Name};
use exacta_kernel::hash::Hashing;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Read as _, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// How much of a file is held in memory at a time.
const CHUNK: usize = 128 << 10;

/// Opens a folder of the user's own by its path: from here on by handle.
///
/// # Errors
/// If it cannot be opened.
pub fn hold(path: &Path) -> Result<OwnedFd, AgentError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the way to a copy is in the user's own folder, to a project the user's"
    )]
    let held = rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    held.map_err(AgentError::io("open", path))
}

/// The folder of this name; of the empty one, the held one itself, opened again.
pub fn folder(root: BorrowedFd<'_>, name: &Name) -> Result<OwnedFd, Errno> {
    let path = if name.bytes().is_empty() { b"." } else { name.bytes() };
    open(root, path, OFlags::RDONLY | OFlags::DIRECTORY)
}

/// The regular file of this name. Nobody waits for what is no file.
pub fn file(root: BorrowedFd<'_>, name: &Name) -> Result<(File, Stat), Errno> {
    let file = open(root, name.bytes(), OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let facts = fstat(&file)?;
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile => Ok((file.into(), facts)),
        _ => Err(Errno::INVAL),
    }
}

/// The names in a folder, in order.
pub fn names(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(entry.file_name().to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads a file to its end, and says what it is; what is read goes to `copy` as well.
pub fn read(file: &mut File, facts: &Stat, copy: &mut dyn Write) -> std::io::Result<Entry> {
    let (mut hashing, mut size, mut chunk) = (Hashing::default(), 0_u64, vec![0; CHUNK]);
    loop {
        let count = match file.read(&mut chunk) {
            Ok(0) => break,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        let bytes = chunk.get(..count).unwrap_or_default();
        hashing.update(bytes);
        copy.write_all(bytes)?;
        size += bytes.len() as u64;
    }
    Ok(Entry::File { sha256: hashing.finish(), size, executable: facts.st_mode & 0o100 != 0 })
}

/// Where a link leads.
pub fn link(folder: BorrowedFd<'_>, name: &CStr) -> Result<Name, Errno> {
    let target = rustix::fs::readlinkat(folder, name, Vec::new())?;
    Ok(Name::from(target.as_bytes()))
}

fn open(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    loop {
        match openat2(root, std::ffi::OsStr::from_bytes(path), flags, Mode::empty(), RESOLVE) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            // Where the kernel, or what stands before it, does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => return by_parts(root, path, flags),
            answer => return answer,
        }
    }
}

/// The same, part by part from folders that are held.
fn by_parts(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let device = fstat(root)?.st_dev;
    let mut parts = path.split(|byte| *byte == b'/').peekable();
    let mut held: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        if matches!(part, b"" | b"..") {
            return Err(Errno::INVAL);
        }
        let inner = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = if parts.peek().is_some() { inner } else { flags };
        let at = held.as_ref().map_or(root, |held| held.as_fd());
        let opened = openat(at, std::ffi::OsStr::from_bytes(part), flags, Mode::empty())?;
        if fstat(&opened)?.st_dev != device {
            return Err(Errno::XDEV);
        }
        held = Some(opened);
    }
    held.ok_or(Errno::INVAL)
}

/// A file, whole, and whether its owner may execute it; nothing if it is longer than this.
///
/// # Errors
/// If it cannot be read, or is no file.
pub fn whole(root: BorrowedFd<'_>, name: &Name, most: u64) -> Result<Option<(Vec<u8>, bool)>, Errno> {
    let (file, facts) = file(root, name)?;
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok((bytes.len() as u64 <= most).then_some((bytes, facts.st_mode & 0o100 != 0)))
}
