//! What HTTP adds to a message: headers that say the same as it, the name of a conversation, a status. Nothing is kept between two requests:
//! what a handshake ended with is in the name of the conversation, which a client sends along. It says what the client said of itself, and proves nothing.

use crate::answer::{HEADERS, METHOD, Refusal, VERSION, answer, object, unread};
use crate::host::Client;
use crate::message::{INVALID, Id, Message, PARSE, read};
use crate::server::{Greeted, VERSION_KEY};
use crate::version::{INITIALIZED, STATELESS};
use base64ct::{Base64, Encoding as _};
use exacta_kernel::text::excerpt;
use serde_json::{Map, Value};

/// The version of a client that says none: the first that was spoken over HTTP.
const UNSAID: &str = "2025-03-26";

/// How a text that is no plain header is written in one.
const SENTINEL: (&str, &str) = ("=?base64?", "?=");

/// What the headers of a request say of its message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// `MCP-Protocol-Version`.
    pub version: Option<String>,
    /// `Mcp-Session-Id`.
    pub conversation: Option<String>,
    /// `Mcp-Method`.
    pub method: Option<String>,
    /// `Mcp-Name`.
    pub name: Option<String>,
}

/// A message that came by HTTP.
#[derive(Debug)]
pub struct Posted {
    /// The message.
    pub message: Message,
    /// What the handshake ended with that its client made, or what is assumed of a client that does not say.
    pub greeted: Greeted,
}

/// Why a request has no answer of a host.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// The status of HTTP.
    pub status: u16,
    /// The body: an error of the protocol.
    pub body: Value,
}

impl Posted {
    /// The message of a request, if its headers fit.
    ///
    /// # Errors
    /// If there is no message, or something else in the headers than in it.
    pub fn of(headers: &Headers, body: &[u8]) -> Result<Self, Rejected> {
        let message = match read(body) {
            Ok(Some(message)) => message,
            Ok(None) => return Err(rejected(400, None, Refusal::invalid("the body is empty"))),
            Err(fault) => return Err(Rejected { status: 400, body: unread(&fault) }),
        };
        let greeted = match &message {
            Message::Request { id, method, params } => {
                let said = stateless(params);
                if said || headers.version.as_deref() == Some(STATELESS) && method != "initialize" {
                    mirrored(headers, method, params).map_err(|refusal| rejected(400, Some(id), refusal))?;
                }
                if said { assumed() } else { greeted(headers, method == "initialize")? }
            }
            _ => greeted(headers, false)?,
        };
        Ok(Self { message, greeted })
    }

    /// The name of the tool that it calls.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match &self.message {
            Message::Request { method, params, .. } if method == "tools/call" => params.get("name")?.as_str(),
            _ => None,
        }
    }

    /// What the request is called by its sender.
    #[must_use]
    pub const fn id(&self) -> Option<&Id> {
        match &self.message {
            Message::Request { id, .. } => Some(id),
            _ => None,
        }
    }

    /// The request that is not to be answered any more.
    #[must_use]
    pub fn cancels(&self) -> Option<Id> {
        match &self.message {
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                params.get("requestId").and_then(Id::of)
            }
            _ => None,
        }
    }

    /// The name of the conversation that it begins, if it begins one; the rest of the name is something that no other has.
    #[must_use]
    pub fn begins(&self, unique: &str) -> Option<String> {
        match &self.message {
            Message::Request { method, params, .. } if method == "initialize" => {
                Some(conversation(&Greeted::of(params), unique))
            }
            _ => None,
        }
    }

    /// What gives the status that an answer to it comes with.
    pub fn statuses(&self) -> impl Fn(&Value) -> u16 + use<> {
        let is_stateless = matches!(&self.message, Message::Request { params, .. } if stateless(params));
        move |answer| match answer.pointer("/error/code").and_then(Value::as_i64) {
            Some(METHOD) if is_stateless => 404,
            Some(HEADERS | VERSION | INVALID | PARSE) => 400,
            _ => 200,
        }
    }
}

/// The name of a conversation: what its handshake ended with, and something that nobody else has.
fn conversation(Greeted { version, client }: &Greeted, unique: &str) -> String {
    let [name, of_client] = [&client.name, &client.version].map(|word| hex(word.as_deref().unwrap_or_default()));
    format!("{version}.{name}.{of_client}.{}", hex(unique))
}

