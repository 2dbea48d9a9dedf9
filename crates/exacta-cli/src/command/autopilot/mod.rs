//! Autopilots.

mod mail;
mod resolve;
mod text;

use super::key::Decider;
use super::{Context, Face, plan, source};
use crate::args::{
    AutopilotAdd, AutopilotAllow, AutopilotAnswer, AutopilotCommand, AutopilotRun, AutopilotSending, AutopilotSubmit,
    ListName, OnOff,
};
use exacta_app::autopilot::{
    AllowedView, AutopilotView, Card, Due, Health, Input, Listed, NewAutopilot, Occasion, Switch, name, tick,
};
use exacta_app::{App, Error, ErrorCode, Exit, Options};
use exacta_kernel::autopilot::{AutopilotName, Recipe, Schedule};
use exacta_view::PlanView;
use serde::Serialize;
use std::path::Path;

/// How many occasions a list shows.
const LISTED: u32 = 50;

#[derive(Debug, Serialize)]
struct Autopilots {
    autopilots: Vec<AutopilotView>,
}

#[derive(Debug, Serialize)]
struct Occasions {
    runs: Vec<Occasion>,
}

#[derive(Debug, Serialize)]
struct Healths {
    health: Vec<Health>,
}

#[derive(Debug, Serialize)]
struct Ticked {
    runs: Vec<Occasion>,
    failed: Vec<Failed>,
}

#[derive(Debug, Serialize)]
struct Failed {
    autopilot: String,
    code: ErrorCode,
    message: String,
}

#[derive(Debug, Serialize)]
struct Submitted<'v> {
    #[serde(flatten)]
    view: &'v PlanView,
    allowed: AllowedView,
}

/// `exacta autopilot …`
pub fn autopilot(command: &AutopilotCommand, context: &Context) -> Result<u8, Error> {
    match command {
        AutopilotCommand::Add(args) => add(args, context),
        AutopilotCommand::List => list(context),
        AutopilotCommand::Show(args) => {
            let name = name(&args.name)?;
            let app = context.look_at(&context.options.of_autopilot(&name)?)?;
            show(&app.autopilot(&name)?, context);
            Ok(0)
        }
        AutopilotCommand::Remove(args) => {
            let (name, mut app) = of(&args.name, context)?;
            app.remove_autopilot(&name)?;
            done(context, &format!("autopilot `{name}` is removed"));
            Ok(0)
        }
        AutopilotCommand::Pause(args) => changed(&args.name, context, |app, name| app.pause(name, true)),
        AutopilotCommand::Resume(args) => changed(&args.name, context, |app, name| app.pause(name, false)),
        AutopilotCommand::Allow(args) => allow(args, context),
        AutopilotCommand::Disallow(args) => {
            changed(&args.name, context, |app, name| app.disallow(name, args.list.into(), &args.value))
        }
        AutopilotCommand::Sending(args) => sending(args, context),
        AutopilotCommand::Tune(args) => {
            changed(&args.name, context, |app, name| app.tune(name, &args.key, &args.value))
        }
        AutopilotCommand::Mail(command) => mail::mail(command, context),
        AutopilotCommand::Run(args) => run(args, context),
        AutopilotCommand::Submit(args) => submit(args, context),
        AutopilotCommand::Runs(args) => runs(args.name.as_deref(), context),
        AutopilotCommand::RunShow(args) => {
            let mut app = App::resume(&holder(&args.run, context)?)?;
            let occasion = app.settled_occasion(&args.run)?;
            print(&occasion, context);
            Ok(0)
        }
        AutopilotCommand::Cancel(args) => {
            let mut app = App::resume(&holder(&args.run, context)?)?;
            let occasion = app.cancel_occasion(&args.run)?;
            print(&occasion, context);
            Ok(0)
        }
        AutopilotCommand::Answer(args) => answer(args, context),
        AutopilotCommand::Resolve(args) => resolve::resolve(args, context),
        AutopilotCommand::Tick => run_due(context),
        AutopilotCommand::Health(args) => health(args.name.as_deref(), context),
        AutopilotCommand::Timer => {
            context.output.unit(&text::timer());
            Ok(0)
        }
    }
}

