//! `exacta autopilot mail …` from outside, against a real dovecot and a real SMTP server.

use crate::world::{Done, World};
use exacta_testkit::{POST_PASSWORD, POST_USER, Post, PostSetup};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

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

/// An autopilot `chase` that may send with the account `work`, so many mails a day, with these quiet hours.
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
