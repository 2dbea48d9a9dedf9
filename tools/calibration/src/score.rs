//! A commit as a plan: imported as a patch, sealed, checked, assessed and decided by the kernel, as any plan is.

use crate::error::Error;
use crate::git::{Commit, Diff, Entry, Repo};
use exacta_kernel::assess;
use exacta_kernel::check::{self, Allowed, Context};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::{self, Circumstances, Gate, Verdict, Verdicts};
use exacta_kernel::import::{self, Request};
use exacta_kernel::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::proposal::IntentKind;
use exacta_kernel::seal;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most files of a commit that is looked at.
pub const MOST_FILES: usize = 10;
/// Commits with a larger patch are left out.
const MOST_BYTES: usize = 4 << 20;

/// A commit that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The commit.
    pub id: String,
    /// What it says it does.
    pub subject: String,
    /// Seconds since 1970.
    pub time: i64,
    /// What a ruler would say.
    pub measures: Measures,
    /// What the kernel says; none for a plan that breaks a rule.
    pub numbers: Option<Numbers>,
    /// What becomes of it in each profile, in the order SAFE, DEV, FULL-AUTO.
    pub answers: Vec<Answer>,
}

/// Plain sizes, to compare the risk with.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Measures {
    /// Files touched.
    pub files: i64,
    /// Lines added.
    pub lines_added: i64,
    /// Lines removed.
    pub lines_removed: i64,
    /// The seeds' counts of deletions and modified files.
    pub seeds_counts: i64,
}

/// What the kernel computes.
#[derive(Debug, Clone, Serialize)]
pub struct Numbers {
    /// 0–100.
    pub risk: u32,
    /// The same without the floor of a boundary.
    pub counted: u32,
    /// Points by factor.
    pub factors: BTreeMap<&'static str, u32>,
    /// Basis points.
    pub quality: u32,
    /// Basis points by dimension.
    pub dimensions: BTreeMap<&'static str, u32>,
    /// Every lost point, in words.
    pub issues: Vec<String>,
}

/// What becomes of a plan in one profile.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// Of all gates.
    pub verdict: Verdict,
    /// What the gates that do not allow it say, without the place; the codes of a plan that breaks a rule.
    pub reasons: BTreeSet<String>,
}

/// Why a commit is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unfit {
    /// No file, or more than ten.
    Files,
    /// It holds a binary file.
    Binary,
    /// It holds a link or a submodule, or a name that git quotes.
    Kind,
    /// The mirror lacks an object.
    Absent,
    /// Larger than a plan can be.
    Large,
    /// It cannot be written as a proposal: not UTF-8, or a path that no plan may have.
    Import,
}

/// Turns commits into rows.
#[derive(Debug)]
pub struct Scorer {
    policies: Vec<Policy>,
}

impl Scorer {
    /// With the built-in policy, a ceiling of FULL-AUTO, and each profile.
    ///
    /// # Errors
    /// Only if the built-in policy contradicts itself.
    pub fn new() -> Result<Self, Error> {
        let safety = SafetyPolicy { ceiling: Profile::FullAuto, ..SafetyPolicy::default() };
        let policy = |profile| {
            Policy::combine(safety.clone(), ProjectConfig::default(), profile)
                .map_err(|error| Error::Own(error.message))
        };
        Ok(Self { policies: Profile::ALL.into_iter().map(policy).collect::<Result<_, _>>()? })
    }

    /// A commit's row, or why there is none.
    ///
    /// # Errors
    /// Where git stops answering.
    pub fn row(&self, repo: &mut Repo, commit: &Commit) -> Result<Result<Row, Unfit>, Error> {
        let Some(diff) = repo.diff(&commit.id)? else { return Ok(Err(Unfit::Absent)) };
        if let Some(unfit) = unfit(&diff) {
            return Ok(Err(unfit));
        }
        let Some(before) = before(repo, &diff.entries)? else { return Ok(Err(Unfit::Absent)) };
        let mut lookup = |path: &RelPath| before.get(path.as_str()).cloned();
        let request = Request { intent: intent(&commit.subject), text: Some(&commit.subject) };
        let Ok(text) = import::git(&diff.patch, &request, &mut lookup) else { return Ok(Err(Unfit::Import)) };
        let (numbers, answers) = self.judge(text.as_bytes(), &before)?;
        let (id, subject) = (commit.id.clone(), commit.subject.clone());
        Ok(Ok(Row { id, subject, time: commit.time, measures: measures(&diff), numbers, answers }))
    }

