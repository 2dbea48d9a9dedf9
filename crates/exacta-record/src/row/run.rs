//! A run's row as plain values.

use crate::error::RecordError;
use crate::run::{RunRecord, RunState};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::time::Timestamp;
use std::path::Path;

/// A run's row, as it is stored.
#[derive(Debug)]
pub struct RunRow {
    pub id: String,
    pub plan_id: String,
    pub undoes: Option<String>,
    pub state: String,
    pub started_at: i64,
    pub ended_at: Option<i64>,
    pub pid: u32,
    pub boot: String,
    pub changes: String,
    pub receipts: String,
}

impl RunRow {
    /// A run that begins.
    pub fn starting(run: &RunRecord, at: Timestamp) -> Result<Self, RecordError> {
        Ok(Self {
            id: run.id.to_string(),
            plan_id: run.plan_id.to_string(),
            undoes: run.undoes.as_ref().map(RunId::to_string),
            state: RunState::Running.name().to_owned(),
            started_at: at.as_millis(),
            ended_at: None,
            pid: run.pid,
            boot: run.boot.clone(),
            changes: serde_json::to_string(&run.changes)?,
            receipts: serde_json::to_string(&run.receipts)?,
        })
    }

    /// Whether it has no end.
    pub fn is_open(&self) -> bool {
        RunState::parse(&self.state).is_some_and(RunState::is_open)
    }

    /// The run as the plan's file shows it: a [`RunRecord`] as JSON, its keys in order. What is stored as JSON is taken as it is.
    pub fn json(&self) -> Result<String, RecordError> {
        let at = |millis: i64| serde_json::to_string(&Timestamp::from_millis(millis));
        Ok(format!(
            r#"{{"boot":{},"changes":{},"ended_at":{},"id":{},"pid":{},"plan_id":{},"receipts":{},"started_at":{},"state":{},"undoes":{}}}"#,
            serde_json::to_string(&self.boot)?,
            self.changes,
            self.ended_at.map_or_else(|| Ok("null".to_owned()), at)?,
            serde_json::to_string(&self.id)?,
            self.pid,
            serde_json::to_string(&self.plan_id)?,
            self.receipts,
            at(self.started_at)?,
            serde_json::to_string(&self.state)?,
            serde_json::to_string(&self.undoes)?,
        ))
    }

    /// The run, to be handed out.
    pub fn record(&self, path: &Path) -> Result<RunRecord, RecordError> {
        let impossible = |what: &str| RecordError::corrupt(path, format!("run `{}` has an impossible {what}", self.id));
        Ok(RunRecord {
            id: RunId::parse(&self.id).map_err(|_| impossible("id"))?,
            plan_id: PlanId::parse(&self.plan_id).map_err(|_| impossible("plan"))?,
            undoes: self.undoes.as_deref().map(RunId::parse).transpose().map_err(|_| impossible("undone run"))?,
            state: RunState::parse(&self.state).ok_or_else(|| impossible("state"))?,
            started_at: Timestamp::from_millis(self.started_at),
            ended_at: self.ended_at.map(Timestamp::from_millis),
            pid: self.pid,
            changes: serde_json::from_str(&self.changes).map_err(|_| impossible("list of changes"))?,
            receipts: serde_json::from_str(&self.receipts).map_err(|_| impossible("list of receipts"))?,
            boot: self.boot.clone(),
        })
    }
}

/// The run, of all of a plan's, that stands in the way of another: the plan's one run, or the undo of the same run.
pub fn rival(path: &Path, runs: &[RunRow], run: &RunRecord) -> Result<Option<RunId>, RecordError> {
    let undoes = run.undoes.as_ref().map(RunId::as_str);
    let ended = |other: &RunRow| matches!(other.state.as_str(), "rolled_back" | "cancelled" | "undone");
    let rival = runs.iter().find(|other| other.undoes.as_deref() == undoes && (undoes.is_none() || !ended(other)));
    rival.map(|rival| RunId::parse(&rival.id).map_err(|_| not_an_id(path, &rival.id))).transpose()
}

/// Oldest first: the order that hashes are made from.
pub fn sort(runs: &mut [RunRow]) {
    runs.sort_unstable_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
}

fn not_an_id(path: &Path, id: &str) -> RecordError {
    RecordError::corrupt(path, format!("`{id}` is not a run's id"))
}
