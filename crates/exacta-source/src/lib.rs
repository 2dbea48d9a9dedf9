//! Reads: code before and after a change. Bytes in, facts out; no IO, no clock.
//!
//! Each version of a file is parsed once and walked once ([`outline`]), without what both have in common ([`excerpt`]); what
//! differs between the two outlines is what the kernel is told ([`compare`]). A language is a table of its grammar's node names and a function that says what a declaration
//! declares ([`language`]). What a project holds, rather than what a change does, is read by [`Mapper`]. What cannot be parsed within the limits of [`limit`] is left to the kernel's reading of lines.

mod area;
mod compare;
mod excerpt;
mod grammar;
mod language;
mod limit;
mod map;
mod moved;
mod outline;
mod signature;

pub use map::{Definition, Map, Mapper};

use compare::Compared;
use exacta_kernel::diff::{ChangeKind, LineChange};
use exacta_kernel::facts::FileContent;
use exacta_kernel::facts::source::{FileFacts, SourceFacts};
use exacta_kernel::plan::{Effect, Plan};
use grammar::Grammar;
use language::Language;
use outline::Outline;
use tree_sitter::Parser;

/// Code longer than this, before and after and in all files together, is worth a second thread.
const LONG: usize = 1 << 16;

/// What the code of a plan's files tells, before and after.
#[must_use]
pub fn read(plan: &Plan) -> SourceFacts {
    facts(plan, Extent::Changed)
}

/// The same, from all of the code and not only from what changes: slower, and what [`read`] must agree with.
#[must_use]
pub fn read_whole(plan: &Plan) -> SourceFacts {
    facts(plan, Extent::Whole)
}

/// What of a file is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// What changes, with what it is in.
    Changed,
}

fn facts(plan: &Plan, extent: Extent) -> SourceFacts {
    let mut facts = SourceFacts::new();
    // Steps that share a file are judged together, too.
    read_effects(plan.wholes(), extent, &mut facts);
    read_effects(plan.effects(), extent, &mut facts);
    facts
}

fn read_effects(effects: &[Effect], extent: Extent, facts: &mut SourceFacts) {
    let changes: Vec<Vec<LineChange<'_>>> = effects.iter().map(Effect::line_changes).collect();
    let moved = moved::lines(&changes);
    let sources: Vec<Option<Source<'_>>> =
        effects.iter().zip(&changes).map(|(effect, lines)| Source::of(effect, lines)).collect();
    let mut files = read_all(&sources, extent);
    moved::declarations(effects, &mut files);
    for ((effect, code), moved_lines) in effects.iter().zip(files).zip(moved) {
        if code.is_some() || moved_lines > 0 {
            facts.insert(effect.key(), FileFacts { code: code.map(|code| code.facts), moved_lines });
        }
    }
}

/// Reads the sources, in their order; many of them on two threads.
fn read_all(sources: &[Option<Source<'_>>], extent: Extent) -> Vec<Option<Compared>> {
    let every_other = |first: usize| {
        let mut parser = Parser::new();
        let sources = sources.iter().skip(first).step_by(2);
        sources.map(|source| source.as_ref()?.read(&mut parser, extent)).collect::<Vec<_>>()
    };
    let all = || {
        let mut parser = Parser::new();
        sources.iter().map(|source| source.as_ref()?.read(&mut parser, extent)).collect()
    };
    let length: usize = sources.iter().flatten().map(|source| source.before.len() + source.after.len()).sum();
    if length <= LONG {
        return all();
    }
    std::thread::scope(|scope| {
        let Ok(odd) = std::thread::Builder::new().spawn_scoped(scope, || every_other(1)) else { return all() };
        let even = every_other(0);
        let mut odd = odd.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).into_iter();
        even.into_iter().flat_map(|even| [Some(even), odd.next()]).flatten().collect()
    })
}

/// A file of code before and after a step.
struct Source<'a> {
    language: Language,
    file: &'a str,
    before: &'a [u8],
    after: &'a [u8],
    lines: &'a [LineChange<'a>],
}

impl<'a> Source<'a> {
    fn of(effect: &'a Effect, lines: &'a [LineChange<'a>]) -> Option<Self> {
        if effect.is_overlong() {
            return None;
        }
        let before = effect.before.as_deref().map(FileContent::bytes).unwrap_or_default();
        let after = effect.after.as_deref().map(FileContent::bytes).unwrap_or_default();
        let language = language::of(effect.path.name(), before, after)?;
        Some(Self { language, file: effect.path.name(), before, after, lines })
    }

    /// What its code tells; none where it cannot be parsed, before or after.
    fn read(&self, parser: &mut Parser, extent: Extent) -> Option<Compared> {
        if !limit::allows(self.before) || !limit::allows(self.after) {
            return None;
        }
        parser.set_language(&Grammar::of(self.language).parser).ok()?;
        let changed = (extent == Extent::Changed).then(|| self.changed(parser)).flatten();
        changed.or_else(|| {
            let (old, new) = self.outlines(parser, self.before, self.after)?;
            Some(compare::compare(old.settled()?, new.settled()?))
        })
    }

    /// What the changed parts tell, if that is as much as the whole would.
    fn changed(&self, parser: &mut Parser) -> Option<Compared> {
        let (before, after) = excerpt::excerpt(self.language, self.before, self.after, self.lines)?;
        let (old, new) = self.outlines(parser, &before, &after)?;
        let sound = old.flawless && new.flawless && old.exports == new.exports && old.hidden == new.hidden;
        let compared = sound.then(|| Some(compare::compare(old.settled()?, new.settled()?))).flatten();
        compared.filter(|compared| !compared.doubtful)
    }

    fn outlines(&self, parser: &mut Parser, before: &[u8], after: &[u8]) -> Option<(Outline, Outline)> {
        let grammar = Grammar::of(self.language);
        let changed =
            |kind: ChangeKind| self.lines.iter().filter(move |line| line.kind == kind).map(|line| line.line).collect();
        let old = Outline::read(parser, grammar, self.file, before, changed(ChangeKind::Removed))?;
        let new = Outline::read(parser, grammar, self.file, after, changed(ChangeKind::Added))?;
        Some((old, new))
    }
}
