//! Runs on a site: each call with its page and what was stored, what fails and is put back, and what nobody could tell.

use super::blog::Blog;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn run_of(blog: &Blog, plan: &str) -> Value {
    let runs = blog.world.run(&["site", "runs", "blog", "--json"]).expect(0).json()["runs"].clone();
    let run =
        runs.as_array().unwrap().iter().find(|run| run["plan_id"] == plan).unwrap_or_else(|| panic!("{runs}")).clone();
    let id = run["run_id"].as_str().unwrap();
    assert_eq!(blog.world.run(&["site", "run-show", id, "--json"]).expect(0).json(), run);
    run
}

fn steps(run: &Value, fields: &[&str]) -> Vec<Vec<Value>> {
    let step = |step: &Value| fields.iter().map(|name| step[name].clone()).collect();
    run["steps"].as_array().unwrap().iter().map(step).collect()
}

/// Reads, makes several pages, changes one and trashes another in one plan; undone, everything is as before.
#[test]
fn a_run_of_every_kind_of_call_and_its_undo() {
    let Some(blog) = Blog::new("editor") else { return };
    let old = json!({ "title": "Old", "content": "<p>Old words</p>", "status": "publish", "slug": "old" });
    let (changed, trashed) =
        (blog.make("admin", &old), blog.make("admin", &json!({ "title": "Gone", "slug": "gone" })));
    let before = (blog.page(changed), blog.page(trashed));
    let pages = json!([
        { "title": "One", "slug": "one", "content": "<p>1</p>" }, { "title": "Two", "slug": "two" },
        { "op": "update", "id": changed, "title": "New", "content": "<p>New words</p>" }, { "op": "trash", "id": trashed },
    ]);
    let tools: [&[&str]; 4] = [
        &["site.get_environment", "content.inventory", "seo.get_config"],
        &["content.bulk_create"],
        &["content.update_page"],
        &["content.trash_page"],
    ];
    let plan = blog.approved(&tools, &pages);
    blog.world.run(&["execute", &plan]).expect(0);
    let run = run_of(&blog, &plan);
    assert_eq!(run["schema"], "exacta.site-run/1");
    assert_eq!((&run["state"], &run["site"], &run["error"]), (&json!("completed"), &json!("blog"), &Value::Null));
    let counts = ["planned_steps", "planned_tool_calls", "planned_pages", "actual_tool_calls", "actual_pages"];
    assert_eq!(counts.map(|name| run[name].as_u64().unwrap()), [4, 6, 4, 6, 4], "{run}");
    let told = steps(&run, &["step_id", "tool", "state", "stored", "rollback"]);
    let row = |id: &str, tool: &str, stored: Value, rollback: &str| {
        vec![json!(id), json!(tool), json!("completed"), stored, json!(rollback)]
    };
    let exact = || json!("exact");
    assert_eq!(
        told,
        [
            row("s1", "site.get_environment", Value::Null, "none"),
            row("s2", "content.inventory", Value::Null, "none"),
            row("s3", "seo.get_config", Value::Null, "none"),
            row("s4.1", "content.create_page", exact(), "pending"),
            row("s4.2", "content.create_page", exact(), "pending"),
            row("s5", "content.update_page", exact(), "pending"),
            row("s6", "content.trash_page", exact(), "pending"),
        ]
    );
    // What was read is in the receipts, by hash and number; a page by the state that it was in and is in.
    assert!(run["steps"][1]["count"].as_u64().unwrap() >= 2 && run["steps"][1]["after_sha256"].is_string(), "{run}");
    assert_eq!(run["steps"][5]["page_id"], changed);
    assert_ne!(run["steps"][5]["before_sha256"], run["steps"][5]["after_sha256"]);
    let shown = blog.world.run(&["show", &plan, "--json"]).expect(0);
    assert!(shown.out.contains("executed") || shown.json()["run"]["outcome"] == "completed", "{}", shown.out);
    assert_eq!(blog.with_slug("one")[0]["status"], "draft");
    assert_eq!(blog.page(changed)["content"]["raw"], "<p>New words</p>");
    assert_eq!(blog.page(trashed)["status"], "trash");
    blog.world.run(&["undo", "--approver-key", &blog.key]).expect(0);
    let now = (blog.page(changed), blog.page(trashed));
    for name in ["title", "content", "status", "slug", "excerpt", "parent", "template", "meta"] {
        let raw = |page: &Value| page[name].get("raw").unwrap_or(&page[name]).clone();
        assert_eq!((raw(&now.0), raw(&now.1)), (raw(&before.0), raw(&before.1)), "{name}");
    }
    assert_eq!(blog.with_slug("one"), json!([]));
    let run = run_of(&blog, &plan);
    assert_eq!((&run["state"], &run["rollback_available"]), (&json!("rolled_back"), &json!(false)));
    assert!(steps(&run, &["rollback"]).iter().skip(3).all(|row| row[0] == "applied"), "{run}");
}

