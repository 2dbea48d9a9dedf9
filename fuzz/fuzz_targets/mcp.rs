//! Lines from an agent's program, and each as the body of a request of which the line before is the headers: never a panic, every line that is sent
//! is one message, no request gets two answers, and the name of a conversation is a header.
#![no_main]

use exacta_mcp::http::{Headers, Posted};
use exacta_mcp::{
    About, Call, Called, Failure, Host, Line, Lines, Prompt, Resource, Server, Template, Tool, ToolResult,
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
    let mut headers = Headers::default();
    while let Ok(Some(line)) = lines.read() {
        let mut answers = 0;
        let received = server.receive(&line, &mut |message| heard(message, &mut answers));
        assert!(received.is_ok() && answers <= 1);
        let Line::Text(text) = line else { continue };
        posted(&headers, &text);
        headers = headers_of(&String::from_utf8_lossy(&text));
    }
});

fn heard(message: &Value, answers: &mut usize) -> std::io::Result<()> {
    let is_answer = |message: &Value| message.get("result").is_some() != message.get("error").is_some();
    match message {
        Value::Array(batch) => assert!(batch.iter().all(is_answer)),
        message => assert!(is_answer(message) || message["method"] == "notifications/progress"),
    }
    *answers += usize::from(message.get("method").is_none());
    Ok(())
}

/// Headers, with `|` between them.
fn headers_of(line: &str) -> Headers {
    let mut parts = line.split('|').map(|part| Some(part.to_owned()).filter(|part| !part.is_empty()));
    let mut next = || parts.next().flatten();
    Headers { version: next(), conversation: next(), method: next(), name: next() }
}

fn posted(headers: &Headers, body: &[u8]) {
    let posted = match Posted::of(headers, body) {
        Ok(posted) => posted,
        Err(rejected) => return assert!((400..500).contains(&rejected.status) && rejected.body.get("error").is_some()),
    };
    if let Some(name) = posted.begins("x") {
        assert!(name.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
    }
    let status = posted.statuses();
    let mut answers = 0;
    let mut server = Server::greeted(Echo, posted.greeted);
    let taken = server.take(posted.message, true, &mut |message| {
        assert!([200, 400, 404].contains(&status(message)));
        heard(message, &mut answers)
    });
    assert!(taken.is_ok() && answers <= 1);
}