    fn judge(&self, text: &[u8], before: &Before) -> Result<(Option<Numbers>, Vec<Answer>), Error> {
        let refused = |findings: &[Finding]| {
            let reasons = findings.iter().map(|finding| finding.code.as_str().to_owned()).collect();
            vec![Answer { verdict: Verdict::Deny, reasons }; self.policies.len()]
        };
        let proposal = match parse::parse(text) {
            Ok(proposal) => proposal,
            Err(refusal) => return Ok((None, refused(&refusal.findings))),
        };
        let paths = proposal.steps.iter().filter_map(|step| RelPath::parse(&step.target).ok());
        let mut facts = Facts::new();
        for path in paths {
            let target = before.get(path.as_str()).cloned().map_or(Target::Absent, Target::File);
            facts.insert(path, TargetFact { target, lookalikes: Vec::new(), folds: false });
        }
        let plan = seal::seal(proposal, &facts)?;
        facts.set_source(exacta_source::read(&plan));
        let caps = self.policies.first().map(|policy| *policy.caps()).unwrap_or_default();
        let allowed = Allowed::default();
        let context = Context { facts: &facts, caps: &caps, constraints: &[], allowed: &allowed, generated: false };
        let valid = match check::check(plan, &context) {
            Ok(valid) => valid,
            Err(invalid) => return Ok((None, refused(&invalid.findings))),
        };
        let circumstances =
            Circumstances { has_build_command: true, checks_off: false, made: None, connected: false, oversize: None };
        let Some(policy) = self.policies.first() else { return Ok((None, Vec::new())) };
        let decision = gate::decide(assess::assess(valid, &facts), policy, &circumstances);
        let verdicts = self.policies.iter().map(|policy| decision.under(policy, &circumstances));
        Ok((Some(Numbers::of(decision.assessment())), verdicts.map(|verdicts| answer(&verdicts)).collect()))
    }
}

impl Numbers {
    fn of(assessment: &assess::Assessment) -> Self {
        let (risk, quality) = (assessment.risk(), assessment.quality());
        let issues = quality.dimensions().iter().flat_map(|dimension| {
            dimension.issues.iter().map(|issue| format!("{}: {} (-{})", dimension.name, issue.message, issue.points))
        });
        Self {
            risk: risk.score(),
            counted: risk.factors().iter().map(|factor| factor.score).sum::<u32>().min(100),
            factors: risk.factors().iter().map(|factor| (factor.name, factor.score)).collect(),
            quality: quality.score().0,
            dimensions: quality.dimensions().iter().map(|it| (it.name, it.score.0)).collect(),
            issues: issues.collect(),
        }
    }
}

fn answer(verdicts: &Verdicts) -> Answer {
    let against = verdicts.gates().iter().filter(|gate| gate.verdict > Verdict::Allow && gate.gate != Gate::User);
    let plain = |text: &str| text.split(": ").next().unwrap_or(text).chars().filter(|c| !c.is_ascii_digit()).collect();
    let reason = |gate: &gate::GateVerdict| {
        let why: String = gate.rule.clone().unwrap_or_else(|| plain(&gate.reason));
        format!("{}: {why}", gate.gate)
    };
    Answer { verdict: verdicts.verdict(), reasons: against.map(reason).collect() }
}

/// The files as they were, by path.
type Before = BTreeMap<String, Arc<FileContent>>;

fn before(repo: &mut Repo, entries: &[Entry]) -> Result<Option<Before>, Error> {
    let mut files = Before::new();
    for entry in entries.iter().filter(|entry| entry.old_mode != 0) {
        let Some(bytes) = repo.blob(&entry.old_blob)? else { return Ok(None) };
        files.insert(entry.old_path.clone(), Arc::new(FileContent::new(bytes, entry.old_mode)));
    }
    Ok(Some(files))
}

fn unfit(diff: &Diff) -> Option<Unfit> {
    let regular = |mode: u32| matches!(mode, 0 | 0o100_644 | 0o100_755);
    if (diff.entries.is_empty() && !diff.strange) || diff.entries.len() > MOST_FILES {
        Some(Unfit::Files)
    } else if diff.strange || diff.entries.iter().any(|entry| !regular(entry.old_mode) || !regular(entry.new_mode)) {
        Some(Unfit::Kind)
    } else if lines(&diff.patch).any(|line| line.starts_with(b"Binary files ")) {
        Some(Unfit::Binary)
    } else {
        (diff.patch.len() > MOST_BYTES).then_some(Unfit::Large)
    }
}

/// What a subject line asks for.
fn intent(subject: &str) -> IntentKind {
    let lower = subject.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let fixes =
        words.any(|word| matches!(word, "fix" | "fixes" | "fixed" | "bug" | "bugfix" | "regression" | "hotfix"));
    if fixes { IntentKind::FixBug } else { IntentKind::AddFeature }
}

fn measures(diff: &Diff) -> Measures {
    let count = |status: char| diff.entries.iter().filter(|entry| entry.status == status).count() as i64;
    let in_hunk = |start: u8, header: &'static [u8]| {
        lines(&diff.patch).filter(|line| line.first() == Some(&start) && !line.starts_with(header)).count() as i64
    };
    let bulk = match count('M') {
        0..=2 => 0,
        3..=5 => 5,
        _ => 15,
    };
    Measures {
        files: diff.entries.len() as i64,
        lines_added: in_hunk(b'+', b"+++ "),
        lines_removed: in_hunk(b'-', b"--- "),
        seeds_counts: (10 * (count('D') + count('R')) + bulk).min(35),
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n')
}
