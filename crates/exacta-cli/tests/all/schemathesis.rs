//! `/api/v2` against its own OpenAPI document, by a tool that did not write it: no server error, and no answer that the document does not have.

use crate::serve::Served;
use crate::story::{fix, id, submit};
use crate::world::World;
use exacta_testkit::{output, python};

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
        let mut tool = python(&[TOOL]).unwrap();
        let seed = std::env::var("EXACTA_SEED").unwrap_or_else(|_| "1".to_owned());
        let examples = std::env::var("EXACTA_EXAMPLES").unwrap_or_else(|_| "2".to_owned());
        tool.current_dir(world.path()).args(["-m", "schemathesis.cli", "--config-file", &config, "run"]);
        tool.arg(format!("http://{}/api/v2/openapi.json", served.address));
        tool.args(["--include-path-regex", "^/api/v2/"]);
        for header in &headers {
            tool.args(["--header", header]);
        }
        tool.args(["--checks", CHECKS, "--phases", "coverage,fuzzing", "--no-color", "--rate-limit", "45/s"]);
        tool.args(["--seed", &seed, "--max-examples", &examples]);
        let done = output(&mut tool);
        let told = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
        assert!(told.contains(" passed"), "{told}");
    }
    assert_eq!(served.end(), Some(0));
    world.run(&["audit", "verify"]).expect(0);
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
