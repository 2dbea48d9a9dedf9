//! The server under stress: killed in the middle of its work, raced by many, and met by clients that do not behave.

use crate::serve::Served;
use crate::story::{fix, id, submit};
use crate::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What the server acknowledged before it was killed.
#[derive(Default)]
struct Acknowledged {
    submitted: Vec<String>,
    approved: Vec<String>,
    completed: Vec<String>,
}

/// A plan for a new file of this number.
fn create(number: usize) -> Value {
    json!({
        "schema": "exacta.plan/1", "intent": { "type": "AddFeature", "text": format!("a note of number {number}") },
        "model": { "provider": "openai", "model": "gpt-5.5" },
        "steps": [{ "id": "s1", "order": 1, "type": "file_create", "target": format!("notes/{number}.txt"), "dependencies": [],
            "description": format!("Add the note of number {number}."), "content": format!("note {number}\n").repeat(200) }],
    })
}

/// Submits, approves and runs until the server is gone.
fn load(
    served: &Served,
    bearer: &str,
    cookie: &str,
    numbers: &AtomicUsize,
    told: &Mutex<Acknowledged>,
    stop: &AtomicBool,
) {
    let origin = format!("http://{}", served.address);
    let agent = [("Authorization", bearer), ("Content-Type", "application/json")];
    let person = [("Cookie", cookie), ("Origin", origin.as_str()), ("Content-Type", "application/json")];
    while !stop.load(Ordering::SeqCst) {
        let number = numbers.fetch_add(1, Ordering::SeqCst);
        let Some(made) = served.try_ask("POST", "/api/v2/plans", &agent, &create(number).to_string()) else { return };
        let Ok(plan) = serde_json::from_str::<Value>(&made.body) else { continue };
        if made.status != 201 {
            continue;
        }
        let plan_id = plan["plan_id"].as_str().unwrap().to_owned();
        told.lock().unwrap().submitted.push(plan_id.clone());
        let run = number.is_multiple_of(2);
        let body = json!({ "plan_hash": plan["plan_hash"], "run": run }).to_string();
        let Some(done) = served.try_ask("POST", &format!("/api/v2/plans/{plan_id}/approve"), &person, &body) else {
            return;
        };
        let Ok(seen) = serde_json::from_str::<Value>(&done.body) else { continue };
        if done.status == 200 {
            told.lock().unwrap().approved.push(plan_id.clone());
            if seen["run"]["outcome"] == "completed" {
                told.lock().unwrap().completed.push(format!("notes/{number}.txt"));
            }
        }
    }
}

/// How often each event is in the log, by plan.
fn recorded(world: &World, event: &str) -> BTreeMap<String, usize> {
    let log = std::fs::read_to_string(world.project().join(".exacta/audit.log")).unwrap();
    let mut counts = BTreeMap::new();
    for entry in log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if entry["event"] == event {
            *counts.entry(entry["plan_id"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    counts
}

fn killed(rounds: usize) {
    let world = World::begun();
    let token = world.run(&["token", "add", "codex", "--approver-key", &world.key(), "--json"]).expect(0).json();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let numbers = AtomicUsize::new(0);
    let (mut submitted, mut approved, mut completed) = (0, 0, 0);
    for round in 0..rounds {
        let served = Served::start(&world);
        let (cookie, _) = served.open();
        let (told, stop) = (Mutex::new(Acknowledged::default()), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| load(&served, &bearer, &cookie, &numbers, &told, &stop));
            }
            // Another moment each time, so that it dies in the middle of something else.
            std::thread::sleep(Duration::from_millis(400 + 37 * (u64::try_from(round).unwrap() % 23)));
            served.kill();
            stop.store(true, Ordering::SeqCst);
        });
        let told = told.into_inner().unwrap();
        world.run(&["recover"]).expect(0);
        world.run(&["audit", "verify"]).expect(0);
        let (created, decided) = (recorded(&world, "plan_created"), recorded(&world, "plan_approved"));
        for plan in &told.submitted {
            assert_eq!(created.get(plan), Some(&1), "an acknowledged plan, once");
        }
        for plan in &told.approved {
            assert_eq!(decided.get(plan), Some(&1), "an acknowledged approval, once");
        }
        assert!(decided.values().all(|count| *count == 1), "{decided:?}");
        for path in &told.completed {
            assert!(world.project().join(path).is_file(), "an acknowledged run: {path}");
        }
        whole_notes(&world);
        ended_with_it(&world, &told);
        submitted += told.submitted.len();
        approved += told.approved.len();
        completed += told.completed.len();
    }
    assert!(submitted > rounds && approved > 0, "there was a load: {submitted} submitted, {approved} approved");
    eprintln!(
        "{rounds} kills: {submitted} submissions, {approved} approvals and {completed} completed runs acknowledged, none missing or doubled"
    );
}

