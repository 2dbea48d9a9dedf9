//! A monitor that sends: a site on a public address inside a network of its own, a real SMTP server, and one mail for one change.

use crate::mail::{add, password_file};
use crate::world::{Done, EXACTA, World, done};
use exacta_testkit::{POST_USER, Post, PostSetup, output, program};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A page that a monitor watches, served while a script runs.
pub struct Watched {
    site: PathBuf,
}

impl Watched {
    /// None where the machine has no network namespaces.
    pub fn begin(world: &World) -> Option<Self> {
        if !["unshare", "ip", "python3"].iter().all(|needed| program(needed)) {
            return None;
        }
        let watched = Self { site: world.path().join("site") };
        fs::create_dir_all(&watched.site).unwrap();
        watched.costs(10);
        Some(watched)
    }

    /// The page from now on.
    pub fn costs(&self, price: u32) {
        let rows: String = (0..20).map(|n| format!("<p>Box {n} costs {n} euros and is in stock.</p>")).collect();
        let page = format!(
            "<html><head><title>Prices</title></head><body><main>{rows}<p>The large box costs {price} euros.</p></main></body></html>"
        );
        fs::write(self.site.join("page.html"), page).unwrap();
        // The server tells versions apart by the second.
        let time = format!("@{}", 1_790_000_000 + u64::from(price));
        assert!(output(Command::new("touch").args(["-d", &time]).arg(self.site.join("page.html"))).status.success());
    }

    /// Runs lines of a shell script within reach of the page. `run` is Exacta with these arguments, and its exit code on a line.
    pub fn script(&self, world: &World, lines: &str) -> String {
        let site = self.site.display();
        let text = format!(
            "set -u; ip link set lo up; ip addr add 93.184.216.34/32 dev lo\n\
             python3 -m http.server 80 --bind 93.184.216.34 --directory '{site}' >/dev/null 2>&1 & server=$!\n\
             for _ in $(seq 100); do python3 -c \"import socket; socket.create_connection(('93.184.216.34', 80), 1)\" 2>/dev/null && break; sleep 0.1; done\n\
             run() {{ '{EXACTA}' \"$@\"; echo \"exit $?\"; }}\n{lines}\nkill $server\n"
        );
        let mut command = Command::new("unshare");
        command.args(["-rnm", "sh", &world.file("script.sh", text)]).current_dir(world.project());
        command.env("EXACTA_HOME", world.home()).env("TZ", "UTC").stdin(Stdio::null());
        let printed = output(&mut command);
        format!("{}{}", String::from_utf8_lossy(&printed.stdout), String::from_utf8_lossy(&printed.stderr))
    }

    /// One look at the page, and what came of it.
    pub fn look(&self, world: &World, name: &str) -> Value {
        let printed = self.script(world, &format!("run autopilot run {name} --json"));
        let line = printed.lines().find(|line| line.starts_with('{'));
        line.and_then(|line| serde_json::from_str(line).ok()).unwrap_or_else(|| panic!("{printed}"))
    }
}

const REQUEST: &str = "watch http://93.184.216.34/page.html and send anna@there.example a mail when the price changes";

/// A monitor `prices` that may send with the account `work`, and has seen its page once.
fn monitor(world: &World, post: &Post, watched: &Watched, (per_day, quiet): (&str, &str)) {
    let key = world.key();
    add(world, post, password_file(world, 0o600).to_str().unwrap()).expect(0);
    let new = ["autopilot", "add", "prices", REQUEST, "--recipe", "WebsiteMonitor", "--mail", "work", "--approver-key"];
    world.run(&[&new[..], &[&key]].concat()).expect(0);
    let on = ["autopilot", "sending", "prices", "on", "--per-day", per_day, "--quiet", quiet, "--approver-key", &key];
    world.run(&on).expect(0);
    assert_eq!(watched.look(world, "prices")["monitor"]["verdict"], "first");
}

/// A change, and the plan that was made of it and approved.
fn approved(world: &World, watched: &Watched, price: u32) -> (Value, String) {
    watched.costs(price);
    let occasion = watched.look(world, "prices");
    let plan = occasion["plan_id"].as_str().unwrap_or_else(|| panic!("{occasion}")).to_owned();
    world.run(&["execute", &plan]).expect(30);
    world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
    (occasion, plan)
}

/// What the step of a plan that sends is given, as a person is shown it.
fn send_step(world: &World, plan: &str) -> Value {
    let shown = world.run(&["show", plan, "--json", "--with", "diff"]).expect(0).json();
    let steps = shown["detail"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["id"] == "send").unwrap_or_else(|| panic!("{shown}"));
    serde_json::from_str(step["diff"].as_str().unwrap()).unwrap()
}

