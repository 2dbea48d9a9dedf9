//! The proof: what the program itself lets through.

use super::{Context, Mode, setup, unusable};
use exacta_app::{AgentName, App, Error, Exit, Options};
use exacta_connect::canary::{self, Marks, Seen};
use exacta_connect::{Client, Connection, Places};
use exacta_kernel::id::PlanId;
use exacta_view::{Row, Tone};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a check says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Direct writing is stopped, and plans arrive.
    Guards,
    /// Plans arrive; direct writing is not stopped, or nobody can be sure that it is.
    RecordsOnly,
    /// Plans do not arrive.
    DoesNotWork,
}

/// A check and its reasons.
#[derive(Debug, Serialize)]
pub struct Report {
    pub agent: &'static str,
    pub mode: Option<Mode>,
    pub verdict: Verdict,
    pub reasons: Vec<String>,
}

/// As many plans are looked through.
const NEWEST: u32 = 50;

impl Report {
    /// 0 if the program does what its mode promises.
    pub fn exit(&self) -> u8 {
        let keeps = match self.mode {
            Some(Mode::Guard) => self.verdict == Verdict::Guards,
            Some(Mode::Record) => self.verdict != Verdict::DoesNotWork,
            None => false,
        };
        if keeps { Exit::Done } else { Exit::Fault }.code()
    }

    pub fn rows(&self) -> Vec<Row> {
        let (tone, word) = match self.verdict {
            Verdict::Guards => (Tone::Good, "guards"),
            Verdict::RecordsOnly => (Tone::Warn, "records only"),
            Verdict::DoesNotWork => (Tone::Bad, "does not work"),
        };
        let mut rows = vec![Row::new().column(Tone::Strong, self.agent, 10).with(tone, word)];
        rows.extend(self.reasons.iter().map(|reason| Row::indented(10).hanging(10).plain(reason)));
        rows
    }
}

/// Looks at the settings, starts the program, and sees what it lets through.
///
/// # Errors
/// If our own folders or the project cannot be used.
pub fn check(client: Client, places: &Places, flags: &[String], context: &Context) -> Result<Report, Error> {
    let report = |mode, verdict, reasons| Report { agent: client.name(), mode, verdict, reasons };
    let Some(connection) = Connection::load(&setup::folder(context)?, client).map_err(unusable)? else {
        return Ok(report(None, Verdict::DoesNotWork, vec!["it is not connected".to_owned()]));
    };
    let mode = Some(connection.mode);
    let mut reasons = connection.faults();
    reasons.extend(missing(client, connection.mode, places));
    let project = context.options.root()?;
    if let Some(other) = connection.project.filter(|other| !is_same(other, &project)) {
        reasons.push(format!("it is connected for `{}`", other.display()));
        return Ok(report(mode, Verdict::DoesNotWork, reasons));
    }
    let Some(program) = program(client, places) else {
        reasons.push(format!("`{}` is not found here, so nothing can be proved", client.name()));
        return Ok(report(mode, Verdict::DoesNotWork, reasons));
    };
    context.output.note(&format!("starting {} with a scripted model on this machine", client.title()));
    let marks = Marks::new(&word());
    let seen = match canary::look(client, &program, &project, &marks, flags, &setup::folder(context)?) {
        Ok(seen) => seen,
        Err(error) => {
            reasons.push(format!("`{}` cannot be started: {error}", program.display()));
            return Ok(report(mode, Verdict::DoesNotWork, reasons));
        }
    };
    let plans = arrived(client, &marks, context)?;
    let has_plan = plans >= seen.starts;
    let is_sound = reasons.is_empty();
    reasons.extend(said(&seen, connection.mode, has_plan));
    if client == Client::Codex && connection.mode == Mode::Record && !has_plan {
        reasons.push("codex skips hooks that you did not trust: start codex, type `/hooks`, and trust them".to_owned());
    }
    let stops = seen.is_whole() && !seen.edit_wrote && !seen.shell_wrote;
    let verdict = match (has_plan, is_sound && stops && connection.mode == Mode::Guard) {
        (true, true) => Verdict::Guards,
        (true, false) => Verdict::RecordsOnly,
        (false, _) => Verdict::DoesNotWork,
    };
    Ok(report(mode, verdict, reasons))
}

/// What was seen, in words.
fn said(seen: &Seen, mode: Mode, has_plan: bool) -> Vec<String> {
    let mut said = Vec::new();
    let mut tried = |place: usize, wrote: bool, what: &str| match seen.answers.get(place) {
        None => said.push(format!("it did not get as far as {what}")),
        Some(_) if wrote => said.push(format!("{what} wrote a file in the project")),
        Some(answer) => said.push(format!("{what} was stopped: {}", exacta_kernel::text::excerpt(answer, 120))),
    };
    tried(0, seen.edit_wrote, "its edit tool");
    tried(1, seen.shell_wrote, "its shell");
    // Where only hooks are connected, the plan is made of the edit, and there is nothing to submit with.
    match (has_plan, seen.answers.get(2).filter(|_| mode == Mode::Guard)) {
        (true, _) => said.push("a plan arrived".to_owned()),
        (false, Some(answer)) => said.push(format!("no plan arrived: {}", exacta_kernel::text::excerpt(answer, 200))),
        (false, None) => said.push("no plan arrived".to_owned()),
    }
    said.extend(seen.ended.clone());
    said
}

/// Programs that the sandbox of an agent's program needs.
fn missing(client: Client, mode: Mode, places: &Places) -> Vec<String> {
    let needed: &[&str] = if client == Client::Claude && mode == Mode::Guard { &["bwrap", "socat"] } else { &[] };
    let absent = needed.iter().filter(|name| places.program(name).is_none());
    absent.map(|name| format!("its sandbox needs `{name}`, which is not found here")).collect()
}

/// What is started: of a program that is guarded by flags, its launcher.
#[expect(clippy::disallowed_methods, reason = "the user's own launcher")]
fn program(client: Client, places: &Places) -> Option<PathBuf> {
    let found = places.program(client.name())?;
    if client == Client::Copilot { Some(places.launcher()).filter(|path| path.is_file()) } else { Some(found) }
}

/// How many plans of the check arrived; they are withdrawn, as the agent itself could.
fn arrived(client: Client, marks: &Marks, context: &Context) -> Result<usize, Error> {
    let caller = exacta_app::connected(&context.options, &AgentName::parse(client.name())?)?;
    let mut app = App::resume(&Options { caller, ..context.options.clone() })?;
    let lines = app.list(None, Some(NEWEST))?;
    let ours = lines.iter().filter(|line| line.summary.text.as_deref().is_some_and(|text| text.contains(marks.word())));
    let ids: Vec<PlanId> = ours.filter_map(|line| PlanId::parse(&line.plan_id).ok()).collect();
    for id in &ids {
        // One that policy allowed is nobody's to withdraw; it expires by itself.
        drop(app.withdraw(id, Some("a check of `exacta connect`"), None));
    }
    Ok(ids.len())
}

#[expect(clippy::disallowed_methods, reason = "the same folder by two names")]
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A word that was not used before on this machine.
fn word() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{:x}{:x}", std::process::id(), now)
}
