//! When an autopilot runs by itself: cron's five fields in the user's time zone.

use super::change::unusable;
use crate::error::Error;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use exacta_kernel::autopilot::Schedule;
use exacta_kernel::time::Timestamp;
use jiff::Zoned;
use jiff::tz::TimeZone;

/// How far a monitor may be behind before it says so, in intervals.
const LATE: i64 = 2;

/// That a schedule can be kept.
///
/// # Errors
/// If it is no five fields, its zone is unknown, or it never comes.
pub fn check(schedule: &Schedule, now: Timestamp) -> Result<(), Error> {
    let zone = zone(schedule)?;
    let next = cron(schedule)?.find_next_occurrence(&at(now, &zone)?, false);
    next.map(drop).map_err(|_| {
        unusable(format!("`{}` never comes: no such day is in the calendar", schedule.cron))
            .hint("such as `0 8 * * *`, every day at eight")
    })
}

/// The newest time that is due by now.
pub(super) fn newest_due(schedule: &Schedule, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let (cron, zone) = (cron(schedule)?, zone(schedule)?);
    // Looked for forward from a little before: what was missed for longer than that runs at its next time.
    let last = cron.find_previous_occurrence(&at(now, &zone)?, true).ok();
    Ok(last.map(|last| Timestamp::from_millis(last.timestamp().as_millisecond())))
}

/// The next time.
pub(super) fn next_due(schedule: &Schedule, now: Timestamp) -> Option<Timestamp> {
    let (cron, zone) = (cron(schedule).ok()?, zone(schedule).ok()?);
    let next = cron.find_next_occurrence(&at(now, &zone).ok()?, false).ok()?;
    Some(Timestamp::from_millis(next.timestamp().as_millisecond()))
}

/// Whether it has not looked for twice its interval, at a time.
pub(super) fn is_late(schedule: &Schedule, looked: Timestamp, now: Timestamp) -> bool {
    let interval = next_due(schedule, looked)
        .and_then(|first| next_due(schedule, first).map(|second| second.as_millis() - first.as_millis()));
    interval.is_some_and(|interval| now.as_millis() - looked.as_millis() > LATE * interval)
}

fn cron(schedule: &Schedule) -> Result<Cron, Error> {
    let fields = schedule.cron.split_whitespace().count();
    if fields == 6 || fields == 7 {
        return Err(unusable(format!("`{}` has {fields} fields: seconds and years are not taken", schedule.cron))
            .hint("minute, hour, day, month, weekday: such as `0 8 * * *`"));
    }
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(&schedule.cron).map_err(|error| {
        unusable(format!("`{}` is no schedule: {error}", exacta_kernel::text::excerpt(&schedule.cron, 80)))
            .hint("minute, hour, day, month, weekday: such as `0 8 * * *`")
    })
}

pub(super) fn zone(schedule: &Schedule) -> Result<TimeZone, Error> {
    TimeZone::get(&schedule.zone).map_err(|_| {
        unusable(format!("`{}` is no time zone that is known here", exacta_kernel::text::excerpt(&schedule.zone, 80)))
            .hint("such as `Europe/Berlin` or `UTC`")
    })
}

fn at(now: Timestamp, zone: &TimeZone) -> Result<Zoned, Error> {
    let time = jiff::Timestamp::from_millisecond(now.as_millis());
    time.map(|time| time.to_zoned(zone.clone())).map_err(|error| Error::fault("clock", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        Timestamp::try_from(text.to_owned()).unwrap()
    }

    fn schedule(cron: &str, zone: &str) -> Schedule {
        Schedule { cron: cron.to_owned(), zone: zone.to_owned() }
    }

    #[test]
    fn what_can_be_kept() {
        let now = time("2026-01-01T00:00:00Z");
        for (cron, zone, fits) in [
            ("0 8 * * *", "Europe/Berlin", true),
            ("*/15 * * * *", "UTC", true),
            ("0 8 29 2 *", "UTC", true),
            ("0 8 31 2 *", "UTC", false),
            ("0 0 8 * * *", "UTC", false),
            ("0 0 8 * * * 2027", "UTC", false),
            ("every day", "UTC", false),
            ("", "UTC", false),
            ("0 8 * * *", "Mars/Olympus", false),
            ("99 8 * * *", "UTC", false),
        ] {
            assert_eq!(check(&schedule(cron, zone), now).is_ok(), fits, "{cron} {zone}");
        }
    }

    /// Both changes of the clock in three zones: a day has one eight o'clock, and a missed hour comes once.
    #[test]
    fn clocks_that_change() {
        for (zone, from, days) in [
            ("Europe/Berlin", "2026-03-27T12:00:00Z", 5),
            ("Europe/Berlin", "2026-10-23T12:00:00Z", 5),
            ("America/New_York", "2026-03-06T12:00:00Z", 5),
            ("America/New_York", "2026-10-30T12:00:00Z", 5),
            ("Australia/Lord_Howe", "2026-04-03T12:00:00Z", 5),
            ("Australia/Lord_Howe", "2026-10-02T12:00:00Z", 5),
        ] {
            for cron in ["0 8 * * *", "30 2 * * *", "15 1 * * *"] {
                let schedule = schedule(cron, zone);
                let (mut now, end) = (time(from), time(from).plus_seconds(days * 86_400));
                let mut seen = std::collections::BTreeSet::new();
                while now < end {
                    seen.extend(newest_due(&schedule, now).unwrap().filter(|due| *due > time(from)));
                    now = now.plus_seconds(600);
                }
                let about = u64::try_from(seen.len()).unwrap();
                assert!((days - 1..=days + 1).contains(&about), "{zone} {cron}: {seen:?}");
            }
        }
    }

    #[test]
    fn late_is_twice_the_interval() {
        let hourly = schedule("0 * * * *", "UTC");
        let looked = time("2026-01-01T08:00:00Z");
        assert!(!is_late(&hourly, looked, time("2026-01-01T10:00:00Z")));
        assert!(is_late(&hourly, looked, time("2026-01-01T10:00:01Z")));
    }
}
