//! What was measured, as data and for people.

use crate::auc::{Figure, Sample, areas, share};
use crate::sample::{Extent, Study, Taken};
use crate::score::{Row, Unfit};
use exacta_kernel::gate::Verdict;
use exacta_kernel::policy::profile::Profile;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    extent: Extent,
    repositories: Vec<Part>,
    pooled: Part,
}

/// What was measured on one repository, or on all.
#[derive(Debug, Serialize)]
struct Part {
    name: String,
    commits: usize,
    labelled_regressions: usize,
    labelled_reverted: usize,
    unfit: BTreeMap<Unfit, usize>,
    regressions: Separation,
    reverted: Separation,
    ordinary: Ordinary,
    worst: Vec<Misjudged>,
}

/// How well numbers tell cases from controls.
#[derive(Debug, Serialize)]
struct Separation {
    cases: usize,
    controls: usize,
    measures: Vec<Measured>,
}

#[derive(Debug, Serialize)]
struct Measured {
    name: &'static str,
    auc: Figure,
    /// How much less than the risk.
    behind: Figure,
}

/// What becomes of ordinary commits.
#[derive(Debug, Serialize)]
struct Ordinary {
    commits: usize,
    profiles: Vec<Fate>,
    denied_for_quality: Figure,
}

#[derive(Debug, Serialize)]
struct Fate {
    profile: &'static str,
    allowed: Figure,
    confirmed: Figure,
    denied: Figure,
    /// How many commits each reason holds back.
    reasons: BTreeMap<String, usize>,
}

/// A case that looks harmless, or a control that looks dangerous.
#[derive(Debug, Clone, Serialize)]
struct Misjudged {
    repository: String,
    commit: String,
    subject: String,
    kind: &'static str,
    risk: u32,
    factors: BTreeMap<&'static str, u32>,
    lines_added: i64,
}

type Number = (&'static str, fn(&Row) -> i64);

/// What is compared: the risk first.
const NUMBERS: &[Number] = &[
    ("risk", |row| number(row, |numbers| numbers.risk)),
    ("risk without boundary floor", |row| number(row, |numbers| numbers.counted)),
    ("lines added", |row| row.measures.lines_added),
    ("lines removed", |row| row.measures.lines_removed),
    ("files touched", |row| row.measures.files),
    ("seeds' counts", |row| row.measures.seeds_counts),
    ("factor: file operations", |row| factor(row, "file_operations")),
    ("factor: dependency changes", |row| factor(row, "dependency_changes")),
    ("factor: refactoring scope", |row| factor(row, "refactoring_scope")),
    ("factor: breaking changes", |row| factor(row, "breaking_changes")),
    ("factor: security impact", |row| factor(row, "security_impact")),
    ("factor: code complexity", |row| factor(row, "code_complexity")),
    ("quality", |row| number(row, |numbers| numbers.quality)),
];

fn number(row: &Row, of: fn(&crate::score::Numbers) -> u32) -> i64 {
    row.numbers.as_ref().map_or(0, |numbers| i64::from(of(numbers)))
}

fn factor(row: &Row, name: &str) -> i64 {
    row.numbers.as_ref().and_then(|numbers| numbers.factors.get(name)).map_or(0, |points| i64::from(*points))
}

/// Puts the figures together.
#[must_use]
pub fn report(taken: &[Taken], extent: Extent) -> Report {
    let alone = taken.iter().map(|one| part(one.name.clone(), &[one], extent));
    let all: Vec<&Taken> = taken.iter().collect();
    Report {
        schema: "exacta.calibration/1",
        extent,
        repositories: alone.collect(),
        pooled: part("all".to_owned(), &all, extent),
    }
}

fn part(name: String, taken: &[&Taken], extent: Extent) -> Part {
    let mut unfit = BTreeMap::new();
    for (why, count) in taken.iter().flat_map(|one| &one.unfit) {
        *unfit.entry(*why).or_default() += count;
    }
    let ordinary: Vec<&Row> = taken.iter().flat_map(|one| &one.ordinary).collect();
    Part {
        name,
        commits: taken.iter().map(|one| one.commits).sum(),
        labelled_regressions: taken.iter().map(|one| one.labelled.0).sum(),
        labelled_reverted: taken.iter().map(|one| one.labelled.1).sum(),
        unfit,
        regressions: separation(taken.iter().map(|one| &one.regressions), extent.seed),
        reverted: separation(taken.iter().map(|one| &one.reverted), extent.seed),
        ordinary: fates(&ordinary),
        worst: worst(taken),
    }
}

fn separation<'a>(studies: impl Iterator<Item = &'a Study>, seed: u64) -> Separation {
    let groups: Vec<_> = studies.flat_map(|study| &study.groups).collect();
    let samples = |of: fn(&Row) -> i64| -> Vec<Sample> {
        let one = |(group, (case, controls)): (usize, &&(Row, Vec<Row>))| {
            let controls = controls.iter().map(|row| Sample { value: of(row), case: false, group });
            std::iter::once(Sample { value: of(case), case: true, group }).chain(controls).collect::<Vec<_>>()
        };
        groups.iter().enumerate().flat_map(one).collect()
    };
    let measures: Vec<Vec<Sample>> = NUMBERS.iter().map(|(_, of)| samples(*of)).collect();
    let figures = areas(&measures, seed).into_iter().zip(NUMBERS);
    Separation {
        cases: groups.len(),
        controls: groups.iter().map(|(_, controls)| controls.len()).sum(),
        measures: figures.map(|((auc, behind), (name, _))| Measured { name, auc, behind }).collect(),
    }
}

