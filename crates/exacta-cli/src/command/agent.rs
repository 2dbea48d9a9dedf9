//! `exacta agent`: an agent in a copy of the project, and what becomes of its changes.

use super::{Context, Face, plan};
use crate::args::{AgentArgs, AgentCommand, AgentPlan, AgentRun, NetworkWord, TakeWord};
use crate::fail;
use crate::interrupt::Orderly;
use crate::prompt::Person;
use crate::render::diff;
use exacta_app::copies::{
    AgentCopy, AgentDifference, AgentEnded, AgentLine, Network, SameFiles, Start, Submission, Take, UpdateView,
};
use exacta_app::{AgentName, App, Error, ErrorCode, Exit, Options};
use exacta_kernel::id::PlanId;
use exacta_kernel::proposal::{IntentKind, ModelClaim};
use serde::Serialize;
use serde_json::Value;

/// How many names are shown of a long list.
const SHOWN: usize = 10;

/// Files between two words about progress.
const STEP: usize = 2_000;

#[derive(Debug, Serialize)]
struct Agents {
    agents: Vec<AgentLine>,
}

/// What came of an agent, or of its difference.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    name: String,
    /// How the agent ended, where it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_exit: Option<i32>,
    /// Hosts that it asked for and did not reach.
    refused_hosts: Vec<String>,
    /// Files of its home folder that it changed, and that are gone.
    dropped: Vec<String>,
    /// The plan; none where nothing changed.
    plan: Option<Value>,
    /// Plans that touch the same files.
    same_files: Vec<SameFiles>,
}

/// `exacta agent`
pub fn agent(args: AgentArgs, context: &Context) -> Result<u8, Error> {
    match args.command {
        None => run(args.run, context),
        Some(AgentCommand::List) => list(context),
        Some(AgentCommand::Diff { name }) => difference(&AgentName::parse(&name)?, context),
        Some(AgentCommand::Update { name, take }) => update(&AgentName::parse(&name)?, take, context),
        Some(AgentCommand::Drop { name, yes }) => drop_copy(&AgentName::parse(&name)?, yes, context),
        Some(AgentCommand::Submit { name, plan }) => {
            let name = AgentName::parse(&name)?;
            submit(&name, &plan, Outcome { name: name.as_str().to_owned(), ..Outcome::default() }, context)
        }
    }
}

fn run(args: AgentRun, context: &Context) -> Result<u8, Error> {
    submission(&args.plan)?;
    let start = Start {
        name: args.name.as_deref().map(AgentName::parse).transpose()?,
        command: args.line,
        network: match args.network {
            NetworkWord::Provider => Network::Provider,
            NetworkWord::None => Network::None,
            NetworkWord::All => Network::All,
        },
        allow: args.allow,
        share: args.share,
        variables: args.variables,
    };
    let io = |call| move |error: std::io::Error| fail::io(Exit::Fault, call, &error);
    let own = std::env::current_exe().map_err(io("find the program itself"))?;
    let here = std::env::current_dir().map_err(io("find the current folder"))?;
    let begun = begin(start, context)?;
    tell_begun(&begun, context);
    let signals = Orderly::begin().map_err(io("watch for signals"))?;
    let ended = begun.run(&own, &here, signals.flag());
    drop(signals);
    let name = AgentName::parse(begun.name())?;
    let is_new = begun.is_new;
    // From here on others may use the copy.
    drop(begun);
    let ended = match ended {
        Err(error) if is_new => {
            // It did not begin, so nothing was done in it.
            context.resume()?.drop_agent(&name)?;
            return Err(error);
        }
        ended => ended?,
    };
    tell_ended(&name, &ended, context);
    if ended.cancelled {
        let message = format!("the agent was ended; what it did is in the copy `{}`", name.as_str());
        return Err(Error::new(Exit::RolledBack, "agent_cancelled", message)
            .hint(format!("`exacta agent diff {0}` shows it, `exacta agent submit {0}` submits it", name.as_str())));
    }
    let outcome = Outcome {
        name: name.as_str().to_owned(),
        agent_exit: Some(ended.code),
        refused_hosts: ended.refused.into_iter().map(|(host, _)| host).collect(),
        dropped: ended.dropped,
        ..Outcome::default()
    };
    if is_new && is_unchanged(&context.look()?.agent_difference(&name)?) {
        context.resume()?.drop_agent(&name)?;
        context.output.note(&format!("`{}` changed nothing: its copy is removed", name.as_str()));
        print(outcome, context);
        return Ok(Exit::Done.code());
    }
    submit(&name, &args.plan, outcome, context)
}

