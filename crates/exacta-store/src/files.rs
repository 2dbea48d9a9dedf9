//! The files that are written for people and tools: one per plan, one per operation. Everything in them is also in the
//! database or the log; nothing is ever read back from them.
//!
//! They are put together from text that is stored as it is, so that comparing them costs no more than reading them.

use exacta_kernel::text::visible_json;
use serde_json::{Value, json};
use std::borrow::Cow;

/// What a plan's file says.
#[derive(Debug)]
pub struct PlanFile<'a> {
    /// The newest entry about the plan.
    pub as_of: u64,
    /// What people see, as JSON text.
    pub view: &'a str,
    /// When it was made.
    pub timestamp: String,
    /// Where it stands, and since when.
    pub status: &'a str,
    /// Since when.
    pub status_at: String,
    /// 0–100.
    pub risk_score: Option<u32>,
    /// 0.00–1.00, as JSON.
    pub quality_score: Value,
    /// Who decided.
    pub decided_by: Option<&'a str>,
    /// Signed decisions, each as JSON text.
    pub approvals: &'a [String],
    /// Requests for changes.
    pub feedback: &'a [String],
    /// Its run, and then the undos, each as JSON.
    pub runs: &'a [Value],
}

impl PlanFile<'_> {
    /// The file's content: one line for each part, and no character in it that hides.
    pub fn text(&self) -> String {
        let decided = self.status != "pending";
        let decision = json!({
            "decision": decided.then_some(self.status),
            "risk_score": self.risk_score,
            "quality_score": self.quality_score,
            "decided_at": decided.then_some(&self.status_at),
            "decided_by": self.decided_by.filter(|_| decided),
        });
        let is_undo = |run: &&Value| !run["undoes"].is_null();
        let run = self.runs.iter().find(|run| !is_undo(run));
        let undos: Vec<&Value> = self.runs.iter().filter(is_undo).collect();
        let mut text = String::with_capacity(self.view.len() + 1024);
        text.push_str("{\n\"schema\":\"exacta.plan-record/1\"");
        let mut part = |name: &str, value: &str| {
            text.push_str(",\n\"");
            text.push_str(name);
            text.push_str("\":");
            text.push_str(value);
        };
        part("as_of", &self.as_of.to_string());
        part("timestamp", &json!(self.timestamp).to_string());
        part("status", &json!(self.status).to_string());
        part("status_at", &json!(self.status_at).to_string());
        part("approval_decision", &decision.to_string());
        part("approvals", &format!("[{}]", self.approvals.join(",")));
        part("feedback", &json!(self.feedback).to_string());
        part("run", &run.map_or_else(|| "null".to_owned(), Value::to_string));
        part("undos", &json!(undos).to_string());
        part("plan", self.view);
        text.push_str("\n}\n");
        match visible_json(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(shown) => shown,
        }
    }
}

/// The content of an operation's file: its entries, a line each, exactly as they are in the log.
pub fn entries_text(correlation_id: &str, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut text = entries_head(correlation_id);
    for (index, line) in lines.iter().enumerate() {
        text.extend(if index == 0 { &b"\n"[..] } else { b",\n" });
        text.extend(line);
    }
    text.extend(b"\n]}\n");
    text
}

/// How an operation's file begins.
pub fn entries_head(correlation_id: &str) -> Vec<u8> {
    format!("{{\"schema\":\"exacta.audit-log/1\",\"correlation_id\":\"{correlation_id}\",\"entries\":[").into_bytes()
}
