//! Several agents of one user, what they say they are, and what is remembered of it.

use crate::place::{Place, fix, id, plan};
use exacta_app::{AgentName, App, Caller, Exit, Options, Request, settings};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::limit;
use exacta_kernel::policy::profile::Profile;
use exacta_view::PlanView;
use serde_json::{Value, json};

/// The user's own hand, or one of the user's agents.
fn as_agent(place: &Place, name: Option<&str>) -> App {
    let agent = name.map(|name| AgentName::parse(name).unwrap());
    App::open(&Options { caller: Caller::Key { agent }, ..place.options.clone() }).unwrap()
}

/// The fix, by a model.
fn by_model(model: &str) -> String {
    let mut plan: Value = serde_json::from_str(&fix()).unwrap();
    plan["model"] = json!({ "provider": "p", "model": model });
    plan.to_string()
}

fn submit(place: &Place, agent: Option<&str>, text: &str) -> PlanView {
    as_agent(place, agent).submit(text.as_bytes(), &Request::default()).unwrap()
}

fn by(view: &PlanView) -> String {
    view.detail.as_ref().unwrap().by.clone().unwrap()
}

/// Item 31: each agent has a credential of its own, and what one declares is nothing to the plans of another.
#[test]
fn two_agents_do_not_block_each_other() {
    let place = Place::new();
    let first = submit(&place, Some("codex"), &by_model("one"));
    let second = submit(&place, Some("claude"), &by_model("two"));
    let own = submit(&place, None, &by_model("three"));
    let user = rustix::process::getuid().as_raw();
    assert_eq!(by(&first), format!("cli:{user}:codex"));
    assert_eq!(by(&second), format!("cli:{user}:claude"));
    assert_eq!(by(&own), format!("cli:{user}"));
    let lines = place.app().list(None, None).unwrap();
    assert!(lines.iter().any(|line| line.summary.by.as_deref() == Some(&by(&first))), "{lines:?}");
    let entries = place.app().entries(None, None).unwrap();
    assert!(entries.iter().any(|entry| entry.actor.to_string() == format!("agent:{}", by(&second))));
    for plan in [&own, &second, &first] {
        place.approve(&id(plan)).unwrap();
    }
    place.execute(&id(&first)).unwrap();
    // The same agent with another model: its older plan is blocked, and only its own.
    let third = submit(&place, Some("claude"), &plan_of_readme("four"));
    assert_eq!(third.status, Some(Status::Pending));
    let error = place.execute(&id(&second)).unwrap_err();
    assert_eq!(error.code, "plan_expired", "its target changed: {error}");
    let error = place.app().resubmit(&id(&second)).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "plan_drifted"), "{error}");
}

fn plan_of_readme(model: &str) -> String {
    let steps = json!([{
        "id": "s1", "order": 1, "type": "file_modify", "target": "README.md", "dependencies": [],
        "description": "name the greeting that is printed", "edits": [{ "find": "a greeting", "replace": "`hello`" }]
    }]);
    let mut plan: Value = serde_json::from_str(&plan("AddFeature", "the readme says what it prints", steps)).unwrap();
    plan["model"] = json!({ "provider": "p", "model": model });
    plan.to_string()
}

/// What a person selects of an agent's plan, or submits again, is still the agent's.
#[test]
fn a_derived_plan_keeps_its_proposer() {
    let place = Place::new();
    let whole = submit(&place, Some("codex"), &by_model("one"));
    submit(&place, None, &by_model("another"));
    let part = as_agent(&place, None).select(&id(&whole), &["code".to_owned()].into()).unwrap();
    assert_eq!(by(&part), by(&whole));
    place.approve(&id(&part)).unwrap();
    place.execute(&id(&part)).unwrap();
}

/// Attack 6: what a denied proposal says of itself counts for nothing.
#[test]
fn attack_06_nothing_of_a_denied_proposal_is_remembered() {
    let place = Place::new();
    let good = submit(&place, None, &by_model("one"));
    let mut denied: Value = serde_json::from_str(&by_model("two")).unwrap();
    denied["steps"][0]["target"] = json!(".git/config");
    assert_eq!(submit(&place, None, &denied.to_string()).status, Some(Status::Rejected));
    let mut long: Value = serde_json::from_str(&by_model("three")).unwrap();
    long["model"]["model"] = json!("x".repeat(5 << 20));
    assert_eq!(submit(&place, None, &long.to_string()).plan_id, None, "no proposal at all");
    place.approve(&id(&good)).unwrap();
    place.execute(&id(&good)).unwrap();
}

