//! Answers in the shapes that providers publish and servers send, as data: liberal in what is optional, strict in what counts.

use crate::world::{ask, open, request, setup, with_schema, with_tool};
use exacta_kernel::provider::{Api, ProviderKind};
use exacta_provider::{Finish, Usage};
use exacta_testkit::{ModelServer, Reply};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    kind: ProviderKind,
    api: Option<Api>,
    /// `text`, `tool` or `schema`.
    wants: String,
    status: u16,
    content_type: String,
    body: String,
    expect: Expect,
}

/// What is understood; what is not named is not compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    code: Option<String>,
    text: Option<String>,
    model: Option<String>,
    finish: Option<String>,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    input: u64,
    output: u64,
    cached: u64,
}

#[test]
fn every_published_shape_is_understood() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/shapes.json")).unwrap();
    assert!(cases.len() >= 50);
    for case in cases {
        let reply = Reply::new(case.status, &case.content_type).bytes(case.body.clone());
        let server = ModelServer::start(move |_, _| reply.clone());
        let mut setup = setup(case.kind, &server.url());
        setup.api = case.api;
        let request = match case.wants.as_str() {
            "tool" => with_tool(),
            "schema" => with_schema(),
            _ => request(),
        };
        let (answer, _) = ask(&mut open(&setup), &request);
        let (name, expect) = (&case.name, case.expect);
        let answer = match (answer, &expect.code) {
            (Err(fault), Some(code)) => {
                assert_eq!(fault.code(), code, "{name}");
                continue;
            }
            (Ok(answer), None) => answer,
            (answer, code) => panic!("{name}: {answer:?} instead of {code:?}"),
        };
        assert_eq!(Some(answer.content.text()), expect.text.as_deref(), "{name}");
        if expect.model.is_some() {
            assert_eq!(answer.served.model, expect.model, "{name}");
        }
        if let Some(finish) = expect.finish {
            assert_eq!(answer.finish == Finish::Length, finish == "length", "{name}");
        }
        if let Some(Counts { input, output, cached }) = expect.usage {
            assert_eq!(answer.usage, Usage { input, output, cached }, "{name}");
        }
    }
}
