//! What would have to change for a plan to be allowed: cases as data, every claim tried.

use crate::story::{fix, three_steps};
use crate::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// A project, its profile and configuration, and a proposal.
struct Case {
    name: String,
    world: World,
    plan: Value,
}

impl Case {
    fn read(path: PathBuf) -> Self {
        let case: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let world = World::begun();
        let files: BTreeMap<String, String> = serde_json::from_value(case["files"].clone()).unwrap();
        files.iter().for_each(|(path, text)| world.write(path, text));
        if let Some(config) = case["config"].as_str() {
            world.write(".exacta/config.toml", config);
        }
        if let Some(profile) = case["profile"].as_str() {
            world.run(&["profile", "set", profile, "--approver-key", &world.key()]).expect(0);
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        Self { name, world, plan: case["plan"].clone() }
    }

    fn all() -> Vec<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/explain");
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(Self::read).collect()
    }

    /// The same plan without some steps.
    fn without(&self, steps: &Value) -> Value {
        let gone: Vec<&Value> = steps.as_array().unwrap().iter().map(|step| &step["id"]).collect();
        let mut plan = self.plan.clone();
        let steps = plan["steps"].as_array_mut().unwrap();
        steps.retain(|step| !gone.contains(&&step["id"]));
        steps.iter_mut().zip(1..).for_each(|(step, order)| step["order"] = json!(order));
        plan
    }
}

#[test]
fn every_way_is_said_and_holds() {
    let cases = Case::all();
    assert!(cases.len() >= 12, "only {} cases", cases.len());
    for case in cases {
        let plan = case.plan.to_string();
        let said = case.world.pipe(&["policy", "explain", "-"], plan.as_bytes()).expect(0).out;
        insta::assert_snapshot!(format!("explain-{}", case.name), without_points(&said));
        let explained = case.world.pipe(&["policy", "explain", "-", "--json"], plan.as_bytes()).expect(0).json();
        let ways = &explained["ways"];
        if ways["profiles"][1]["in_force"] == false {
            case.world.run(&["profile", "set", "DEV", "--approver-key", &case.world.key()]).expect(0);
        }
        for without in ways["without"].as_array().unwrap() {
            let rest = case.without(&without["steps"]).to_string();
            let checked = case.world.pipe(&["check", "-", "--json"], rest.as_bytes()).expect(0).json();
            assert_eq!(checked["decision"], "allow", "{}: {without}", case.name);
            assert_eq!(
                (&checked["risk"]["score"], &checked["quality"]["score"]),
                (&without["risk"], &without["quality"])
            );
        }
        let whole = case.world.pipe(&["check", "-", "--json"], plan.as_bytes()).json();
        assert_eq!(whole["decision"], ways["profiles"][1]["decision"], "{}: under DEV", case.name);
    }
}

/// A plan of many steps is too large to try every pair, and still there is an answer that holds.
#[test]
fn many_steps() {
    let step = |at: usize| {
        json!({ "id": format!("s{at}"), "order": at, "type": "file_create", "target": format!("src/table_{at}.py"),
            "description": format!("Compute the table number {at} of the report"), "dependencies": [],
            "content": format!("def table_{at}():\n    return {at}\n") })
    };
    let steps: Vec<Value> = (1..=40).map(step).collect();
    let intent = json!({ "type": "AddFeature", "text": "Compute the tables of the report" });
    let plan = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps });
    let case = Case { name: "many".to_owned(), world: World::begun(), plan };
    case.world.run(&["profile", "set", "DEV", "--approver-key", &case.world.key()]).expect(0);
    let text = case.plan.to_string();
    let ways = case.world.pipe(&["policy", "explain", "-", "--json"], text.as_bytes()).expect(0).json()["ways"].take();
    let [without] = &ways["without"].as_array().unwrap()[..] else { panic!("{ways}") };
    let rest = case.without(&without["steps"]).to_string();
    assert_eq!(case.world.pipe(&["check", "-", "--json"], rest.as_bytes()).expect(0).json()["decision"], "allow");
}

