//! A reviewer's words go back to the model that made a plan: the next version, and what changed between the two.

use super::intent::Reading;
use super::session::Session;
use super::view::{IntentView, TargetView};
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::diff;
use exacta_kernel::facts::FileContent;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::{Change, Content, Plan};
use exacta_kernel::proposal::{Constraint, IntentKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a reviewer wants different.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The plan.
    pub plan: PlanId,
    /// In the reviewer's words.
    pub words: String,
    /// Where, as `PATH:LINE`.
    pub places: Vec<String>,
    kind: IntentKind,
    confidence: u32,
    /// The request that the plan answers.
    pub(super) text: String,
    pub(super) constraints: Vec<Constraint>,
    named: BTreeSet<String>,
    /// The plan as it is, as a reviewer sees it.
    shown: String,
    /// The provider whose model made it.
    pub provider: String,
}

/// What became of one file between two versions of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionChange {
    /// The file.
    pub path: String,
    /// `same`, `changed`, `added` or `dropped`.
    pub change: &'static str,
    /// From what the older version makes of the file to what the newer one does, where both change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl App {
    /// A reviewer's words about a plan that a model of ours made; `None` for a plan from outside, whose proposer has to answer.
    ///
    /// # Errors
    /// If there is no such plan, or its text was not kept.
    pub fn revision(&self, id: &PlanId, words: &str, places: &[String]) -> Result<Option<Revision>, Error> {
        self.authorize_for(Act::Answer, id)?;
        let record = self.record(id)?;
        let identity = crate::stored::identity(&record)?;
        let (Some(asked), Some(text)) = (&identity.binding.asked, &record.proposal) else { return Ok(None) };
        let proposal = parse::parse_kept(text).map_err(|_| crate::stored::tampered(id))?;
        let current = self.current(id)?;
        let shown = current.evaluation.plan().map(shown).unwrap_or_default();
        Ok(Some(Revision {
            plan: id.clone(),
            words: words.to_owned(),
            places: places.to_vec(),
            kind: proposal.intent.kind.clone(),
            confidence: asked.confidence,
            text: proposal.intent.text.clone(),
            constraints: identity.binding.constraints.clone(),
            named: asked.named.clone(),
            shown,
            provider: asked.provider.clone(),
        }))
    }

    /// What changed from one version of a plan to another, file by file.
    ///
    /// # Errors
    /// If one of them is not there, or its text was not kept.
    pub fn between(&self, older: &PlanId, newer: &PlanId) -> Result<Vec<VersionChange>, Error> {
        self.authorize_for(Act::Read, older)?;
        self.authorize_for(Act::Read, newer)?;
        let (older, newer) = (self.changes_of(older)?, self.changes_of(newer)?);
        let paths: BTreeSet<&RelPath> = older.keys().chain(newer.keys()).collect();
        let change = |path: &RelPath| {
            let (change, diff) = match (older.get(path), newer.get(path)) {
                (Some(was), Some(is)) if was.after == is.after => ("same", None),
                (Some(was), Some(is)) => {
                    let diff = diff::render(path, bytes(&was.after), bytes(&is.after));
                    ("changed", Some(exacta_kernel::secret::mask(&diff).into_owned()))
                }
                (None, _) => ("added", None),
                (Some(_), None) => ("dropped", None),
            };
            VersionChange { path: path.to_string(), change, diff }
        };
        Ok(paths.into_iter().map(change).collect())
    }

    fn changes_of(&self, id: &PlanId) -> Result<BTreeMap<RelPath, Change>, Error> {
        let current = self.current(id)?;
        let changes = current.evaluation.plan().map(Plan::changes).unwrap_or_default();
        Ok(changes.into_iter().map(|change| (change.path.clone(), change)).collect())
    }
}

fn bytes(content: &Option<Content>) -> Option<&FileContent> {
    content.as_ref().map(Arc::as_ref)
}

/// A plan as a reviewer sees it: its steps and what they change.
fn shown(plan: &Plan) -> String {
    let mut text = String::new();
    for (_, step) in plan.ordered_steps() {
        text.push_str(&format!("step {} {} `{}`: {}\n", step.id, step.action.name(), step.target, step.description));
    }
    for effect in plan.effects() {
        text.push_str(&effect.render());
    }
    exacta_kernel::secret::mask(&text).into_owned()
}

impl Session<'_> {
    /// What is wanted, as it was read when the plan was first made.
    pub fn read_revision(&mut self, revision: &Revision) -> Result<Reading, Error> {
        if revision.words.trim().is_empty() {
            return Err(Error::new(Exit::Usage, "ASK_TEXT", "nothing is said about what should be different")
                .hint(hint![Remedy::Revise]));
        }
        let target = self.resolve()?;
        let mut files: BTreeSet<String> = revision.named.iter().cloned().chain(target.files).collect();
        // A person who points at a place names the file.
        let places =
            revision.places.iter().map(|place| place.rsplit_once(':').map_or(place.as_str(), |(path, _)| path));
        files.extend(places.filter(|path| RelPath::parse(path).is_ok()).map(ToOwned::to_owned));
        let confidence = BasisPoints(revision.confidence.min(BasisPoints::ONE.0));
        self.view.intent = Some(IntentView {
            kind: revision.kind.name().to_owned(),
            confidence,
            confidence_capped: None,
            target: TargetView { files: files.into_iter().collect(), symbols: target.symbols },
            alternatives: Vec::new(),
        });
        let (alternatives, details) = (Vec::new(), BTreeMap::new());
        Ok(Reading { kind: revision.kind.clone(), confidence, alternatives, details })
    }

    /// What the reviewer wants, as the model is told.
    pub fn revision_words(&self) -> String {
        let Some(revision) = &self.revision else { return String::new() };
        let mut text = format!("\n{}", self.fence.quote("The plan as it is", &revision.shown));
        text.push_str(
            &self.fence.quote("A reviewer, whose words count like the user's, wants it different", &revision.words),
        );
        for place in &revision.places {
            text.push_str(&format!("That is about {}.\n", exacta_kernel::text::visible_line(place)));
        }
        text.push_str("Make the whole plan again with that changed and everything else as it is.\n");
        text
    }
}
