//! Git's index: what is staged, and how each file was when git looked at it last. Versions 2 to 4, in one file.

use super::{FileMode, Id};
use rustix::fs::Stat;
use std::collections::{BTreeMap, BTreeSet};

/// What is staged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    /// Every file, by its path.
    pub entries: BTreeMap<Vec<u8>, Entry>,
    /// Files with a conflict that nobody has settled yet.
    pub conflicts: BTreeSet<Vec<u8>>,
    /// When it was written.
    written: (u32, u32),
}

/// What is staged of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its kind, and whether it can be executed.
    pub mode: FileMode,
    /// Its content.
    pub id: Id,
    /// Whether git was told not to look at the file.
    pub unwatched: bool,
    /// Whether only its name is there: it is to be added.
    pub to_add: bool,
    stamp: Stamp,
}

/// Change and modification in seconds and nanoseconds, inode, size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    size: u32,
}

impl Stamp {
    /// As git keeps it: what is longer is cut off.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "git's index keeps the low 32 bits")]
    fn of(stat: &Stat) -> Self {
        Self {
            changed: (stat.st_ctime as u32, stat.st_ctime_nsec as u32),
            modified: (stat.st_mtime as u32, stat.st_mtime_nsec as u32),
            inode: stat.st_ino as u32,
            size: stat.st_size as u32,
        }
    }
}

/// Where things are in an entry: times, device, inode; then the mode; then owner, size and the object; then flags.
const MODE: usize = 24;
const SIZE: usize = 36;
const OBJECT: usize = 40;
const FLAGS: usize = OBJECT + 20;

/// Flags: git is not to look at the file, two more bytes of flags follow, and which side of a conflict it is.
const ASSUMED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
/// Of the further flags: the file is not to be in the work tree, and is only to be added.
const SKIPPED: u16 = 0x4000;
const TO_ADD: u16 = 0x2000;

impl Index {
    /// Whether a file is surely as it is staged, by what the file system tells of it: it was not touched since git looked at it, and git
    /// did so after the file had been at rest.
    #[must_use]
    pub fn is_untouched(&self, entry: &Entry, stat: &Stat) -> bool {
        let executable = stat.st_mode & 0o100 != 0;
        (entry.mode == FileMode::Executable) == executable
            && entry.stamp == Stamp::of(stat)
            && entry.stamp.modified < self.written
    }
}

/// Reads an index; none if it is damaged, kept in parts, or of another kind. `stat` is of its file.
pub(super) fn read(bytes: &[u8], stat: &Stat) -> Option<Index> {
    let version = number(bytes, 4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut index = Index { written: Stamp::of(stat).modified, ..Index::default() };
    let (mut at, mut last) = (12, Vec::new());
    for _ in 0..number(bytes, 8)? {
        let flags = short(bytes, at + FLAGS)?;
        let more = if flags & EXTENDED == 0 { 0 } else { short(bytes, at + FLAGS + 2)? };
        let start = at + FLAGS + if flags & EXTENDED == 0 { 2 } else { 4 };
        let (name, end) = if version == 4 { shortened(bytes, start, &last)? } else { plain(bytes, start)? };
        if flags & STAGE == 0 {
            // What is of no known kind stands for a whole folder that is not checked out.
            let mode = FileMode::of(number(bytes, at + MODE)?)?;
            let pair = |place: usize| Some((number(bytes, at + place)?, number(bytes, at + place + 4)?));
            let stamp = Stamp {
                changed: pair(0)?,
                modified: pair(8)?,
                inode: number(bytes, at + 20)?,
                size: number(bytes, at + SIZE)?,
            };
            let entry = Entry {
                mode,
                id: bytes.get(at + OBJECT..at + FLAGS)?.try_into().ok()?,
                unwatched: flags & ASSUMED != 0 || more & SKIPPED != 0,
                to_add: more & TO_ADD != 0,
                stamp,
            };
            index.entries.insert(name.clone(), entry);
        } else {
            index.conflicts.insert(name.clone());
        }
        at = if version == 4 { end } else { at + (end - at).div_ceil(8) * 8 };
        last = name;
    }
    is_whole(bytes, at)?.then_some(index)
}

/// Whether nothing after the entries says that others are kept elsewhere. What follows them is named parts and a checksum.
fn is_whole(bytes: &[u8], mut at: usize) -> Option<bool> {
    while at + 20 + 8 <= bytes.len() {
        if bytes.get(at..at + 4)? == b"link" {
            return Some(false);
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(bytes, at + 4)?).ok()?)?;
    }
    Some(true)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// A name that ends with a NUL, and where what follows begins; entries are padded with one to eight of them.
fn plain(bytes: &[u8], start: usize) -> Option<(Vec<u8>, usize)> {
    let rest = bytes.get(start..)?;
    let length = rest.iter().position(|byte| *byte == 0)?;
    Some((rest.get(..length)?.to_vec(), start + length + 1))
}

/// The same, as the name before it without its end, and another end.
fn shortened(bytes: &[u8], start: usize, last: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut cut, mut at) = (0_usize, start);
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        cut = cut.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            break;
        }
        cut = cut.checked_add(1)?;
    }
    let (end, next) = plain(bytes, at)?;
    let mut name = last.get(..last.len().checked_sub(cut)?)?.to_vec();
    name.extend(end);
    Some((name, next))
}
