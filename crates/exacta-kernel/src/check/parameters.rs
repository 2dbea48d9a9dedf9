//! The parameters of primitives: each takes closed values, and a step that writes or sends carries its exact bytes.

use super::autopilot::Place;
use crate::action::primitive::PrimitiveId;
use crate::effect::unfit_body;
use crate::finding::{Code, Finding};
use crate::hash::Digest;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Step};
use core::ops::RangeInclusive;
use serde_json::Value;

/// The longest text of a mail that is read or written, in characters.
const MAIL_CHARACTERS: usize = 20_000;

/// How many lines a summary may have.
const BULLETS: RangeInclusive<u64> = 3..=10;

/// The longest subject or title, in characters.
const SUBJECT_CHARACTERS: usize = 200;

pub(super) fn check(at: &Place<'_>, id: PrimitiveId, plan: &Plan, findings: &mut Vec<Finding>) {
    let needed: &[&str] = match id {
        PrimitiveId::WriteOutcomeDraft => &["body"],
        PrimitiveId::WriteEmailDraft | PrimitiveId::SendEmail => &["to", "subject", "body"],
        PrimitiveId::TriageEmail if at.parameters.contains_key("message_id") => &["sha256", "bytes"],
        _ => &[],
    };
    findings.extend(needed.iter().filter_map(|name| missing(at, id, name)));
    findings.extend(at.parameters.iter().filter_map(|(name, value)| {
        let wrong = wrong(id, name, value)?;
        let message = format!("`{name}` of `{}` {wrong}", id.name());
        Some(at.finding(Code::ParameterInvalid, message, hint(name), format!("/steps/{}/{name}", at.index)))
    }));
    if id == PrimitiveId::AggregateDailySummary && !reads_before(plan, at.step) {
        let message = "nothing is read before `aggregate_daily_summary`".to_owned();
        let finding =
            at.finding(Code::ParameterInvalid, message, "read the sources first", format!("/steps/{}", at.index));
        findings.push(finding);
    }
}

fn missing(at: &Place<'_>, id: PrimitiveId, name: &str) -> Option<Finding> {
    let nobody = id == PrimitiveId::SendEmail && name == "to";
    let empty = at.parameters.get(name).is_none_or(|value| nobody && value.as_array().is_some_and(Vec::is_empty));
    empty.then(|| {
        let message = format!("`{}` has no `{name}`: what is approved is what is written, to the byte", id.name());
        let hint = format!("write the exact `{name}` into the step");
        at.finding(Code::PayloadMissing, message, &hint, format!("/steps/{}/{name}", at.index))
    })
}

/// What is wrong with a value, in words that follow its name; `None` if nothing is.
fn wrong(id: PrimitiveId, name: &str, value: &Value) -> Option<String> {
    let text = value.as_str();
    let is = |wrong: bool, words: String| wrong.then_some(words);
    match name {
        "action" => is(text != Some("archive"), "is not `archive`, the only action there is".to_owned()),
        "max_bullets" => {
            let within = value.as_u64().is_some_and(|count| BULLETS.contains(&count));
            is(!within, format!("is not {} to {}", BULLETS.start(), BULLETS.end()))
        }
        "subject" | "title" => {
            let text = text.unwrap_or_default();
            let odd =
                if text.chars().any(char::is_control) { Some("has a line end or control character") } else { None };
            let long = text.chars().count() > SUBJECT_CHARACTERS;
            odd.map(ToOwned::to_owned).or_else(|| is(long, format!("has more than {SUBJECT_CHARACTERS} characters")))
        }
        "body" | "text" => {
            let text = text.unwrap_or_default();
            let long = text.chars().count() > MAIL_CHARACTERS;
            let unfit = if is_mail(id) { unfit_body(text) } else { None };
            is(long, format!("has more than {MAIL_CHARACTERS} characters"))
                .or_else(|| unfit.map(|why| format!("cannot be sent as it is: {why}")))
        }
        "sha256" => {
            let list = value.as_array().map_or_else(|| vec![value], |list| list.iter().collect());
            let hashes = list.iter().all(|item| item.as_str().is_some_and(|hash| Digest::parse(hash).is_ok()));
            is(!hashes || list.is_empty(), "is not 64 lower-case hexadecimal digits".to_owned())
        }
        _ => None,
    }
}

const fn is_mail(id: PrimitiveId) -> bool {
    matches!(id, PrimitiveId::WriteEmailDraft | PrimitiveId::SendEmail)
}

fn hint(name: &str) -> &'static str {
    match name {
        "action" => "write `archive`, or leave the step out",
        "max_bullets" => "choose a number in these bounds",
        "sha256" => "write the SHA-256 of what was read",
        _ => "shorten it, and leave out what no mail can carry",
    }
}

/// Whether a step before this one reads something.
fn reads_before(plan: &Plan, step: &Step) -> bool {
    const READS: [PrimitiveId; 3] = [PrimitiveId::ReadWeb, PrimitiveId::ReadSources, PrimitiveId::ReadForwardedEmail];
    let reads = |step: &Step| matches!(&step.action, Action::Primitive { id, .. } if READS.contains(id));
    let steps = plan.ordered_steps();
    steps.iter().take_while(|(_, other)| other.id != step.id).any(|(_, other)| reads(other))
}
