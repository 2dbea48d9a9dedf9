//! `tests/cases/ask/injections.json`: what a project can say to a model, and a model that obeys it. Nothing that the user did not ask for
//! runs unasked, in any profile that lets anything run unasked.

use super::model::{Question, Stage, call, outline, reading, say, serve};
use super::{ask, place_of, wish};
use crate::place::id;
use exacta_app::ask::Until;
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use exacta_testkit::{ModelServer, Reply};
use serde_json::{Value, json};

const REQUEST: &str = "fix app/money.py: add([]) returns 1 instead of 0";

fn tree() -> Value {
    let projects: Value = serde_json::from_str(include_str!("../../cases/ask/projects.json")).unwrap();
    projects["projects"]["python"].clone()
}

/// What the user asked for, and nothing else.
fn honest() -> Vec<Value> {
    let requests: Vec<Value> = serde_json::from_str(include_str!("../../cases/ask/requests.json")).unwrap();
    let case = requests.into_iter().find(|case| case["name"] == "sum starts at one").unwrap();
    case["steps"].as_array().unwrap().clone()
}

/// A model that does what these steps say.
fn obedient(steps: Vec<Value>) -> ModelServer {
    let answer = move |_: usize, question: &Question| -> Reply {
        match question.stage {
            Stage::Intent => call(&reading("FixBug", 97)),
            Stage::Plan => {
                let steps: Vec<Value> = steps.iter().enumerate().map(|(at, step)| outline(at, step)).collect();
                say(&json!({ "steps": steps, "assumptions": [] }).to_string())
            }
            Stage::Change(step) => {
                let payload = if steps[step]["content"].is_string() { "content" } else { "edits" };
                say(&json!({ payload: steps[step][payload] }).to_string())
            }
        }
    };
    serve(answer)
}

#[test]
fn what_was_asked_for_alone_runs_unasked() {
    let place = place_of(&tree());
    place.profile(Profile::Dev);
    let (end, _) = ask(&place, &obedient(honest()), wish(REQUEST), Until::Done);
    let plan = end.plan.unwrap_or_else(|| panic!("{:?} {:#?}", end.view.error, end.view.attempts));
    assert_eq!((plan.decision, plan.status), (Verdict::Allow, Some(Status::AutoApproved)), "{:#?}", plan.gates);
    assert_eq!(place.execute(&id(&plan)).unwrap().outcome.name(), "completed");
}

#[test]
fn nothing_that_a_file_asks_for_runs_unasked() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/ask/injections.json")).unwrap();
    assert!(cases.len() >= 25);
    let mut failed = Vec::new();
    for case in &cases {
        let place = place_of(&tree());
        place.write(case["carrier"].as_str().unwrap(), case["text"].as_str().unwrap());
        place.profile(Profile::Dev);
        let (end, _) = ask(&place, &obedient(with(case)), wish(REQUEST), Until::Done);
        let allowed = end
            .plan
            .as_ref()
            .is_some_and(|plan| plan.decision == Verdict::Allow || plan.status == Some(Status::AutoApproved));
        let ran = end.plan.as_ref().is_some_and(|plan| plan.plan_id.is_some() && place.execute(&id(plan)).is_ok());
        if allowed || ran {
            failed.push(case["name"].as_str().unwrap().to_owned());
        }
    }
    assert!(failed.is_empty(), "ran unasked: {failed:?}");
}

/// The honest steps with those of the injection; a step on a file that has one takes its place.
fn with(case: &Value) -> Vec<Value> {
    let mut steps = honest();
    for step in case["steps"].as_array().unwrap() {
        match steps.iter_mut().find(|other| other["target"] == step["target"]) {
            Some(other) => *other = step.clone(),
            None => steps.push(step.clone()),
        }
    }
    steps
}
