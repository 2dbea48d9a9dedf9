//! The way back.

use super::{Context, Decider, Face, setup, show, unusable};
use crate::args::Connect;
use exacta_app::{Error, Exit};
use exacta_connect::{Client, Connection};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Serialize)]
struct Undone {
    agent: &'static str,
    files: Vec<PathBuf>,
    merged: Vec<PathBuf>,
    kept: Vec<String>,
}

/// Puts a program's settings back.
pub fn undo(client: Client, args: &Connect, context: &Context) -> Result<u8, Error> {
    let folder = setup::folder(context)?;
    let Some(connection) = Connection::load(&folder, client).map_err(unusable)? else {
        return Err(Error::new(Exit::Usage, "not_connected", format!("{} is not connected", client.title()))
            .hint("`exacta connect --list` shows what is"));
    };
    let decider = Decider::new(&args.signer, &context.options)?;
    let undoing = connection.undoing(&folder).map_err(unusable)?;
    show(&undoing.changes, context);
    for path in &undoing.merged {
        context.output.note(&format!("`{}` was written since: only what `connect` added is taken out", path.display()));
    }
    undoing.kept.iter().for_each(|kept| context.output.note(kept));
    decider.agrees(&format!("put the settings of {} back?", client.title()))?;
    for change in &undoing.changes {
        change.write().map_err(unusable)?;
    }
    connection.forget(&folder).map_err(unusable)?;
    let files: Vec<PathBuf> = undoing.changes.iter().map(|change| change.path.clone()).collect();
    if context.output.is_json() {
        let body = Undone { agent: client.name(), files, merged: undoing.merged, kept: undoing.kept };
        context.output.json(&Face { schema: "exacta.connect-undo/1", body });
    } else {
        context.output.line(&format!("{} is no longer connected", client.title()));
        files.iter().for_each(|path| context.output.line(&format!("put back {}", path.display())));
    }
    Ok(0)
}