#[test]
fn a_change_is_mailed_once_to_the_byte() {
    let world = World::begun();
    let (Some(watched), Some(post)) = (Watched::begin(&world), Post::start(PostSetup::default())) else { return };
    monitor(&world, &post, &watched, ("5", "7-7"));
    let again = watched.look(&world, "prices");
    assert_eq!((&again["monitor"]["verdict"], again.get("plan_id")), (&json!("unchanged"), None), "no question");
    let (occasion, plan) = approved(&world, &watched, 12);
    assert!(post.stored().is_empty(), "nothing is sent before it is executed");
    let shown = world.run(&["show", &plan]).expect(0).out;
    let step = send_step(&world, &plan);
    let body = step["body"].as_str().unwrap();
    assert!(body.lines().filter(|line| !line.is_empty()).all(|line| shown.contains(line.trim())), "{shown}");
    world.run(&["execute", &plan]).expect(0);
    world.run(&["execute", &plan]).expect(40);

    let run = occasion["run_id"].as_str().unwrap();
    let over = world.run(&["autopilot", "run-show", run, "--json"]).expect(0).json();
    assert_eq!((&over["state"], &over["sends"][0]["outcome"]), (&json!("succeeded"), &json!("sent")), "{over}");
    let inbox = post.messages("");
    let [mail] = inbox.as_slice() else { panic!("{} mails", inbox.len()) };
    let mail = String::from_utf8(mail.clone()).unwrap();
    let (head, sent) = mail.split_once("\r\n\r\n").unwrap();
    assert_eq!(sent, body.replace('\n', "\r\n"), "what was approved, to the byte");
    let id = over["sends"][0]["message_id"].as_str().unwrap();
    for (name, value) in [("From", "me@here.example"), ("To", "anna@there.example"), ("Message-ID", id)] {
        let line = format!("{name}: {value}");
        assert_eq!(head.lines().filter(|other| *other == line).count(), 1, "{line}: {head}");
    }
    assert!(head.contains("Subject: 93.184.216.34 changed") && sent.contains("12 euros"), "{mail}");
    let log = post.stored();
    assert!(log[0].contains(&format!("from me@here.example to anna@there.example bytes {}", mail.len())), "{log:?}");
    assert_eq!(watched.look(&world, "prices")["monitor"]["verdict"], "unchanged");
    // A mail cannot be called back: undoing says so, and leaves everything.
    world.run(&["undo", "--approver-key", &world.key()]);
    assert_eq!(post.messages("").len(), 1);
    world.run(&["audit", "verify"]).expect(0);
}

/// However many ticks see the change, one plan is made of it; however many plans race for the last mail of the day, one has it.
#[test]
fn sixty_four_ticks_and_the_last_mail_of_the_day() {
    let world = World::begun();
    let (Some(watched), Some(post)) = (Watched::begin(&world), Post::start(PostSetup::default())) else { return };
    monitor(&world, &post, &watched, ("1", "7-7"));
    // Every minute: what was due before it was signed for does not count, so the next minute is waited for.
    let key = world.key();
    let new =
        ["autopilot", "add", "often", REQUEST, "--recipe", "WebsiteMonitor", "--mail", "work", "--cron", "* * * * *"];
    world.run(&[&new[..], &["--zone", "UTC", "--approver-key", &key]].concat()).expect(0);
    world
        .run(&["autopilot", "sending", "often", "on", "--per-day", "1", "--quiet", "7-7", "--approver-key", &key])
        .expect(0);
    let crowd = |watched: &Watched| {
        let wait = "while [ $(date +%S) -gt 20 ]; do sleep 0.5; done";
        let tick = format!(
            "i=0; ticks=; while [ $i -lt 64 ]; do '{EXACTA}' autopilot tick >/dev/null 2>&1 & ticks=\"$ticks $!\"; i=$((i + 1)); done; wait $ticks"
        );
        watched.script(&world, &format!("sleep $((61 - $(date +%-S)))\n{wait}\n{tick}"))
    };
    let runs =
        || world.run(&["autopilot", "runs", "often", "--json"]).expect(0).json()["runs"].as_array().unwrap().clone();
    crowd(&watched);
    assert_eq!(runs().len(), 1, "{:?}", runs());
    watched.costs(12);
    crowd(&watched);
    let seen = runs();
    assert_eq!((seen.len(), &seen[0]["monitor"]["verdict"]), (2, &json!("changed")), "{seen:?}");
    let plan = seen[0]["plan_id"].as_str().unwrap().to_owned();
    let hash = seen[0]["plan_hash"].as_str().unwrap().to_owned();
    let approve = vec!["approve", plan.as_str(), "--hash", hash.as_str(), "--approver-key", key.as_str()];
    let approved = crate::mail::at_once(&world, &vec![approve; 64]).into_iter().filter(|code| *code == 0).count();
    assert!(approved >= 1);
    let executed = crate::mail::at_once(&world, &vec![vec!["execute", plan.as_str()]; 64]);
    assert_eq!(executed.iter().filter(|code| **code == 0).count(), 1, "{executed:?}");
    assert_eq!(post.stored().len(), 1);
    world.run(&["audit", "verify"]).expect(0);
}

