//! The server under load, each rate beside a yardstick of the same run: a hello-world of the same stack, and SQLite on the same disk.
//!
//! `tools/prove serve` builds both and runs this; wrk asks.

use crate::serve::Served;
use crate::story::{fix, id, submit};
use crate::world::{World, program};
use exacta_testkit::{Running, output};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long each rate is measured.
const SECONDS: u64 = 6;

/// How many agents submit: each may ask fifty times a second.
const AGENTS: usize = 40;

/// Requests a second, by wrk with sixteen connections that stay open.
fn rate(url: &str, headers: &[String]) -> f64 {
    let mut wrk = Command::new("wrk");
    wrk.args(["-t2", "-c16", &format!("-d{SECONDS}s")]);
    for header in headers {
        wrk.args(["-H", header]);
    }
    let done = output(wrk.arg(url));
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && !told.contains("Non-2xx"), "{told}{}", String::from_utf8_lossy(&done.stderr));
    let line = told.lines().find(|line| line.starts_with("Requests/sec:")).unwrap_or_else(|| panic!("{told}"));
    line.split_whitespace().last().unwrap().parse().unwrap()
}

/// Rows a second that SQLite commits, one by one, each durable, into a database in that folder.
fn sqlite(folder: &Path) -> f64 {
    let script = format!(
        "import sqlite3, time\n\
         db = sqlite3.connect('beside.db', isolation_level=None)\n\
         db.execute('PRAGMA journal_mode=WAL'); db.execute('PRAGMA synchronous=FULL')\n\
         db.execute('CREATE TABLE t (x TEXT)')\n\
         n, end = 0, time.monotonic() + {SECONDS}\n\
         while time.monotonic() < end:\n    db.execute('INSERT INTO t VALUES (?)', ('x' * 200,)); n += 1\n\
         print(n / {SECONDS})\n"
    );
    let done = output(Command::new("python3").args(["-c", &script]).current_dir(folder));
    String::from_utf8_lossy(&done.stdout).trim().parse().unwrap()
}

/// One connection that stays open.
struct Line(BufReader<TcpStream>);

impl Line {
    fn to(served: &Served) -> Self {
        Self(BufReader::new(TcpStream::connect(&served.address).unwrap()))
    }

    fn ask(&mut self, served: &Served, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let (host, length) = (&served.address, body.len());
        let text =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some(told) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = told.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

fn note(number: usize) -> Value {
    json!({
        "schema": "exacta.plan/1", "intent": { "type": "AddFeature", "text": format!("a note of number {number}") },
        "model": { "provider": "openai", "model": "gpt-5.5" },
        "steps": [{ "id": "s1", "order": 1, "type": "file_create", "target": format!("notes/{number}.txt"), "dependencies": [],
            "description": format!("Add the note of number {number}."), "content": format!("note {number}\n").repeat(40) }],
    })
}

/// A percentile.
fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent).div_ceil(100).saturating_sub(1)]
}

/// Memory of the server's process, in MiB.
fn memory(served: &Served) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.process())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

#[test]
#[ignore = "measures a release build; `tools/prove serve`"]
fn reading_a_plan_beside_a_hello_world() {
    let hello = Path::new(&program()).parent().unwrap().join("examples/hello");
    let mut hello = Running::start(Command::new(hello).stdout(Stdio::piped()));
    let mut address = String::new();
    BufReader::new(hello.stdout().unwrap()).read_line(&mut address).unwrap();
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    std::thread::sleep(Duration::from_secs(4));
    let mut ratios = Vec::new();
    for _ in 0..3 {
        let yardstick = rate(&format!("http://{}/", address.trim()), &[]);
        let reading = rate(&format!("http://{}/api/v2/plans/{plan}", served.address), &[format!("Cookie: {cookie}")]);
        eprintln!("hello-world {yardstick:.0}/s, a plan {reading:.0}/s: {:.0} %", 100.0 * reading / yardstick);
        ratios.push(reading / yardstick);
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[1] >= 0.25, "{ratios:?}");
    assert_eq!(served.end(), Some(0));
}

