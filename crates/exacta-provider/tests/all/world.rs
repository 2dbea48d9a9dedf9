//! What the tests share: a setup, a request, and short limits of time.

use exacta_kernel::binding::{Limits, ProviderClass};
use exacta_kernel::provider::{KeySource, ProviderKind, ProviderName, ProviderSetup};
use exacta_provider::{
    Answer, Cancel, Delta, Fault, Key, Message, Model as _, Patience, Provider, Request, Shape, Stage,
};
use exacta_testkit::ModelServer;
use serde_json::{Value, json};
use std::time::Duration;

/// What must never be seen again outside a request.
pub const KEY: &str = "sk-canary-7d1f0c9b";
pub const PROMPT: &str = "canary-prompt-51aa";

pub const PATIENCE: Patience = Patience {
    connect: Duration::from_millis(500),
    first_byte: Duration::from_millis(900),
    idle: Duration::from_millis(700),
    event: Duration::from_millis(400),
    whole: Duration::from_secs(8),
};

pub fn setup(kind: ProviderKind, url: &str) -> ProviderSetup {
    ProviderSetup {
        name: ProviderName::parse("work").unwrap(),
        kind,
        api: None,
        model: "m-1".to_owned(),
        url: url.to_owned(),
        key: KeySource::Environment("NEVER_READ".to_owned()),
        class: ProviderClass::LocalOnly,
        limits: Limits { context: Some(8192), ..Limits::default() },
        capabilities: None,
        timeout_seconds: None,
        price: None,
    }
}

pub fn open(setup: &ProviderSetup) -> Provider {
    let key = Key::new(KEY.to_owned().into()).unwrap();
    Provider::with_key(setup, Some(key)).unwrap_or_else(|fault| panic!("{fault}")).with_patience(PATIENCE)
}

pub fn request() -> Request {
    Request {
        stage: Stage::Plan,
        system: format!("be brief {PROMPT}"),
        messages: vec![Message::user(format!("say hello {PROMPT}"))],
        tool: None,
        schema: None,
        max_output_tokens: 256,
    }
}

pub fn shape() -> Shape {
    let schema = json!({
        "type": "object",
        "properties": { "type": { "type": "string", "enum": ["FixBug", "AddFeature"] } },
        "required": ["type"],
        "additionalProperties": false,
    });
    Shape { name: "intent".to_owned(), description: "What the user wants".to_owned(), schema }
}

pub fn with_tool() -> Request {
    Request { tool: Some(shape()), ..request() }
}

pub fn with_schema() -> Request {
    Request { schema: Some(shape()), ..request() }
}

/// Asks once, and gives back also what was told on the way.
pub fn ask(provider: &mut Provider, request: &Request) -> (Result<Answer, Fault>, Vec<String>) {
    let mut told = Vec::new();
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(text) => told.push(format!("text {text}")),
        Delta::Arguments(text) => told.push(format!("arguments {text}")),
        other => told.push(format!("{other:?}")),
    };
    let answer = provider.answer(request, &mut sink, &Cancel::new());
    (answer, told)
}

/// The last request's body.
pub fn sent(server: &ModelServer) -> Value {
    serde_json::from_str(&server.asked().last().unwrap().body).unwrap()
}
