//! Undo: only what an approver signed, and only all of it.

use super::scene::{Scene, run_id};
use exacta_kernel::approval::{Demand, verify};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{Completed, Transition, UndoRefused, permit_undo, permit_undo_of_effects};
use exacta_kernel::plan::Change;
use serde_json::{Value, json};
use std::sync::Arc;

fn completed(scene: &Scene) -> Completed {
    let changes = scene.plan.plan().changes().into_iter().map(|change| {
        let (before, after) = (FileState::of(change.before.as_deref()), FileState::of(change.after.as_deref()));
        (change.path, Transition { before, after })
    });
    Completed {
        run_id: RunId::parse(super::scene::OTHER).unwrap(),
        plan_id: scene.identity.plan_id.clone(),
        correlation_id: scene.identity.correlation_id.clone(),
        changes: changes.collect(),
    }
}

fn content(text: &str, mode: u32) -> Option<Arc<FileContent>> {
    Some(Arc::new(FileContent::new(text.as_bytes().to_vec(), mode)))
}

/// The reversal of everything, but for what a case says.
fn reversal(scene: &Scene, case: &Value) -> Vec<Change> {
    let path = |text: &Value| RelPath::parse(text.as_str().unwrap()).unwrap();
    let mut changes: Vec<Change> = scene.plan.plan().changes();
    for change in &mut changes {
        std::mem::swap(&mut change.before, &mut change.after);
        let of = |key: &str| case[key][change.path.as_str()].as_str();
        if let Some(text) = of("after") {
            change.after = content(text, 0o644);
        }
        if let Some(mode) = of("mode") {
            change.after = content("one\n", u32::from_str_radix(mode, 8).unwrap());
        }
        if let Some(text) = of("before") {
            change.before = content(text, 0o644);
        }
    }
    if case["drop"] == "all" {
        changes.clear();
    } else if case["drop"].is_string() {
        changes.retain(|change| change.path != path(&case["drop"]));
    }
    if case["add"].is_string() {
        let added = path(&case["add"]);
        let same = changes.iter().find(|change| change.path == added).cloned();
        changes.push(same.unwrap_or(Change { path: added, before: None, after: content("x", 0o644) }));
    }
    changes
}

#[test]
fn only_what_was_signed_and_all_of_it() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/spine/undo.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let mut scene = Scene::new();
        let completed = completed(&scene);
        let made_hash = scene.made_hash;
        let mut sign = case["sign"].clone();
        if sign["hash"] != "made" {
            scene.made_hash = completed.undo_hash().unwrap();
        }
        if sign.is_null() {
            sign = json!({});
        }
        let signed = scene.signed(&sign);
        let changes = reversal(&scene, case);
        let (project, plan_hash) = (&scene.project, completed.undo_hash().unwrap());
        let demand = Demand { project, plan_id: &completed.plan_id, plan_hash, now: scene.now };
        let answer = verify(&signed, &scene.approvers, &demand)
            .map_err(UndoRefused::from)
            .and_then(|approval| permit_undo(&completed, changes, approval, project, scene.now, run_id()));
        match answer {
            Ok(permit) => {
                assert_eq!(case["expect"], "permit", "{name}");
                let work = permit.into_work();
                assert_eq!(work.undoes(), Some(&completed.run_id));
                assert_eq!((work.run_id(), work.plan_id()), (&run_id(), &completed.plan_id));
                assert!(!work.is_automatic());
                assert_eq!(work.plan_hash(), completed.undo_hash().unwrap());
                assert_ne!(work.plan_hash(), made_hash, "an undo is not approved by the plan's approval");
                assert_eq!(work.changes().len(), 2);
                assert!(!work.is_outside(), "the executor of files undoes it");
            }
            Err(error) => {
                assert!(error.to_string().contains(case["expect"].as_str().unwrap()), "{name}: {error}");
            }
        }
    }
}

/// The hash to sign names the run, and what it did to each file.
#[test]
fn an_undo_is_signed_for_one_run() {
    let scene = Scene::new();
    let hash = completed(&scene).undo_hash().unwrap();
    let mut other = completed(&scene);
    other.run_id = run_id();
    assert_ne!(other.undo_hash().unwrap(), hash);
    let mut other = completed(&scene);
    other.changes.pop_first();
    assert_ne!(other.undo_hash().unwrap(), hash);
    let mut other = completed(&scene);
    let only = other.changes.values_mut().next().unwrap();
    std::mem::swap(&mut only.before, &mut only.after);
    assert_ne!(other.undo_hash().unwrap(), hash);
}

/// What was done outside the project is undone effect by effect: none left out, none added, none in another form.
#[test]
fn only_the_effects_that_were_performed_are_undone() {
    let mut scene = Scene::new();
    let work = super::permit::outside(&mut scene);
    let effects = work.effects().to_vec();
    let recorded: std::collections::BTreeMap<RelPath, Transition> = effects.iter().map(Transition::of).collect();
    let elsewhere = RelPath::parse("outbox/other.txt").unwrap();
    let absent = Transition { before: FileState::Absent, after: FileState::Absent };
    let in_another_form = recorded.keys().map(|path| (path.clone(), absent.clone())).collect();
    let with_another = recorded.clone().into_iter().chain([(elsewhere, absent)]).collect();
    let cases = [
        ("all", recorded.clone(), effects.clone(), true),
        ("one left out", recorded, Vec::new(), false),
        ("one that was not performed", std::collections::BTreeMap::new(), effects.clone(), false),
        ("one that left something else", in_another_form, effects.clone(), false),
        ("only some of them", with_another, effects, false),
    ];
    for (name, changes, effects, permitted) in cases {
        let completed = Completed { changes, ..completed(&scene) };
        scene.made_hash = completed.undo_hash().unwrap();
        let signed = scene.signed(&json!({}));
        let (project, plan_hash) = (&scene.project, scene.made_hash);
        let demand = Demand { project, plan_id: &completed.plan_id, plan_hash, now: scene.now };
        let approval = verify(&signed, &scene.approvers, &demand).unwrap();
        let expected = effects.len();
        match permit_undo_of_effects(&completed, effects, approval, project, scene.now, run_id()) {
            Ok(permit) => {
                assert!(permitted, "{name}");
                let work = permit.into_work();
                assert!(work.is_outside());
                assert_eq!((work.effects().len(), work.undoes()), (expected, Some(&completed.run_id)), "{name}");
            }
            Err(UndoRefused::NotRecorded(_)) => assert!(!permitted, "{name}"),
            Err(other) => panic!("{name}: {other}"),
        }
    }
}

/// An approval that was verified, but for something else or too long ago, undoes nothing: the permit asks for itself.
#[test]
fn a_verified_approval_counts_only_for_what_it_is_about() {
    let mut scene = Scene::new();
    let completed = completed(&scene);
    let made_hash = scene.made_hash;
    let undo_hash = completed.undo_hash().unwrap();
    let later = scene.now.plus_seconds(86_400);
    for (name, hash, now) in [("the plan itself", made_hash, scene.now), ("the undo, a day ago", undo_hash, later)] {
        scene.made_hash = hash;
        let signed = scene.signed(&json!({}));
        let demand = Demand { project: &scene.project, plan_id: &completed.plan_id, plan_hash: hash, now: scene.now };
        let approval = verify(&signed, &scene.approvers, &demand).unwrap();
        let changes = reversal(&scene, &json!({}));
        let answer = permit_undo(&completed, changes, approval, &scene.project, now, run_id());
        assert!(matches!(answer, Err(UndoRefused::NotApproved(_))), "{name}");
    }
}