fn add(args: &AutopilotAdd, context: &Context) -> Result<u8, Error> {
    let request = match (&args.text, &args.request_file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => request_of(file)?,
        (None, None) => String::new(),
    };
    let recipe = args.recipe.as_deref().map(recipe).transpose()?;
    let zone = args.zone.clone().unwrap_or_else(|| "UTC".to_owned());
    let schedule = args.cron.clone().map(|cron| Schedule { cron, zone });
    let (url, sources) = (args.url.clone(), args.source.clone());
    let new =
        NewAutopilot { name: name(&args.name)?, request, recipe, url, sources, mail: args.mail.clone(), schedule };
    let definition = new.definition()?;
    let card = Card::of(&definition);
    if args.dry_run {
        if context.output.is_json() {
            context.output.json(&Face { schema: "exacta.autopilot-card/1", body: card });
        } else {
            context.output.text(&text::card(&card));
        }
        return Ok(0);
    }
    let options = home_of(context)?;
    let decider = Decider::new(&args.signer, &options)?;
    if decider.is_person() {
        context.output.aside_text(&text::card(&card));
    }
    decider.agrees(&format!("Add autopilot `{}`?", card.name))?;
    let key = decider.key(&options)?;
    let view = App::open(&options)?.add_autopilot(definition, &key)?;
    show(&view, context);
    Ok(0)
}

/// The request in a file. What is too long for one is refused with all other unusable ones.
fn request_of(file: &Path) -> Result<String, Error> {
    let (bytes, _) = source::read_named(file)?;
    String::from_utf8(bytes).map_err(|_| {
        Error::new(Exit::Usage, "unreadable", format!("`{}` is not UTF-8", file.display())).hint("write it as UTF-8")
    })
}

/// Where a new autopilot lives: in the project here, or on the desk.
fn home_of(context: &Context) -> Result<Options, Error> {
    match App::would_make(&context.options)? {
        None => Ok(context.options.clone()),
        Some(_) => context.options.desk(),
    }
}

fn list(context: &Context) -> Result<u8, Error> {
    let mut autopilots = Vec::new();
    for place in context.options.autopilot_places()? {
        autopilots.extend(context.look_at(&place)?.autopilots()?);
    }
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.autopilots/1", body: Autopilots { autopilots } });
    } else if autopilots.is_empty() {
        context.output.note("there are no autopilots; `exacta autopilot add` makes one");
    } else {
        context.output.text(&text::list(&autopilots));
    }
    Ok(0)
}

fn allow(args: &AutopilotAllow, context: &Context) -> Result<u8, Error> {
    let (name, mut app) = of(&args.name, context)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("Allow `{name}` the {} `{}`?", word(args.list), args.value))?;
    let view = app.allow(&name, args.list.into(), &args.value, &decider.key(&context.options)?)?;
    show(&view, context);
    Ok(0)
}

fn sending(args: &AutopilotSending, context: &Context) -> Result<u8, Error> {
    let (name, mut app) = of(&args.name, context)?;
    let switch = Switch { on: args.switch == OnOff::On, per_day: args.per_day, quiet: args.quiet };
    let key = if switch.on {
        let decider = Decider::new(&args.signer, &context.options)?;
        decider.agrees(&format!("Let `{name}` send mail, each one after your approval?"))?;
        Some(decider.key(&context.options)?)
    } else {
        None
    };
    let view = app.set_sending(&name, switch, key.as_ref())?;
    show(&view, context);
    Ok(0)
}

fn run(args: &AutopilotRun, context: &Context) -> Result<u8, Error> {
    let (name, mut app) = of(&args.name, context)?;
    let inbox_text = args.inbox_text.as_deref().map(source::read_named).transpose()?.map(|(bytes, _)| bytes);
    let input = Input { idempotency_key: args.idempotency_key.clone(), due: None, inbox_text };
    let occasion = app.begin_occasion(&name, &input)?;
    print(&occasion, context);
    Ok(occasion.exit())
}

fn answer(args: &AutopilotAnswer, context: &Context) -> Result<u8, Error> {
    let mut app = App::resume(&holder(&args.run, context)?)?;
    context.tell_recovered(&app);
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("Answer `{}` for `{}`?", args.value, args.field))?;
    let key = decider.key(&context.options)?;
    let occasion = app.answer_occasion(&args.run, &args.field, &args.value, &key)?;
    print(&occasion, context);
    Ok(occasion.exit())
}

fn submit(args: &AutopilotSubmit, context: &Context) -> Result<u8, Error> {
    let (text, refused) = source::read_named(&args.plan)?;
    if let Some(refused) = refused {
        let message = refused.findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        return Err(Error::new(Exit::Denied, "plan_too_large", message).hint("split the work into several plans"));
    }
    let (name, mut app) = of(&args.name, context)?;
    let (view, allowed) = app.submit_for(&name, &text)?;
    if context.output.is_json() {
        context.output.with_plan(&Submitted { view: &view, allowed: AllowedView::of(&allowed) }, &view);
    } else {
        plan::print(&view, &context.output);
    }
    Ok(plan::exit(&view).code())
}

