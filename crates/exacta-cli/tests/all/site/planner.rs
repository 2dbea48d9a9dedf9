//! The user's provider plans: what it is shown, what goes back to it, and what the plan is bound to.

use super::blog::{Blog, GOAL, SKILL};
use crate::ask::say;
use crate::world::Done;
use exacta_testkit::{ModelServer, Reply};
use serde_json::{Value, json};

fn plan(tool: &str) -> Reply {
    let step = json!({ "step_id": "write", "title": "Write the page", "objective": "the price list is on the site",
        "expected_output": "one page", "tools": [tool], "page_count_estimate": 1 });
    say(&json!({ "plan_version": 1, "skill_id": SKILL, "goal": GOAL, "assumptions": [], "steps": [step] }).to_string())
}

fn draft(blog: &Blog, server: &ModelServer) -> Done {
    let url = server.url();
    let add = ["provider", "add", "local", "--kind", "openai-compatible", "--model", "m-1", "--url", &url];
    blog.world.run(&[&add[..], &["--approver-key", &blog.key]].concat()).expect(0);
    let inputs = json!({ "pages": [{ "title": "Prices", "slug": "prices", "content": "<p>a word that nobody else needs</p>" }] });
    let inputs = blog.world.file("inputs.json", inputs.to_string());
    let args = ["site", "draft", "blog", "--skill", SKILL, "--goal", GOAL, "--inputs", &inputs, "--provider", "local"];
    blog.world.run(&[&args[..], &["--json"]].concat())
}

#[test]
fn a_provider_plans_and_is_told_what_is_wrong() {
    let Some(blog) = Blog::new("editor") else { return };
    // First a tool that there is not; told so, the same model plans again.
    let server =
        ModelServer::start(|number, _| plan(if number == 0 { "content.delete" } else { "content.create_page" }));
    let drafted = draft(&blog, &server).expect(30).json();
    assert_eq!((&drafted["status"], &drafted["llm"]["selected_model"]), (&json!("validated"), &json!("m-1")));
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    let bodies: Vec<&str> = asked.iter().map(|asked| asked.body.as_str()).collect();
    assert!(bodies.iter().all(|body| !body.contains("nobody else needs")), "a page's content is not sent");
    assert!(bodies[1].contains("PLAN_INVALID_TOOL"), "{}", bodies[1]);
    let plan = drafted["plan_id"].as_str().unwrap();
    blog.world.run(&["approve", plan, "--approver-key", &blog.key]).expect(0);
    blog.world.run(&["execute", plan]).expect(0);
    assert_eq!(blog.with_slug("prices")[0]["content"]["raw"], "<p>a word that nobody else needs</p>");
}

#[test]
fn a_provider_that_cannot_plan() {
    let Some(blog) = Blog::new("editor") else { return };
    type Case = (fn() -> Reply, &'static str, i32);
    let cases: [Case; 3] = [
        (|| Reply::json(400, r#"{"error":{"message":"no"}}"#), "PLAN_LLM_FAILED", 60),
        (|| say("Here is my plan: none."), "PLAN_PARSE_NONJSON", 10),
        (|| say(&"x".repeat(30_001)), "PLAN_OUTPUT_CAP_EXCEEDED", 10),
    ];
    for (reply, code, exit) in cases {
        let server = ModelServer::start(move |_, _| reply());
        let refused = draft(&blog, &server).expect(exit);
        assert_eq!(refused.json()["error"]["code"], code, "{}", refused.out);
        assert!(server.asked().len() <= 4);
    }
    let rejected: Value = blog.world.run(&["list", "--json"]).expect(0).json();
    assert!(!rejected.to_string().contains("approved"), "{rejected}");
}
