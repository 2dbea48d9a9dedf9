//! The table: what risk, quality and profile amount to. A number that no score can have is an error, and an error is a denial.

use super::Verdict;
use crate::assess::{BasisPoints, Level, SUFFICIENT_QUALITY};
use crate::profile::Profile;

/// The highest risk that counts as low.
const LOW: u32 = 30;
/// The highest risk that counts as medium; above it a person confirms in every profile.
pub const MEDIUM_RISK: u32 = 65;
/// The highest risk there is.
const MAX: u32 = 100;
/// From this on, quality is good.
pub const GOOD_QUALITY: BasisPoints = BasisPoints(7500);

/// High risk and SYSTEM-LEVEL are confirmed in every profile.
pub(super) const fn of_risk(risk: u32, system_level: bool) -> Verdict {
    match risk {
        0..=MEDIUM_RISK if !system_level => Verdict::Allow,
        0..=MAX => Verdict::Confirm,
        _ => Verdict::Deny,
    }
}

/// Insufficient quality is denied, moderate quality confirmed unless everything is automatic.
pub(super) fn of_quality(profile: Profile, quality: BasisPoints) -> Verdict {
    if quality < SUFFICIENT_QUALITY || quality > BasisPoints::ONE {
        Verdict::Deny
    } else if quality < GOOD_QUALITY && profile < Profile::FullAuto {
        Verdict::Confirm
    } else {
        Verdict::Allow
    }
}

/// SAFE asks a person about everything.
pub(super) const fn of_profile(profile: Profile) -> Verdict {
    match profile {
        Profile::Safe => Verdict::Confirm,
        Profile::Dev | Profile::FullAuto => Verdict::Allow,
    }
}

/// What runs by itself and is neither of low risk nor of good quality is announced.
pub(super) fn notice(verdict: Verdict, risk: u32, quality: BasisPoints) -> bool {
    verdict == Verdict::Allow && (risk > LOW || quality < GOOD_QUALITY)
}

/// What a score means.
pub(super) const fn level(risk: u32) -> Level {
    if risk > MEDIUM_RISK {
        Level::High
    } else if risk > LOW {
        Level::Medium
    } else {
        Level::Low
    }
}

/// A score that is not below what a level means.
pub(super) fn at_least(risk: u32, floor: Level) -> u32 {
    match floor {
        Level::Low => risk,
        Level::Medium => risk.max(LOW + 1),
        Level::High => risk.max(MEDIUM_RISK + 1),
    }
}

/// The word for a quality.
pub(super) fn grade(quality: BasisPoints) -> &'static str {
    if quality < SUFFICIENT_QUALITY {
        "insufficient"
    } else if quality < GOOD_QUALITY {
        "moderate"
    } else {
        "good"
    }
}
