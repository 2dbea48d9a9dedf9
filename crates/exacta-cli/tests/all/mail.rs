//! `exacta autopilot mail …` from outside, against a real dovecot and a real SMTP server.

use crate::world::{Done, World};
use exacta_testkit::{POST_PASSWORD, POST_USER, Post, PostSetup};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;

/// A file with the account's password, of this mode, outside the project.
pub fn password_file(world: &World, mode: u32) -> PathBuf {
    let folder = world.path().join("secrets");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mail-password");
    fs::write(&file, format!("{POST_PASSWORD}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    file
}

/// Adds the account `work`, with the password from a file.
pub fn add(world: &World, post: &Post, file: &str) -> Done {
    let (imap, smtp, key) = (post.imap(), post.smtp(), world.key());
    world.run(&[
        "autopilot",
        "mail",
        "add",
        "work",
        "--imap",
        &imap,
        "--smtp",
        &smtp,
        "--user",
        POST_USER,
        "--from",
        "me@here.example",
        "--password-file",
        file,
        "--approver-key",
        &key,
        "--json",
    ])
}

#[test]
fn an_account_is_signed_tested_and_removed() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let world = World::begun();
    let file = password_file(&world, 0o600);
    let added = add(&world, &post, file.to_str().unwrap()).expect(0).json();
    assert_eq!((added["signed_by"].as_str(), added["counts"].as_bool()), (Some("tester"), Some(true)));
    let tested = world.run(&["autopilot", "mail", "test", "work", "--json"]).expect(0).json();
    assert_eq!((tested["drafts"].as_bool(), tested["messages"].as_u64()), (Some(true), Some(0)));
    assert!(post.stored().is_empty(), "a test sends nothing");

    // Somebody who leads it to another server has no signature for that.
    let list = world.home().join("mail.json");
    let text = fs::read_to_string(&list).unwrap();
    assert!(!text.contains("se cret"), "no password is kept");
    fs::write(&list, text.replace("me@here.example", "evil@evil.example")).unwrap();
    let listed = world.run(&["autopilot", "mail", "list", "--json"]).expect(0).json();
    assert_eq!(listed["accounts"][0]["counts"], false);
    assert!(world.run(&["autopilot", "mail", "test", "work"]).expect(10).err.contains("no approver signed"));
    fs::write(&list, text).unwrap();

    world.run(&["autopilot", "mail", "remove", "work"]).expect(0);
    world.run(&["autopilot", "mail", "remove", "work"]).expect(2);
    world.run(&["autopilot", "mail", "test", "work"]).expect(2);
    world.run(&["audit", "verify"]).expect(0);
}

/// Whatever is wrong is said without the password, and nothing is kept.
#[test]
fn what_is_wrong_with_an_account_is_said() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let world = World::begun();
    let open = password_file(&world, 0o644);
    assert!(add(&world, &post, open.to_str().unwrap()).expect(2).out.contains("others can read it"));
    let private = password_file(&world, 0o600);
    let inside = world.project().join("password");
    fs::copy(&private, &inside).unwrap();
    assert!(add(&world, &post, inside.to_str().unwrap()).expect(2).out.contains("lies in the project"));
    let link = world.path().join("secrets/link");
    std::os::unix::fs::symlink(&private, &link).unwrap();
    add(&world, &post, link.to_str().unwrap()).expect(2);
    assert!(!world.home().join("mail.json").exists());

    let file = private.to_str().unwrap();
    let common = ["autopilot", "mail", "add", "work", "--user", "me", "--from", "me@here.example", "--smtp"];
    let key = world.key();
    let plain = ["smtps://a.example", "--imap", "imap://a.example", "--password-file", file, "--approver-key", &key];
    assert!(world.run(&[&common[..], &plain].concat()).expect(2).err.contains("without TLS"));
    let unsigned = ["smtps://a.example", "--imap", "imaps://a.example", "--password-file", file];
    world.run(&[&common[..], &unsigned].concat()).expect(30);

    add(&world, &post, file).expect(0);
    post.set_password("another");
    let refused = world.run(&["autopilot", "mail", "test", "work"]).expect(60);
    assert!(refused.err.contains("does not let") && !refused.err.contains("se cret"), "{refused:?}");
    fs::remove_file(&private).unwrap();
    assert!(world.run(&["autopilot", "mail", "test", "work"]).expect(2).err.contains("is not there"));
}

