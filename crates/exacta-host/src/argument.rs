//! The arguments of a call. What does not fit is told to the model in words, all of it at once.

use crate::tool::INTENTS;
use exacta_app::import::{Form, Patch};
use exacta_app::{Declared, Error, Exit, Request};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_kernel::proposal::{IntentKind, ModelClaim};
use exacta_kernel::text::excerpt;
use exacta_mcp::Call;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How codex begins a patch.
const CODEX: &str = "*** Begin Patch";

/// Where codex says which model is at work.
const CODEX_META: &str = "x-codex-turn-metadata";

/// The arguments of one call, and what is wrong with them so far.
pub struct Arguments<'a> {
    given: &'a Map<String, Value>,
    wrong: Vec<String>,
}

/// A change: its text, and what comes with it.
pub struct Change {
    pub text: Vec<u8>,
    pub request: Request,
}

impl<'a> Arguments<'a> {
    /// The arguments of a call to a tool that knows these.
    pub fn of(call: &Call<'a>, known: &[&str]) -> Self {
        let given = call.arguments;
        let unknown = given.keys().filter(|name| !known.contains(&name.as_str()));
        let wrong = unknown.map(|name| format!("`{}` is no argument of `{}`", excerpt(name, 40), call.name)).collect();
        Self { given, wrong }
    }

    /// A text, if it is given.
    pub fn text(&mut self, name: &str) -> Option<&'a str> {
        match self.given.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(_) => self.refuse(format!("`{name}` has to be a string")),
        }
    }

    /// Whether something is wanted.
    pub fn flag(&mut self, name: &str) -> bool {
        match self.given.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => self.refuse::<()>(format!("`{name}` has to be true or false")).is_some(),
        }
    }

    /// A number, if it is given.
    pub fn number(&mut self, name: &str, most: u64) -> Option<u64> {
        match self.given.get(name) {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_u64().filter(|number| *number <= most) {
                Some(number) => Some(number),
                None => self.refuse(format!("`{name}` has to be an integer from 0 to {most}")),
            },
        }
    }

    /// One of these words, if it is given.
    pub fn word(&mut self, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let given = self.text(name)?;
        match words.iter().find(|word| **word == given) {
            Some(word) => Some(word),
            None => self.refuse(format!("`{name}` has to be one of {}", words.join(", "))),
        }
    }

    /// A plan, by its whole id.
    pub fn plan(&mut self, name: &str) -> Option<PlanId> {
        let given = self.text(name)?;
        match PlanId::parse(given) {
            Ok(id) => Some(id),
            Err(_) => self.refuse(format!(
                "`{name}` has to be a whole plan id, as `submit` and `status` give it; `{}` is none",
                excerpt(given, 64)
            )),
        }
    }

    /// The same where it has to be given.
    ///
    /// # Errors
    /// Everything that is wrong with the arguments.
    pub fn needed_plan(mut self) -> Result<PlanId, Error> {
        let plan = self.plan("plan_id");
        if plan.is_none() && self.wrong.is_empty() {
            self.wrong.push("`plan_id` is missing".to_owned());
        }
        self.end()?;
        plan.ok_or_else(|| invalid("`plan_id` is missing".to_owned()))
    }

    /// A change, as a patch or a proposal.
    ///
    /// # Errors
    /// Everything that is wrong with the arguments.
    pub fn change(mut self, call: &Call<'_>, revises: Option<PlanId>) -> Result<Change, Error> {
        let patch = self.text("patch");
        let proposal = match self.given.get("proposal") {
            None | Some(Value::Null) => None,
            // Some clients can only pass text.
            Some(Value::String(text)) => Some(text.clone()),
            Some(value @ Value::Object(_)) => Some(value.to_string()),
            Some(_) => self.refuse("`proposal` has to be an object".to_owned()),
        };
        let (intent, words) = (self.word("intent", &INTENTS), self.text("text"));
        let declared = self.declared(call);
        let (text, patch) = match (patch, proposal) {
            (Some(patch), None) => {
                let intent = intent.and_then(IntentKind::parse);
                if intent.is_none() || words.is_none() {
                    self.wrong.push("a `patch` needs `intent` and `text`".to_owned());
                }
                let form = if patch.trim_start().starts_with(CODEX) { Form::Codex } else { Form::Git };
                let intent = intent.unwrap_or(IntentKind::AddFeature);
                let patch_of = Patch { form, intent, words: words.map(str::to_owned) };
                (patch.as_bytes().to_vec(), Some(patch_of))
            }
            (None, Some(proposal)) => {
                if intent.is_some() || words.is_some() {
                    self.wrong.push("a `proposal` says its intent itself: leave `intent` and `text` out".to_owned());
                }
                (proposal.into_bytes(), None)
            }
            _ => {
                self.wrong.push("give either `patch` or `proposal`".to_owned());
                (Vec::new(), None)
            }
        };
        self.end()?;
        Ok(Change { text, request: Request { revises, patch, declared, ..Request::default() } })
    }

    /// What the agent says of itself: in the arguments, or in what its client sends along.
    fn declared(&mut self, call: &Call<'_>) -> Declared {
        let model = match self.given.get("model") {
            None | Some(Value::Null) => told_by_codex(call),
            Some(given) => self.model(given),
        };
        let base = match self.given.get("base") {
            None | Some(Value::Null) => BTreeMap::new(),
            Some(Value::Object(files)) => self.base(files),
            Some(_) => {
                self.refuse("`base` has to be an object of paths and SHA-256 sums".to_owned()).unwrap_or_default()
            }
        };
        let client = call.client.name.as_ref().map(|name| match &call.client.version {
            Some(version) => format!("{name} {version}"),
            None => name.clone(),
        });
        Declared { client, model, base }
    }

    fn model(&mut self, given: &Value) -> Option<ModelClaim> {
        let text = |name: &str| given.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        match (text("provider"), text("model")) {
            (Some(provider), Some(model)) => Some(claim(provider, model, text("version"))),
            _ => self.refuse("`model` has to have `provider` and `model`".to_owned()),
        }
    }

    fn base(&mut self, files: &Map<String, Value>) -> BTreeMap<String, Digest> {
        let mut base = BTreeMap::new();
        for (path, sum) in files {
            match sum.as_str().map(Digest::parse) {
                Some(Ok(digest)) => drop(base.insert(path.clone(), digest)),
                _ => self.wrong.push(format!("`base` has no SHA-256 for `{}`", excerpt(path, 80))),
            }
        }
        base
    }

    fn refuse<T>(&mut self, why: String) -> Option<T> {
        self.wrong.push(why);
        None
    }

    /// That nothing was wrong.
    ///
    /// # Errors
    /// Everything that was.
    pub fn end(&self) -> Result<(), Error> {
        if self.wrong.is_empty() { Ok(()) } else { Err(invalid(self.wrong.join("; "))) }
    }
}

/// codex sends the model along with each call.
fn told_by_codex(call: &Call<'_>) -> Option<ModelClaim> {
    let model = call.meta.get(CODEX_META)?.get("model")?.as_str().filter(|model| !model.is_empty())?;
    Some(claim("openai", model, None))
}

fn claim(provider: &str, model: &str, version: Option<&str>) -> ModelClaim {
    let short = |text: &str| excerpt(text, exacta_kernel::limit::NAME / 4);
    ModelClaim { provider: short(provider), model: short(model), version: version.map(short) }
}

fn invalid(message: String) -> Error {
    Error::new(Exit::Usage, "arguments_invalid", message).hint("call the tool again with arguments that fit its schema")
}
