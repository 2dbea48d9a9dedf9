//! How many bytes the journals of runs that are over take: noted after each run, so that not every run has to look at all of them.
//!
//! Whoever can write here can write anything into the note. The worst that comes of it is that journals are counted again, or a day
//! later; which of them go is decided by the journals alone.

use crate::area::{Area, OVER};
use crate::bytes::{read_exact, write_all};
use crate::error::IoError;
use crate::fs::{Fs, Rename};
use rustix::io::Errno;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NAME: &str = "tally";
const NEW: &str = "tally.new";

/// The longest note that is read.
const CAP: u64 = 128;

const DAY: u64 = 24 * 60 * 60;

/// The note in the folder of runs that are over.
pub(crate) struct Tally;

impl Tally {
    /// What a count holds for: today, and these limits.
    pub(crate) fn terms(older_than: Duration, size_cap: u64) -> String {
        format!("{} {} {size_cap}", clock() / DAY, older_than.as_secs())
    }

    /// The bytes that were counted on the same terms.
    pub(crate) fn read<F: Fs>(area: &Area<'_, F>, terms: &str) -> Result<Option<u64>, IoError> {
        let file = match area.fs.open(area.over()?, NAME) {
            Ok(file) => file,
            Err(Errno::NOENT | Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Ok(None),
            Err(errno) => return Err(io("open")(errno)),
        };
        let size = area.fs.stat(&file).map_err(io("look at"))?.size.min(CAP);
        let text = read_exact(area.fs, &file, 0, size).map_err(io("read"))?.unwrap_or_default();
        let rest = str::from_utf8(&text).ok().and_then(|text| text.strip_prefix(terms)?.strip_prefix(' '));
        Ok(rest.and_then(|bytes| bytes.parse().ok()))
    }

    /// Notes the bytes. A file of its own takes the place of the old one: what is there may be another name of any file.
    pub(crate) fn write<F: Fs>(area: &Area<'_, F>, terms: &str, bytes: u64) -> Result<(), IoError> {
        let over = area.over()?;
        match area.fs.remove(over, NEW) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(io("remove")(errno)),
        }
        let file = area.fs.create(over, NEW).map_err(io("create"))?;
        write_all(area.fs, &file, 0, format!("{terms} {bytes}").as_bytes()).map_err(io("write"))?;
        area.fs.rename((over, NEW), (over, NAME), Rename::Replace).map_err(io("replace"))
    }
}

/// Seconds since 1970.
pub(crate) fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn io(call: &'static str) -> impl FnOnce(Errno) -> IoError {
    move |errno| IoError { call, path: format!("{OVER}/{NAME}"), errno }
}