/// Attack 6: the largest plan that is allowed is stored, listed, shown, decided and verified.
#[test]
fn attack_06_the_largest_fields_can_be_read_back() {
    let place = Place::new();
    place.profile(Profile::Dev);
    // Each letter takes six bytes where it is written as JSON.
    let odd = |bytes: usize| "\u{1}".repeat(bytes);
    let words = |bytes: usize| "wide words ".repeat(bytes / 11);
    let mut plan: Value = serde_json::from_str(&fix()).unwrap();
    plan["intent"]["text"] = json!(words(limit::REQUEST));
    plan["intent"]["id"] = json!("i".repeat(limit::NAME));
    plan["model"] = json!({ "provider": odd(limit::NAME), "model": odd(limit::NAME), "version": odd(limit::NAME) });
    plan["steps"][0]["description"] = json!(words(limit::DESCRIPTION));
    plan["assumptions"] = (0..limit::ASSUMPTIONS).map(|_| json!(words(limit::CLAUSE))).collect();
    plan["constraints"] = (0..limit::CONSTRAINTS)
        .map(|n| json!({ "id": format!("{n:0128}"), "type": "PREFER", "scope": "file", "target": "x".repeat(limit::TARGET), "description": words(limit::CLAUSE) }))
        .collect();
    plan["inputs"] = json!({ "a": "x".repeat(limit::INPUTS - 100) });
    let view = submit(&place, Some(&"a".repeat(64)), &plan.to_string());
    assert!(view.plan_id.is_some(), "{:?}", view.findings);
    let app = place.app();
    assert_eq!(app.list(None, None).unwrap().len(), 1);
    app.show(&id(&view)).unwrap();
    exacta_app::verify(&place.options).unwrap();
    let mut app = place.app();
    assert_eq!(
        app.revise(&id(&view), &"x".repeat(limit::REQUEST + 1), &place.key()).unwrap_err().code,
        "text_too_long"
    );
    app.revise(&id(&view), &"x".repeat(limit::REQUEST), &place.key()).unwrap();
    place.approve(&id(&view)).unwrap();
    place.execute(&id(&view)).unwrap();
    exacta_app::verify(&place.options).unwrap();
}

fn policy(place: &Place, text: &str) {
    let mut settings = settings::Settings::open(&place.options).unwrap();
    settings.set_policy(text, "policy.toml", &place.key()).unwrap();
}

fn many(steps: u64) -> String {
    let steps: Vec<Value> = (1..=steps)
        .map(|n| {
            json!({
                "id": format!("s{n}"), "order": n, "type": "file_create", "target": format!("notes/n{n}.md"), "dependencies": [],
                "description": format!("note number {n} of the release, as asked for"), "content": format!("# Note {n}\n\nWhat is new in part {n}.\n")
            })
        })
        .collect();
    plan("AddFeature", "add the notes of every part of the release to the folder of notes", json!(steps))
}

/// Items 39 and 41: the operator raises the caps of what is submitted, and then a person is asked.
#[test]
fn a_large_plan_is_refused_then_confirmed_then_run() {
    let place = Place::new();
    place.profile(Profile::Dev);
    let refused = place.submit(&many(120));
    let hints: Vec<&str> = refused.findings.iter().map(|finding| finding.hint.as_str()).collect();
    for key in ["`caps.submitted_steps`", "`caps.submitted_files`"] {
        assert!(hints.iter().any(|hint| hint.contains(key) && hint.contains("the Safety Policy")), "{hints:?}");
    }
    policy(&place, "[caps]\nsubmitted_steps = 200\nsubmitted_files = 200\nexpiry_seconds = 86400\n");
    let view = place.submit(&many(120));
    assert_eq!(view.status, Some(Status::Pending), "{:?}", view.findings);
    let asks = |rule: &str| view.gates.iter().any(|gate| gate.rule.as_deref() == Some(rule));
    assert!(asks("many-steps") && !asks("token-budget"), "{:?}", view.gates);
    place.approve(&id(&view)).unwrap();
    place.execute(&id(&view)).unwrap();
    assert_eq!(place.read("notes/n120.md").unwrap(), "# Note 120\n\nWhat is new in part 120.\n");
    exacta_app::verify(&place.options).unwrap();
}

