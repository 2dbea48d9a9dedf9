//! The changes, step by step: each is held against every rule as soon as it is there, and asked for again where it breaks one.

use super::answer::{self, Outline};
use super::intent::Reading;
use super::prompt::{CHANGE, Form};
use super::session::{Said, Session, Who};
use super::view::{AskEvent, AskStage};
use crate::error::Error;
use exacta_kernel::facts::Target;
use exacta_kernel::finding::Code;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::caps::Caps;
use exacta_provider::{Message, Request, Shape, Stage};
use exacta_view::FindingView;
use serde_json::{Value, json};

/// The most tokens that one change takes.
const LONGEST: u64 = 16_000;
/// The largest file that is asked for as a whole, in bytes.
const SMALL: usize = 24 << 10;

impl Session<'_> {
    /// Gives every step its change. Steps that cannot be written without breaking a constraint are planned again.
    pub fn write_changes(&mut self, outline: &mut Outline, reading: &Reading) -> Result<(), Error> {
        while let Some(findings) = self.write_each(outline, reading)? {
            *outline = self.plan(reading, Some(&findings))?;
        }
        Ok(())
    }

    /// The same once; what is wrong with the steps themselves, if that is why a change cannot be written.
    fn write_each(&mut self, outline: &mut Outline, reading: &Reading) -> Result<Option<Vec<FindingView>>, Error> {
        let count = outline.steps().len();
        self.enter(AskStage::Diffs, format!("writing the changes of {}", exacta_view::words::counted(count, "step")))?;
        let targets =
            (0..count).filter_map(|step| RelPath::parse(outline.text(step, "target")).ok()).collect::<Vec<_>>();
        self.widen(&targets)?;
        for step in 0..count {
            let mut stuck = None;
            if outline.wants_payload(step) {
                stuck = self.write_change(outline, step, reading, None)?;
            } else if let Err(findings) = self.holds(outline, step, reading)? {
                // It came with the steps.
                self.again(AskStage::Diffs, findings.clone())?;
                stuck = self.write_change(outline, step, reading, Some(findings))?;
            }
            if stuck.is_some() {
                return Ok(stuck);
            }
            let target = self.view.steps.get(step).map(|step| step.target.clone()).unwrap_or_default();
            (self.observer)(&AskEvent::Step { number: step + 1, of: count, target });
        }
        Ok(None)
    }

    /// Asks for one step's change until it holds. A change that breaks a constraint twice is the step's fault: then the findings.
    pub fn write_change(
        &mut self,
        outline: &mut Outline,
        step: usize,
        reading: &Reading,
        before: Option<Vec<FindingView>>,
    ) -> Result<Option<Vec<FindingView>>, Error> {
        let mut failures = usize::from(before.is_some());
        let mut last: Option<(String, Vec<FindingView>)> = before.map(|findings| (String::new(), findings));
        loop {
            let form = self.form(outline, step, failures);
            let first = self.change_request(outline, step, form);
            let request = match &last {
                Some((said, findings)) => Self::repaired(&first, said, findings),
                None => first,
            };
            let (said, findings) = match self.say(Who::Maker, &request)? {
                Said::Unfit(finding) => (String::new(), vec![finding]),
                Said::Whole(answer) => {
                    let text = answer.content.text().to_owned();
                    match answer::payload(&text, form) {
                        Err(findings) => {
                            (text, self.placed(outline, step, findings.iter().map(FindingView::from).collect()))
                        }
                        Ok(payload) => {
                            outline.fill(step, payload);
                            match self.holds(outline, step, reading)? {
                                Ok(()) => return Ok(None),
                                Err(findings) => (text, findings),
                            }
                        }
                    }
                }
            };
            self.again(AskStage::Diffs, findings.clone())?;
            failures += 1;
            if failures > 1 && findings.iter().any(|finding| finding.is(Code::ConstraintViolated)) {
                return Ok(Some(findings));
            }
            last = Some((said, findings));
        }
    }

    /// Findings about an answer's form say which step they are about.
    fn placed(&self, outline: &Outline, step: usize, findings: Vec<FindingView>) -> Vec<FindingView> {
        let place = |finding: FindingView| FindingView {
            step: Some(outline.text(step, "id").to_owned()),
            path: Some(outline.text(step, "target").to_owned()),
            ..finding
        };
        findings.into_iter().map(place).collect()
    }

    /// Whether the steps so far break no rule with this one's change.
    fn holds(&self, outline: &Outline, step: usize, reading: &Reading) -> Result<Result<(), Vec<FindingView>>, Error> {
        let judged = self.judge(&outline.up_to(step), reading)?;
        let id = outline.text(step, "id");
        let pointer = format!("/steps/{step}");
        let is_own = |finding: &&FindingView| {
            finding.step.as_deref() == Some(id)
                || finding.pointer.as_deref().is_some_and(|at| at == pointer || at.starts_with(&format!("{pointer}/")))
        };
        let all: Vec<FindingView> = judged.findings().iter().map(FindingView::from).collect();
        let own: Vec<FindingView> = all.iter().filter(is_own).cloned().collect();
        Ok(if own.is_empty() { Ok(()) } else { Err(own) })
    }

    /// The form that suits the model and what failed: edits for models that write JSON, a diff for others; the whole file where small
    /// and nothing else worked.
    fn form(&self, outline: &Outline, step: usize, failures: usize) -> Form {
        let capabilities = self.maker.identity().capabilities;
        let json = capabilities.is_empty() || capabilities.contains("json_mode");
        let creates = outline.text(step, "type") == "file_create";
        match (creates, json) {
            (true, true) => Form::Content,
            (true, false) => Form::Whole,
            (false, _) if failures >= 2 && self.is_small(outline.text(step, "target")) => {
                if json {
                    Form::Content
                } else {
                    Form::Whole
                }
            }
            (false, false) if failures == 0 => Form::Diff,
            (false, _) => Form::Edits,
        }
    }

    fn is_small(&self, target: &str) -> bool {
        let found = RelPath::parse(target).map(|path| self.app.root.fact(&path, Caps::default().target_bytes).target);
        matches!(found, Ok(Target::File(file)) if file.bytes().len() <= SMALL)
    }

    fn change_request(&self, outline: &Outline, step: usize, form: Form) -> Request {
        let mut text = self.context_words();
        text.push('\n');
        text.push_str(&self.fence.quote("The request", &self.wish.text));
        text.push_str(&self.constraint_words());
        text.push_str(&self.revision_words());
        text.push_str("\nThe plan:\n");
        for number in 0..outline.steps().len() {
            let of = |field: &str| exacta_kernel::text::visible_line(outline.text(number, field)).into_owned();
            text.push_str(&format!("- {} {} `{}`: {}\n", of("id"), of("type"), of("target"), of("description")));
        }
        let of = |field: &str| exacta_kernel::text::visible_line(outline.text(step, field)).into_owned();
        text.push_str(&format!(
            "\nWrite the change of step {} ({} `{}`) alone.\n{}",
            of("id"),
            of("type"),
            of("target"),
            form.words()
        ));
        Request {
            stage: Stage::Diffs,
            system: CHANGE.to_owned(),
            messages: vec![Message::user(text)],
            tool: None,
            schema: shape(form),
            max_output_tokens: self.output(LONGEST),
        }
    }
}

impl Outline {
    /// The first steps, up to and with this one.
    fn up_to(&self, step: usize) -> Self {
        let mut part = self.clone();
        if let Some(Value::Array(steps)) = part.document.get_mut("steps") {
            steps.truncate(step + 1);
        }
        part
    }
}

fn shape(form: Form) -> Option<Shape> {
    let text = json!({ "type": "string" });
    let object = |name: &str, properties: Value| {
        let required: Vec<String> = properties.as_object().map(|it| it.keys().cloned().collect()).unwrap_or_default();
        Shape {
            name: name.to_owned(),
            description: "The change of one step.".to_owned(),
            schema: json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties }),
        }
    };
    let edit = json!({
        "type": "object", "additionalProperties": false, "required": ["find", "replace"], "properties": { "find": text, "replace": text },
    });
    match form {
        Form::Edits => Some(object("edits", json!({ "edits": { "type": "array", "items": edit } }))),
        Form::Content => Some(object("content", json!({ "content": text }))),
        Form::Diff | Form::Whole => None,
    }
}
