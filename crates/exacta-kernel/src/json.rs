//! The strict JSON reader: everything untrusted that is JSON comes through here.
//!
//! Beyond JSON's own grammar it refuses what would let two readers, or a reader and a hash, disagree: duplicate keys and
//! numbers beyond 2^53; nesting deeper than [`MAX_DEPTH`]; and NUL, where one reader ends a text and another does not. It reports all of them, each with a JSON pointer. Time and
//! memory are linear in the text, and the stack is bounded.

use crate::prelude::*;
use crate::text;
use core::fmt;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// How deeply arrays and objects may be nested.
pub const MAX_DEPTH: usize = 32;
/// The largest magnitude of a number: up to here every integer has its own floating-point value.
pub const MAX_NUMBER: u64 = 1 << 53;
/// How many faults are reported; a text with more is no better understood by listing them.
const MAX_FAULTS: usize = 64;
/// How much of a key is kept in a pointer, in characters.
const MAX_KEY: usize = 128;

/// Why a text was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// Not JSON.
    #[error("{message} at line {line} column {column}")]
    Syntax {
        /// What the reader stumbled over.
        message: String,
        /// Counted from 1.
        line: usize,
        /// In bytes, counted from 1; 0 at the start of a line.
        column: usize,
    },
    /// JSON that says something ambiguous or excessive.
    #[error("{}", .0.first().map_or("", |fault| fault.problem.message()))]
    Data(
        /// In the order they occur; never empty.
        Vec<Fault>,
    ),
}

/// One place where JSON is ambiguous or excessive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// RFC 6901 pointer to the place.
    pub pointer: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What JSON may not contain here, though its grammar allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// A key that its object already has.
    DuplicateKey,
    /// An array or object nested more than [`MAX_DEPTH`] deep.
    TooDeep,
    /// A number beyond ±2^53.
    NumberTooLarge,
    /// The character U+0000 in a text or a key.
    Nul,
}

impl Problem {
    /// What is wrong, in words.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::DuplicateKey => "the same key occurs twice in one object",
            Self::TooDeep => "nested more than 32 levels deep",
            Self::NumberTooLarge => "a number beyond 2^53",
            Self::Nul => "the character U+0000 in a text",
        }
    }

    /// What would fix it.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::DuplicateKey => "keep one of the two",
            Self::TooDeep => "flatten the data",
            Self::NumberTooLarge => "write it as a string",
            Self::Nul => "leave it out; it is in no text, and ends one for some readers",
        }
    }
}

/// Reads one JSON value.
///
/// # Errors
/// [`JsonError::Syntax`] if the text is not exactly one JSON value, else [`JsonError::Data`] with every fault in it.
pub fn read(text: &str) -> Result<Value, JsonError> {
    let mut state = State::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { state: &mut state, depth: 0 }.deserialize(&mut reader);
    match value.and_then(|value| reader.end().map(|()| value)) {
        Ok(value) if state.faults.is_empty() => Ok(value),
        Ok(_) => Err(JsonError::Data(state.faults.into_iter().map(OpenFault::close).collect())),
        Err(error) => Err(state.broken(&error)),
    }
}

/// Appends one reference token to a JSON pointer (RFC 6901), without secrets and cut where it is too long to be of use.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    let (start, cut) = text::start(token, MAX_KEY);
    for c in start.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
    if cut {
        pointer.push('…');
    }
}

/// What is found on the way. Places are completed as the reader returns through the levels, so that a clean text pays
/// nothing for them.
#[derive(Default)]
struct State {
    faults: Vec<OpenFault>,
    /// Where reading stopped, innermost first.
    stopped_at: Vec<String>,
}

struct OpenFault {
    /// Innermost first.
    tokens: Vec<String>,
    problem: Problem,
}

impl OpenFault {
    fn close(self) -> Fault {
        Fault { pointer: pointer(&self.tokens), problem: self.problem }
    }
}

impl State {
    fn fault(&mut self, problem: Problem) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(OpenFault { tokens: Vec::new(), problem });
        }
    }

    /// Looks at a text, or a key.
    fn text(&mut self, text: &str) {
        if memchr::memchr(0, text.as_bytes()).is_some() {
            self.fault(Problem::Nul);
        }
    }

    /// Adds a level to the places of all faults found since there were `known`.
    fn found_in(&mut self, known: usize, token: impl Fn() -> String) {
        for fault in self.faults.iter_mut().skip(known) {
            fault.tokens.push(token());
        }
    }

    fn broken(mut self, error: &serde_json::Error) -> JsonError {
        let message = error.to_string();
        if message.starts_with("number out of range") {
            let place = OpenFault { tokens: core::mem::take(&mut self.stopped_at), problem: Problem::NumberTooLarge };
            return JsonError::Data(vec![place.close()]);
        }
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        JsonError::Syntax { message: text::excerpt(message, 200), line: error.line(), column: error.column() }
    }
}

fn pointer(innermost_first: &[String]) -> String {
    let mut out = String::new();
    innermost_first.iter().rev().for_each(|token| push_token(&mut out, token));
    out
}

fn shortened(key: &str) -> String {
    text::start(key, MAX_KEY + 1).0.into_owned()
}

/// Reads one value at a depth: 0 for the whole text.
struct Strict<'a> {
    state: &'a mut State,
    depth: usize,
}

