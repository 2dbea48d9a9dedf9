//! One ask while it goes on: the models, what was spent, what was found, and how it stops.

use super::identity::note_served;
use super::prompt::{Fence, repair};
use super::revise::Revision;
use super::view::{AskEvent, AskStage, AskView, Attempt, ModelView, Needs, UsageView};
use super::wish::{Until, Wish};
use crate::app::App;
use crate::error::{Error, Exit};
use exacta_context::Selection;
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::{AskLimit, Remedy};
use exacta_kernel::proposal::Constraint;
use exacta_kernel::provider::Price;
use exacta_provider::{Answer, Cancel, Delta, Fault, FaultKind, Finish, Message, Model, Request, Role};
use exacta_view::FindingView;
use std::io::Write;

/// An answer for which less is left than this is not asked for.
const LEAST_ANSWER: u64 = 64;

/// How often an answer is asked for again, over all stages.
pub const REGENERATIONS: u32 = 3;

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The model that reads the request.
    Reader,
    /// The model that writes plan and changes.
    Maker,
}

/// One ask while it goes on.
pub(super) struct Session<'a> {
    pub app: &'a mut App,
    pub wish: Wish,
    pub until: Until,
    pub maker: &'a mut dyn Model,
    pub reader: Option<&'a mut dyn Model>,
    pub price: Option<Price>,
    pub cancel: &'a Cancel,
    pub observer: &'a mut dyn FnMut(&AskEvent),
    pub transcript: Option<&'a mut dyn Write>,
    pub view: AskView,
    pub fence: Fence,
    /// What wrote plan and changes so far. No other model may go on.
    pub made_by: Option<ModelIdentity>,
    /// What read the request.
    pub read_by: Option<ModelIdentity>,
    /// The request that the accepted list of steps answers, as it was sent.
    pub request_sha256: Option<Digest>,
    pub constraints: Vec<Constraint>,
    pub selection: Option<Selection>,
    /// How many answers were not accepted so far.
    pub tried: u32,
    /// What a reviewer wants different.
    pub revision: Option<Revision>,
}

/// What came of a question.
pub(super) enum Said {
    /// An answer that is complete.
    Whole(Answer),
    /// No answer that could be accepted, though the model can be asked again.
    Unfit(FindingView),
}

