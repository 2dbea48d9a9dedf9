//! The log itself: its lines against the signed roots, and, where those do not fit, against the database's index, to say
//! which line it is.

use super::{Findings, pending};
use crate::error::{Place, RecordError};
use crate::folder::{Folder, LOG};
use crate::proof::head::{check_outbox, state_root};
use crate::proof::log_state::LogState;
use crate::proof::tree;
use crate::row::{signed as as_integer, unsigned};
use crate::signer::Pin;
use crate::sqlite::db::Db;
use crate::sqlite::log;
use exacta_kernel::audit::merkle::leaf_hash;
use exacta_kernel::audit::{Checkpoint, Frontier};
use exacta_kernel::hash::Digest;
use memchr::memmem::{self, Finder};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::FileExt as _;

/// What the log says about everything else.
pub struct Gathered {
    /// The newest hash of every record, by the record's id.
    pub records: HashMap<String, String>,
    /// The lines of every operation, by its id.
    pub operations: HashMap<[u8; 36], Chain>,
    /// What the last entry says of all records.
    pub state: Digest,
}

/// What marks the entries that carry hashes of records.
const MARK: &[u8] = b"\"record_sha256\":{";

/// Lines in their order, as one hash.
#[derive(Default)]
pub struct Chain(Sha256);

impl Chain {
    /// Adds a line by its leaf.
    pub fn add(&mut self, leaf: &Digest) {
        self.0.update(leaf.as_bytes());
    }

    /// The hash of all of them.
    pub fn hash(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Checks the log and gathers what it says about the records.
pub fn check(
    db: &Db<'_>,
    folder: &Folder,
    ledger: &LogState,
    signed: Option<&Checkpoint>,
    pin: Option<Pin>,
    found: &mut Findings,
) -> Result<Gathered, RecordError> {
    let before = found.tampered.len();
    let mut walk = Walk::new(signed.map(|signed| signed.size), pin.map(|pin| pin.size));
    read(db, folder, ledger, |line| walk.take(line))?;
    walk.gathered.state = state_root(&walk.last).unwrap_or(tree::EMPTY);
    found.report.entries = walk.frontier.size();
    found.report.bytes = ledger.bytes;
    let sound = walk.frontier.size() == ledger.size() && walk.frontier.root() == ledger.frontier.root();
    let covered = signed.map_or(0, |signed| signed.size);
    let file_fits = sound && file_ends_well(db, folder, ledger, covered, found)?;
    let signed_fits = signed.is_none_or(|signed| walk.root_at(signed.size) == Some(signed.root));
    let pin_fits = pin.is_none_or(|pin| walk.root_at(pin.size) == Some(pin.root));
    if !(file_fits && signed_fits && pin_fits) {
        if found.tampered.len() == before {
            locate(db, folder, ledger, found)?;
        }
        if found.tampered.len() == before {
            blame(ledger, (signed, signed_fits), (pin, pin_fits), found);
        }
        return Ok(walk.gathered);
    }
    index(db, ledger, &walk.lines, found)?;
    found.report.signed = signed.map_or(0, |signed| signed.size);
    found.report.pinned = pin.map_or(0, |pin| pin.size);
    note_limits(ledger.size(), found);
    Ok(walk.gathered)
}

/// What a walk over all lines gathers.
struct Walk {
    frontier: Frontier,
    /// Roots at the sizes that were asked for.
    roots: BTreeMap<u64, Option<Digest>>,
    gathered: Gathered,
    mark: Finder<'static>,
    lines: Vec<Indexed>,
    last: Vec<u8>,
}

/// A line as the database's index must have it.
#[derive(PartialEq, Eq)]
struct Indexed {
    start: u64,
    end: u64,
    leaf: Digest,
    operation: Option<[u8; 36]>,
}

/// Checks the index by which single entries are found, and what is kept for the case that the file lacks the last lines.
fn index(db: &Db<'_>, ledger: &LogState, lines: &[Indexed], found: &mut Findings) -> Result<(), RecordError> {
    let mut seq = 0_usize;
    let sql = "SELECT seq, start, end, leaf, correlation_id FROM entry ORDER BY seq";
    let rows = db.all(sql, [], |row| {
        let operation = row.get::<_, Option<String>>(4)?.and_then(|id| id.as_bytes().first_chunk().copied());
        let leaf = Digest::from_bytes(row.get(3)?);
        let indexed = Indexed { start: unsigned(row.get(1)?), end: unsigned(row.get(2)?), leaf, operation };
        Ok((unsigned(row.get(0)?), indexed))
    })?;
    for (number, row) in &rows {
        if *number != seq as u64 || lines.get(seq) != Some(row) {
            found.tampered(Place::Index, format!("it differs from the log at entry {seq}"));
            return Ok(());
        }
        seq += 1;
    }
    if seq != lines.len() {
        found.tampered(Place::Index, format!("it ends before entry {seq}"));
    }
    let pending = log::outbox(db)?;
    if let Err(RecordError::Tampered(tampered)) = check_outbox(ledger, &pending) {
        found.tampered(tampered.place, tampered.what);
    }
    for line in pending {
        let leaf = leaf_hash(line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes));
        let indexed = usize::try_from(line.seq).ok().and_then(|seq| lines.get(seq));
        if indexed.is_none_or(|indexed| indexed.leaf != leaf || indexed.start != line.start) {
            found.tampered(Place::Index, format!("what is kept of entry {} is not what the log says", line.seq));
        }
    }
    Ok(())
}

impl Walk {
    fn new(signed: Option<u64>, pinned: Option<u64>) -> Self {
        let mut roots: BTreeMap<u64, Option<Digest>> =
            signed.into_iter().chain(pinned).map(|size| (size, None)).collect();
        let frontier = Frontier::default();
        roots.entry(0).and_modify(|root| *root = Some(frontier.root()));
        let gathered = Gathered { records: HashMap::new(), operations: HashMap::new(), state: tree::EMPTY };
        Self { frontier, roots, gathered, mark: Finder::new(MARK), lines: Vec::new(), last: Vec::new() }
    }