fn fates(rows: &[&Row]) -> Ordinary {
    let profiles = Profile::ALL.iter().enumerate().map(|(at, profile)| {
        let answers: Vec<_> = rows.iter().filter_map(|row| row.answers.get(at)).collect();
        let count = |verdict| share(answers.iter().filter(|it| it.verdict == verdict).count(), answers.len());
        let mut reasons = BTreeMap::new();
        for reason in answers.iter().flat_map(|answer| &answer.reasons) {
            *reasons.entry(reason.clone()).or_default() += 1;
        }
        Fate {
            profile: profile.name(),
            allowed: count(Verdict::Allow),
            confirmed: count(Verdict::Confirm),
            denied: count(Verdict::Deny),
            reasons,
        }
    });
    let poor = rows.iter().filter(|row| row.numbers.as_ref().is_some_and(|numbers| numbers.quality < 6000)).count();
    Ordinary { commits: rows.len(), profiles: profiles.collect(), denied_for_quality: share(poor, rows.len()) }
}

/// The five cases with the least risk and the five controls with the most.
fn worst(taken: &[&Taken]) -> Vec<Misjudged> {
    let mut cases = Vec::new();
    let mut controls = Vec::new();
    for one in taken {
        for (case, others) in &one.regressions.groups {
            cases.extend(misjudged(&one.name, case, "caused a regression"));
            controls.extend(others.iter().filter_map(|row| misjudged(&one.name, row, "caused none that is known")));
        }
    }
    cases.sort_by_key(|row| (row.risk, std::cmp::Reverse(row.lines_added)));
    controls.sort_by_key(|row| (std::cmp::Reverse(row.risk), row.lines_added));
    cases.into_iter().take(5).chain(controls.into_iter().take(5)).collect()
}

fn misjudged(repository: &str, row: &Row, kind: &'static str) -> Option<Misjudged> {
    let numbers = row.numbers.as_ref()?;
    Some(Misjudged {
        repository: repository.to_owned(),
        commit: row.id.chars().take(12).collect(),
        subject: row.subject.clone(),
        kind,
        risk: numbers.risk,
        factors: numbers.factors.clone(),
        lines_added: row.measures.lines_added,
    })
}

impl Report {
    /// For people.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::from("# Calibration\n\n## Separation\n");
        for (title, of) in [
            ("Commits that caused a regression", (|part| &part.regressions) as fn(&Part) -> &Separation),
            ("Commits that were reverted", |part| &part.reverted),
        ] {
            out.push_str(&format!("\n### {title}\n\n"));
            self.areas(&mut out, of);
        }
        out.push_str("\n## Ordinary commits\n\n");
        self.ordinary(&mut out);
        out.push_str("\n## Misjudged\n\n| commit | subject | | risk | lines added |\n|---|---|---|---|---|\n");
        for row in &self.pooled.worst {
            let subject = row.subject.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| {} {} | {subject} | {} | {} | {} |",
                row.repository, row.commit, row.kind, row.risk, row.lines_added
            );
        }
        out
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.repositories.iter().chain([&self.pooled])
    }

    fn areas(&self, out: &mut String, of: fn(&Part) -> &Separation) {
        out.push_str("| repository | cases | controls | risk | lines added | files | seeds' counts |\n|---|---|---|---|---|---|---|\n");
        for part in self.parts().filter(|part| of(part).cases > 0) {
            let study = of(part);
            let area = |name| study.measures.iter().find(|it| it.name == name).map(|it| it.auc);
            let columns = ["risk", "lines added", "files touched", "seeds' counts"].map(area);
            let columns: Vec<String> = columns.iter().flatten().map(Figure::to_string).collect();
            let _ = writeln!(out, "| {} | {} | {} | {} |", part.name, study.cases, study.controls, columns.join(" | "));
        }
        out.push_str("\n| pooled | AUC | less than the risk |\n|---|---|---|\n");
        for one in &of(&self.pooled).measures {
            let _ = writeln!(out, "| {} | {} | {} |", one.name, one.auc, one.behind);
        }
    }

    fn ordinary(&self, out: &mut String) {
        out.push_str(
            "| repository | commits | DEV allowed | FULL-AUTO allowed | denied | denied for quality |\n|---|---|---|---|---|---|\n",
        );
        for part in self.parts() {
            let fate = |at: usize| part.ordinary.profiles.get(at);
            let allowed = |at| fate(at).map_or_else(String::new, |fate| fate.allowed.percent());
            let denied = fate(1).map_or_else(String::new, |fate| fate.denied.percent());
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {denied} | {} |",
                part.name,
                part.ordinary.commits,
                allowed(1),
                allowed(2),
                part.ordinary.denied_for_quality.percent()
            );
        }
        for fate in self.pooled.ordinary.profiles.iter().skip(1) {
            let _ =
                writeln!(out, "\n{}: commits held back, by reason\n\n| commits | reason |\n|---|---|", fate.profile);
            let mut reasons: Vec<_> = fate.reasons.iter().collect();
            reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
            for (reason, count) in reasons {
                let _ = writeln!(out, "| {count} | {reason} |");
            }
        }
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} ({:.3} to {:.3})", self.value, self.low, self.high)
    }
}

impl Figure {
    fn percent(&self) -> String {
        format!("{:.1} % ({:.1} to {:.1})", 100.0 * self.value, 100.0 * self.low, 100.0 * self.high)
    }
}
