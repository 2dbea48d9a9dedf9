//! What an autopilot may spend on models, in US cents: asked before a cost arises.

/// The most that one occasion spends without a person's word.
pub const OCCASION_SOFT: u32 = 40;
/// The most that one occasion spends.
pub const OCCASION_HARD: u32 = 80;
/// The most that all autopilots of a user spend in a day without a person's word.
pub const DAY_SOFT: u32 = 300;
/// The most that they spend in a day.
pub const DAY_HARD: u32 = 500;

/// Whether a cost may arise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spending {
    /// It may.
    Within,
    /// A person is asked first.
    Ask,
    /// It may not, whatever anybody says.
    Stop,
}

/// Whether `cents` more may be spent after what the occasion and the day have cost. Exactly a cap is within it. `agreed` says that a person
/// allowed this occasion to pass the soft caps.
#[must_use]
pub const fn spending(occasion: u32, day: u32, cents: u32, agreed: bool) -> Spending {
    let (occasion, day) = (occasion.saturating_add(cents), day.saturating_add(cents));
    if occasion > OCCASION_HARD || day > DAY_HARD {
        Spending::Stop
    } else if (occasion > OCCASION_SOFT || day > DAY_SOFT) && !agreed {
        Spending::Ask
    } else {
        Spending::Within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_within_themselves_and_no_word_passes_a_hard_one() {
        use Spending::{Ask, Stop, Within};
        for (occasion, day, cents, agreed, expected) in [
            (0, 0, 0, false, Within),
            (0, 0, 40, false, Within),
            (0, 0, 41, false, Ask),
            (40, 40, 1, false, Ask),
            (40, 40, 40, false, Ask),
            (40, 40, 40, true, Within),
            (40, 40, 41, true, Stop),
            (0, 300, 0, false, Within),
            (0, 300, 1, false, Ask),
            (0, 300, 1, true, Within),
            (0, 500, 0, true, Within),
            (0, 500, 1, true, Stop),
            (u32::MAX, 0, u32::MAX, true, Stop),
        ] {
            assert_eq!(spending(occasion, day, cents, agreed), expected, "{occasion} {day} {cents} {agreed}");
        }
    }
}
