//! One agent's end of the pipes.

use crate::world::World;
use exacta_testkit::{Lines, Running};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{ChildStdin, Stdio};

/// The version without a handshake.
pub const STATELESS: &str = exacta_mcp::STATELESS;

/// A conversation with one `exacta mcp`.
pub struct Talk {
    running: Running,
    input: ChildStdin,
    lines: Lines,
    era: String,
    next: u64,
}

impl Talk {
    /// Starts the server, and says hello in the way of the era.
    pub fn begin(world: &World, agent: &str, era: &str) -> Self {
        let mut command = world.plain(&["mcp", "--agent", agent]);
        let mut running = Running::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()));
        let (input, lines) = (running.stdin().unwrap(), Lines::of(running.stdout().unwrap()));
        let mut talk = Self { running, input, lines, era: era.to_owned(), next: 0 };
        if era != STATELESS {
            let hello = json!({ "protocolVersion": era, "capabilities": {}, "clientInfo": { "name": "tester", "version": "1.0" } });
            assert_eq!(talk.ask("initialize", hello)["protocolVersion"], era);
            talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        talk
    }

    fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// What is answered, and what was told on the way.
    fn exchange(&mut self, method: &str, mut params: Value, mut meta: Value) -> (Value, Vec<String>) {
        self.next += 1;
        meta["progressToken"] = json!(self.next);
        if self.era == STATELESS {
            meta["io.modelcontextprotocol/protocolVersion"] = json!(STATELESS);
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "tester", "version": "1.0" });
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        params["_meta"] = meta;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        let mut told = Vec::new();
        loop {
            let message: Value = serde_json::from_str(&self.lines.next().unwrap()).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if message["method"] == "notifications/progress" {
                assert_eq!(message["params"]["progressToken"], self.next, "{message}");
                told.push(message["params"]["message"].as_str().unwrap().to_owned());
                continue;
            }
            assert_eq!(message["id"], self.next, "{message}");
            return (message, told);
        }
    }

    /// The result of a request.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.exchange(method, params, json!({})).0;
        assert!(answer["error"].is_null(), "{answer}");
        if self.era == STATELESS {
            assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        }
        answer["result"].clone()
    }

    /// Why a request has no result.
    pub fn fails(&mut self, method: &str, params: Value) -> String {
        let answer = self.exchange(method, params, json!({})).0;
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// What a tool gives.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.call_with(tool, arguments, json!({}))
    }

    /// The same with what a client says beside the call.
    pub fn call_with(&mut self, tool: &str, arguments: Value, meta: Value) -> Value {
        let result =
            self.exchange("tools/call", json!({ "name": tool, "arguments": arguments }), meta).0["result"].clone();
        assert_eq!(result["isError"], false, "{tool}: {result}");
        same_as_text(&result)
    }

    /// The same with what is told on the way.
    pub fn call_told(&mut self, tool: &str, arguments: Value) -> (Value, Vec<String>) {
        let (answer, told) = self.exchange("tools/call", json!({ "name": tool, "arguments": arguments }), json!({}));
        (same_as_text(&answer["result"]), told)
    }

    /// What a tool says that could not do what was asked.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(result["isError"], true, "{tool}: {result}");
        same_as_text(&result)["error"].clone()
    }

    /// The names of the tools.
    pub fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// What the server takes of memory, in KiB.
    pub fn memory(&self) -> u64 {
        memory(self.running.id())
    }
}

/// What a process takes of memory, in KiB.
pub fn memory(id: u32) -> u64 {
    let told = std::fs::read_to_string(format!("/proc/{}/status", id)).unwrap();
    let line = told.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().split(' ').next().unwrap().parse().unwrap()
}

/// Structured content, which is the text, too.
fn same_as_text(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    result["structuredContent"].clone()
}