impl Session<'_> {
    /// A stage begins.
    pub fn enter(&mut self, stage: AskStage, doing: impl Into<String>) -> Result<(), Error> {
        self.view.stage = stage;
        (self.observer)(&AskEvent::Stage { stage, doing: doing.into() });
        self.check_cancelled()
    }

    /// That nobody wants to stop.
    pub fn check_cancelled(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Asks a model. What was spent counts, whatever comes of the answer.
    pub fn say(&mut self, who: Who, request: &Request) -> Result<Said, Error> {
        self.check_cancelled()?;
        let request = &self.affordable(who, request)?;
        let mut bytes = 0_u64;
        let observer = &mut *self.observer;
        let mut sink = |delta: Delta<'_>| match delta {
            Delta::Retry { number, after, code } => {
                let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
                observer(&AskEvent::Retry { number, after_ms, code });
            }
            Delta::Began => {}
            Delta::Text(text) | Delta::Arguments(text) => {
                bytes = bytes.saturating_add(text.len() as u64);
                observer(&AskEvent::Arriving { bytes });
            }
        };
        let model: &mut dyn Model = match (who, &mut self.reader) {
            (Who::Reader, Some(reader)) => *reader,
            _ => self.maker,
        };
        model.look_at_weights(self.cancel);
        let answered = model.answer(request, &mut sink, self.cancel);
        let (name, identity) = (model.name().to_owned(), model.identity());
        let weights = model.weights_file().cloned();
        self.write_down(request, answered.as_ref().ok())?;
        match answered {
            Ok(answer) => {
                self.spend(who, request, &answer);
                note_served(&self.app.home, &name, &identity, weights.as_ref())?;
                self.recognise(who, &name, identity, &answer)?;
                if answer.finish == Finish::Length {
                    let message = format!("the answer was cut off at {} tokens", request.max_output_tokens);
                    return Ok(Said::Unfit(objection(
                        "ASK_ANSWER_CUT",
                        message,
                        "answer in fewer words; ask for smaller steps",
                    )));
                }
                Ok(Said::Whole(answer))
            }
            Err(Fault { kind: kind @ (FaultKind::BadToolCall | FaultKind::OutputLimit), .. }) => {
                let hint = "call the tool once, with one complete JSON object";
                Ok(Said::Unfit(objection(kind.code(), "the tool was not called with one complete JSON object", hint)))
            }
            Err(fault) => Err(failed(&fault)),
        }
    }

    /// Whether a model calls tools, as far as anybody knows.
    pub fn calls_tools(&self, who: Who) -> bool {
        self.can(who, "tools")
    }

    /// Whether a model keeps to a schema, as far as anybody knows.
    pub fn keeps_to_schemas(&self, who: Who) -> bool {
        self.can(who, "json_mode")
    }

    fn can(&self, who: Who, capability: &str) -> bool {
        let model = match (who, &self.reader) {
            (Who::Reader, Some(reader)) => reader.identity(),
            _ => self.maker.identity(),
        };
        model.capabilities.is_empty() || model.capabilities.contains(capability)
    }

    /// An answer was not accepted: told, and counted.
    ///
    /// # Errors
    /// If that was the last time.
    pub fn again(&mut self, stage: AskStage, findings: Vec<FindingView>) -> Result<(), Error> {
        self.tried = self.tried.saturating_add(1);
        let n = self.tried;
        let places = findings.iter().map(one_line).collect();
        let attempt = Attempt { stage, n, findings };
        self.view.attempts.push(attempt.clone());
        (self.observer)(&AskEvent::Again(attempt));
        if n <= REGENERATIONS {
            return Ok(());
        }
        let message = format!("the model did not come to an acceptable answer in {n} tries");
        Err(Error::new(Exit::Denied, "ASK_FINDINGS", message).places(places).hint(
            "say more precisely what is to change and where, with `--file` and `--symbol`, or choose another provider",
        ))
    }

    /// What a person has to say before it can go on.
    pub fn need(&mut self, kind: &'static str, field: &str, question: String, candidates: Vec<String>) -> Error {
        let answer = candidates.first().map_or("VALUE", String::as_str);
        let hint =
            Remedy::AskAnswer { ask: self.view.ask_id.clone(), field: field.to_owned(), answer: answer.to_owned() };
        self.view.needs = Some(Needs { kind, field: field.to_owned(), question: question.clone(), candidates });
        Error::new(Exit::Confirm, "ASK_NEEDS", question).hint(hint)
    }

    /// The same question with what was wrong with the answer.
    pub fn repaired(request: &Request, said: &str, findings: &[FindingView]) -> Request {
        let mut request = request.clone();
        // Only the last answer: earlier ones cost and mislead.
        request.messages.truncate(1);
        if !said.is_empty() {
            request.messages.push(Message::model(said));
        }
        request.messages.push(Message::user(repair(findings)));
        request
    }

    /// The next question, with an answer no longer than what is left of the budgets.
    ///
    /// # Errors
    /// If what is left is not enough for any answer.
    fn affordable(&self, who: Who, request: &Request) -> Result<Request, Error> {
        let input = estimate(request);
        let UsageView { input: sent, output: received, cost_usd } = self.view.usage;
        let spent = sent.saturating_add(received);
        let mut most = request.max_output_tokens;
        if let Some(budget) = self.wish.budget.tokens {
            let left = budget.saturating_sub(spent).saturating_sub(input);
            if left < LEAST_ANSWER.min(most) {
                let message = format!(
                    "the budget of {budget} tokens is used up: {spent} were spent, the next question takes about {input}"
                );
                return Err(over_budget(message, &self.view.ask_id, AskLimit::Tokens));
            }
            most = most.min(left);
        }
        if let (Some(budget), Some(price)) = (self.wish.budget.micro_usd, self.price_of(who)) {
            let spent = cost_usd.unwrap_or_default();
            let left = budget.saturating_sub(spent).saturating_sub(price.of(input, 0));
            let buys = price.answer_for(left).unwrap_or(u64::MAX);
            if buys < LEAST_ANSWER.min(most) || spent.saturating_add(price.of(input, 0)) > budget {
                let message = format!(
                    "the budget of {} US dollars is used up: {} were spent, and the next question takes about {input} tokens",
                    dollars(budget),
                    dollars(spent)
                );
                return Err(over_budget(message, &self.view.ask_id, AskLimit::Cost));
            }
            most = most.min(buys);
        }
        Ok(Request { max_output_tokens: most, ..request.clone() })
    }

    /// What tokens cost at a model, where that is known.
    fn price_of(&self, who: Who) -> Option<Price> {
        match (who, &self.reader) {
            (Who::Reader, Some(reader)) => reader.price(),
            _ => self.price,
        }
    }

    /// Counts an answer. Where the provider does not count, our own estimate does.
    fn spend(&mut self, who: Who, request: &Request, answer: &Answer) {
        let or = |counted: u64, estimate: u64| if counted == 0 { estimate } else { counted };
        let input = or(answer.usage.input, estimate(request));
        let output = or(answer.usage.output, exacta_context::tokens(answer.content.text()));
        let price = self.price_of(who);
        let usage = &mut self.view.usage;
        // Once a part has no known price, the whole has none.
        let is_first = usage.input == 0 && usage.output == 0;
        let before = if is_first { Some(0) } else { usage.cost_usd };
        usage.cost_usd = before.zip(price).map(|(before, price)| before.saturating_add(price.of(input, output)));
        usage.input = usage.input.saturating_add(input);
        usage.output = usage.output.saturating_add(output);
        (self.observer)(&AskEvent::Usage(*usage));
    }

    /// That the model that answered is the one that answered before.
    fn recognise(&mut self, who: Who, name: &str, identity: ModelIdentity, answer: &Answer) -> Result<(), Error> {
        let is_reader = who == Who::Reader && self.reader.is_some();
        let known = if is_reader { &mut self.read_by } else { &mut self.made_by };
        if let Some(was) = known.as_ref().filter(|was| !same(was, &identity)) {
            return Err(changed(&version(was), &version(&identity)));
        }
        *known = Some(identity.clone());
        if who == Who::Reader {
            self.read_by = Some(identity.clone());
        }
        if !is_reader {
            let from = answer.served.from.name().to_owned();
            let ModelIdentity { model, version, .. } = identity;
            self.view.model = Some(ModelView { provider: name.to_owned(), model, version, from });
        }
        Ok(())
    }

    /// Writes what was said where the user wants it, and nowhere else.
    fn write_down(&mut self, request: &Request, answer: Option<&Answer>) -> Result<(), Error> {
        let Some(file) = &mut self.transcript else { return Ok(()) };
        let mut text = format!("=== {} ===\n--- system ---\n{}\n", request.stage.name(), request.system);
        for message in &request.messages {
            let who = if message.role == Role::User { "user" } else { "model" };
            text.push_str(&format!("--- {who} ---\n{}\n", message.text));
        }
        text.push_str(&format!("--- answer ---\n{}\n\n", answer.map_or("(none)", |answer| answer.content.text())));
        file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| {
            Error::fault("transcript", format!("the transcript cannot be written: {error}"))
                .hint("name another file with `--transcript FILE`")
        })
    }
}

