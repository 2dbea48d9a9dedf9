//! Ollama's own chat.

use super::{Wire, bearer, items, number, text};
use crate::answer::{Finish, Source};
use crate::draft::Draft;
use crate::fault::FaultKind;
use crate::frame::Framing;
use crate::key::Key;
use crate::request::{Request, Role};
use crate::status;
use exacta_kernel::provider::ProviderSetup;
use serde_json::{Map, Value, json};

pub(super) struct Ollama;

impl Wire for Ollama {
    fn path(&self, _: &ProviderSetup) -> (Vec<String>, Option<&'static str>) {
        (vec!["api".to_owned(), "chat".to_owned()], None)
    }

    fn headers(&self, key: Option<&Key>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    /// Without `num_ctx` a long request would be cut in silence, so a known context is always asked for.
    fn body(&self, setup: &ProviderSetup, request: &Request) -> Value {
        let mut options = Map::new();
        options.insert("num_predict".to_owned(), request.max_output_tokens.into());
        options.insert("temperature".to_owned(), 0.into());
        if let Some(context) = setup.limits.context {
            options.insert("num_ctx".to_owned(), context.into());
        }
        let system = (!request.system.is_empty()).then(|| json!({ "role": "system", "content": request.system }));
        let said = request.messages.iter().map(|message| {
            let role = if message.role == Role::User { "user" } else { "assistant" };
            json!({ "role": role, "content": message.text })
        });
        let messages: Vec<Value> = system.into_iter().chain(said).collect();
        let mut body = json!({ "model": setup.model, "messages": messages, "stream": true, "options": options });
        if let Value::Object(map) = &mut body {
            if let Some(tool) = &request.tool {
                let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
                map.insert("tools".to_owned(), json!([{ "type": "function", "function": function }]));
            }
            if let Some(schema) = &request.schema {
                map.insert("format".to_owned(), schema.schema.clone());
            }
        }
        body
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn event(&self, event: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(status::in_stream(event));
        }
        draft.model(text(event, "/model"), Source::Response)?;
        draft.text(text(event, "/message/content").unwrap_or_default())?;
        for call in event.get("message").map_or(&[][..], |message| items(message, "tool_calls")) {
            let arguments = match call.pointer("/function/arguments") {
                Some(Value::String(arguments)) => arguments.clone(),
                arguments => arguments.map(Value::to_string).unwrap_or_default(),
            };
            let id = if draft.has_call() { "second" } else { "first" };
            draft.call(id, text(call, "/function/name"), &arguments)?;
        }
        if event.get("done") == Some(&Value::Bool(true)) {
            draft.usage.input = number(event, "/prompt_eval_count").unwrap_or_default();
            draft.usage.output = number(event, "/eval_count").unwrap_or_default();
            let length = text(event, "/done_reason") == Some("length");
            draft.finish(if length { Finish::Length } else { Finish::Complete });
            draft.ended = true;
        }
        Ok(())
    }

    fn whole(&self, body: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        self.event(body, draft)
    }
}
