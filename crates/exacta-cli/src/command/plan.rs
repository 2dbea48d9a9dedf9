//! Plans come in and are shown.

use super::{Context, Face, answer, source};
use crate::args::{Check, List, Resubmit, Show, Submit};
use crate::fail;
use crate::interrupt::Orderly;
use crate::output::Output;
use crate::progress;
use crate::render::diff;
use exacta_app::{App, Error, Exit, Request, Trial};
use exacta_kernel::gate::Verdict;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::proposal::Domain;
use exacta_view::rows::{brief, detail, list as lines, plan};
use exacta_view::{PlanLine, PlanView};
use serde::Serialize;

/// What did not become a plan, where one was to be registered.
#[derive(Debug, Serialize)]
struct Unregistered<'v> {
    #[serde(flatten)]
    view: &'v PlanView,
    plan_id: (),
    plan_hash: (),
}

#[derive(Debug, Serialize)]
struct Plans {
    plans: Vec<PlanLine>,
    /// Whether there are older ones.
    more: bool,
}

/// `exacta check`
pub fn check(args: &Check, context: &Context) -> Result<u8, Error> {
    let (text, request) = source::read(&args.source)?;
    let view = exacta_app::check(&context.options, &text, &request)?;
    print(&view, &context.output);
    Ok(exit(&view).code())
}

/// `exacta submit`
pub fn submit(args: &Submit, context: &Context) -> Result<u8, Error> {
    let (text, mut request) = source::read(&args.source)?;
    let mut app = context.open_or_make()?;
    if let Some(id) = &args.revises {
        request.revises = Some(app.resolve(id)?);
    }
    let view = if args.checks { checked(&mut app, &text, &request, context)? } else { app.submit(&text, &request)? };
    let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    if let (Some(id), true, Some(Status::Pending)) = (id, args.answer.wait, view.status) {
        if !context.output.is_json() {
            print(&view, &context.output);
        }
        let answer = answer::awaited(&app, &id, args.answer, context)?;
        return answer::told(&app, &id, &answer, context);
    }
    if view.plan_id.is_none() && context.output.is_json() {
        context.output.with_plan(&Unregistered { view: &view, plan_id: (), plan_hash: () }, &view);
    } else {
        print(&view, &context.output);
    }
    next(&view, &app, &context.output);
    Ok(exit(&view).code())
}

/// Submits with the operator's checks run first.
fn checked(app: &mut App, text: &[u8], request: &Request, context: &Context) -> Result<PlanView, Error> {
    let signals = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
    let mut observer = progress::check_observer(false, context.output);
    let view = app.submit_checked(text, request, Trial { cancel: signals.flag(), observer: &mut observer })?;
    if view.checks.is_none() && view.plan_id.is_some() {
        context
            .output
            .note("no checks were run: the Safety Policy names none for this project (`exacta policy --help`)");
    }
    Ok(view)
}

/// `exacta resubmit`
pub fn resubmit(args: &Resubmit, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let id = app.resolve(&args.id)?;
    let view = app.resubmit(&id)?;
    print(&view, &context.output);
    next(&view, &app, &context.output);
    Ok(exit(&view).code())
}

/// `exacta list`
pub fn list(args: &List, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    context.tell_damage(&app)?;
    let mut plans = app.list(args.status.as_deref(), Some(args.limit.saturating_add(1)))?;
    let more = super::cut(&mut plans, args.limit);
    if app.is_cut_off()? {
        context.output.note("a run was cut off; `exacta status` shows it, `exacta recover` settles it");
    }
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.plan-list/1", body: Plans { plans, more } });
    } else {
        context.output.rows(lines::plans(&plans));
        context.tell_more(more);
    }
    Ok(0)
}

/// `exacta show`
pub fn show(args: &Show, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    let detail = app.show(&app.resolve(&args.id)?)?;
    let output = &context.output;
    if output.is_json() {
        output.detail(&detail);
    } else if args.risk || args.quality {
        output.rows(plan::scores(&detail.plan, args.risk, args.quality));
    } else {
        output.rows(plan::facts(&detail.plan));
        output.rows(detail::rows(&detail));
        if !args.stat {
            output.text(&diff::all_text(&detail.plan, output.paint()));
        }
        if args.hex {
            for rows in diff::bytes(&detail.plan) {
                output.rows(rows);
            }
        }
    }
    Ok(0)
}

/// A plan as the result of a command: what it is, the diffs, and what the decision hangs on; with `--verbose` all of its facts.
pub fn print(view: &PlanView, output: &Output) {
    if output.is_json() {
        output.plan(view);
    } else if !output.is_verbose() {
        output.rows(brief::above(view));
        output.text(&diff::all_text(view, output.paint()));
        output.rows(brief::below(view));
    } else {
        output.rows(plan::facts(view));
        output.text(&diff::all_text(view, output.paint()));
    }
}

/// How a command that evaluated a plan ends.
pub const fn exit(view: &PlanView) -> Exit {
    match view.decision {
        Verdict::Allow => match view.status {
            Some(Status::Pending) => Exit::Confirm,
            _ => Exit::Done,
        },
        Verdict::Confirm => Exit::Confirm,
        Verdict::Deny => Exit::Denied,
    }
}

/// What can be done with a new plan.
pub fn next(view: &PlanView, app: &App, output: &Output) {
    let Some(id) = &view.plan_id else { return };
    let name = view.short_id.as_ref().unwrap_or(id);
    let is_kept = || PlanId::parse(id).is_ok_and(|id| app.keeps_text(&id));
    match view.status {
        Some(Status::Pending) => output.note(&format!("decide with `exacta review {name}` or `exacta approve {name}`")),
        Some(Status::AutoApproved) => execute_next(view, output),
        Some(Status::Rejected) if !is_kept() => {
            output.note("the proposal holds a secret, so it was not kept; submit it again without the secret");
        }
        Some(Status::Rejected) => {
            output.note(&format!("`exacta policy explain {name}` says what would have to change"))
        }
        _ => {}
    }
}

/// How an approved plan is run, if it can be.
pub fn execute_next(view: &PlanView, output: &Output) {
    let domain = view.detail.as_ref().map_or(Domain::Files.name(), |detail| detail.domain.as_str());
    match view.short_id.as_ref().or(view.plan_id.as_ref()) {
        Some(id) if domain == Domain::Files.name() => output.note(&format!("run it with `exacta execute {id}`")),
        _ => output.note(&format!("nothing runs steps of the {domain} domain yet")),
    }
}
