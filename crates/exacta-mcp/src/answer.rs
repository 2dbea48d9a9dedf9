//! What is sent: results in the shape of each era, errors, and progress.

use crate::host::{About, Failure, Host, Prompt, Resource, Template, Tool, ToolResult};
use crate::message::{Fault, Id};
use crate::version::{Era, STATELESS};
use exacta_kernel::text::visible_json;
use serde_json::{Map, Value, json};

/// What was asked for is not offered.
pub(crate) const METHOD: i64 = -32601;
/// What was given does not fit.
pub(crate) const PARAMS: i64 = -32602;
/// Something of ours failed.
pub(crate) const INTERNAL: i64 = -32603;
/// What the headers say is not what the message says.
pub(crate) const HEADERS: i64 = -32020;
/// A version that is not spoken.
pub(crate) const VERSION: i64 = -32022;

/// How long a client may keep what never changes while this program runs, in milliseconds.
const KEPT: u64 = 300_000;

/// An error of the protocol.
#[derive(Debug)]
pub(crate) struct Refusal {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl Refusal {
    pub fn method(name: &str) -> Self {
        let message = format!("there is no method `{}` here", exacta_kernel::text::excerpt(name, 80));
        Self { code: METHOD, message, data: None }
    }

    pub fn params(message: impl Into<String>) -> Self {
        Self { code: PARAMS, message: message.into(), data: None }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: crate::message::INVALID, message: message.into(), data: None }
    }

    pub fn headers(message: impl Into<String>) -> Self {
        Self { code: HEADERS, message: message.into(), data: None }
    }

    pub fn version(asked: &str) -> Self {
        let requested = exacta_kernel::text::excerpt(asked, 40);
        let message = format!("version `{requested}` of the protocol is not spoken here");
        Self { code: VERSION, message, data: Some(json!({ "supported": [STATELESS], "requested": requested })) }
    }
}

impl Refusal {
    /// As it is told where no request is named.
    pub fn unasked(self) -> Value {
        error(None, self.code, &self.message, self.data)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Params(message) => Self::params(message),
            Failure::Internal(message) => Self { code: INTERNAL, message, data: None },
        }
    }
}

/// The answer to a request.
pub(crate) fn answer(id: &Id, result: Result<Value, Refusal>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id.value(), "result": result }),
        Err(refusal) => error(Some(id), refusal.code, &refusal.message, refusal.data),
    }
}

/// The answer to what is no message.
pub(crate) fn unread(fault: &Fault) -> Value {
    error(fault.id.as_ref(), fault.code, &fault.message, None)
}

fn error(id: Option<&Id>, code: i64, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let (Some(data), Value::Object(fields)) = (data, &mut error) {
        fields.insert("data".to_owned(), data);
    }
    json!({ "jsonrpc": "2.0", "id": id.map(Id::value), "error": error })
}

/// That a call goes on.
pub(crate) fn progress(token: &Value, done: u64, total: Option<u64>, words: &str) -> Value {
    let mut params = json!({ "progressToken": token, "progress": done, "message": words });
    if let (Some(total), Value::Object(fields)) = (total, &mut params) {
        fields.insert("total".to_owned(), total.into());
    }
    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
}

/// Results in the shape of an era.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub era: Era,
}

impl Shape {
    /// A result that is over once it is read.
    pub fn plain(self, result: Value, about: &About) -> Value {
        let Value::Object(mut fields) = result else { return result };
        if self.era == Era::Stateless {
            fields.insert("resultType".to_owned(), "complete".into());
            let server = json!({ "name": about.name, "title": about.title, "version": about.version });
            fields.insert("_meta".to_owned(), json!({ "io.modelcontextprotocol/serverInfo": server }));
        }
        Value::Object(fields)
    }

    /// A result that a client may keep. What is offered depends on whose credential it is, so that nobody else may.
    pub fn kept(self, result: Value, about: &About, milliseconds: u64) -> Value {
        let mut result = self.plain(result, about);
        if let (Era::Stateless, Value::Object(fields)) = (self.era, &mut result) {
            fields.insert("ttlMs".to_owned(), milliseconds.into());
            fields.insert("cacheScope".to_owned(), "private".into());
        }
        result
    }

    pub fn discovered(self, about: &About) -> Value {
        let result = json!({
            "supportedVersions": [STATELESS],
            "capabilities": capabilities(),
            "instructions": about.instructions,
        });
        self.kept(result, about, KEPT)
    }

    pub fn initialized(version: &str, about: &About) -> Value {
        json!({
            "protocolVersion": version,
            "capabilities": capabilities(),
            "serverInfo": { "name": about.name, "title": about.title, "version": about.version },
            "instructions": about.instructions,
        })
    }

    pub fn tools(self, host: &dyn Host) -> Value {
        let tools: Vec<Value> = host.tools().iter().map(tool).collect();
        self.kept(json!({ "tools": tools }), &host.about(), KEPT)
    }

    pub fn called(self, result: &ToolResult, about: &About) -> Value {
        let text = visible_json(&result.value.to_string()).into_owned();
        let content = json!([{ "type": "text", "text": text }]);
        let called = json!({ "content": content, "structuredContent": result.value, "isError": result.failed });
        self.plain(called, about)
    }

    pub fn resources(self, resources: &[Resource], about: &About) -> Value {
        let listed: Vec<Value> = resources.iter().map(resource).collect();
        self.kept(json!({ "resources": listed }), about, 0)
    }

    pub fn templates(self, templates: &[Template], about: &About) -> Value {
        let listed: Vec<Value> = templates.iter().map(template).collect();
        self.kept(json!({ "resourceTemplates": listed }), about, KEPT)
    }

    pub fn read(self, uri: &str, mime: &str, text: &str, about: &About) -> Value {
        self.kept(json!({ "contents": [{ "uri": uri, "mimeType": mime, "text": text }] }), about, 0)
    }

    pub fn prompts(self, prompts: &[Prompt], about: &About) -> Value {
        let listed: Vec<Value> = prompts.iter().map(prompt).collect();
        self.kept(json!({ "prompts": listed }), about, KEPT)
    }

    pub fn prompt(self, description: &str, text: &str, about: &About) -> Value {
        let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
        self.plain(json!({ "description": description, "messages": [message] }), about)
    }
}

fn capabilities() -> Value {
    json!({ "tools": {}, "resources": {}, "prompts": {} })
}

fn tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": tool.output,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.reads_only,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.is_idempotent,
            "openWorldHint": false,
        },
    })
}

fn resource(resource: &Resource) -> Value {
    json!({
        "uri": resource.uri,
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mimeType": resource.mime,
    })
}

fn template(template: &Template) -> Value {
    json!({
        "uriTemplate": template.uri,
        "name": template.name,
        "title": template.title,
        "description": template.description,
        "mimeType": template.mime,
    })
}

fn prompt(prompt: &Prompt) -> Value {
    let arguments = prompt.arguments.iter().map(
        |argument| json!({ "name": argument.name, "description": argument.description, "required": argument.required }),
    );
    json!({
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": arguments.collect::<Vec<Value>>(),
    })
}

/// A message as it is sent: one line, with nothing hidden in it.
pub(crate) fn line(message: &Value) -> String {
    format!("{}\n", visible_json(&message.to_string()))
}

/// An object within parameters; an empty one where there is none.
pub(crate) fn object<'p>(params: &'p Map<String, Value>, name: &str) -> Option<&'p Map<String, Value>> {
    params.get(name).and_then(Value::as_object)
}
