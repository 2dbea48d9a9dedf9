//! The autopilot primitives: a closed catalogue.

use super::{Reversibility, Tier};

macro_rules! primitives {
    ($($variant:ident $name:literal $tier:ident $approval:literal $undo:ident $parameters:expr;)*) => {
        /// An autopilot action.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the catalogue below describes each")]
        pub enum PrimitiveId { $($variant,)* }

        impl PrimitiveId {
            /// Every primitive.
            pub const ALL: &[PrimitiveId] = &[$(Self::$variant,)*];

            /// The name as it is written in a proposal.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The floor under the risk level.
            #[must_use]
            pub const fn tier(self) -> Tier {
                match self { $(Self::$variant => Tier::$tier,)* }
            }

            /// Whether a step always needs approval, whatever a model says.
            #[must_use]
            pub const fn needs_approval(self) -> bool {
                match self { $(Self::$variant => $approval,)* }
            }

            /// Whether what it did can be undone.
            #[must_use]
            pub const fn reversibility(self) -> Reversibility {
                match self { $(Self::$variant => Reversibility::$undo,)* }
            }

            /// The parameters it takes; all are optional and no other is accepted.
            #[must_use]
            pub const fn parameters(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $parameters,)* }
            }
        }
    };
}

primitives! {
    ReadWeb "read_web" Low false NoEffect &["url", "sha256"];
    ReadSources "read_sources" Low false NoEffect &["urls", "sha256"];
    ReadForwardedEmail "read_forwarded_email" Low false NoEffect &["text", "message_id", "sha256"];
    ReadVaultFile "read_vault_file" Low true NoEffect &["path"];
    AggregateDailySummary "aggregate_daily_summary" Medium false NoEffect &["max_bullets"];
    TriageEmail "triage_email" Medium true Compensated &["message_id", "action", "sha256", "bytes"];
    WriteOutcomeDraft "write_outcome_draft" Medium true Compensated &["title", "body"];
    WriteEmailDraft "write_email_draft" Medium true Compensated &["to", "subject", "body", "account", "from"];
    SendEmail "send_email" High true Irreversible &["to", "subject", "body", "account", "from"];
    ScheduleRun "schedule_run" High true Compensated &["schedule", "recipe"];
}

impl PrimitiveId {
    /// The primitive of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == name)
    }
}
