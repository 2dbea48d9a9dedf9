//! What happened, a line each: when in the reader's own zone, what, and about which plan.

use super::layout::fit;
use exacta_kernel::audit::{Actor, Entry, Event};
use exacta_kernel::text::visible_line;
use exacta_kernel::time::Timestamp;
use exacta_view::rows::list::agent;
use exacta_view::{PlanLine, Row, Tone};
use jiff::tz::TimeZone;

/// Columns of a plan's words and of who acted, so that an entry is one line of 80 columns.
const WORDS: usize = 40;

/// The fewest columns of the words, however long a name is.
const SHORTEST: usize = 12;

/// Where nothing happened.
#[must_use]
pub fn nothing() -> Vec<Row> {
    vec![Row::new().faint("nothing has happened here yet")]
}

/// One entry, with its plan where it is about one.
#[must_use]
pub fn line(entry: &Entry, plan: Option<&PlanLine>) -> Row {
    let (tone, word) = word(entry.event);
    let row = Row::new()
        .column(Tone::Faint, &local(entry.at), 17)
        .column(Tone::Strong, plan.map(|plan| plan.short_id.as_str()).unwrap_or_default(), 6)
        .column(tone, word, 16)
        .hanging(39);
    let by = by(&entry.actor);
    match plan {
        Some(plan) => {
            let words = plan.summary.text.as_deref().or(plan.summary.intent.as_deref()).unwrap_or_default();
            row.plain(&fit(&visible_line(words), WORDS.saturating_sub(by.len()).max(SHORTEST))).faint(&by)
        }
        None => row.plain(&visible_line(&entry.reason)).faint(&by),
    }
}

/// A moment in the reader's own zone, to the minute.
fn local(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or_default();
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn by(actor: &Actor) -> String {
    match actor {
        Actor::Person(name) => format!("  by {name}"),
        Actor::Agent(credential) => agent(credential).map_or_else(String::new, |name| format!("  by {name}")),
        Actor::Policy => "  by policy".to_owned(),
        Actor::System => String::new(),
    }
}

const fn word(event: Event) -> (Tone, &'static str) {
    match event {
        Event::PlanCreated => (Tone::Plain, "submitted"),
        Event::PlanEvaluated => (Tone::Plain, "judged"),
        Event::PlanChecked => (Tone::Plain, "checked"),
        Event::PlanApproved => (Tone::Good, "approved"),
        Event::PlanRejected => (Tone::Bad, "rejected"),
        Event::PlanExpired => (Tone::Faint, "expired"),
        Event::PlanExecuted => (Tone::Good, "applied"),
        Event::ProposalRefused => (Tone::Bad, "refused"),
        Event::ChangesRequested => (Tone::Warn, "changes wanted"),
        Event::RunStarted => (Tone::Plain, "started"),
        Event::RunRolledBack => (Tone::Bad, "rolled back"),
        Event::RunNeedsAttention => (Tone::Bad, "needs attention"),
        Event::RunUndone => (Tone::Warn, "undone"),
        Event::RunRecovered => (Tone::Warn, "recovered"),
        Event::RunResolved => (Tone::Warn, "resolved"),
        Event::RunRefused => (Tone::Bad, "not started"),
        Event::PolicyChanged => (Tone::Warn, "policy"),
        Event::ProfileChanged => (Tone::Warn, "profile"),
        Event::ApproverChanged => (Tone::Warn, "approvers"),
        Event::ProviderChanged => (Tone::Plain, "provider"),
        Event::AutopilotChanged | Event::OccasionChanged | Event::AutopilotNotice => (Tone::Plain, "autopilot"),
        Event::NoticeFailed => (Tone::Bad, "notice failed"),
        Event::TokenChanged => (Tone::Warn, "token"),
        Event::SiteChanged => (Tone::Plain, "site"),
        Event::ModelDrift => (Tone::Warn, "model changed"),
        Event::SessionEnded => (Tone::Plain, "session ended"),
        Event::TamperingFound => (Tone::Bad, "tampering found"),
    }
}
