//! OpenAI's responses.

use super::{Wire, bearer, is_strict, items, number, text};
use crate::answer::{Finish, Source};
use crate::draft::Draft;
use crate::fault::{FaultKind, Refusal};
use crate::key::Key;
use crate::request::{Request, Role};
use crate::status;
use exacta_kernel::provider::ProviderSetup;
use serde_json::{Value, json};

pub(super) struct Responses;

impl Wire for Responses {
    fn path(&self, _: &ProviderSetup) -> (Vec<String>, Option<&'static str>) {
        (vec!["responses".to_owned()], None)
    }

    fn headers(&self, key: Option<&Key>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, setup: &ProviderSetup, request: &Request) -> Value {
        let said = request.messages.iter().map(|message| {
            let role = if message.role == Role::User { "user" } else { "assistant" };
            json!({ "role": role, "content": message.text })
        });
        let mut body = json!({
            "model": setup.model,
            "instructions": request.system,
            "input": said.collect::<Vec<Value>>(),
            "max_output_tokens": request.max_output_tokens,
            "stream": true,
            "store": false,
        });
        if let Value::Object(map) = &mut body {
            if let Some(tool) = &request.tool {
                let strict = is_strict(&tool.schema);
                let tool = json!({
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                    "strict": strict,
                });
                map.insert("tools".to_owned(), json!([tool]));
                map.insert("tool_choice".to_owned(), "required".into());
                map.insert("parallel_tool_calls".to_owned(), false.into());
            }
            if let Some(schema) = &request.schema {
                let strict = is_strict(&schema.schema);
                let format =
                    json!({ "type": "json_schema", "name": schema.name, "schema": schema.schema, "strict": strict });
                map.insert("text".to_owned(), json!({ "format": format }));
            }
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        draft.model(text(event, "/response/model"), Source::Response)?;
        let id = place(event, "/item_id");
        match text(event, "/type").unwrap_or_default() {
            "response.output_text.delta" => draft.text(text(event, "/delta").unwrap_or_default()),
            "response.refusal.delta" | "response.refusal.done" => {
                draft.refuse(Refusal::Model);
                Ok(())
            }
            "response.output_item.added" if text(event, "/item/type") == Some("function_call") => {
                let id = place(event, "/item/id");
                draft.call(&id, text(event, "/item/name"), text(event, "/item/arguments").unwrap_or_default())
            }
            "response.function_call_arguments.delta" => {
                draft.call(&id, None, text(event, "/delta").unwrap_or_default())
            }
            kind @ ("response.completed" | "response.incomplete" | "response.failed") => {
                let response = event.get("response").ok_or(FaultKind::BadAnswer)?;
                // Servers that stream only the beginning and the end.
                if draft.is_empty() && !draft.has_call() {
                    output(response, draft)?;
                }
                end(response, kind.strip_prefix("response."), draft)
            }
            "error" => Err(status::in_stream(event)),
            _ => Ok(()),
        }
    }

    fn whole(&self, body: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        draft.model(text(body, "/model"), Source::Response)?;
        output(body, draft)?;
        end(body, None, draft)
    }
}

/// Which item an event is about: its place in the output, or its id.
fn place(event: &Value, id: &str) -> String {
    let id = || text(event, id).unwrap_or_default().to_owned();
    number(event, "/output_index").map_or_else(id, |index| index.to_string())
}

/// The items of a whole response.
fn output(response: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    for (index, item) in items(response, "output").iter().enumerate() {
        match text(item, "/type") {
            Some("function_call") => {
                draft.call(&index.to_string(), text(item, "/name"), text(item, "/arguments").unwrap_or_default())?;
            }
            Some("message") => message(item, draft)?,
            _ => {}
        }
    }
    Ok(())
}

fn message(item: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    for part in items(item, "content") {
        match text(part, "/type") {
            Some("output_text") => draft.text(text(part, "/text").unwrap_or_default())?,
            Some("refusal") => draft.refuse(Refusal::Model),
            _ => {}
        }
    }
    Ok(())
}

/// The end of a response: its status, which the event that brings it says too, and what it used.
fn end(response: &Value, told: Option<&str>, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    draft.usage.input = number(response, "/usage/input_tokens").unwrap_or_default();
    draft.usage.output = number(response, "/usage/output_tokens").unwrap_or_default();
    draft.usage.cached = number(response, "/usage/input_tokens_details/cached_tokens").unwrap_or_default();
    match (text(response, "/status").or(told), text(response, "/incomplete_details/reason")) {
        (Some("completed"), _) => draft.finish(Finish::Complete),
        (Some("incomplete"), Some("max_output_tokens")) => draft.finish(Finish::Length),
        (Some("incomplete"), _) => draft.refuse(Refusal::Filter),
        _ => return Err(failed(response)),
    }
    draft.ended = true;
    Ok(())
}

/// What the published codes of a failed response mean.
fn failed(response: &Value) -> FaultKind {
    match text(response, "/error/code") {
        Some("server_error") => FaultKind::Overloaded { status: 500 },
        Some("rate_limit_exceeded") => FaultKind::RateLimited { retry_after: None },
        _ => status::in_stream(response),
    }
}