#[test]
#[ignore = "measures a release build; `tools/prove serve`"]
fn submissions_beside_sqlite_and_approvals_meanwhile() {
    let world = World::begun();
    let key = world.key();
    let token = |number: usize| {
        let add = ["token", "add", &format!("agent{number}"), "--approver-key", &key, "--json"];
        world.run(&add).expect(0).json()["token"].as_str().unwrap().to_owned()
    };
    let tokens: Vec<String> = (0..AGENTS).map(token).collect();
    let yardstick = sqlite(&world.project());
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    // A thousand pages are open meanwhile.
    let listening: Vec<TcpStream> = (0..1000)
        .map(|_| {
            let mut stream = TcpStream::connect(&served.address).unwrap();
            let text = format!("GET /events HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", served.address);
            stream.write_all(text.as_bytes()).unwrap();
            stream
        })
        .collect();
    let (numbers, made, stop) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicBool::new(false));
    let submit = |agents: &[String]| {
        let mut line = Line::to(&served);
        while !stop.load(Ordering::Relaxed) {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            let token = &agents[number % agents.len()];
            let headers = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
            let (status, body) = line.ask(&served, "POST", "/api/v2/plans", &headers, &note(number).to_string());
            if status == 201 {
                let plan: Value = serde_json::from_str(&body).unwrap();
                made.lock().unwrap().push((plan["plan_id"].as_str().unwrap().to_owned(), plan["plan_hash"].clone()));
            } else {
                assert!(matches!(status, 429 | 503), "{status}: {body}");
            }
        }
    };
    let approve = || {
        let (mut line, mut times) = (Line::to(&served), Vec::new());
        let origin = format!("http://{}", served.address);
        let headers = format!("Cookie: {cookie}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\n");
        while !stop.load(Ordering::Relaxed) {
            let next = made.lock().unwrap().pop();
            let Some((plan, hash)) = next else { continue };
            let (begun, body) = (Instant::now(), json!({ "plan_hash": hash }).to_string());
            let (status, body) = line.ask(&served, "POST", &format!("/api/v2/plans/{plan}/approve"), &headers, &body);
            assert_eq!(status, 200, "{body}");
            times.push(begun.elapsed());
            std::thread::sleep(Duration::from_millis(40));
        }
        times
    };
    let begun = Instant::now();
    let mut times = std::thread::scope(|scope| {
        for agents in tokens.chunks(AGENTS / 4) {
            scope.spawn(|| submit(agents));
        }
        let approving = scope.spawn(approve);
        std::thread::sleep(Duration::from_secs(2 * SECONDS));
        stop.store(true, Ordering::Relaxed);
        approving.join().unwrap()
    });
    let submitted = made.lock().unwrap().len() + times.len();
    let submissions = submitted as f64 / begun.elapsed().as_secs_f64();
    let (approvals, slow, memory) = (times.len(), percentile(&mut times, 99), memory(&served));
    eprintln!(
        "SQLite {yardstick:.0}/s, submissions {submissions:.0}/s: {:.0} %; {approvals} approvals meanwhile, p99 {} ms; {} event streams, {memory} MiB",
        100.0 * submissions / yardstick,
        slow.as_millis(),
        listening.len(),
    );
    assert!(memory < 150 && slow <= Duration::from_millis(200) && approvals > 20, "{memory} MiB, {slow:?}");
    drop(listening);
    assert_eq!(served.end(), Some(0));
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
#[ignore = "measures a release build; `tools/prove serve`"]
fn the_page_of_a_large_diff() {
    let world = World::begun();
    let lines = |word: &str| {
        (0..9000).map(|line| format!("line {line} of the {word} text, as it is now\n")).collect::<String>()
    };
    world.write("large.txt", &lines("old"));
    let mut plan = fix();
    plan["intent"]["target"]["files"] = json!(["large.txt"]);
    plan["steps"] = json!([{ "id": "s1", "order": 1, "type": "file_modify", "target": "large.txt", "dependencies": [],
        "description": "Write every line of the text again.", "content": lines("new") }]);
    let plan = id(&submit(&world, &plan));
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let mut line = Line::to(&served);
    let (mut times, mut size) = (Vec::new(), 0);
    for _ in 0..100 {
        let begun = Instant::now();
        let (status, body) = line.ask(&served, "GET", &format!("/plans/{plan}"), &format!("Cookie: {cookie}\r\n"), "");
        times.push(begun.elapsed());
        assert_eq!(status, 200);
        size = body.len();
    }
    let slow = percentile(&mut times, 99);
    eprintln!(
        "the page of a diff of {} KB ({} KB): p99 {} ms, median {} ms",
        2 * lines("new").len() / 1000,
        size / 1000,
        slow.as_millis(),
        percentile(&mut times, 50).as_millis()
    );
    assert!(slow < Duration::from_millis(150), "{slow:?}");
    assert_eq!(served.end(), Some(0));
}
