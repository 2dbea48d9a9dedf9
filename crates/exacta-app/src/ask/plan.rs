//! The steps: what changes where and why, without the changes themselves. Held against every rule before a change is written.

use super::answer::Outline;
use super::intent::{Reading, configuration};
use super::prompt::PLAN;
use super::session::{Said, Session, Who, objection};
use super::template;
use super::view::{AskEvent, AskStage, StepLine};
use crate::error::{Error, Exit};
use exacta_kernel::facts::Target;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::proposal::IntentKind;
use exacta_provider::{Message, Request, Shape, Stage};
use exacta_view::FindingView;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The most tokens that a list of steps takes; one that carries its changes, too, takes more.
const LONGEST: u64 = 8_000;

impl Session<'_> {
    /// The steps, valid as far as steps without their changes can be. `revised` is what a person wants different, with the steps of then.
    pub fn plan(&mut self, reading: &Reading, before: Option<&[FindingView]>) -> Result<Outline, Error> {
        self.enter(AskStage::Plan, "planning the steps")?;
        if reading.kind == IntentKind::BuildPackage {
            return Ok(self.build_only(reading));
        }
        if !self.has_model() {
            return self.filled_in(reading);
        }
        let first = self.plan_request(reading, before);
        let mut request = first.clone();
        loop {
            let (said, findings) = match self.say(Who::Maker, &request)? {
                Said::Whole(answer) => {
                    let text = answer.content.text().to_owned();
                    match self.outline(&text, reading) {
                        Ok(outline) => {
                            self.request_sha256 = Some(answer.request_sha256);
                            self.show_steps(&outline);
                            return Ok(outline);
                        }
                        Err(findings) => (text, findings),
                    }
                }
                Said::Unfit(finding) => (String::new(), vec![finding]),
            };
            self.again(AskStage::Plan, findings.clone())?;
            request = Self::repaired(&first, &said, &findings);
        }
    }

    fn plan_request(&self, reading: &Reading, before: Option<&[FindingView]>) -> Request {
        let mut text = self.fence.quote("The request", &self.wish.text);
        text.push_str(&format!("\nThe request is of the kind {}.\n", reading.kind.name()));
        for (name, value) in &reading.details {
            text.push_str(&format!("{name}: {}\n", exacta_kernel::text::visible_line(value)));
        }
        for (field, answer) in
            self.wish.answers.iter().filter(|(field, _)| matches!(field.as_str(), "description" | "location"))
        {
            text.push_str(&format!("{field}, in the user's words: {}\n", exacta_kernel::text::visible_line(answer)));
        }
        text.push_str(&self.constraint_words());
        text.push_str(&self.context_words());
        text.push_str(&self.revision_words());
        if let Some(findings) = before {
            text.push_str("\nAn earlier plan was not accepted:\n");
            text.push_str(&super::prompt::repair(findings));
        }
        Request {
            stage: Stage::Plan,
            system: PLAN.to_owned(),
            messages: vec![Message::user(text)],
            tool: None,
            schema: Some(shape(self.output(LONGEST))),
            max_output_tokens: self.output(LONGEST),
        }
    }

    /// The most tokens that an answer may take.
    pub fn output(&self, wanted: u64) -> u64 {
        self.maker.identity().limits.output.map_or(wanted, |most| most.min(wanted))
    }

    /// The limits as a model is told them.
    pub fn constraint_words(&self) -> String {
        if self.view.constraints.is_empty() {
            return String::new();
        }
        let line = |it: &super::view::LimitView| format!("- {} ({}): {}\n", it.kind, it.id, it.description);
        let lines: String = self.view.constraints.iter().map(line).collect();
        format!("\nConstraints, all of which hold for every step:\n{lines}")
    }

    /// What the model sees of the project, as data.
    pub fn context_words(&self) -> String {
        let text = self.selection.as_ref().map(|selection| selection.text.as_str()).unwrap_or_default();
        format!("\n{}", self.fence.quote("From the project", text))
    }

    /// Reads the steps and holds them against every rule that does not need their changes.
    fn outline(&self, text: &str, reading: &Reading) -> Result<Outline, Vec<FindingView>> {
        let outline =
            Outline::read(text).map_err(|findings| findings.iter().map(FindingView::from).collect::<Vec<_>>())?;
        let mut findings = twice(&outline);
        let probe = self.probe(&outline);
        let judged = self.judge(&probe, reading).map_err(|error| vec![objection("ASK_FAULT", error.message, "")])?;
        findings.extend(judged.findings().iter().map(FindingView::from));
        if findings.is_empty() { Ok(outline) } else { Err(findings) }
    }

    /// The same steps, each with a change that fits wherever one could, so that everything else can be judged.
    fn probe(&self, outline: &Outline) -> Outline {
        let mut probe = outline.clone();
        for step in 0..outline.steps().len() {
            if !outline.wants_payload(step) {
                continue;
            }
            let path = RelPath::parse(outline.text(step, "target"));
            let content = match path.map(|path| self.app.root.fact(&path, Caps::default().target_bytes).target) {
                Ok(Target::File(file)) => format!("{}\n", String::from_utf8_lossy(file.bytes())),
                _ => "\n".to_owned(),
            };
            probe.fill(step, Map::from_iter([("content".to_owned(), Value::String(content))]));
        }
        probe
    }

    fn show_steps(&mut self, outline: &Outline) {
        let line = |step: usize| StepLine {
            id: shown(outline.text(step, "id")),
            kind: shown(outline.text(step, "type")),
            target: shown(outline.text(step, "target")),
            description: shown(outline.text(step, "description")),
        };
        self.view.steps = (0..outline.steps().len()).map(line).collect();
        (self.observer)(&AskEvent::Steps { steps: self.view.steps.clone() });
    }

    /// A project of a known kind needs no model: its files are filled in by rule.
    fn filled_in(&mut self, reading: &Reading) -> Result<Outline, Error> {
        let of = |field: &str| reading.details.get(field).map(String::as_str).unwrap_or_default();
        let refuse =
            |code: &'static str, message: String, hint: String| Err(Error::new(Exit::Usage, code, message).hint(hint));
        let Some(template) = template::of_kind(of("kind")).filter(|_| reading.kind == IntentKind::CreateProject) else {
            let message = format!("there is no template for `{}`", exacta_kernel::text::excerpt(of("kind"), 40));
            let hint = format!("the kinds are {}; for others add a provider", template::KINDS.join(", "));
            return refuse("ASK_KIND_UNKNOWN", message, hint);
        };
        if !template::is_name(of("name")) {
            let message = format!("`{}` cannot be the name of a project", exacta_kernel::text::excerpt(of("name"), 40));
            let hint = "use lower-case letters, digits, `-` and `_`, beginning with a letter".to_owned();
            return refuse("ASK_NAME_INVALID", message, hint);
        }
        let Some(folder) = template::folder(of("path")) else {
            let message = format!("`{}` is no folder in this project", exacta_kernel::text::excerpt(of("path"), 80));
            return refuse("ASK_PATH_INVALID", message, "name one beneath the project, or `.`".to_owned());
        };
        let step = |(number, file): (usize, template::Filled)| {
            json!({
                "id": format!("s{}", number + 1), "order": number + 1, "type": "file_create", "target": file.path,
                "description": file.description, "dependencies": [], "content": file.text,
            })
        };
        let steps = template.filled(of("name"), &folder).into_iter().enumerate().map(step).collect();
        let outline = Outline { document: Map::from_iter([("steps".to_owned(), Value::Array(steps))]) };
        self.show_steps(&outline);
        Ok(outline)
    }

    /// A build needs no model: the operator's command is run, and nothing changes.
    fn build_only(&mut self, reading: &Reading) -> Outline {
        let configuration = configuration(&self.wish.text, &reading.details).unwrap_or("release");
        let step = json!({
            "id": "s1", "order": 1, "type": "build", "target": configuration, "dependencies": [],
            "description": format!("Run the operator's {configuration} build and package what is there."),
        });
        let document = Map::from_iter([("steps".to_owned(), Value::Array(vec![step]))]);
        let outline = Outline { document };
        self.show_steps(&outline);
        outline
    }
}

