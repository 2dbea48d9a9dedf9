//! The operator's checks, run on the staged result before anything is visible; a failing one discards the run. The same before anybody decided,
//! where nothing they write is kept.

use crate::app::App;
use exacta_exec::sandbox::{self, CommandReport, Ended, Sandbox, SandboxError};
use exacta_kernel::plan::Change;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::command::Command;
use exacta_kernel::time::Timestamp;
use exacta_view::command::at_a_terminal;
use exacta_view::{CheckState, CheckView, ChecksView};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a check says while it runs and when it ends.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    /// A command begins.
    Started(&'a Command),
    /// A command printed something.
    Output(&'a [u8]),
    /// A command ended.
    Ended(&'a CommandReport),
}

/// The commands a run has to pass: the checks, and the build where the plan has a `build` step.
pub(crate) struct Checks {
    pub commands: Vec<Command>,
    scratch: PathBuf,
    hidden: Vec<PathBuf>,
}

impl App {
    /// The commands that the operator configured for this project.
    pub(crate) fn checks(&self, policy: &Policy, build: bool) -> Checks {
        let roots = crate::in_force::names(policy, self.path());
        let mut commands = Vec::new();
        if build {
            commands.extend(policy.build(&self.project.id, &roots).cloned());
        }
        commands.extend(policy.checks(&self.project.id, &roots));
        Checks { commands, scratch: self.home.scratch(), hidden: self.home.folders() }
    }
}

impl Checks {
    /// None: what an undo puts back was there before.
    pub const fn none() -> Self {
        Self { commands: Vec::new(), scratch: PathBuf::new(), hidden: Vec::new() }
    }

    /// Whether each of them would see the whole change.
    pub fn see(&self, changes: &[Change]) -> Result<(), SandboxError> {
        self.commands.iter().try_for_each(|command| sandbox::sees(command, changes))
    }

    /// Runs them one after the other; the first that does not pass ends it.
    pub fn run(
        &self,
        root: &exacta_exec::ProjectRoot,
        changes: &[Change],
        cancel: &AtomicBool,
        watch: &mut dyn FnMut(CheckEvent<'_>),
    ) -> Result<(), String> {
        let sandbox = Sandbox { root, scratch: &self.scratch, hidden: &self.hidden, changes, cancel };
        let told = |error: SandboxError| format!("{error}; {}", at_a_terminal(&error.hint()));
        for command in &self.commands {
            let report = watched(&sandbox, command, watch).map_err(told)?;
            if cancel.load(Ordering::Relaxed) {
                // The executor sees the same flag next, and says that the run was cancelled.
                return Ok(());
            }
            verdict(&report)?;
        }
        Ok(())
    }

    /// Runs them on a result that nobody approved, up to the first that does not pass. Whatever they write is thrown away, in the folders
    /// that the operator declared for writing, too: nothing of it may outlive the look.
    pub fn try_out(
        &self,
        root: &exacta_exec::ProjectRoot,
        changes: &[Change],
        cancel: &AtomicBool,
        watch: &mut dyn FnMut(CheckEvent<'_>),
        at: Timestamp,
    ) -> Result<ChecksView, Stopped> {
        let sandbox = Sandbox { root, scratch: &self.scratch, hidden: &self.hidden, changes, cancel };
        let names = self.commands.iter().map(|command| command.name.as_str());
        let mut view = ChecksView::not_run(names, None);
        for (command, shown) in self.commands.iter().zip(&mut view.commands) {
            let command = Command { writes: Vec::new(), ..command.clone() };
            let report = match watched(&sandbox, &command, watch) {
                _ if cancel.load(Ordering::Relaxed) => return Err(Stopped),
                Ok(report) => report,
                Err(error) => {
                    view.reason = Some(format!("{error}; {}", at_a_terminal(&error.hint())));
                    return Ok(view);
                }
            };
            let state = if report.ended == Ended::Passed { CheckState::Passed } else { CheckState::Failed };
            *shown = CheckView::ended(&command.name, state, &how(&report.ended), &report.output);
            (view.state, view.at) = (state, Some(at.to_string()));
            if state == CheckState::Failed {
                break;
            }
        }
        Ok(view)
    }
}

/// Somebody stopped a trial.
#[derive(Debug)]
pub(crate) struct Stopped;

fn watched(
    sandbox: &Sandbox<'_>,
    command: &Command,
    watch: &mut dyn FnMut(CheckEvent<'_>),
) -> Result<CommandReport, SandboxError> {
    watch(CheckEvent::Started(command));
    let report = sandbox.run(command, &mut |bytes| watch(CheckEvent::Output(bytes)))?;
    watch(CheckEvent::Ended(&report));
    Ok(report)
}

/// How a command ended, in words.
fn how(ended: &Ended) -> String {
    match ended {
        Ended::Passed => "passed".to_owned(),
        Ended::Failed(code) => format!("exit code {code}"),
        Ended::Killed(signal) => format!("signal {signal}"),
        Ended::TimedOut => "its time was over".to_owned(),
        Ended::Cancelled => "cancelled".to_owned(),
    }
}

fn verdict(report: &CommandReport) -> Result<(), String> {
    if report.ended == Ended::Passed {
        return Ok(());
    }
    let how = how(&report.ended);
    let last = report.output.lines().rev().find(|line| !line.trim().is_empty());
    // After the mark everything is the check's own word. It is folded at every blank, so that nothing but a word of it begins a row:
    // in backticks it would not be.
    let plain = |last: &str| last.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ");
    let said = last.map(|last| exacta_kernel::text::excerpt(&plain(last), 120));
    let said = said.map(|said| format!("; its last line: \u{2502} {said}"));
    Err(format!("check `{}` did not pass ({how}){}", report.name, said.unwrap_or_default()))
}
