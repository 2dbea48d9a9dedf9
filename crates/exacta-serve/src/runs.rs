//! Runs that this server started: each on a thread of its own, told live, and cancelled between steps.

use crate::place::Place;
use crate::state::Server;
use exacta_app::{Caller, CancelBox, CheckEvent, Error, Execution, Progress};
use exacta_kernel::id::PlanId;
use exacta_view::RunView;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a run waits for others on the same files.
const QUEUE: Duration = Duration::from_secs(60);

/// How often is looked whether somebody wants a run cancelled.
const PAUSE: Duration = Duration::from_millis(20);

/// Starts the run of a plan for whoever asks; how it ended can be waited for.
pub fn start(
    server: &Arc<Server>,
    place: &Arc<Place>,
    caller: &Caller,
    id: &PlanId,
) -> Receiver<Result<RunView, Error>> {
    let (sender, ended) = channel();
    let (server, place, caller, id) = (Arc::clone(server), Arc::clone(place), caller.clone(), id.clone());
    let flag = server.runs.begin(&id);
    std::thread::spawn(move || {
        let run = execute(&server, &place, &caller, &id, &flag);
        server.runs.end(&flag);
        match &run {
            Ok(run) => server.live.run(id.as_str(), "ended", run.word()),
            Err(error) => server.live.run(id.as_str(), "ended", &error.message),
        }
        // Nobody may be waiting any more.
        let _told = sender.send(run);
    });
    ended
}

fn execute(
    server: &Server,
    place: &Place,
    caller: &Caller,
    id: &PlanId,
    cancel: &AtomicBool,
) -> Result<RunView, Error> {
    let mut app = place.act(caller)?;
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
    // Another start of the same plan may be at it already; then this one is refused.
    let asked = app.cancel_box(id).ok();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| listen(asked.as_ref(), cancel, &ended));
        let run = app.execute(
            id,
            Execution { sync: true, wait: QUEUE, cancel, observer: &mut observer, check_observer: &mut check_observer },
        );
        ended.store(true, Ordering::SeqCst);
        run
    })
}

/// Waits for `exacta cancel` until the run has ended.
fn listen(asked: Option<&CancelBox>, cancel: &AtomicBool, ended: &AtomicBool) {
    let Some(asked) = asked else { return };
    while !ended.load(Ordering::SeqCst) {
        if asked.is_asked() {
            return cancel.store(true, Ordering::SeqCst);
        }
        std::thread::sleep(PAUSE);
    }
}
