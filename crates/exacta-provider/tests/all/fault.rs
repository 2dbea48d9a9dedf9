//! Everything that can go wrong, at the wire: each has its code, ends in time, and says nothing that it should not.

use crate::world::{KEY, PATIENCE, PROMPT, ask, open, request, setup, with_tool};
use exacta_kernel::provider::ProviderKind;
use exacta_provider::{Cancel, Delta, Fault, FaultKind, Model as _, Phase, Provider, Refusal, Request};
use exacta_testkit::{ModelServer, Reply};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

const FIRST: &str = r#"{"model":"m-1","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}"#;
const LAST: &str = r#"{"model":"m-1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}"#;

/// Asks a server that always answers like this; the fault, and how often it was asked.
fn faulted(reply: Reply, request: &Request) -> (Fault, usize) {
    let server = ModelServer::start(move |_, _| reply.clone());
    let (answer, told) = ask(&mut provider(&server), request);
    let fault = answer.unwrap_err();
    let shown = format!("{fault} {fault:?} {:?} {told:?}", fault.hint());
    assert!(!shown.contains(KEY) && !shown.contains(PROMPT), "{shown}");
    (fault, server.asked().len())
}

fn provider(server: &ModelServer) -> Provider {
    open(&setup(ProviderKind::OpenaiCompatible, &server.url()))
}

