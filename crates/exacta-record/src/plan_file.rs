//! The file that is written for people and tools about a plan. Everything in it is also in the database or the log; nothing is ever read
//! back from it.
//!
//! It is put together from text that is stored as it is, so that comparing it costs no more than reading it.

use exacta_kernel::text::visible_json;
use serde_json::{Value, json};
use std::borrow::Cow;

/// What a plan's file says, but for the plan itself.
#[derive(Debug)]
pub struct PlanFile<'a> {
    /// The newest entry about the plan.
    pub as_of: u64,
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
    /// Who decided, as the log names them.
    pub decided_by: Option<&'a str>,
    /// Signed decisions, each as JSON text.
    pub approvals: &'a [String],
    /// Requests for changes, each as JSON text.
    pub feedback: &'a [String],
    /// Its run as JSON text, if it has run.
    pub run: Option<&'a str>,
    /// The undos, each as JSON text.
    pub undos: &'a [String],
}

/// How a plan's file ends.
const END: &str = "\n}\n";

impl PlanFile<'_> {
    /// The file's content around what people see, which is JSON text: one line for each part, and no character in it that
    /// hides. It is not put together where it need not be: what people see is by far the largest.
    pub fn around<'a>(&self, view: &'a str) -> [Cow<'a, str>; 3] {
        let (mut head, mut view) = (self.head(), view);
        // What people see was stored when the plan was made, without how it stands, which is all that changes.
        if let Some(rest) = view.strip_prefix('{') {
            head.push_str(&format!("{{\"status\":{}", json!(self.status)));
            head.push_str(if rest.starts_with('}') { "" } else { "," });
            view = rest;
        }
        if head.is_ascii() && view.is_ascii() {
            return [head.into(), view.into(), END.into()];
        }
        let text = [&head, view, END].concat();
        [visible_json(&text).into_owned().into(), "".into(), "".into()]
    }

    /// All that comes before what people see.
    fn head(&self) -> String {
        let decided = self.status != "pending";
        let approver = self.decided_by.filter(|_| decided).and_then(|actor| actor.strip_prefix("person:"));
        let decided_by = if approver.is_some() { "user" } else { "system" };
        let mut decision = json!({
            "decision": decided.then_some(self.status),
            "risk_score": self.risk_score,
            "quality_score": self.quality_score,
            "decided_at": decided.then_some(&self.status_at),
            "decided_by": decided.then_some(decided_by),
        });
        if let (Some(name), Value::Object(fields)) = (approver, &mut decision) {
            fields.insert("approver".to_owned(), name.into());
        }
        let mut text = "{\n\"schema\":\"exacta.plan-record/1\"".to_owned();
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
        part("feedback", &format!("[{}]", self.feedback.join(",")));
        part("run", self.run.unwrap_or("null"));
        part("undos", &format!("[{}]", self.undos.join(",")));
        part("plan", "");
        text
    }
}