    fn take(&mut self, line: &[u8]) {
        let leaf = leaf_hash(line);
        self.frontier.push(leaf);
        if let Some(root) = self.roots.get_mut(&self.frontier.size()) {
            *root = Some(self.frontier.root());
        }
        let start = self.lines.last().map_or(0, |line| line.end);
        let operation = operation(line);
        self.lines.push(Indexed { start, end: start + line.len() as u64 + 1, leaf, operation });
        if let Some(id) = operation {
            self.gathered.operations.entry(id).or_default().add(&leaf);
        }
        self.last.clear();
        self.last.extend_from_slice(line);
        if self.mark.find(line).is_some() {
            // A line that cannot be read is not one of ours, and the roots will say so.
            if let Ok(line) = serde_json::from_slice::<Line<'_>>(line) {
                let records = line.data.record_sha256.into_iter();
                self.gathered.records.extend(records.map(|(id, hash)| (id.into_owned(), hash.into_owned())));
            }
        }
    }

    fn root_at(&self, size: u64) -> Option<Digest> {
        self.roots.get(&size).copied().flatten()
    }
}

/// The operation an entry belongs to. In canonical form it stands after the actor and the time; and a quotation mark that
/// is not escaped cannot be in the actor's name.
fn operation(line: &[u8]) -> Option<[u8; 36]> {
    const AT: &[u8] = b"\",\"at\":\"";
    const TIME: usize = "2026-11-06T21:20:00.042Z".len();
    let after = line.get(memmem::find(line, AT)? + AT.len() + TIME..)?;
    let id = after.strip_prefix(b"\",\"correlation_id\":\"")?;
    id.first_chunk().copied()
}

/// The part of an entry that is needed here.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    record_sha256: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// Reads the file line by line, and then what is still in the outbox; a file that lacks more than that is read as it is.
fn read(db: &Db<'_>, folder: &Folder, ledger: &LogState, mut take: impl FnMut(&[u8])) -> Result<(), RecordError> {
    let path = folder.path().join(LOG);
    let file = folder.file(LOG, false)?;
    let len = file.as_ref().map_or(Ok(0), |file| file.metadata().map(|data| data.len()));
    let len = len.map_err(RecordError::io("read", &path))?;
    let pending = pending(db, len)?;
    // A line that a crash tore is read from the outbox instead.
    let whole = pending.first().map_or(ledger.bytes, |torn| torn.start);
    if let Some(file) = file {
        each_line(file, whole, &mut take).map_err(RecordError::io("read", &path))?;
    }
    if len < whole {
        return Ok(());
    }
    pending.iter().for_each(|line| take(line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes)));
    Ok(())
}

fn each_line(file: File, bytes: u64, mut take: impl FnMut(&[u8])) -> std::io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 18, file.take(bytes));
    let mut long = Vec::new();
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let mut used = 0;
        for end in memchr::memchr_iter(b'\n', buffer) {
            let line = buffer.get(used..end).unwrap_or_default();
            if long.is_empty() {
                take(line);
            } else {
                // The line began in the buffer before.
                long.extend_from_slice(line);
                take(&long);
                long.clear();
            }
            used = end + 1;
        }
        long.extend_from_slice(buffer.get(used..).unwrap_or_default());
        let all = buffer.len();
        reader.consume(all);
    }
    if !long.is_empty() {
        take(&long);
    }
    Ok(())
}

