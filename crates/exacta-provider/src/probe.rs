//! Finds out what a model can do: asks the server what it publishes, then the model for one tool call and one shaped answer.

use crate::answer::{Content, Delta};
use crate::cancel::Cancel;
use crate::fault::{Fault, FaultKind};
use crate::provider::{Provider, fault};
use crate::request::{Message, Request, Shape, Stage};
use crate::{Answer, Model as _, weights};
use exacta_kernel::binding::{Limits, ModelIdentity, ProviderClass};
use exacta_kernel::hash::Digest;
use exacta_kernel::provider::{Capability, Probed, ProviderKind};
use serde_json::{Value, json};
use std::time::Instant;

/// Enough for a model that reasons before it answers.
const OUTPUT: u64 = 1024;
/// Ollama keeps as much memory as it is asked for, so nothing near the largest context is asked for unless the user does.
const OLLAMA_CONTEXT: u64 = 32_768;

impl Provider {
    /// Finds out what the model can do. It costs two short answers.
    ///
    /// # Errors
    /// [`Fault`] if it cannot be asked at all; what it cannot do is no fault.
    pub fn probe(&mut self, cancel: &Cancel) -> Result<Probed, Fault> {
        let limits = self.published(cancel).map_err(|kind| fault(self.setup(), Stage::Test, 1, kind))?;
        let mut found = Probed { limits, local_sha256: self.digest(cancel), ..Probed::default() };
        let (called, first) = self.timed(&Request { tool: Some(shape()), ..question() }, cancel)?;
        let (shaped, second) = self.timed(&Request { schema: Some(shape()), ..question() }, cancel)?;
        found.latency_ms = first.into_iter().chain(second).min();
        if called.as_ref().is_some_and(|answer| matches!(answer.content, Content::Call(_))) {
            found.capabilities.insert(Capability::Tools);
        }
        if shaped.as_ref().is_some_and(|answer| fits(answer.content.text())) {
            found.capabilities.insert(Capability::JsonMode);
        }
        if called.iter().chain(&shaped).any(|answer| answer.streamed) {
            found.capabilities.insert(Capability::Streaming);
        }
        Ok(found)
    }

    /// Who answers now: one short answer, and the weights where they can be looked up.
    ///
    /// # Errors
    /// [`Fault`] if it cannot be asked.
    pub fn identify(&mut self, cancel: &Cancel) -> Result<ModelIdentity, Fault> {
        self.look_at_weights(cancel);
        match self.answer(&question(), &mut |_: Delta<'_>| {}, cancel) {
            // Whatever it said or refused to say, it answered.
            Ok(_) | Err(Fault { kind: FaultKind::OutputLimit, .. }) => Ok(self.identity()),
            Err(fault) => Err(fault),
        }
    }

