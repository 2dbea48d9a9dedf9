//! The cache of an index: one file per project in a folder of the user's own, replaced as a whole.
//!
//! What cannot be read as it was written is as good as no cache. There is a sum over all of it, against damage; against forgery there
//! is the folder, which is the user's.

use super::{Entry, File, Record};
use crate::walk::Stamp;
use exacta_kernel::hash::Digest;
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, Mode, OFlags, fstat, openat, renameat, unlinkat};
use std::io::{self, BufReader, BufWriter, Read, Write};

/// Another number whenever what is written, or how words are made, changes.
const FORMAT: &[u8] = b"exacta context index 1\n";
/// The longest list or text of one file.
const LONGEST: usize = 1 << 20;

/// Where the index of a project is kept.
#[derive(Debug)]
pub(super) struct Place<'a> {
    folder: BorrowedFd<'a>,
    name: String,
}

impl<'a> Place<'a> {
    /// The place for a project, by what its folder is and not by what it is called.
    pub fn of(root: BorrowedFd<'_>, folder: BorrowedFd<'a>) -> Option<Self> {
        let stat = fstat(root).ok()?;
        Some(Self { folder, name: format!("context-{:x}-{:x}", stat.st_dev, stat.st_ino) })
    }

    /// What is kept, in order of paths; none if there is nothing, or it is damaged.
    pub fn load(&self) -> Option<Vec<Entry>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(self.folder, &*self.name, flags, Mode::empty()).ok()?;
        let mut from =
            Summed { inner: BufReader::with_capacity(1 << 18, std::fs::File::from(file)), sum: Sum::default() };
        read_all(&mut from).ok()
    }

    /// Writes all of it under another name first, so that nobody ever reads half of it.
    pub fn save(&self, files: &[File]) -> io::Result<()> {
        let new = format!("{}.new-{}", self.name, std::process::id());
        let _ = unlinkat(self.folder, &*new, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = std::fs::File::from(openat(self.folder, &*new, flags, Mode::RUSR | Mode::WUSR)?);
        let mut to = Summed { inner: BufWriter::with_capacity(1 << 18, file), sum: Sum::default() };
        let written = write_all(&mut to, files).and_then(|()| to.inner.flush());
        if written.is_err() {
            let _ = unlinkat(self.folder, &*new, AtFlags::empty());
            return written;
        }
        Ok(renameat(self.folder, &*new, self.folder, &*self.name)?)
    }
}

fn write_all(to: &mut Summed<impl Write>, files: &[File]) -> io::Result<()> {
    to.put(FORMAT)?;
    to.put_number(files.len() as u64)?;
    for file in files {
        let stamp = &file.seen.stamp;
        to.put_bytes(file.seen.path.as_str().as_bytes())?;
        for number in [stamp.size, stamp.modified as u64, stamp.changed as u64, stamp.inode, u64::from(file.settled)] {
            to.put_number(number)?;
        }
        let digest = file.record.digest.map(|digest| digest.to_string()).unwrap_or_default();
        to.put_bytes(digest.as_bytes())?;
        to.put_numbers(&file.record.words)?;
        to.put_numbers(&file.record.defines)?;
        to.put_bytes(file.record.imports.as_bytes())?;
    }
    let sum = to.sum.0;
    to.put_number(sum)
}

fn read_all(from: &mut Summed<impl Read>) -> io::Result<Vec<Entry>> {
    let mut format = [0; FORMAT.len()];
    from.get(&mut format)?;
    let count = from.number()?;
    if format != FORMAT || count > crate::walk::MOST_FILES as u64 {
        return Err(damaged());
    }
    let mut entries = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
    for _ in 0..count {
        let path = from.text()?;
        let mut numbers = [0; 5];
        for number in &mut numbers {
            *number = from.number()?;
        }
        let [size, modified, changed, inode, settled] = numbers;
        let time = |number: u64| i128::from(number.cast_signed());
        let stamp = Stamp { size, modified: time(modified), changed: time(changed), inode };
        let digest = from.text()?;
        let digest = if digest.is_empty() { None } else { Some(Digest::parse(&digest).map_err(|_| damaged())?) };
        let (words, defines) = (from.numbers()?, from.numbers()?);
        let record = Record { digest, words, defines, imports: from.text()?.into() };
        entries.push(Entry { path, stamp, settled: settled == 1, record });
    }
    let sum = from.sum.0;
    let in_order = entries.is_sorted_by(|a, b| a.path < b.path);
    if from.number()? == sum && in_order { Ok(entries) } else { Err(damaged()) }
}

fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// A sum over bytes, eight at a time.
#[derive(Debug, Default)]
struct Sum(u64);

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            self.mix(u64::from_le_bytes(*eight));
        }
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        self.mix(u64::from_le_bytes(last) ^ bytes.len() as u64);
    }

    const fn mix(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A file with a sum over all that went through it.
struct Summed<T> {
    inner: T,
    sum: Sum,
}

impl<T: Write> Summed<T> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.add(bytes);
        self.inner.write_all(bytes)
    }

    fn put_number(&mut self, number: u64) -> io::Result<()> {
        self.put(&number.to_le_bytes())
    }

    fn put_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put_number(bytes.len() as u64)?;
        self.put(bytes)
    }

    fn put_numbers(&mut self, numbers: &[u32]) -> io::Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.put_bytes(&bytes)
    }
}

impl<T: Read> Summed<T> {
    fn get(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(bytes)?;
        self.sum.add(bytes);
        Ok(())
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.get(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok().filter(|length| *length <= LONGEST).ok_or_else(damaged)?;
        let mut bytes = vec![0; length];
        self.get(&mut bytes)?;
        Ok(bytes)
    }

    fn text(&mut self) -> io::Result<String> {
        String::from_utf8(self.bytes()?).map_err(|_| damaged())
    }

    fn numbers(&mut self) -> io::Result<Box<[u32]>> {
        let bytes = self.bytes()?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect())
    }
}
