//! What a call of a site tool does, to the byte: the tool, the site, and its exact arguments.

use super::{DRAFT_MODE, Effect, names_a_file};
use crate::action::tool::Tool;
use crate::facts::FileContent;
use crate::hash::canonical_json;
use crate::path::RelPath;
use crate::prelude::*;
use crate::proposal::Step;
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The tool that makes one page.
pub const CREATE: &str = "content.create_page";

/// The tool that makes several. Each of its pages is an effect of its own, made like any other.
pub const BULK: &str = "content.bulk_create";

/// The acts on pages, by the names of their tools.
pub const ACTS: [&str; 4] = [CREATE, "content.update_page", "content.publish_page", "content.trash_page"];

/// The tools that only read. Each is an act too, which leaves what it found, and nothing on the site.
pub const READS: [&str; 3] = ["site.get_environment", "content.inventory", "seo.get_config"];

/// One call: the bytes of its effect are this in canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteCall {
    /// The site's name, as the user gave it.
    pub site: String,
    /// The tool.
    pub tool: String,
    /// Its exact arguments.
    pub arguments: Map<String, Value>,
}

/// The effects of a step that calls a tool.
pub(super) fn of_call(
    step: &Step,
    (tool, arguments): (&str, &Map<String, Value>),
    run: &str,
) -> Result<Vec<Effect>, &'static str> {
    Tool::find(tool).ok_or("there is no such tool")?;
    if !names_a_file(&step.target) || !names_a_file(&step.id) {
        return Err("its target or id is no plain name: at most 64 letters, digits, `-` and `_`");
    }
    if tool != BULK {
        let changes = tool != CREATE && !READS.contains(&tool);
        if changes && !arguments.contains_key("before") {
            return Err("it does not say which state of the page it was made on (`before`)");
        }
        return Ok(vec![effect(step, tool, &step.id, arguments, run)?]);
    }
    let items = arguments.get("items").and_then(Value::as_array).ok_or("it has no `items`")?;
    let pages = items.iter().zip(1_u32..).map(|(item, number)| {
        let page = item.as_object().ok_or("one of its `items` is no object")?;
        effect(step, CREATE, &format!("{}.{number}", step.id), page, run)
    });
    pages.collect()
}

fn effect(
    step: &Step,
    tool: &str,
    name: &str,
    arguments: &Map<String, Value>,
    run: &str,
) -> Result<Effect, &'static str> {
    let call = SiteCall { site: step.target.clone(), tool: tool.to_owned(), arguments: arguments.clone() };
    let bytes = canonical_json(&call).map_err(|_| "its arguments cannot be written in canonical form")?;
    let place = RelPath::parse(&format!("sites/{}/{run}/{name}", call.site)).map_err(|_| "it names no place")?;
    Ok(Effect::new(name, tool, place, Arc::new(FileContent::new(bytes, DRAFT_MODE))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{facts::Facts, parse, seal};
    use serde_json::json;

    fn effects(step: Value) -> Result<Vec<String>, String> {
        let proposal = json!({ "schema": "exacta.plan/1", "intent": { "type": "wp.x", "text": "x" }, "steps": [step] });
        let proposal = parse::parse(proposal.to_string().as_bytes()).map_err(|refusal| format!("{refusal:?}"))?;
        let plan = seal::seal(proposal, &Facts::new()).unwrap();
        let run = crate::id::RunId::parse("019a2f3e-7c1d-7e2a-9b4f-aaaaaaaaaaaa").unwrap();
        let effects = super::super::of_plan(&plan, &run).map_err(|not| not.to_string())?;
        Ok(effects
            .iter()
            .map(|effect| format!("{} {} {}", effect.step(), effect.act(), effect.place().name()))
            .collect())
    }

    #[test]
    fn calls_become_effects() {
        let step = |id: &str, target: &str, tool: &str, arguments: Value| json!({ "id": id, "type": "tool_call", "target": target, "description": "d", "tool": tool, "arguments": arguments });
        let hash = "0".repeat(64);
        for (given, is) in [
            (
                step("s1", "blog", "content.create_page", json!({ "title": "a" })),
                Some(&["s1 content.create_page s1"][..]),
            ),
            (step("s1", "blog", "content.inventory", json!({})), Some(&["s1 content.inventory s1"])),
            (
                step("s1", "blog", "content.bulk_create", json!({ "items": [{ "title": "a" }, { "title": "b" }] })),
                Some(&["s1.1 content.create_page s1.1", "s1.2 content.create_page s1.2"]),
            ),
            (step("s1", "blog", "content.update_page", json!({ "id": 1, "title": "a" })), None),
            (
                step("s1", "blog", "content.trash_page", json!({ "id": 1, "before": hash })),
                Some(&["s1 content.trash_page s1"]),
            ),
            (step("s1", "a/b", "content.create_page", json!({ "title": "a" })), None),
            (step("../s", "blog", "content.create_page", json!({ "title": "a" })), None),
            (step("s1", "blog", "content.delete", json!({ "title": "a" })), None),
        ] {
            let effects = effects(given.clone());
            let found = effects.as_ref().ok().map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(found.as_deref(), is, "{given} {effects:?}");
        }
    }
}
