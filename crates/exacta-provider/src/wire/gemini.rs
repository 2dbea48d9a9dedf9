//! Google's generateContent.

use super::{Wire, items, number, plain, text};
use crate::answer::{Finish, Source};
use crate::draft::Draft;
use crate::fault::{FaultKind, Refusal};
use crate::key::Key;
use crate::request::{Request, Role};
use crate::status;
use exacta_kernel::provider::ProviderSetup;
use serde_json::{Map, Value, json};

pub(super) struct Gemini;

impl Wire for Gemini {
    fn path(&self, setup: &ProviderSetup) -> (Vec<String>, Option<&'static str>) {
        let model = setup.model.strip_prefix("models/").unwrap_or(&setup.model);
        (vec!["models".to_owned(), format!("{model}:streamGenerateContent")], Some("alt=sse"))
    }

    fn headers(&self, key: Option<&Key>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.expose().to_owned())).into_iter().collect()
    }

    fn body(&self, _: &ProviderSetup, request: &Request) -> Value {
        let said = request.messages.iter().map(|message| {
            let role = if message.role == Role::User { "user" } else { "model" };
            json!({ "role": role, "parts": [{ "text": message.text }] })
        });
        let mut config = Map::new();
        config.insert("maxOutputTokens".to_owned(), request.max_output_tokens.into());
        if let Some(schema) = &request.schema {
            config.insert("responseMimeType".to_owned(), "application/json".into());
            config.insert("responseSchema".to_owned(), plain::schema(&schema.schema));
        }
        let mut body = json!({ "contents": said.collect::<Vec<Value>>(), "generationConfig": config });
        if let Value::Object(map) = &mut body {
            if !request.system.is_empty() {
                map.insert("systemInstruction".to_owned(), json!({ "parts": [{ "text": request.system }] }));
            }
            if let Some(tool) = &request.tool {
                let declared = json!({
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": plain::schema(&tool.schema),
                });
                map.insert("tools".to_owned(), json!([{ "functionDeclarations": [declared] }]));
                let calling = json!({ "mode": "ANY", "allowedFunctionNames": [tool.name] });
                map.insert("toolConfig".to_owned(), json!({ "functionCallingConfig": calling }));
            }
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(status::in_stream(event));
        }
        draft.model(text(event, "/modelVersion"), Source::Response)?;
        usage(event, draft);
        if text(event, "/promptFeedback/blockReason").is_some() {
            draft.refuse(Refusal::Filter);
        }
        // More than one candidate was not asked for.
        let Some(candidate) = items(event, "candidates").first() else { return Ok(()) };
        for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
            read_part(part, draft)?;
        }
        end(text(candidate, "/finishReason"), draft)
    }

    fn whole(&self, body: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
        self.event(body, draft)
    }
}

fn read_part(part: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
        let arguments = call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string);
        // Each part is a whole call; a second one is one too many.
        let id = if draft.has_call() { "second" } else { "first" };
        return draft.call(id, text(call, "/name"), &arguments);
    }
    if part.get("thought") == Some(&Value::Bool(true)) {
        return Ok(());
    }
    draft.text(text(part, "/text").unwrap_or_default())
}

fn usage(event: &Value, draft: &mut Draft<'_>) {
    let count = |field: &str| number(event, &format!("/usageMetadata/{field}"));
    if let Some(input) = count("promptTokenCount") {
        let thoughts = count("thoughtsTokenCount").unwrap_or_default();
        draft.usage.input = input;
        draft.usage.output = count("candidatesTokenCount").unwrap_or_default().saturating_add(thoughts);
        draft.usage.cached = count("cachedContentTokenCount").unwrap_or_default();
    }
}

fn end(reason: Option<&str>, draft: &mut Draft<'_>) -> Result<(), FaultKind> {
    match reason {
        None | Some("FINISH_REASON_UNSPECIFIED") => {}
        Some("STOP") => draft.finish(Finish::Complete),
        Some("MAX_TOKENS") => draft.finish(Finish::Length),
        Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS") => {
            return Err(FaultKind::BadToolCall);
        }
        Some("SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => {
            draft.refuse(Refusal::Filter);
        }
        Some(_) => return Err(FaultKind::CutStream),
    }
    Ok(())
}