/// A page that a person changed after the plan was made is left alone; one that fails takes the others back with it.
#[test]
fn what_fails_is_put_back_and_a_persons_words_stay() {
    let Some(blog) = Blog::new("editor") else { return };
    let ids: Vec<u64> = (1..=3)
        .map(|number| blog.make("admin", &json!({ "title": format!("Old {number}"), "content": "old" })))
        .collect();
    let pages: Vec<Value> = ids.iter().map(|id| json!({ "op": "update", "id": id, "content": "new" })).collect();
    let plan = blog.approved(&[&["content.update_page"]], &json!(pages));
    // A person types in between.
    blog.ask("person", "POST", &format!("/wp/v2/pages/{}", ids[1]), &json!({ "content": "a person's words" }));
    let drifted = blog.world.run(&["execute", &plan, "--json"]).expect(40);
    assert!(
        drifted.out.contains("not as it was") || drifted.out.contains("neither as the plan saw it"),
        "{}",
        drifted.out
    );
    assert_eq!(
        ids.iter().map(|id| blog.page(*id)["content"]["raw"].clone()).collect::<Vec<_>>(),
        ["old", "a person's words", "old"]
    );
    // The third write is refused by the site: the first two are put back.
    let plan = blog.approved(&[&["content.update_page"]], &json!(pages));
    blog.wordpress
        .fault(&json!({ "fault": "500", "when": "before", "nth": 3, "user": "editor", "kind": "write" }).to_string());
    blog.world.run(&["execute", &plan]).expect(50);
    blog.wordpress.no_fault();
    assert_eq!(
        ids.iter().map(|id| blog.page(*id)["content"]["raw"].clone()).collect::<Vec<_>>(),
        ["old", "a person's words", "old"]
    );
    let run = run_of(&blog, &plan);
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("RUN_EXECUTION_FAILED")), "{run}");
    assert_eq!(steps(&run, &["state", "rollback"]), [["failed", "applied"], ["failed", "applied"], ["failed", "none"]]);
}

/// A user without `unfiltered_html` would strip the frame: refused before anything is sent.
#[test]
fn what_cannot_be_put_back_is_refused_at_the_draft() {
    let Some(blog) = Blog::new("least") else { return };
    let frame =
        json!({ "title": "Map", "content": "<iframe src=\"https://a.example\"></iframe>", "status": "publish" });
    let id = blog.make("admin", &frame);
    let refused =
        blog.draft("content.update_page", &json!([{ "op": "update", "id": id, "title": "The map" }])).expect(10);
    let issue = refused.json()["validation_issues"][0].clone();
    assert_eq!(issue["code"], "SITE_LOSSY", "{}", refused.out);
    assert!(issue["message"].as_str().unwrap().contains("iframe"), "{issue}");
    assert_eq!(blog.page(id)["title"]["raw"], "Map");
}

/// The site goes away in the middle of a write: nobody can tell, nothing else runs there, until a person says what became of it.
#[test]
fn what_nobody_can_tell_waits_for_a_persons_word() {
    let Some(mut blog) = Blog::new("editor") else { return };
    let id = blog.make("admin", &json!({ "title": "Old" }));
    let plan = blog.approved(&[&["content.update_page"]], &json!([{ "op": "update", "id": id, "title": "New" }]));
    let waiting = blog.approved(&[&["content.create_page"]], &json!([{ "title": "Prices" }]));
    blog.wordpress
        .fault(&json!({ "fault": "slow", "when": "after", "nth": 1, "user": "editor", "kind": "write" }).to_string());
    let mut command = blog.world.command(&["execute", &plan, "--json"]);
    let running = std::thread::spawn(move || {
        crate::world::done(exacta_testkit::output(command.stdin(std::process::Stdio::null())))
    });
    let end = Instant::now() + exacta_testkit::LIMIT;
    while blog.wordpress.met().0[0] == 0 {
        assert!(Instant::now() < end && !running.is_finished(), "the write never came");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    blog.wordpress.stop();
    let ended = running.join().unwrap().expect(60);
    assert!(ended.out.contains("outcome_unknown"), "{}", ended.out);
    blog.wordpress.no_fault();
    blog.wordpress.restart();
    let run = run_of(&blog, &plan);
    assert_eq!((&run["state"], &run["steps"][0]["state"]), (&json!("unknown"), &json!("unknown")), "{run}");
    let refused = blog.world.run(&["execute", &waiting, "--json"]).expect(60);
    assert_eq!(refused.json()["error"]["code"], "SITE_UNKNOWN_OUTCOME", "{}", refused.out);
    blog.world.run(&["site", "remove", "blog"]).expect(60);
    let landed = blog.page(id)["title"]["raw"] == "New";
    let (run, word) = (run["run_id"].as_str().unwrap(), if landed { "landed" } else { "not-landed" });
    let resolve = ["site", "resolve", run, "s1", word, "--approver-key", &blog.key];
    blog.world.run(&["site", "resolve", run, "s2", word, "--approver-key", &blog.key]).expect(2);
    blog.world.run(&resolve).expect(0);
    let state = if landed { "completed" } else { "failed" };
    assert_eq!(run_of(&blog, &plan)["state"], state);
    blog.world.run(&resolve).expect(40);
    blog.world.run(&["execute", &waiting]).expect(0);
}
