//! The other published formats: what is sent, what is understood, and what goes wrong in each.

use crate::world::{KEY, ask, open, request, sent, setup, with_schema, with_tool};
use exacta_kernel::binding::Limits;
use exacta_kernel::provider::{Capability, ProviderKind, ProviderSetup};
use exacta_provider::{Answer, Cancel, Fault, Finish, Model as _, Request, Usage};
use exacta_testkit::{ModelServer, Reply};
use serde_json::json;

/// Asks a server that always answers like this.
fn answered(kind: ProviderKind, reply: Reply, request: &Request) -> (Result<Answer, Fault>, ModelServer) {
    let server = ModelServer::start(move |_, _| reply.clone());
    let (answer, _) = ask(&mut open(&setup(kind, &server.url())), request);
    (answer, server)
}

fn code(kind: ProviderKind, reply: Reply, request: &Request) -> &'static str {
    answered(kind, reply, request).0.unwrap_err().code()
}

#[test]
fn responses() {
    let kind = ProviderKind::Openai;
    let end = r#"{"type":"response.completed","response":{"model":"m-1-2026-02-03","status":"completed","usage":{"input_tokens":9,"output_tokens":4,"input_tokens_details":{"cached_tokens":5}}}}"#;
    let created = r#"{"type":"response.created","response":{"model":"m-1-2026-02-03","status":"in_progress"}}"#;
    let hello = Reply::events([created, r#"{"type":"response.output_text.delta","item_id":"i","delta":"Hello"}"#, end]);
    let (answer, server) = answered(kind, hello, &with_schema());
    let answer = answer.unwrap();
    assert_eq!((answer.content.text(), answer.usage), ("Hello", Usage { input: 9, output: 4, cached: 5 }));
    let asked = server.asked().pop().unwrap();
    assert_eq!(asked.line, "POST /v1/responses");
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let body = sent(&server);
    assert_eq!((&body["text"]["format"]["strict"], &body["store"]), (&json!(true), &json!(false)));

    let call = Reply::events([
        r#"{"type":"response.output_item.added","item":{"id":"f","type":"function_call","name":"intent","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"f","delta":"{\"type\":\"FixBug\"}"}"#,
        end,
    ]);
    let (answer, server) = answered(kind, call, &with_tool());
    assert_eq!(answer.unwrap().content.text(), r#"{"type":"FixBug"}"#);
    assert_eq!(sent(&server)["parallel_tool_calls"], false);

    let ended = |status: &str, reason: &str| {
        Reply::events([format!(
            r#"{{"type":"response.{status}","response":{{"model":"m","status":"{status}","incomplete_details":{{"reason":"{reason}"}},"error":{{"code":"{reason}"}}}}}}"#
        )])
    };
    assert_eq!(answered(kind, ended("incomplete", "max_output_tokens"), &request()).0.unwrap().finish, Finish::Length);
    assert_eq!(code(kind, ended("incomplete", "content_filter"), &request()), "PROVIDER_REFUSED");
    assert_eq!(code(kind, ended("failed", "server_error"), &request()), "PROVIDER_OVERLOADED");
    assert_eq!(code(kind, Reply::events([created]), &request()), "PROVIDER_CUT_STREAM");
    assert_eq!(
        code(kind, Reply::events([r#"{"type":"response.refusal.delta","delta":"no"}"#, end]), &request()),
        "PROVIDER_REFUSED"
    );
    let whole = r#"{"model":"m","status":"completed","output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],"usage":{}}"#;
    assert_eq!(answered(kind, Reply::json(200, whole), &request()).0.unwrap().content.text(), "Hi");
}

#[test]
fn messages() {
    let kind = ProviderKind::Anthropic;
    let start = r#"{"type":"message_start","message":{"model":"m-1-20260203","usage":{"input_tokens":3,"cache_read_input_tokens":10,"cache_creation_input_tokens":2,"output_tokens":1}}}"#;
    let stop = |reason: &str| {
        format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":7}}}}"#)
    };
    let text = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}"#;
    let end = r#"{"type":"message_stop"}"#;
    let hello = Reply::events([start, r#"{"type":"ping"}"#, text, &stop("end_turn"), end]);
    let (answer, server) = answered(kind, hello, &request());
    let answer = answer.unwrap();
    assert_eq!((answer.content.text(), answer.usage), ("Hello", Usage { input: 15, output: 7, cached: 10 }));
    assert_eq!(answer.served.model.as_deref(), Some("m-1-20260203"));
    let asked = server.asked().pop().unwrap();
    assert_eq!(asked.line, "POST /v1/messages");
    assert_eq!((asked.header("x-api-key"), asked.header("anthropic-version")), (Some(KEY), Some("2023-06-01")));
    assert_eq!(sent(&server)["system"][0]["cache_control"]["type"], "ephemeral");

    let call = || {
        Reply::events([
            start,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"intent","input":{}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"type\":\"Fix"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"Bug\"}"}}"#,
            &stop("tool_use"),
            end,
        ])
    };
    let (answer, server) = answered(kind, call(), &with_tool());
    assert_eq!(format!("{:?}", answer.unwrap().content), "Call(17 bytes)");
    assert_eq!(sent(&server)["tool_choice"]["name"], "intent");
    let (answer, _) = answered(kind, call(), &with_schema());
    assert_eq!(format!("{:?}", answer.unwrap().content), "Text(17 bytes)", "a schema is asked for as a tool");

    assert_eq!(code(kind, Reply::events([start, &stop("refusal"), end]), &request()), "PROVIDER_REFUSED");
    assert_eq!(code(kind, Reply::events([start, text]).cut(), &request()), "PROVIDER_CUT_STREAM");
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#;
    assert_eq!(code(kind, Reply::json(529, overloaded), &request()), "PROVIDER_OVERLOADED");
    assert_eq!(code(kind, Reply::events([start, overloaded]), &request()), "PROVIDER_OVERLOADED");
    let long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#;
    assert_eq!(code(kind, Reply::json(400, long), &request()), "PROVIDER_CONTEXT_EXCEEDED");
}

#[test]
fn gemini() {
    let kind = ProviderKind::Gemini;
    let part = |part: &str, finish: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{part}],"role":"model"}},"finishReason":"{finish}","index":0}}],"modelVersion":"m-1","usageMetadata":{{"promptTokenCount":8,"candidatesTokenCount":2,"thoughtsTokenCount":3,"cachedContentTokenCount":4}}}}"#
        )
    };
    let hello = Reply::events([part(r#"{"text":"hm","thought":true},{"text":"Hello"}"#, "STOP")]);
    let (answer, server) = answered(kind, hello, &with_schema());
    let answer = answer.unwrap();
    assert_eq!((answer.content.text(), answer.usage), ("Hello", Usage { input: 8, output: 5, cached: 4 }));
    let asked = server.asked().pop().unwrap();
    assert_eq!(asked.line, "POST /v1beta/models/m-1:streamGenerateContent?alt=sse");
    assert_eq!(asked.header("x-goog-api-key"), Some(KEY));
    assert!(sent(&server)["generationConfig"]["responseSchema"].get("additionalProperties").is_none());

    let call = part(r#"{"functionCall":{"name":"intent","args":{"type":"FixBug"}}}"#, "STOP");
    let (answer, server) = answered(kind, Reply::events([call.clone()]), &with_tool());
    assert_eq!(answer.unwrap().content.text(), r#"{"type":"FixBug"}"#);
    assert_eq!(sent(&server)["toolConfig"]["functionCallingConfig"]["mode"], "ANY");

    assert_eq!(code(kind, Reply::events([call.clone(), call]), &with_tool()), "PROVIDER_BAD_TOOL_CALL");
    assert_eq!(code(kind, Reply::events([part("", "SAFETY")]), &request()), "PROVIDER_REFUSED");
    assert_eq!(
        code(kind, Reply::events([part("", "MALFORMED_FUNCTION_CALL")]), &with_tool()),
        "PROVIDER_BAD_TOOL_CALL"
    );
    assert_eq!(
        code(kind, Reply::events([r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#]), &request()),
        "PROVIDER_REFUSED"
    );
    let key =
        r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"x","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    assert_eq!(code(kind, Reply::json(400, key), &request()), "PROVIDER_AUTH");
    let busy =
        r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x","details":[{"retryDelay":"7200s"}]}}"#;
    assert_eq!(code(kind, Reply::json(429, busy), &request()), "PROVIDER_RATE_LIMITED");
}

#[test]
fn ollama() {
    let kind = ProviderKind::Ollama;
    let piece = r#"{"model":"m-1","message":{"role":"assistant","content":"Hel"},"done":false}"#;
    let last = r#"{"model":"m-1","message":{"role":"assistant","content":"lo"},"done":true,"done_reason":"stop","prompt_eval_count":6,"eval_count":2}"#;
    let (answer, server) = answered(kind, Reply::lines([piece, last]), &with_schema());
    let answer = answer.unwrap();
    assert_eq!((answer.content.text(), answer.usage), ("Hello", Usage { input: 6, output: 2, cached: 0 }));
    assert_eq!(server.asked().pop().unwrap().line, "POST /api/chat");
    let body = sent(&server);
    assert_eq!((&body["options"]["num_ctx"], &body["format"]["type"]), (&json!(8192), &json!("object")));

    let call = r#"{"model":"m-1","message":{"content":"","tool_calls":[{"function":{"name":"intent","arguments":{"type":"FixBug"}}}]},"done":true,"done_reason":"stop"}"#;
    let (answer, _) = answered(kind, Reply::lines([call]), &with_tool());
    assert_eq!(answer.unwrap().content.text(), r#"{"type":"FixBug"}"#);
    assert_eq!(code(kind, Reply::lines([piece]), &request()), "PROVIDER_CUT_STREAM");
    assert_eq!(code(kind, Reply::lines([piece, r#"{"error":"x"}"#]), &request()), "PROVIDER_CUT_STREAM");
    assert_eq!(code(kind, Reply::json(404, r#"{"error":"model not found"}"#), &request()), "PROVIDER_MODEL_UNKNOWN");
    assert_eq!(code(kind, Reply::events([piece]), &request()), "PROVIDER_CONTENT_TYPE");
}

#[test]
fn a_test_finds_out_what_a_model_can_do() {
    let server = ModelServer::start(|_, asked| match asked.line.as_str() {
        "POST /api/show" => Reply::json(200, r#"{"model_info":{"llama.context_length":131072}}"#),
        "GET /api/tags" => {
            Reply::json(200, &format!(r#"{{"models":[{{"name":"m-1:latest","digest":"{}"}}]}}"#, "ab".repeat(32)))
        }
        _ if asked.body.contains("\"tools\"") => {
            Reply::lines([r#"{"model":"m-1","message":{"content":"I like blue"},"done":true,"done_reason":"stop"}"#])
        }
        _ => Reply::lines([
            r#"{"model":"m-1","message":{"content":"{\"colour\":\"blue\"}"},"done":true,"done_reason":"stop"}"#,
        ]),
    });
    let setup = ProviderSetup { limits: Limits::default(), ..setup(ProviderKind::Ollama, &server.url()) };
    let mut untested = open(&setup);
    untested.look_at_weights(&Cancel::new());
    assert_eq!(untested.identity().local_sha256.map(|hash| hash.to_string()), Some("ab".repeat(32)));
    let mut provider = open(&setup);
    let probed = provider.probe(&Cancel::new()).unwrap();
    assert_eq!(probed.capabilities, [Capability::Streaming, Capability::JsonMode].into());
    assert_eq!(probed.limits.context, Some(32_768), "no more memory than a person would expect");
    let identity = provider.knowing(&probed).identity();
    assert_eq!(identity.local_sha256.map(|hash| hash.to_string()), Some("ab".repeat(32)));
    assert!(identity.capabilities.contains("json_mode") && !identity.capabilities.contains("tools"));
}
