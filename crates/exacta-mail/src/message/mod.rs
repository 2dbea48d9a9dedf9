//! A message as people and models may see it: decoded, inert, with every reason to doubt it named.
//!
//! Any bytes are a message. Reading them takes time and memory in proportion to their length, and never acts: nothing is fetched, answered or
//! unsubscribed.

mod address;
mod charset;
mod doubt;
mod entity;
mod head;
mod html;
mod part;
mod style;
mod transfer;
mod word;

pub use address::Address;
pub use doubt::Doubt;

use address::addresses;
use doubt::Doubts;
use exacta_kernel::text::{excerpt, hidden, visible};
use head::{Head, end_off};
use part::Part;
use std::collections::BTreeSet;

/// The most of a header that is looked at.
const HEAD: usize = 256 << 10;

/// The most of a part that is decoded.
const RAW: usize = 1 << 20;

/// The most characters of text that are shown.
const TEXT: usize = 200_000;

/// The most attachments that are named.
const ATTACHMENTS: usize = 100;

/// The longest subject or date that is shown.
const LINE: usize = 300;

/// A message, as it may be shown. Every text in it is inert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Whom it says it is from: every address of every `From`.
    pub from: Vec<Address>,
    /// Whom it is to.
    pub to: Vec<Address>,
    /// Who else gets it.
    pub cc: Vec<Address>,
    /// What it says that it is about.
    pub subject: String,
    /// When it says that it was written, in its own words.
    pub date: String,
    /// Its own name for itself; anybody can give it any.
    pub message_id: String,
    /// Its text.
    pub text: String,
    /// What it carries.
    pub attachments: Vec<Attachment>,
    /// What kind of message it is, which decides whether anybody may answer it.
    pub kind: Kind,
    /// What a reader should know before believing it.
    pub doubts: Vec<Doubt>,
}

/// Something that a message carries. It is named, never opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name; empty if it has none.
    pub name: String,
    /// `application/pdf`, as it says.
    pub media_type: String,
    /// In bytes, decoded.
    pub size: u64,
}

/// What kind of message it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kind {
    /// A machine wrote it.
    pub is_automatic: bool,
    /// It tells that another message did not arrive.
    pub is_bounce: bool,
    /// It went to a list.
    pub is_list: bool,
    /// It asks to be told when it is read, which it never is.
    pub asks_receipt: bool,
    /// It offers to be unsubscribed from by one request, which is never made.
    pub offers_unsubscribe: bool,
}

impl Kind {
    /// Whether an answer would go to a machine.
    #[must_use]
    pub const fn must_not_be_answered(&self) -> bool {
        self.is_automatic || self.is_bounce
    }
}

/// Reads a message, whatever it is.
#[must_use]
pub fn read(bytes: &[u8]) -> Message {
    let mut doubts = Doubts::default();
    let (head, body) = split(bytes, &mut doubts);
    let from: Vec<Address> = head.all("from").flat_map(|value| addresses(value, &mut doubts)).collect();
    let list = |name: &str, doubts: &mut Doubts| -> Vec<Address> {
        head.all(name).take(4).flat_map(|value| addresses(value, doubts)).collect()
    };
    let (to, cc) = (list("to", &mut doubts), list("cc", &mut doubts));
    doubt_sender(&head, &from, &mut doubts);
    let subject = head.first("subject").map(|value| word::decoded(value, &mut doubts)).unwrap_or_default();
    let line = |name: &str| excerpt(&String::from_utf8_lossy(head.first(name).unwrap_or_default()), LINE);
    let parts = part::parts(&head, bytes, body, &mut doubts);
    let text = text(&parts, &mut doubts);
    doubt_lines(bytes, &mut doubts);
    Message {
        kind: kind(&head, &from),
        subject: excerpt(&subject, LINE),
        date: line("date").trim().to_owned(),
        message_id: line("message-id").trim().to_owned(),
        attachments: attachments(&parts, &mut doubts),
        from,
        to,
        cc,
        text,
        doubts: doubts.into_list(),
    }
}

/// Whether a message has one Message-ID, which begins so after its `<`.
pub(crate) fn has_id(bytes: &[u8], id: &str) -> bool {
    let (head, _) = split(bytes, &mut Doubts::default());
    let mut all = head.all("message-id");
    let (first, second) = (all.next(), all.next());
    let fits =
        |value: &[u8]| value.trim_ascii().strip_prefix(b"<").is_some_and(|value| value.starts_with(id.as_bytes()));
    second.is_none() && first.is_some_and(fits)
}

