//! XML as a tree. Entities are not expanded: a text that declares or uses its own is not read.

use crate::prelude::*;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// How deeply elements may be nested.
const MAX_DEPTH: usize = 64;

/// How many attributes an element may have.
const MAX_ATTRIBUTES: usize = 64;
/// The name of the element that a processing instruction becomes.
const INSTRUCTION: &str = "?";

/// An element. Names are without their prefix; comments are dropped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
    pub children: Vec<Element>,
}

/// The root element of a text.
pub(super) fn read(text: &str) -> Option<Element> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.check_comments = true;
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().ok()? {
            Event::Start(_) if open.len() > MAX_DEPTH => return None,
            Event::Start(tag) => open.push(start(&tag)?),
            Event::End(_) => {
                let mut done = open.pop()?;
                done.text = done.text.trim().to_owned();
                open.last_mut()?.children.push(done);
            }
            Event::Text(text) => open.last_mut()?.text.push_str(&text.xml10_content()),
            Event::CData(text) => open.last_mut()?.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let c = match reference.resolve_char_ref().ok()? {
                    Some(c) => c,
                    None => predefined(&reference)?,
                };
                open.last_mut()?.text.push(c);
            }
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().transpose().ok()?;
                let known = encoding
                    .is_none_or(|name| name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("us-ascii"));
                if !known {
                    return None;
                }
            }
            Event::Comment(_) => {}
            // Not for the tool that builds, but no comment either.
            Event::PI(instruction) => {
                let text = instruction.target().to_owned() + instruction.content();
                open.last_mut()?.children.push(Element { name: INSTRUCTION.to_owned(), text, ..Element::default() });
            }
            Event::DocType(_) | Event::Empty(_) => return None,
            Event::Eof => break,
        }
    }
    let mut document = open.pop().filter(|_| open.is_empty())?;
    let mut outside: Vec<Element> = document.children.extract_if(.., |child| child.name == INSTRUCTION).collect();
    let mut root = document.children.pop()?;
    root.children.append(&mut outside);
    (document.children.is_empty() && document.text.trim().is_empty()).then_some(root)
}

fn start(tag: &BytesStart<'_>) -> Option<Element> {
    let mut element = Element { name: tag.local_name().as_ref().to_owned(), ..Element::default() };
    for (index, attribute) in tag.attributes().enumerate() {
        // That no name comes twice is found out by comparing all of them.
        let attribute = attribute.ok().filter(|_| index < MAX_ATTRIBUTES)?;
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).ok()?.into_owned();
        let name = attribute.key.as_ref();
        if !name.starts_with("xmlns") && !name.starts_with("xsi:") {
            element.attributes.insert(attribute.key.local_name().as_ref().to_owned(), value);
        }
    }
    Some(element)
}

fn predefined(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

impl Element {
    /// The child of this name.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the child of this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }

    /// The attribute of this name, whatever its case.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        attributes.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Takes every element that `wanted` says out of the tree, the inner ones of these included.
    pub fn take(&mut self, wanted: &impl Fn(&Self) -> bool) -> Vec<Self> {
        let mut taken = Vec::new();
        for child in &mut self.children {
            taken.append(&mut child.take(wanted));
        }
        taken.extend(self.children.extract_if(.., |child| wanted(child)));
        taken
    }

    /// The element as one line of text.
    pub fn line(&self) -> String {
        let mut line = format!("<{}", self.name);
        for (name, value) in &self.attributes {
            line.push_str(&format!(" {name}={value:?}"));
        }
        line.push('>');
        if !self.text.is_empty() {
            line.push_str(&format!("{:?}", self.text));
        }
        self.children.iter().for_each(|child| line.push_str(&child.line()));
        line.push_str("</>");
        line
    }
}