fn runs(of_name: Option<&str>, context: &Context) -> Result<u8, Error> {
    let of_name = of_name.map(name).transpose()?;
    let mut found = Vec::new();
    for place in places(of_name.as_ref(), context)? {
        found.extend(App::resume(&place)?.settled_occasions(of_name.as_ref(), LISTED)?);
    }
    found.sort_by_key(|occasion| std::cmp::Reverse(occasion.at));
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.autopilot-runs/1", body: Occasions { runs: found } });
    } else {
        context.output.text(&text::occasions(&found));
    }
    Ok(0)
}

fn run_due(context: &Context) -> Result<u8, Error> {
    let (mut runs, mut failed) = (Vec::new(), Vec::new());
    for Due { autopilot, outcome } in tick(&context.options)? {
        match outcome {
            Ok(occasion) => runs.push(occasion),
            Err(error) => {
                failed.push(Failed { autopilot: autopilot.to_string(), code: error.code, message: error.message });
            }
        }
    }
    let code = if failed.is_empty() { 0 } else { Exit::Fault.code() };
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.autopilot-tick/1", body: Ticked { runs, failed } });
        return Ok(code);
    }
    context.output.text(&text::occasions(&runs));
    for failed in &failed {
        context.output.note(&format!("autopilot `{}`: {}", failed.autopilot, failed.message));
    }
    Ok(code)
}

fn health(of_name: Option<&str>, context: &Context) -> Result<u8, Error> {
    let of_name = of_name.map(name).transpose()?;
    let mut health = Vec::new();
    for place in places(of_name.as_ref(), context)? {
        health.extend(App::resume(&place)?.health(of_name.as_ref())?);
    }
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.autopilot-health/1", body: Healths { health } });
    } else {
        context.output.text(&text::health(&health));
    }
    Ok(0)
}

/// The autopilot of this name, and its project.
fn of(text: &str, context: &Context) -> Result<(AutopilotName, App), Error> {
    let name = name(text)?;
    let app = App::resume(&context.options.of_autopilot(&name)?)?;
    context.tell_recovered(&app);
    Ok((name, app))
}

fn places(name: Option<&AutopilotName>, context: &Context) -> Result<Vec<Options>, Error> {
    match name {
        Some(name) => Ok(vec![context.options.of_autopilot(name)?]),
        None => context.options.autopilot_places(),
    }
}

/// The project whose record has this occasion.
fn holder(id: &str, context: &Context) -> Result<Options, Error> {
    let places = context.options.autopilot_places()?;
    let holds = |place: &&Options| App::look(place).is_ok_and(|app| app.occasion(id).is_ok());
    Ok(places.iter().find(holds).unwrap_or(&context.options).clone())
}

fn changed(
    of_name: &str,
    context: &Context,
    change: impl FnOnce(&mut App, &AutopilotName) -> Result<AutopilotView, Error>,
) -> Result<u8, Error> {
    let (name, mut app) = of(of_name, context)?;
    let view = change(&mut app, &name)?;
    show(&view, context);
    Ok(0)
}

fn show(view: &AutopilotView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.autopilot/1", body: view });
    } else {
        context.output.text(&text::autopilot(view));
    }
}

fn print(occasion: &Occasion, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.autopilot-run/1", body: occasion });
    } else {
        context.output.text(&text::occasion(occasion));
    }
}

fn done(context: &Context, line: &str) {
    if context.output.is_json() {
        context.output.json(&serde_json::json!({ "schema": "exacta.done/1", "message": line }));
    } else {
        context.output.line(line);
    }
}

fn recipe(text: &str) -> Result<Recipe, Error> {
    Recipe::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Recipe::ALL.iter().map(|recipe| recipe.name()).collect();
        Error::new(Exit::Usage, "recipe_unknown", "no such recipe").hint(format!("one of {}", names.join(", ")))
    })
}

const fn word(list: ListName) -> &'static str {
    match list {
        ListName::Host => "host",
        ListName::Recipient => "recipient",
    }
}

impl From<ListName> for Listed {
    fn from(list: ListName) -> Self {
        match list {
            ListName::Host => Self::Host,
            ListName::Recipient => Self::Recipient,
        }
    }
}