/// What a handshake ended with, by the name of its conversation.
fn named(conversation: &str) -> Option<Greeted> {
    let mut parts = conversation.split('.');
    let said = parts.next()?;
    let version = INITIALIZED.into_iter().find(|known| *known == said)?;
    let mut word = || parts.next().and_then(unhex).filter(|word| word.len() <= 512);
    let (name, of_client, _) = (word()?, word()?, word()?);
    let some = |word: String| Some(excerpt(&word, 128)).filter(|word| !word.is_empty());
    let greeted = Greeted { version, client: Client { name: some(name), version: some(of_client) } };
    parts.next().is_none().then_some(greeted)
}

fn assumed() -> Greeted {
    Greeted { version: UNSAID, client: Client::default() }
}

/// What the handshake of a client ended with. One that begins another says what it wants in its message.
fn greeted(headers: &Headers, begins: bool) -> Result<Greeted, Rejected> {
    if begins {
        return Ok(assumed());
    }
    let version = match headers.version.as_deref() {
        None | Some(STATELESS) => None,
        Some(said) => match INITIALIZED.into_iter().find(|known| *known == said) {
            Some(known) => Some(known),
            None => return Err(rejected(400, None, Refusal::version(said))),
        },
    };
    let Some(conversation) = &headers.conversation else {
        return Ok(version.map_or_else(assumed, |version| Greeted { version, ..assumed() }));
    };
    let over = || rejected(404, None, Refusal::invalid("this conversation is over: begin with `initialize`"));
    let greeted = named(conversation).ok_or_else(over)?;
    Ok(version.map_or(greeted.clone(), |version| Greeted { version, ..greeted }))
}

/// Whether a request says its version itself.
fn stateless(params: &Map<String, Value>) -> bool {
    object(params, "_meta").is_some_and(|meta| meta.contains_key(VERSION_KEY))
}

/// That the headers of a request say what it says itself, so that nobody between us and the client read another one.
fn mirrored(headers: &Headers, method: &str, params: &Map<String, Value>) -> Result<(), Refusal> {
    let version = object(params, "_meta").and_then(|meta| meta.get(VERSION_KEY)).and_then(Value::as_str);
    let name = match method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    same("MCP-Protocol-Version", headers.version.as_deref(), version)?;
    same("Mcp-Method", headers.method.as_deref(), Some(method))?;
    match name.and_then(Value::as_str) {
        None => Ok(()),
        Some(name) => same("Mcp-Name", headers.name.as_deref().map(plain).transpose()?.as_deref(), Some(name)),
    }
}

fn same(header: &str, given: Option<&str>, said: Option<&str>) -> Result<(), Refusal> {
    match given {
        Some(given) if Some(given) == said => Ok(()),
        Some(given) => {
            let [given, said] = [given, said.unwrap_or_default()].map(|text| excerpt(text, 80));
            Err(Refusal::headers(format!("the header `{header}` says `{given}`, and the message `{said}`")))
        }
        None => Err(Refusal::headers(format!("the header `{header}` is missing"))),
    }
}

/// A header as it is meant.
fn plain(header: &str) -> Result<String, Refusal> {
    let Some(encoded) = header.strip_prefix(SENTINEL.0).and_then(|rest| rest.strip_suffix(SENTINEL.1)) else {
        return Ok(header.to_owned());
    };
    let bytes = Base64::decode_vec(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    bytes.ok_or_else(|| Refusal::headers("the header `Mcp-Name` is not what its prefix says"))
}

fn rejected(status: u16, id: Option<&Id>, refusal: Refusal) -> Rejected {
    let body = match id {
        Some(id) => answer(id, Err(refusal)),
        None => refusal.unasked(),
    };
    Rejected { status, body }
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<String> {
    let digits = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(digits).collect();
    String::from_utf8(bytes.filter(|_| text.len().is_multiple_of(2))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_says_what_its_handshake_ended_with() {
        let client = Client { name: Some("a.b ü".to_owned()), version: None };
        let greeted = Greeted { version: "2025-06-18", client };
        let name = conversation(&greeted, "x");
        assert!(name.bytes().all(|byte| (0x21..=0x7e).contains(&byte)), "{name}");
        assert_eq!(named(&name), Some(greeted));
        for other in ["", "2025-06-18", "2026-07-28...", "2025-06-18...78.", "2025-06-18.6.61.78", "2025-06-18.ff..78"]
        {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