fn shown(text: &str) -> String {
    exacta_kernel::text::visible_line(&exacta_kernel::secret::mask(text)).into_owned()
}

/// One step for each file: a change in two steps is one that nobody sees whole.
fn twice(outline: &Outline) -> Vec<FindingView> {
    let mut seen = BTreeSet::new();
    let steps = 0..outline.steps().len();
    let again = steps.filter(|step| {
        let target = outline.text(*step, "target");
        outline.text(*step, "type") != "build" && !target.is_empty() && !seen.insert(target.to_owned())
    });
    let finding = |step: usize| FindingView {
        step: Some(shown(outline.text(step, "id"))),
        pointer: Some(format!("/steps/{step}/target")),
        ..objection(
            "PLAN_CONFLICT",
            format!("`{}` has a step already", shown(outline.text(step, "target"))),
            "put everything that changes in a file into one step",
        )
    };
    again.map(finding).collect()
}

/// Bounded by what a plan may have and what fits in an answer of that many tokens: a small model that begins a list does not end it
/// by itself.
fn shape(tokens: u64) -> Shape {
    let text = |most: u32| json!({ "type": "string", "maxLength": most });
    let texts = |most: u32, length: u32| json!({ "type": "array", "maxItems": most, "items": text(length) });
    let short = tokens < 2_500;
    let (id, target, words, many) = if short { (8, 80, 200, 2) } else { (32, 240, 600, 8) };
    let steps = (tokens / 250).clamp(1, 10);
    let step = json!({
        "type": "object", "additionalProperties": false,
        "required": ["id", "type", "target", "description", "dependencies", "satisfies"],
        "properties": {
            "id": text(id), "type": { "type": "string", "enum": ["file_create", "file_modify", "file_delete", "build"] },
            "target": text(target), "description": text(words), "dependencies": texts(many.min(5), id), "satisfies": texts(many, 32),
        },
    });
    Shape {
        name: "plan".to_owned(),
        description: "The steps of the change.".to_owned(),
        schema: json!({
            "type": "object", "additionalProperties": false, "required": ["steps", "assumptions"],
            "properties": {
                "steps": { "type": "array", "maxItems": steps, "items": step }, "assumptions": texts(many, words / 2),
            },
        }),
    }
}
