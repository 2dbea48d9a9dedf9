//! Defects of the change itself that no words outweigh: each costs in several dimensions, so that it alone makes a plan
//! insufficient. Beside them stand the smaller losses that the dimensions count for the same defects.

use super::completeness::{hold, is_spoken};
use super::feasibility::malformed;
use super::safety::{is_assertion, is_skip, removes};
use super::specificity::blanks;
use super::words::{every, stem, telling};
use super::{View, in_step, issue_at, lack};
use crate::assess::{Extent, Issue};
use crate::plan::is_emptied;
use crate::prelude::*;
use crate::proposal::{Action, Domain, IntentKind};
use crate::scan::change::FileChange;
use crate::scan::source::Role;

/// Words that say that a test is kept from running on purpose.
const SKIPPING: &[&str] = &[
    "skip",
    "skips",
    "skipped",
    "skipping",
    "ignore",
    "ignores",
    "ignored",
    "disable",
    "disables",
    "disabled",
    "quarantine",
    "flaky",
    "xfail",
    "pending",
];
/// Contents that only hold a place, lower case and without signs.
const BLANKS: &[&str] = &["todo", "tbd", "tba", "wip", "fixme", "xxx", "placeholder", "coming soon", "content here"];

/// What the defects of a plan cost, by dimension.
#[derive(Default)]
pub(super) struct Costs {
    pub completeness: Vec<Issue>,
    pub specificity: Vec<Issue>,
    pub feasibility: Vec<Issue>,
    pub safety: Vec<Issue>,
}

impl Costs {
    /// The same defect in each dimension in which it costs something.
    fn add(&mut self, defect: &Issue, [completeness, specificity, feasibility, safety]: [u32; 4]) {
        let lists = [
            (&mut self.completeness, completeness),
            (&mut self.specificity, specificity),
            (&mut self.feasibility, feasibility),
            (&mut self.safety, safety),
        ];
        for (list, points) in lists {
            list.extend((points > 0).then(|| Issue { points, ..defect.clone() }));
        }
    }
}

pub(super) fn costs(view: &View<'_>) -> Costs {
    let mut costs = Costs::default();
    for change in view.changes {
        of_change(view, change, &mut costs);
    }
    for step in view.steps() {
        let (blank, all) = blanks(step);
        if blank > 1 && blank * 2 > all {
            let what = "most of what the step is given are placeholders";
            let points = [5000, 0, 4000, 0].map(|points| view.share(points));
            costs.add(&issue_at(0, what, "give the real values", in_step(step)), points);
        }
    }
    if view.extent == Extent::Whole && view.plan.proposal().domain() == Domain::Files {
        of_plan(view, &mut costs);
    }
    costs
}

/// What makes one file unusable.
fn of_change(view: &View<'_>, change: &FileChange<'_>, costs: &mut Costs) {
    if let Some(line) = conflict(change) {
        let what = "a merge conflict stands where code should be";
        costs.add(&issue_at(0, what, "resolve the conflict", change.place(line)), [5000, 6000, 0, 0]);
    }
    // Deno reads JSON with trailing commas, too.
    if change.role == Role::Manifest && change.path.name() != "deno.json" && malformed(change).is_some() {
        let what = "nothing can be built or installed: no tool can read the project file any more";
        costs.add(&issue_at(0, what, "correct its syntax", change.place(None)), [8000, 0, 5000, 0]);
    }
    if is_gutted(view, change) {
        let what = "takes out nearly all code of the file, puts nothing in its place and does not say why";
        let hint = "keep the code, or say in the description what goes, and why";
        costs.add(&issue_at(0, what, hint, change.place(None)), [4000, 0, 10_000, 4000]);
    }
    if is_blank(change) {
        let what = "the file holds nothing but a placeholder";
        let points = [0, 6000, 6000, 0].map(|points| view.share(points));
        costs.add(&issue_at(0, what, "write its content, or leave the file out", change.place(1)), points);
    }
}

/// The first mark of a conflict, where all three are added to something that runs or is read by a tool.
fn conflict(change: &FileChange<'_>) -> Option<u64> {
    if matches!(change.role, Role::Docs | Role::Test | Role::Asset) {
        return None;
    }
    let first = |start: &[u8]| change.added_lines().find(|line| line.bytes.starts_with(start)).map(|line| line.line);
    let middle = change.added_lines().any(|line| line.bytes.trim_ascii_end() == b"=======");
    let (ours, theirs) = (first(b"<<<<<<< ")?, first(b">>>>>>> ")?);
    (middle && ours < theirs).then_some(ours)
}