/// The header, and where the body begins.
fn split(bytes: &[u8], doubts: &mut Doubts) -> (Head, usize) {
    let (mut end, mut body) = (0, bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if end_off(line).is_empty() {
            body = end + line.len();
            break;
        }
        end += line.len();
    }
    let head = Head::read(bytes.get(..end.min(HEAD)).unwrap_or_default());
    doubts.add_if(end > HEAD || head.cut, Doubt::LeftOut("part of its header"));
    doubts.add_if(head.malformed, Doubt::MalformedHeader);
    for name in ["from", "sender", "reply-to", "to", "cc", "subject", "date", "message-id", "content-type"] {
        let times = head.all(name).count();
        doubts.add_if(times > 1, Doubt::Repeated { name: name.to_owned(), times });
    }
    doubts.add_if(head.first("authentication-results").is_some(), Doubt::ClaimsAuthentication);
    (head, body)
}

fn doubt_sender(head: &Head, from: &[Address], doubts: &mut Doubts) {
    doubts.add_if(from.iter().all(|one| one.address.is_empty()), Doubt::NoSender);
    doubts.add_if(from.len() > 1, Doubt::SeveralSenders(from.len()));
    let is_from = |one: &Address| from.iter().any(|from| from.address.eq_ignore_ascii_case(&one.address));
    let others = |name: &str| -> Vec<Address> {
        let all = head.all(name).take(2).flat_map(|value| addresses(value, &mut Doubts::default()));
        all.filter(|one| !is_from(one)).take(3).collect()
    };
    doubts.extend(others("sender").into_iter().map(|one| Doubt::SentByAnother(one.address)));
    doubts.extend(others("reply-to").into_iter().map(|one| Doubt::AnswersElsewhere(one.address)));
}

fn kind(head: &Head, from: &[Address]) -> Kind {
    let is = |name: &str, words: &[&str]| {
        head.word(name).is_some_and(|value| words.iter().any(|word| value.starts_with(word)))
    };
    let there = |name: &str| head.first(name).is_some();
    let report = head.word("content-type").is_some_and(|value| value.starts_with("multipart/report"));
    let machine = from.iter().any(|one| {
        let name = one.address.split('@').next().unwrap_or_default().to_ascii_lowercase();
        name == "mailer-daemon" || name == "postmaster"
    });
    let nobody = head.word("return-path").is_some_and(|value| value == "<>");
    let automatic = head.word("auto-submitted").is_some_and(|value| !value.starts_with("no"));
    Kind {
        is_automatic: automatic
            || is("precedence", &["bulk", "auto_reply", "junk"])
            || there("x-autoreply")
            || there("x-autorespond")
            || there("x-auto-response-suppress")
            || nobody,
        is_bounce: report || machine || (nobody && there("x-failed-recipients")),
        is_list: there("list-id") || there("list-unsubscribe") || is("precedence", &["list"]),
        asks_receipt: there("disposition-notification-to")
            || there("return-receipt-to")
            || there("x-confirm-reading-to"),
        offers_unsubscribe: there("list-unsubscribe-post") || there("list-unsubscribe"),
    }
}

/// The text of all parts that have one; of several versions of the same, the plain one.
fn text(parts: &[Part<'_>], doubts: &mut Doubts) -> String {
    let texts = || parts.iter().filter(|part| !part.is_attachment);
    let (mut shown, mut left) = (String::new(), TEXT);
    for part in texts() {
        let html = part.media == "text/html";
        let instead = html.then(|| plain_of(parts, part)).flatten();
        let text = if html { html_text(part, instead.is_none(), doubts) } else { plain_text(part, doubts) };
        if let Some(plain) = instead {
            let plain = plain_text(plain, &mut Doubts::default());
            doubts.add_if(differ(&plain, &text), Doubt::VersionsDiffer);
            continue;
        }
        let piece: String = text.trim().chars().take(left).collect();
        doubts.add_if(piece.len() < text.trim().len(), Doubt::LeftOut("part of its text"));
        left = left.saturating_sub(piece.chars().count());
        if !shown.is_empty() && !piece.is_empty() {
            shown.push_str("\n\n");
        }
        shown.push_str(&piece);
    }
    let shown = shown.replace("\r\n", "\n");
    let count = hidden(&shown).count();
    doubts.add_if(count > 0, Doubt::HiddenCharacters(count));
    visible(&shown).into_owned()
}

/// The plain version of an HTML part.
fn plain_of<'p, 'b>(parts: &'p [Part<'b>], html: &Part<'b>) -> Option<&'p Part<'b>> {
    let same = |part: &&Part<'b>| {
        part.alternative.is_some()
            && part.alternative == html.alternative
            && part.media == "text/plain"
            && !part.is_attachment
    };
    parts.iter().filter(same).find(|part| !part.body.trim_ascii().is_empty())
}

