//! What a model answered, turned into the parts of a proposal. Only form is judged here; everything else the kernel does, as for anyone.

use super::prompt::Form;
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::parse;
use serde_json::{Map, Value, json};

/// What a step may say besides its payload. A model that sends a whole step sends the payload, too, and that is taken.
const PAYLOADS: [&str; 5] = ["diff", "edits", "content", "content_base64", "mode"];

/// The steps as a model lists them, and what it took for granted.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    /// The document as the model wrote it, without what is only ours to say.
    pub document: Map<String, Value>,
}

impl Outline {
    /// Reads an answer.
    ///
    /// # Errors
    /// Why it is no list of steps.
    pub fn read(text: &str) -> Result<Self, Vec<Finding>> {
        let mut document = parse::parse_object(text)?;
        // A model that sends a whole proposal says these, too; they are ours.
        for ours in ["schema", "intent", "model"] {
            document.remove(ours);
        }
        match document.get_mut("steps") {
            Some(Value::Array(steps)) if steps.iter().all(Value::is_object) => {
                number(steps);
                Ok(Self { document })
            }
            _ => {
                let message = "`steps` is missing, or not a list of objects";
                let hint = "send {\"steps\":[{\"id\",\"type\",\"target\",\"description\"}]}";
                Err(vec![Finding::new(Code::SchemaInvalid, message, hint).at("/steps")])
            }
        }
    }

    /// The steps.
    pub fn steps(&self) -> &[Value] {
        self.document.get("steps").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The text of one field of a step.
    pub fn text(&self, step: usize, field: &str) -> &str {
        self.steps().get(step).and_then(|step| step.get(field)).and_then(Value::as_str).unwrap_or_default()
    }

    /// Gives a step its payload, in place of whatever it had.
    pub fn fill(&mut self, step: usize, payload: Map<String, Value>) {
        let steps = self.document.get_mut("steps").and_then(Value::as_array_mut);
        if let Some(Value::Object(fields)) = steps.and_then(|steps| steps.get_mut(step)) {
            PAYLOADS.iter().for_each(|name| drop(fields.remove(*name)));
            fields.extend(payload);
        }
    }

    /// Whether a step changes a file and does not say how.
    pub fn wants_payload(&self, step: usize) -> bool {
        let writes = matches!(self.text(step, "type"), "file_create" | "file_modify");
        let fields = self.steps().get(step).and_then(Value::as_object);
        writes && fields.is_some_and(|fields| !PAYLOADS.iter().any(|name| fields.contains_key(*name)))
    }
}

/// Names and numbers for steps that have none. A model that numbers some of them is left to the parser.
fn number(steps: &mut [Value]) {
    let has = |steps: &[Value], field: &str| steps.iter().any(|step| step.get(field).is_some());
    let (ids, orders) = (has(steps, "id"), has(steps, "order"));
    for (at, step) in steps.iter_mut().enumerate() {
        let Value::Object(step) = step else { continue };
        if !ids {
            step.insert("id".to_owned(), json!(format!("s{}", at + 1)));
        }
        if !orders {
            step.insert("order".to_owned(), json!(at + 1));
        }
        step.entry("dependencies").or_insert_with(|| json!([]));
    }
}

/// Reads the change of one step in the form it was asked for. What is another form, but certain, is taken, too.
///
/// # Errors
/// Why it is none.
pub(super) fn payload(text: &str, form: Form) -> Result<Map<String, Value>, Vec<Finding>> {
    match form {
        Form::Edits | Form::Content => object(text),
        Form::Diff => match parse::parse_object(text) {
            Ok(document) => of_document(document),
            Err(_) => Ok(single("diff", fenced(text)?)),
        },
        Form::Whole => Ok(single("content", fenced(text)?)),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, Vec<Finding>> {
    of_document(parse::parse_object(text)?)
}

/// The payload of a document that is one, or a whole step.
fn of_document(document: Map<String, Value>) -> Result<Map<String, Value>, Vec<Finding>> {
    let payload: Map<String, Value> =
        document.into_iter().filter(|(name, _)| PAYLOADS.contains(&name.as_str())).collect();
    if payload.keys().any(|name| name != "mode") {
        return Ok(payload);
    }
    let message = "the answer holds neither `edits` nor `content` nor `diff`";
    Err(vec![Finding::new(Code::SchemaInvalid, message, "send the object that was asked for, and nothing else").at("")])
}

fn single(name: &str, text: String) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), Value::String(text))])
}

/// The one fenced block of a text, or the text itself where it has no fence and begins as a diff does.
fn fenced(text: &str) -> Result<String, Vec<Finding>> {
    let refuse = |message: &str| {
        let hint = "send one block that begins and ends with three backticks, and nothing else";
        Err(vec![Finding::new(Code::ParseNonjson, message, hint)])
    };
    let text = text.trim_matches(['\n', '\r', ' ']);
    if text.starts_with("--- ") || text.starts_with("diff --git ") {
        return Ok(format!("{text}\n"));
    }
    let Some(body) = text.strip_prefix("```") else {
        return refuse("there is something before the block, or no block");
    };
    let Some((_tag, body)) = body.split_once('\n') else { return refuse("the block is empty") };
    let Some(body) = body.strip_suffix("```") else {
        return refuse("the block does not end, or something is after it");
    };
    if !body.is_empty() && !body.ends_with('\n') {
        return refuse("the block's last line is not its own");
    }
    if body.lines().any(|line| line.starts_with("```"))
        && !body.lines().any(|line| line.starts_with("+```") || line.starts_with(" ```"))
    {
        return refuse("there is more than one block");
    }
    Ok(body.to_owned())
}
