//! Many processes in one project: they execute, undo, undo undos, recover, and are killed at any moment. Every plan writes one word to the
//! two files of a pair, so that two different words are a torn project; and in the end the log must explain every file.

use crate::world::World;
use exacta_testkit::{LIMIT, Running};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, Write as _};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Pairs of files.
const PAIRS: usize = 3;

/// How a command that nobody killed may end without success, by the code of its error: others were faster, or are at it.
pub(crate) const LOST: [&str; 15] = [
    "already_run",
    "already_undone",
    "approval_outdated",
    "hash_mismatch",
    "hash_required",
    "locked",
    "lost_race",
    "plan_expired",
    "run_id_not_whole",
    "run_unknown",
    "runs_going_on",
    "target_changed",
    "too_many_runs",
    "wrong_state",
    "wrong_status",
];

#[test]
fn a_crowd_for_some_seconds() {
    crowd(6, Duration::from_secs(6));
}

#[test]
#[ignore = "takes ten minutes"]
fn a_crowd_of_sixteen_for_ten_minutes() {
    crowd(16, Duration::from_secs(600));
}

fn crowd(size: usize, time: Duration) {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    for pair in 0..PAIRS {
        for file in files(pair) {
            world.write(&file, "word = \"first\"\n");
        }
    }
    let crowd = Crowd { world, end: Instant::now() + time, members: Mutex::default(), ended: Mutex::default() };
    thread::scope(|scope| {
        for member in 0..size {
            let crowd = &crowd;
            scope.spawn(move || crowd.act(member));
        }
    });
    let kills = crowd.ended.lock().unwrap().get("killed").copied().unwrap_or_default();
    eprintln!("{:#?}", crowd.ended.lock().unwrap());
    crowd.world.run(&["recover"]).expect(0);
    crowd.world.run(&["audit", "verify"]).expect(0);
    let completed = explained(&crowd.world);
    assert!(completed > 0 && kills > 0, "{completed} runs, {kills} kills");
    eprintln!(
        "{size} processes, {kills} kills, {completed} runs and undos: every pair is whole and the log explains it"
    );
}

fn files(pair: usize) -> [String; 2] {
    [format!("src/left{pair}.py"), format!("src/right{pair}.py")]
}

struct Crowd {
    world: World,
    end: Instant,
    /// The processes that live.
    members: Mutex<Vec<Arc<Mutex<Running>>>>,
    /// How processes ended.
    ended: Mutex<BTreeMap<String, usize>>,
}

