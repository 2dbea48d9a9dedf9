//! Chat completions: OpenAI's own and everybody else's.

use crate::world::{KEY, ask, open, request, sent, setup, with_schema, with_tool};
use exacta_kernel::hash::Digest;
use exacta_kernel::provider::{Api, ProviderKind, ProviderSetup};
use exacta_provider::{Content, Finish, Model as _, Source, Usage};
use exacta_testkit::{ModelServer, Reply};
use serde_json::json;

const HELLO: [&str; 5] = [
    r#"{"id":"c1","object":"chat.completion.chunk","model":"m-1-2026-01-02","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
    r#"{"id":"c1","object":"chat.completion.chunk","model":"m-1-2026-01-02","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}"#,
    r#"{"id":"c1","object":"chat.completion.chunk","model":"m-1-2026-01-02","choices":[{"index":0,"delta":{"content":"lo ä"},"finish_reason":"stop"}]}"#,
    r#"{"id":"c1","object":"chat.completion.chunk","model":"m-1-2026-01-02","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23,"prompt_tokens_details":{"cached_tokens":16}}}"#,
    "[DONE]",
];

fn compatible(server: &ModelServer) -> ProviderSetup {
    setup(ProviderKind::OpenaiCompatible, &server.url())
}

#[test]
fn text_arrives_piece_by_piece_with_usage_and_identity() {
    let server = ModelServer::start(|_, _| Reply::events(HELLO));
    let mut provider = open(&compatible(&server));
    let (answer, told) = ask(&mut provider, &request());
    let answer = answer.unwrap();
    assert_eq!(answer.content, Content::Text("Hello ä".to_owned()));
    assert_eq!(told, ["Began", "text Hel", "text lo ä"]);
    assert_eq!(answer.usage, Usage { input: 20, output: 3, cached: 16 });
    assert_eq!((answer.finish, answer.tries), (Finish::Complete, 1));
    assert_eq!((answer.served.model.as_deref(), answer.served.from), (Some("m-1-2026-01-02"), Source::Response));
    let identity = provider.identity();
    assert_eq!((identity.model.as_str(), identity.version.as_deref()), ("m-1", Some("2026-01-02")));
    assert_eq!(identity.limits.context, Some(8192));
    let asked = server.asked().pop().unwrap();
    assert_eq!(asked.line, "POST /v1/chat/completions");
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(answer.request_sha256, Digest::of(asked.body.as_bytes()));
}

#[test]
fn a_server_that_does_not_stream_is_understood_too() {
    let body = r#"{"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"length"}],"usage":{"prompt_tokens":2,"completion_tokens":1}}"#;
    let server = ModelServer::start(move |_, _| Reply::json(200, body).header("openai-model", "other"));
    let (answer, _) = ask(&mut open(&compatible(&server)), &request());
    let answer = answer.unwrap();
    assert_eq!((answer.content.text(), answer.finish), ("Hello", Finish::Length));
    assert_eq!(answer.served.model.as_deref(), Some("m-1"), "the body counts more than a header");
}

#[test]
fn a_header_names_the_model_where_the_body_does_not() {
    let server = ModelServer::start(|_, _| {
        Reply::events([r#"{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}"#])
            .header("openai-model", "m-9")
    });
    let (answer, _) = ask(&mut open(&compatible(&server)), &request());
    let served = answer.unwrap().served;
    assert_eq!((served.model.as_deref(), served.from), (Some("m-9"), Source::Header));
}

#[test]
fn a_tool_is_offered_and_its_call_put_together() {
    let server = ModelServer::start(|_, _| {
        Reply::events([
            r#"{"model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"intent","arguments":""}}]}}]}"#,
            r#"{"model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"type\":"}}]}}]}"#,
            r#"{"model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"FixBug\"}"}}]}}]}"#,
            r#"{"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ])
    });
    let (answer, told) = ask(&mut open(&compatible(&server)), &with_tool());
    assert_eq!(answer.unwrap().content, Content::Call(r#"{"type":"FixBug"}"#.to_owned()));
    assert_eq!(told, ["Began", r#"arguments {"type":"#, r#"arguments "FixBug"}"#]);
    let body = sent(&server);
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["tools"][0]["function"]["name"], "intent");
    assert_eq!(body["tools"][0]["function"]["strict"], true);
}

#[test]
fn what_is_sent_fits_the_server() {
    let server = ModelServer::start(|_, _| Reply::events(HELLO));
    let (answer, _) = ask(&mut open(&compatible(&server)), &with_schema());
    answer.unwrap();
    let body = sent(&server);
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert_eq!(body["response_format"]["json_schema"]["schema"]["required"], json!(["type"]));
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(256), &json!(0)));
    assert_eq!(body["messages"][0]["role"], "system");

    let own = ProviderSetup { api: Some(Api::Chat), ..setup(ProviderKind::Openai, &format!("{}/v1/", server.url())) };
    ask(&mut open(&own), &request()).0.unwrap();
    let body = sent(&server);
    assert_eq!((&body["max_completion_tokens"], &body["store"]), (&json!(256), &json!(false)));
    assert!(body.get("temperature").is_none() && body.get("max_tokens").is_none());
    assert_eq!(server.asked().pop().unwrap().line, "POST /v1/chat/completions");
}
