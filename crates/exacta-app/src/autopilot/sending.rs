//! What is asked once more when a run that sends begins: is sending on, are there mails left today, is it a quiet hour. That this message was
//! approved the permit says, and whom it goes to was held against words and lists when the plan was derived again.

use crate::app::App;
use crate::clock::now;
use crate::error::{Error, Exit};
use exacta_kernel::autopilot::{AutopilotName, Definition};
use exacta_kernel::effect::SEND;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::permit::Work;
use exacta_kernel::time::Timestamp;
use jiff::Zoned;
use jiff::tz::TimeZone;
use std::path::Path;

/// The right of one run to send: its mails count for today from now on, whatever becomes of them, unless it is released.
pub(crate) struct MaySend {
    name: AutopilotName,
    run: RunId,
    quiet: (u8, u8),
    zone: TimeZone,
}

impl App {
    /// That a run may send what it sends, if it does; its mails are counted.
    ///
    /// # Errors
    /// `SEND_DISABLED`, `SEND_LIMIT` or `SEND_QUIET_HOURS`, in this order; then nothing is counted.
    pub(crate) fn may_send(&self, work: &Work) -> Result<Option<MaySend>, Error> {
        let mails = work.effects().iter().filter(|effect| effect.act() == SEND).count();
        if mails == 0 || work.undoes().is_some() {
            return Ok(None);
        }
        let bound = crate::stored::identity(&self.record(work.plan_id())?)?.binding.autopilot;
        let bound = bound.ok_or_else(|| disabled("the plan is no autopilot's".to_owned()))?;
        let name = super::name(&bound.name)?;
        let autopilot = self.verified(&name)?.autopilot;
        if !autopilot.sends() {
            return Err(disabled(format!("sending is not switched on for autopilot `{name}`")));
        }
        let definition = &autopilot.definition;
        let (quiet, per_day) = (definition.sending.quiet, definition.sending.per_day);
        let may = MaySend { name, run: work.run_id().clone(), quiet, zone: zone(definition)? };
        let today = may.at(now())?.date().to_string();
        let mails = u32::try_from(mails).unwrap_or(u32::MAX);
        if !self.home.count_sends(&may.name, &may.run, mails, &today, per_day)? {
            return Err(limit(&may.name, per_day));
        }
        if let Some(why) = may.quiet_now()? {
            self.send_ended(&may.name, &may.run)?;
            return Err(Error::new(Exit::Denied, "SEND_QUIET_HOURS", why)
                .hint(hint!["the plan waits: execute it after them, or change them with ", Remedy::SendingQuiet]));
        }
        Ok(Some(may))
    }

    /// Nothing of a run was sent, provably: its mails do not count.
    pub(crate) fn not_sent(&self, may: &MaySend) {
        // What stays counted by mistake keeps a mail back, and sends none.
        let _kept = self.send_ended(&may.name, &may.run);
    }

    /// The same of a run that another process was at: nothing of it was sent, provably.
    pub(crate) fn not_sent_by(&self, plan: &PlanId, run: &RunId) {
        let bound = self.record(plan).and_then(|record| crate::stored::identity(&record));
        let name =
            bound.ok().and_then(|identity| identity.binding.autopilot).and_then(|bound| super::name(&bound.name).ok());
        // What stays counted by mistake keeps a mail back, and sends none.
        let _kept = name.map(|name| self.send_ended(&name, run));
    }

    fn send_ended(&self, name: &AutopilotName, run: &RunId) -> Result<(), Error> {
        Ok(self.home.forget_sends(name, run)?)
    }
}

impl MaySend {
    /// Why nothing is sent now, if it is a quiet hour.
    pub(crate) fn quiet_now(&self) -> Result<Option<String>, Error> {
        let at = self.at(now())?;
        let hour = u8::try_from(at.hour()).unwrap_or(0);
        let (from, to) = self.quiet;
        let why = || {
            format!(
                "autopilot `{}` sends nothing from {from} to {to} o'clock; it is {:02}:{:02}",
                self.name,
                hour,
                at.minute()
            )
        };
        Ok(is_quiet(self.quiet, hour).then(why))
    }

    fn at(&self, now: Timestamp) -> Result<Zoned, Error> {
        let time = jiff::Timestamp::from_millisecond(now.as_millis());
        time.map(|time| time.to_zoned(self.zone.clone())).map_err(|error| Error::fault("clock", error.to_string()))
    }
}

/// Whether an hour is within two others, over midnight too.
const fn is_quiet((from, to): (u8, u8), hour: u8) -> bool {
    if from <= to { from <= hour && hour < to } else { from <= hour || hour < to }
}

/// The user's time zone: that of the schedule, or this machine's. Never that of the environment, which belongs to whoever started the
/// command: an agent could choose another day, or an hour that is not quiet.
fn zone(definition: &Definition) -> Result<TimeZone, Error> {
    match &definition.schedule {
        Some(schedule) => super::schedule::zone(schedule),
        None => Ok(machine_zone(Path::new("/etc/localtime")).unwrap_or(TimeZone::UTC)),
    }
}

/// The zone that the machine's link names, as in `/usr/share/zoneinfo/Europe/Berlin`.
#[expect(clippy::disallowed_methods, reason = "the machine's own settings, which no project holds")]
fn machine_zone(link: &Path) -> Option<TimeZone> {
    let file = std::fs::read_link(link).ok()?;
    let (_, name) = file.to_str()?.rsplit_once("zoneinfo/")?;
    TimeZone::get(name).ok()
}

fn disabled(message: String) -> Error {
    Error::new(Exit::Denied, "SEND_DISABLED", message)
        .hint(hint![Remedy::SendingOn, " switches it on, signed by an approver"])
}

fn limit(name: &AutopilotName, per_day: u32) -> Error {
    let message =
        format!("autopilot `{name}` has sent its {per_day} mails of today; those whose end nobody knows count too");
    Error::new(Exit::Denied, "SEND_LIMIT", message)
        .hint(hint!["the plan waits: execute it tomorrow, or raise the limit with ", Remedy::SendingPerDay])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_zone_is_the_one_its_link_names() {
        let folder = tempfile::tempdir().unwrap();
        let link = |name: &str, to: &str| {
            let at = folder.path().join(name);
            std::os::unix::fs::symlink(to, &at).unwrap();
            machine_zone(&at).and_then(|zone| zone.iana_name().map(str::to_owned))
        };
        assert_eq!(link("a", "/usr/share/zoneinfo/Asia/Tokyo").as_deref(), Some("Asia/Tokyo"));
        assert_eq!(link("b", "../usr/share/zoneinfo/Europe/Berlin").as_deref(), Some("Europe/Berlin"));
        assert_eq!(link("c", "/nowhere"), None);
        assert_eq!(machine_zone(&folder.path().join("d")).map(|_| ()), None);
    }

    #[test]
    fn quiet_hours_go_over_midnight() {
        for (hours, quiet) in [((18, 9), vec![18, 23, 0, 8]), ((9, 18), vec![9, 17]), ((7, 7), vec![])] {
            let found: Vec<u8> = (0..24).filter(|hour| is_quiet(hours, *hour)).collect();
            assert!(
                quiet.iter().all(|hour| found.contains(hour)) && (found.is_empty() == quiet.is_empty()),
                "{found:?}"
            );
            assert!(!found.contains(&hours.1), "{hours:?}");
        }
    }
}
