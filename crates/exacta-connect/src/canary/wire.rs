//! The four ways in which programs speak with models, as far as a script needs them.

use super::http::Answer;
use super::script::Act;
use serde_json::{Value, json};

/// How a program speaks with its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// OpenAI's Responses.
    Responses,
    /// OpenAI's Chat Completions.
    Chat,
    /// Anthropic's Messages.
    Messages,
    /// Google's generateContent.
    Gemini,
}

/// The last words of the script.
const DONE: &str = "done";

impl Wire {
    /// The one that a path belongs to.
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let ends = |end: &str| path.ends_with(end);
        if ends("/responses") {
            Some(Self::Responses)
        } else if ends("/chat/completions") {
            Some(Self::Chat)
        } else if ends("/messages") {
            Some(Self::Messages)
        } else if ends(":streamGenerateContent") || ends(":generateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    /// Whether the model may call tools.
    pub fn has_tools(self, body: &Value) -> bool {
        body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// What tools answered so far.
    pub fn answers(self, body: &Value) -> Vec<String> {
        let all = |name: &str| body[name].as_array().cloned().unwrap_or_default();
        match self {
            Self::Responses => {
                let is_answer = |item: &Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output"));
                all("input").iter().filter(|item| is_answer(item)).map(|item| text(&item["output"])).collect()
            }
            Self::Chat => all("messages").iter().filter(|m| m["role"] == "tool").map(|m| text(&m["content"])).collect(),
            Self::Messages => parts(&all("messages"), "content")
                .filter(|part| part["type"] == "tool_result")
                .map(|part| text(&part["content"]))
                .collect(),
            Self::Gemini => parts(&all("contents"), "parts")
                .filter_map(|part| part.pointer("/functionResponse/response"))
                .map(text)
                .collect(),
        }
    }

    /// The next act of the script, or its end.
    pub fn say(self, path: &str, body: &Value, number: usize, act: Option<&Act>) -> Answer {
        let streams = body["stream"] == true || path.contains(":stream");
        match self {
            Self::Responses => events(responses(number, act), false),
            Self::Messages => {
                if streams {
                    named(messages(body, number, act))
                } else {
                    plain(&message(body, number, act))
                }
            }
            Self::Chat if streams => events(chat_chunks(number, act), true),
            Self::Chat => plain(&chat(number, act)),
            Self::Gemini if streams => events(vec![gemini(act)], false),
            Self::Gemini => plain(&gemini(act)),
        }
    }
}

/// What a tool said, whatever it is wrapped in.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn parts<'v>(messages: &'v [Value], name: &'v str) -> impl Iterator<Item = &'v Value> {
    messages.iter().flat_map(move |message| message[name].as_array().into_iter().flatten())
}

fn plain(value: &Value) -> Answer {
    Answer { kind: "application/json", body: value.to_string() }
}

fn events(events: Vec<Value>, has_end: bool) -> Answer {
    let mut body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    if has_end {
        body.push_str("data: [DONE]\n\n");
    }
    Answer { kind: "text/event-stream", body }
}

/// Events that also say their kind.
fn named(events: Vec<Value>) -> Answer {
    let one = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    Answer { kind: "text/event-stream", body: events.iter().map(one).collect() }
}

fn responses(number: usize, act: Option<&Act>) -> Vec<Value> {
    let id = format!("call_{number}");
    let item = match act {
        None => {
            json!({ "type": "message", "id": "m", "role": "assistant", "content": [{ "type": "output_text", "text": DONE }] })
        }
        // A tool that takes free text.
        Some(Act { tool, arguments: Value::String(input), .. }) => {
            json!({ "type": "custom_tool_call", "id": id, "call_id": id, "name": tool, "input": input })
        }
        Some(Act { tool, group, arguments }) => {
            let mut item = json!({ "type": "function_call", "id": id, "call_id": id, "name": tool, "arguments": arguments.to_string() });
            if let (Some(group), Some(item)) = (group, item.as_object_mut()) {
                item.insert("namespace".to_owned(), json!(group));
            }
            item
        }
    };
    let usage = json!({ "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2 });
    vec![
        json!({ "type": "response.created", "response": { "id": "r" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "r", "usage": usage } }),
    ]
}

/// One block of a message: whole, as it begins in a stream, and what follows there.
struct Block {
    whole: Value,
    begun: Value,
    delta: Value,
    reason: &'static str,
}

impl Block {
    fn of(number: usize, act: Option<&Act>) -> Self {
        let Some(act) = act else {
            return Self {
                whole: json!({ "type": "text", "text": DONE }),
                begun: json!({ "type": "text", "text": "" }),
                delta: json!({ "type": "text_delta", "text": DONE }),
                reason: "end_turn",
            };
        };
        let block = |input: &Value| json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": act.tool, "input": input });
        Self {
            whole: block(&act.arguments),
            begun: block(&json!({})),
            delta: json!({ "type": "input_json_delta", "partial_json": act.arguments.to_string() }),
            reason: "tool_use",
        }
    }
}

fn envelope(body: &Value, content: Value, reason: Option<&str>) -> Value {
    json!({
        "id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
}

fn message(body: &Value, number: usize, act: Option<&Act>) -> Value {
    let block = Block::of(number, act);
    envelope(body, json!([block.whole]), Some(block.reason))
}

fn messages(body: &Value, number: usize, act: Option<&Act>) -> Vec<Value> {
    let Block { begun, delta, reason, .. } = Block::of(number, act);
    vec![
        json!({ "type": "message_start", "message": envelope(body, json!([]), None) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": begun }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn spoken(number: usize, act: Option<&Act>) -> (Value, &'static str) {
    let Some(act) = act else { return (json!({ "role": "assistant", "content": DONE }), "stop") };
    let call = json!({
        "index": 0, "id": format!("call_{number}"), "type": "function",
        "function": { "name": act.tool, "arguments": act.arguments.to_string() },
    });
    (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
}

fn chat(number: usize, act: Option<&Act>) -> Value {
    let (message, reason) = spoken(number, act);
    json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "canary",
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
        "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
    })
}

fn chat_chunks(number: usize, act: Option<&Act>) -> Vec<Value> {
    let (message, reason) = spoken(number, act);
    let chunk = |delta: Value, reason: Option<&str>| {
        json!({
            "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "canary",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
        })
    };
    vec![chunk(message, None), chunk(json!({}), Some(reason))]
}

fn gemini(act: Option<&Act>) -> Value {
    let part = match act {
        None => json!({ "text": DONE }),
        Some(act) => json!({ "functionCall": { "name": act.tool, "args": act.arguments } }),
    };
    let usage = json!({ "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 });
    let candidate = json!({ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 });
    json!({ "candidates": [candidate], "usageMetadata": usage, "modelVersion": "canary" })
}
