//! `/api/v2` and `/api/v1` against their own OpenAPI document, by a tool that did not write it: no server error, and no answer that the document does not have.

use crate::serve::Served;
use crate::site::blog::{Blog, SKILL};
use crate::story::{fix, id, submit};
use crate::world::World;
use exacta_testkit::{output, python};
use serde_json::json;

const TOOL: &str = "schemathesis==4.32.5";
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method,ignored_auth";

/// As an agent, and as an approver in a session: with plans and a run that exist, and with whatever the tool makes up.
#[test]
fn nothing_is_answered_that_the_document_does_not_have() {
    let Some(_) = python(&[TOOL]) else { return };
    let world = World::begun();
    let key = world.key();
    let ran = id(&submit(&world, &fix()));
    world.run(&["approve", &ran, "--approver-key", &key]).expect(0);
    world.run(&["execute", &ran]).expect(0);
    let run = world.run(&["show", &ran, "--json"]).expect(0).json()["run"]["run_id"].as_str().unwrap().to_owned();
    let scopes = ["read", "read_all", "propose", "run_allowed", "execute"].into_iter();
    let scopes: Vec<&str> = scopes.flat_map(|scope| ["--scope", scope]).collect();
    let token = [&["token", "add", "codex", "--approver-key", &key, "--json"][..], &scopes].concat();
    let token = world.run(&token).expect(0).json()["token"].as_str().unwrap().to_owned();
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let agent = vec![format!("Authorization: Bearer {token}")];
    let person = vec![format!("Cookie: {cookie}"), format!("Origin: http://{}", served.address)];
    for headers in [agent, person] {
        let mut greeting = fix();
        greeting["steps"][0]["edits"][0]["find"] = "there".into();
        greeting["steps"][0]["edits"][0]["replace"] = "world".into();
        let plan = id(&submit(&world, &greeting));
        let config = world.file("schemathesis.toml", config(&plan, &run));
        try_all(&world, &served, &headers, (&config, "^/api/v2/"));
    }
    assert_eq!(served.end(), Some(0));
    world.run(&["audit", "verify"]).expect(0);
}

/// The same of Plan Contract v1, with a site, a skill, plans and a run of it.
#[test]
fn the_contract_answers_nothing_that_the_document_does_not_have() {
    let Some(_) = python(&[TOOL]) else { return };
    let Some(blog) = Blog::new("editor") else { return };
    let (world, key) = (&blog.world, &blog.key);
    let pages = json!([{ "title": "Prices", "slug": "prices" }]);
    let ran = blog.approved(&[&["content.create_page"]], &pages);
    world.run(&["execute", &ran]).expect(0);
    let runs = world.run(&["site", "runs", "blog", "--json"]).expect(0).json();
    let run = runs["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let scopes: Vec<&str> =
        ["read", "read_all", "propose", "execute"].into_iter().flat_map(|scope| ["--scope", scope]).collect();
    let token = [&["token", "add", "codex", "--approver-key", key, "--json"][..], &scopes].concat();
    let token = world.run(&token).expect(0).json()["token"].as_str().unwrap().to_owned();
    let served = Served::start(world);
    let (cookie, _) = served.open();
    let agent = vec![format!("Authorization: Bearer {token}")];
    let person = vec![format!("Cookie: {cookie}"), format!("Origin: http://{}", served.address)];
    for headers in [agent, person] {
        let plan = blog.draft("content.create_page", &pages).expect(30).json()["plan_id"].as_str().unwrap().to_owned();
        let mut text = String::new();
        for (path, id) in [("/plans/", plan.as_str()), ("/runs/", &run), ("/skills/", SKILL)] {
            let name = path.trim_matches('/').trim_end_matches('s');
            text += &format!(
                "[[operations]]\ninclude-path-regex = \"/api/v1{path}\\\\{{\"\nparameters = {{ \"path.{name}\" = \"{id}\" }}\n\n"
            );
        }
        // What a draft may look like has tests of its own, and each asks the site.
        text += "[[operations]]\ninclude-path = \"/api/v1/plans/draft\"\nphases.coverage.enabled = false\n";
        let config = world.file("schemathesis.toml", text);
        try_all(world, &served, &headers, (&config, "^/api/v1/"));
    }
    assert_eq!(served.end(), Some(0));
    world.run(&["audit", "verify"]).expect(0);
}

/// Asks what the tool makes up of the operations whose paths fit.
fn try_all(world: &World, served: &Served, headers: &[String], (config, paths): (&str, &str)) {
    let mut tool = python(&[TOOL]).unwrap();
    let seed = std::env::var("EXACTA_SEED").unwrap_or_else(|_| "1".to_owned());
    let examples = std::env::var("EXACTA_EXAMPLES").unwrap_or_else(|_| "2".to_owned());
    tool.current_dir(world.path()).args(["-m", "schemathesis.cli", "--config-file", config, "run"]);
    tool.arg(format!("http://{}/api/v2/openapi.json", served.address));
    tool.args(["--include-path-regex", paths]);
    for header in headers {
        tool.args(["--header", header]);
    }
    tool.args(["--checks", CHECKS, "--phases", "coverage,fuzzing", "--no-color", "--rate-limit", "45/s"]);
    // How fast examples are made up says nothing of the server.
    tool.args(["--seed", &seed, "--max-examples", &examples, "--suppress-health-check", "all"]);
    let done = output(&mut tool);
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    assert!(told.contains(" passed"), "{told}");
}

/// Ids that exist, so that more than "there is none" is answered; and nobody is waited for. What proposals may look like has tests of its own.
fn config(plan: &str, run: &str) -> String {
    let mut text = String::new();
    for (path, parameters) in [
        ("/plans/", format!("\"path.id\" = \"{plan}\", \"query.timeout\" = \"0\"")),
        ("/runs/", format!("\"path.id\" = \"{run}\"")),
    ] {
        text += &format!("[[operations]]\ninclude-path-regex = \"{path}\"\nparameters = {{ {parameters} }}\n\n");
    }
    for path in ["/api/v2/plans", "/api/v2/plans/check"] {
        text += &format!("[[operations]]\ninclude-path = \"{path}\"\nphases.coverage.enabled = false\n\n");
    }
    text
}
