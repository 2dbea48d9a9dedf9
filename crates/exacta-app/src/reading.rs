//! Readings that may be kept for a moment: a plan as it is shown, and what proves that it would still be shown the same.
//!
//! A plan that could still run is derived again each time it is shown. Whoever shows it often keeps the answer with a [`Witness`]: everything that
//! was looked at for it, without the bytes. Nothing that decides or runs asks a witness.

use crate::app::App;
use crate::caller::Act;
use crate::current::Current;
use crate::error::Error;
use crate::in_force::leads_to;
use crate::options::Options;
use exacta_exec::look::stamp::Stamp;
use exacta_home::{Readings, noting};
use exacta_kernel::facts::{Facts, Target};
use exacta_kernel::id::PlanId;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::Domain;
use exacta_kernel::time::Timestamp;
use exacta_record::Version;
use exacta_view::PlanDetail;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How coarsely a file system may count time: what was written within the same step as before shows by nothing.
const STEP: Duration = Duration::from_secs(2);

/// How long something is kept, whatever proves it: who writes into a file by mapping it into memory changes no time of it at once.
pub const LONGEST: Duration = Duration::from_millis(500);

/// File systems of this machine that tell of every change in a file's times, by magic number: ext, XFS, btrfs, F2FS, ZFS, bcachefs, tmpfs, overlayfs.
const LOCAL: [u64; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e, 0x0102_1994, 0x794c_7630];

/// Everything that a plan was shown by, but for the records: whether it is all as it was.
#[derive(Debug)]
pub struct Witness {
    targets: Vec<Stamp>,
    readings: Readings,
    /// The paths that the Safety Policy has commands for, and whether each leads to this project.
    names: Vec<(String, bool)>,
    /// When something of it is over by itself.
    until: Timestamp,
}

impl App {
    /// Which state of the records and of the project's place there is now; `None` if the project is no longer where it was opened. Two of the
    /// same opened project are equal if nothing was recorded between.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn version(&self) -> Result<Option<Version>, Error> {
        self.authorize(Act::Read)?;
        if !self.root.is_in_place().unwrap_or(false) {
            return Ok(None);
        }
        Ok(self.store.version(self.root.folder())?)
    }

    /// A plan as [`App::show`] has it, with what proves for as long as nothing is recorded that it would be shown the same. There is no such proof
    /// where something that it depends on changed just now, cannot be compared by its times, or is not a file.
    ///
    /// # Errors
    /// As [`App::show`].
    pub fn show_witnessed(&self, id: &PlanId) -> Result<(PlanDetail, Option<Witness>), Error> {
        self.authorize_for(Act::Read, id)?;
        let begun = SystemTime::now();
        let (shown, readings) = noting(|| self.shown_current(id));
        let (detail, current) = shown?;
        let witness = current.and_then(|current| self.witness(&current, readings, begun));
        Ok((detail, witness))
    }

    fn witness(&self, current: &Current, readings: Readings, begun: SystemTime) -> Option<Witness> {
        let stored = &current.stored;
        let binding = &stored.identity.binding;
        let files = current.evaluation.plan().is_some_and(|plan| plan.domain() == Domain::Files);
        let plain = binding.asked.is_none() && binding.autopilot.is_none() && binding.site.is_none();
        let folders = [self.path(), self.home.config(), self.home.state()];
        if !(files && plain && readings.settled(begun, STEP) && folders.into_iter().all(is_local)) {
            return None;
        }
        let config = RelPath::parse(crate::in_force::CONFIG).ok()?;
        let mut targets = vec![self.root.stamp(&config, false)?];
        for path in stored.facts().paths() {
            targets.push(self.stamp(stored.facts(), path)?);
        }
        // The configuration's folder has the records, too: what happens there is no change of the configuration.
        let settled = targets.iter().skip(1).all(|target| target.settled(begun, STEP));
        let config_settled = targets.first().is_some_and(|config| config.entry_settled(begun, STEP));
        if !(settled && config_settled) {
            return None;
        }
        let approvals = stored.record.approvals.iter().map(|signed| signed.statement.expires_at);
        let until = approvals.filter(|at| *at > stored.now).chain([stored.record.expires_at]).min()?;
        let names = stored.in_force().policy.safety().projects.keys();
        let names = names.map(|name| (name.clone(), self.is_led_to(name))).collect();
        Some(Witness { targets, readings, names, until })
    }

    /// A target as it is, if that is what was read of it.
    fn stamp(&self, facts: &Facts, path: &RelPath) -> Option<Stamp> {
        let fact = facts.get(path)?;
        let absent = fact.target == Target::Absent;
        let stamp = self.root.stamp(path, absent || fact.folds)?;
        let same = if stamp.is_file() { matches!(fact.target, Target::File(_)) } else { absent };
        same.then_some(stamp)
    }

    fn is_led_to(&self, name: &str) -> bool {
        leads_to(name).as_deref() == Some(self.path())
    }
}

impl Witness {
    /// Whether everything is as it was, seen from a project that is held open.
    #[must_use]
    pub fn holds(&self, held: &App) -> bool {
        crate::clock::now() < self.until
            && self.readings.hold()
            && self.targets.iter().all(|target| held.root.is_as(target))
            && self.names.iter().all(|(name, led)| held.is_led_to(name) == *led)
    }
}

/// Something that only the user's own files decide, kept while these are as they were.
#[derive(Debug)]
pub struct FromHome<T>(Mutex<Option<KeptValue<T>>>);

#[derive(Debug)]
struct KeptValue<T> {
    value: T,
    readings: Readings,
    at: Instant,
}

impl<T> Default for FromHome<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> FromHome<T> {
    /// What these files say: as it is kept, if none of them changed since, or read again.
    ///
    /// # Errors
    /// As `read`.
    pub fn get(&self, options: &Options, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| kept.at.elapsed() < LONGEST && kept.readings.hold()) {
            return Ok(kept.value.clone());
        }
        let begun = SystemTime::now();
        let (value, readings) = noting(read);
        let value = value?;
        let home = options.home()?;
        let settled = readings.settled(begun, STEP) && [home.config(), home.state()].into_iter().all(is_local);
        *kept = settled.then(|| KeptValue { value: value.clone(), readings, at: Instant::now() });
        Ok(value)
    }
}

/// Whether a folder lies on a file system that tells of every change.
fn is_local(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|found| is_known(found.f_type))
}

/// The type of `f_type` differs between platforms.
fn is_known(magic: impl TryInto<i64>) -> bool {
    magic.try_into().is_ok_and(|magic| LOCAL.contains(&(magic as u64 & 0xffff_ffff)))
}
