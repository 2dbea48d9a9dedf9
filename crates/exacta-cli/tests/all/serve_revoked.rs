//! Whoever was removed, or whose token was revoked, is told nothing more: at the next request, and where one is under way.

use crate::serve::Served;
use crate::story::{fix, id, submit};
use crate::world::World;
use exacta_testkit::LIMIT;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A project with a second approver, and the second one's key.
fn two() -> (World, String) {
    let world = World::begun();
    world.run(&["approver", "add", "second", "--no-passphrase", "--approver-key", &world.key()]).expect(0);
    let second = world.home().join("keys/second.key").display().to_string();
    (world, second)
}

fn token(world: &World, name: &str, key: &str) -> String {
    let added = world
        .run(&["token", "add", name, "--scope", "read", "--scope", "read_all", "--approver-key", key, "--json"])
        .expect(0);
    format!("Bearer {}", added.json()["token"].as_str().unwrap())
}

fn remove(world: &World) {
    world.run(&["approver", "remove", "second", "--approver-key", &world.key()]).expect(0);
}

#[test]
fn a_token_counts_as_long_as_whoever_signed_for_it_is_an_approver() {
    let (world, second) = two();
    let (theirs, ours) = (token(&world, "theirs", &second), token(&world, "ours", &world.key()));
    let served = Served::start(&world);
    let asks = |token: &str| served.ask("GET", "/api/v2/plans", &[("Authorization", token)], "").status;
    assert_eq!((asks(&theirs), asks(&ours)), (200, 200));
    remove(&world);
    assert_eq!((asks(&theirs), asks(&ours)), (401, 200));
    let unknown = served.ask("GET", "/api/v2/nothing", &[("Authorization", &theirs)], "");
    assert_eq!(unknown.status, 401, "not even what there is");
    let listed = world.run(&["token", "list", "--json"]).expect(0).json();
    let refused = |name: &str| {
        let listed = listed["tokens"].as_array().unwrap().iter().find(|token| token["name"] == name).unwrap().clone();
        listed.get("refused").map(|why| why.as_str().unwrap().to_owned())
    };
    assert_eq!(refused("ours"), None);
    assert!(refused("theirs").unwrap().contains("was removed from the list of approvers"));
    assert!(world.run(&["token", "list"]).expect(0).out.contains("does not count"));
    // A token whose scopes somebody widened is nobody's either.
    let file = world.home().join("tokens.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("read_all", "execute")).unwrap();
    assert_eq!(asks(&ours), 401);
    served.end();
}

#[test]
fn the_page_of_somebody_who_was_removed_is_over() {
    let (world, second) = two();
    world.run(&["profile", "set", "DEV", "--approver-key", &second]).expect(0);
    let plan = id(&submit(&world, &fix()));
    let served = Served::start_with(&world, &["--approver", "second"]);
    let (cookie, _) = served.open();
    let other = Served::start_with(&world, &["--approver", "second"]);
    let form = served.token(&cookie, &plan);
    let mut events = TcpStream::connect(&served.address).unwrap();
    let head = format!("GET /events HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", served.address);
    events.write_all(head.as_bytes()).unwrap();
    events.set_read_timeout(Some(LIMIT)).unwrap();
    let mut heard = [0; 4096];
    assert!(events.read(&mut heard).unwrap() > 0);
    remove(&world);
    for path in ["/", "/history", &format!("/plans/{plan}"), "/events", "/api/v2/plans"] {
        let told = served.ask("GET", path, &[("Cookie", &cookie)], "");
        assert!(told.status == 401 && !told.body.contains(&plan), "{path}: {}", told.status);
    }
    let origin = served.origin();
    let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str()), ("Content-Type", "application/json")];
    let lowered = served.ask("POST", "/api/v2/profile", &headers, &json!({ "profile": "SAFE" }).to_string());
    assert_eq!(lowered.status, 401, "{}", lowered.body);
    assert_eq!(world.run(&["profile", "current", "--json"]).expect(0).json()["chosen"], "DEV");
    let rejected = served.form(&format!("/plans/{plan}/reject"), &cookie, &origin, &format!("token={form}"));
    assert_eq!(rejected.status, 401, "{}", rejected.body);
    // What happens is no longer told: the stream ends.
    let begun = Instant::now();
    while events.read(&mut heard).unwrap() > 0 {
        assert!(begun.elapsed() < LIMIT);
    }
    // A link that nobody used yet opens nothing.
    let opened = other.form("/open", "", &other.origin(), &format!("link={}", other.link));
    assert!(opened.status == 401 && opened.body.contains("no longer an approver"), "{}", opened.body);
    served.end();
    other.end();
}

#[test]
fn a_wait_ends_with_its_token() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let token = token(&world, "ours", &world.key());
    let served = Served::start(&world);
    let begun = Instant::now();
    let path = format!("/api/v2/plans/{plan}/wait?timeout=60");
    let told = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| served.ask("GET", &path, &[("Authorization", &token)], ""));
        std::thread::sleep(Duration::from_secs(1));
        assert!(!waiting.is_finished());
        world.run(&["token", "revoke", "ours"]).expect(0);
        waiting.join().unwrap()
    });
    assert_eq!(told.status, 401, "{}", told.body);
    assert!(!told.body.contains(&plan) && begun.elapsed() < Duration::from_secs(50));
    served.end();
}
