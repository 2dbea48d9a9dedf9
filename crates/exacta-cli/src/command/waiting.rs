//! `exacta` alone: what waits for a person, and then the review of one after the other.

use super::{Context, Face, review};
use crate::args;
use crate::prompt::Person;
use exacta_app::{App, Error, Exit};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::PlanView;
use exacta_view::rows::waiting;
use serde::Serialize;

/// How many plans are shown.
const SHOWN: usize = 20;

/// What waits, for programs: as in `list`.
#[derive(Debug, Serialize)]
struct Waiting<'p> {
    plans: &'p [exacta_view::PlanLine],
    more: bool,
}

/// `exacta`, without a command. Where nothing is recorded yet it is the help.
pub fn waiting(context: &Context) -> Result<u8, Error> {
    let app = match context.look() {
        Err(error) if error.is_no_project() && !context.output.is_json() => {
            context.output.text(&args::command().render_help().to_string());
            return Ok(Exit::Usage.code());
        }
        app => app?,
    };
    context.tell_damage(&app)?;
    let lines = lines(&app)?;
    let more = lines.len() > SHOWN;
    let plans = lines.get(..SHOWN).unwrap_or(&lines);
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.plan-list/1", body: Waiting { plans, more } });
        return Ok(Exit::Done.code());
    }
    let views =
        plans.iter().map(|line| Ok(app.show(&parsed(&line.plan_id)?)?.plan)).collect::<Result<Vec<_>, Error>>()?;
    // What a look has shown to be over waits no more.
    let views: Vec<PlanView> = views.into_iter().filter(|view| view.status == Some(Status::Pending)).collect();
    context.output.rows(waiting::waiting(&views, crate::clock::now()));
    context.tell_more(more);
    if views.is_empty() {
        return Ok(Exit::Done.code());
    }
    if !Person::is_present() || review::is_too_plain() {
        context.output.note("decide with `exacta approve PLAN` or `exacta reject PLAN`, at a terminal");
        return Ok(Exit::Confirm.code());
    }
    drop(app);
    one_after_the_other(context)
}

/// Reviews what waits, newest first, until nothing does or the person leaves.
fn one_after_the_other(context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let (mut seen, mut worst) = (Vec::new(), None);
    loop {
        let waiting = lines(&app)?;
        let Some(next) = waiting.iter().find(|line| !seen.contains(&line.plan_id)) else {
            return Ok(worst.unwrap_or(Exit::Done.code()));
        };
        seen.push(next.plan_id.clone());
        match review::one(&mut app, parsed(&next.plan_id)?, context)? {
            review::Ended::Left => return Ok(worst.unwrap_or(Exit::Confirm.code())),
            review::Ended::With(code) => worst = Some(worst.unwrap_or_default().max(code)),
        }
    }
}

/// The plans that wait for a person, not for their proposer.
fn lines(app: &App) -> Result<Vec<exacta_view::PlanLine>, Error> {
    let mut lines = app.list(Some(Status::Pending.name()), None)?;
    lines.retain(|line| line.changes_requested.is_none());
    Ok(lines)
}

fn parsed(id: &str) -> Result<PlanId, Error> {
    PlanId::parse(id).map_err(|error| Error::fault("internal", error.to_string()))
}
