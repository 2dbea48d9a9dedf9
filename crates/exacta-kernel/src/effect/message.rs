//! A mail as the exact bytes of RFC 5322: plain text in UTF-8, no header that the plan does not name.

use super::{Parameters, text};
use crate::id::RunId;
use crate::prelude::*;
use crate::time::Timestamp;
use serde_json::{Map, Value};

/// The longest line that mail can carry, in bytes (RFC 5322, 2.1.1).
pub const LINE: usize = 998;

/// Whose mail it is, where it goes through an account, and which act makes it.
pub(super) struct Made<'a> {
    pub run: &'a str,
    pub step: &'a str,
    /// Whether a person is to send it.
    pub draft: bool,
}

/// Whether this is an address that no two readers read differently: `name@host`, of plain ASCII.
#[must_use]
pub fn is_plain_address(address: &str) -> bool {
    let odd = |c: char| !c.is_ascii_graphic() || ",;:<>()[]\\\"".contains(c);
    let Some((name, host)) = address.split_once('@') else { return false };
    let labels = |host: &str| host.split('.').all(|label| !label.is_empty() && !label.starts_with('-'));
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    !name.is_empty() && !address.contains(odd) && address.len() <= 254 && host.bytes().all(plain) && labels(host)
}

/// Why a text cannot be the body of a mail; `None` if it can.
#[must_use]
pub fn unfit_body(body: &str) -> Option<&'static str> {
    let body = body.replace("\r\n", "\n");
    let odd = |c: char| c.is_control() && c != '\n' && c != '\t';
    if body.contains(odd) {
        return Some("it has a control character");
    }
    body.lines().any(|line| line.len() > LINE).then_some("a line of it is longer than mail can carry")
}

