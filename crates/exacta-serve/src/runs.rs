//! Runs that this server started: each on a thread of its own, told live, and cancelled between steps.

use crate::state::Server;
use exacta_app::{Caller, CheckEvent, Error, Execution, Progress};
use exacta_kernel::id::PlanId;
use exacta_view::RunView;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a run waits for others on the same files.
const QUEUE: Duration = Duration::from_secs(60);

/// Starts the run of a plan for whoever asks; how it ended can be waited for.
pub fn start(server: &Arc<Server>, caller: &Caller, id: &PlanId) -> Receiver<Result<RunView, Error>> {
    let (sender, ended) = channel();
    let (server, caller, id) = (Arc::clone(server), caller.clone(), id.clone());
    let flag = server.runs.begin(&id);
    std::thread::spawn(move || {
        let run = execute(&server, &caller, &id, &flag);
        server.runs.end(&id);
        match &run {
            Ok(run) => server.live.run(id.as_str(), "ended", run.word()),
            Err(error) => server.live.run(id.as_str(), "ended", &error.message),
        }
        // Nobody may be waiting any more.
        let _told = sender.send(run);
    });
    ended
}

fn execute(server: &Server, caller: &Caller, id: &PlanId, cancel: &AtomicBool) -> Result<RunView, Error> {
    let mut app = server.act(caller)?;
    let plan = id.as_str();
    let mut observer = |event: Progress| match event {
        Progress::StepStaged { path } => server.live.run(plan, "staged", &path.to_string()),
        Progress::Committing => server.live.run(plan, "committing", ""),
        Progress::StepDone { path } => server.live.run(plan, "done", &path.to_string()),
        Progress::RollingBack { cause } => server.live.run(plan, "rolling_back", &cause),
    };
    let mut check_observer = |event: CheckEvent<'_>| match event {
        CheckEvent::Started(command) => server.live.run(plan, "check", &command.name),
        CheckEvent::Output(bytes) => server.live.run(plan, "output", &String::from_utf8_lossy(bytes)),
        CheckEvent::Ended(_) => {}
    };
    app.execute(
        id,
        Execution { sync: true, wait: QUEUE, cancel, observer: &mut observer, check_observer: &mut check_observer },
    )
}
