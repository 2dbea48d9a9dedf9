//! What the program says about itself: schema, completions, man pages.

use super::Face;
use crate::args::{self, SchemaOf};
use crate::fail;
use crate::output::Output;
use exacta_app::{Error, Exit};
use serde::Serialize;
use std::path::Path;

/// Prints a JSON Schema.
pub fn schema(of: SchemaOf, output: &Output) -> Result<u8, Error> {
    let schema = match of {
        SchemaOf::Proposal => exacta_kernel::schema::proposal(),
        SchemaOf::PlanView => serde_json::from_str(exacta_app::view::PLAN_VIEW_SCHEMA)?,
    };
    if output.is_json() {
        output.json(&schema);
    } else {
        output.text(&format!("{schema:#}\n"));
    }
    Ok(0)
}

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell, output: &Output) -> Result<u8, Error> {
    if output.is_json() {
        return Err(fail::not_json("completions"));
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "exacta", &mut script);
    output.text(&String::from_utf8_lossy(&script));
    Ok(0)
}

#[derive(Debug, Serialize)]
struct Pages {
    dir: String,
}

/// Writes one page for each command.
#[expect(clippy::disallowed_methods, reason = "a folder that the user named")]
pub fn man(dir: &Path, output: &Output) -> Result<u8, Error> {
    let write = || {
        std::fs::create_dir_all(dir)?;
        clap_mangen::generate_to(args::command(), dir)
    };
    write().map_err(|error| fail::io(Exit::Usage, &format!("write the man pages into `{}`", dir.display()), &error))?;
    if output.is_json() {
        output.json(&Face { schema: "exacta.man/1", body: Pages { dir: dir.display().to_string() } });
    }
    Ok(0)
}
