//! The words for verdicts and levels, and how alarming each is.

use crate::row::Tone;
use exacta_kernel::assess::{Grade, Level};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;

/// The word for a verdict.
#[must_use]
pub const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Confirm => "confirm",
        Verdict::Deny => "deny",
    }
}

/// How alarming a verdict is.
#[must_use]
pub const fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Allow => Tone::Good,
        Verdict::Confirm => Tone::Warn,
        Verdict::Deny => Tone::Bad,
    }
}

/// How alarming a status is.
#[must_use]
pub const fn status_tone(status: Status) -> Tone {
    match status {
        Status::AutoApproved | Status::UserApproved => Tone::Good,
        Status::Pending => Tone::Warn,
        Status::Rejected => Tone::Bad,
        Status::Expired => Tone::Faint,
    }
}

/// The word for a level.
#[must_use]
pub const fn level(level: Level) -> &'static str {
    match level {
        Level::Low => "low",
        Level::Medium => "medium",
        Level::High => "high",
    }
}

/// The word for a grade.
#[must_use]
pub const fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Insufficient => "insufficient",
        Grade::Moderate => "moderate",
        Grade::Good => "good",
    }
}

/// How alarming a level is.
#[must_use]
pub const fn level_tone(level: Level) -> Tone {
    match level {
        Level::Low => Tone::Good,
        Level::Medium => Tone::Warn,
        Level::High => Tone::Bad,
    }
}

/// How reassuring a grade is.
#[must_use]
pub const fn grade_tone(grade: Grade) -> Tone {
    match grade {
        Grade::Insufficient => Tone::Bad,
        Grade::Moderate => Tone::Warn,
        Grade::Good => Tone::Good,
    }
}
