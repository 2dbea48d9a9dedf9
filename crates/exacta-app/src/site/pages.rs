//! The steps of a plan out of a contract's calls: exact arguments, on each page as it is now.

use crate::app::App;
use crate::error::Error;
use exacta_effect::Folder;
use exacta_kernel::action::tool::changes_public;
use exacta_kernel::contract::{Contract, ContractCall, ContractStep};
use exacta_kernel::effect::site::BULK;
use exacta_kernel::text::excerpt;
use exacta_site::{Client, Images, Manifest, NoDraft, Op, Request, Snapshot, draft_call};
use exacta_view::command::at_a_terminal;
use serde_json::{Map, Value, json};

/// Makes the steps of a plan out of calls.
pub(super) struct Steps<'s> {
    site: &'s str,
    client: Client,
    manifest: Manifest,
    images: Images,
    /// What a person has to know before approving it.
    pub notes: Vec<String>,
    /// What cannot be done so that it can be put back, and why.
    pub issues: Vec<Value>,
    /// Whether a page is changed that the public sees.
    pub public: bool,
}

impl App {
    /// What is kept of pages for this project.
    pub(super) fn images(&self) -> Result<Images, Error> {
        let io = |error: exacta_effect::IoError| Error::fault("not_kept", error.to_string());
        let state = Folder::open(&self.home.project_state(&self.project.id)?).map_err(io)?;
        Images::open(&state).map_err(io)
    }
}

impl<'s> Steps<'s> {
    pub fn new(site: &'s str, client: Client, manifest: Manifest, images: Images) -> Self {
        Self { site, client, manifest, images, notes: Vec::new(), issues: Vec::new(), public: false }
    }

    /// The steps of all calls of a contract, in its order.
    ///
    /// # Errors
    /// If the site cannot be asked.
    pub fn all(&mut self, contract: &Contract) -> Result<Vec<Value>, Error> {
        let calls = contract.calls().unwrap_or_default();
        let mut steps = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let own = contract.steps.iter().find(|step| step.step_id == call.step_id);
            steps.push(self.step(number, call, own)?);
        }
        Ok(steps)
    }

    fn step(&mut self, number: usize, call: &ContractCall, of: Option<&ContractStep>) -> Result<Value, Error> {
        let none = Map::new();
        let arguments = match call.tool {
            "site.get_environment" => read(exacta_site::environment(&self.manifest))?,
            "content.inventory" => read(exacta_site::inventory(&self.client, &[]))?,
            "seo.get_config" => read(exacta_site::seo(&self.client))?,
            BULK => {
                let items = call.pages.iter().map(|page| self.page(Op::Create, page, call).map(Value::Object));
                json!({ "items": items.collect::<Result<Vec<_>, _>>()? })
            }
            tool => Value::Object(self.page(op(tool), call.pages.first().unwrap_or(&none), call)?),
        };
        self.public |= arguments.as_object().is_some_and(|arguments| changes_public(call.tool, arguments));
        let words = of.map(|step| format!("{}: {}", step.title, step.objective)).unwrap_or_default();
        let order = number + 1;
        let after: Vec<String> = (number > 0).then(|| format!("s{number}")).into_iter().collect();
        Ok(json!({
            "id": format!("s{order}"), "type": "tool_call", "target": self.site, "dependencies": after, "order": order,
            "description": excerpt(&words, 200), "tool": call.tool, "arguments": arguments,
        }))
    }

    /// The exact arguments of one page, which is kept as it is now.
    fn page(&mut self, op: Op, page: &Map<String, Value>, call: &ContractCall) -> Result<Map<String, Value>, Error> {
        let id = page.get("id").and_then(Value::as_u64);
        let fields: Map<String, Value> =
            page.iter().filter(|(name, _)| *name != "id").map(|(name, value)| (name.clone(), value.clone())).collect();
        let drafted = match draft_call(&self.client, &self.manifest, &Request { op, id, fields: &fields }) {
            Ok(drafted) => drafted,
            Err(NoDraft { code: code @ "SITE_UNREACHABLE", message, hint }) => {
                return Err(Error::fault(code, message).hint(hint));
            }
            Err(NoDraft { code, message, hint }) => {
                self.issues.push(json!({ "code": code, "message": message, "hint": at_a_terminal(&hint), "step": call.step_id, "pointer": "/inputs/pages" }));
                return Ok(Map::new());
            }
        };
        if let Some(before) = &drafted.before {
            let kept = self.images.keep(before.text().as_bytes());
            kept.map_err(|error| Error::fault("not_kept", error.to_string()))?;
        }
        self.notes.extend(drafted.notes);
        Ok(drafted.arguments)
    }
}

fn op(tool: &str) -> Op {
    match tool {
        "content.update_page" => Op::Update,
        "content.publish_page" => Op::Publish,
        "content.trash_page" => Op::Trash,
        _ => Op::Create,
    }
}

fn read(found: Result<Snapshot, exacta_site::SiteError>) -> Result<Value, Error> {
    let snapshot = found.map_err(|error| Error::fault(error.code(), error.to_string()).hint(error.hint()))?;
    Ok(json!({ "sha256": snapshot.sha256 }))
}
