//! Lines from an agent's program: never a panic, every line that is sent is one message, and no request gets two answers.
#![no_main]

use exacta_mcp::{
    About, Call, Called, Failure, Host, Lines, Prompt, Resource, Server, Template, Tool, ToolResult,
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

/// Says back what it is told.
struct Echo;

impl Host for Echo {
    fn about(&self) -> About {
        About { name: "echo", title: "Echo", version: "1", instructions: "" }
    }

    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    fn call(&mut self, call: &Call<'_>, tell: &mut dyn FnMut(&str)) -> Result<Called, Failure> {
        tell(call.name);
        let value = Value::Object(call.arguments.clone());
        Ok(Called::Done(ToolResult { value, failed: call.name.is_empty() }))
    }

    fn resources(&mut self) -> Result<Vec<Resource>, Failure> {
        Ok(Vec::new())
    }

    fn templates(&self) -> Vec<Template> {
        Vec::new()
    }

    fn read(&mut self, uri: &str) -> Result<(&'static str, String), Failure> {
        Ok(("text/plain", uri.to_owned()))
    }

    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    fn prompt(&mut self, name: &str, _: &Map<String, Value>) -> Result<String, Failure> {
        Err(Failure::Params(name.to_owned()))
    }
}

fuzz_target!(|data: &[u8]| {
    let mut server = Server::new(Echo);
    let mut lines = Lines::new(data).at_most(4096);
    while let Ok(Some(line)) = lines.read() {
        let mut answers = 0;
        let received = server.receive(&line, &mut |message| {
            let is_answer = |message: &Value| message.get("result").is_some() != message.get("error").is_some();
            match message {
                Value::Array(batch) => assert!(batch.iter().all(is_answer)),
                message => assert!(is_answer(message) || message["method"] == "notifications/progress"),
            }
            answers += usize::from(message.get("method").is_none());
            Ok(())
        });
        assert!(received.is_ok() && answers <= 1);
    }
});
