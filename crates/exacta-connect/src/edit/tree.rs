//! Where everything is in a JSON text. Comments and commas at the end of a list are understood, because several agents' programs take them.

use super::EditError;
use serde_json::Value;
use std::ops::Range;

/// Deeper nesting is nobody's configuration.
const DEEPEST: usize = 64;

/// A value and its place.
#[derive(Debug)]
pub enum Node {
    /// An object.
    Object { span: Range<usize>, members: Vec<Member> },
    /// A list.
    Array { span: Range<usize>, items: Vec<Node> },
    /// Anything else.
    Plain { span: Range<usize> },
}

/// One member of an object.
#[derive(Debug)]
pub struct Member {
    /// Where its name begins.
    pub start: usize,
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// From its first byte to behind its last.
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::Object { span, .. } | Self::Array { span, .. } | Self::Plain { span } => span.clone(),
        }
    }

    /// The member of this name.
    pub fn member(&self, key: &str) -> Option<&Member> {
        match self {
            Self::Object { members, .. } => members.iter().find(|member| member.key == key),
            _ => None,
        }
    }

    /// What is at the end of a way.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.member(key).map(|member| &member.value))
    }

    /// The value, without comments.
    pub fn value(&self, text: &str) -> Option<Value> {
        match self {
            Self::Object { members, .. } => {
                let pairs = members.iter().map(|member| Some((member.key.clone(), member.value.value(text)?)));
                pairs.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
            }
            Self::Array { items, .. } => {
                items.iter().map(|item| item.value(text)).collect::<Option<Vec<_>>>().map(Value::Array)
            }
            Self::Plain { span } => serde_json::from_str(text.get(span.clone())?).ok(),
        }
    }
}

/// Reads a text that is one object.
pub fn parse(text: &str) -> Result<Node, EditError> {
    let mut reader = Reader { text, at: 0 };
    reader.blank()?;
    let root = reader.node(0)?;
    reader.blank()?;
    if reader.at < text.len() {
        return Err(reader.wrong("something follows the end"));
    }
    if matches!(root, Node::Object { .. }) { Ok(root) } else { Err(reader.wrong("it is no object")) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn node(&mut self, depth: usize) -> Result<Node, EditError> {
        if depth > DEEPEST {
            return Err(self.wrong("it is nested too deep"));
        }
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.object(start, depth),
            Some(b'[') => self.array(start, depth),
            Some(b'"') => self.string().map(|_| Node::Plain { span: start..self.at }),
            Some(_) => self.word(start),
            None => Err(self.wrong("it ends too early")),
        }
    }

    fn object(&mut self, start: usize, depth: usize) -> Result<Node, EditError> {
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        while self.more(b'}', members.is_empty())? {
            let place = self.at;
            let key = self.string()?;
            if members.iter().any(|member| member.key == key) {
                return Err(self.wrong(&format!("`{}` is there twice", exacta_kernel::text::excerpt(&key, 40))));
            }
            self.blank()?;
            self.expect(b':')?;
            self.blank()?;
            members.push(Member { start: place, key, value: self.node(depth + 1)? });
        }
        Ok(Node::Object { span: start..self.at, members })
    }

    fn array(&mut self, start: usize, depth: usize) -> Result<Node, EditError> {
        self.at += 1;
        let mut items = Vec::new();
        while self.more(b']', items.is_empty())? {
            items.push(self.node(depth + 1)?);
        }
        Ok(Node::Array { span: start..self.at, items })
    }

    /// Whether another child follows; passes commas and the closing bracket.
    fn more(&mut self, close: u8, is_first: bool) -> Result<bool, EditError> {
        self.blank()?;
        if !is_first && self.peek() == Some(b',') {
            self.at += 1;
            self.blank()?;
        } else if !is_first && self.peek() != Some(close) {
            return Err(self.wrong("a comma is missing"));
        }
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    fn string(&mut self) -> Result<String, EditError> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(self.wrong("a string has no end")),
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(text).map_err(|_| self.wrong("a string is not written as JSON has it"))
    }

    fn word(&mut self, start: usize) -> Result<Node, EditError> {
        let rest = self.text.get(start..).unwrap_or_default();
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | ':' | '/' | '"' | '{' | '[');
        self.at = start + rest.find(ends).unwrap_or(rest.len());
        let word = self.text.get(start..self.at).unwrap_or_default();
        match serde_json::from_str::<Value>(word) {
            Ok(_) => Ok(Node::Plain { span: start..self.at }),
            Err(_) => {
                self.at = start;
                Err(self.wrong("here is no value"))
            }
        }
    }

    /// Passes white space and comments.
    fn blank(&mut self) -> Result<(), EditError> {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let white = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']).len();
            let rest = rest.get(white..).unwrap_or_default();
            self.at += white;
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map(|end| end + 2).ok_or_else(|| self.wrong("a comment has no end"))?;
            } else {
                return Ok(());
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), EditError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong(&format!("`{}` is missing", char::from(byte))))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, why: &str) -> EditError {
        let before = self.text.get(..self.at.min(self.text.len())).unwrap_or(self.text);
        EditError::Broken { line: before.matches('\n').count() + 1, why: why.to_owned() }
    }
}
