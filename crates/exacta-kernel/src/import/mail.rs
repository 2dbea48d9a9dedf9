//! What stands around the diffs of a patch: mail headers, messages, statistics, signatures.

use super::ImportError;
use crate::diff::parse::Reader;
use crate::prelude::*;
use base64ct::{Base64, Encoding as _};

/// The subjects of the mails, as they are gathered.
#[derive(Default)]
pub(super) struct Words {
    /// One for each mail, as they are written there.
    subjects: Vec<String>,
    in_subject: bool,
    in_message: bool,
}

impl Words {
    /// Takes note of a line that is no part of a diff; refuses what would be one in a form that is not read.
    pub(super) fn read(&mut self, line: &[u8], reader: &Reader<'_>) -> Result<(), ImportError> {
        let lost = [&b"diff --cc "[..], b"diff --combined ", b"GIT binary patch", b"@@ -", b"@@@ -"];
        if lost.iter().any(|start| line.starts_with(start)) {
            let problem = "a change without the header of its file, or in a form that cannot be read";
            return Err(ImportError::Line { line: reader.number, problem });
        }
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        if line.starts_with("From ") {
            self.in_message = false;
        }
        match (line.strip_prefix("Subject: "), self.subjects.last_mut()) {
            (Some(subject), _) if !self.in_message => {
                self.subjects.push(subject.to_owned());
                self.in_subject = true;
            }
            (None, Some(subject)) if self.in_subject && line.starts_with([' ', '\t']) => {
                subject.push(' ');
                subject.push_str(line.trim_start());
            }
            _ => self.in_subject = false,
        }
        // The headers end with an empty line; what follows may quote any of them.
        self.in_message |= line.is_empty() && !self.subjects.is_empty();
        Ok(())
    }

    /// From here on a subject is part of a message, until the next mail.
    pub(super) const fn seen_file(&mut self) {
        self.in_message = true;
    }

    /// What the mails say they are about.
    pub(super) fn subject(&self) -> Option<String> {
        let subjects: Vec<String> =
            self.subjects.iter().map(|subject| without_tag(&decoded(subject)).to_owned()).collect();
        (!subjects.is_empty()).then(|| subjects.join("; "))
    }
}

/// A mail's subject without `[PATCH 1/2]`.
fn without_tag(subject: &str) -> &str {
    let rest = subject.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    rest.map_or(subject, |(_, rest)| rest)
}

/// A header's text with its encoded words (RFC 2047) decoded; one in an unknown character set stays as it is.
fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text;
    let mut after_word = false;
    while let Some(at) = rest.find("=?") {
        let (before, from) = rest.split_at(at);
        let word = encoded_word(from);
        // White space between two encoded words only folds the line.
        if !(after_word && word.is_some() && before.trim().is_empty()) {
            out.extend_from_slice(before.as_bytes());
        }
        after_word = word.is_some();
        let length = match word {
            Some((bytes, length)) => {
                out.extend(bytes);
                length
            }
            None => {
                out.extend_from_slice(b"=?");
                2
            }
        };
        rest = from.get(length..).unwrap_or_default();
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// The bytes, in UTF-8, of the encoded word that the text begins with, and the word's length.
fn encoded_word(text: &str) -> Option<(Vec<u8>, usize)> {
    let mut parts = text.strip_prefix("=?")?.splitn(3, '?');
    let (charset, encoding, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let content = rest.get(..rest.find("?=")?)?;
    let bytes = match encoding {
        "q" | "Q" => quoted_printable(content),
        "b" | "B" => {
            let mut bytes = vec![0; content.len()];
            Base64::decode(content, &mut bytes).ok()?.to_vec()
        }
        _ => return None,
    };
    let bytes = match charset.to_ascii_lowercase().as_str() {
        "utf-8" | "us-ascii" => bytes,
        "iso-8859-1" => bytes.into_iter().map(char::from).collect::<String>().into_bytes(),
        _ => return None,
    };
    Some((bytes, charset.len() + encoding.len() + content.len() + 6))
}

fn quoted_printable(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let coded = match (first, after) {
            (b'=', [high, low, after @ ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| (high << 4 | low, after)),
            _ => None,
        };
        let (byte, after) = coded.unwrap_or((if *first == b'_' { b' ' } else { *first }, after));
        out.push(byte);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_words_are_decoded() {
        let cases = [
            ("plain words", "plain words"),
            ("=?UTF-8?q?F=C3=BCge=20etwas_hinzu?=", "Füge etwas hinzu"),
            ("[PATCH] =?UTF-8?q?gr=C3=BC=C3=9Fe?= the rest", "[PATCH] grüße the rest"),
            ("=?utf-8?B?w6R0?= =?utf-8?b?aGVy?=", "äther"),
            ("=?UTF-8?q?a=C3?= =?UTF-8?q?=A4?=", "aä"),
            ("=?ISO-8859-1?Q?caf=E9?=", "café"),
            ("=?KOI8-R?Q?=C1?= stays", "=?KOI8-R?Q?=C1?= stays"),
            ("a =? b ?= c", "a =? b ?= c"),
            ("=?UTF-8?q?open", "=?UTF-8?q?open"),
            ("=?UTF-8?q?=G1=?=", "=G1="),
        ];
        for (text, expected) in cases {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }
}