/// Item 39: a plan over the token budget is confirmed; one over the size is refused with the cap's key, and one that was
/// accepted is denied once the operator lowers the cap: its record is no forgery.
#[test]
fn sizes_and_the_token_budget_of_what_is_submitted() {
    let place = Place::new();
    place.profile(Profile::Dev);
    let large = |bytes: usize| {
        let line = "a line of the table of values, one like the other\n";
        let content = line.repeat(bytes / line.len());
        plan(
            "AddFeature",
            "add the table of values that the report reads",
            json!([{
                "id": "s1", "order": 1, "type": "file_create", "target": "table.txt", "dependencies": [],
                "description": "the table of values, a line each", "content": content
            }]),
        )
    };
    let view = place.submit(&large(500_000));
    assert_eq!(view.status, Some(Status::Pending), "{:?}", view.findings);
    assert!(view.gates.iter().any(|gate| gate.rule.as_deref() == Some("token-budget")), "{:?}", view.gates);
    let refused = place.submit(&large(2 << 20));
    assert!(refused.findings[0].hint.contains("`caps.submitted_step_bytes`"), "{:?}", refused.findings);
    policy(&place, "[caps]\nsubmitted_step_bytes = 4194304\n");
    let accepted = place.submit(&large(2 << 20));
    assert_eq!(accepted.status, Some(Status::Pending), "{:?}", accepted.findings);
    policy(&place, "[caps]\nsubmitted_step_bytes = 1048576\n");
    let error = place.approve(&id(&accepted)).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Denied, "plan_denied"), "{error}");
    assert_eq!(place.app().show(&id(&accepted)).unwrap().plan.status, Some(Status::Pending));
}

/// Attack 9: what runs without a person and is not of low risk is announced, by the run, its record and the status.
#[test]
fn attack_09_a_medium_risk_run_nobody_was_asked_about_is_announced() {
    let place = Place::new();
    policy(&place, "disable_default_rules = [\"confirm-deletion\"]\n");
    place.profile(Profile::Dev);
    let deletions = |folder: &str| {
        let names: Vec<String> = (0..4).map(|n| format!("{folder}/old_report_{n}.txt")).collect();
        names.iter().for_each(|name| place.write(name, "a report that nothing reads any more\n"));
        let step = |(n, name): (usize, &String)| {
            json!({ "id": format!("s{n}"), "order": n + 1, "type": "file_delete", "target": name, "dependencies": [],
                "description": format!("delete {name}, which nothing reads since the reports moved") })
        };
        let steps: Vec<Value> = names.iter().enumerate().map(step).collect();
        place.submit(&plan(
            "FixBug",
            &format!("delete the four old reports in {folder}, which nothing reads"),
            json!(steps),
        ))
    };
    let plan = deletions("first");
    assert_eq!((plan.status, plan.notice), (Some(Status::AutoApproved), true), "{:?}", plan.gates);
    let run = place.execute(&id(&plan)).unwrap();
    let why = run.notice.expect("a notice");
    assert!(why.starts_with("no person was asked: risk "), "{why}");
    assert_eq!(place.app().show(&id(&plan)).unwrap().run.unwrap().notice.as_ref(), Some(&why));
    assert_eq!(place.app().status().unwrap().runs[0].notice.as_ref(), Some(&why));
    let begun = place.app().entries(None, None).unwrap().into_iter().find(|entry| entry.data.contains_key("notice"));
    assert_eq!(begun.and_then(|entry| entry.run_id).map(|run| run.to_string()), Some(run.run_id));
    // One that a person approved, and one of low risk, need none.
    place.profile(Profile::Safe);
    let asked = deletions("second");
    place.approve(&id(&asked)).unwrap();
    assert_eq!(place.execute(&id(&asked)).unwrap().notice, None);
}
