//! OpenAI's chat completions, and all that speak them: llama.cpp, vLLM, LM Studio, OpenRouter.

use super::{Wire, bearer, is_strict, items, number, text};
use crate::answer::{Finish, Source};
use crate::draft::Draft;
use crate::fault::{FaultKind, Refusal};
use crate::key::Key;
use crate::request::{Request, Role, Shape};
use crate::status;
use exacta_kernel::provider::{ProviderKind, ProviderSetup};
use serde_json::{Value, json};

pub(super) struct Chat;

impl Wire for Chat {
    fn path(&self, _: &ProviderSetup) -> (Vec<String>, Option<&'static str>) {
        (vec!["chat".to_owned(), "completions".to_owned()], None)
    }

    fn headers(&self, key: Option<&Key>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, setup: &ProviderSetup, request: &Request) -> Value {
        let mut body = json!({
            "model": setup.model,
            "messages": messages(request),
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        if let Value::Object(map) = &mut body {
            let own = setup.kind == ProviderKind::Openai;
            // OpenAI's newer models know only the first name, other servers only the second; the newer ones refuse a temperature.
            let limit = if own { "max_completion_tokens" } else { "max_tokens" };
            map.insert(limit.to_owned(), request.max_output_tokens.into());
            if own {
                map.insert("store".to_owned(), false.into());
            } else {
                map.insert("temperature".to_owned(), 0.into());
            }
            if let Some(tool) = &request.tool {
                map.insert("tools".to_owned(), json!([{ "type": "function", "function": function(tool) }]));
                // With one tool this names it; not every server takes the form with a name.
                map.insert("tool_choice".to_owned(), "required".into());
            }
            if let Some(schema) = &request.schema {
                map.insert("response_format".to_owned(), response_format(schema));
            }
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        read(event, "delta", draft)
    }

    fn whole(&self, body: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        read(body, "message", draft)
    }
}

fn messages(request: &Request) -> Vec<Value> {
    let system = (!request.system.is_empty()).then(|| json!({ "role": "system", "content": request.system }));
    let said = request.messages.iter().map(|message| {
        let role = if message.role == Role::User { "user" } else { "assistant" };
        json!({ "role": role, "content": message.text })
    });
    system.into_iter().chain(said).collect()
}

fn function(tool: &Shape) -> Value {
    let strict = is_strict(&tool.schema);
    json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema, "strict": strict })
}

fn response_format(schema: &Shape) -> Value {
    let strict = is_strict(&schema.schema);
    json!({ "type": "json_schema", "json_schema": { "name": schema.name, "schema": schema.schema, "strict": strict } })
}

/// A chunk of a stream, or a whole completion: they differ only in where the message is.
fn read(value: &Value, message: &str, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    if value.get("error").is_some_and(|error| !error.is_null()) {
        return Err(status::in_stream(value));
    }
    draft.model(text(value, "/model"), Source::Response)?;
    if let Some(input) = number(value, "/usage/prompt_tokens") {
        draft.usage.input = input;
        draft.usage.output = number(value, "/usage/completion_tokens").unwrap_or_default();
        draft.usage.cached = number(value, "/usage/prompt_tokens_details/cached_tokens").unwrap_or_default();
    }
    // More than one choice was not asked for.
    let Some(choice) = items(value, "choices").iter().find(|choice| number(choice, "/index").unwrap_or_default() == 0)
    else {
        return Ok(());
    };
    if let Some(message) = choice.get(message) {
        read_message(message, draft)?;
    }
    match text(choice, "/finish_reason") {
        // Some servers write an empty reason where they have none yet.
        None | Some("") => {}
        // The last two are other servers' words for it.
        Some("length" | "model_length" | "max_tokens") => draft.finish(Finish::Length),
        Some("content_filter") => draft.refuse(Refusal::Filter),
        Some("error" | "insufficient_system_resource") => return Err(FaultKind::CutStream),
        Some(_) => draft.finish(Finish::Complete),
    }
    Ok(())
}

fn read_message(message: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    if text(message, "/refusal").is_some_and(|refusal| !refusal.is_empty()) {
        draft.refuse(Refusal::Model);
    }
    match message.get("content") {
        Some(Value::String(content)) => draft.text(content)?,
        // Thoughts and words in parts; only the words are an answer.
        Some(Value::Array(parts)) => {
            let words = parts.iter().filter(|part| text(part, "/type") == Some("text"));
            words.filter_map(|part| text(part, "/text")).try_for_each(|words| draft.text(words))?;
        }
        _ => {}
    }
    // What tool calls were before there could be several.
    if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
        draft.call("0", text(call, "/name"), text(call, "/arguments").unwrap_or_default())?;
    }
    for (position, call) in items(message, "tool_calls").iter().enumerate() {
        let index = number(call, "/index").unwrap_or(position as u64);
        // Some servers send arguments as an object, though they are published as text.
        let arguments = match call.pointer("/function/arguments") {
            Some(Value::String(arguments)) => arguments.clone(),
            None | Some(Value::Null) => String::new(),
            Some(arguments) => arguments.to_string(),
        };
        draft.call(&index.to_string(), text(call, "/function/name"), &arguments)?;
    }
    Ok(())
}