/// Whether code goes from a file, almost all of it, while no word says so and the plan writes little elsewhere.
fn is_gutted(view: &View<'_>, change: &FileChange<'_>) -> bool {
    let gone = change.removed_lines().count();
    let come: usize = view.changes.iter().map(|change| change.added_lines().count()).sum();
    change.role == Role::Source
        && gone >= 40
        && come * 2 < gone
        && is_emptied(change.before, change.after)
        && !change.descriptions().any(removes)
        && !removes(&view.plan.proposal().intent.text)
}

/// Whether a file that people wrote holds nothing but a word for what is to come.
fn is_blank(change: &FileChange<'_>) -> bool {
    let Some(text) = change.after.and_then(|after| core::str::from_utf8(after.bytes()).ok()) else { return false };
    if matches!(change.role, Role::Test | Role::Foreign) || text.len() > 4000 {
        return false;
    }
    let words: Vec<String> = every(text).collect();
    let whole = words.join(" ");
    BLANKS.contains(&whole.as_str()) || whole.starts_with("lorem ipsum")
}

/// What makes a plan one for something else.
fn of_plan(view: &View<'_>, costs: &mut Costs) {
    if !view.changes.is_empty() && view.plan.changes().is_empty() {
        let what = "nothing of what was asked is there afterwards";
        costs.add(&lack(0, what, "leave out the steps that undo each other"), [10_000, 0, 0, 0]);
    }
    if is_unrelated(view) {
        let what = "the plan touches none of the files that the request names, and nothing in it speaks of them";
        let hint = "change the files that the request names, or correct `intent.target`";
        costs.add(&lack(0, what, hint), [6000, 5000, 0, 0]);
    }
    match view.plan.proposal().intent.kind {
        IntentKind::FixBug if is_hushed(view) => {
            let what = "nothing is fixed: tests only check less than before, and no word says so";
            let hint = "correct the code, or say in the description which test is skipped, and why";
            costs.add(&lack(0, what, hint), [10_000, 0, 0, 6000]);
        }
        IntentKind::BuildPackage if !is_packaged(view) => {
            let hint = "add a step of type `build`, or make it a plan of another intent";
            costs.add(&lack(0, "code changes, and no package can come of it", hint), [0, 0, 7000, 0]);
        }
        _ => {}
    }
}

/// Whether the request names files, none of which is touched, and no word, path or changed line has to do with it.
fn is_unrelated(view: &View<'_>) -> bool {
    let intent = &view.plan.proposal().intent;
    let touched = |file: &String| view.changes.iter().any(|change| change.path.as_str() == file.as_str());
    if intent.files.is_empty() || view.changes.is_empty() || intent.files.iter().any(touched) {
        return false;
    }
    let stems = intent.files.iter().filter_map(|file| file.rsplit('/').next()?.split('.').next());
    let texts = stems.chain(intent.symbols.iter().map(String::as_str)).chain([intent.text.as_str()]);
    let asked: BTreeSet<String> = texts.flat_map(|text| telling(text).map(|word| stem(&word).to_owned())).collect();
    let changed = view.changes.iter().flat_map(|change| &change.lines).map(|line| line.bytes);
    !asked.iter().any(|word| is_spoken(view, word)) && !hold(changed, &asked)
}

/// Whether tests alone change, and only so that they check less: skipped, or without assertions that they had.
fn is_hushed(view: &View<'_>) -> bool {
    let proposal = view.plan.proposal();
    let says = |text: &str| removes(text) || every(text).any(|word| SKIPPING.contains(&word.as_str()));
    let said = says(&proposal.intent.text) || view.steps().iter().any(|step| says(&step.description));
    if said || !view.changes.iter().all(|change| change.role == Role::Test && change.after.is_some()) {
        return false;
    }
    let mut added = view.changes.iter().flat_map(FileChange::added_lines).map(|line| line.bytes);
    let mut removed = view.changes.iter().flat_map(FileChange::removed_lines);
    let skips = added.clone().any(is_skip);
    added.all(|line| is_skip(line) || is_filling(line)) && (skips || removed.any(|line| is_assertion(line.bytes)))
}

/// Blank lines, comments, imports and `pass`: nothing that checks anything.
fn is_filling(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let starts = [&b"//"[..], b"#", b"*", b"/*", b"import ", b"from ", b"use "];
    line.is_empty() || line == b"pass" || starts.iter().any(|start| line.starts_with(start))
}

/// Whether a plan to build touches what packaging is about, or leaves code alone.
fn is_packaged(view: &View<'_>) -> bool {
    view.changes.iter().any(|change| matches!(change.role, Role::Config | Role::Manifest))
        || view.steps().iter().any(|step| step.action == Action::Build)
        || !view.changes.iter().any(|change| change.role == Role::Source)
}
