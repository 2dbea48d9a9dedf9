//! A host that offers one of each, and does nothing.

use exacta_mcp::{
    About, Call, Called, Failure, Host, Job, Prompt, PromptArgument, Resource, Template, Tool, ToolResult,
};
use serde_json::{Map, Value, json};
use std::time::Duration;

pub struct Parrot;

/// Waits for so many looks.
struct Patience(u64);

impl Job for Patience {
    fn look(&mut self) -> Option<ToolResult> {
        self.0 = self.0.checked_sub(1)?;
        (self.0 == 0).then(|| ToolResult { value: json!({ "waited": true }), failed: false })
    }

    fn words(&self) -> String {
        "not yet".to_owned()
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(50)
    }
}

impl Host for Parrot {
    fn about(&self) -> About {
        About { name: "parrot", title: "A parrot", version: "1.0.0", instructions: "Say something." }
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "say",
            title: "Say",
            description: "Says what it is told.",
            input: json!({ "type": "object" }),
            output: json!({ "type": "object" }),
            reads_only: true,
            destroys: false,
            is_idempotent: true,
        }]
    }

    fn call(&mut self, call: &Call<'_>, tell: &mut dyn FnMut(&str)) -> Result<Called, Failure> {
        match call.name {
            "say" => {
                tell("clears its throat");
                let value = json!({ "said": call.arguments, "to": call.client.name, "of": call.client.version });
                Ok(Called::Done(ToolResult { value, failed: false }))
            }
            "fail" => Ok(Called::Done(ToolResult { value: json!({ "error": "hoarse" }), failed: true })),
            "wait" if call.may_wait => {
                Ok(Called::Later(Box::new(Patience(call.arguments.get("looks").and_then(Value::as_u64).unwrap_or(1)))))
            }
            "wait" => Ok(Called::Done(ToolResult { value: json!({ "waited": false }), failed: false })),
            other => Err(Failure::Params(format!("there is no tool `{other}`"))),
        }
    }

    fn resources(&mut self) -> Result<Vec<Resource>, Failure> {
        let (uri, name, title) = ("parrot://feather".to_owned(), "feather".to_owned(), "A feather".to_owned());
        Ok(vec![Resource { uri, name, title, description: "Green.".to_owned(), mime: "text/plain" }])
    }

    fn templates(&self) -> Vec<Template> {
        let (uri, name, title) = ("parrot://feather/{number}", "feathers", "Feathers");
        vec![Template { uri, name, title, description: "Green.", mime: "text/plain" }]
    }

    fn read(&mut self, uri: &str) -> Result<(&'static str, String), Failure> {
        match uri {
            "parrot://feather" => Ok(("text/plain", "green\n".to_owned())),
            "parrot://egg" => Err(Failure::Internal("it is broken".to_owned())),
            _ => Err(Failure::Params(format!("there is no `{uri}`"))),
        }
    }

    fn prompts(&self) -> Vec<Prompt> {
        const WORD: PromptArgument = PromptArgument { name: "word", description: "What to say.", required: true };
        vec![Prompt { name: "teach", title: "Teach", description: "Teaches it a word.", arguments: &[WORD] }]
    }

    fn prompt(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<String, Failure> {
        match (name, arguments.get("word").and_then(Value::as_str)) {
            ("teach", Some(word)) => Ok(format!("Say {word}.")),
            ("teach", None) => Err(Failure::Params("`word` is missing".to_owned())),
            _ => Err(Failure::Params(format!("there is no prompt `{name}`"))),
        }
    }
}
