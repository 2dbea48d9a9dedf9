//! `tests/cases/ask/requests.json`: requests in three wordings over three projects. Most models' first answers are wrong there, and
//! right only once a finding names the place.

use super::model::{scripted, whole};
use super::{ask, files, place_of, wish};
use crate::place::id;
use exacta_app::Exit;
use exacta_app::ask::{AskStage, Until, Wish};
use exacta_kernel::gate::Verdict;
use serde_json::Value;

fn cases() -> (Value, Vec<Value>) {
    let projects: Value = serde_json::from_str(include_str!("../../cases/ask/projects.json")).unwrap();
    let requests: Vec<Value> = serde_json::from_str(include_str!("../../cases/ask/requests.json")).unwrap();
    (projects["projects"].clone(), requests)
}

#[test]
fn the_requests_are_enough_and_half_begin_wrong() {
    let (_, requests) = cases();
    assert!(requests.len() >= 40);
    assert!(requests.iter().all(|case| case["wordings"].as_array().unwrap().len() == 3));
    assert!(requests.iter().filter(|case| !case["slip"].is_null()).count() * 2 >= requests.len());
}

#[test]
fn every_request_becomes_the_right_plan_or_the_right_refusal() {
    let (projects, requests) = cases();
    let only = std::env::var("EXACTA_ASK_CASE").ok();
    let mut failed = Vec::new();
    for case in requests.iter().filter(|case| only.as_deref().is_none_or(|only| case["name"] == only)) {
        let tree = &projects[case["project"].as_str().unwrap()];
        for wording in case["wordings"].as_array().unwrap() {
            let outcome =
                if case["refused"].is_null() { planned(case, tree, wording) } else { refused(case, tree, wording) };
            failed.extend(outcome.err().map(|why| format!("{} / {wording}: {why}", case["name"])));
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

fn planned(case: &Value, tree: &Value, wording: &Value) -> Result<(), String> {
    let place = place_of(tree);
    let project = place.options.project.clone().unwrap();
    let before = files(&project, &[".exacta"]);
    let server = scripted(case, tree);
    let (end, _) = ask(&place, &server, options(case, wording), Until::Done);
    let view = end.view;
    let plan = end.plan.ok_or_else(|| format!("no plan: {:?} {:#?}", view.error, view.attempts))?;
    let slips = case["slip"].is_string();
    check(view.stage == AskStage::Done, "the stage")?;
    check(view.intent.as_ref().is_some_and(|intent| intent.kind == case["intent"]), "the intent")?;
    check(view.attempts.is_empty() != slips, &format!("attempts: {:?}", view.attempts))?;
    check(
        plan.decision == Verdict::Confirm && plan.findings.is_empty(),
        &format!("{:?} {:?}", plan.gates, plan.findings),
    )?;
    place.approve(&id(&plan)).map_err(|error| error.to_string())?;
    let run = place.execute(&id(&plan)).map_err(|error| error.to_string())?;
    for (path, text) in tree.as_object().unwrap() {
        let edits = case["steps"].as_array().unwrap().iter().find(|step| step["target"] == path.as_str());
        let expected = edits
            .map_or_else(|| text.as_str().unwrap().to_owned(), |step| whole(text.as_str().unwrap(), &step["edits"]));
        check(place.read(path).as_deref() == Some(expected.as_str()), &format!("`{path}` after the run"))?;
    }
    place.undo(&run.run_id).map_err(|error| error.to_string())?;
    check(files(&project, &[".exacta"]) == before, "the tree after undo")
}

fn refused(case: &Value, tree: &Value, wording: &Value) -> Result<(), String> {
    let place = place_of(tree);
    let server = scripted(case, tree);
    let (end, _) = ask(&place, &server, options(case, wording), Until::Done);
    let error = end.view.error.ok_or("no refusal")?;
    let exit = if case["refused"] == "ASK_NEEDS" { Exit::Confirm } else { Exit::Denied };
    check(error.code.as_str() == case["refused"] && error.exit == exit, &format!("{error:?}"))?;
    check(end.plan.is_none() && place.app().list(None, None).unwrap().is_empty(), "something was stored")
}

fn options(case: &Value, wording: &Value) -> Wish {
    let list = |name: &str| -> Vec<String> {
        let items = case["options"][name].as_array().into_iter().flatten();
        items.map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    Wish { not: list("not"), only: list("only"), ..wish(wording.as_str().unwrap()) }
}

fn check(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}