/// About how many tokens a request has.
fn estimate(request: &Request) -> u64 {
    let texts = request.messages.iter().map(|message| exacta_context::tokens(&message.text)).sum::<u64>();
    texts.saturating_add(exacta_context::tokens(&request.system))
}

/// Millionths of a dollar in dollars.
fn dollars(micro: u64) -> String {
    format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000)
}

/// Whether two answers came from the same model: a version may be told by one and not by another, but not change.
fn same(was: &ModelIdentity, is: &ModelIdentity) -> bool {
    let versions = was.version.is_none() || is.version.is_none() || was.version == is.version;
    was.provider == is.provider && was.model == is.model && versions
}

fn version(model: &ModelIdentity) -> String {
    let name = exacta_kernel::text::excerpt(&model.model, 80);
    model.version.as_ref().map_or_else(
        || format!("`{name}`"),
        |version| format!("`{name}` ({})", exacta_kernel::text::excerpt(version, 80)),
    )
}

/// The model changed on the way.
pub(super) fn changed(was: &str, is: &str) -> Error {
    Error::new(
        Exit::Drifted,
        "ASK_MODEL_CHANGED",
        format!("the AI model changed on the way: it was {was}, now {is}; nothing was stored"),
    )
    .hint("ask again to begin with the new model, or choose another provider with `--provider NAME`")
}

/// The user stopped it.
pub(super) fn cancelled() -> Error {
    Error::new(Exit::RolledBack, "ASK_CANCELLED", "cancelled: nothing was stored").hint("give the command again")
}

fn over_budget(message: String, ask: &str, limit: AskLimit) -> Error {
    Error::new(Exit::RolledBack, "ASK_BUDGET", message)
        .hint(hint![Remedy::AskRaise { ask: ask.to_owned(), limit }, " goes on with a larger one"])
}

/// What a provider's fault means for the command.
pub(super) fn failed(fault: &Fault) -> Error {
    match &fault.kind {
        FaultKind::Cancelled => cancelled(),
        FaultKind::ModelChanged { was, is } => changed(
            &format!("`{}`", exacta_kernel::text::excerpt(was, 80)),
            &format!("`{}`", exacta_kernel::text::excerpt(is, 80)),
        ),
        _ => fault.clone().into(),
    }
}

/// A finding of the pipeline's own.
pub(super) fn objection(code: &str, message: impl Into<String>, hint: &str) -> FindingView {
    FindingView {
        code: code.to_owned(),
        rule: None,
        step: None,
        path: None,
        pointer: None,
        message: exacta_kernel::text::visible_line(&exacta_kernel::secret::mask(&message.into())).into_owned(),
        hint: hint.to_owned(),
    }
}

/// A finding in one line.
fn one_line(finding: &FindingView) -> String {
    let place = [&finding.step, &finding.path, &finding.pointer].into_iter().flatten().next();
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    format!("{}{place}: {}", finding.code, finding.message)
}