const REQUEST: &str = "send a reminder to anna@there.example about the invoice";

/// An autopilot `chase` that may send with the account `work`, with this limit of mails a day and these quiet hours.
fn chaser(world: &World, post: &Post, (per_day, quiet): (&str, &str)) {
    let key = world.key();
    add(world, post, password_file(world, 0o600).to_str().unwrap()).expect(0);
    let new = ["autopilot", "add", "chase", REQUEST, "--recipe", "Custom", "--mail", "work", "--approver-key", &key];
    world.run(&new).expect(0);
    let on = ["autopilot", "sending", "chase", "on", "--per-day", per_day, "--quiet", quiet, "--approver-key", &key];
    world.run(&on).expect(0);
}

fn submitted(world: &World, to: &str) -> Done {
    let send = json!({ "id": "s1", "order": 1, "type": "send_email", "target": to, "dependencies": [],
        "description": "Send the reminder about the invoice", "to": to, "subject": "Invoice", "body": "It is due.\n",
        "account": "work", "from": "me@here.example" });
    let plan = json!({ "schema": "exacta.plan/1", "intent": { "type": "Custom", "text": REQUEST },
        "autopilot": { "recipe": "Custom" }, "steps": [send] });
    world.pipe(&["autopilot", "submit", "chase", "-", "--json"], plan.to_string().as_bytes())
}

/// The id of a plan to `anna` that a person approved.
fn approved(world: &World) -> String {
    let plan = submitted(world, "anna@there.example").expect(30).json()["plan_id"].as_str().unwrap().to_owned();
    world.run(&["execute", &plan]).expect(30);
    world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
    plan
}

#[test]
fn an_approved_mail_is_sent_once_and_counts() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let world = World::begun();
    chaser(&world, &post, ("2", "7-7"));
    submitted(&world, "evil@evil.example").expect(10);
    let (first, second, third) = (approved(&world), approved(&world), approved(&world));
    world.run(&["execute", &first]).expect(0);
    assert_eq!(post.stored().len(), 1);
    world.run(&["execute", &first]);
    assert_eq!(post.stored().len(), 1, "never twice");

    // Nothing that was provably not sent counts.
    post.faults(&["data_5xx"]);
    world.run(&["execute", &approved(&world)]).expect(50);
    world.run(&["execute", &second]).expect(0);
    let refused = world.run(&["execute", &third, "--json"]).expect(10);
    assert!(refused.out.contains("SEND_LIMIT"), "{refused:?}");
    assert_eq!(post.stored().len(), 2);
    world.run(&["autopilot", "sending", "chase", "off"]).expect(0);
    let blocked = world.run(&["execute", &third]);
    assert!([10, 40].contains(&blocked.code) && post.stored().len() == 2, "{blocked:?}");
}

#[test]
fn nothing_is_sent_in_quiet_hours() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let world = World::begun();
    let clock = exacta_testkit::output(std::process::Command::new("date").arg("+%H").env_remove("TZ"));
    let here: u64 = String::from_utf8(clock.stdout).unwrap().trim().parse().unwrap();
    let hour = |later: u64| (here + later) % 24;
    chaser(&world, &post, ("1", &format!("{}-{}", hour(0), hour(2))));
    let plan = approved(&world);
    // The machine's clock counts, not the one that whoever executes it would like better.
    for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Niue"] {
        let mut command = world.command(&["execute", &plan, "--json"]);
        let quiet = crate::world::done(exacta_testkit::output(command.env("TZ", zone))).expect(10);
        assert!(quiet.out.contains("SEND_QUIET_HOURS"), "what is not sent does not count: {quiet:?}");
    }
    assert!(post.stored().is_empty());
}

/// The line is cut after the server took the message: nobody knows, and nothing is sent again.
#[test]
fn a_mail_whose_answer_is_lost_is_unknown_and_counts() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let world = World::begun();
    chaser(&world, &post, ("1", "7-7"));
    let (plan, other) = (approved(&world), approved(&world));
    post.faults(&["cut_after_store"]);
    let unknown = world.run(&["execute", &plan, "--json"]).expect(60);
    assert!(unknown.out.contains("outcome_unknown"), "{unknown:?}");
    let stored = post.stored().len();
    world.run(&["execute", &plan]);
    world.run(&["recover"]);
    assert_eq!(post.stored().len(), stored);
    assert!(world.run(&["execute", &other, "--json"]).expect(10).out.contains("SEND_LIMIT"));
}

