//! Several projects of one user under one server, and what goes on in them without anybody asking.

use crate::serve::{Reply, Served};
use crate::story::{fix, id};
use crate::world::World;
use exacta_testkit::{LIMIT, sandbox};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A second project of the same user, with the same file in it.
pub fn second(world: &World) -> PathBuf {
    let folder = world.path().join("second");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("greet.txt"), "hello\nworld\n").unwrap();
    world.run(&["--project", folder.to_str().unwrap(), "init"]).expect(0);
    folder
}

fn submit_in(world: &World, folder: &std::path::Path) -> String {
    let file = world.file("second.json", fix().to_string());
    id(&world.run(&["--project", folder.to_str().unwrap(), "submit", &file, "--json"]))
}

fn value(reply: &Reply) -> Value {
    serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {}", reply.body))
}

/// Asks until it is so.
fn until(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn one_server_has_all_projects_of_its_user() {
    let world = World::begun();
    let here = id(&crate::story::submit(&world, &fix()));
    let there_folder = second(&world);
    let there = submit_in(&world, &there_folder);
    let token = world.run(&["token", "add", "codex", "--approver-key", &world.key(), "--json"]).expect(0).json();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let page = |path: &str| served.ask("GET", path, &[("Cookie", &cookie)], "");
    let inbox = page("/").body;
    assert!(inbox.contains(&format!("/plans/{here}")) && inbox.contains(&format!("/plans/{there}")), "{inbox}");
    for (plan, name) in [(&here, "project"), (&there, "second")] {
        let shown = page(&format!("/plans/{plan}"));
        assert!(shown.status == 200 && shown.body.contains(&format!(">{name}</span>")), "{}", shown.body);
    }

    let projects = value(&page("/api/v2/projects"));
    let ids: Vec<&str> =
        projects["projects"].as_array().unwrap().iter().map(|one| one["project_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2, "{projects}");
    let listed = value(&page("/api/v2/plans"));
    assert_eq!(listed["plans"].as_array().unwrap().len(), 2, "{listed}");
    let of_second = value(&page(&format!("/api/v2/plans?project={}", there_folder.display())));
    assert_eq!(of_second["plans"][0]["plan_id"], json!(there));
    assert_eq!(
        (&of_second["plans"][0]["project_id"], of_second["plans"].as_array().unwrap().len()),
        (&json!(ids[1]), 1)
    );
    assert_eq!(page("/?project=nonsense").status, 404);

    // Whoever submits says where.
    let mut plan = fix();
    plan["model"] = json!({ "provider": "openai", "model": "gpt-5.5" });
    let submit = |query: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        served.ask("POST", &format!("/api/v2/plans{query}"), &headers, &plan.to_string())
    };
    let nowhere = submit("");
    assert_eq!((nowhere.status, &value(&nowhere)["code"]), (400, &json!("project_required")));
    let made = submit(&format!("?project={}", ids[1]));
    assert_eq!((made.status, &value(&made)["project_id"]), (201, &json!(ids[1])), "{}", made.body);
    let plan_id = value(&made)["plan_id"].as_str().unwrap().to_owned();
    let there_arg = there_folder.to_str().unwrap();
    world.run(&["--project", there_arg, "show", &plan_id]).expect(0);
    world.run(&["show", &plan_id]).expect(2);

    // A project that comes later is there, too; and each ends in order.
    let third = world.path().join("third");
    std::fs::create_dir(&third).unwrap();
    world.run(&["--project", third.to_str().unwrap(), "init"]).expect(0);
    until("a new project is served", || value(&page("/api/v2/projects"))["projects"].as_array().unwrap().len() == 3);
    assert_eq!(served.end(), Some(0));
    let shown = world.run(&["--project", there_arg, "show", &plan_id, "--json"]).expect(0).json();
    assert_eq!(shown["status"], "expired", "it was made in the server's session");
    world.run(&["audit", "verify"]).expect(0);
    world.run(&["--project", there_arg, "audit", "verify"]).expect(0);
}

/// One project whose records are gone is told as that, and keeps nobody from the others.
#[test]
fn a_broken_project_is_told_and_hides_no_other() {
    let world = World::begun();
    let here = id(&crate::story::submit(&world, &fix()));
    let there = second(&world);
    submit_in(&world, &there);
    std::fs::remove_dir_all(there.join(".exacta")).unwrap();
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let page = |path: &str| served.ask("GET", path, &[("Cookie", &cookie)], "");
    let inbox = page("/").body;
    assert!(inbox.contains(&format!("/plans/{here}")), "{inbox}");
    assert!(inbox.contains("class=\"alarm\"") && inbox.contains(there.to_str().unwrap()), "{inbox}");
    assert_eq!(value(&page("/api/v2/health"))["status"], "attention");
    served.end();
}

/// `exacta cancel` reaches a run of the server, and the server goes on.
#[test]
fn a_run_of_the_server_is_cancelled_from_elsewhere() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    let policy = format!(
        "version = \"1\"\n[[projects.\"{}\".checks]]\nname = \"slow\"\nargv = [\"sleep\", \"600\"]\n",
        world.project().display()
    );
    let file = world.file("policy.toml", policy);
    world.run(&["policy", "set", &file, "--approver-key", &world.key()]).expect(0);
    let plan = id(&crate::story::submit(&world, &fix()));
    world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let origin = format!("http://{}", served.address);
    let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str()), ("Content-Type", "application/json")];
    let started = served.ask("POST", "/api/v2/runs", &headers, &json!({ "plan_id": plan }).to_string());
    assert_eq!(started.status, 202, "{}", started.body);
    let run = || world.run(&["show", &plan, "--json"]).expect(0).json()["run"].clone();
    until("it runs", || run()["outcome"] == "running");
    let told = world.run(&["cancel", run()["run_id"].as_str().unwrap(), "--json"]).expect(0).json();
    assert_eq!(told["outcome"], "cancelled", "{told}");
    assert_eq!(served.ask("GET", "/", &[("Cookie", &cookie)], "").status, 200, "the server goes on");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    assert_eq!(served.end(), Some(0));
    world.run(&["audit", "verify"]).expect(0);
}