    /// One answer and how long it took; no time where there was no answer.
    fn timed(&mut self, request: &Request, cancel: &Cancel) -> Result<(Option<Answer>, Option<u64>), Fault> {
        let began = Instant::now();
        let answer = self.trial(request, cancel)?;
        let took = answer.is_some().then(|| u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        Ok((answer, took))
    }

    /// One answer; none where the model cannot do what is asked.
    fn trial(&mut self, request: &Request, cancel: &Cancel) -> Result<Option<Answer>, Fault> {
        use FaultKind::{BadRequest, BadToolCall, OutputLimit, Refused};
        match self.answer(request, &mut |_: Delta<'_>| {}, cancel) {
            Ok(answer) => Ok(Some(answer)),
            Err(fault) => match fault.kind {
                BadRequest { .. } | BadToolCall | OutputLimit | Refused { .. } => Ok(None),
                _ => Err(fault),
            },
        }
    }

    /// What tells the weights from others, where the server says it.
    pub(crate) fn digest(&mut self, cancel: &Cancel) -> Option<Digest> {
        let setup = self.setup();
        let ask = |url| self.look_up(url, None, cancel).ok();
        match setup.kind {
            ProviderKind::Ollama => {
                let tags = ask(self.endpoint().below(setup.kind, &["api", "tags"]))?;
                digest(&tags, &setup.model)
            }
            // Only what runs on this machine can name a file of it.
            ProviderKind::OpenaiCompatible if setup.class == ProviderClass::LocalOnly => {
                let props = ask(self.endpoint().at_root("/props"))?;
                let file = weights::hashed(weights::named(&props)?, self.weights_file(), cancel)?;
                let sha256 = file.sha256;
                self.set_weights_file(file);
                Some(sha256)
            }
            _ => None,
        }
    }

    /// The numbers that the server publishes of the model. Not every server does; only the user stopping it ends this.
    fn published(&self, cancel: &Cancel) -> Result<Limits, FaultKind> {
        let (kind, model) = (self.setup().kind, self.setup().model.as_str());
        let get = |parts: &[&str]| self.look_up(self.endpoint().below(kind, parts), None, cancel);
        let told = |answer: Result<Value, FaultKind>| match answer {
            Err(FaultKind::Cancelled) => Err(FaultKind::Cancelled),
            answer => Ok(answer.unwrap_or_default()),
        };
        match kind {
            ProviderKind::Openai => Ok(Limits::default()),
            ProviderKind::OpenaiCompatible => {
                let props = told(self.look_up(self.endpoint().at_root("/props"), None, cancel))?;
                let models = told(get(&["models"]))?;
                Ok(compatible(&props, &models, model))
            }
            ProviderKind::Anthropic => {
                let card = told(get(&["models", model]))?;
                Ok(limits(&card, "", "max_input_tokens", "max_tokens"))
            }
            ProviderKind::Gemini => {
                let card = told(get(&["models", model.strip_prefix("models/").unwrap_or(model)]))?;
                Ok(limits(&card, "", "inputTokenLimit", "outputTokenLimit"))
            }
            ProviderKind::Ollama => {
                let named = json!({ "model": model });
                let shown = told(self.look_up(self.endpoint().below(kind, &["api", "show"]), Some(&named), cancel))?;
                Ok(ollama(&shown))
            }
        }
    }
}

/// llama.cpp tells its context in `/props`, vLLM and OpenRouter in the list of models.
fn compatible(props: &Value, models: &Value, model: &str) -> Limits {
    let listed = models.get("data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let named = listed.iter().find(|card| card.get("id").and_then(Value::as_str) == Some(model));
    let card = named.or_else(|| listed.first().filter(|_| listed.len() == 1));
    let number = |field: &str| card.and_then(|card| card.get(field)).and_then(Value::as_u64);
    let running = props.pointer("/default_generation_settings/n_ctx").and_then(Value::as_u64);
    let context = running.or_else(|| number("max_model_len")).or_else(|| number("context_length"));
    Limits { context, ..Limits::default() }
}

fn limits(card: &Value, context: &str, input: &str, output: &str) -> Limits {
    let number = |field: &str| card.get(field).and_then(Value::as_u64);
    Limits { context: number(context), input: number(input), output: number(output) }
}

/// The context is called after the architecture: `llama.context_length`.
fn ollama(shown: &Value) -> Limits {
    let info = shown.get("model_info").and_then(Value::as_object);
    let length = info.into_iter().flatten().find(|(name, _)| name.ends_with(".context_length"));
    let context = length.and_then(|(_, value)| value.as_u64()).map(|context| context.min(OLLAMA_CONTEXT));
    Limits { context, ..Limits::default() }
}

/// The digest of the model's manifest, which names its weights by their hashes.
fn digest(tags: &Value, model: &str) -> Option<Digest> {
    let full = if model.contains(':') { model.to_owned() } else { format!("{model}:latest") };
    let listed = tags.get("models").and_then(Value::as_array)?;
    let found = listed.iter().find(|card| card.get("name").and_then(Value::as_str) == Some(full.as_str()))?;
    let text = found.get("digest").and_then(Value::as_str)?;
    Digest::parse(text.strip_prefix("sha256:").unwrap_or(text)).ok()
}

fn question() -> Request {
    Request {
        stage: Stage::Test,
        system: "You answer exactly in the form that is asked for.".to_owned(),
        messages: vec![Message::user("Report the colour of a clear sky at noon.")],
        tool: None,
        schema: None,
        max_output_tokens: OUTPUT,
    }
}

fn shape() -> Shape {
    let schema = json!({
        "type": "object",
        "properties": { "colour": { "type": "string", "enum": ["blue", "green", "red"] } },
        "required": ["colour"],
        "additionalProperties": false,
    });
    Shape { name: "report".to_owned(), description: "Reports a colour.".to_owned(), schema }
}

/// Whether an answer has the shape.
fn fits(text: &str) -> bool {
    let value = exacta_kernel::json::read(text.trim()).unwrap_or_default();
    let colour = value.get("colour").and_then(Value::as_str);
    matches!(colour, Some("blue" | "green" | "red")) && value.as_object().is_some_and(|map| map.len() == 1)
}
