//! The operator's checks, run on the staged result before anything is visible; a failing one discards the run.

use crate::app::App;
use exacta_exec::sandbox::{self, CommandReport, Ended, Sandbox, SandboxError};
use exacta_kernel::plan::Change;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::command::Command;
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
        let told = |error: SandboxError| format!("{error}; {}", error.hint());
        for command in &self.commands {
            watch(CheckEvent::Started(command));
            let report = sandbox.run(command, &mut |bytes| watch(CheckEvent::Output(bytes))).map_err(told)?;
            watch(CheckEvent::Ended(&report));
            if cancel.load(Ordering::Relaxed) {
                // The executor sees the same flag next, and says that the run was cancelled.
                return Ok(());
            }
            verdict(&report)?;
        }
        Ok(())
    }
}

fn verdict(report: &CommandReport) -> Result<(), String> {
    let how = match report.ended {
        Ended::Passed => return Ok(()),
        Ended::Failed(code) => format!("exit code {code}"),
        Ended::Killed(signal) => format!("signal {signal}"),
        Ended::TimedOut => "its time was over".to_owned(),
        Ended::Cancelled => "cancelled".to_owned(),
    };
    let last = report.output.lines().rev().find(|line| !line.trim().is_empty());
    // After the mark everything is the check's own word. It is folded at every blank, so that nothing but a word of it begins a row:
    // in backticks it would not be.
    let plain = |last: &str| last.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ");
    let said = last.map(|last| exacta_kernel::text::excerpt(&plain(last), 120));
    let said = said.map(|said| format!("; its last line: \u{2502} {said}"));
    Err(format!("check `{}` did not pass ({how}){}", report.name, said.unwrap_or_default()))
}
