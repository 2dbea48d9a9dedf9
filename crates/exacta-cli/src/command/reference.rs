//! What the program says about itself: schema, completions, man pages.

use super::Face;
use crate::args::{self, SchemaDomain, SchemaOf};
use crate::fail;
use crate::output::Output;
use exacta_app::{Error, Exit};
use serde::Serialize;
use std::path::Path;

/// Prints a JSON Schema.
pub fn schema(of: SchemaOf, domain: Option<SchemaDomain>, output: &Output) -> Result<u8, Error> {
    let schema = match (of, domain) {
        (SchemaOf::Proposal, None) => exacta_kernel::schema::proposal(),
        (SchemaOf::Proposal, Some(domain)) => exacta_kernel::schema::of_domain(domain.into()),
        (SchemaOf::PlanView, None) => exacta_view::schema::plan_view(),
        (SchemaOf::PlanView, Some(_)) => {
            let message = "a plan view has no domain";
            return Err(Error::new(Exit::Usage, "usage", message).hint("leave `--domain` out"));
        }
    };
    if output.is_json() {
        output.json(&schema);
    } else if domain.is_some() {
        // Indentation would be a third of it, and whoever reads it as a model pays for that.
        output.text(&format!("{schema}\n"));
    } else {
        output.text(&format!("{schema:#}\n"));
    }
    Ok(0)
}

/// The keys, wherever a person decides.
const KEYS: &str = "\
At the question of `run` and `approve`:
  y  yes: approve exactly what is shown (`run`: and run it)
  n  no: nothing is approved
  v  view all of it full-screen          c  ask for changes
  ?  the keys

In the review (`exacta`, `exacta review`):
  a  approve                             x  approve and run
  r  reject, with a reason               c  ask for changes
  n p  next, previous hunk               N P  next, previous file
  space  mark the hunk or step           s  make a plan of what is marked
  /  search                              v  viewed, and on to the next
  e  open the diff in your editor        d u f b g G  scroll
  1-7  pages: steps, risk, quality, gates, constraints, findings, about
  ?  the keys                            q  leave, nothing is decided

High risk and SYSTEM-LEVEL take the word `approve`. Enter never approves.
";

/// `exacta help`
pub fn help(topic: &[String], output: &Output) -> Result<u8, Error> {
    if output.is_json() {
        return Err(fail::not_json("help"));
    }
    let mut command = args::command();
    match topic {
        [topic] if topic == "keys" => output.text(KEYS),
        [topic] if topic == "exit-codes" => output.text(&format!("{}\n", args::EXIT_CODES)),
        names => {
            for name in names {
                command.build();
                command = command.find_subcommand(name).cloned().ok_or_else(|| unknown_topic(name))?;
            }
            output.text(&command.render_long_help().to_string());
        }
    }
    Ok(0)
}

fn unknown_topic(name: &str) -> Error {
    let shown = exacta_kernel::text::excerpt(name, 40);
    Error::new(Exit::Usage, "topic_unknown", format!("there is no help on `{shown}`"))
        .hint("`exacta help` lists the commands; other topics are `keys` and `exit-codes`")
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
