//! `exacta site` and `exacta skill` from outside, on a real WordPress: a page is drafted, approved, made and undone.

use crate::world::World;
use exacta_testkit::{WordPress, output};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

const SKILL: &str = "wp.pages";

/// A repository with one skill, and its commit.
fn skills(world: &World) -> (String, String) {
    let repo = world.path().join("skills-repo");
    std::fs::create_dir_all(repo.join("skills")).unwrap();
    let tools = ["content.create_page", "content.update_page", "content.publish_page", "content.trash_page"];
    let skill = json!({ "skill_id": SKILL, "version": "1", "tool_allowlist": tools, "safety_class": "write_publish",
        "caps": { "max_pages": 5, "max_tool_calls": 5, "max_steps": 5, "max_cost_usd": 2 } });
    std::fs::write(repo.join("skills/pages.json"), skill.to_string()).unwrap();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@a.example"]).args(args).current_dir(&repo);
        let done = output(git.stdin(Stdio::null()));
        assert!(done.status.success(), "{args:?} {done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "skills"]);
    (format!("file://{}", repo.display()), git(&["rev-parse", "HEAD"]))
}

fn draft(world: &World, tool: &str, pages: Value) -> crate::world::Done {
    let inputs = json!({ "pages": pages });
    let step = json!({ "step_id": "a", "title": "Write the page", "objective": "the price list is on the site",
        "expected_output": "one page", "tools": [tool], "page_count_estimate": 1 });
    let answer = json!({ "plan_version": 1, "skill_id": SKILL, "goal": "the price list is on the site", "assumptions": [],
        "inputs": inputs, "steps": [step] });
    let (inputs, answer) =
        (world.file("inputs.json", inputs.to_string()), world.file("answer.json", answer.to_string()));
    let goal = "put the price list of this year on the site, as agreed";
    world.run(&[
        "site",
        "draft",
        "blog",
        "--skill",
        SKILL,
        "--goal",
        goal,
        "--inputs",
        &inputs,
        "--planner-output",
        &answer,
    ])
}

fn ask(wordpress: &WordPress, route: &str) -> Value {
    let mut curl = Command::new("curl");
    curl.args(["-s", "-m", "30", "-u", &format!("admin:{}", wordpress.password("admin"))]);
    let done = output(curl.arg(format!("{}/wp-json{route}", wordpress.url())).stdin(Stdio::null()));
    serde_json::from_slice(&done.stdout).unwrap_or(Value::Null)
}

#[test]
fn a_page_is_drafted_approved_made_and_undone() {
    let Some(wordpress) = WordPress::start("6.5", &[]) else { return };
    let world = World::begun();
    let (key, url) = (world.key(), wordpress.url());
    let add = ["site", "add", "blog", &url, "--user", "editor", "--password-stdin", "--approver-key", &key, "--json"];
    let wrong = world.pipe(&add, b"wrong words").expect(10);
    assert_eq!(wrong.json()["error"]["code"], "SITE_AUTH", "{}", wrong.out);
    let password = wordpress.password("editor").to_owned();
    let added = world.pipe(&add, password.as_bytes()).expect(0);
    assert!(added.json()["tools"].as_array().unwrap().contains(&json!("content.create_page")));
    assert!(!added.out.contains(&password));
    let (repo, commit) = skills(&world);
    let sync = ["skill", "sync", "--repo", &repo, "--commit", &commit, "--approver-key", &key, "--json"];
    assert_eq!(world.run(&sync).expect(0).json()["changed"], true);
    assert_eq!(world.run(&sync).expect(0).json()["changed"], false);
    assert_eq!(draft(&world, "content.delete", json!([{ "title": "Prices" }])).expect(10).json()["status"], "rejected");
    let drafted = draft(&world, "content.create_page", json!([{ "title": "Prices", "slug": "prices" }])).expect(30);
    let plan = drafted.json()["plan_id"].as_str().unwrap().to_owned();
    world.run(&["execute", &plan]).expect(30);
    world.run(&["approve", &plan, "--approver-key", &key]).expect(0);
    let found = "/wp/v2/pages?slug=prices&status=any&context=edit";
    assert_eq!(ask(&wordpress, found), json!([]));
    world.run(&["execute", &plan]).expect(0);
    let page = ask(&wordpress, found);
    assert_eq!((&page[0]["status"], &page[0]["title"]["raw"]), (&json!("draft"), &json!("Prices")));
    // Published, and undone.
    let id = page[0]["id"].as_u64().unwrap();
    let drafted = draft(&world, "content.publish_page", json!([{ "op": "publish", "id": id }])).expect(30);
    let second = drafted.json()["plan_id"].as_str().unwrap().to_owned();
    world.run(&["approve", &second, "--approver-key", &key]).expect(0);
    world.run(&["execute", &second]).expect(0);
    assert_eq!(ask(&wordpress, found)[0]["status"], "publish");
    world.run(&["undo", "--approver-key", &key]).expect(0);
    assert_eq!(ask(&wordpress, found)[0]["status"], "draft");
    // A site that is gone blocks what is approved.
    let drafted = draft(&world, "content.trash_page", json!([{ "op": "trash", "id": id }])).expect(30);
    let third = drafted.json()["plan_id"].as_str().unwrap().to_owned();
    world.run(&["approve", &third, "--approver-key", &key]).expect(0);
    world.run(&["site", "remove", "blog"]).expect(0);
    world.run(&["execute", &third]).expect(10);
    assert_eq!(ask(&wordpress, found)[0]["status"], "draft");
    let record = world.project().join(".exacta");
    let mut grep = Command::new("grep");
    let leaked = output(grep.args(["-raF", &password]).arg(record).arg(world.home()).stdin(Stdio::null()));
    assert!(leaked.stdout.is_empty(), "the password is kept somewhere");
}
