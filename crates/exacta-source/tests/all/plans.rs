//! Plans from contents.

use exacta_kernel::assess::{Assessment, assess};
use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::seal::seal;
use serde_json::json;
use std::sync::Arc;

/// A file with its content before and after; none is no file.
pub(crate) type Change<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// A plan that brings each file from its first content to its second.
pub(crate) fn plan(files: &[Change<'_>]) -> Plan {
    with_facts(files).0
}

/// What such a plan scores, its code read.
pub(crate) fn assessed(files: &[Change<'_>]) -> Assessment {
    let (plan, mut facts) = with_facts(files);
    facts.set_source(exacta_source::read(&plan));
    let context = Context {
        facts: &facts,
        caps: &Caps::default(),
        constraints: &[],
        allowed: &Allowed::default(),
        generated: false,
    };
    let plan = check(plan, &context).unwrap_or_else(|invalid| panic!("{:#?}", invalid.findings));
    assess(plan, &facts)
}

/// A plan that changes one word, `MARK`, of each file: their content may be larger than a plan.
pub(crate) fn marked(files: &[&str], content: &Arc<FileContent>) -> Plan {
    let mut facts = Facts::new();
    let mut steps = Vec::new();
    for (order, path) in (1..).zip(files) {
        steps.push(json!({ "id": format!("s{order}"), "order": order, "type": "file_modify", "target": path,
            "description": "changes the file", "dependencies": [], "edits": [{ "find": "MARK", "replace": "mark" }] }));
        let target = Target::File(Arc::clone(content));
        facts.insert(RelPath::parse(path).unwrap(), TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    let plan = seal(parse(proposal(&steps).as_bytes()).unwrap(), &facts).unwrap();
    assert_eq!(plan.failures(), [], "{files:?}");
    plan
}

fn proposal(steps: &[serde_json::Value]) -> String {
    json!({ "schema": "exacta.plan/1", "intent": { "type": "FixBug", "text": "change" }, "steps": steps }).to_string()
}

fn with_facts(files: &[Change<'_>]) -> (Plan, Facts) {
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
    let plan = seal(parse(proposal(&steps).as_bytes()).unwrap(), &facts).unwrap();
    assert_eq!(plan.failures(), [], "{files:?}");
    (plan, facts)
}