impl Strict<'_> {
    fn inner(&mut self) -> Strict<'_> {
        Strict { state: self.state, depth: self.depth + 1 }
    }

    fn number(&mut self, fits: bool, number: impl Into<Value>) -> Value {
        if !fits {
            self.state.fault(Problem::NumberTooLarge);
        }
        number.into()
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: de::Error>(mut self, value: u64) -> Result<Value, E> {
        Ok(self.number(value <= MAX_NUMBER, value))
    }

    fn visit_i64<E: de::Error>(mut self, value: i64) -> Result<Value, E> {
        Ok(self.number(value.unsigned_abs() <= MAX_NUMBER, value))
    }

    fn visit_f64<E: de::Error>(mut self, value: f64) -> Result<Value, E> {
        const MAX: f64 = 9_007_199_254_740_992.0;
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        // A float this large may stand for another integer than the one that was written.
        Ok(self.number(value.abs() < MAX, Value::Number(number)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.state.text(value);
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Value, E> {
        self.state.text(&value);
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        if self.depth >= MAX_DEPTH {
            self.state.fault(Problem::TooDeep);
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Array(items));
        }
        loop {
            let known = self.state.faults.len();
            match seq.next_element_seed(self.inner()) {
                Ok(Some(item)) => {
                    self.state.found_in(known, || items.len().to_string());
                    items.push(item);
                }
                Ok(None) => return Ok(Value::Array(items)),
                Err(error) => {
                    self.state.stopped_at.push(items.len().to_string());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        if self.depth >= MAX_DEPTH {
            self.state.fault(Problem::TooDeep);
            while access.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Object(map));
        }
        while let Some(key) = access.next_key::<String>()? {
            let known = self.state.faults.len();
            self.state.text(&key);
            let value = match access.next_value_seed(self.inner()) {
                Ok(value) => value,
                Err(error) => {
                    self.state.stopped_at.push(shortened(&key));
                    return Err(error);
                }
            };
            match map.entry(key) {
                Entry::Vacant(slot) => {
                    self.state.found_in(known, || shortened(slot.key()));
                    slot.insert(value);
                }
                Entry::Occupied(slot) => {
                    self.state.fault(Problem::DuplicateKey);
                    self.state.found_in(known, || shortened(slot.key()));
                }
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<(String, Problem)> {
        match read(text) {
            Err(JsonError::Data(faults)) => faults.into_iter().map(|fault| (fault.pointer, fault.problem)).collect(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn nested(depth: usize) -> String {
        format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn reads_what_plain_json_reads() {
        for text in ["null", "[1,-2,0.5,\"a\\u00e9\\n\",true]", "{\"a\":{\"b\":[]},\"c\":9007199254740992}", " 1 "] {
            assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        assert!(read(&nested(MAX_DEPTH)).is_ok());
    }

    #[test]
    fn every_fault_with_its_place() {
        use Problem::{DuplicateKey, Nul, NumberTooLarge, TooDeep};
        assert_eq!(faults(r#"["a", {"b": "\u0000"}]"#), [("/1/b".to_owned(), Nul)]);
        assert_eq!(faults(r#"{"a\u0000": 1}"#), [("/a\0".to_owned(), Nul)]);
        assert_eq!(faults("{\"a\":1,\"a\":2}"), [("/a".to_owned(), DuplicateKey)]);
        assert_eq!(
            faults("{\"x\":[0,{\"a/b\":1,\"a/b\":1,\"m~n\":9007199254740993}],\"x\":-9007199254740993}"),
            [
                ("/x/1/a~1b".to_owned(), DuplicateKey),
                ("/x/1/m~0n".to_owned(), NumberTooLarge),
                ("/x".to_owned(), NumberTooLarge),
                ("/x".to_owned(), DuplicateKey),
            ]
        );
        for big in [
            "9007199254740993.0",
            "9007199254740993e0",
            "-9007199254740992.0",
            "1e16",
            "18446744073709551615",
            "184467440737095516150",
            "-1e300",
            "1e400",
        ] {
            assert_eq!(faults(&format!("[[],{{\"n\":{big}}}]")), [("/1/n".to_owned(), NumberTooLarge)], "{big}");
        }
        assert_eq!(faults(&nested(MAX_DEPTH + 1)), [("/0".repeat(MAX_DEPTH), TooDeep)]);
    }

    #[test]
    fn broken_text_is_told_from_bad_data() {
        for (text, at) in [("", (1, 0)), ("{", (1, 1)), ("{\n\"a\":}", (2, 5)), ("1 2", (1, 3)), ("[1,]", (1, 4))] {
            match read(text) {
                Err(JsonError::Syntax { line, column, .. }) => assert_eq!((line, column), at, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert!(matches!(read("{\"a\":1,\"a\":2"), Err(JsonError::Syntax { .. })), "broken text wins over its faults");
    }

    #[test]
    fn bombs_are_harmless() {
        assert_eq!(faults(&nested(1_000_000)).len(), 1);
        assert!(matches!(read(&"[".repeat(1_000_000)), Err(JsonError::Syntax { .. })));
        assert!(matches!(read(&"{\"a\":".repeat(1_000_000)), Err(JsonError::Syntax { .. })));
        let same = format!("{{{}\"k\":0}}", "\"k\":0,".repeat(100_000));
        assert_eq!(faults(&same).len(), MAX_FAULTS);
        let long = format!("{{\"{0}\":1,\"{0}\":1}}", "k".repeat(1_000_000));
        assert!(
            faults(&long).iter().all(|(pointer, _)| pointer.chars().count() == MAX_KEY + 2 && pointer.ends_with('…'))
        );
    }
}