/// What nobody can know a person says, once, with a signature: the run ends there, and what was not sent does not count.
#[test]
fn a_person_says_what_became_of_a_mail() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    for (word, outcome, next) in [("done", "completed", 10), ("not-done", "rolled_back", 0)] {
        let world = World::begun();
        chaser(&world, &post, ("1", "7-7"));
        let (plan, other, key) = (approved(&world), approved(&world), world.key());
        post.faults(&["cut_after_store"]);
        let unknown = world.run(&["execute", &plan, "--json"]).expect(60).json();
        let run = unknown["run_id"].as_str().unwrap();
        assert!(unknown["error"]["hint"].as_str().unwrap().contains(&format!("resolve {run} s1 done")), "{unknown}");
        let resolve =
            |step: &str, more: &[&str]| world.run(&[&["autopilot", "resolve", run, step, word], more].concat());
        resolve("s1", &[]).expect(30);
        resolve("s2", &["--approver-key", &key]).expect(2);
        assert_eq!(world.run(&["status", "--json"]).json()["runs"][0]["outcome"], "unknown");
        let resolved = resolve("s1", &["--approver-key", &key, "--json"]).expect(0).json();
        assert_eq!(resolved["outcome"], outcome, "{resolved}");
        resolve("s1", &["--approver-key", &key]).expect(40);
        let stored = post.stored().len();
        world.run(&["execute", &plan]).expect(40);
        assert_eq!(post.stored().len(), stored, "a word sends nothing");
        world.run(&["execute", &other]).expect(next);
        let log = world.run(&["audit", "list", "--json"]).expect(0).out;
        assert!(log.contains("run_resolved") && log.contains("person:tester"), "{log}");
        world.run(&["audit", "verify"]).expect(0);
    }
}

/// Commands that are given at the same moment; how each ended.
pub fn at_once(world: &World, commands: &[Vec<&str>]) -> Vec<i32> {
    let start = |args: &Vec<&str>| {
        let mut command = world.plain(args);
        exacta_testkit::Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()))
    };
    let all: Vec<_> = commands.iter().map(start).collect();
    all.into_iter().map(|mut running| running.wait().code().unwrap()).collect()
}

/// However many approve and execute a plan at once, one mail is sent; however many plans race for the last mail of the day, one has it.
#[test]
fn a_crowd_sends_one_mail() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let world = World::begun();
    chaser(&world, &post, ("1", "7-7"));
    let key = world.key();
    let made = submitted(&world, "anna@there.example").expect(30).json();
    let (plan, hash) = (made["plan_id"].as_str().unwrap(), made["plan_hash"].as_str().unwrap());
    let approve = vec!["approve", plan, "--hash", hash, "--approver-key", &key];
    let approved_by = at_once(&world, &vec![approve; 16]).into_iter().filter(|code| *code == 0).count();
    assert!(approved_by >= 1);
    let executed = at_once(&world, &vec![vec!["execute", plan]; 48]);
    assert_eq!(executed.iter().filter(|code| **code == 0).count(), 1, "{executed:?}");
    assert_eq!(post.stored().len(), 1);

    let other = World::begun();
    chaser(&other, &post, ("1", "7-7"));
    let plans: Vec<String> = (0..6).map(|_| approved(&other)).collect();
    let ended = at_once(&other, &plans.iter().map(|plan| vec!["execute", plan.as_str()]).collect::<Vec<_>>());
    assert_eq!(ended.iter().filter(|code| **code == 0).count(), 1, "{ended:?}");
    assert_eq!(post.stored().len(), 2);
}

/// The system calls at which a command is killed, as it is about to make them: before a write of the journal, and after it, before it is synced.
const CALLS: [&str; 2] = ["pwrite64", "fsync,fdatasync"];

/// What a killed command came to.
struct Killed {
    /// Whether it came to the call that it is killed at.
    reached: bool,
    /// How its run ended; `none` where none began.
    how: String,
}

