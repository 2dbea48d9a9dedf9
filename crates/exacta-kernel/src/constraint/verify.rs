//! A compiled check held against the part of the plan it covers.

use super::pattern::Pattern;
use super::{Check, State, api};
use crate::facts::FileContent;
use crate::facts::source::{CodeFacts, SourceFacts};
use crate::path::RelPath;
use crate::plan::{Content, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Domain, Step};
use crate::scan::{dependency, spelling};
use crate::text::excerpt;

/// The part of a plan that a constraint covers.
#[derive(Debug)]
pub(super) struct Subject<'p> {
    pub plan: &'p Plan,
    /// What its code tells.
    pub source: &'p SourceFacts,
    /// Only this step.
    pub step: Option<&'p Step>,
    /// Only these files.
    pub files: Option<Pattern>,
    /// The constraint speaks of the project's files, whatever the plan's domain.
    pub of_project: bool,
}

/// How a constraint stands, why, and where.
#[derive(Debug)]
pub(super) struct Answer {
    pub state: State,
    pub reason: String,
    pub step: Option<String>,
    pub path: Option<String>,
}

impl Answer {
    pub fn new(state: State, reason: impl Into<String>) -> Self {
        Self { state, reason: reason.into(), step: None, path: None }
    }

    fn met(reason: impl Into<String>) -> Self {
        Self::new(State::Met, reason)
    }

    fn at(state: State, reason: String, step: &str, path: &str) -> Self {
        Self { state, reason, step: Some(step.to_owned()), path: Some(path.to_owned()) }
    }

    fn violated(reason: String, step: &str, path: &str) -> Self {
        Self::at(State::Violated, reason, step, path)
    }
}

/// Whether the plan keeps the check.
pub(super) fn verify(check: &Check, subject: &Subject<'_>) -> Answer {
    if subject.plan.domain() != Domain::Files {
        return match check {
            Check::Avoid(_) => Answer::new(State::Unchecked, "only file plans can be searched"),
            _ if subject.of_project => Answer::met("the plan changes no file"),
            _ => Answer::new(State::Unchecked, "only file plans can be checked for this"),
        };
    }
    match check {
        Check::LeaveAlone(patterns) => leave_alone(patterns, subject),
        Check::Only(patterns) => only(patterns, subject),
        Check::NoDeletions(patterns) => no_deletions(patterns, subject),
        Check::NoNewDependencies => by_content(subject, "no package is added", no_new_dependency),
        Check::KeepApi => by_content(subject, "no public signature is removed or changed", keep_api),
        Check::Avoid(texts) => {
            by_content(subject, "no added line holds it", |change| texts.iter().find_map(|text| avoid(text, change)))
        }
    }
}

impl<'p> Subject<'p> {
    fn covers(&self, step: &Step) -> bool {
        self.step.is_none_or(|own| own.id == step.id)
    }

    /// The file steps it covers.
    fn steps(&self) -> impl Iterator<Item = &'p Step> {
        self.plan.proposal.steps.iter().filter(|step| step.action.is_file() && self.covers(step))
    }

    /// What its steps do to each file taken together, in the order of the paths.
    fn changes(&self) -> Vec<Touched<'p>> {
        let mut by_path: BTreeMap<&str, Touched<'p>> = BTreeMap::new();
        for effect in &self.plan.effects {
            let Some(step) = self.plan.proposal.steps.get(effect.step).filter(|step| self.covers(step)) else {
                continue;
            };
            let path = effect.path.as_str();
            if self.files.as_ref().is_some_and(|files| !files.may_cover(path)) {
                continue;
            }
            let (before, after) = (effect.before.as_ref(), effect.after.as_ref());
            let code = self.source.get(&effect.key()).and_then(|facts| facts.code.as_ref());
            let touched = match by_path.get(path) {
                // What was read belongs to one step.
                Some(earlier) => Touched { step: &step.id, after, code: None, ..*earlier },
                None => Touched { step: &step.id, path, before, after, code },
            };
            by_path.insert(path, touched);
        }
        by_path.into_values().collect()
    }
}

/// What happens to one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touched<'p> {
    /// The last step that does it.
    pub step: &'p str,
    pub path: &'p str,
    before: Option<&'p Content>,
    after: Option<&'p Content>,
    /// What its code tells, if one step changes it and it was parsed.
    code: Option<&'p CodeFacts>,
}

impl<'p> Touched<'p> {
    /// Its bytes before; none where there is no file.
    pub fn before(&self) -> &'p [u8] {
        self.before.map_or(&[], |content| FileContent::bytes(content))
    }

    /// Its bytes after; none where there is no file.
    pub fn after(&self) -> &'p [u8] {
        self.after.map_or(&[], |content| FileContent::bytes(content))
    }
}

fn leave_alone(patterns: &[Pattern], subject: &Subject<'_>) -> Answer {
    for step in subject.steps() {
        if let Some(pattern) = patterns.iter().find(|pattern| pattern.may_cover(&step.target)) {
            let reason = format!("a step touches what `{}` covers", excerpt(pattern.as_str(), 60));
            return Answer::violated(reason, &step.id, &step.target);
        }
    }
    match patterns.iter().find(|pattern| !pattern.is_certain()) {
        Some(doubtful) => doubt(doubtful),
        None => Answer::met("no step touches it"),
    }
}

