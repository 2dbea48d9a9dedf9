//! The header of a message or of one of its parts: fields, as they are.

/// The most fields that are looked at.
const FIELDS: usize = 1_000;

/// The longest value that is looked at.
const VALUE: usize = 16 << 10;

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// In small letters.
    pub(super) name: String,
    /// Without its folds, at most [`VALUE`] bytes.
    pub(super) value: Vec<u8>,
}

/// The fields of a header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) fields: Vec<Field>,
    /// Whether something of it was left out for its length.
    pub(super) cut: bool,
    /// Whether a line of it is no field.
    pub(super) malformed: bool,
}

impl Head {
    /// Reads a header. `bytes` is all of it, without the empty line that ends it.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut head = Self::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = end_off(line);
            match line.first() {
                None => {}
                Some(b' ' | b'\t') => head.go_on(line),
                Some(_) if head.fields.len() == FIELDS => {
                    head.cut = true;
                    break;
                }
                Some(_) => head.begin(line),
            }
        }
        head
    }

    /// All values of a field, in order.
    pub(super) fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
        self.fields.iter().filter(move |field| field.name == name).map(|field| field.value.as_slice())
    }

    /// The first value of a field.
    pub(super) fn first(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_slice())
    }

    /// The first value of a field, as far as it is text, in small letters.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.first(name).map(|value| String::from_utf8_lossy(value).trim().to_ascii_lowercase())
    }

    fn begin(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':');
        let name = colon.and_then(|at| line.get(..at)).map(|name| name.trim_ascii_end()).unwrap_or_default();
        if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
            self.malformed = true;
            return;
        }
        let value = colon.and_then(|at| line.get(at + 1..)).unwrap_or_default();
        let name = String::from_utf8_lossy(name.get(..name.len().min(128)).unwrap_or_default()).to_ascii_lowercase();
        self.fields.push(Field { name, value: Vec::new() });
        self.go_on(value);
    }

    fn go_on(&mut self, more: &[u8]) {
        let Some(field) = self.fields.last_mut() else {
            self.malformed = true;
            return;
        };
        let room = VALUE.saturating_sub(field.value.len());
        self.cut |= more.len() > room;
        field.value.extend_from_slice(more.get(..more.len().min(room)).unwrap_or_default());
    }
}

/// A line without its end.
pub(super) fn end_off(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The value and the parameters of a field such as `Content-Type`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// In small letters.
    pub(super) value: String,
    named: Vec<(String, String)>,
}

impl Parameters {
    pub(super) fn read(field: &[u8]) -> Self {
        let text = String::from_utf8_lossy(field);
        let mut pieces = pieces(&text).into_iter();
        let value = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
        let named = pieces.filter_map(|piece| {
            let (name, value) = piece.split_once('=')?;
            Some((name.trim().to_ascii_lowercase(), unquoted(value.trim())))
        });
        Self { value, named: named.take(64).collect() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(named, _)| named == name).map(|(_, value)| value.as_str())
    }

    /// A parameter that may have other letters than ASCII, or come in pieces (RFC 2231), with its charset.
    pub(super) fn extended(&self, name: &str) -> Option<(Option<String>, Vec<u8>)> {
        if let Some(whole) = self.get(&format!("{name}*")) {
            let (charset, rest) = charset_of(whole);
            return Some((charset, percent(rest)));
        }
        let (mut bytes, mut charset) = (Vec::new(), None);
        for number in 0..100 {
            if let Some(plain) = self.get(&format!("{name}*{number}")) {
                bytes.extend_from_slice(plain.as_bytes());
            } else if let Some(coded) = self.get(&format!("{name}*{number}*")) {
                let (named, rest) = if number == 0 { charset_of(coded) } else { (None, coded) };
                charset = charset.or(named);
                bytes.extend(percent(rest));
            } else {
                break;
            }
        }
        (!bytes.is_empty()).then_some((charset, bytes))
    }
}

/// What is between semicolons that are not in quotes.
fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for c in text.chars() {
        if c == ';' && !quoted {
            pieces.push(String::new());
            continue;
        }
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && quoted && !escaped;
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
    }
    pieces
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        return value.split_whitespace().next().unwrap_or_default().to_owned();
    };
    let (mut out, mut escaped) = (String::new(), false);
    for c in inner.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => break,
            c => {
                out.push(c);
                escaped = false;
            }
        }
    }
    out
}

fn charset_of(text: &str) -> (Option<String>, &str) {
    let mut parts = text.splitn(3, '\'');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(charset), Some(_), Some(rest)) => (Some(charset.to_owned()), rest),
        _ => (None, text),
    }
}

fn percent(text: &str) -> Vec<u8> {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let coded = (*byte == b'%').then(|| hex(*bytes.get(at + 1)?, *bytes.get(at + 2)?)).flatten();
        out.push(coded.unwrap_or(*byte));
        at += if coded.is_some() { 3 } else { 1 };
    }
    out
}

/// The byte that two hexadecimal digits mean.
pub(super) fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}
