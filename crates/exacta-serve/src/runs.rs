//! Runs that this server started: each on a thread of its own, told live, and cancelled between steps.

use crate::session::lock;
use crate::state::Server;
use exacta_app::{Caller, CheckEvent, Error, Execution, Progress};
use exacta_kernel::id::PlanId;
use exacta_view::RunView;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a run waits for others on the same files.
const QUEUE: Duration = Duration::from_secs(60);

/// The runs that go on, by plan: raise the flag to cancel one.
#[derive(Default)]
pub struct Runs {
    open: Mutex<BTreeMap<PlanId, Arc<AtomicBool>>>,
}

impl Runs {
    /// Cancels the run of a plan, if it goes on here.
    pub fn cancel(&self, id: &PlanId) -> bool {
        let open = lock(&self.open);
        open.get(id).inspect(|flag| flag.store(true, Ordering::SeqCst)).is_some()
    }

    /// Whether nothing runs.
    pub fn is_idle(&self) -> bool {
        lock(&self.open).is_empty()
    }
}

/// Starts the run of a plan for whoever asks; how it ended can be waited for.
pub fn start(server: &Arc<Server>, caller: &Caller, id: &PlanId) -> Receiver<Result<RunView, Error>> {
    let (sender, ended) = channel();
    let (server, caller, id) = (Arc::clone(server), caller.clone(), id.clone());
    let flag = Arc::new(AtomicBool::new(false));
    lock(&server.runs.open).insert(id.clone(), Arc::clone(&flag));
    std::thread::spawn(move || {
        let run = execute(&server, &caller, &id, &flag);
        lock(&server.runs.open).remove(&id);
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
