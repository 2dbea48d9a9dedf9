//! Which commits are looked at: cases with controls of the same repository and time, and ordinary commits.

use crate::chance::Chance;
use crate::error::Error;
use crate::git::{Commit, Repo};
use crate::label::{Blamed, Labels, is_prose, labels};
use crate::score::{Row, Scorer, Unfit};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How much to look at.
#[derive(Debug, Clone, Copy, Serialize, clap::Args)]
pub struct Extent {
    /// The most cases of each kind from one repository
    #[arg(long, default_value_t = 300)]
    pub cases: usize,
    /// Controls for each case
    #[arg(long, default_value_t = 3)]
    pub controls: usize,
    /// Ordinary commits from one repository
    #[arg(long, default_value_t = 300)]
    pub ordinary: usize,
    /// How far back from the newest commit
    #[arg(long, default_value_t = 12)]
    pub years: i64,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// One kind of case with its controls.
#[derive(Debug, Default)]
pub struct Study {
    /// Each case with its controls.
    pub groups: Vec<(Row, Vec<Row>)>,
}

/// What was taken from one repository.
#[derive(Debug)]
pub struct Taken {
    /// The repository.
    pub name: String,
    /// Commits in the period.
    pub commits: usize,
    /// Commits that others blame, in the period.
    pub labelled: (usize, usize),
    /// Commits that cannot be looked at, by why.
    pub unfit: BTreeMap<Unfit, usize>,
    /// Cases that caused a regression.
    pub regressions: Study,
    /// Cases that were reverted.
    pub reverted: Study,
    /// Ordinary commits.
    pub ordinary: Vec<Row>,
}

/// Takes a sample from a repository.
///
/// # Errors
/// Where git fails.
pub fn take(repo: &mut Repo, scorer: &Scorer, extent: Extent) -> Result<Taken, Error> {
    let history = repo.history()?;
    let labels = labels(&history)?;
    let oldest = history.first().map_or(0, |commit| commit.time) - extent.years * 31_556_952;
    let mut order: Vec<usize> = (0..history.len()).collect();
    order.retain(|index| history.get(*index).is_some_and(|commit| commit.time >= oldest));
    order.sort_by_key(|index| history.get(*index).map(|commit| commit.time));
    let mut taker = Taker {
        history: &history,
        labels: &labels,
        repo,
        scorer,
        rows: BTreeMap::new(),
        chance: Chance::new(extent.seed),
    };
    let regressions = taker.study(&labels.regressions, &order, extent, Taker::is_mended)?;
    let reverted = taker.study(&labels.reverted, &order, extent, |_, _| Ok(true))?;
    let ordinary = taker.ordinary(&order, extent.ordinary)?;
    let mut unfit = BTreeMap::new();
    for why in taker.rows.values().filter_map(|row| row.as_ref().err()) {
        *unfit.entry(*why).or_default() += 1;
    }
    let within = |set: &Blamed| order.iter().filter(|index| set.contains_key(*index)).count();
    let labelled = (within(&labels.regressions), within(&labels.reverted));
    Ok(Taken { name: repo.name.clone(), commits: order.len(), labelled, unfit, regressions, reverted, ordinary })
}

/// Whether a commit is the case that the messages make it.
type Holds<T> = fn(&mut T, usize) -> Result<bool, Error>;

struct Taker<'a> {
    history: &'a [Commit],
    labels: &'a Labels,
    repo: &'a mut Repo,
    scorer: &'a Scorer,
    /// What was looked at already.
    rows: BTreeMap<usize, Result<Row, Unfit>>,
    chance: Chance,
}

impl Taker<'_> {
    /// A commit's row, if it is fit and a valid plan.
    fn row(&mut self, index: usize) -> Result<Option<Row>, Error> {
        if !self.rows.contains_key(&index)
            && let Some(commit) = self.history.get(index)
        {
            self.rows.insert(index, self.scorer.row(self.repo, commit)?);
        }
        Ok(self.rows.get(&index).and_then(|row| row.clone().ok()))
    }

    /// Cases in the period, and for each the unlabelled commits nearest in time, each commit once.
    fn study(&mut self, cases: &Blamed, order: &[usize], extent: Extent, holds: Holds<Self>) -> Result<Study, Error> {
        let mut places: Vec<usize> =
            order.iter().enumerate().filter(|(_, index)| cases.contains_key(index)).map(|(at, _)| at).collect();
        self.chance.shuffle(&mut places);
        let mut study = Study::default();
        let mut used = BTreeSet::new();
        for at in places {
            if study.groups.len() == extent.cases {
                break;
            }
            let Some(case) = self.valid(order, at)? else { continue };
            if !order.get(at).map_or(Ok(false), |index| holds(self, *index))? {
                continue;
            }
            let mut controls = Vec::new();
            for near in nearest(at, order.len()).take(60) {
                let labelled = order.get(near).is_none_or(|index| self.is_labelled(*index));
                if controls.len() == extent.controls {
                    break;
                }
                if labelled || used.contains(&near) {
                    continue;
                }
                if let Some(row) = self.valid(order, near)? {
                    used.insert(near);
                    controls.push(row);
                }
            }
            study.groups.push((case, controls));
        }
        Ok(study)
    }

    fn valid(&mut self, order: &[usize], at: usize) -> Result<Option<Row>, Error> {
        let Some(index) = order.get(at) else { return Ok(None) };
        Ok(self.row(*index)?.filter(|row| row.numbers.is_some()))
    }

    /// Whether one of those who name a commit as the cause changes a file that it changed, and that somebody or something runs.
    fn is_mended(&mut self, index: usize) -> Result<bool, Error> {
        let files = self.files(index)?;
        for later in self.labels.regressions.get(&index).into_iter().flatten() {
            if !self.files(*later)?.is_disjoint(&files) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The files that a commit changes, prose left out.
    fn files(&mut self, index: usize) -> Result<BTreeSet<String>, Error> {
        let Some(commit) = self.history.get(index) else { return Ok(BTreeSet::new()) };
        let entries = self.repo.diff(&commit.id)?.map(|diff| diff.entries).unwrap_or_default();
        let paths = entries.into_iter().flat_map(|entry| [entry.old_path, entry.new_path]);
        Ok(paths.filter(|path| !is_prose(path)).collect())
    }

    fn is_labelled(&self, index: usize) -> bool {
        self.labels.regressions.contains_key(&index) || self.labels.reverted.contains_key(&index)
    }

    /// Any commits of the period, drawn evenly; also those that break a rule.
    fn ordinary(&mut self, order: &[usize], wanted: usize) -> Result<Vec<Row>, Error> {
        let mut drawn = order.to_vec();
        self.chance.shuffle(&mut drawn);
        let mut rows = Vec::new();
        for index in drawn {
            if rows.len() == wanted {
                break;
            }
            rows.extend(self.row(index)?);
        }
        Ok(rows)
    }
}

/// The places around one, nearest first.
fn nearest(at: usize, len: usize) -> impl Iterator<Item = usize> {
    (1..len).flat_map(move |away| [at.checked_sub(away), Some(at + away)]).flatten().filter(move |place| *place < len)
}
