//! Plans from contents.

use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::seal::seal;
use serde_json::json;
use std::sync::Arc;

/// A plan that brings each file from its first content to its second; none is no file.
pub(crate) fn plan(files: &[(&str, Option<&str>, Option<&str>)]) -> Plan {
    let mut facts = Facts::new();
    let mut steps = Vec::new();
    for (order, (path, before, after)) in (1..).zip(files) {
        let kind = match (before, after) {
            (None, _) => "file_create",
            (Some(_), Some(_)) => "file_modify",
            (Some(_), None) => "file_delete",
        };
        let mut step = json!({ "id": format!("s{order}"), "order": order, "type": kind, "target": path,
            "description": "changes the file", "dependencies": [] });
        if let Some(after) = after {
            step["content"] = json!(after);
        }
        steps.push(step);
        let file = |text: &&str| Target::File(Arc::new(FileContent::new(text.as_bytes().to_vec(), 0o644)));
        let target = before.as_ref().map_or(Target::Absent, file);
        facts.insert(RelPath::parse(path).unwrap(), TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    let proposal =
        json!({ "schema": "exacta.plan/1", "intent": { "type": "FixBug", "text": "change" }, "steps": steps });
    let plan = seal(parse(proposal.to_string().as_bytes()).unwrap(), &facts).unwrap();
    assert_eq!(plan.failures(), [], "{files:?}");
    plan
}
