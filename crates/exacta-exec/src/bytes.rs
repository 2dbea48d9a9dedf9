//! Whole files through calls that may do only a part.

use crate::fs::{Fs, Kind, Stat};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::hash::Digest;
use rustix::io::Errno;
use sha2::Digest as _;

const CHUNK: usize = 64 * 1024;

/// What a name in a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing, or a regular file.
    State(FileState),
    /// A folder, a link, a device.
    Other,
}

/// What is found at a name: what it holds is not looked at yet.
pub(crate) enum Found<F: Fs> {
    /// Nothing.
    Absent,
    /// A regular file.
    File(F::File),
    /// A folder, a link, a device.
    Other,
}

/// Opens what is at a name.
pub(crate) fn find<F: Fs>(fs: &F, dir: &F::Dir, name: &str) -> Result<Found<F>, Errno> {
    match fs.stat_in(dir, name) {
        Err(Errno::NOENT) => return Ok(Found::Absent),
        Err(errno) => return Err(errno),
        Ok(stat) if stat.kind != Kind::File || stat.mount => return Ok(Found::Other),
        Ok(_) => {}
    }
    match fs.open(dir, name) {
        Ok(file) => Ok(Found::File(file)),
        Err(Errno::NOENT) => Ok(Found::Absent),
        Err(Errno::LOOP) => Ok(Found::Other),
        Err(errno) => Err(errno),
    }
}

/// Looks at a name and hashes what is there.
pub(crate) fn look<F: Fs>(fs: &F, dir: &F::Dir, name: &str) -> Result<Seen, Errno> {
    match find(fs, dir, name)? {
        Found::Absent => Ok(Seen::State(FileState::Absent)),
        Found::Other => Ok(Seen::Other),
        Found::File(file) => state(fs, &file),
    }
}

/// Whether an open file, which `stat` is of, is exactly this: its mode and every byte.
pub(crate) fn is<F: Fs>(fs: &F, file: &F::File, stat: &Stat, content: &FileContent) -> Result<bool, Errno> {
    if (stat.kind, stat.mode, stat.size) != (Kind::File, content.mode(), content.size()) {
        return Ok(false);
    }
    let mut chunk = chunk(content.size());
    let mut rest = content.bytes();
    loop {
        let at = content.size().saturating_sub(rest.len() as u64);
        let count = fs.read(file, at, &mut chunk)?;
        if count == 0 {
            return Ok(rest.is_empty());
        }
        match rest.split_at_checked(count) {
            Some((same, after)) if chunk.get(..count) == Some(same) => rest = after,
            _ => return Ok(false),
        }
    }
}

/// Room for a file of some size, or a part of it, and one byte more, so that its end is noticed.
fn chunk(size: u64) -> Vec<u8> {
    vec![0; usize::try_from(size.saturating_add(1)).unwrap_or(CHUNK).min(CHUNK)]
}

/// The state of an open file.
pub(crate) fn state<F: Fs>(fs: &F, file: &F::File) -> Result<Seen, Errno> {
    let stat = fs.stat(file)?;
    if stat.kind != Kind::File {
        return Ok(Seen::Other);
    }
    let mut hasher = sha2::Sha256::new();
    let mut chunk = chunk(stat.size);
    let mut size = 0_u64;
    loop {
        let count = fs.read(file, size, &mut chunk)?;
        if count == 0 {
            break;
        }
        hasher.update(chunk.get(..count).unwrap_or_default());
        size = size.saturating_add(count as u64);
    }
    let sha256 = Digest::from_bytes(hasher.finalize().into());
    Ok(Seen::State(FileState::File { sha256, size, mode: stat.mode }))
}

/// Writes all bytes, however many calls it takes.
pub(crate) fn write_all<F: Fs>(fs: &F, file: &F::File, mut offset: u64, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let count = fs.write(file, offset, bytes)?;
        if count == 0 {
            return Err(Errno::IO);
        }
        offset = offset.saturating_add(count as u64);
        bytes = bytes.get(count..).unwrap_or_default();
    }
    Ok(())
}

/// Whether a file holds these bytes at an offset.
pub(crate) fn holds<F: Fs>(fs: &F, file: &F::File, offset: u64, bytes: &[u8]) -> Result<bool, Errno> {
    let mut chunk = vec![0; bytes.len().min(CHUNK)];
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = offset.saturating_add((bytes.len() - rest.len()) as u64);
        let into = chunk.get_mut(..rest.len().min(CHUNK)).unwrap_or_default();
        let count = fs.read(file, at, into)?;
        match rest.split_at_checked(count) {
            Some((same, after)) if count > 0 && chunk.get(..count) == Some(same) => rest = after,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Exactly `size` bytes from `offset`, or `None` if the file ends before.
pub(crate) fn read_exact<F: Fs>(fs: &F, file: &F::File, offset: u64, size: u64) -> Result<Option<Vec<u8>>, Errno> {
    // A broken journal may claim any size.
    if offset.saturating_add(size) > fs.stat(file)?.size {
        return Ok(None);
    }
    let mut bytes = vec![0_u8; usize::try_from(size).map_err(|_| Errno::FBIG)?];
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = bytes.get_mut(filled..).unwrap_or_default();
        match fs.read(file, offset.saturating_add(filled as u64), rest)? {
            0 => return Ok(None),
            count => filled += count,
        }
    }
    Ok(Some(bytes))
}
