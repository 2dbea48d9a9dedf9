//! A model on the wire that makes the mistakes a case says, and mends them only if the finding it got names the place.

use exacta_testkit::{Asked, ModelServer, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

/// The name that the model gives itself.
pub const MODEL: &str = "m-1";

/// What a question is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Intent,
    Plan,
    /// The change of this step, from 0.
    Change(usize),
}

/// A question as the model sees it.
pub struct Question {
    pub stage: Stage,
    /// The first message of the user's.
    pub text: String,
    /// What was wrong with the last answer; empty the first time.
    pub wrong: String,
    /// Whether the answer is to be JSON.
    pub wants_content: bool,
}

impl Question {
    pub fn of(asked: &Asked) -> Self {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let messages: Vec<(&str, &str)> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["role"].as_str().unwrap(), it["content"].as_str().unwrap()))
            .collect();
        let system = messages[0].1;
        let text = messages[1].1.to_owned();
        let form = &body["response_format"]["json_schema"]["name"];
        // Who does not call the tool is asked for the same with a schema.
        let stage = if body["tools"].is_array() || form == "read_request" {
            Stage::Intent
        } else if system.starts_with("You plan") {
            Stage::Plan
        } else {
            let after = text.rsplit("Write the change of step s").next().unwrap();
            Stage::Change(
                after.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().unwrap() - 1,
            )
        };
        let earlier = text.split("An earlier plan was not accepted:").nth(1).unwrap_or_default().to_owned();
        let wrong = if messages.len() > 2 { messages.last().unwrap().1.to_owned() } else { earlier };
        let wants_content = form == "content";
        Self { stage, text, wrong, wants_content }
    }
}

/// A server that answers by a rule.
pub fn serve(answer: impl Fn(usize, &Question) -> Reply + Send + Sync + 'static) -> ModelServer {
    ModelServer::start(move |number, asked| answer(number, &Question::of(asked)))
}

/// A model for one case of `requests.json`.
pub fn scripted(case: &Value, tree: &Value) -> ModelServer {
    let (case, tree) = (Arc::new(case.clone()), Arc::new(tree.clone()));
    serve(move |_, question| answer(&case, &tree, question))
}

fn answer(case: &Value, tree: &Value, question: &Question) -> Reply {
    let slip = case["slip"].as_str().unwrap_or_default();
    match question.stage {
        Stage::Intent => match &case["reading"] {
            Value::Null => call(&reading(case["intent"].as_str().unwrap(), 95)),
            reading => call(reading),
        },
        Stage::Plan => say(&plan(case, slip, &question.wrong)),
        Stage::Change(step) => say(&change(case, tree, slip, step, question)),
    }
}

/// A reading of this type and confidence.
pub fn reading(kind: &str, confidence: u32) -> Value {
    json!({
        "type": kind, "confidence": confidence, "files": [], "symbols": [], "alternatives": [], "parts": [], "kind": "", "name": "", "path": "",
        "location": "", "configuration": "",
    })
}

fn plan(case: &Value, slip: &str, wrong: &str) -> String {
    let mut steps: Vec<Value> =
        case["steps"].as_array().unwrap().iter().enumerate().map(|(at, step)| outline(at, step)).collect();
    let first = steps[0]["target"].as_str().unwrap().to_owned();
    let named = |place: &str| wrong.contains(place);
    match slip {
        "wrong_file" if !(named("PLAN_TARGET_MISSING") && named("lib/wrong.txt")) => {
            steps[0]["target"] = json!("lib/wrong.txt")
        }
        "extra_step" if !(named(&first) && named("s9")) => {
            steps.push(json!({ "id": "s9", "type": "file_modify", "target": first, "description": "The same file once more.", "dependencies": [], "satisfies": [] }));
        }
        "forbidden" if !(named("PLAN_CONSTRAINT") && named(case["forbidden"].as_str().unwrap())) => {
            steps.push(json!({ "id": "s9", "type": "file_modify", "target": case["forbidden"], "description": "Change what must be left alone.", "dependencies": [], "satisfies": [] }));
        }
        "prose" if !named("PLAN_PARSE_NONJSON") => {
            return format!("Sure, here is the plan:\n{}", json!({ "steps": steps, "assumptions": [] }));
        }
        _ => {}
    }
    json!({ "steps": steps, "assumptions": [] }).to_string()
}

/// A step without its change.
pub fn outline(at: usize, step: &Value) -> Value {
    json!({
        "id": format!("s{}", at + 1), "type": step["type"], "target": step["target"], "description": step["description"],
        "dependencies": [], "satisfies": [],
    })
}

fn change(case: &Value, tree: &Value, slip: &str, step: usize, question: &Question) -> String {
    let Some(given) = case["steps"].get(step) else {
        // The step that must not be: only asked for where the plan was not stopped.
        return json!({ "edits": [case["forbidden_edit"].clone()] }).to_string();
    };
    let target = given["target"].as_str().unwrap();
    let mut edits = given["edits"].clone();
    let named = question.wrong.contains(target) || question.wrong.contains(&format!("s{}", step + 1));
    if slip == "wrong_lines" && step == 0 && !named {
        edits[0]["find"] = json!(format!("{} ", edits[0]["find"].as_str().unwrap().replace('\n', "\n\t")));
    }
    let whole = whole(tree[target].as_str().unwrap(), &given["edits"]);
    if slip == "elided" && step == 0 && !named {
        let kept: String = whole.lines().take(2).map(|line| format!("{line}\n")).collect();
        let mark = if target.ends_with(".py") { "#" } else { "//" };
        return json!({ "content": format!("{kept}{mark} ... rest of the file unchanged ...\n") }).to_string();
    }
    if question.wants_content { json!({ "content": whole }).to_string() } else { json!({ "edits": edits }).to_string() }
}

/// A file after its edits.
pub fn whole(before: &str, edits: &Value) -> String {
    edits.as_array().unwrap().iter().fold(before.to_owned(), |text, edit| {
        text.replacen(edit["find"].as_str().unwrap(), edit["replace"].as_str().unwrap(), 1)
    })
}

/// An answer as text.
pub fn say(text: &str) -> Reply {
    say_as(MODEL, text)
}

/// The same, from a model of this name.
pub fn say_as(model: &str, text: &str) -> Reply {
    let (head, tail) = text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
    let piece =
        |text: &str| json!({ "model": model, "choices": [{ "index": 0, "delta": { "content": text } }] }).to_string();
    Reply::events([piece(head), piece(tail), end(model, "stop"), usage(model), "[DONE]".to_owned()])
}

/// An answer as a call of the tool.
pub fn call(arguments: &Value) -> Reply {
    let call = json!({ "index": 0, "id": "c", "type": "function", "function": { "name": "read_request", "arguments": arguments.to_string() } });
    let piece = json!({ "model": MODEL, "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }).to_string();
    Reply::events([piece, end(MODEL, "tool_calls"), usage(MODEL), "[DONE]".to_owned()])
}

fn end(model: &str, why: &str) -> String {
    json!({ "model": model, "choices": [{ "index": 0, "delta": {}, "finish_reason": why }] }).to_string()
}

fn usage(model: &str) -> String {
    json!({ "model": model, "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 10 } }).to_string()
}
