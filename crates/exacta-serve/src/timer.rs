//! Autopilots whose time has come: what `exacta autopilot tick` does, again and again, in the server's sessions.

use crate::state::Server;
use exacta_app::autopilot::tick_in;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often is looked for what is due; schedules count in minutes.
const EVERY: Duration = Duration::from_secs(15);

/// How soon it notices that the server ends.
const PAUSE: Duration = Duration::from_millis(100);

/// Does what is due until it is stopped. What it reads and plans is told as a change; what fails is in the occasion, which says so.
pub fn run(server: &Arc<Server>, stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
        let due = tick_in(&server.options_for(&server.person()), |folder| server.places.session(folder));
        if due.is_ok_and(|due| !due.is_empty()) {
            server.live.all();
        }
        let next = Instant::now() + EVERY;
        while Instant::now() < next && !stop.load(Ordering::SeqCst) {
            std::thread::sleep(PAUSE);
        }
    }
}
