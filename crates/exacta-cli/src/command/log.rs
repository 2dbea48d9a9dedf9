//! What happened here, newest first; and the patch of one plan.

use super::{Context, Face};
use crate::args::{Diff, Log};
use crate::output::Output;
use crate::render::{diff, log as text};
use exacta_app::{App, Error};
use exacta_kernel::audit::{Entry, Event};
use exacta_kernel::id::PlanId;
use exacta_view::PlanLine;
use serde::Serialize;
use std::collections::BTreeMap;

/// Entries that tell nothing beside the one before or after them.
const BESIDE: [Event; 2] = [Event::PlanEvaluated, Event::RunStarted];

#[derive(Debug, Serialize)]
struct Happened {
    entries: Vec<Told>,
    /// Whether there are older ones.
    more: bool,
}

/// An entry of the log with its plan's name and words.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    entry: Entry,
    short_id: Option<String>,
    text: Option<String>,
}

#[derive(Debug, Serialize)]
struct Patch<'p> {
    plan_id: &'p str,
    exact: bool,
    patch: &'p str,
}

/// `exacta log`
pub fn log(args: &Log, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    context.tell_damage(&app)?;
    let only = args.plan.as_deref().map(|id| app.resolve(id)).transpose()?;
    let mut entries = app.entries(None, None)?;
    entries.retain(|entry| {
        !BESIDE.contains(&entry.event) && only.as_ref().is_none_or(|id| entry.plan_id.as_ref() == Some(id))
    });
    entries.reverse();
    let more = super::cut(&mut entries, args.limit);
    let plans: BTreeMap<String, PlanLine> =
        app.list(None, None)?.into_iter().map(|plan| (plan.plan_id.clone(), plan)).collect();
    let plan_of = |entry: &Entry| entry.plan_id.as_ref().and_then(|id| plans.get(id.as_str()));
    if context.output.is_json() {
        let told = |entry: Entry| {
            let plan = plan_of(&entry);
            let (short_id, text) =
                (plan.map(|plan| plan.short_id.clone()), plan.and_then(|it| it.summary.text.clone()));
            Told { entry, short_id, text }
        };
        let entries = entries.into_iter().map(told).collect();
        context.output.json(&Face { schema: "exacta.log/1", body: Happened { entries, more } });
        return Ok(0);
    }
    if entries.is_empty() {
        context.output.rows(text::nothing());
    }
    for entry in &entries {
        context.output.rows(vec![text::line(entry, plan_of(entry))]);
        if let (true, Event::PlanExecuted, Some(id)) = (args.patch, entry.event, &entry.plan_id) {
            show_patch(&app, id, &context.output)?;
        }
    }
    context.tell_more(more);
    Ok(0)
}

fn show_patch(app: &App, id: &PlanId, output: &Output) -> Result<(), Error> {
    output.text(&diff::all_text(&app.show(id)?.plan, output.paint()));
    output.text("\n");
    Ok(())
}

/// `exacta diff`
pub fn diff(args: &Diff, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    let id = app.resolve(args.id.as_deref().unwrap_or("@"))?;
    let patch = app.patch(&id)?;
    if !patch.exact {
        context.output.note("the plan is over: this is what the record shows of it, secrets masked");
    }
    if context.output.is_json() {
        let text = String::from_utf8_lossy(&patch.bytes);
        let body = Patch { plan_id: id.as_str(), exact: patch.exact, patch: &text };
        context.output.json(&Face { schema: "exacta.patch/1", body });
    } else if context.output.is_terminal() {
        // A terminal is shown nothing live; only what goes into a file or a pipe is exact.
        context.output.text(&diff::all_text(&app.show(&id)?.plan, context.output.paint()));
    } else {
        context.output.bytes(&patch.bytes);
    }
    Ok(0)
}
