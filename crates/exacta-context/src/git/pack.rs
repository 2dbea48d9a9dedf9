//! A pack: objects one after the other, many as what differs from another one; and its index, sorted by hash.

use super::Id;
use super::object::{Kind, Object};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use std::cmp::Ordering;

/// How many objects may build on one another.
const CHAIN: usize = 300;
/// Where the table of hashes begins in an index.
const HASHES: u64 = 8 + 256 * 4;

/// A pack with its index, of version 2.
#[derive(Debug)]
pub(super) struct Pack {
    index: OwnedFd,
    data: OwnedFd,
    count: u64,
}

impl Pack {
    /// Opens a pack by its name without ending; none if it is not one.
    pub fn open(folder: BorrowedFd<'_>, name: &str) -> Option<Self> {
        let open = |ending: &str| {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let file = openat(folder, format!("{name}.{ending}"), flags, Mode::empty()).ok()?;
            (FileType::from_raw_mode(fstat(&file).ok()?.st_mode) == FileType::RegularFile).then_some(file)
        };
        let (index, data) = (open("idx")?, open("pack")?);
        if at::<8>(&index, 0)? != *b"\xfftOc\0\0\0\x02" {
            return None;
        }
        let count = u64::from(u32::from_be_bytes(at(&index, HASHES - 4)?));
        Some(Self { index, data, count })
    }

    /// An object with its deltas applied, if it is within the limit of bytes.
    pub fn find(&self, id: &Id, largest: usize) -> Option<Object> {
        let mut offset = self.offset(id)?;
        let mut deltas = Vec::new();
        let (kind, mut bytes) = loop {
            let entry = self.entry(offset, largest)?;
            match entry.base {
                Base::None(kind) => break (kind, entry.bytes),
                Base::At(base) => offset = base,
                Base::Object(base) => offset = self.offset(&base)?,
            }
            deltas.push(entry.bytes);
            if deltas.len() > CHAIN {
                return None;
            }
        };
        for delta in deltas.iter().rev() {
            bytes = apply(&bytes, delta, largest)?;
        }
        Some(Object { kind, bytes })
    }

    /// Where an object begins, by its hash.
    fn offset(&self, id: &Id) -> Option<u64> {
        let first = u64::from(*id.first()?);
        let up_to = |byte: u64| at::<4>(&self.index, 8 + byte * 4).map(|bytes| u64::from(u32::from_be_bytes(bytes)));
        let (mut low, mut high) = (first.checked_sub(1).map_or(Some(0), up_to)?, up_to(first)?.min(self.count));
        while low < high {
            let middle = low + (high - low) / 2;
            match at::<20>(&self.index, HASHES + middle * 20)?.cmp(id) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.offset_of(middle),
            }
        }
        None
    }

    fn offset_of(&self, place: u64) -> Option<u64> {
        let offsets = HASHES + self.count * 24;
        let offset = u32::from_be_bytes(at(&self.index, offsets + place * 4)?);
        if offset >> 31 == 0 {
            return Some(u64::from(offset));
        }
        let long = offsets + self.count * 4 + u64::from(offset & 0x7fff_ffff) * 8;
        Some(u64::from_be_bytes(at(&self.index, long)?))
    }

    /// What is at a place: a head of a few bytes, what it builds on, and packed bytes.
    fn entry(&self, offset: u64, largest: usize) -> Option<Entry> {
        let head = some_at(&self.data, offset, 64)?;
        let mut head = Bytes(&head, 0);
        let first = head.next()?;
        let (mut size, mut shift, mut more) = (u64::from(first & 15), 4, first & 0x80 != 0);
        while more {
            let byte = head.next()?;
            size |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            more = byte & 0x80 != 0;
        }
        let base = match first >> 4 & 7 {
            1 => Base::None(Kind::Commit),
            2 => Base::None(Kind::Tree),
            3 => Base::None(Kind::Blob),
            4 => Base::None(Kind::Other),
            6 => Base::At(offset.checked_sub(head.back()?)?),
            7 => Base::Object(head.id()?),
            _ => return None,
        };
        let size = usize::try_from(size).ok().filter(|size| *size <= largest)?;
        // Packing never makes it longer than this.
        let packed = some_at(&self.data, offset.checked_add(head.1 as u64)?, size + size / 1000 + 128)?;
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&packed, size).ok()?;
        (bytes.len() == size).then_some(Entry { base, bytes })
    }
}

struct Entry {
    base: Base,
    bytes: Vec<u8>,
}

/// What an entry builds on.
enum Base {
    None(Kind),
    At(u64),
    Object(Id),
}

/// Bytes, and how far they are read.
struct Bytes<'a>(&'a [u8], usize);

impl Bytes<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.0.get(self.1)?;
        self.1 += 1;
        Some(byte)
    }

    /// How far back the base begins.
    fn back(&mut self) -> Option<u64> {
        let mut byte = self.next()?;
        let mut back = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.next()?;
            back = back.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
        }
        Some(back)
    }

    fn id(&mut self) -> Option<Id> {
        let id = self.0.get(self.1..self.1 + 20)?.try_into().ok()?;
        self.1 += 20;
        Some(id)
    }

    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0_usize, 0);
        loop {
            let byte = self.next()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    /// A number of which only some bytes are there, as `mask` says.
    fn some(&mut self, mask: u8, count: u32) -> Option<usize> {
        let mut number = 0;
        for place in 0..count {
            if mask >> place & 1 == 1 {
                number |= usize::from(self.next()?) << (place * 8);
            }
        }
        Some(number)
    }
}

/// An object from the one it builds on: parts of that, and parts of its own.
fn apply(base: &[u8], delta: &[u8], largest: usize) -> Option<Vec<u8>> {
    let mut delta = Bytes(delta, 0);
    let (from, to) = (delta.number()?, delta.number()?);
    if from != base.len() || to > largest {
        return None;
    }
    let mut out = Vec::with_capacity(to);
    while let Some(command) = delta.next() {
        let part = if command & 0x80 != 0 {
            let (start, length) = (delta.some(command, 4)?, delta.some(command >> 4 & 7, 3)?);
            base.get(start..start.checked_add(if length == 0 { 0x10000 } else { length })?)?
        } else {
            let start = delta.1;
            delta.1 += usize::from(command);
            delta.0.get(start..delta.1).filter(|part| !part.is_empty())?
        };
        if out.len() + part.len() > to {
            return None;
        }
        out.extend_from_slice(part);
    }
    (out.len() == to).then_some(out)
}

fn at<const N: usize>(file: &OwnedFd, offset: u64) -> Option<[u8; N]> {
    some_at(file, offset, N)?.try_into().ok()
}

/// Up to this many bytes; fewer only at the end.
fn some_at(file: &OwnedFd, offset: u64, most: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; most];
    let mut filled = 0;
    while filled < most {
        match rustix::io::pread(file, bytes.get_mut(filled..)?, offset.checked_add(filled as u64)?) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    bytes.truncate(filled);
    Some(bytes)
}
