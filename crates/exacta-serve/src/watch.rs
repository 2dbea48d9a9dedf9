//! Notices what changes: plans that come, are decided elsewhere, or expire because a target changed. What expires is recorded at once.

use crate::eyes::{Eyes, Wanted};
use crate::place::Place;
use crate::state::Server;
use exacta_app::{App, Error, RECORDS};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::PlanLine;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long is waited for something to happen.
const PAUSE: Duration = Duration::from_millis(400);

/// How often a project is looked at though nothing seems to happen: time passes, sessions end, and not every file system tells.
const ANYWAY: Duration = Duration::from_secs(5);

/// How often new projects are looked for.
const PROJECTS: Duration = Duration::from_secs(2);

/// How many plans are watched, newest first.
const WATCHED: u32 = 50;

/// What changes with every entry, and what a plan is bound to, in a project's records.
const IN_RECORDS: [&str; 2] = ["audit.log", "config.toml"];

/// What was seen of a project.
#[derive(Default)]
struct Seen {
    app: Option<App>,
    words: BTreeMap<String, String>,
    looked: Option<Instant>,
    /// When the first of its plans is over, as its text.
    over_at: Option<String>,
    /// Whether the kernel tells of every change.
    told: bool,
}

/// Looks until it is stopped.
pub fn watch(server: &Arc<Server>, stop: &AtomicBool) {
    let mut eyes = Eyes::open();
    let mut all: BTreeMap<String, Seen> = BTreeMap::new();
    let mut refreshed = Instant::now();
    let mut touched = BTreeSet::new();
    while !stop.load(Ordering::SeqCst) {
        if refreshed.elapsed() >= PROJECTS {
            // What is wrong with a project is among the alarms of every page.
            let _told = server.places.refresh(&server.person());
            refreshed = Instant::now();
        }
        if matches!(server.approver_counts(), Ok(false)) {
            // Whoever listens was let in before.
            server.live.end();
        }
        for place in server.places.all() {
            let seen = all.entry(place.id.to_string()).or_default();
            if touched.contains(place.id.as_str()) || seen.is_due() {
                seen.look(server, &place, &mut eyes);
            }
        }
        touched = eyes.wait(PAUSE);
    }
}

impl Seen {
    fn is_due(&self) -> bool {
        let waits = if self.told { ANYWAY } else { PAUSE };
        let over = self.over_at.as_ref().is_some_and(|at| *at <= crate::pages::now().to_string());
        over || self.looked.is_none_or(|looked| looked.elapsed() >= waits)
    }

    /// Looks, tells what is otherwise, and watches what matters now.
    fn look(&mut self, server: &Server, place: &Place, eyes: &mut Eyes) {
        let app = self.app.take().map_or_else(|| place.look(&server.person()), Ok);
        let looked = app.and_then(|app| {
            let lines = app.list(None, Some(WATCHED))?;
            self.tell(server, place, &lines)?;
            self.told = eyes.watch(place.id.as_str(), wanted(place.folder(), &app)?);
            Ok(app)
        });
        // Whatever is wrong is told by the pages; the next look opens the project again.
        self.app = looked.ok();
        self.looked = Some(Instant::now());
    }

    fn tell(&mut self, server: &Server, place: &Place, lines: &[PlanLine]) -> Result<(), Error> {
        let first = self.looked.is_none();
        let usable = |line: &&PlanLine| !line.status.is_final() && line.outcome.is_none();
        self.over_at = lines.iter().filter(usable).map(|line| line.expires_at.clone()).min();
        let waiting = lines.iter().filter(|line| line.status == Status::Pending).count();
        place.waiting.store(waiting, Ordering::Relaxed);
        let before = std::mem::take(&mut self.words);
        for line in lines {
            let asked = if line.changes_requested.is_some() { " changes" } else { "" };
            let word = format!("{}{asked}", line.word());
            let known = before.get(&line.plan_id);
            if known != Some(&word) && !first {
                let expired = word == Status::Expired.name() && known.is_some();
                let why = if expired { expired_because(server, place, &line.plan_id)? } else { None };
                server.live.plan(&line.plan_id, &word, why.as_deref(), title(line), ran_unasked(line));
            }
            self.words.insert(line.plan_id.clone(), word);
        }
        Ok(())
    }
}

/// Whether a plan ran that no person was asked about, though its risk is not low.
fn ran_unasked(line: &PlanLine) -> bool {
    line.status == Status::AutoApproved
        && line.outcome.is_some()
        && line.summary.risk_score.is_some_and(|risk| risk > 30)
}

fn title(line: &PlanLine) -> &str {
    line.summary.text.as_deref().unwrap_or_default().lines().next().unwrap_or_default()
}

/// Records that a plan is over, and tells why.
fn expired_because(server: &Server, place: &Place, id: &str) -> Result<Option<String>, Error> {
    let Ok(id) = PlanId::parse(id) else { return Ok(None) };
    let mut app = place.act(&server.person())?;
    Ok(app.consider(&id)?.reason)
}

/// What matters in a project: its log, its configuration, and the files that plans would change. Of a file whose folder does not exist yet, the first
/// part that is missing.
fn wanted(folder: &Path, app: &App) -> Result<Wanted, Error> {
    let mut wanted = Wanted::new();
    wanted.insert(folder.join(RECORDS), IN_RECORDS.map(OsString::from).into_iter().collect());
    for target in app.targets_in_use()? {
        let mut here = PathBuf::from(folder);
        for part in Path::new(target.as_str()) {
            wanted.entry(here.clone()).or_default().insert(part.to_owned());
            here.push(part);
        }
    }
    Ok(wanted)
}