fn plain_text(part: &Part<'_>, doubts: &mut Doubts) -> String {
    let raw = part.body.get(..part.body.len().min(RAW)).unwrap_or_default();
    doubts.add_if(raw.len() < part.body.len(), Doubt::LeftOut("part of its text"));
    let (mut bytes, good) = part.transfer.decode(raw);
    if raw.len() < part.body.len() {
        // A character that was cut is none.
        let whole = bytes.iter().rev().take(4).take_while(|byte| !byte.is_ascii()).count();
        bytes.truncate(bytes.len().saturating_sub(whole));
    }
    doubts.add_if(!good, Doubt::BrokenEncoding);
    let (text, doubt) = charset::decode(part.charset.as_deref(), &bytes);
    doubts.extend(doubt);
    text
}

fn html_text(part: &Part<'_>, is_shown: bool, doubts: &mut Doubts) -> String {
    let shown = html::shown(&plain_text(part, doubts));
    doubts.add_if(shown.remote > 0, Doubt::RemoteContent(shown.remote));
    if is_shown {
        doubts.add_if(shown.hidden > 0, Doubt::HiddenHtml(shown.hidden));
        doubts.add_if(shown.without_end, Doubt::HiddenWithoutEnd);
    }
    shown.text
}

/// Whether two versions of a text have hardly a word in common.
fn differ(plain: &str, html: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.take(5_000).map(str::to_lowercase).collect()
    };
    let (plain, html) = (words(plain), words(html));
    let common = plain.intersection(&html).count();
    html.len() >= 5 && common * 2 < html.len().min(plain.len().max(5))
}

fn attachments(parts: &[Part<'_>], doubts: &mut Doubts) -> Vec<Attachment> {
    let all = parts.iter().filter(|part| part.is_attachment);
    let count = all.clone().count();
    doubts.add_if(count > ATTACHMENTS, Doubt::LeftOut("part of the list of attachments"));
    let named = all.take(ATTACHMENTS).map(|part| {
        let name = part.name.as_ref().map_or(String::new(), |(charset, bytes)| match charset {
            Some(charset) => charset::decode(Some(charset), bytes).0,
            None => word::decoded(bytes, doubts),
        });
        Attachment {
            name: excerpt(&name, 120),
            media_type: excerpt(&part.media, 80),
            size: part.transfer.size(part.body),
        }
    });
    named.collect()
}

/// Line ends that other programs see as others: the ways of smuggling.
fn doubt_lines(bytes: &[u8], doubts: &mut Doubts) {
    let (mut crlf, mut bare, mut smuggled) = (false, false, false);
    // Where the line begins, and whether the one before it ended with CR LF.
    let (mut begin, mut before) = (0, true);
    for at in memchr::memchr2_iter(b'\r', b'\n', bytes) {
        let line = bytes.get(begin..at).unwrap_or_default();
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\r'), Some(b'\n')) => {}
            (Some(b'\r'), next) => {
                bare = true;
                smuggled |= next == Some(&b'.') && matches!(bytes.get(at + 2), Some(b'\r' | b'\n'));
            }
            _ => {
                let whole = line.last() == Some(&b'\r');
                crlf |= whole;
                bare |= !whole;
                // A dot alone whose line ends, before and after it, are not both CR LF.
                smuggled |= end_off(line) == b"." && !(whole && before);
                (begin, before) = (at + 1, whole);
            }
        }
    }
    doubts.add_if(crlf && bare, Doubt::MixedLineEnds);
    doubts.add_if(crlf && smuggled, Doubt::Smuggled);
}