/// No run is torn: every note is whole, or not there.
fn whole_notes(world: &World) {
    let Ok(notes) = std::fs::read_dir(world.project().join("notes")) else { return };
    for note in notes.map(|note| note.unwrap().path()) {
        let number = note.file_stem().unwrap().to_str().unwrap().to_owned();
        assert_eq!(
            std::fs::read_to_string(&note).unwrap(),
            format!("note {number}\n").repeat(200),
            "{}",
            note.display()
        );
    }
}

/// Plans of the dead session are expired, none of them runs, and one act brings each back.
fn ended_with_it(world: &World, told: &Acknowledged) {
    let shown = |plan: &str| world.run(&["show", plan, "--json"]).expect(0).json();
    let mut waits = told.submitted.iter().filter(|plan| shown(plan)["run"].is_null());
    if let Some(plan) = waits.next() {
        assert_eq!(shown(plan)["status"], "expired");
        world.run(&["execute", plan]).expect(40);
        world.run(&["resubmit", plan]).expect(30);
    }
}

#[test]
fn killed_under_load_nothing_acknowledged_is_missing() {
    killed(2);
}

#[test]
#[ignore = "takes minutes; `tools/prove serve`"]
fn killed_under_load_fifty_times() {
    killed(50);
}

/// Approvals over page, HTTP and command line at the same time: one wins, and the record says so once.
fn raced(each: usize) {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let token = served.token(&cookie, &plan);
    let hash = world.run(&["show", &plan, "--json"]).expect(0).json()["plan_hash"].as_str().unwrap().to_owned();
    let origin = format!("http://{}", served.address);
    let page = |kind: &str, path: String, body: String| {
        let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str()), ("Content-Type", kind)];
        served.ask("POST", &path, &headers, &body).status
    };
    let key = world.key();
    let by_page = || {
        let form = format!("token={token}&plan_hash={hash}&run=0");
        page("application/x-www-form-urlencoded", format!("/plans/{plan}/approve"), form) == 303
    };
    let by_http = || {
        let body = json!({ "plan_hash": hash }).to_string();
        page("application/json", format!("/api/v2/plans/{plan}/approve"), body) == 200
    };
    let by_command = || world.run(&["approve", &plan, "--hash", &hash, "--approver-key", &key]).code == 0;
    let won = std::thread::scope(|scope| {
        let mut racers = Vec::new();
        for _ in 0..each {
            racers.push(scope.spawn(by_page));
            racers.push(scope.spawn(by_http));
        }
        racers.extend((0..each.div_ceil(2)).map(|_| scope.spawn(by_command)));
        racers.into_iter().filter_map(|racer| racer.join().unwrap().then_some(())).count()
    });
    assert_eq!(won, 1);
    let shown = world.run(&["show", &plan, "--json"]).expect(0).json();
    assert_eq!(shown["approvals"].as_array().unwrap().len(), 1);
    served.end();
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn one_of_many_approvals_wins() {
    raced(4);
}

#[test]
#[ignore = "64 racers; `tools/prove serve`"]
fn one_of_sixty_four_approvals_wins() {
    raced(26);
}

/// Clients that send half a request, or one byte after the other, keep nobody else from an answer, and are cut off.
fn unruly(clients: usize) {
    let world = World::begun();
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let held: Vec<TcpStream> = (0..clients)
        .filter_map(|number| {
            let mut stream = TcpStream::connect(&served.address).ok()?;
            let half: &[u8] = match number % 3 {
                0 => b"GET / HTTP/1.1\r\nHost: ",
                1 => b"POST /api/v2/plans HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{",
                _ => b"",
            };
            stream.write_all(half).ok()?;
            Some(stream)
        })
        .collect();
    let begun = Instant::now();
    loop {
        match served.try_ask("GET", "/", &[("Cookie", &cookie)], "") {
            Some(answer) if answer.status == 200 => break,
            // It says why not, until those who do not behave are cut off.
            Some(answer) => assert_eq!(answer.status, 503, "{answer:?}"),
            None => {}
        }
        assert!(begun.elapsed() < Duration::from_secs(40), "others are answered");
        std::thread::sleep(Duration::from_millis(100));
    }
    if let Some(mut first) = held.into_iter().next() {
        first.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut rest = Vec::new();
        let ended = first.read_to_end(&mut rest);
        assert!(
            ended.is_ok() || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset),
            "cut off"
        );
    }
    assert_eq!(served.end(), Some(0));
}

#[test]
fn half_requests_keep_nobody_from_an_answer() {
    unruly(300);
}

#[test]
#[ignore = "needs 10 000 open files; `tools/prove serve`"]
fn ten_thousand_connections_keep_nobody_from_an_answer() {
    unruly(10_000);
}
