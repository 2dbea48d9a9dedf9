//! A plan's status, and the only ways it can change.

use serde::{Deserialize, Serialize};

/// Where a plan stands. What happened after approval is the run's state, not the plan's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A person has to decide.
    Pending,
    /// Policy approved it; decided again when it is executed.
    AutoApproved,
    /// A person approved it.
    UserApproved,
    /// A person, a gate or validation refused it. Final.
    Rejected,
    /// No longer usable. Final.
    Expired,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 5] = [Self::Pending, Self::AutoApproved, Self::UserApproved, Self::Rejected, Self::Expired];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::AutoApproved => "auto_approved",
            Self::UserApproved => "user_approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    /// The status of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether it may become `next`: `pending` may become anything else, an approved plan may expire, and that is all.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => !matches!(next, Self::Pending),
            Self::AutoApproved | Self::UserApproved => matches!(next, Self::Expired),
            Self::Rejected | Self::Expired => false,
        }
    }

    /// Whether it was approved, by a person or by policy.
    #[must_use]
    pub const fn is_approved(self) -> bool {
        matches!(self, Self::AutoApproved | Self::UserApproved)
    }

    /// Whether nothing changes it any more.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Rejected | Self::Expired)
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_arrows_of_the_specification() {
        use Status::{AutoApproved, Expired, Pending, Rejected, UserApproved};
        let arrows = [
            (Pending, AutoApproved),
            (Pending, UserApproved),
            (Pending, Rejected),
            (Pending, Expired),
            (AutoApproved, Expired),
            (UserApproved, Expired),
        ];
        for from in Status::ALL {
            for to in Status::ALL {
                assert_eq!(from.may_become(to), arrows.contains(&(from, to)), "{from} → {to}");
            }
            assert_eq!(Status::parse(from.name()), Some(from));
            assert_eq!(std::format!("{from}"), from.name());
            assert_eq!(from.is_final(), Status::ALL.iter().all(|to| !from.may_become(*to)));
        }
    }
}