/// Makes the copy; the project is closed again while the agent runs.
fn begin(start: Start, context: &Context) -> Result<AgentCopy, Error> {
    let app = context.resume()?;
    app.begin_agent(start, &mut |files| {
        if files % STEP == 0 {
            context.output.note(&format!("{files} files copied"));
        }
    })
}

fn tell_begun(begun: &AgentCopy, context: &Context) {
    let output = &context.output;
    let verb = if begun.is_new { "works on a new copy" } else { "goes on in its copy" };
    output.note(&format!("`{}` {verb} of the project; what it changes becomes one plan when it ends", begun.name()));
    if !begun.ignored.is_empty() {
        output.note(&format!(
            "not copied, since git ignores it: {}; `--share PATH` copies one of them",
            some(&begun.ignored)
        ));
    }
    if let Some(why) = begun.no_git {
        output.note(&format!("the copy has no `.git`: {why}"));
    }
    if begun.unknown_provider {
        output.note("it has no network: its provider is not known; `--allow HOST` names it");
    }
    begun.updated.iter().for_each(|updated| tell_update(updated, context));
}

fn tell_ended(name: &AgentName, ended: &AgentEnded, context: &Context) {
    let output = &context.output;
    if ended.code != 0 {
        output.note(&format!("`{}` ended with exit code {}", name.as_str(), ended.code));
    }
    let refused: Vec<String> = ended.refused.iter().map(|(host, count)| format!("{host} ({count})")).collect();
    if !refused.is_empty() {
        output
            .note(&format!("hosts that it asked for and did not reach: {}; `--allow HOST` allows one", some(&refused)));
    }
    if !ended.dropped.is_empty() {
        output.note(&format!("changed in its home folder, and dropped: {}", some(&ended.dropped)));
    }
}

/// Submits a difference under the agent's own credential.
fn submit(name: &AgentName, args: &AgentPlan, mut outcome: Outcome, context: &Context) -> Result<u8, Error> {
    let mut submission = submission(args)?;
    let options = Options { caller: exacta_app::copies::confined(name)?, ..context.options.clone() };
    let mut app = App::resume(&options)?;
    let view = match app.submit_agent(name, &submission) {
        Err(error) if error.code == ErrorCode::AGENT_REST && Person::is_present() => {
            context.output.complain(&error.message, &error.places, None);
            if !Person::present()?.confirm("Submit the rest of the change without these?")? {
                return Err(error);
            }
            submission.leave_rest = true;
            app.submit_agent(name, &submission)?
        }
        view => view?,
    };
    let Some(view) = view else {
        context
            .output
            .note(&format!("the copy `{}` says what the project says: there is nothing to submit", name.as_str()));
        print(outcome, context);
        return Ok(Exit::Done.code());
    };
    if let Some(id) = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok()) {
        outcome.same_files = context.look()?.same_files(&id)?;
    }
    if !context.output.is_json() {
        plan::print(&view, &context.output);
        plan::next(&view, &app, &context.output);
        for same in &outcome.same_files {
            context.output.note(&format!("plan {} touches the same files: {}", same.with, some(&same.files)));
        }
    }
    let code = plan::exit(&view).code();
    outcome.plan = Some(context.output.face(&view, &view));
    print(outcome, context);
    Ok(code)
}

fn print(outcome: Outcome, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.agent/1", body: outcome });
    }
}

fn list(context: &Context) -> Result<u8, Error> {
    let agents = context.look()?.agents()?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.agent-list/1", body: Agents { agents } });
        return Ok(0);
    }
    if agents.is_empty() {
        context.output.note("no agent works on a copy here; `exacta agent -- COMMAND` starts one");
    }
    for line in &agents {
        context.output.line(&described(line));
    }
    Ok(0)
}

fn described(line: &AgentLine) -> String {
    let state = if line.running { "running" } else { "idle" };
    let mut parts = vec![format!("{}  {state}  {}", line.name, counted(line.files, "file"))];
    if line.rest > 0 {
        parts.push(format!("{} no plan can carry", counted(line.rest, "change")));
    }
    if line.apart > 0 {
        parts.push(format!("{} changed in the project, too", counted(line.apart, "file")));
    }
    parts.extend(line.plan.as_ref().map(|plan| format!("plan {} {}", plan.short_id, plan.status)));
    parts.extend(line.same_files.iter().map(|same| format!("same files as `{}`: {}", same.with, some(&same.files))));
    parts.join(" · ")
}

