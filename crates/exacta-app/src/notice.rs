//! Tells the operator's own program that a person is needed, or that something happened without one (`notify_command` of the Safety
//! Policy). It is told, and has no say: whatever becomes of it, what it was told of stays as it is.

use crate::app::App;
use crate::caller::Caller;
use crate::clock::now;
use crate::error::Error;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::gate::Verdict;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::text::excerpt;
use exacta_view::command::command;
use exacta_view::{PlanView, RunView};
use serde::Serialize;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the program may take.
const LIMIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// The longest of each text, in characters. All of it fits into a pipe, so that writing never waits.
const LONGEST: usize = 400;

/// What the program has of the environment: enough to reach the person's screen. The rest belongs to whoever submitted the plan, an agent
/// perhaps, which must not choose what the operator's program loads.
const ENVIRONMENT: [&str; 10] = [
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TZ",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What there is to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// A plan waits for a person.
    PlanWaits,
    /// A plan ran that no person was asked about, and its risk is not low.
    RanUnasked,
    /// A run failed, or a person has to look at it.
    RunFailed,
}

/// What the program is told, as one JSON object.
#[derive(Debug, Serialize)]
struct Notice {
    schema: &'static str,
    kind: Kind,
    project: String,
    plan_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// What the proposer says the plan is; untrusted words, with nothing hidden in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Why a person is needed or told.
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// The command that shows it.
    command: String,
}

impl App {
    /// Tells that a plan waits for a person, unless the person is the one who submitted it and is asked at once.
    pub(crate) fn tell_waiting(&mut self, view: &PlanView) {
        let (Some(Status::Pending), Some(plan_id)) = (view.status, &view.plan_id) else { return };
        if is_person(&self.options.caller) {
            return;
        }
        let asking = view.gates.iter().find(|gate| gate.verdict == Verdict::Confirm);
        let why = asking.map_or("a person decides about every plan", |gate| &gate.reason);
        let command = PlanId::parse(plan_id).map_or_else(|_| String::new(), |id| command(&Remedy::Review(id)));
        let notice = Notice {
            title: view.detail.as_ref().map(|detail| excerpt(&detail.intent_text, LONGEST)),
            expires_at: view.expires_at.clone(),
            ..self.notice(Kind::PlanWaits, plan_id, why, command)
        };
        self.notify(&notice);
    }

    /// Tells how a run ended, where that is not what a person asked for.
    pub(crate) fn tell_ended(&mut self, id: &PlanId, ended: &Result<RunView, Error>) {
        let (kind, run_id, why) = match ended {
            Ok(RunView { notice: Some(why), run_id, .. }) => (Kind::RanUnasked, run_id.clone(), why.clone()),
            Err(Error { run_id: Some(run_id), message, .. }) => (Kind::RunFailed, run_id.to_string(), message.clone()),
            _ => return,
        };
        if is_person(&self.options.caller) {
            return;
        }
        let notice = self.notice(kind, id.as_str(), &why, command(&Remedy::Show(Some(id.clone()))));
        self.notify(&Notice { run_id: Some(run_id), ..notice });
    }

    fn notice(&self, kind: Kind, plan_id: &str, why: &str, command: String) -> Notice {
        Notice {
            schema: "exacta.notice/1",
            kind,
            project: self.path().display().to_string(),
            plan_id: plan_id.to_owned(),
            run_id: None,
            title: None,
            why: excerpt(why, LONGEST),
            expires_at: None,
            command,
        }
    }

    /// Starts the operator's program. That it could not be told is in the log, since nobody else may be there to hear it.
    fn notify(&mut self, notice: &Notice) {
        let Ok(policy) = crate::in_force::safety_policy(&self.home) else { return };
        if let Err(why) = run(&policy.notify_command, notice) {
            let reason = format!("`notify_command` was not told of plan `{}`: {why}", notice.plan_id);
            let entry = EntryDraft::new(Event::NoticeFailed, Actor::System, reason);
            // What it was to be told of is recorded already.
            let _unrecorded = self.store.record(&[entry], now());
        }
    }
}

/// Whether a person is there to see the answer.
const fn is_person(caller: &Caller) -> bool {
    matches!(caller, Caller::Terminal { .. } | Caller::Key { .. } | Caller::Session { .. })
}

/// Runs the program with the notice on its standard input, and ends it and all that it started where it takes too long.
fn run(argv: &[String], notice: &Notice) -> Result<(), String> {
    let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
    let text = serde_json::to_string(notice).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("PATH", SEARCH_PATH).current_dir("/").process_group(0);
    command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("it did not start: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that does not want to read it ends well all the same.
        let _unread = writeln!(input, "{text}");
    }
    let ended = wait(&mut child);
    if ended.is_err() {
        end(&mut child);
    }
    ended
}

fn wait(child: &mut Child) -> Result<(), String> {
    let until = Instant::now() + LIMIT;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("it ended with {status}")),
            Ok(None) if Instant::now() < until => std::thread::sleep(PAUSE),
            Ok(None) => return Err(format!("it took longer than {} s and was ended", LIMIT.as_secs())),
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _reaped = child.wait();
}
