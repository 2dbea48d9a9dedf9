//! Servers that say what no mail server says: a mock at the wire.

use crate::acts::{LIMITS, account, draft, word};
use exacta_effect::Effector as _;
use exacta_mail::{Limits, MailEffector, Mailbox};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

/// A server that says one thing after each line that it gets, then nothing; where it listens.
fn server(lines: Vec<Vec<u8>>, drip: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().take(4) {
            let Ok(mut stream) = stream else { return };
            for line in &lines {
                for piece in line.chunks(if drip { 1 } else { 1 << 16 }) {
                    if stream.write_all(piece).is_err() {
                        return;
                    }
                    if drip {
                        thread::sleep(Duration::from_millis(60));
                    }
                }
                let mut heard = [0; 4096];
                if stream.read(&mut heard).is_err() {
                    return;
                }
            }
            thread::sleep(Duration::from_secs(5));
        }
    });
    at.to_string()
}

/// What a mailbox that is read from such a server says, and how long it took.
fn said(lines: &[&[u8]], drip: bool) -> (String, Duration) {
    let at = server(lines.iter().map(|line| line.to_vec()).collect(), drip);
    let (account, password) = account(&format!("imap://{at}"), "smtp://127.0.0.1:1");
    let limits =
        Limits { connect: Duration::from_secs(1), command: Duration::from_secs(1), message: Duration::from_secs(1) };
    let begin = Instant::now();
    let read = Mailbox::connect_within(&account, &password, limits).and_then(|mut mailbox| mailbox.messages(5));
    (read.unwrap_err().to_string(), begin.elapsed())
}

const HELLO: &[u8] = b"* OK hi\r\n";
const CAN: &[u8] = b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\na1 OK\r\n";

#[test]
fn a_hostile_server_is_bounded() {
    let endless = b"* OK ".iter().copied().chain(std::iter::repeat_n(b'x', 1 << 20)).collect::<Vec<u8>>();
    let many = b"* 1 EXISTS\r\n".repeat(30_000);
    let nested = [b"* LIST ".as_slice(), &b"(".repeat(5_000), b"\r\n"].concat();
    let login = [HELLO, CAN, b"+ \r\n", b"a2 OK\r\n", b"* CAPABILITY IMAP4rev1\r\na3 OK\r\n"];
    let after = |answer: &'static [u8]| [login.as_slice(), &[answer]].concat();
    let select: &[u8] = b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7]\r\na4 OK\r\n";
    let list: &[u8] = b"* 1 FETCH (UID 1 RFC822.SIZE 10)\r\na5 OK\r\n";
    let fetch = |answer: &'static [u8]| [login.as_slice(), &[select, list, answer]].concat();
    for (lines, word) in [
        (vec![endless.as_slice()], "line is too long"),
        (vec![b"hello\r\n".as_slice()], "not speak as a mail server"),
        (vec![b"* PREAUTH come in\r\n".as_slice()], "does not greet"),
        (vec![b"* BYE busy\r\n".as_slice()], "busy"),
        (vec![HELLO, many.as_slice()], "too many responses"),
        (vec![HELLO, nested.as_slice()], "lists within lists"),
        (vec![HELLO, b"* CAPABILITY {99999999}\r\n"], "more than it was asked"),
        (vec![HELLO, b"* CAPABILITY {9999999999999999999}\r\na1 OK\r\n", b"a2 NO\r\n"], "does not let"),
        (vec![HELLO, b"b7 OK\r\n"], "another command"),
        (vec![HELLO, b"+ go on\r\n"], "nobody announced"),
        (vec![HELLO, CAN, b"a2 NO [EXPIRED] se cret\"\\ has expired\r\n"], "[EXPIRED]"),
        (vec![HELLO, CAN, b"+ \r\n", b"a2 NO [AUTHENTICATIONFAILED] wrong: se cret\"\\\r\n"], "AUTHENTICATIONFAILED"),
        (vec![HELLO, b"* CAPABILITY IMAP4rev1 LOGINDISABLED\r\na1 OK\r\n"], "lets nobody log in"),
        (after(b"a4 OK\r\n"), "UIDVALIDITY"),
        (after(b"* BYE later\r\n"), "later"),
        (after(b"a4 NO \x1b[31m\xff gone\r\n"), "\\u{1b}[31m"),
        (fetch(b"* 1 FETCH (UID 1 BODY[] {40000000}\r\n"), "more than it was asked"),
        (fetch(b"* 1 FETCH (UID 1 BODY[] {5}\r\nab"), "did not answer in time"),
    ] {
        let (said, took) = said(&lines, false);
        assert!(said.contains(word), "{word}: {said}");
        assert!(!said.contains("se cret"), "{said}");
        assert!(took < Duration::from_secs(8), "{said}: {took:?}");
    }
}

/// However a server spreads its bytes, a stage has one time.
#[test]
fn a_dripping_server_is_left() {
    let (said, took) =
        said(&[&b"* OK this greeting takes very long, one byte after another, and never ends".repeat(3)], true);
    assert!(said.contains("did not answer in time") && took < Duration::from_secs(4), "{said}: {took:?}");
}

/// A draft whose last byte was handed over, and whose answer never comes, is lost; one that was refused before is not.
#[test]
fn an_append_knows_whether_it_was_handed_over() {
    let folder: &[u8] = b"* LIST (\\Drafts) \"/\" Drafts\r\na4 OK\r\n";
    let login = [HELLO, CAN, b"+ \r\n", b"a2 OK\r\n", b"* CAPABILITY IMAP4rev1\r\na3 OK\r\n", folder];
    for (answers, how) in [
        (vec![b"a5 NO [OVERQUOTA] full\r\n".as_slice()], "not done"),
        (vec![b"+ go\r\n".as_slice(), b"a5 NO [OVERQUOTA] full\r\n"], "not done"),
        (vec![b"+ go\r\n".as_slice()], "lost"),
        (vec![b"+ go\r\n".as_slice(), b"a5 MAYBE\r\n"], "lost"),
        (vec![b"+ go\r\n".as_slice(), b"* BYE\r\n"], "lost"),
        (vec![b"+ go\r\n".as_slice(), b"a5 OK\r\n"], "done"),
    ] {
        let lines: Vec<Vec<u8>> = login.iter().copied().chain(answers.iter().copied()).map(<[u8]>::to_vec).collect();
        let at = server(lines, false);
        let hand = MailEffector::within(vec![account(&format!("imap://{at}"), "smtp://127.0.0.1:1")], LIMITS);
        let (effect, trace) = draft("s1");
        assert_eq!(word(&hand.perform(&effect, &trace)).0, how, "{answers:?}");
    }
}
