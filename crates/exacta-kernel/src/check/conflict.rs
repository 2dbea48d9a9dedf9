//! PS-2 and PS-3: steps that change the same file.

use super::graph::Graph;
use super::paths::targets;
use crate::finding::{Code, Finding};
use crate::path::RelPath;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Step};
use crate::text::excerpt;

/// A plan with more steps is refused for that; its steps are not compared with each other.
const MAX_COMPARED: usize = 256;

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    if plan.proposal.steps.len() > MAX_COMPARED {
        return;
    }
    let graph = Graph::new(&plan.proposal);
    for (path, mut steps) in by_path(plan) {
        steps.sort_by_key(|(index, step)| (step.order, *index));
        for pair in steps.windows(2) {
            let [(first, earlier), (second, later)] = pair else { continue };
            let found = between(&path, earlier, later, graph.depends(*second, *first));
            findings
                .extend(found.map(|it| it.in_step(&later.id).at_path(path.as_str()).at(format!("/steps/{second}"))));
        }
    }
    folders(plan, findings);
}

fn by_path(plan: &Plan) -> BTreeMap<RelPath, Vec<(usize, &Step)>> {
    let mut by_path: BTreeMap<RelPath, Vec<(usize, &Step)>> = BTreeMap::new();
    for (index, step, path) in targets(plan) {
        by_path.entry(path).or_default().push((index, step));
    }
    by_path
}

/// What is wrong between two steps that follow each other on one file.
fn between(path: &RelPath, earlier: &Step, later: &Step, ordered: bool) -> Option<Finding> {
    let other = excerpt(&earlier.id, 60);
    let deletes = |step: &Step| matches!(step.action, Action::FileDelete { .. });
    let creates = matches!(later.action, Action::FileCreate(_));
    match (deletes(earlier), deletes(later)) {
        (false, true) => Some(Finding::new(
            Code::DeleteConflict,
            format!("the step deletes `{path}`, which step `{other}` changes"),
            "either change the file or delete it",
        )),
        (true, false) if !creates => Some(Finding::new(
            Code::DeleteConflict,
            format!("the step changes `{path}`, which step `{other}` deletes"),
            "either change the file or delete it",
        )),
        _ if ordered => None,
        _ => Some(Finding::new(
            Code::Conflict,
            format!("step `{other}` changes `{path}` too, and this step does not depend on it"),
            format!("add `{other}` to the dependencies, or make it one step"),
        )),
    }
}

/// A path cannot be a new file and the folder of another target, unless that is deleted before.
fn folders(plan: &Plan, findings: &mut Vec<Finding>) {
    let created = targets(plan).filter(|(_, step, _)| matches!(step.action, Action::FileCreate(_)));
    let created: BTreeMap<String, &Step> = created.map(|(_, step, path)| (path.fold_key(), step)).collect();
    for (index, step, path) in targets(plan) {
        let key = path.fold_key();
        let folders = key.match_indices('/').filter_map(|(at, _)| key.get(..at));
        let deletes = matches!(step.action, Action::FileDelete { .. });
        let stays = |other: &&&Step| !deletes || step.order >= other.order;
        for other in folders.filter_map(|folder| created.get(folder)).filter(stays) {
            let message = format!("step `{}` makes a file of a folder that `{path}` is in", excerpt(&other.id, 60));
            let hint = "choose another name for one of them, or delete what is in the folder before";
            let finding = Finding::new(Code::Conflict, message, hint);
            findings.push(finding.in_step(&step.id).at_path(path.as_str()).at(format!("/steps/{index}/target")));
        }
    }
}
