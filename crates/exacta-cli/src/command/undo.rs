//! Runs are undone.

use super::Context;
use super::key::Decider;
use super::run_end::{self, End};
use crate::args::Undo;
use crate::render::diff;
use exacta_app::settings::SigningKey;
use exacta_app::{Error, Exit};
use exacta_kernel::id::PlanId;
use exacta_view::rows::background::short;
use exacta_view::words::counted;
use exacta_view::{Row, UndoView};

/// `exacta undo`
pub fn undo(args: &Undo, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    if args.signer.approver_key.is_some() && args.id.as_deref().is_none_or(|id| PlanId::parse(id).is_err()) {
        let message = "with a key, the run or its plan is named by its whole id: nobody is shown what would be undone";
        return Err(Error::new(Exit::Usage, "run_id_not_whole", message)
            .hint("`exacta status --json` has the ids; without `--approver-key` you are shown the run and asked"));
    }
    let preview = match app.undo_preview(args.id.as_deref()) {
        Ok(preview) => preview,
        Err(error) => {
            let id = app.plan_to_undo(args.id.as_deref());
            return id.map_or(Err(error.clone()), |id| End::refused(&app, &id, error, context).report(context));
        }
    };
    let id = PlanId::parse(&preview.plan_id).map_err(|error| Error::fault("internal", error.to_string()))?;
    let key = match agreed(args, &preview, context) {
        Ok(key) => key,
        Err(error) => return End::refused(&app, &id, error, context).report(context),
    };
    let run = &preview.run_id;
    let end = run_end::act(&mut app, &id, &args.pace, context, |app, execution| app.undo(run, &key, execution))?;
    let undo = end.completed().map(str::to_owned);
    let code = end.report(context)?;
    if let (Some(undo), false) = (undo, context.output.is_json()) {
        context.output.note(&format!("`exacta undo {undo}` applies it again"));
    }
    Ok(code)
}

/// The key that signs for it; a person is shown what would happen, and asked.
fn agreed(args: &Undo, preview: &UndoView, context: &Context) -> Result<SigningKey, Error> {
    let decider = Decider::new(&args.signer, &context.options)?;
    if decider.is_person() {
        context.output.aside(heading(preview));
        for file in &preview.files {
            let mut text = String::new();
            diff::write(&file.path, &file.diff, context.output.paint_aside(), &mut text);
            context.output.aside_text(&text);
        }
        decider.agrees(&format!("\nundo this run, hash {}?", short(&preview.undo_hash)))?;
    }
    decider.key(&context.options)
}

fn heading(preview: &UndoView) -> Vec<Row> {
    let files = counted(preview.files.len(), "file");
    vec![Row::heading(&format!("undoing run {} changes {files}", preview.run_id))]
}
