//! The hashes of plans, runs and documents: each is over every field of the record, so that none can be changed from outside unnoticed.

use super::fields::Fields;
use crate::row::{DocumentRow, PlanBody, PlanRow, RunRow, Statements, StoredPlan};
use exacta_kernel::hash::Digest;

/// The name under which the tree of records holds the runs that have no end.
pub const OPEN_RUNS: &str = "open-runs";

/// The hash of a list of runs.
pub fn open_runs(ids: &[String]) -> Digest {
    Digest::of(ids.join("\n").as_bytes())
}

impl StoredPlan {
    /// The hash of the plan as it stands, without its runs; `None` if a part is missing.
    pub fn hash(&self) -> Option<Digest> {
        self.body.as_ref().map(|body| self.row.hash(body, &self.statements))
    }

    /// The hash of all of it, given that of the plan: no run can be hidden, added or moved from one plan to another.
    pub fn hash_with_runs(&self, hash: Digest) -> Digest {
        let runs: Vec<Digest> = self.runs.iter().map(RunRow::hash).collect();
        Fields::default().hashes("plan", &[hash]).hashes("runs", &runs).hash()
    }
}

impl PlanRow {
    /// The hash of all that never changes, from what is stored now.
    fn body_hash(&self, body: &PlanBody) -> Digest {
        let [identity, view, proposal] = body.hashes();
        Fields::default()
            .text("id", &self.id)
            .text("correlation_id", &self.correlation_id)
            .number("version", Some(self.version))
            .number("created_at", Some(self.created_at))
            .number("expires_at", Some(self.expires_at))
            .text("session", &self.session)
            .text("plan_hash", &self.plan_hash)
            .text("content_hash", &self.content_hash)
            .optional("derived_from", self.derived_from.as_deref())
            .optional("revises", self.revises.as_deref())
            .large("summary", Some(self.summary.as_bytes()))
            .hashes("identity", identity.as_slice())
            .hashes("view", view.as_slice())
            .hashes("proposal", proposal.as_slice())
            .hash()
    }

    /// The hash of the plan as it stands.
    pub fn hash(&self, body: &PlanBody, statements: &Statements) -> Digest {
        let hashes = |texts: &[String]| -> Vec<Digest> { texts.iter().map(|t| Digest::of(t.as_bytes())).collect() };
        Fields::default()
            .hashes("body", &[self.body_hash(body)])
            .text("status", &self.status)
            .number("status_at", Some(self.status_at))
            .number("risk_score", self.risk_score)
            .number("quality_score", self.quality_score)
            .optional("decided_by", self.decided_by.as_deref())
            .number("usable", Some(i64::from(self.usable)))
            .number("seq", Some(self.seq))
            .hashes("approvals", &hashes(&statements.approvals))
            .hashes("feedback", &hashes(&statements.feedback))
            .hash()
    }
}

impl PlanBody {
    fn hashes(&self) -> &[Option<Digest>; 3] {
        self.hashes.get_or_init(|| {
            let parts = [Some(self.identity.as_bytes()), Some(self.view.as_bytes()), self.proposal.as_deref()];
            parts.map(|part| part.map(Digest::of))
        })
    }
}

impl DocumentRow {
    /// The hash of the document as it stands.
    pub fn hash(&self) -> Digest {
        Fields::default()
            .text("kind", &self.kind)
            .text("id", &self.id)
            .text("owner", &self.owner)
            .text("state", &self.state)
            .number("created_at", Some(self.created_at))
            .large("body", Some(self.body.as_bytes()))
            .hash()
    }
}

impl RunRow {
    /// The hash of the run as it stands.
    pub fn hash(&self) -> Digest {
        Fields::default()
            .text("id", &self.id)
            .text("plan_id", &self.plan_id)
            .optional("undoes", self.undoes.as_deref())
            .text("state", &self.state)
            .number("started_at", Some(self.started_at))
            .number("ended_at", self.ended_at)
            .number("pid", Some(i64::from(self.pid)))
            .text("boot", &self.boot)
            .large("changes", Some(self.changes.as_bytes()))
            .large("receipts", Some(self.receipts.as_bytes()))
            .hash()
    }
}
