//! Points in time, always given by the caller: the kernel has no clock.

use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01 UTC; written as RFC 3339 with three decimals and `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// Text that is not an RFC 3339 time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 time")]
pub struct BadTimestamp;

impl Timestamp {
    /// A point in time, clamped to the years that RFC 3339 can write.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        const LAST: i64 = 253_370_764_800_000;
        if millis < 0 {
            Self(0)
        } else if millis > LAST {
            Self(LAST)
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This time and a number of seconds more.
    #[must_use]
    pub const fn plus_seconds(self, seconds: u64) -> Self {
        let millis = if seconds > 10_000_000_000 { 10_000_000_000_000 } else { (seconds as i64) * 1000 };
        Self::from_millis(self.0.saturating_add(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0 / 1000, self.0 % 1000);
        let (year, month, day) = date(seconds / DAY);
        let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

impl TryFrom<String> for Timestamp {
    type Error = BadTimestamp;
    fn try_from(text: String) -> Result<Self, BadTimestamp> {
        millis(text.as_bytes()).map(Self::from_millis).ok_or(BadTimestamp)
    }
}

/// Seconds in a day.
const DAY: i64 = 24 * 60 * 60;

/// The date of a day since 1970-01-01, which is not before it. Years begin in March here, so that the leap day is their last.
const fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, in_era) = (days / 146_097, days % 146_097);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

/// The day since 1970-01-01 of a date; the inverse of [`date`].
const fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, in_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Reads RFC 3339: a date, a time to the second or finer, and `Z` or an offset. What is finer than a millisecond is cut off.
fn millis(text: &[u8]) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let (clock, rest) = rest.split_at_checked(9)?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date else { return None };
    let [b'T' | b't' | b' ', h1, h2, b':', n1, n2, b':', s1, s2] = *clock else { return None };
    let (year, month, day) = (number(&[y1, y2, y3, y4])?, number(&[m1, m2])?, number(&[d1, d2])?);
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[n1, n2])?, number(&[s1, s2])?);
    // A leap second counts as the one before it.
    if !is_date(year, month, day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, offset) = fraction(rest)?;
    let seconds = day_number(year, month, day) * DAY + hour * 3600 + minute * 60 + second.min(59) - offset_of(offset)?;
    Some(seconds * 1000 + fraction)
}

/// Whether the date is in the calendar.
fn is_date(year: i64, month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && day >= 1 && date_of(year, month, day) == (year, month, day)
}

/// The date that a day of a month is, which is in the next month where this one has no such day.
fn date_of(year: i64, month: i64, day: i64) -> (i64, i64, i64) {
    // The calendar repeats itself every 400 years, and [`date`] knows none before 1970.
    let (year, month, day) = (year + 2000, month, day);
    let (year, month, day) = date(day_number(year, month, day));
    (year - 2000, month, day)
}

/// The milliseconds of a fraction, if there is one, and what follows it.
fn fraction(rest: &[u8]) -> Option<(i64, &[u8])> {
    let Some(digits) = rest.strip_prefix(b".") else { return Some((0, rest)) };
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at_checked(end)?;
    let mut three = digits.iter().copied().chain(*b"00").take(3);
    let three = [three.next().filter(|_| !digits.is_empty())?, three.next()?, three.next()?];
    Some((number(&three)?, rest))
}

/// How many seconds a time zone is ahead of UTC.
fn offset_of(zone: &[u8]) -> Option<i64> {
    let (sign, [h1, h2, b':', m1, m2]) = (match zone {
        b"Z" | b"z" => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    }) else {
        return None;
    };
    let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> String {
        at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_rfc_3339_and_read_back() {
        let at = Timestamp::from_millis(1_794_000_000_042);
        assert_eq!(at.to_string(), "2026-11-06T21:20:00.042Z");
        assert_eq!(Timestamp::try_from(at.to_string()), Ok(at));
        assert_eq!(at.plus_seconds(1).as_millis() - at.as_millis(), 1000);
        assert_eq!(Timestamp::from_millis(i64::MAX).plus_seconds(u64::MAX).to_string(), "9999-01-01T00:00:00.000Z");
    }

    #[test]
    fn every_day_has_its_date() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..=2_932_532 {
            assert_eq!(date(number), (year, month, day), "{number}");
            assert_eq!(day_number(year, month, day), number);
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (day, month) = if day == length { (1, month + 1) } else { (day + 1, month) };
            (month, year) = if month == 13 { (1, year + 1) } else { (month, year) };
        }
        assert_eq!((year, month, day), (9999, 1, 2), "the day after the last one");
    }

    #[test]
    fn only_rfc_3339_is_read() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01T00:00:01z", Some(1000)),
            ("1970-01-01t00:01:00.5Z", Some(60_500)),
            ("1970-01-01 01:00:00.25Z", Some(3_600_250)),
            ("1970-01-01T00:00:00.1239999999999Z", Some(123)),
            ("1970-01-01T01:00:00+01:00", Some(0)),
            ("1970-01-01T00:00:00-01:30", Some(5_400_000)),
            ("1970-01-01T00:00:00+23:59", Some(0)),
            ("1969-12-31T23:59:59Z", Some(0)),
            ("0000-01-01T00:00:00Z", Some(0)),
            ("2024-02-29T00:00:00Z", Some(1_709_164_800_000)),
            ("2000-02-29T00:00:00Z", Some(951_782_400_000)),
            ("2016-12-31T23:59:60Z", Some(1_483_228_799_000)),
            ("9999-12-31T23:59:59Z", Some(253_370_764_800_000)),
            ("2023-02-29T00:00:00Z", None),
            ("1900-02-29T00:00:00Z", None),
            ("2024-04-31T00:00:00Z", None),
            ("2024-00-01T00:00:00Z", None),
            ("2024-13-01T00:00:00Z", None),
            ("2024-01-00T00:00:00Z", None),
            ("2024-01-32T00:00:00Z", None),
            ("2024-01-01T24:00:00Z", None),
            ("2024-01-01T00:60:00Z", None),
            ("2024-01-01T00:00:61Z", None),
            ("2024-01-01T00:00:00", None),
            ("2024-01-01T00:00:00.Z", None),
            ("2024-01-01T00:00:00+24:00", None),
            ("2024-01-01T00:00:00+00:60", None),
            ("2024-01-01T00:00:00+0000", None),
            ("2024-01-01T00:00:00Zx", None),
            ("2024-01-01T00:00Z", None),
            ("2024-01-01", None),
            ("+2024-01-01T00:00:00Z", None),
            ("20a4-01-01T00:00:00Z", None),
            ("", None),
        ] {
            let read = Timestamp::try_from(text.to_owned()).ok().map(Timestamp::as_millis);
            assert_eq!(read, expected, "{text}");
        }
    }
}