/// A server's error that quotes what it should not.
fn quoting(status: u16, code: &str) -> Reply {
    Reply::json(
        status,
        &format!(r#"{{"error":{{"message":"bad key {KEY} for {PROMPT}","type":"x","code":"{code}"}}}}"#),
    )
}

#[test]
fn statuses_have_their_codes_and_only_some_are_tried_again() {
    let cases = [
        (quoting(401, "invalid_api_key"), "PROVIDER_AUTH", 1),
        (quoting(403, "x"), "PROVIDER_AUTH", 1),
        (quoting(402, "x"), "PROVIDER_QUOTA", 1),
        (quoting(429, "insufficient_quota"), "PROVIDER_QUOTA", 1),
        (quoting(429, "x").header("retry-after", "7200"), "PROVIDER_RATE_LIMITED", 1),
        (quoting(429, "x").header("retry-after-ms", "5"), "PROVIDER_RATE_LIMITED", 4),
        (quoting(404, "model_not_found"), "PROVIDER_MODEL_UNKNOWN", 1),
        (quoting(400, "context_length_exceeded"), "PROVIDER_CONTEXT_EXCEEDED", 1),
        (quoting(400, "x"), "PROVIDER_BAD_REQUEST", 1),
        (quoting(307, "x").header("location", "http://127.0.0.1:1/"), "PROVIDER_REDIRECTED", 1),
        (Reply::new(200, "text/html").bytes("<html>hello"), "PROVIDER_CONTENT_TYPE", 1),
        (Reply::events(["{not json"]), "PROVIDER_BAD_ANSWER", 1),
        (Reply::events([FIRST]), "PROVIDER_CUT_STREAM", 1),
        (Reply::events([FIRST]).cut(), "PROVIDER_CUT_STREAM", 1),
        (Reply::events([FIRST, r#"{"error":{"code":502,"message":"x"}}"#]), "PROVIDER_OVERLOADED", 1),
        (Reply::events([FIRST, &LAST.replace("m-1", "m-2")]), "PROVIDER_MODEL_CHANGED", 1),
        (Reply::events([&LAST.replace("stop", "content_filter")]), "PROVIDER_REFUSED", 1),
    ];
    for (reply, code, tries) in cases {
        let (fault, asked) = faulted(reply, &request());
        assert_eq!((fault.code(), asked), (code, tries), "{fault}");
        assert_eq!(fault.tries as usize, tries, "{fault}");
    }
}

#[test]
fn a_failing_server_is_asked_four_times_with_growing_pauses() {
    let began = Instant::now();
    let (fault, asked) = faulted(quoting(503, "x"), &request());
    assert_eq!((fault.kind.clone(), asked), (FaultKind::Overloaded { status: 503 }, 4));
    assert!(fault.to_string().ends_with("4 times"), "{fault}");
    assert!(began.elapsed() >= Duration::from_millis(500 + 1000 + 2000));
}

#[test]
fn a_retry_waits_as_long_as_it_is_asked_to_and_then_succeeds() {
    let server = ModelServer::start(|number, _| match number {
        0 => quoting(429, "x").header("retry-after", "1"),
        1 => Reply::events(Vec::<String>::new()).cut(),
        _ => Reply::events([FIRST, LAST, "[DONE]"]),
    });
    let began = Instant::now();
    let (answer, told) = ask(&mut provider(&server), &request());
    assert_eq!(answer.unwrap().tries, 3);
    assert!(began.elapsed() >= Duration::from_secs(2));
    assert_eq!(told[..2], ["Retry(1, 1s, PROVIDER_RATE_LIMITED)", "Retry(2, 1s, PROVIDER_UNREACHABLE)"]);
}

#[test]
fn nothing_that_began_is_tried_again() {
    let server = ModelServer::start(|_, _| Reply::events([FIRST]).cut());
    let (answer, _) = ask(&mut provider(&server), &request());
    assert_eq!((answer.unwrap_err().kind, server.asked().len()), (FaultKind::CutStream, 1));
}

#[test]
fn tool_calls_that_are_none_are_refused() {
    let call = |name: &str, arguments: &str, finish: &str| {
        let arguments = serde_json::Value::from(arguments);
        Reply::events([format!(
            r#"{{"model":"m-1","choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"function":{{"name":"{name}","arguments":{arguments}}}}}]}},"finish_reason":"{finish}"}}]}}"#
        )])
    };
    let cases = [
        (call("intent", r#"{"type": FixBug}"#, "tool_calls"), "PROVIDER_BAD_TOOL_CALL"),
        (call("intent", r#"{"a":1,"a":2}"#, "tool_calls"), "PROVIDER_BAD_TOOL_CALL"),
        (call("intent", "[]", "tool_calls"), "PROVIDER_BAD_TOOL_CALL"),
        (call("shell", "{}", "tool_calls"), "PROVIDER_BAD_TOOL_CALL"),
        (call("intent", r#"{"type":"#, "length"), "PROVIDER_OUTPUT_LIMIT"),
    ];
    for (reply, code) in cases {
        assert_eq!(faulted(reply, &with_tool()).0.code(), code);
    }
    let refusal = r#"{"model":"m-1","choices":[{"index":0,"delta":{"refusal":"I cannot"},"finish_reason":"stop"}]}"#;
    assert_eq!(faulted(Reply::events([refusal]), &request()).0.kind, FaultKind::Refused { by: Refusal::Model });
}

#[test]
fn an_answer_without_end_ends() {
    let block = format!(
        "data: {{\"model\":\"m-1\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
        "x".repeat(1 << 16)
    );
    let endless = |bytes: String| Reply::new(200, "text/event-stream").again(bytes, 1600, Duration::ZERO);
    assert_eq!(faulted(endless(block), &request()).0.code(), "PROVIDER_TOO_LARGE");
    assert_eq!(faulted(endless("x".repeat(1 << 16)), &request()).0.code(), "PROVIDER_TOO_LARGE");
    assert_eq!(faulted(endless(format!(": {}\n", "x".repeat(1 << 16))), &request()).0.code(), "PROVIDER_TOO_LARGE");
    let whole = Reply::new(200, "application/json").again("x".repeat(1 << 16), 1600, Duration::ZERO);
    assert_eq!(faulted(whole, &request()).0.code(), "PROVIDER_TOO_LARGE");
}

#[test]
fn slow_servers_are_given_up_by_the_limit_that_fits() {
    let silent = Reply::new(200, "text/event-stream").pause(Duration::from_secs(3));
    let stops = Reply::events([FIRST]).pause(Duration::from_secs(3));
    let drips = Reply::new(200, "text/event-stream").bytes("data: ").again("x", 100, Duration::from_millis(100));
    let crawls =
        Reply::new(200, "text/event-stream").again(format!("data: {FIRST}\n\n"), 1000, Duration::from_millis(300));
    for (reply, phase, tries) in
        [(silent, Phase::FirstByte, 4), (stops, Phase::Idle, 1), (drips, Phase::Event, 1), (crawls, Phase::Whole, 1)]
    {
        let began = Instant::now();
        let (fault, asked) = faulted(reply, &request());
        assert!(matches!(fault.kind, FaultKind::Timeout { phase: found, .. } if found == phase), "{phase:?}: {fault}");
        assert_eq!(asked, tries, "{phase:?}");
        assert!(began.elapsed() < PATIENCE.whole + Duration::from_secs(2), "{phase:?}");
    }
}

#[test]
fn nobody_there_is_unreachable_and_says_where() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (answer, told) = ask(&mut open(&setup(ProviderKind::OpenaiCompatible, &format!("http://{free}"))), &request());
    let fault = answer.unwrap_err();
    assert_eq!((fault.kind.clone(), told.len()), (FaultKind::Unreachable, 3));
    assert_eq!(fault.to_string(), format!("`work` at http://{free} cannot be reached, 4 times"));
}

#[test]
fn another_model_in_the_middle_of_a_conversation_is_a_fault() {
    let server = ModelServer::start(|number, _| {
        let model = if number == 0 { "m-1-2025-01-01" } else { "m-1-2026-01-01" };
        Reply::events([LAST.replace("m-1", model)])
    });
    let mut provider = provider(&server);
    ask(&mut provider, &request()).0.unwrap();
    let fault = ask(&mut provider, &request()).0.unwrap_err();
    let (was, is) = ("m-1-2025-01-01".to_owned(), "m-1-2026-01-01".to_owned());
    assert_eq!(fault.kind, FaultKind::ModelChanged { was, is });
    assert_eq!(provider.identity().version.as_deref(), Some("2025-01-01"));
}

#[test]
fn cancelling_ends_it_at_once_wherever_it_is() {
    let replies = [
        Reply::new(200, "text/event-stream").pause(Duration::from_secs(5)),
        Reply::events([FIRST]).pause(Duration::from_secs(5)),
        quoting(429, "x").header("retry-after", "5"),
    ];
    for reply in replies {
        let server = ModelServer::start(move |_, _| reply.clone());
        let cancel = Cancel::new();
        let (handle, began) = (cancel.clone(), Instant::now());
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            handle.cancel();
        });
        let fault = provider(&server).answer(&request(), &mut |_: Delta<'_>| {}, &cancel).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Cancelled);
        assert!(began.elapsed() < Duration::from_millis(800), "{:?}", began.elapsed());
        stopper.join().unwrap();
    }
}

#[test]
fn a_hostile_name_of_a_model_is_made_harmless() {
    let server = ModelServer::start(|_, _| {
        Reply::events([LAST.replace("m-1", &format!("a\\u001b[31m\\u202e{}", "b".repeat(500)))])
    });
    let answer = ask(&mut provider(&server), &request()).0.unwrap();
    let model = answer.served.model.unwrap();
    assert!(model.len() <= 128 && !model.contains(['\u{1b}', '\u{202e}']), "{model}");
}
