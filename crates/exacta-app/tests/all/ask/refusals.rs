//! `tests/cases/ask/refusals.json`: requests that are refused before a model is asked anything, and what there is nothing to ask with.

use super::{ask, place_of, wish};
use crate::place::Place;
use exacta_app::ErrorCode;
use exacta_app::ask::{Until, Wish};
use exacta_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn what_cannot_be_asked_reaches_no_model() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/ask/refusals.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let place = place_of(&json!({ "greet.py": "print('hello')\n" }));
        if let Some(policy) = case["policy"].as_str() {
            let file = place.options.home.as_ref().unwrap().join("safety-policy.toml");
            std::fs::write(&file, policy).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let server = ModelServer::start(|_, _| Reply::json(500, "{}"));
        let text = case["text"].as_str().unwrap().repeat(case["times"].as_u64().unwrap_or(1) as usize);
        let wish = Wish { intent: case["intent"].as_str().map(str::to_owned), ..wish(&text) };
        let (end, _) = ask(&place, &server, wish, Until::Done);
        let error = end.view.error.unwrap_or_else(|| panic!("{name}: not refused"));
        assert_eq!(
            (error.code.as_str(), json!(error.exit.code())),
            (case["code"].as_str().unwrap(), case["exit"].clone()),
            "{name}: {error}"
        );
        assert!(end.plan.is_none() && server.asked().is_empty(), "{name}");
    }
}

#[test]
fn there_is_somebody_to_ask_and_something_to_go_on_with() {
    let place = Place::new();
    let app = place.app();
    let nobody = app.models_for(None, &wish("greet the person who is named")).err().unwrap();
    assert_eq!((nobody.code, nobody.exit.code()), (ErrorCode::ASK_NO_PROVIDER, 30), "{nobody}");
    for id in ["", "x", "../x", "019a2f3e-7c1d-7e2a-9b4f-0123456789ab"] {
        let unknown = app.kept_ask(id).unwrap_err();
        assert_eq!((unknown.code, unknown.exit.code()), (ErrorCode::ASK_UNKNOWN, 2), "{id}: {unknown}");
    }
}
