//! Clarity: can a person read what each step is for?

use super::words::{Worth, every};
use super::{View, in_step, issue, issue_at};
use crate::assess::Issue;
use crate::prelude::*;
use crate::proposal::Step;

/// The longest description that is still read, in characters.
const LONGEST: usize = 800;

pub(super) fn issues(view: &View<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    if every(&view.plan.proposal().intent.text).count() < 2 && view.plan.proposal().intent.text.is_ascii() {
        issues.push(issue(
            3000,
            "the request is less than a sentence",
            "write `intent.text` as a person would ask for it",
        ));
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for step in view.steps() {
        for (points, message, hint) in of_step(view, step) {
            issues.push(issue_at(view.share(points), message, hint, in_step(step)));
        }
        if !seen.insert(step.description.trim()) {
            issues.push(issue_at(
                view.share(5000),
                "another step has the same description",
                "say what is different in this one",
                in_step(step),
            ));
        }
    }
    issues
}

fn of_step(view: &View<'_>, step: &Step) -> Vec<(u32, &'static str, &'static str)> {
    let text = step.description.trim();
    let mut found = Vec::new();
    if text.is_ascii() {
        match every(text).count() {
            0 | 1 => found.push((
                6000,
                "the description is less than a sentence",
                "write one sentence: what is changed, and why",
            )),
            2 => found.push((2000, "the description is very short", "write one sentence: what is changed, and why")),
            _ => {}
        }
    }
    if view.worth(step) == Worth::Vague {
        found.push((
            4000,
            "the description does not tell what the step is for",
            "say what will be different afterwards",
        ));
    }
    if text.chars().count() > LONGEST {
        found.push((2000, "the description is too long to be read", "keep it to a few sentences"));
    }
    if is_garbled(text) {
        found.push((3000, "the description is hard to read", "write it in plain words"));
    }
    found
}

/// Mostly signs, or shouted.
fn is_garbled(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let signs = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    let shouted = letters > 12 && !text.chars().any(char::is_lowercase) && text.is_ascii();
    (text.chars().count() > 8 && signs * 2 > letters) || shouted
}