/// A changed target ends a plan while the server runs, in the record too, without anybody asking.
#[test]
fn a_changed_target_expires_a_plan_at_once() {
    let world = World::begun();
    let plan = id(&crate::story::submit(&world, &fix()));
    let served = Served::start(&world);
    let recorded = || std::fs::read_to_string(world.project().join(".exacta/audit.log")).unwrap();
    // The watcher has seen it as it was.
    std::thread::sleep(Duration::from_secs(1));
    assert!(!recorded().contains("plan_expired"));
    world.write("greet.txt", "changed\n");
    until("it is recorded", || recorded().contains("plan_expired"));
    assert_eq!(world.run(&["show", &plan, "--json"]).expect(0).json()["status"], "expired");
    served.end();
    world.run(&["audit", "verify"]).expect(0);
}

/// Autopilots run by themselves: the function of `autopilot tick`. Waits for the next full minute, so it is tried by `tools/prove serve`.
#[test]
#[ignore = "waits for a minute to begin"]
fn a_due_autopilot_runs_by_itself() {
    let world = World::begun();
    let (request, key) = ("watch https://shop.example/prices", world.key());
    let schedule = ["--cron", "* * * * *", "--zone", "UTC", "--approver-key", &key];
    world.run(&[&["autopilot", "add", "prices", request][..], &schedule].concat()).expect(0);
    let served = Served::start(&world);
    let begun = Instant::now();
    let occasions = || world.run(&["autopilot", "runs", "prices", "--json"]).expect(0).json();
    while occasions()["runs"].as_array().is_none_or(Vec::is_empty) {
        assert!(begun.elapsed() < Duration::from_secs(120), "{}", occasions());
        std::thread::sleep(Duration::from_secs(1));
    }
    served.end();
    world.run(&["audit", "verify"]).expect(0);
}
