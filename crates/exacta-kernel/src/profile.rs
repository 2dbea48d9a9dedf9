//! Autonomy profiles.

use serde::{Deserialize, Serialize};

/// How much may happen without a person. Ordered: `SAFE < DEV < FULL-AUTO`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Profile {
    /// Every change is confirmed by a person.
    #[serde(rename = "SAFE")]
    Safe,
    /// Good, low and medium risk changes run by themselves.
    #[serde(rename = "DEV")]
    Dev,
    /// Moderate quality runs by itself too.
    #[serde(rename = "FULL-AUTO")]
    FullAuto,
}

impl Profile {
    /// All of them, strictest first.
    pub const ALL: [Profile; 3] = [Self::Safe, Self::Dev, Self::FullAuto];

    /// The name, as it is written everywhere.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "SAFE",
            Self::Dev => "DEV",
            Self::FullAuto => "FULL-AUTO",
        }
    }

    /// How many runs may go on at the same time.
    #[must_use]
    pub const fn concurrency(self) -> u32 {
        match self {
            Self::Safe => 1,
            Self::Dev => 3,
            Self::FullAuto => 5,
        }
    }
}