fn difference(name: &AgentName, context: &Context) -> Result<u8, Error> {
    let difference = context.look()?.agent_difference(name)?;
    let output = &context.output;
    if output.is_json() {
        output.json(&Face { schema: "exacta.agent-difference/1", body: &difference });
        return Ok(0);
    }
    let mut text = String::new();
    for file in &difference.files {
        text.push_str(&format!(
            "{} {}  +{} -{}\n",
            file.kind,
            exacta_kernel::text::visible_line(&file.path),
            file.added,
            file.removed
        ));
        diff::write(&file.path, &file.diff, output.paint(), &mut text);
    }
    output.text(&text);
    if is_unchanged(&difference) {
        output.note("nothing changed");
    }
    for rest in &difference.rest {
        output.note(&format!("a plan cannot carry this: `{}` {}", rest.path, rest.why.words()));
    }
    for path in &difference.apart {
        output.note(&format!("the project changed `{path}`, too"));
    }
    Ok(0)
}

fn update(name: &AgentName, take: Option<TakeWord>, context: &Context) -> Result<u8, Error> {
    let take = match take {
        None => Take::Neither,
        Some(TakeWord::Copy) => Take::Copy,
        Some(TakeWord::Project) => Take::Project,
    };
    let updated = context.resume()?.update_agent(name, take)?;
    let exit = if updated.apart.is_empty() { Exit::Done } else { Exit::Drifted };
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.agent-update/1", body: &updated });
    } else {
        tell_update(&updated, context);
        if exit == Exit::Done {
            context.output.line(&format!("`{}` is up to date", name.as_str()));
        }
    }
    Ok(exit.code())
}

fn tell_update(updated: &UpdateView, context: &Context) {
    if !updated.brought.is_empty() {
        context.output.note(&format!("brought over from the project: {}", some(&updated.brought)));
    }
    if !updated.apart.is_empty() {
        context.output.note(&format!(
            "changed in the copy and in the project: {}; `exacta agent update {} --take copy` or `--take project` decides",
            some(&updated.apart),
            updated.name
        ));
    }
}

fn drop_copy(name: &AgentName, yes: bool, context: &Context) -> Result<u8, Error> {
    let app = context.resume()?;
    let lost = if yes { 0 } else { changes(&app.agent_difference(name)?) };
    if lost > 0 {
        let message =
            format!("the copy `{}` has {} that the project does not have", name.as_str(), counted(lost, "change"));
        if !Person::is_present() {
            let hint =
                format!("look with `exacta agent diff {0}`; `exacta agent drop {0} --yes` drops them", name.as_str());
            return Err(Error::new(Exit::Confirm, "agent_unsubmitted", message).hint(hint));
        }
        if !Person::present()?.confirm(&format!("{message}. Drop them?"))? {
            return Err(Error::new(Exit::Denied, "agent_kept", "nothing was dropped").hint("the copy stays as it is"));
        }
    }
    app.drop_agent(name)?;
    if context.output.is_json() {
        context
            .output
            .json(&Face { schema: "exacta.agent-drop/1", body: serde_json::json!({ "name": name.as_str() }) });
    } else {
        context.output.line(&format!("`{}` is removed", name.as_str()));
    }
    Ok(0)
}

fn submission(args: &AgentPlan) -> Result<Submission, Error> {
    let intent = args.intent.as_deref().and_then(IntentKind::parse).unwrap_or(IntentKind::AddFeature);
    let model = args.model.as_deref().map(model).transpose()?;
    Ok(Submission { intent, words: args.text.clone(), model, leave_rest: args.leave_rest })
}

/// `PROVIDER/MODEL[@VERSION]`
fn model(text: &str) -> Result<ModelClaim, Error> {
    let parts = text.split_once('/').filter(|(provider, model)| !provider.is_empty() && !model.is_empty());
    let Some((provider, model)) = parts else {
        let message = format!("`{}` names no model", exacta_kernel::text::excerpt(text, 64));
        return Err(Error::new(Exit::Usage, "model_invalid", message)
            .hint("give it as `--model PROVIDER/MODEL`, or with `@VERSION` at the end"));
    };
    let (model, version) =
        model.split_once('@').map_or((model, None), |(model, version)| (model, Some(version.to_owned())));
    Ok(ModelClaim { provider: provider.to_owned(), model: model.to_owned(), version })
}

fn is_unchanged(difference: &AgentDifference) -> bool {
    changes(difference) == 0
}

fn changes(difference: &AgentDifference) -> usize {
    difference.files.len() + difference.rest.len() + difference.apart.len()
}

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// The first of some names, and how many more there are.
fn some(names: &[String]) -> String {
    let first: Vec<String> =
        names.iter().take(SHOWN).map(|name| exacta_kernel::text::visible_line(name).into_owned()).collect();
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", first.join(", "))
}