/// Points of risk are frozen elsewhere, and change there.
fn without_points(text: &str) -> String {
    let mut pieces = text.split("risk ");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        shown += if rest.len() < piece.len() { "risk N" } else { "risk " };
        shown += rest;
    }
    shown
}

#[test]
fn a_stored_plan_is_explained_as_things_stand() {
    let world = World::begun();
    let plan = three_steps().to_string();
    let id = world.pipe(&["submit", "-", "--json"], plan.as_bytes()).expect(30).json()["plan_id"].clone();
    let stored = world.run(&["policy", "explain", id.as_str().unwrap(), "--json"]).expect(0).json();
    let text = world.pipe(&["policy", "explain", "-", "--json"], plan.as_bytes()).expect(0).json();
    assert_eq!(stored["ways"], text["ways"]);
    assert_eq!((&stored["plan_id"], &stored["status"]), (&id, &json!("pending")));
    assert!(stored.get("plan_hash").is_none(), "nothing is approved here");
    let mut vague = fix();
    vague["intent"]["text"] = json!("fix");
    vague["steps"][0]["description"] = json!("fix");
    // Words alone deny nothing: what the plan writes cannot run.
    let conflict = "<<<<<<< ours\nrate = 1\n=======\nrate = 2\n>>>>>>> theirs\n";
    let step = vague["steps"][0].as_object_mut().unwrap();
    step.retain(|name, _| !matches!(name.as_str(), "edits" | "diff"));
    for (name, value) in [("type", "file_create"), ("target", "src/rate.py"), ("content", conflict)] {
        step.insert(name.to_owned(), json!(value));
    }
    let denied = world.pipe(&["submit", "-"], vague.to_string().as_bytes()).expect(10);
    let command = denied.err.split('`').nth(1).unwrap().split(' ').skip(1).collect::<Vec<_>>();
    let why = world.run(&command).expect(0).out;
    assert!(why.contains("rejected") && why.contains("and it is no longer refused"), "{why}");
    world.run(&["policy", "explain", "0000-ffff"]).expect(2);
    world.run(&["policy", "explain", "no-such-file.json"]).expect(2);
}

#[test]
fn scores_alone() {
    let world = World::begun();
    let submitted = world.pipe(&["submit", "-", "--json"], three_steps().to_string().as_bytes()).expect(30).json();
    let id = submitted["plan_id"].as_str().unwrap();
    let shown = |args: &[&str]| world.run(&[&["show", id], args].concat()).expect(0).out;
    let (risk, quality, both) = (shown(&["--risk"]), shown(&["--quality"]), shown(&["--risk", "--quality"]));
    assert!(risk.contains("file operations") && !risk.contains("completeness"), "{risk}");
    assert!(quality.contains("completeness") && !quality.contains("file operations"), "{quality}");
    assert!(both.contains("file operations") && both.contains("completeness"), "{both}");
    assert!(!both.contains("\ngates\n") && !both.contains("+there"), "{both}");
    for factor in submitted["risk"]["factors"].as_array().unwrap() {
        for reason in factor["reasons"].as_array().unwrap() {
            assert!(reason["count"].is_u64() && reason["points"].is_u64(), "{reason}");
            for place in reason["places"].as_array().unwrap() {
                assert!(place["path"].is_string() && place["step"].is_string(), "{reason}");
                assert!(risk.contains(place["path"].as_str().unwrap()), "{reason} is not in {risk}");
            }
        }
    }
    let json = world.run(&["show", id, "--risk", "--json"]).expect(0).json();
    assert!(json["quality"].is_object(), "JSON holds everything");
}

#[test]
fn a_broken_project_configuration_is_not_blamed_on_the_safety_policy() {
    let world = World::begun();
    world.write(".exacta/config.toml", "ceilling = \"SAFE\"\n");
    let said = world.pipe(&["check", "-"], fix().to_string().as_bytes()).expect(10).err;
    assert!(said.contains("config.toml:1") && !said.contains("policy reset"), "{said}");
}
