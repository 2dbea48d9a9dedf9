//! PV-4 and the protected folders: what a target may be called. That it is inside the project was checked when the plan
//! was sealed.

use super::Lookalike;
use crate::facts::Facts;
use crate::finding::{Code, Finding};
use crate::path::{RelPath, fold_part};
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Step};

pub(super) fn check(plan: &Plan, facts: &Facts, findings: &mut Vec<Finding>, lookalikes: &mut BTreeSet<Lookalike>) {
    let mut spellings = BTreeMap::new();
    for (index, step, path) in targets(plan) {
        let place = |finding: Finding| finding.in_step(&step.id).at(format!("/steps/{index}/target"));
        if let Err(error) = path.check_protected() {
            findings.push(place(error.into_finding()));
            continue;
        }
        if matches!(step.action, Action::FileCreate(_))
            && let Err(error) = path.check_new()
        {
            findings.push(place(error.into_finding()));
        }
        let folds = facts.get(&path).is_some_and(|fact| fact.folds);
        let mut others: Vec<String> = in_plan(&path, &mut spellings).into_iter().collect();
        others.extend(facts.get(&path).into_iter().flat_map(|fact| fact.lookalikes.iter().cloned()));
        for name in others {
            if folds {
                findings.push(place(same_file(&path, &name)));
            } else {
                lookalikes.insert(Lookalike { path: path.as_str().to_owned(), name });
            }
        }
    }
}

/// The file steps whose target is a path, in the order of the proposal.
pub(super) fn targets(plan: &Plan) -> impl Iterator<Item = (usize, &Step, RelPath)> {
    let steps = plan.proposal.steps.iter().enumerate().filter(|(_, step)| step.action.is_file());
    steps.filter_map(|(index, step)| RelPath::parse(&step.target).ok().map(|path| (index, step, path)))
}

/// The first other spelling that the plan has for this path or a folder it is in.
fn in_plan(path: &RelPath, spellings: &mut BTreeMap<String, String>) -> Option<String> {
    let text = path.as_str();
    let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
    let mut other = None;
    for part in ends.filter_map(|end| text.get(..end)) {
        let known = spellings.entry(fold_part(part)).or_insert_with(|| part.to_owned());
        if known != part && other.is_none() {
            other = Some(known.clone());
        }
    }
    other
}

fn same_file(path: &RelPath, name: &str) -> Finding {
    let name = crate::text::excerpt(name, 120);
    let message = format!("`{path}` and `{name}` are the same name to this file system");
    Finding::new(Code::Conflict, message, "use the spelling that is there already").at_path(path.as_str())
}
