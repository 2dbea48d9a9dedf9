//! A message that is about to leave: checked once more, whoever made it.

use crate::account::is_plain_address;
use crate::error::MailError;

/// The longest line of a message (RFC 5322), without its end.
const LINE: usize = 998;

/// The largest message that is sent.
const LARGEST: usize = 25 << 20;

/// The most recipients.
const RECIPIENTS: usize = 100;

/// A message whose bytes any server may be given, and its envelope.
#[derive(Debug)]
pub(crate) struct Outgoing<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) from: &'b str,
    pub(crate) to: Vec<&'b str>,
}

impl<'b> Outgoing<'b> {
    /// A message to send: its recipients are the plain addresses of its one `To`, and there are no others.
    pub(crate) fn new(bytes: &'b [u8], from: &'b str) -> Result<Self, MailError> {
        well_formed(bytes)?;
        let mut to = None;
        for (name, value) in headers(bytes)? {
            match name.to_ascii_lowercase().as_str() {
                "to" if to.is_some() => return Err(MailError::BadMessage("it has `To` twice")),
                "to" => to = Some(value),
                "cc" | "bcc" => return Err(MailError::BadMessage("it has `Cc` or `Bcc`: every recipient is in `To`")),
                name if name.starts_with("resent-") => return Err(MailError::BadMessage("it was resent")),
                "from" if value.trim() != from => {
                    return Err(MailError::BadMessage("its `From` is not the account's address"));
                }
                _ => {}
            }
        }
        let to: Vec<&str> = to.ok_or(MailError::BadMessage("it has no `To`"))?.split(',').map(str::trim).collect();
        if to.is_empty() || to.len() > RECIPIENTS || !to.iter().all(|address| is_plain_address(address)) {
            return Err(MailError::BadMessage("its `To` is no list of at most 100 plain addresses"));
        }
        Ok(Self { bytes, from, to })
    }

    /// The content as SMTP wants it: a dot before every dot that begins a line, and an end to the last line.
    pub(crate) fn stuffed(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + 64);
        let mut begins = true;
        for byte in self.bytes {
            if begins && *byte == b'.' {
                out.push(b'.');
            }
            out.push(*byte);
            begins = *byte == b'\n';
        }
        if !begins {
            out.extend_from_slice(b"\r\n");
        }
        out
    }
}

/// Whether bytes can be given to a mail server and come out the same: every line ends with CR LF, none is too long.
pub(crate) fn well_formed(bytes: &[u8]) -> Result<(), MailError> {
    if bytes.len() > LARGEST {
        return Err(MailError::BadMessage("it is larger than 25 MiB"));
    }
    if bytes.contains(&0) {
        return Err(MailError::BadMessage("it has a NUL"));
    }
    let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let text = if lines.peek().is_some() {
            line.strip_suffix(b"\r").ok_or(MailError::BadMessage("a line ends without a carriage return"))?
        } else {
            line
        };
        if text.contains(&b'\r') {
            return Err(MailError::BadMessage("it has a carriage return within a line"));
        }
        if text.len() > LINE {
            return Err(MailError::BadMessage("it has a line of more than 998 bytes"));
        }
    }
    Ok(())
}

/// Names and unfolded values. Only what has one line each, or is folded as it should be, is taken.
fn headers(bytes: &[u8]) -> Result<Vec<(&str, &str)>, MailError> {
    const BAD: MailError = MailError::BadMessage("its header is malformed");
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").ok_or(BAD)?;
    let head = str::from_utf8(bytes.get(..end).ok_or(BAD)?).map_err(|_| BAD)?;
    let mut fields = Vec::new();
    let mut rest = head;
    while !rest.is_empty() {
        // A field goes on as long as the next line begins with white space.
        let end = rest
            .match_indices("\r\n")
            .map(|(at, _)| at)
            .find(|at| !rest.get(at + 2..).unwrap_or_default().starts_with([' ', '\t']));
        let field = rest.get(..end.unwrap_or(rest.len())).ok_or(BAD)?;
        rest = end.and_then(|at| rest.get(at + 2..)).unwrap_or_default();
        let (name, value) = field.split_once(':').ok_or(BAD)?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BAD);
        }
        fields.push((name, value));
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "From: me@x.example\r\nTo: a@x.example,\r\n b@y.example\r\nSubject: s\r\n\r\n";

    #[test]
    fn only_what_can_be_sent_is() {
        let text = format!("{HEAD}.one\r\n..\r\n.\r\nlast");
        let good = Outgoing::new(text.as_bytes(), "me@x.example").unwrap();
        assert_eq!(good.to, ["a@x.example", "b@y.example"]);
        let stuffed = String::from_utf8(good.stuffed()).unwrap();
        assert!(stuffed.ends_with("\r\n\r\n..one\r\n...\r\n..\r\nlast\r\n"), "{stuffed}");
        for (bad, why) in [
            (format!("{HEAD}a\nb\r\n"), "carriage return"),
            (format!("{HEAD}a\rb\r\n"), "within a line"),
            (format!("{HEAD}a\r\n.\nMAIL FROM:<x@y.example>\r\n"), "carriage return"),
            (format!("{HEAD}a\r"), "within a line"),
            (format!("{HEAD}{}", "x".repeat(999)), "998"),
            (format!("{HEAD}\0"), "NUL"),
            (format!("To: c@x.example\r\n{HEAD}"), "twice"),
            (format!("Bcc: c@x.example\r\n{HEAD}"), "Bcc"),
            (HEAD.replace("a@x.example", "A <a@x.example>"), "plain addresses"),
            (HEAD.replace("To:", "Tu:"), "no `To`"),
            (HEAD.replace("me@x", "you@x"), "account's address"),
            ("no header".to_owned(), "malformed"),
        ] {
            let said = Outgoing::new(bad.as_bytes(), "me@x.example").unwrap_err().to_string();
            assert!(said.contains(why), "{bad:?}: {said}");
        }
    }
}
