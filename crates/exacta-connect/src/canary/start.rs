//! How each program is started with the scripted model instead of its own, and with everything else as the user has it.

use super::LONGEST;
use crate::client::Client;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a program is started with.
#[derive(Debug, Clone, Copy)]
pub struct Started<'s> {
    /// The program.
    pub program: &'s Path,
    /// Where.
    pub project: &'s Path,
    /// More flags, as the user gives them.
    pub flags: &'s [String],
    /// Where the scripted model is.
    pub model: &'s str,
    /// A file of settings that win over the user's, for programs that choose their model by file alone.
    pub aside: &'s Path,
    /// Whether nobody is asked, where the program has a flag for that.
    pub bold: bool,
}

/// What Gemini CLI has to be told in a file: how it is known to its model.
pub const ASIDE: &str = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#;

/// What it is asked to do; the script does not listen.
const PROMPT: &str = "check";

/// As much as is kept of what a program says.
const SAID: usize = 2_000;

/// A program, with all that it has to be told.
#[must_use]
pub fn command(client: Client, with: &Started<'_>) -> Command {
    let mut command = Command::new(with.program);
    match client {
        Client::Codex => codex(&mut command, with),
        Client::Claude => claude(&mut command, with),
        Client::Gemini => gemini(&mut command, with),
        Client::Opencode => opencode(&mut command, with),
        Client::Copilot => copilot(&mut command, with),
        // It has no mode that can be checked.
        Client::Cline => {}
    }
    // Some look at the variable, and not at where they are.
    command.current_dir(with.project).env("PWD", with.project).stdin(Stdio::null());
    command
}

/// Starts a program and waits for its end. Says how it ended, if that was not well.
///
/// # Errors
/// If it cannot be started.
pub fn start(client: Client, with: &Started<'_>) -> io::Result<Option<String>> {
    let mut command = command(client, with);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn()?)
}

fn codex(command: &mut Command, with: &Started<'_>) {
    let provider = format!(
        "model_providers.exacta_check={{name=\"exacta check\",base_url=\"{}/v1\",wire_api=\"responses\"}}",
        with.model
    );
    command.args(["exec", "--json", "--skip-git-repo-check"]).args(with.flags);
    // Models without a name that it knows have no `apply_patch`.
    command.args(["-c", "model=\"gpt-5.5\"", "-c", "model_provider=\"exacta_check\"", "-c", &provider, PROMPT]);
}

fn claude(command: &mut Command, with: &Started<'_>) {
    command.env("ANTHROPIC_BASE_URL", with.model).env("ANTHROPIC_API_KEY", "none").env_remove("ANTHROPIC_AUTH_TOKEN");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    command.args(["-p", "--output-format", "stream-json", "--verbose"]).args(with.flags);
    if with.bold {
        command.arg("--dangerously-skip-permissions");
        if rustix::process::geteuid().is_root() {
            // It does not take the flag from the super-user otherwise.
            command.env("IS_SANDBOX", "1");
        }
    }
    command.arg(PROMPT);
}

fn gemini(command: &mut Command, with: &Started<'_>) {
    command.env("GOOGLE_GEMINI_BASE_URL", with.model).env("GEMINI_API_KEY", "none");
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", with.aside);
    // Without a name it asks a model which model to ask.
    command.args(with.flags).args(["--model", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", PROMPT]);
}

fn opencode(command: &mut Command, with: &Started<'_>) {
    let config = json!({
        "provider": { "exacta_check": {
            "npm": "@ai-sdk/openai-compatible", "name": "exacta check",
            "options": { "baseURL": format!("{}/v1", with.model), "apiKey": "none" },
            "models": { "canary": { "name": "canary", "tool_call": true } },
        } },
    });
    command.env("OPENCODE_CONFIG_CONTENT", config.to_string()).env("OPENCODE_DISABLE_MODELS_FETCH", "1");
    command.env("OPENCODE_DISABLE_AUTOUPDATE", "1");
    // What would be asked is allowed, and what is denied stays denied.
    command.args(["run", "--auto"]).args(with.flags).args(["--model", "exacta_check/canary", PROMPT]);
}

/// With models of other names it has another edit tool than the script knows.
fn copilot(command: &mut Command, with: &Started<'_>) {
    command.env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", with.model)).env("COPILOT_MODEL", "claude-sonnet-4.5");
    command.env("COPILOT_OFFLINE", "true").args(with.flags);
    command.args(["--disable-builtin-mcps", "--allow-all-tools", "-p", PROMPT]);
}

/// Waits for the end of a program, and stops it with all that it started when its time is over.
fn ended(mut child: Child) -> io::Result<Option<String>> {
    let said = [
        child.stdout.take().map(|stream| thread::spawn(move || last(stream))),
        child.stderr.take().map(|stream| thread::spawn(move || last(stream))),
    ];
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begun.elapsed() > LONGEST {
            break None;
        }
        thread::sleep(Duration::from_millis(50));
    };
    // Servers that it started end with it.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _gone = kill_process_group(group, Signal::KILL);
    }
    let why = match status {
        Some(status) if status.success() => return Ok(None),
        Some(status) => format!("it ended with {status}"),
        None => {
            drop(child.wait());
            format!("it was not done after {} seconds", LONGEST.as_secs())
        }
    };
    let said = said.into_iter().flatten().filter_map(|reader| reader.join().ok());
    let last = said.filter(|text| !text.trim().is_empty()).last().unwrap_or_default();
    let line = last.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Ok(Some(format!("{why}: {}", exacta_kernel::text::excerpt(line.trim(), 300))))
}

/// The end of what a stream says.
fn last(mut stream: impl io::Read) -> String {
    let mut kept = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        kept.extend_from_slice(piece.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(SAID);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
