//! What a plan's file steps add and remove, line by line; computed once for everything that looks at it.

use super::lexicon::{Lexicon, Marks};
use super::{Place, spelling};
use crate::diff::{ChangeKind, LineChange};
use crate::facts::FileContent;
use crate::facts::source::{CodeFacts, SourceFacts};
use crate::path::RelPath;
use crate::plan::{Effect, Plan};
use crate::prelude::*;
use crate::proposal::Step;
use crate::scan::source::Role;
use core::ops::Range;

/// One file step with its changed lines, or all steps on one file as one change.
#[derive(Debug, Clone)]
pub(crate) struct FileChange<'a> {
    /// The step; the last one of several that are judged together.
    pub step: &'a Step,
    /// The steps before it that are judged together with it.
    pub earlier: Vec<&'a Step>,
    /// The file.
    pub path: &'a RelPath,
    /// What it is for.
    pub role: Role,
    /// Its content before the step.
    pub before: Option<&'a FileContent>,
    /// Its content after the step.
    pub after: Option<&'a FileContent>,
    /// Its changed lines, in order.
    pub lines: Vec<LineChange<'a>>,
    /// Why to look at each of these lines, in the same order.
    marks: Vec<Marks>,
    /// The added lines in runs.
    pub added: Vec<Added<'a>>,
    /// What its code tells; none where it was not parsed, so that only lines do.
    pub code: Option<&'a CodeFacts>,
    /// The first added line that is too long to be read as code: its number and length.
    pub long_line: Option<(u64, usize)>,
    /// Added lines that another place of the plan lost.
    pub moved_lines: u64,
}

/// A run of added lines, as one piece of the new file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Added<'a> {
    /// The number of its first line.
    pub first_line: u64,
    /// Where it begins in the new file.
    pub start: usize,
    /// Its bytes, line feeds included.
    pub bytes: &'a [u8],
}

/// The added lines of a step in runs.
pub(super) fn added(effect: &Effect) -> Vec<Added<'_>> {
    let after = effect.after.as_deref().map_or(&[][..], FileContent::bytes);
    let run = |(first_line, place): (u64, Range<usize>)| Added {
        first_line,
        start: place.start,
        bytes: after.get(place).unwrap_or_default(),
    };
    effect.added_runs().into_iter().map(run).collect()
}

/// The plan's file steps in execution order.
pub(crate) fn of<'a>(plan: &'a Plan, source: &'a SourceFacts) -> Vec<FileChange<'a>> {
    let lexicon = Lexicon::new();
    let mut changes: Vec<_> = plan.effects().iter().filter_map(|effect| one(plan, effect, source, &lexicon)).collect();
    for change in &mut changes {
        // A mark that comes with one step and goes with another makes nothing a tool's work.
        if change.role == Role::Foreign
            && let Some(whole) = plan.wholes().iter().find(|whole| whole.path == *change.path)
        {
            change.role = crate::scan::source::role(change.path, whole.before.as_deref(), whole.after.as_deref());
        }
    }
    changes
}

/// The same plan as if every file changed in one step: what splitting a change would hide shows here. None where every file
/// does.
pub(crate) fn whole<'a>(
    plan: &'a Plan,
    source: &'a SourceFacts,
    steps: &[FileChange<'a>],
) -> Option<Vec<FileChange<'a>>> {
    if plan.wholes().is_empty() {
        return None;
    }
    let lexicon = Lexicon::new();
    let mut times: BTreeMap<&RelPath, Vec<&'a Step>> = BTreeMap::new();
    for change in steps {
        times.entry(change.path).or_default().push(change.step);
    }
    let once = |change: &&FileChange<'_>| times.get(change.path).is_some_and(|steps| steps.len() == 1);
    let mut changes: Vec<_> = steps.iter().filter(once).cloned().collect();
    for effect in plan.wholes() {
        if let Some(mut change) = one(plan, effect, source, &lexicon) {
            change.earlier = times.remove(&effect.path).unwrap_or_default();
            change.earlier.pop();
            changes.push(change);
        }
    }
    Some(changes)
}

fn one<'a>(plan: &'a Plan, effect: &'a Effect, source: &'a SourceFacts, lexicon: &Lexicon) -> Option<FileChange<'a>> {
    let step = plan.proposal().steps.get(effect.step)?;
    let (before, after) = (effect.before.as_deref(), effect.after.as_deref());
    let lines = effect.line_changes();
    let marks = lines.iter().map(|line| marks(lexicon, line.bytes)).collect();
    let facts = source.get(&effect.key());
    Some(FileChange {
        step,
        earlier: Vec::new(),
        path: &effect.path,
        role: crate::scan::source::role(&effect.path, before, after),
        before,
        after,
        lines,
        marks,
        added: added(effect),
        code: facts.and_then(|facts| facts.code.as_ref()),
        long_line: effect.long_line(),
        moved_lines: facts.map_or(0, |facts| facts.moved_lines),
    })
}

/// Why to look at a line, in whichever spelling.
fn marks(lexicon: &Lexicon, line: &[u8]) -> Marks {
    let plain = spelling::plain(line).map_or(0, |plain| lexicon.marks(plain.as_bytes()));
    lexicon.marks(line) | plain
}

impl<'a> FileChange<'a> {
    /// A place in this file.
    pub fn place(&self, line: impl Into<Option<u64>>) -> Place {
        Place { step: Some(self.step.id.clone()), path: Some(self.path.to_string()), line: line.into() }
    }

    /// What is said of the change, step by step.
    pub fn descriptions(&self) -> impl Iterator<Item = &'a str> {
        self.earlier.iter().copied().chain([self.step]).map(|step| step.description.as_str())
    }

    /// The lines that are new.
    pub fn added_lines(&self) -> impl Iterator<Item = &LineChange<'a>> + Clone {
        self.lines.iter().filter(|line| line.kind == ChangeKind::Added)
    }

    /// The changed lines with their marks.
    pub fn lines_with_marks(&self) -> impl Iterator<Item = (&LineChange<'a>, Marks)> {
        self.lines.iter().zip(self.marks.iter().copied())
    }

    /// The changed lines with one of these marks.
    pub fn marked(&self, wanted: Marks) -> impl Iterator<Item = &LineChange<'a>> {
        self.lines_with_marks().filter(move |(_, marks)| marks & wanted != 0).map(|(line, _)| line)
    }

    /// The added lines with one of these marks.
    pub fn marked_added(&self, wanted: Marks) -> impl Iterator<Item = &LineChange<'a>> {
        self.marked(wanted).filter(|line| line.kind == ChangeKind::Added)
    }

    /// The lines that go.
    pub fn removed_lines(&self) -> impl Iterator<Item = &LineChange<'a>> {
        self.lines.iter().filter(|line| line.kind == ChangeKind::Removed)
    }
}

impl<'a> Added<'a> {
    /// Finds line numbers for growing offsets.
    pub fn lines(&self) -> LineCounter<'a> {
        LineCounter { bytes: self.bytes, at: 0, line: self.first_line }
    }
}

/// Turns growing byte offsets into line numbers in one pass.
#[derive(Debug)]
pub(crate) struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl LineCounter<'_> {
    /// The line that holds this offset; offsets must not fall.
    pub fn at(&mut self, offset: usize) -> u64 {
        let passed = self.bytes.get(self.at..offset).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = self.at.max(offset);
        self.line
    }
}