impl Crowd {
    /// One member: does one thing after the other, and kills others on the way.
    fn act(&self, member: usize) {
        let mut state = member as u64 * 0x9e37_79b9 + 0x1234_5678;
        let mut turn = 0;
        while Instant::now() < self.end || self.is_early() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chance = (state >> 33) as usize;
            turn += 1;
            match chance % 8 {
                0..4 => self.change(chance / 8 % PAIRS, &format!("member {member} turn {turn}")),
                4 | 5 => self.undo(None),
                6 => self.undo_any(chance / 8),
                _ => self.restore(),
            }
            self.kill(chance / 64);
        }
    }

    /// Whether nothing was executed yet, or nobody killed, on a machine that is slow but not too slow.
    fn is_early(&self) -> bool {
        let ended = self.ended.lock().unwrap();
        let met = |how: &str| ended.keys().any(|key| key.trim() == how);
        Instant::now() < self.end + LIMIT && !(met("execute 0") && met("killed"))
    }

    /// Another word for both files of a pair.
    fn change(&self, pair: usize, word: &str) {
        let step = |order: usize, file: &str| {
            json!({
                "id": format!("s{order}"), "order": order, "type": "file_modify", "target": file, "dependencies": [],
                "description": "write the new word, which both files of the pair hold", "content": format!("word = \"{word}\"\n"),
            })
        };
        let [left, right] = files(pair);
        let plan = json!({
            "schema": "exacta.plan/1",
            "intent": { "type": "FixBug", "text": "both files of the pair hold the new word" },
            "steps": [step(1, &left), step(2, &right)],
        });
        let Some(made) = self.command(&["submit", "-", "--json"], Some(&plan)) else { return };
        let Some(id) = made["plan_id"].as_str() else { return };
        if made["status"] == "pending" {
            let key = self.world.key();
            if self.command(&["approve", id, "--approver-key", &key, "--json"], None).is_none() {
                return;
            }
        }
        self.command(&["execute", id, "--json"], None);
    }

    /// Recovers, and raises the profile again: so many runs are killed that it falls.
    fn restore(&self) {
        self.command(&["recover", "--json"], None);
        self.command(&["profile", "set", "DEV", "--approver-key", &self.world.key(), "--json"], None);
    }

    fn undo(&self, run: Option<&str>) {
        let key = self.world.key();
        let args: Vec<&str> = ["undo", "--json", "--approver-key", &key].into_iter().chain(run).collect();
        self.command(&args, None);
    }

    /// Any of the last runs, undos among them.
    fn undo_any(&self, chance: usize) {
        let Some(status) = self.command(&["audit", "list", "--json", "--limit", "40"], None) else { return };
        let runs: Vec<&str> = entries(&status).iter().filter_map(|entry| entry["run_id"].as_str()).collect();
        if !runs.is_empty() {
            self.undo(Some(runs[chance % runs.len()]));
        }
    }

    /// Runs a command that anybody may kill; what it printed, if nobody did.
    fn command(&self, args: &[&str], input: Option<&Value>) -> Option<Value> {
        let mut command = self.world.command(args);
        if let Some(input) = input {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(input.to_string().as_bytes()).and_then(|()| file.rewind()).unwrap();
            command.stdin(file);
        }
        let mut out = tempfile::tempfile().unwrap();
        command.stdout(out.try_clone().unwrap()).stderr(Stdio::null());
        let child = Arc::new(Mutex::new(Running::start(&mut command)));
        self.members.lock().unwrap().push(Arc::clone(&child));
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.lock().unwrap().ended() {
                break status;
            }
            assert!(begin.elapsed() < LIMIT, "{args:?}: no end within {LIMIT:?}");
            thread::sleep(Duration::from_millis(3));
        };
        self.members.lock().unwrap().retain(|other| !Arc::ptr_eq(other, &child));
        let Some(code) = status.code() else {
            self.count("killed");
            return None;
        };
        let mut text = String::new();
        out.rewind().and_then(|()| out.read_to_string(&mut text)).unwrap();
        let said: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"));
        let why = said["error"]["code"].as_str().unwrap_or_default();
        assert!(matches!(code, 0 | 30) || LOST.contains(&why), "{args:?}: exit {code}: {said}");
        self.count(&format!("{} {code} {why}", args[0]));
        Some(said)
    }

    fn count(&self, how: &str) {
        *self.ended.lock().unwrap().entry(how.to_owned()).or_default() += 1;
    }

    /// Kills whoever is at work, now and then.
    fn kill(&self, chance: usize) {
        let members = self.members.lock().unwrap();
        if !members.is_empty() && chance.is_multiple_of(2) {
            members[chance / 2 % members.len()].lock().unwrap().kill();
        }
    }
}

/// Every run that began has one end; the changes of those that came to pass lead from the first content of each file to
/// what it holds now. Counts the runs.
fn explained(world: &World) -> usize {
    let log = world.run(&["audit", "list", "--json", "--limit", "1000000"]).expect(0).json();
    let mut began: BTreeMap<&str, usize> = BTreeMap::new();
    let mut balance: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut completed = 0;
    for entry in entries(&log) {
        let Some(run) = entry["run_id"].as_str() else { continue };
        match entry["event"].as_str().unwrap() {
            "run_started" => assert_eq!(began.insert(run, 0), None, "{entry}"),
            "run_refused" => {}
            "run_needs_attention" => panic!("{entry}"),
            _ => *began.get_mut(run).unwrap_or_else(|| panic!("an end without a beginning: {entry}")) += 1,
        }
        let Some(steps) = entry["data"]["receipts"]["steps"].as_array() else { continue };
        completed += 1;
        for step in steps {
            let path = step["path"].as_str().unwrap().to_owned();
            *balance.entry((path.clone(), step["before"]["sha256"].to_string())).or_default() -= 1;
            *balance.entry((path, step["after"]["sha256"].to_string())).or_default() += 1;
        }
    }
    assert!(began.values().all(|ends| *ends == 1), "{began:#?}");
    let hash = |text: &str| format!("\"{}\"", exacta_kernel::hash::Digest::of(text.as_bytes()));
    for pair in 0..PAIRS {
        let [left, right] = files(pair);
        assert_eq!(world.read(&left), world.read(&right), "pair {pair} is torn");
        for file in [left, right] {
            // Every state was left as often as it was reached, but for the first and the last.
            *balance.entry((file.clone(), hash("word = \"first\"\n"))).or_default() += 1;
            *balance.entry((file.clone(), hash(&world.read(&file)))).or_default() -= 1;
        }
    }
    assert!(balance.values().all(|count| *count == 0), "the log does not explain the files: {balance:#?}");
    completed
}

fn entries(log: &Value) -> &Vec<Value> {
    log["entries"].as_array().unwrap_or_else(|| panic!("{log}"))
}
