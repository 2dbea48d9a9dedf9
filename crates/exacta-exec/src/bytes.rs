//! Whole files through calls that may do only a part.

use crate::fs::{Fs, Kind};
use exacta_kernel::facts::FileState;
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

/// Looks at a name and hashes what is there.
pub(crate) fn look<F: Fs>(fs: &F, dir: &F::Dir, name: &str) -> Result<Seen, Errno> {
    match fs.stat_in(dir, name) {
        Err(Errno::NOENT) => return Ok(Seen::State(FileState::Absent)),
        Err(errno) => return Err(errno),
        Ok(stat) if stat.kind != Kind::File || stat.mount => return Ok(Seen::Other),
        Ok(_) => {}
    }
    match fs.open(dir, name) {
        Ok(file) => state(fs, &file),
        Err(Errno::NOENT) => Ok(Seen::State(FileState::Absent)),
        Err(Errno::LOOP) => Ok(Seen::Other),
        Err(errno) => Err(errno),
    }
}

/// The state of an open file.
pub(crate) fn state<F: Fs>(fs: &F, file: &F::File) -> Result<Seen, Errno> {
    let stat = fs.stat(file)?;
    if stat.kind != Kind::File {
        return Ok(Seen::Other);
    }
    let mut hasher = sha2::Sha256::new();
    let mut chunk = vec![0_u8; CHUNK];
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
