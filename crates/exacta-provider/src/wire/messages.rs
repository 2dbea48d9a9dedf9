//! Anthropic's messages.

use super::{Wire, items, number, text};
use crate::answer::{Finish, Source};
use crate::draft::Draft;
use crate::fault::{FaultKind, Refusal};
use crate::key::Key;
use crate::request::{Request, Role, Shape};
use crate::status;
use exacta_kernel::provider::ProviderSetup;
use serde_json::{Value, json};

pub(super) struct Messages;

impl Wire for Messages {
    fn path(&self, _: &ProviderSetup) -> (Vec<String>, Option<&'static str>) {
        (vec!["messages".to_owned()], None)
    }

    fn headers(&self, key: Option<&Key>) -> Vec<(&'static str, String)> {
        let version = ("anthropic-version", "2023-06-01".to_owned());
        key.map(|key| ("x-api-key", key.expose().to_owned())).into_iter().chain([version]).collect()
    }

    /// A schema becomes a tool that has to be called: every model can do that. What the stages have in common is marked for the cache.
    fn body(&self, setup: &ProviderSetup, request: &Request) -> Value {
        let mut body = json!({
            "model": setup.model,
            "max_tokens": request.max_output_tokens,
            "messages": messages(request),
            "stream": true,
        });
        if let Value::Object(map) = &mut body {
            if !request.system.is_empty() {
                let system =
                    json!({ "type": "text", "text": request.system, "cache_control": { "type": "ephemeral" } });
                map.insert("system".to_owned(), json!([system]));
            }
            if let Some(Shape { name, description, schema }) = request.tool.as_ref().or(request.schema.as_ref()) {
                let tool = json!({ "name": name, "description": description, "input_schema": schema });
                map.insert("tools".to_owned(), json!([tool]));
                let choice = json!({ "type": "tool", "name": name, "disable_parallel_tool_use": true });
                map.insert("tool_choice".to_owned(), choice);
            }
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        let index = number(event, "/index").unwrap_or_default().to_string();
        match text(event, "/type").unwrap_or_default() {
            "message_start" => {
                draft.model(text(event, "/message/model"), Source::Response)?;
                usage(event.pointer("/message/usage"), draft);
            }
            "content_block_start" if text(event, "/content_block/type") == Some("tool_use") => {
                draft.call(&index, text(event, "/content_block/name"), "")?;
            }
            "content_block_start" => draft.text(text(event, "/content_block/text").unwrap_or_default())?,
            "content_block_delta" => match text(event, "/delta/type") {
                Some("text_delta") => draft.text(text(event, "/delta/text").unwrap_or_default())?,
                Some("input_json_delta") => {
                    draft.call(&index, None, text(event, "/delta/partial_json").unwrap_or_default())?;
                }
                _ => {}
            },
            "message_delta" => {
                usage(event.get("usage"), draft);
                end(text(event, "/delta/stop_reason"), draft)?;
            }
            "message_stop" => draft.ended = true,
            "error" => return Err(status::in_stream(event)),
            _ => {}
        }
        Ok(())
    }

    fn whole(&self, body: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        if text(body, "/type") == Some("error") {
            return Err(status::in_stream(body));
        }
        draft.model(text(body, "/model"), Source::Response)?;
        usage(body.get("usage"), draft);
        for (index, block) in items(body, "content").iter().enumerate() {
            match text(block, "/type") {
                Some("text") => draft.text(text(block, "/text").unwrap_or_default())?,
                Some("tool_use") => {
                    let input = block.get("input").map(Value::to_string).unwrap_or_default();
                    draft.call(&index.to_string(), text(block, "/name"), &input)?;
                }
                _ => {}
            }
        }
        end(text(body, "/stop_reason"), draft)
    }
}

/// The first message holds what all later requests repeat, so the cache is told of it.
fn messages(request: &Request) -> Vec<Value> {
    let said = request.messages.iter().enumerate().map(|(number, message)| {
        let role = if message.role == Role::User { "user" } else { "assistant" };
        let mut part = json!({ "type": "text", "text": message.text });
        if let (0, Value::Object(map)) = (number, &mut part) {
            map.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
        }
        json!({ "role": role, "content": [part] })
    });
    said.collect()
}

/// The counts so far: those of the request come first, those of the answer at the end.
fn usage(usage: Option<&Value>, draft: &mut Draft<'_>) {
    let Some(usage) = usage else { return };
    if let Some(fresh) = number(usage, "/input_tokens") {
        let cached = number(usage, "/cache_read_input_tokens").unwrap_or_default();
        let written = number(usage, "/cache_creation_input_tokens").unwrap_or_default();
        draft.usage.input = fresh.saturating_add(cached).saturating_add(written);
        draft.usage.cached = cached;
    }
    if let Some(output) = number(usage, "/output_tokens") {
        draft.usage.output = output;
    }
}

fn end(reason: Option<&str>, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    match reason {
        None => {}
        Some("max_tokens") => draft.finish(Finish::Length),
        Some("refusal") => draft.refuse(Refusal::Model),
        Some("model_context_window_exceeded") => return Err(FaultKind::ContextExceeded),
        // The server waits for more of a conversation that we do not lead.
        Some("pause_turn") => return Err(FaultKind::CutStream),
        Some(_) => draft.finish(Finish::Complete),
    }
    Ok(())
}
