//! The calls that a contract stands for: one for each tool that reads, and for each page that is written.

use super::{Contract, ContractStep, MAX_BULK};
use crate::action::tool::Tool;
use crate::effect::site::{BULK, CREATE};
use crate::finding::{Code, Finding};
use crate::prelude::*;
use serde_json::{Map, Value};

/// What is done to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the contract")]
pub enum PageOp {
    Create,
    Update,
    Publish,
    Trash,
}

/// One call, before it is known what the site makes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractCall {
    /// The contract's step.
    pub step_id: String,
    /// The tool.
    pub tool: &'static str,
    /// The pages it writes, without `step_id` and `op`: none where it reads, several where it makes several.
    pub pages: Vec<Map<String, Value>>,
}

/// What the caller may say of a page. The rest of a call's arguments are found out here, never given.
const FIELDS: [&str; 7] = ["title", "slug", "content", "excerpt", "parent", "template", "meta"];

impl PageOp {
    /// Whether the caller may give this field of a page.
    fn takes(self, name: &str) -> bool {
        match name {
            "step_id" | "op" => true,
            "id" => self != Self::Create,
            name => matches!(self, Self::Create | Self::Update) && FIELDS.contains(&name),
        }
    }

    fn of(page: &Map<String, Value>) -> Option<Self> {
        match page.get("op").map(Value::as_str) {
            None | Some(Some("create")) => Some(Self::Create),
            Some(Some("update")) => Some(Self::Update),
            Some(Some("publish")) => Some(Self::Publish),
            Some(Some("trash")) => Some(Self::Trash),
            Some(_) => None,
        }
    }

    /// The tools that do it.
    const fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Create => &[BULK, CREATE],
            Self::Update => &["content.update_page"],
            Self::Publish => &["content.publish_page"],
            Self::Trash => &["content.trash_page"],
        }
    }
}

impl Contract {
    /// The caller's pages.
    fn listed(&self) -> &[Value] {
        self.inputs.get("pages").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// How many pages it touches: as its steps say, or as the caller lists, whichever is more.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let said: u64 = self.steps.iter().map(|step| step.page_count_estimate).sum();
        said.max(self.listed().len() as u64)
    }

    /// Its calls: in the contract's order, then the pages'.
    ///
    /// # Errors
    /// A page that no step writes, a tool that writes and has no page, and pages that are none.
    pub fn calls(&self) -> Result<Vec<ContractCall>, Vec<Finding>> {
        let (mut findings, mut given) = (Vec::new(), BTreeMap::<usize, Vec<(PageOp, Map<String, Value>)>>::new());
        for (number, page) in self.listed().iter().enumerate() {
            match self.assigned(page) {
                Ok((step, op, page)) => given.entry(step).or_default().push((op, page)),
                Err(why) => findings.push(wrong(why).at(format!("/inputs/pages/{number}"))),
            }
        }
        let mut calls = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let pages = given.remove(&index).unwrap_or_default();
            for (number, name) in step.tools.iter().enumerate() {
                let Some(tool) = Tool::find(name) else { continue };
                let made = of_tool(step, tool, &pages);
                if made.is_empty() {
                    let finding = wrong("the tool writes pages, and none is given for it");
                    findings.push(finding.in_step(&step.step_id).at(format!("/steps/{index}/tools/{number}")));
                }
                calls.extend(made);
            }
        }
        if findings.is_empty() { Ok(calls) } else { Err(findings) }
    }

    /// The step that a page belongs to, what is done to it, and its own fields.
    fn assigned(&self, page: &Value) -> Result<(usize, PageOp, Map<String, Value>), &'static str> {
        let page = page.as_object().ok_or("a page is no object")?;
        let op = PageOp::of(page).ok_or("`op` is none of create, update, publish, trash")?;
        if op != PageOp::Create && !page.get("id").is_some_and(Value::is_u64) {
            return Err("a page that is there already is named by its `id`");
        }
        if !page.keys().all(|name| op.takes(name)) {
            return Err("a page has a field that does not belong to its `op`");
        }
        let does = |step: &ContractStep| step.tools.iter().any(|tool| op.tools().contains(&tool.as_str()));
        let step = match page.get("step_id") {
            None => self.steps.iter().position(does).ok_or("no step has a tool for this page")?,
            Some(named) => {
                let step = self.steps.iter().position(|step| named.as_str() == Some(&step.step_id));
                let step = step.ok_or("there is no such step")?;
                let fits = self.steps.get(step).is_some_and(does);
                if fits { step } else { return Err("its step has no tool for it") }
            }
        };
        let own = page.iter().filter(|(name, _)| !matches!(name.as_str(), "step_id" | "op"));
        Ok((step, op, own.map(|(name, value)| (name.clone(), value.clone())).collect()))
    }
}

/// The calls of one tool of a step.
fn of_tool(step: &ContractStep, tool: &Tool, pages: &[(PageOp, Map<String, Value>)]) -> Vec<ContractCall> {
    let call = |pages: Vec<Map<String, Value>>| ContractCall { step_id: step.step_id.clone(), tool: tool.name, pages };
    if !tool.writes() {
        return vec![call(Vec::new())];
    }
    // Where a step has both, the tool that makes several makes all.
    let has_bulk = step.tools.iter().any(|name| name == BULK);
    let does = |op: PageOp| op.tools().contains(&tool.name) && !(tool.name == CREATE && has_bulk);
    let own: Vec<Map<String, Value>> = pages.iter().filter(|(op, _)| does(*op)).map(|(_, page)| page.clone()).collect();
    if tool.name == BULK {
        return own.chunks(MAX_BULK).map(|chunk| call(chunk.to_vec())).collect();
    }
    own.into_iter().map(|page| call(vec![page])).collect()
}

fn wrong(message: &str) -> Finding {
    Finding::new(
        Code::SchemaInvalid,
        message,
        "give each page `op`, `id` where it is there already, and a step that has the tool",
    )
}
