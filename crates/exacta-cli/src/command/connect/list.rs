//! What is on the machine, and in which state.

use super::{Context, Face, setup, unusable};
use exacta_app::Error;
use exacta_connect::{Client, Connection, Mode, Places};
use exacta_view::{Row, Tone};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Serialize)]
struct Agents {
    agents: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    agent: &'static str,
    title: &'static str,
    program: Option<PathBuf>,
    mode: Option<Mode>,
    project: Option<PathBuf>,
    faults: Vec<String>,
}

/// Lists every program that is known.
pub fn list(places: &Places, context: &Context) -> Result<u8, Error> {
    let folder = setup::folder(context)?;
    let mut agents = Vec::new();
    for client in Client::ALL {
        let known = Connection::load(&folder, client).map_err(unusable)?;
        agents.push(Line {
            agent: client.name(),
            title: client.title(),
            program: places.program(client.name()),
            mode: known.as_ref().map(|known| known.mode),
            faults: known.as_ref().map(Connection::faults).unwrap_or_default(),
            project: known.and_then(|known| known.project),
        });
    }
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.connect-list/1", body: Agents { agents } });
    } else {
        context.output.rows(agents.iter().flat_map(rows).collect());
    }
    Ok(0)
}

fn rows(line: &Line) -> Vec<Row> {
    let (tone, state) = match (line.mode, line.faults.is_empty(), &line.program) {
        (Some(mode), true, _) => {
            (Tone::Good, format!("{}, not proved: `exacta connect {} --check`", mode.name(), line.agent))
        }
        (Some(mode), false, _) => (Tone::Bad, format!("{}, and its settings were changed since", mode.name())),
        (None, _, Some(_)) => (Tone::Warn, "not connected".to_owned()),
        (None, _, None) => (Tone::Faint, "not found here".to_owned()),
    };
    let project = line.project.as_ref().map(|project| format!(" ({})", project.display())).unwrap_or_default();
    let mut rows =
        vec![Row::new().column(Tone::Strong, line.agent, 10).hanging(10).with(tone, &format!("{state}{project}"))];
    rows.extend(line.faults.iter().map(|fault| Row::indented(10).faint(fault)));
    rows
}
