//! Where sites and skills live, who signed for them, and that one run at a time is on a site.

use super::blog::Blog;
use exacta_testkit::WordPress;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|n| !n.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// The folder beneath the user's own in which something of this name lies.
fn under(blog: &Blog, name: &str) -> std::path::PathBuf {
    let mut find = Command::new("find");
    let found = exacta_testkit::output(find.arg(blog.world.home()).args(["-name", name]).stdin(Stdio::null()));
    Path::new(String::from_utf8(found.stdout).unwrap().lines().next().unwrap_or_default()).to_owned()
}

/// A site counts by its signature alone, its name belongs to one project, and a site that was not added leaves nothing behind.
#[test]
fn a_site_is_signed_and_lives_in_one_place() {
    let Some(wordpress) = WordPress::start("6.5", &[]) else { return };
    let world = crate::world::World::begun();
    let blog = Blog { wordpress, key: world.key(), world };
    let refused = blog.add_with("blog", "editor", "wrong words").expect(10);
    assert_eq!(refused.json()["error"]["code"], "SITE_AUTH", "{}", refused.out);
    assert_eq!(files(&under(&blog, "site-passwords")), [""; 0]);
    let added = blog.add("blog", "editor").expect(0);
    assert!(added.json()["tools"].as_array().unwrap().contains(&json!("content.create_page")));
    assert!(!added.out.contains(blog.wordpress.password("editor")));
    assert_eq!(files(&under(&blog, "site-passwords")), ["blog"]);
    let (world, key) = (&blog.world, &blog.key);
    // Outside any project the same site is found, and another of its name is none.
    let outside = world.path().join("elsewhere");
    std::fs::create_dir_all(&outside).unwrap();
    let from = |args: &[&str]| {
        let mut command = world.command(args);
        crate::world::done(exacta_testkit::output(command.current_dir(&outside).stdin(Stdio::null())))
    };
    assert_eq!(from(&["site", "show", "blog", "--json"]).expect(0).json()["signed_by"], added.json()["signed_by"]);
    assert_eq!(from(&["site", "list", "--json"]).expect(0).json()["sites"].as_array().unwrap().len(), 1);
    // The signer is no approver any more: nothing the site was added for counts.
    let (repo, commit) = blog.skills("write_publish");
    blog.sync(&repo, &commit).expect(0);
    assert_eq!(blog.sync(&repo, &commit).expect(0).json()["changed"], false);
    let pages = json!([{ "title": "Prices" }]);
    let plan = blog.approved(&[&["content.create_page"]], &pages);
    let second =
        world.run(&["approver", "add", "second", "--no-passphrase", "--approver-key", key, "--json"]).expect(0);
    let second = second.json()["key_path"].as_str().unwrap().to_owned();
    let first = added.json()["signed_by"].as_str().unwrap().to_owned();
    world.run(&["approver", "remove", &first, "--approver-key", &second]).expect(0);
    let refused = blog.draft("content.create_page", &pages).expect(10);
    assert_eq!(refused.json()["error"]["code"], "not_signed", "{}", refused.out);
    let ended = world.run(&["execute", &plan, "--json"]);
    assert!(ended.code != 0, "{}", ended.out);
    assert_eq!(blog.with_slug("prices"), json!([]));
    assert_eq!(world.run(&["site", "show", "blog", "--json"]).expect(0).json()["signed_by"], json!(null));
    assert_eq!(world.run(&["skill", "list", "--json"]).expect(0).json()["skills"], json!([]));
}

/// Whoever holds a site keeps every other run away, in every project, under whatever name.
#[test]
fn one_run_at_a_time_is_on_a_site() {
    let Some(blog) = Blog::new("editor") else { return };
    let pages = json!([{ "title": "Prices", "slug": "prices" }]);
    let first = blog.approved(&[&["content.create_page"]], &pages);
    blog.world.run(&["execute", &first]).expect(0);
    let second = blog.approved(&[&["content.create_page"]], &json!([{ "title": "More", "slug": "more" }]));
    let folder = under(&blog, "runs").join("");
    let lock = files(&folder).into_iter().find(|name| name.ends_with(".lock")).unwrap();
    assert_eq!(files(&folder).len(), 1, "nothing is left of the run that ended");
    let mut holder = Command::new("flock");
    let held = folder.join("held");
    holder.arg("-x").arg(folder.join(&lock)).args(["sh", "-c", &format!("touch {}; exec sleep 60", held.display())]);
    let holder = exacta_testkit::Running::start(holder.stdin(Stdio::null()));
    while !held.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::fs::remove_file(&held).unwrap();
    let refused = blog.world.run(&["execute", &second, "--json"]).expect(60);
    assert_eq!(refused.json()["error"]["code"], "RUN_ACTIVE_CONFLICT", "{}", refused.out);
    drop(holder);
    // A run whose project cannot be asked is not over.
    let record = json!({ "url": blog.wordpress.url(), "root": "/nowhere", "project": "019a2f3e-7c1d-7e2a-9b4f-000000000001",
        "run": "019a2f3e-7c1d-7e2a-9b4f-000000000002" });
    let note = json!({ "schema": "exacta.site-active/1", "record": record });
    let note_file = folder.join(lock.replace(".lock", ".json"));
    std::fs::write(&note_file, note.to_string()).unwrap();
    let refused = blog.world.run(&["execute", &second, "--json"]).expect(60);
    assert_eq!(refused.json()["error"]["code"], "RUN_ACTIVE_CONFLICT", "{}", refused.out);
    assert_eq!(blog.with_slug("more"), json!([]));
    std::fs::remove_file(&note_file).unwrap();
    blog.world.run(&["execute", &second]).expect(0);
    assert_eq!(blog.with_slug("more").as_array().unwrap().len(), 1);
}
