//! An answer while it arrives.

use crate::answer::{Content, Delta, Finish, Served, Source, Usage};
use crate::fault::{FaultKind, Refusal};
use crate::limits::{MAX_NAME, MAX_TEXT};
use crate::request::Request;
use exacta_kernel::json;
use serde_json::Value;

/// What has arrived of an answer, whichever wire it comes over.
pub(crate) struct Draft<'a> {
    /// The tool that the model was given.
    tool: Option<String>,
    /// The schema that the text must have, which some wires ask for as a tool.
    schema: Option<String>,
    sink: &'a mut dyn FnMut(Delta<'_>),
    text: String,
    call: Option<Call>,
    pub(crate) usage: Usage,
    pub(crate) served: Served,
    finish: Option<Finish>,
    refused: Option<Refusal>,
    /// The wire's own mark that nothing follows.
    pub(crate) ended: bool,
}

/// A tool call while it arrives.
struct Call {
    /// The wire's name for it, which tells it from a second one.
    id: String,
    tool: String,
    arguments: String,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(request: &Request, sink: &'a mut dyn FnMut(Delta<'_>)) -> Self {
        Self {
            tool: request.tool.as_ref().map(|tool| tool.name.clone()),
            schema: request.schema.as_ref().map(|schema| schema.name.clone()),
            sink,
            text: String::new(),
            call: None,
            usage: Usage::default(),
            served: Served::default(),
            finish: None,
            refused: None,
            ended: false,
        }
    }

    /// The first byte of the answer arrived.
    pub(crate) fn began(&mut self) {
        (self.sink)(Delta::Began);
    }

    /// More text.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), FaultKind> {
        fits(self.text.len(), text.len())?;
        self.text.push_str(text);
        if !text.is_empty() {
            (self.sink)(Delta::Text(text));
        }
        Ok(())
    }

    /// A tool call, or more of one. The name may come first and the arguments later.
    pub(crate) fn call(&mut self, id: &str, tool: Option<&str>, arguments: &str) -> Result<(), FaultKind> {
        let call =
            self.call.get_or_insert_with(|| Call { id: id.to_owned(), tool: String::new(), arguments: String::new() });
        if call.id != id {
            return Err(FaultKind::BadToolCall);
        }
        fits(call.arguments.len() + call.tool.len(), arguments.len() + tool.map_or(0, str::len))?;
        // Some servers say the whole name again with every piece.
        let tool = tool.filter(|name| call.tool != **name).unwrap_or_default();
        call.tool.push_str(tool);
        call.arguments.push_str(arguments);
        match (&self.tool, arguments) {
            (_, "") => {}
            (Some(_), arguments) => (self.sink)(Delta::Arguments(arguments)),
            (None, arguments) => (self.sink)(Delta::Text(arguments)),
        }
        Ok(())
    }

    /// The wire's mark that nothing follows. An answer that was marked so and had no reason to end was complete.
    pub(crate) fn end(&mut self) {
        self.ended = true;
        if self.finish.is_none() && !self.is_empty() {
            self.finish = Some(Finish::Complete);
        }
    }

    /// Whether nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.call.as_ref().is_none_or(|call| call.arguments.is_empty())
    }

    /// Whether a tool call has begun.
    pub(crate) const fn has_call(&self) -> bool {
        self.call.is_some()
    }

    /// What the answer says of its model. It may say so in every event, but always the same.
    pub(crate) fn model(&mut self, name: Option<&str>, from: Source) -> Result<(), FaultKind> {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(()) };
        let name = shown(name);
        match &self.served.model {
            Some(was) if *was != name && self.served.from == from => {
                Err(FaultKind::ModelChanged { was: was.clone(), is: name })
            }
            // The body counts more than a header, which a proxy may have written.
            Some(_) if from == Source::Header => Ok(()),
            _ => {
                self.served = Served { model: Some(name), from };
                Ok(())
            }
        }
    }

    /// Why the answer ends.
    pub(crate) fn finish(&mut self, finish: Finish) {
        self.finish = Some(finish);
    }

    /// The model or a filter refuses.
    pub(crate) fn refuse(&mut self, by: Refusal) {
        self.refused = Some(by);
    }

    /// The answer, now that nothing follows.
    pub(crate) fn into_content(self) -> Result<(Content, Finish, Usage, Served), FaultKind> {
        if let Some(by) = self.refused {
            return Err(FaultKind::Refused { by });
        }
        let finish = self.finish.ok_or(FaultKind::CutStream)?;
        let content = match self.call {
            Some(call) if self.tool.is_some() => Content::Call(checked(call, self.tool.as_deref(), finish)?),
            Some(call) if self.schema.as_deref() == Some(call.tool.as_str()) => Content::Text(call.arguments),
            Some(_) => return Err(FaultKind::BadToolCall),
            None => Content::Text(without_thoughts(self.text)),
        };
        Ok((content, finish, self.usage, self.served))
    }
}

/// The arguments, if they are one JSON object for the tool that was given.
fn checked(call: Call, tool: Option<&str>, finish: Finish) -> Result<String, FaultKind> {
    let is_object = json::read(&call.arguments).is_ok_and(|value| matches!(value, Value::Object(_)));
    match finish {
        _ if is_object && Some(call.tool.as_str()) == tool => Ok(call.arguments),
        Finish::Length => Err(FaultKind::OutputLimit),
        Finish::Complete => Err(FaultKind::BadToolCall),
    }
}

/// A text without the thoughts before it: servers that know nothing of a model's reasoning leave it in the text, marked.
fn without_thoughts(text: String) -> String {
    let thoughts = text.trim_start().strip_prefix("<think>").and_then(|rest| rest.split_once("</think>"));
    thoughts.map(|(_, said)| said.trim_start().to_owned()).unwrap_or(text)
}

fn fits(has: usize, more: usize) -> Result<(), FaultKind> {
    if has.saturating_add(more) > MAX_TEXT { Err(FaultKind::TooLarge { limit: MAX_TEXT }) } else { Ok(()) }
}

/// A name as it may be stored and shown: one line, nothing hidden, not too long.
pub(crate) fn shown(name: &str) -> String {
    let visible = exacta_kernel::text::visible_line(name);
    let end = visible.floor_char_boundary(MAX_NAME);
    visible.get(..end).unwrap_or_default().to_owned()
}
