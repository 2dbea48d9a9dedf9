//! A line becomes a message, read by the strict reader: what two readers could take for two things is none.

use exacta_kernel::json::{self, JsonError};
use exacta_kernel::text::excerpt;
use serde_json::{Map, Value};

/// The most messages that one array may hold.
const MOST: usize = 64;

/// What a request is called by its sender: a string or an integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Id(Value);

impl Id {
    /// An id, if the value can be one.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        let short = |text: &str| text.len() <= 1024;
        let is_id = value.as_str().is_some_and(short) || value.is_i64() || value.is_u64();
        is_id.then(|| Self(value.clone()))
    }

    /// As it is written.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.0
    }
}

/// What was sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// It is to be answered.
    Request {
        /// What the answer has to name.
        id: Id,
        /// What is asked for.
        method: String,
        /// With what.
        params: Map<String, Value>,
    },
    /// It is not to be answered.
    Notification {
        /// What happened.
        method: String,
        /// With what.
        params: Map<String, Value>,
    },
    /// An answer to something that was never asked: nobody is waiting for it.
    Response,
    /// Several in one array, each of them a message or not.
    Batch(Vec<Result<Message, Fault>>),
}

/// Why a line is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The request it was to be, as far as that can be read.
    pub id: Option<Id>,
    /// The code of JSON-RPC.
    pub code: i64,
    /// What is wrong, in words.
    pub message: String,
}

/// Not JSON.
pub(crate) const PARSE: i64 = -32700;
/// JSON, and no message.
pub(crate) const INVALID: i64 = -32600;

/// Reads a line; none if there is nothing on it.
///
/// # Errors
/// If it is not one message, or several in an array.
pub fn read(line: &[u8]) -> Result<Option<Message>, Fault> {
    let Ok(text) = core::str::from_utf8(line) else { return Err(fault(None, PARSE, "the line is not UTF-8")) };
    if text.trim().is_empty() {
        return Ok(None);
    }
    match json::read(text) {
        Ok(Value::Array(items)) => batch(items).map(Some),
        Ok(value) => message(value).map(Some),
        Err(error @ JsonError::Syntax { .. }) => Err(fault(None, PARSE, &format!("the line is not JSON: {error}"))),
        Err(JsonError::Data(faults)) => {
            let words = faults.first().map_or_else(String::new, |first| {
                let place = excerpt(&first.pointer, 200);
                format!("{} at `{place}`: {}", first.problem.message(), first.problem.hint())
            });
            Err(fault(id_of(text), INVALID, &words))
        }
    }
}

/// The id of a message that cannot be used, so that its sender can be told.
fn id_of(text: &str) -> Option<Id> {
    let lenient: Value = serde_json::from_str(text).ok()?;
    lenient.get("id").and_then(Id::of)
}

fn batch(items: Vec<Value>) -> Result<Message, Fault> {
    match items.len() {
        0 => Err(fault(None, INVALID, "an empty array is no message")),
        1..=MOST => Ok(Message::Batch(items.into_iter().map(message).collect())),
        _ => Err(fault(None, INVALID, &format!("an array holds at most {MOST} messages"))),
    }
}

fn message(value: Value) -> Result<Message, Fault> {
    let Value::Object(mut fields) = value else { return Err(fault(None, INVALID, "a message is a JSON object")) };
    let named = fields.get("id");
    let id = named.and_then(Id::of);
    let wrong = |words: &str| Err(fault(id.clone(), INVALID, words));
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong("`jsonrpc` has to be \"2.0\"");
    }
    if !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error")) {
        return Ok(Message::Response);
    }
    if named.is_some() && id.is_none() {
        return wrong("`id` has to be a string or an integer");
    }
    let Some(Value::String(method)) = fields.remove("method") else { return wrong("`method` has to be a string") };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return wrong("`params` has to be an object"),
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

fn fault(id: Option<Id>, code: i64, message: &str) -> Fault {
    Fault { id, code, message: message.to_owned() }
}
