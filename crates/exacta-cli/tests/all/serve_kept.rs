//! An answer that is handed out once more says what a fresh one would: whatever changes what it was made of, the next reading shows it.

use crate::serve::Served;
use crate::story::{fix, id, submit};
use crate::world::World;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The plan as it is answered; with something that is not known, nobody was answered before.
fn read(served: &Served, cookie: &str, plan: &str, with: &str) -> Value {
    let reply = served.ask("GET", &format!("/api/v2/plans/{plan}?with={with}"), &[("Cookie", cookie)], "");
    assert_eq!(reply.status, 200, "{}", reply.body);
    serde_json::from_str(&reply.body).unwrap()
}

fn handed_out(served: &Served, cookie: &str) -> u64 {
    let metrics = served.ask("GET", "/api/v2/metrics", &[("Cookie", cookie)], "").body;
    let line = metrics.lines().find(|line| line.starts_with("exacta_kept_answers_total{")).unwrap().to_owned();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Reads until an answer is handed out once more, which it is when nothing changed for two seconds; that answer.
fn kept(served: &Served, cookie: &str, plan: &str) -> Value {
    let (begun, before) = (Instant::now(), handed_out(served, cookie));
    loop {
        let seen = read(served, cookie, plan, "");
        assert_eq!(seen, read(served, cookie, plan, ""));
        if handed_out(served, cookie) > before {
            return seen;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing is ever kept");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn what_is_handed_out_once_more_is_what_a_fresh_look_shows() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let key = world.key();
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let hash = || world.run(&["show", &plan, "--json"]).expect(0).json()["plan_hash"].as_str().unwrap().to_owned();
    type Change<'a> = (&'a str, Box<dyn Fn() + 'a>);
    let changes: [Change<'_>; 4] = [
        ("the profile", Box::new(|| drop(world.run(&["profile", "set", "DEV", "--approver-key", &key]).expect(0)))),
        (
            "the Safety Policy",
            Box::new(|| {
                drop(world.run(&["policy", "set", "caps.submitted_steps", "40", "--approver-key", &key]).expect(0))
            }),
        ),
        (
            "a decision",
            Box::new(|| drop(world.run(&["approve", &plan, "--hash", &hash(), "--approver-key", &key]).expect(0))),
        ),
        // As many bytes as before, into the same file.
        ("a target", Box::new(|| world.write("greet.txt", "hullo\nworld\n"))),
    ];
    for (what, change) in changes {
        let before = kept(&served, &cookie, &plan);
        change();
        let after = read(&served, &cookie, &plan, "");
        assert_ne!(after, before, "{what} changed, and the next reading does not show it");
        assert_eq!(
            read(&served, &cookie, &plan, what.split(' ').next_back().unwrap())["plan_hash"],
            after["plan_hash"]
        );
    }
    assert_eq!(read(&served, &cookie, &plan, "")["status"], "expired");
    assert_eq!(served.end(), Some(0));
}

/// What one credential is answered, no other is: the plan of somebody else is not there for an agent that sees only its own.
#[test]
fn an_answer_is_for_whom_it_was_made() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let add = ["token", "add", "codex", "--approver-key", &world.key(), "--json"];
    let bearer = format!("Bearer {}", world.run(&add).expect(0).json()["token"].as_str().unwrap());
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    kept(&served, &cookie, &plan);
    let theirs = served.ask("GET", &format!("/api/v2/plans/{plan}?with="), &[("Authorization", &bearer)], "");
    assert_eq!(theirs.status, 404, "{}", theirs.body);
    assert_eq!(served.end(), Some(0));
}
