//! Autopilots over hours and days, on a clock that Debian's faketime moves: what waits survives the night, and what was missed does not pile up.

use crate::world::{Done, EXACTA, World, done};
use exacta_testkit::{Running, output, program};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};

/// A world whose commands run at a time of the test's choice.
struct Night(World);

impl Night {
    fn begin() -> Option<Self> {
        if !program("faketime") {
            return None;
        }
        let night = Self(World::new());
        night.at("2026-03-02 02:00:00", &["init", "--approver", "tester", "--no-passphrase"]).expect(0);
        let key = night.0.key();
        let new = ["autopilot", "add", "mails", "sort my inbox", "--recipe", "InboxTriage", "--approver-key", &key];
        night.at("2026-03-02 02:00:01", &new).expect(0);
        Some(night)
    }

    /// A command at a time in UTC; from then on its clock goes on.
    fn at(&self, time: &str, args: &[&str]) -> Done {
        let mut command = Command::new("faketime");
        command.arg("-f").arg(format!("@{time}")).arg(EXACTA).args(args).current_dir(self.0.project()).env_clear();
        command.env("TZ", "UTC").env("EXACTA_HOME", self.0.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        done(output(command.stdin(Stdio::null())))
    }

    /// The same without waiting for it.
    fn start(&self, time: &str, args: &[&str]) -> Running {
        let mut command = Command::new("faketime");
        command.arg("-f").arg(format!("@{time}")).arg(EXACTA).args(args).current_dir(self.0.project()).env_clear();
        command.env("TZ", "UTC").env("EXACTA_HOME", self.0.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Running::start(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))
    }

    fn sort(&self, time: &str, text: &str) -> Value {
        let file = self.0.file("mail.txt", format!("From: Anna <anna@there.example>\nSubject: Invoice\n\n{text}\n"));
        self.at(time, &["autopilot", "run", "mails", "--inbox-text", &file, "--json"]).expect(30).json()
    }
}

/// Made at three, decided at nine: the same bytes, without reading again.
#[test]
fn what_waited_all_night_is_decided_in_the_morning() {
    let Some(night) = Night::begin() else { return };
    let made = night.sort("2026-03-02 03:00:00", "When is it due?");
    let (first, key) = (made["plan_id"].as_str().unwrap(), night.0.key());
    let hash = made["plan_hash"].as_str().unwrap();
    night.at("2026-03-02 09:00:00", &["approve", first, "--hash", hash, "--approver-key", &key]).expect(40);
    let waits = night.at("2026-03-02 09:00:05", &["autopilot", "runs", "--json"]).expect(0).json();
    assert_eq!(waits["runs"][0]["state"], "needs_approval", "{waits}");
    let again = night.at("2026-03-02 09:00:10", &["resubmit", first, "--json"]).expect(30).json();
    let shown = |time: &str, plan: &str| night.at(time, &["show", plan, "--json"]).json();
    let second = again["plan_id"].as_str().unwrap();
    let (old, new) = (shown("2026-03-02 09:00:12", first), shown("2026-03-02 09:00:14", second));
    assert_eq!(old["content_hash"], new["content_hash"], "byte for byte");
    let hash = again["plan_hash"].as_str().unwrap();
    night.at("2026-03-02 09:00:20", &["approve", second, "--hash", hash, "--approver-key", &key]).expect(0);
    night.at("2026-03-02 09:00:30", &["execute", second]).expect(0);
    let over = night.at("2026-03-02 09:00:40", &["autopilot", "run-show", made["run_id"].as_str().unwrap(), "--json"]);
    assert_eq!(over.expect(0).json()["state"], "succeeded");
}

/// The same by `review` alone: whoever comes at nine is shown what was prepared at three, and decides about that. Also where the plan is known to be over.
#[test]
fn a_review_in_the_morning_is_of_what_was_made_at_night() {
    let Some(night) = Night::begin() else { return };
    for (day, seen) in [("02", false), ("03", true)] {
        let made = night.sort(&format!("2026-03-{day} 03:00:00"), &format!("When is it due, on {day}?"));
        let first = made["plan_id"].as_str().unwrap();
        if seen {
            night.at(&format!("2026-03-{day} 08:00:00"), &["autopilot", "runs"]).expect(0);
            let (hash, key) = (made["plan_hash"].as_str().unwrap(), night.0.key());
            let late = ["approve", first, "--hash", hash, "--approver-key", &key];
            night.at(&format!("2026-03-{day} 08:30:00"), &late).expect(40);
        }
        let mut terminal =
            night.0.shell(&format!("TZ=UTC faketime -f '@2026-03-{day} 09:00:00' {EXACTA} review; echo ended $?"));
        terminal.wait_for("outbox").send("a").wait_for("exactly").send("y").wait_for("ended 0");
        terminal.end();
        let over = night.at(
            &format!("2026-03-{day} 09:01:00"),
            &["autopilot", "run-show", made["run_id"].as_str().unwrap(), "--json"],
        );
        let over = over.json();
        let second = over["plan_id"].as_str().unwrap();
        assert_ne!(first, second);
        let shown = |plan: &str| night.at(&format!("2026-03-{day} 09:02:00"), &["show", plan, "--json"]).json();
        let (old, new) = (shown(first), shown(second));
        assert_eq!(
            (&old["content_hash"], &new["status"]),
            (&new["content_hash"], &json!("user_approved")),
            "byte for byte"
        );
        night.at(&format!("2026-03-{day} 09:03:00"), &["execute", second]).expect(0);
        let over = night.at(
            &format!("2026-03-{day} 09:04:00"),
            &["autopilot", "run-show", made["run_id"].as_str().unwrap(), "--json"],
        );
        assert_eq!(over.expect(0).json()["state"], "succeeded");
    }
}

/// Nobody answered ten times: one plan waits, and nine occasions say why they do not.
#[test]
fn ten_missed_approvals_leave_one_plan() {
    let Some(night) = Night::begin() else { return };
    for hour in 0..10 {
        night.sort(&format!("2026-03-02 {:02}:30:00", hour + 3), &format!("mail number {hour}"));
    }
    let runs = night.at("2026-03-02 12:40:00", &["autopilot", "runs", "--json"]).expect(0).json();
    let runs = runs["runs"].as_array().unwrap();
    let waiting = runs.iter().filter(|run| run["state"] == "needs_approval").count();
    let canceled = runs.iter().filter(|run| run["state"] == "canceled").count();
    assert_eq!((waiting, canceled), (1, 9), "{runs:?}");
    let plans = night.at("2026-03-02 12:41:00", &["list", "--json"]).expect(0).json();
    let pending = plans["plans"].as_array().unwrap().iter().filter(|plan| plan["status"] == "pending").count();
    assert_eq!(json!(pending), json!(1), "{plans}");
}

/// However many ticks come at the same moment, what is due is done once.
#[test]
fn a_crowd_of_ticks_does_it_once() {
    let Some(night) = Night::begin() else { return };
    let key = night.0.key();
    let new = ["autopilot", "add", "often", "sort my inbox", "--recipe", "InboxTriage", "--cron", "0 * * * *"];
    night.at("2026-03-02 04:30:00", &[&new[..], &["--approver-key", &key]].concat()).expect(0);
    let ticks: Vec<Running> = (0..16).map(|_| night.start("2026-03-02 05:00:10", &["autopilot", "tick"])).collect();
    for mut tick in ticks {
        tick.wait();
    }
    let runs = night.at("2026-03-02 05:01:00", &["autopilot", "runs", "often", "--json"]).expect(0).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "{runs}");
    night.0.run(&["audit", "verify"]).expect(0);
}

