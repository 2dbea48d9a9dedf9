//! Acts on pages, from the draft to the undo.

use super::blog::Blog;
use exacta_testkit::output;
use serde_json::json;
use std::process::{Command, Stdio};

#[test]
fn a_page_is_drafted_approved_made_and_undone() {
    let Some(blog) = Blog::new("editor") else { return };
    let (world, key) = (&blog.world, &blog.key);
    let rejected = blog.draft("content.delete", &json!([{ "title": "Prices" }])).expect(10);
    assert_eq!(rejected.json()["status"], "rejected");
    let drafted = blog.draft("content.create_page", &json!([{ "title": "Prices", "slug": "prices" }])).expect(30);
    let plan = drafted.json()["plan_id"].as_str().unwrap().to_owned();
    world.run(&["execute", &plan]).expect(30);
    world.run(&["approve", &plan, "--approver-key", key]).expect(0);
    assert_eq!(blog.with_slug("prices"), json!([]));
    world.run(&["execute", &plan]).expect(0);
    let page = blog.with_slug("prices");
    assert_eq!((&page[0]["status"], &page[0]["title"]["raw"]), (&json!("draft"), &json!("Prices")));
    // Published, and undone.
    let id = page[0]["id"].as_u64().unwrap();
    let second = blog.approved(&[&["content.publish_page"]], &json!([{ "op": "publish", "id": id }]));
    world.run(&["execute", &second]).expect(0);
    assert_eq!(blog.page(id)["status"], "publish");
    world.run(&["undo", "--approver-key", key]).expect(0);
    assert_eq!(blog.page(id)["status"], "draft");
    // A site that is gone blocks what is approved.
    let third = blog.approved(&[&["content.trash_page"]], &json!([{ "op": "trash", "id": id }]));
    world.run(&["site", "remove", "blog"]).expect(0);
    world.run(&["execute", &third]).expect(10);
    assert_eq!(blog.page(id)["status"], "draft");
    let record = world.project().join(".exacta");
    let mut grep = Command::new("grep");
    let password = blog.wordpress.password("editor");
    let leaked = output(grep.args(["-raF", password]).arg(record).arg(world.home()).stdin(Stdio::null()));
    assert!(leaked.stdout.is_empty(), "the password is kept somewhere");
}

/// A draft may be changed at medium risk; what the public sees is high, and a skill that writes drafts alone may not touch it.
#[test]
fn what_the_public_sees_is_high() {
    let Some(blog) = Blog::new("editor") else { return };
    let draft = blog.make("admin", &json!({ "title": "Old", "status": "draft" }));
    let live = blog.make("admin", &json!({ "title": "Old", "status": "publish" }));
    for (id, tier, level) in [(draft, "MEDIUM", "medium"), (live, "HIGH", "high")] {
        let drafted =
            blog.draft("content.update_page", &json!([{ "op": "update", "id": id, "title": "New" }])).expect(30);
        assert_eq!(drafted.json()["risk"]["tier"], tier, "{}", drafted.out);
        let plan = drafted.json()["plan_id"].as_str().unwrap().to_owned();
        assert_eq!(blog.world.run(&["show", &plan, "--json"]).expect(0).json()["risk"]["level"], level);
    }
    let (repo, commit) = blog.skills("write_draft");
    blog.sync(&repo, &commit).expect(0);
    let refused =
        blog.draft("content.update_page", &json!([{ "op": "update", "id": live, "title": "New" }])).expect(10);
    let issues = refused.json()["validation_issues"].clone();
    assert_eq!(issues[0]["code"], "PLAN_TOOL_NOT_ALLOWED", "{}", refused.out);
    blog.draft("content.update_page", &json!([{ "op": "update", "id": draft, "title": "New" }])).expect(30);
}