fn doubt(pattern: &Pattern) -> Answer {
    Answer::new(State::Unchecked, format!("`{}` may be something else than a path", excerpt(pattern.as_str(), 60)))
}

fn only(patterns: &[Pattern], subject: &Subject<'_>) -> Answer {
    let outside = subject.steps().find(|step| !patterns.iter().any(|pattern| pattern.covers(&step.target)));
    match outside {
        Some(step) => Answer::violated("a step touches another path".to_owned(), &step.id, &step.target),
        None => Answer::met("no step touches another path"),
    }
}

fn no_deletions(patterns: &[Pattern], subject: &Subject<'_>) -> Answer {
    let filters = || patterns.iter().chain(&subject.files);
    let covered = |step: &&Step| {
        let named = patterns.is_empty() || patterns.iter().any(|pattern| pattern.may_cover(&step.target));
        named && subject.files.as_ref().is_none_or(|files| files.may_cover(&step.target))
    };
    let deletes = |step: &&Step| matches!(step.action, Action::FileDelete { .. });
    if let Some(step) = subject.steps().filter(deletes).find(covered) {
        return Answer::violated("a step deletes a file".to_owned(), &step.id, &step.target);
    }
    match filters().find(|pattern| !pattern.is_certain()) {
        Some(doubtful) => doubt(doubtful),
        None => Answer::met("no step deletes it"),
    }
}

/// A violation wins over a doubt, a doubt over what was found to be kept.
fn by_content<'p>(subject: &Subject<'p>, kept: &str, judge: impl Fn(&Touched<'p>) -> Option<Answer>) -> Answer {
    let mut doubt = None;
    for change in subject.changes() {
        match judge(&change) {
            Some(answer) if answer.state == State::Violated => return answer,
            Some(answer) => doubt = doubt.or(Some(answer)),
            None => {}
        }
    }
    if subject.plan.failures.is_empty() {
        return doubt.unwrap_or_else(|| Answer::met(kept));
    }
    Answer::new(State::Unchecked, "not every step could be turned into a change")
}

fn no_new_dependency(change: &Touched<'_>) -> Option<Answer> {
    let unchecked = |reason: String| Some(Answer::at(State::Unchecked, reason, change.step, change.path));
    let Ok(path) = RelPath::parse(change.path) else {
        return unchecked("this path cannot be read here".to_owned());
    };
    match dependency::added(&path, change.before(), change.after()) {
        dependency::Added::Nothing => None,
        dependency::Added::Package(name) => {
            let reason = format!("the package `{}` is added", excerpt(&name, 60));
            Some(Answer::violated(reason, change.step, change.path))
        }
        dependency::Added::Unknown(reason) => unchecked(excerpt(&reason, 200)),
    }
}

fn keep_api(change: &Touched<'_>) -> Option<Answer> {
    match api::lost(change.path, change.before(), change.after(), change.code) {
        api::Lost::Nothing => None,
        api::Lost::Signature(signature) => {
            let reason = format!("the public signature `{}` is removed or changed", excerpt(&signature, 80));
            Some(Answer::violated(reason, change.step, change.path))
        }
        api::Lost::Unknown => {
            let reason = "the public API of this kind of file cannot be read here".to_owned();
            Some(Answer::at(State::Unchecked, reason, change.step, change.path))
        }
    }
}

/// Lines that hold the text, in whichever spelling, and were not there before; counted, so that a moved line is not a new one.
fn avoid(text: &str, change: &Touched<'_>) -> Option<Answer> {
    let (was, is) = (spelling::plain_lines(change.before()), spelling::plain_lines(change.after()));
    let mut before: BTreeMap<&[u8], usize> = BTreeMap::new();
    for line in
        lines(change.before()).chain(was.iter().map(String::as_bytes)).filter(|line| holds(line, text.as_bytes()))
    {
        *before.entry(line).or_default() += 1;
    }
    for line in lines(change.after()).chain(is.iter().map(String::as_bytes)).filter(|line| holds(line, text.as_bytes()))
    {
        match before.get_mut(line) {
            Some(left) if *left > 0 => *left -= 1,
            _ => {
                let reason = format!("an added line holds `{}`", excerpt(text, 60));
                return Some(Answer::violated(reason, change.step, change.path));
            }
        }
    }
    None
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii)
}

/// Whether a line holds the text as a whole word: `eval` is in `eval(x)`, not in `medieval`.
fn holds(line: &[u8], text: &[u8]) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let (starts, ends) = (is_word(text.first()), is_word(text.last()));
    line.windows(text.len()).enumerate().any(|(at, window)| {
        window == text
            && !(starts && at.checked_sub(1).is_some_and(|before| is_word(line.get(before))))
            && !(ends && is_word(line.get(at + text.len())))
    })
}
