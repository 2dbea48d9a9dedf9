//! A plan: a proposal whose effects are known to the byte.
//!
//! [`crate::seal`] makes it. Whatever form a file change arrived in, a plan holds the exact before and after of every
//! target; those are hashed, shown, approved and written. Ids, binding and expiry are added by [`crate::binding`].

use crate::diff::{self, Comparison, LineChange, Piece};
use crate::facts::source::ChangeKey;
use crate::facts::{FileContent, FileState};
use crate::finding::Finding;
use crate::hash::Digest;
use crate::path::RelPath;
use crate::prelude::*;
use crate::proposal::{Domain, Proposal, Step};
use alloc::sync::Arc;
use core::cell::OnceCell;
use core::ops::Range;

/// A file's content, shared between the stages.
pub type Content = Arc<FileContent>;

/// The most lines that come, and that go, in one step and are looked at one by one.
pub const MOST_LINES: usize = 1 << 16;

/// The longest line that is read as code, in bytes. No person writes one, and no person reads one.
pub const LONGEST_LINE: usize = 10_000;

/// A proposal with its exact effects, not yet validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub(crate) proposal: Proposal,
    /// One per file step that could be turned into bytes, in execution order.
    pub(crate) effects: Vec<Effect>,
    /// One per file that several steps change and that does not end as it began: what they do together, in the order of paths.
    pub(crate) wholes: Vec<Effect>,
    /// Why the other file steps could not be.
    pub(crate) failures: Vec<Finding>,
    pub(crate) content_hash: Digest,
    /// Whether it adopts what lies in the work tree already.
    pub(crate) adopts: bool,
}

/// What one file step does: the exact content before it and after it.
#[derive(Debug, Clone)]
pub struct Effect {
    /// Index into the proposal's steps.
    pub step: usize,
    /// The file.
    pub path: RelPath,
    /// Its content before this step; `None` where there is no file.
    pub before: Option<Content>,
    /// Its content after this step; `None` where the file is deleted.
    pub after: Option<Content>,
    comparison: OnceCell<Comparison>,
}

/// What it does is all that counts, not whether somebody looked at it before.
impl PartialEq for Effect {
    fn eq(&self, other: &Self) -> bool {
        (self.step, &self.path, &self.before, &self.after) == (other.step, &other.path, &other.before, &other.after)
    }
}

impl Eq for Effect {}

impl Effect {
    pub(crate) const fn new(step: usize, path: RelPath, before: Option<Content>, after: Option<Content>) -> Self {
        Self { step, path, before, after, comparison: OnceCell::new() }
    }

    /// What names it among the facts that were read from source.
    #[must_use]
    pub fn key(&self) -> ChangeKey {
        let hash = |content: &Option<Content>| content.as_ref().map(|content| content.sha256());
        ChangeKey { path: self.path.clone(), before: hash(&self.before), after: hash(&self.after) }
    }

    /// The lines that come and go, as far as they are looked at one by one: the first [`MOST_LINES`] of each.
    #[must_use]
    pub fn line_changes(&self) -> Vec<LineChange<'_>> {
        self.comparison().line_changes(self.before.as_deref(), self.after.as_deref(), MOST_LINES)
    }

    /// Whether more lines come or go than are looked at one by one, so that only a person can judge it.
    #[must_use]
    pub fn is_overlong(&self) -> bool {
        let (added, removed) = self.lines();
        added.max(removed) > MOST_LINES as u64
    }

    /// The first added line that is too long to be read as code, so that only a person can judge it: its number and length.
    #[must_use]
    pub fn long_line(&self) -> Option<(u64, usize)> {
        let after = self.after.as_deref().map(FileContent::bytes).filter(|after| after.len() > LONGEST_LINE)?;
        self.added_runs().into_iter().find_map(|(first, place)| {
            let lengths = after.get(place).unwrap_or_default().split(|byte| *byte == b'\n').map(<[u8]>::len);
            (first..).zip(lengths).find(|(_, length)| *length > LONGEST_LINE)
        })
    }

    /// The change as it is shown.
    #[must_use]
    pub fn render(&self) -> String {
        diff::render_compared(&self.path, self.before.as_deref(), self.after.as_deref(), || self.comparison())
    }

    /// How many lines of text come and go, as [`Effect::render`] shows them.
    #[must_use]
    pub fn stat(&self) -> (u64, u64) {
        let binary = [&self.before, &self.after].into_iter().flatten().any(|content| content.is_binary());
        if binary { (0, 0) } else { self.lines() }
    }

    /// How many hunks [`Effect::render`] shows; none of what is not text.
    #[must_use]
    pub fn hunks(&self) -> usize {
        let binary = [&self.before, &self.after].into_iter().flatten().any(|content| content.is_binary());
        if binary { 0 } else { diff::hunks(self.comparison()) }
    }

    /// What the file would be with only these of the hunks that are shown, counted from 1; none for what is created or deleted.
    #[must_use]
    pub fn with_hunks(&self, chosen: &BTreeSet<usize>) -> Option<FileContent> {
        let (before, after) = (self.before.as_deref()?, self.after.as_deref()?);
        Some(diff::with_hunks(before, after, self.comparison(), chosen))
    }

    /// How many lines come and go, of text or not.
    pub(crate) fn lines(&self) -> (u64, u64) {
        self.comparison().stat()
    }

    /// The added lines in runs: the number of the first, and where they are in the new content, line feeds included.
    pub(crate) fn added_runs(&self) -> Vec<(u64, Range<usize>)> {
        self.comparison().added_runs(self.after.as_deref().map_or(&[][..], FileContent::bytes))
    }

    /// How the content after it is put together.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        self.comparison().pieces(self.before.as_deref(), self.after.as_deref())
    }

    /// Worked out when first asked for, and only once.
    fn comparison(&self) -> &Comparison {
        self.comparison.get_or_init(|| Comparison::of(self.before.as_deref(), self.after.as_deref()))
    }
}