/// A monitor of eight o'clock in Berlin, ticked every six hours, over the days around a change of the clocks: it looks once a day at its hour, tells each change once,
/// and tells nothing of a page that fails now and then.
fn days(first: &str, days: u32) {
    if !["faketime", "unshare", "ip", "python3"].iter().all(|needed| program(needed)) {
        return;
    }
    let world = World::new();
    let site = world.path().join("site");
    fs::create_dir_all(&site).unwrap();
    let page = |price: u32| {
        let rows: String = (0..20).map(|n| format!("<p>Box {n} costs {n} euros and is in stock.</p>")).collect();
        format!(
            "<html><head><title>Prices</title></head><body><main>{rows}<p>The large box costs {price} euros.</p></main></body></html>"
        )
    };
    // The page changes every seventh day, and is gone every twentieth.
    for day in 0..days {
        let text = if day % 20 == 13 { String::new() } else { page(10 + day / 7) };
        fs::write(site.join(format!("{day}.html")), text).unwrap();
    }
    let script = world.file(
        "days.sh",
        format!(
            "set -u; ip link set lo up; ip addr add 93.184.216.34/32 dev lo\n\
             python3 -m http.server 80 --bind 93.184.216.34 --directory '{site}' >/dev/null 2>&1 & server=$!\n\
             for _ in $(seq 100); do python3 -c \"import socket; socket.create_connection(('93.184.216.34', 80), 1)\" 2>/dev/null && break; sleep 0.1; done\n\
             at() {{ time=$1; shift; faketime -f \"@$time\" '{EXACTA}' \"$@\"; }}\n\
             start=$(date -u -d '{first} 00:00:00' +%s)\n\
             when() {{ date -u -d \"@$1\" '+%Y-%m-%d %H:%M:%S'; }}\n\
             at \"$(when $((start - 7200)))\" init --approver tester --no-passphrase >/dev/null 2>&1\n\
             at \"$(when $((start - 3600)))\" autopilot add prices 'watch http://93.184.216.34/page.html' --cron '0 8 * * *' --zone Europe/Berlin --approver-key \"$EXACTA_HOME/keys/tester.key\" >/dev/null\n\
             day=0; while [ $day -lt {days} ]; do\n\
             cp '{site}'/$day.html '{site}'/page.html; touch -d \"@$((start + day * 86400))\" '{site}'/page.html; [ -s '{site}'/page.html ] || rm '{site}'/page.html\n\
             for hour in 1 7 13 19; do at \"$(when $((start + day * 86400 + hour * 3600)))\" autopilot tick >/dev/null 2>&1; done\n\
             day=$((day + 1)); done\n\
             at \"$(when $((start + {days} * 86400)))\" autopilot runs prices --json; kill $server\n",
            site = site.display()
        ),
    );
    let mut command = Command::new("unshare");
    command
        .args(["-rnm", "sh", &script])
        .current_dir(world.project())
        .env("TZ", "UTC")
        .env("EXACTA_HOME", world.home());
    let printed = output(&mut command);
    let out = String::from_utf8_lossy(&printed.stdout).into_owned();
    let runs: Value = serde_json::from_str(out.trim())
        .unwrap_or_else(|_| panic!("{out}{}", String::from_utf8_lossy(&printed.stderr)));
    let runs = runs["runs"].as_array().unwrap();
    let seen = |verdict: &str| runs.iter().filter(|run| run["monitor"]["verdict"] == verdict).count();
    let expected = (0..days).filter(|day| *day > 0 && day % 7 == 0).count();
    assert_eq!(runs.len(), usize::try_from(days).unwrap().min(50), "one look a day: {runs:?}");
    assert_eq!((seen("changed"), seen("first")), (expected, 1), "{runs:?}");
    assert_eq!(seen("error"), (0..days).filter(|day| day % 20 == 13).count());
    let waiting = runs.iter().filter(|run| run["state"] == "needs_approval").count();
    assert!(waiting <= 1, "{runs:?}");
}

#[test]
fn a_monitor_over_the_change_of_the_clocks() {
    days("2026-10-23", 8);
}

#[test]
#[ignore = "minutes: tools/prove web"]
fn a_monitor_over_thirty_days_and_both_changes_of_the_clocks() {
    days("2026-03-14", 30);
    days("2026-10-10", 30);
}
