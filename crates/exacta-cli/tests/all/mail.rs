//! `exacta autopilot mail …` from outside, against a real dovecot and a real SMTP server.

use crate::world::{Done, World};
use exacta_testkit::{POST_PASSWORD, POST_USER, Post, PostSetup};
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
