//! Reads: code before and after a change. Bytes in, facts out; no IO, no clock.
//!
//! Each version of a file is parsed once and walked once ([`outline`]); what differs between the two outlines is what the
//! kernel is told ([`compare`]). A language is a table of its grammar's node names and a function that says what a declaration
//! declares ([`language`]). What cannot be parsed within the limits of [`limit`] is left to the kernel's reading of lines.

mod area;
mod compare;
mod grammar;
mod language;
mod limit;
mod moved;
mod outline;
mod signature;

use compare::Compared;
use exacta_kernel::diff::{ChangeKind, LineChange};
use exacta_kernel::facts::FileContent;
use exacta_kernel::facts::source::{FileFacts, SourceFacts};
use exacta_kernel::plan::{Effect, Plan};
use grammar::Grammar;
use outline::Outline;

/// What the code of a plan's files tells, before and after.
#[must_use]
pub fn read(plan: &Plan) -> SourceFacts {
    let changes: Vec<Vec<LineChange<'_>>> = plan.effects().iter().map(Effect::line_changes).collect();
    let moved = moved::lines(&changes);
    let read = |(effect, lines): (&Effect, &Vec<_>)| code(effect, lines);
    let mut files: Vec<Option<Compared>> = plan.effects().iter().zip(&changes).map(read).collect();
    moved::declarations(plan.effects(), &mut files);
    let mut facts = SourceFacts::new();
    for ((effect, code), moved_lines) in plan.effects().iter().zip(files).zip(moved) {
        if code.is_some() || moved_lines > 0 {
            facts.insert(effect, FileFacts { code: code.map(|code| code.facts), moved_lines });
        }
    }
    facts
}

/// What one file's code tells; none where it cannot be parsed, before or after.
fn code(effect: &Effect, lines: &[LineChange<'_>]) -> Option<Compared> {
    let before = effect.before.as_deref().map(FileContent::bytes).unwrap_or_default();
    let after = effect.after.as_deref().map(FileContent::bytes).unwrap_or_default();
    let language = language::of(effect.path.name(), before, after)?;
    let grammar = Grammar::of(language);
    let changed = |kind: ChangeKind| lines.iter().filter(move |line| line.kind == kind).map(|line| line.line).collect();
    let old = Outline::read(grammar, effect.path.name(), before, changed(ChangeKind::Removed))?;
    let new = Outline::read(grammar, effect.path.name(), after, changed(ChangeKind::Added))?;
    Some(compare::compare(old, new))
}