/// `kill -9` of the command at its n-th call of a kind: the mail was sent at most once, `unknown` is said exactly where nobody can know, and only
/// what may have been sent counts.
fn killed(post: &Post, fault: &str, call: &str, when: usize) -> Killed {
    let world = World::begun();
    chaser(&world, post, ("1", "7-7"));
    let (plan, other, before) = (approved(&world), approved(&world), post.stored().len());
    post.faults(&[fault]);
    let program = world.plain(&[]).get_program().to_owned();
    let mut strace = std::process::Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    strace.args(["-e", &format!("inject={call}:signal=KILL:when={when}")]).arg(program);
    strace.args(["execute", &plan]).current_dir(world.project()).env_clear().env("EXACTA_HOME", world.home());
    strace.env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdout(Stdio::null()).stderr(Stdio::null());
    let reached = exacta_testkit::Running::start(&mut strace).wait().code().is_none();
    // Whether it died between saying that it sends and saying what came of it, or saw itself that nobody can know.
    let journal = journal(&world);
    let whole = journal.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let acting = whole.lines().last().is_some_and(|line| line.contains("\"entry\":\"intent\""));
    let unknowable = acting || journal.contains("\"unknown\"");
    post.faults(&[]);
    world.run(&["recover"]);
    let sent = post.stored().len() - before;
    let run = world.run(&["show", &plan, "--json"]).json()["run"].clone();
    let how = run["outcome"].as_str().unwrap_or("none").to_owned();
    let name = format!("{fault}, {call} {when}: {how}, sent {sent}");
    assert!(sent <= 1, "{name}");
    assert_eq!(how == "unknown", unknowable, "{name}: {journal}");
    match how.as_str() {
        "completed" => assert_eq!(sent, 1, "{name}: lost unnoticed"),
        "unknown" => {}
        _ => assert_eq!(sent, 0, "{name}: sent unnoticed"),
    }
    // Nothing is sent again by itself, whoever asks.
    world.run(&["execute", &plan]);
    world.run(&["recover"]);
    let again = post.stored().len() - before;
    assert!(again == sent || (how == "none" && again == 1), "{name}: {again}");
    // What may have been sent uses up the one mail of the day; what ended as before does not. A command that died before its run began keeps
    // its mail counted: one too few is sent, never one too many.
    let next = world.run(&["execute", &other]).code;
    match how.as_str() {
        "completed" | "unknown" => assert_ne!(next, 0, "{name}"),
        "rolled_back" => assert_eq!(next, 0, "{name}"),
        _ => {}
    }
    assert!(post.stored().len() - before <= 1, "{name}: more than one mail a day");
    world.run(&["audit", "verify"]).expect(0);
    Killed { reached, how }
}

/// The journal of the project's one run with effects, whether it has ended or not.
fn journal(world: &World) -> String {
    let projects = fs::read_dir(world.home().join("state/projects")).unwrap();
    let folders = projects
        .flat_map(|project| ["effects", "effects/over"].map(|name| project.as_ref().unwrap().path().join(name)));
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// A sample of the places.
#[test]
fn a_killed_command_sends_at_most_once() {
    if !exacta_testkit::program("strace") {
        return;
    }
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let places =
        [("none", 1, 4), ("none", 1, 8), ("none", 1, 12), ("none", 0, 9), ("cut_before_store", 1, 12), ("none", 1, 20)];
    let ends: std::collections::BTreeSet<String> =
        places.into_iter().map(|(fault, call, when)| killed(&post, fault, CALLS[call], when).how).collect();
    assert!(ends.len() > 1, "killed at too few places: {ends:?}");
}

/// Every place, without a fault and with each fault of the wire.
#[test]
#[ignore = "takes long: tools/prove mail"]
fn every_killed_command_sends_at_most_once() {
    assert!(exacta_testkit::program("strace"));
    let post = Post::start(PostSetup::default()).expect("servers");
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for fault in ["none", "rcpt_5xx", "data_4xx", "data_5xx", "cut_before_store", "reset_after_store"] {
        for call in CALLS {
            for when in 1.. {
                let Killed { reached, how } = killed(&post, fault, call, when);
                *counts.entry(how).or_default() += 1;
                if !reached {
                    break;
                }
            }
        }
        println!("{fault}: {counts:?}");
    }
    assert!(counts.len() > 2, "{counts:?}");
}