/// The message of a step.
pub(super) fn message(parameters: &Map<String, Value>, made: &Made<'_>) -> Result<Vec<u8>, &'static str> {
    let body = text(parameters, "body")?.ok_or("it has no `body`")?;
    let subject = text(parameters, "subject")?.ok_or("it has no `subject`")?;
    let to = recipients(parameters, made.draft)?;
    // INVARIANT: no header has a line end of the proposal's own, so none can be put in.
    if subject.chars().any(char::is_control) {
        return Err("`subject` has a control character");
    }
    if unfit_body(body).is_some() {
        return Err("`body` cannot be sent as it is");
    }
    let mut head = origin(parameters, made)?;
    if !to.is_empty() {
        head.push_str(&format!("To: {}\r\n", to.join(",\r\n ")));
    }
    head.push_str(&format!("Subject: {}\r\n", encoded(subject)));
    if made.draft {
        head.push_str("X-Unsent: 1\r\n");
    }
    head.push_str(
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n",
    );
    let body = body.replace("\r\n", "\n").replace('\n', "\r\n");
    Ok([head, body].concat().into_bytes())
}

/// Who writes, when, and the message's own name, where it goes through an account. The time is that of the run's id, so that the same
/// step of the same run always is the same bytes.
fn origin(parameters: &Map<String, Value>, made: &Made<'_>) -> Result<String, &'static str> {
    let Some(from) = text(parameters, "from")? else { return Ok(String::new()) };
    let host = from.split_once('@').map(|(_, host)| host).filter(|_| is_plain_address(from));
    let host = host.ok_or("`from` is no plain address")?;
    let date = RunId::parse(made.run).ok().and_then(|run| made_at(&run)).map(date);
    let date = date.map_or_else(String::new, |date| format!("Date: {date}\r\n"));
    Ok(format!("From: {from}\r\n{date}Message-ID: <{}.{}@{host}>\r\n", made.run, made.step))
}

/// The plain addresses of a step, as the proposal has them.
fn recipients(parameters: &Parameters, may_be_none: bool) -> Result<Vec<&str>, &'static str> {
    const WRONG: &str = "`to` is no plain address, or no list of them";
    let addresses: Vec<&str> = match parameters.get("to") {
        Some(Value::String(address)) => vec![address],
        Some(Value::Array(list)) => list.iter().map(|item| item.as_str().ok_or(WRONG)).collect::<Result<_, _>>()?,
        _ => return Err("it has no `to`"),
    };
    if addresses.is_empty() && !may_be_none || !addresses.iter().all(|address| is_plain_address(address)) {
        return Err(WRONG);
    }
    Ok(addresses)
}

/// When an id was made, as it says itself.
fn made_at(run: &RunId) -> Option<Timestamp> {
    let digits: String = run.as_str().chars().filter(char::is_ascii_hexdigit).take(12).collect();
    i64::from_str_radix(&digits, 16).ok().map(Timestamp::from_millis)
}

/// A time as mail writes it (RFC 5322, 3.3).
fn date(at: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = at.to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or("00");
    let number = |from, to| part(from, to).parse::<usize>().unwrap_or(1);
    let day = usize::try_from(at.as_millis() / 86_400_000).unwrap_or_default() % 7;
    let (day, month) = (DAYS.get(day).unwrap_or(&"Thu"), MONTHS.get(number(5, 7) - 1).unwrap_or(&"Jan"));
    format!("{day}, {} {month} {} {} +0000", part(8, 10), part(0, 4), part(11, 19))
}

/// A header's text: as it is where it is short and plain ASCII, else in encoded words (RFC 2047), folded.
fn encoded(text: &str) -> String {
    const SHORT: usize = 60;
    if text.len() <= SHORT && text.is_ascii() && !text.contains("=?") {
        return text.to_owned();
    }
    let mut words: Vec<String> = vec![String::new()];
    for c in text.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        let plain = c.is_ascii_alphanumeric();
        let piece = if plain { c.to_string() } else { bytes.iter().map(|byte| format!("={byte:02X}")).collect() };
        match words.last_mut() {
            Some(last) if last.len() + piece.len() <= SHORT => last.push_str(&piece),
            _ => words.push(piece),
        }
    }
    let words: Vec<String> = words.iter().map(|word| format!("=?UTF-8?Q?{word}?=")).collect();
    words.join("\r\n ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RUN: &str = "019a2f3e-7c1d-7e2a-9b4f-0123456789ab";

    fn made(given: Value, draft: bool) -> Result<String, &'static str> {
        let bytes = message(given.as_object().unwrap(), &Made { run: RUN, step: "s2", draft })?;
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_message_is_its_exact_bytes() {
        let given = json!({ "to": ["a@b.example", "c@d.example"], "subject": "Hello", "body": "one\ntwo\r\n" });
        assert_eq!(
            made(given, true).unwrap(),
            "To: a@b.example,\r\n c@d.example\r\nSubject: Hello\r\nX-Unsent: 1\r\nMIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\none\r\ntwo\r\n"
        );
        let given = json!({ "from": "me@b.example", "to": "a@b.example", "subject": "Hello", "body": "one\n" });
        assert_eq!(
            made(given, false).unwrap(),
            format!(
                "From: me@b.example\r\nDate: Wed, 29 Oct 2025 09:13:35 +0000\r\nMessage-ID: <{RUN}.s2@b.example>\r\n\
                 To: a@b.example\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n\
                 Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\none\r\n"
            )
        );
    }

    #[test]
    fn nothing_is_put_into_a_header() {
        for (to, subject) in [("a@b.example", "x\r\nBcc: e@f.example"), ("a@b.example\nBcc: e@f.example", "x")] {
            assert!(made(json!({ "to": to, "subject": subject, "body": "" }), true).is_err(), "{to} {subject}");
        }
        for to in ["", "a", "a@b, c@d", "<a@b>", "ä@b", "@b", "a@", "a@b@c", "a@.b", "a@-b"] {
            assert!(made(json!({ "to": to, "subject": "x", "body": "" }), true).is_err(), "{to}");
        }
        for body in ["a\rb", "a\0b", "\u{1b}[2J", &"x".repeat(LINE + 1)] {
            assert!(made(json!({ "to": "a@b.example", "subject": "x", "body": body }), true).is_err(), "{body}");
        }
        let nobody = json!({ "to": [], "subject": "x", "body": "" });
        assert!(made(nobody.clone(), true).unwrap().starts_with("Subject: x"), "a draft may leave it to the person");
        assert!(made(nobody, false).is_err());
    }

    #[test]
    fn a_subject_survives() {
        assert_eq!(encoded("Grüße = 1"), "=?UTF-8?Q?Gr=C3=BC=C3=9Fe=20=3D=201?=");
        assert_eq!(encoded("=?UTF-8?Q?x?="), "=?UTF-8?Q?=3D=3FUTF=2D8=3FQ=3Fx=3F=3D?=");
        let long = encoded(&"ü".repeat(40));
        assert!(long.split("\r\n ").all(|word| word.len() <= 75 && word.starts_with("=?UTF-8?Q?=")), "{long}");
    }
}