/// For every path that several of these effects change: the first before, the last after and the last step.
pub(crate) fn wholes(effects: &[Effect]) -> Vec<Effect> {
    let mut by_path: BTreeMap<&RelPath, Vec<&Effect>> = BTreeMap::new();
    for effect in effects {
        by_path.entry(&effect.path).or_default().push(effect);
    }
    let whole = |steps: Vec<&Effect>| match steps.as_slice() {
        [first, .., last] if first.before != last.after => {
            Some(Effect::new(last.step, last.path.clone(), first.before.clone(), last.after.clone()))
        }
        _ => None,
    };
    by_path.into_values().filter_map(whole).collect()
}

/// What a whole plan does to one target: its first before and its last after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: RelPath,
    /// Its content before the run.
    pub before: Option<Content>,
    /// Its content after the run.
    pub after: Option<Content>,
}

impl Change {
    /// Whether the file stays and keeps nothing, or almost nothing, of what was in it: as good as a deletion.
    #[must_use]
    pub fn is_emptied(&self) -> bool {
        is_emptied(self.before.as_deref(), self.after.as_deref())
    }
}

/// [`Change::is_emptied`] of one content and another: nothing but blanks is left, or less than a tenth of the lines or bytes of
/// a file that had more than a few.
pub(crate) fn is_emptied(before: Option<&FileContent>, after: Option<&FileContent>) -> bool {
    /// Shorter files are rewritten, not emptied.
    const LINES: usize = 20;
    const BYTES: usize = 200;
    let (Some(before), Some(after)) = (before, after) else { return false };
    let (before, after) = (before.bytes().trim_ascii(), after.bytes().trim_ascii());
    let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() + 1;
    let fewer_lines = || lines(before) >= LINES && lines(after) * 10 < lines(before);
    let fewer_bytes = before.len() >= BYTES && after.len() * 10 < before.len();
    !before.is_empty() && (after.is_empty() || fewer_bytes || fewer_lines())
}

impl Plan {
    /// What was proposed.
    #[must_use]
    pub const fn proposal(&self) -> &Proposal {
        &self.proposal
    }

    /// The steps in execution order, with their index in the proposal.
    #[must_use]
    pub fn ordered_steps(&self) -> Vec<(usize, &Step)> {
        let mut steps: Vec<_> = self.proposal.steps.iter().enumerate().collect();
        steps.sort_by_key(|(index, step)| (step.order, *index));
        steps
    }

    /// What each file step does, in execution order.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// What several steps do to one file together, by the last of them: a change is judged in its parts and as a whole, so that
    /// splitting it hides nothing.
    #[must_use]
    pub fn wholes(&self) -> &[Effect] {
        &self.wholes
    }

    /// Why the file steps without an effect could not be turned into bytes.
    #[must_use]
    pub fn failures(&self) -> &[Finding] {
        &self.failures
    }

    /// What the plan does to each target, sorted by path. Files that end as they began are left out.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let mut by_path: BTreeMap<&RelPath, Change> = BTreeMap::new();
        for effect in &self.effects {
            by_path.entry(&effect.path).and_modify(|change| change.after.clone_from(&effect.after)).or_insert_with(
                || Change { path: effect.path.clone(), before: effect.before.clone(), after: effect.after.clone() },
            );
        }
        by_path.into_values().filter(|change| change.before != change.after).collect()
    }

    /// The files the plan touches, sorted, as written in the proposal.
    #[must_use]
    pub fn target_files(&self) -> Vec<String> {
        let files = self.proposal.steps.iter().filter(|step| step.action.is_file()).map(|step| step.target.clone());
        files.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The state every target is expected in when the run starts: as it is before, or, where it is adopted, as it is after.
    #[must_use]
    pub fn expected_states(&self) -> BTreeMap<RelPath, FileState> {
        let mut states = BTreeMap::new();
        for effect in &self.effects {
            if self.adopts {
                states.insert(effect.path.clone(), FileState::of(effect.after.as_deref()));
            } else {
                states.entry(effect.path.clone()).or_insert_with(|| FileState::of(effect.before.as_deref()));
            }
        }
        states
    }

    /// Whether it adopts what lies in the work tree already, so that nothing is written.
    #[must_use]
    pub const fn adopts(&self) -> bool {
        self.adopts
    }

    /// SHA-256 of the proposal with each file payload replaced by its before and after: the same on every machine.
    #[must_use]
    pub const fn content_hash(&self) -> Digest {
        self.content_hash
    }

    /// The domain it acts in.
    #[must_use]
    pub const fn domain(&self) -> Domain {
        self.proposal.domain()
    }
}
