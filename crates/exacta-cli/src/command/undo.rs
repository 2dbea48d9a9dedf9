//! Runs are taken back.

use super::Context;
use super::key::Decider;
use super::run::{report, with_progress};
use crate::args::Undo;
use crate::render::row::Row;
use crate::render::{diff, plan};
use exacta_app::view::UndoView;
use exacta_app::{Error, Exit};
use exacta_kernel::id::PlanId;

/// `exacta undo`
pub fn undo(args: &Undo, context: &Context) -> Result<u8, Error> {
    let decider = Decider::new(&args.signer, &context.options)?;
    let mut app = context.open()?;
    let preview = app.undo_preview(args.id.as_deref())?;
    if decider.is_person() {
        context.output.aside(heading(&preview));
        for file in &preview.files {
            context.output.aside_unfolded(&diff::rows(&file.path, &file.diff, context.output.paint_aside().0));
        }
        if !decider.agrees(&format!("\ntake this run back, hash {}?", plan::short(&preview.undo_hash)))? {
            context.output.note("nothing was taken back");
            return Ok(Exit::Confirm.code());
        }
    }
    let key = decider.key(&context.options)?;
    let (ended, interrupted) =
        with_progress(&args.pace, context, |execution| app.undo(&preview.run_id, &key, execution))?;
    let id = PlanId::parse(&preview.plan_id).map_err(|error| Error::fault("internal", error.to_string()))?;
    let status = app.show(&id)?.plan.status;
    let failed = ended.as_ref().err().cloned();
    report(&id, status, ended.ok().as_ref(), failed, interrupted, context, args.pace.events)
}

fn heading(preview: &UndoView) -> Vec<Row> {
    let files = preview.files.len();
    vec![Row::heading(&format!("taking run {} back changes {files} files", preview.run_id))]
}
