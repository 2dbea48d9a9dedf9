//! TLS to both servers, by an authority of the test's own; without it, nothing is said.

use crate::acts::{account, effector, send, word};
use exacta_effect::Effector as _;
use exacta_mail::Mailbox;
use exacta_testkit::{Post, PostSetup, output};
use std::process::{Command, Stdio};

/// Set for the process that knows the authority: the servers.
const CHILD: &str = "EXACTA_MAIL_TLS";

/// Not a test of its own: what a process that trusts the authority does.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let (imap, smtp) = order.split_once(' ').unwrap();
    let (account, password) = account(imap, smtp);
    let read = Mailbox::connect(&account, &password).and_then(|mut mailbox| mailbox.messages(5));
    println!("read {}", read.map_or_else(|error| error.to_string(), |read| read.messages.len().to_string()));
    let sending = exacta_mail::check_sending(&account, &password);
    println!("sending {}", sending.map_or_else(|error| error.to_string(), |()| "works".to_owned()));
}

#[test]
fn certificates_are_checked() {
    let Some(post) = Post::start(PostSetup { tls: true, ..PostSetup::default() }) else { return };
    post.deliver("", b"Subject: s\r\n\r\nx\r\n");
    let told = |authority: bool, imap: &str, smtp: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "tls::child", "--nocapture"]).env(CHILD, format!("{imap} {smtp}")).stdin(Stdio::null());
        if authority {
            child.env("SSL_CERT_FILE", post.authority());
        }
        String::from_utf8(output(&mut child).stdout).unwrap()
    };
    let known = told(true, &post.imap(), &post.smtp());
    assert!(known.contains("read 1") && known.contains("sending works"), "{known}");
    let unknown = told(false, &post.imap(), &post.smtp());
    assert_eq!(unknown.matches("cannot be spoken to in confidence").count(), 2, "{unknown}");
    // A certificate for another name.
    let other = |url: &str| url.replace("localhost", "localhost.localdomain");
    let wrong = told(true, &other(&post.imap()), &other(&post.smtp()));
    assert!(!wrong.contains("read 1") && !wrong.contains("works"), "{wrong}");
    // Within this process nobody knows the authority: nothing is sent, and nothing is tried again.
    let (effect, trace) = send("s1");
    let refused = word(&effector(&post).perform(&effect, &trace));
    assert!(refused.0 == "not done" && refused.1.contains("in confidence"), "{refused:?}");
    assert_eq!(post.log().iter().filter(|line| line.starts_with("connection")).count(), 4 - 1, "{:?}", post.log());
    assert_eq!(post.stored().len(), 0);
}
