//! Profiles and approvers in words.

use exacta_app::ProfileView;
use exacta_app::settings::ApproverView;
use exacta_kernel::policy::profile::Profile;
use exacta_view::{Row, Tone};
use serde::Serialize;

/// A profile and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProfileText {
    name: &'static str,
    meaning: &'static str,
    concurrency: u32,
}

impl ProfileText {
    /// The text of one.
    #[must_use]
    pub const fn of(profile: Profile) -> Self {
        let meaning = match profile {
            Profile::Safe => "every change waits for a person; nothing is approved by itself",
            Profile::Dev => {
                "well-made changes of low and medium risk run by themselves, medium ones with a notice; deletions, high \
                 risk, moderate quality and anything that reaches beyond the project wait for a person"
            }
            Profile::FullAuto => {
                "as DEV, and changes of moderate quality and deletions run by themselves too; high risk and anything \
                 that reaches beyond the project still wait for a person"
            }
        };
        Self { name: profile.name(), meaning, concurrency: profile.concurrency() }
    }
}

/// One profile.
#[must_use]
pub fn profile(profile: Profile) -> Vec<Row> {
    let text = ProfileText::of(profile);
    let runs = if text.concurrency == 1 { "one run".to_owned() } else { format!("{} runs", text.concurrency) };
    vec![
        Row::new().column(Tone::Strong, text.name, 11).hanging(11).plain(text.meaning),
        Row::indented(11).faint(&format!("{runs} at a time")),
    ]
}

/// The profile of a project.
#[must_use]
pub fn current(view: &ProfileView) -> Vec<Row> {
    let mut row = Row::heading(view.in_force.name()).plain(&format!(", ceiling {}", view.ceiling.name()));
    if view.chosen != view.in_force {
        row = row.with(Tone::Warn, &format!(" (chosen: {})", view.chosen.name()));
    }
    let mut rows = vec![row];
    if let Some(fell) = &view.fell {
        rows.push(Row::indented(2).with(Tone::Bad, "fell by itself ").plain(fell));
    }
    rows
}

/// Everyone who may or might approve.
#[must_use]
pub fn approvers(approvers: &[ApproverView]) -> Vec<Row> {
    if approvers.is_empty() {
        return vec![Row::new().faint("no approvers: `exacta init` makes the first")];
    }
    approvers
        .iter()
        .map(|approver| {
            let row = Row::new()
                .column(Tone::Strong, &approver.name, 16)
                .column(Tone::Plain, &approver.public_key, 18)
                .column(Tone::Faint, approver.added_at.get(..10).unwrap_or_default(), 12);
            match (&approver.removed_at, approver.key_path.is_some()) {
                (Some(at), _) => row.with(Tone::Bad, &format!("removed {}", at.get(..10).unwrap_or(at))),
                (None, true) => row.with(Tone::Good, "key is here"),
                (None, false) => row.faint("key is elsewhere"),
            }
        })
        .collect()
}
