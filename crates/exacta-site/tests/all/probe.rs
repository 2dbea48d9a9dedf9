//! What a user is told of a site.

use crate::site::{PATIENCE, VERSION, client, probed};
use exacta_site::{Account, Client, SiteUrl, probe, role};
use exacta_testkit::WordPress;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

#[test]
fn what_each_user_can_do() {
    let Some(wordpress) = WordPress::start(VERSION, &[]) else { return };
    let mut told = String::new();
    for user in ["admin", "editor", "least"] {
        let (_, mut manifest) = probed(&wordpress, user);
        assert!(manifest.version.as_ref().is_some_and(|version| version.starts_with("6.5")), "{:?}", manifest.version);
        let hash = manifest.sha256();
        assert_eq!(hash, probed(&wordpress, user).1.sha256(), "it is the same every time");
        "https://example.com".clone_into(&mut manifest.url);
        "https://example.com".clone_into(&mut manifest.home);
        told.push_str(&format!(
            "{}\n{}\n",
            serde_json::to_string_pretty(&manifest).unwrap(),
            manifest.tools().join(" ")
        ));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let Some(wordpress) = WordPress::start(VERSION, &[]) else { return };
    let as_user = |user: &str, password: &str| {
        let account = Account::new(user, password);
        Client::new(SiteUrl::parse(&wordpress.url()).unwrap(), account, PATIENCE).unwrap()
    };
    let mut told = Vec::new();
    let mut tell = |client: Client| {
        let trouble = probe(client).unwrap_err();
        told.push(
            format!("{} {}\n  {}", trouble.code, trouble.message, trouble.hint.worded(|remedy| format!("{remedy:?}")))
                .replace(&wordpress.url(), "URL"),
        );
    };
    tell(as_user("editor", "wrong"));
    tell(as_user("nobody", "wrong"));
    tell(as_user("reader", wordpress.password("reader")));
    let stripped = WordPress::start(VERSION, &[("EXACTA_STRIP", "1")]).unwrap();
    tell(client(&stripped, "editor", PATIENCE));
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"a\": [1, 2]}",
        "HTTP/1.1 301 Moved\r\nLocation: https://other.example/wp-json/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 41\r\n\r\n{\"code\":\"rest_no_route\",\"message\":\"none\"}",
    ] {
        let url = serve(answer);
        let client = Client::new(SiteUrl::parse(&url).unwrap(), Account::new("ann", "x"), PATIENCE).unwrap();
        let trouble = probe(client).unwrap_err();
        told.push(
            format!("{} {}\n  {}", trouble.code, trouble.message, trouble.hint.worded(|remedy| format!("{remedy:?}")))
                .replace(&url, "URL"),
        );
    }
    let told = told.join("\n").replace(&stripped.url(), "URL");
    insta::assert_snapshot!(told);
}

#[test]
fn the_role_to_paste() {
    insta::assert_snapshot!(role());
}

/// Answers everything with the same.
fn serve(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut seen = [0; 4096];
            let _read = stream.read(&mut seen);
            let _gone = stream.write_all(answer.as_bytes());
        }
    });
    url
}