/// Whether the file holds exactly the lines that were recorded, or a crash left the last of them in the outbox. That cannot
/// be for the first `covered` lines: a checkpoint is put into its file only after they were on disk.
fn file_ends_well(
    db: &Db<'_>,
    folder: &Folder,
    ledger: &LogState,
    covered: u64,
    found: &mut Findings,
) -> Result<bool, RecordError> {
    let path = folder.path().join(LOG);
    let file = folder.file(LOG, false)?;
    let len = file.as_ref().map_or(Ok(0), |file| file.metadata().map(|data| data.len()));
    let len = len.map_err(RecordError::io("read", &path))?;
    if len > ledger.bytes {
        let what = "the file goes on after the last entry that was recorded";
        found.tampered(Place::Line(ledger.size() + 1), what);
        return Ok(false);
    }
    let pending = pending(db, len)?;
    let Some(torn) = pending.first() else { return Ok(len == ledger.bytes) };
    if torn.seq < covered && len == 0 {
        emptied(folder, ledger, found)?;
        return Ok(false);
    }
    if torn.seq < covered {
        let what = "the log ends here: this line and what followed is missing, though a checkpoint was signed for it";
        found.tampered(Place::Line(torn.seq + 1), what);
        return Ok(false);
    }
    let mut tail = vec![0; usize::try_from(len.saturating_sub(torn.start)).unwrap_or_default()];
    if let Some(file) = file {
        file.read_exact_at(&mut tail, torn.start.min(len)).map_err(RecordError::io("read", &path))?;
    }
    let begun = len >= torn.start && torn.bytes.starts_with(&tail);
    if begun {
        found.note(format!(
            "{} entries at the end are not in the log file yet; the next command writes them",
            pending.len()
        ));
    }
    Ok(begun)
}

/// Finds the lines that are not the ones the index knows: every one that was changed, up to the first that was removed,
/// added or moved, because after it nothing is in its place.
fn locate(db: &Db<'_>, folder: &Folder, ledger: &LogState, found: &mut Findings) -> Result<(), RecordError> {
    let mut count = 0;
    let mut state = Ok(true);
    read(db, folder, ledger, |line| {
        if let Ok(true) = state {
            state = compare(db, ledger.size(), count, leaf_hash(line), found);
        }
        count += 1;
    })?;
    if count == 0 && ledger.size() > 0 {
        emptied(folder, ledger, found)?;
    } else if state? && count < ledger.size() {
        found.tampered(Place::Line(count + 1), "the log ends here: this line and what followed is missing");
    }
    Ok(())
}

/// There are no lines at all, though there were.
fn emptied(folder: &Folder, ledger: &LogState, found: &mut Findings) -> Result<(), RecordError> {
    let what = if folder.file(LOG, false)?.is_some() { "the log is empty" } else { "the log is missing" };
    found.tampered(Place::File(folder.path().join(LOG)), format!("{what}: it had {} lines", ledger.size()));
    Ok(())
}

/// Compares one line with the index; whether those after it can be compared too.
fn compare(db: &Db<'_>, size: u64, seq: u64, leaf: Digest, found: &mut Findings) -> Result<bool, RecordError> {
    let known = db.one("SELECT leaf FROM entry WHERE seq = ?1", [as_integer(seq)], |row| row.get::<_, Vec<u8>>(0))?;
    if known.is_some_and(|known| known == leaf.as_bytes()) {
        return Ok(true);
    }
    let from = db.one("SELECT seq FROM entry WHERE leaf = ?1", [leaf.as_bytes()], |row| row.get::<_, i64>(0))?;
    let what = match from.map(unsigned) {
        Some(from) => format!("a line was removed, added or moved: here stands what was line {}", from + 1),
        None if seq >= size => "a line was added".to_owned(),
        None => "the line was changed".to_owned(),
    };
    found.tampered(Place::Line(seq + 1), what);
    Ok(from.is_none() && seq < size && !found.is_full())
}

/// Where the index agrees with the file but a signed root does not, both were rewritten: says how much is affected.
fn blame(
    ledger: &LogState,
    (signed, signed_fits): (Option<&Checkpoint>, bool),
    (pin, pin_fits): (Option<Pin>, bool),
    found: &mut Findings,
) {
    let size = ledger.size();
    let good = [pin.filter(|_| pin_fits).map(|pin| pin.size), signed.filter(|_| signed_fits).map(|signed| signed.size)];
    let good = good.into_iter().flatten().max().unwrap_or(0);
    let bad =
        [pin.filter(|_| !pin_fits).map(|pin| pin.size), signed.filter(|_| !signed_fits).map(|signed| signed.size)];
    let bad = bad.into_iter().flatten().min();
    match bad {
        Some(bad) if bad > size => {
            let what = "the log was cut and its index with it: a signed checkpoint knows more lines";
            found.tampered(Place::Lines(size + 1, bad), what);
        }
        Some(bad) => {
            let first = if good < bad { good + 1 } else { 1 };
            let what = "the log and its index were rewritten: they do not fit the signed checkpoint";
            found.tampered(Place::Lines(first, bad), what);
        }
        None => found.tampered(Place::Index, "its hashes do not fit its entries"),
    }
}

fn note_limits(size: u64, found: &mut Findings) {
    let (signed, pinned) = (found.report.signed, found.report.pinned);
    if signed < size {
        found.note(format!("{} entries at the end are not under a signed checkpoint in the folder yet", size - signed));
    }
    if pinned == 0 && size > 0 {
        found.note(
            "no checkpoint is pinned in your configuration: a log replaced as a whole, by somebody who has its key, \
             would not be noticed",
        );
    } else if pinned < size {
        found.note(format!(
            "{} entries at the end are not under the checkpoint pinned in your configuration",
            size - pinned
        ));
    }
}