/// Quiet hours and the day's limit are those of the user's zone: over midnight there, and over a change of the clocks, and across commands.
#[test]
fn quiet_hours_and_days_are_those_of_the_users_zone() {
    let (true, Some(post)) = (program("faketime"), Post::start(PostSetup::default())) else { return };
    let world = World::new();
    let at = |time: &str, args: &[&str]| -> Done {
        let mut command = Command::new("faketime");
        command.arg("-f").arg(format!("@{time}")).arg(EXACTA).args(args).current_dir(world.project()).env_clear();
        command.env("TZ", "UTC").env("EXACTA_HOME", world.home()).stdin(Stdio::null());
        done(output(command.env("PATH", std::env::var_os("PATH").unwrap_or_default())))
    };
    // The clocks of Berlin go back on 25 October 2026 at 3:00: nine o'clock is at 7:00 UTC the day before, and at 8:00 UTC from then on.
    let (imap, smtp) = (post.imap(), post.smtp());
    let password = password_file(&world, 0o600).display().to_string();
    at("2026-10-24 05:00:00", &["init", "--approver", "tester", "--no-passphrase"]).expect(0);
    let key = world.key();
    let account = ["autopilot", "mail", "add", "work", "--imap", &imap, "--smtp", &smtp, "--user", POST_USER, "--from"];
    let rest = ["me@here.example", "--password-file", &password, "--approver-key", &key];
    at("2026-10-24 05:00:01", &[&account[..], &rest].concat()).expect(0);
    let request = "send a reminder to anna@there.example about the invoice";
    let new = ["autopilot", "add", "chase", request, "--recipe", "Custom", "--mail", "work", "--cron", "0 8 * * *"];
    at("2026-10-24 05:00:02", &[&new[..], &["--zone", "Europe/Berlin", "--approver-key", &key]].concat()).expect(0);
    let on = ["autopilot", "sending", "chase", "on", "--per-day", "1", "--quiet", "18-9", "--approver-key", &key];
    at("2026-10-24 05:00:03", &on).expect(0);
    let plan = |time: &str, body: &str| -> String {
        let send = json!({ "id": "s1", "order": 1, "type": "send_email", "target": "anna@there.example", "dependencies": [],
            "description": "Send the reminder about the invoice", "to": "anna@there.example", "subject": "Invoice", "body": body,
            "account": "work", "from": "me@here.example" });
        let text = json!({ "schema": "exacta.plan/1", "intent": { "type": "Custom", "text": request },
            "autopilot": { "recipe": "Custom" }, "steps": [send] });
        let file = world.file("plan.json", text.to_string());
        let made = at(time, &["autopilot", "submit", "chase", &file, "--json"]).expect(30).json();
        let (id, hash) = (made["plan_id"].as_str().unwrap().to_owned(), made["plan_hash"].as_str().unwrap().to_owned());
        at(time, &["approve", &id, "--hash", &hash, "--approver-key", &key]).expect(0);
        id
    };
    let refused = |time: &str, plan: &str, code: &str| {
        let refused = at(time, &["execute", plan, "--json"]).expect(10);
        assert!(refused.out.contains(code), "{time}: {refused:?}");
    };
    for (made, quiet, open) in [
        ("2026-10-24 06:50:00", "2026-10-24 06:59:50", "2026-10-24 07:00:05"),
        ("2026-10-25 07:50:00", "2026-10-25 07:59:50", "2026-10-25 08:00:05"),
    ] {
        let before = post.stored().len();
        let (first, second) = (plan(made, "It is due.\n"), plan(made, "It is overdue.\n"));
        refused(quiet, &first, "SEND_QUIET_HOURS");
        at(open, &["execute", &first]).expect(0);
        refused(open, &second, "SEND_LIMIT");
        assert_eq!(post.stored().len(), before + 1, "{open}");
    }
    // Without quiet hours: a day ends at midnight in Berlin, which is at 23:00 UTC.
    let on = ["autopilot", "sending", "chase", "on", "--per-day", "1", "--quiet", "0-0", "--approver-key", &key];
    at("2026-10-25 22:40:00", &on).expect(0);
    let late = plan("2026-10-25 22:45:00", "Once more.\n");
    refused("2026-10-25 22:59:50", &late, "SEND_LIMIT");
    at("2026-10-25 23:00:05", &["execute", &late]).expect(0);
    assert_eq!(post.stored().len(), 3);
}
