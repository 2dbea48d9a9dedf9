//! The user's sites and skills.

use super::key::Decider;
use super::resolve::{self, Said};
use super::source::read_named;
use super::{Context, Face};
use crate::args::{Landed, SiteAdd, SiteCommand, SiteDraftArgs, SiteResolve, SkillCommand, SkillList, SkillSync};
use exacta_app::site::{self, Drafted, NewDraft, Planner, SiteRunView, SkillFilter};
use exacta_app::{App, Error, Exit, Options, SiteView, SkillView};
use exacta_kernel::finding::Finding;
use exacta_kernel::id::RunId;
use exacta_kernel::site::{PasswordSource, SiteSetup};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// How many runs of a project are listed.
const LISTED: usize = 50;

#[derive(Debug, Serialize)]
struct Sites {
    sites: Vec<SiteView>,
}

#[derive(Debug, Serialize)]
struct Runs {
    runs: Vec<SiteRunView>,
}

#[derive(Debug, Serialize)]
struct Skills {
    skills: Vec<SkillView>,
}

/// `exacta site …`
pub fn site(command: &SiteCommand, context: &Context) -> Result<u8, Error> {
    match command {
        SiteCommand::Add(args) => add(args, context)?,
        SiteCommand::List => list(context)?,
        SiteCommand::Show(args) => {
            let name = site::name(&args.name)?;
            one(&context.look_at(&context.options.of_site(&name)?)?.site(&name)?, context);
        }
        SiteCommand::Probe(args) => {
            let name = site::name(&args.name)?;
            one(&context.look_at(&context.options.of_site(&name)?)?.probe_site(&name)?, context);
        }
        SiteCommand::Role => {
            if context.output.is_json() {
                context.output.json(&Face { schema: "exacta.site-role/1", body: json!({ "php": site::role() }) });
            } else {
                context.output.text(&site::role());
            }
        }
        SiteCommand::Remove(args) => {
            let name = site::name(&args.name)?;
            App::resume(&context.options.of_site(&name)?)?.remove_site(&name)?;
            if context.output.is_json() {
                list(context)?;
            } else {
                context.output.line(&format!("site `{}` is removed", args.name));
            }
        }
        SiteCommand::Draft(args) => return draft(args, context),
        SiteCommand::Runs(args) => runs(args.name.as_deref(), context)?,
        SiteCommand::RunShow(args) => show_run(&args.run, context)?,
        SiteCommand::Resolve(args) => return resolved(args, context),
    }
    Ok(0)
}

/// `exacta skill …`
pub fn skill(command: &SkillCommand, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    match command {
        SkillCommand::Sync(args) => sync(args, context)?,
        SkillCommand::List(args) => {
            let skills = context.look_at(&here(context)?)?.skills(&filter(args)?)?;
            if output.is_json() {
                output.json(&Face { schema: "exacta.skill-list/1", body: Skills { skills } });
                return Ok(0);
            }
            if skills.is_empty() {
                output.line("no skills");
            }
            for SkillView { skill, .. } in skills {
                let old = if skill.deprecated { " · deprecated" } else { "" };
                output.line(&format!("{}  {}  {}{old}", skill.skill_id, skill.version, skill.description));
            }
        }
        SkillCommand::Show(args) => {
            let view = context.look_at(&here(context)?)?.skill(&args.id)?;
            if output.is_json() {
                output.json(&Face { schema: "exacta.skill/1", body: view });
                return Ok(0);
            }
            let SkillView { skill, sha256 } = view;
            output.line(&format!("{} {}", skill.skill_id, skill.version));
            output.line(&skill.description);
            let tools: Vec<&str> = skill.tool_allowlist.iter().map(String::as_str).collect();
            output.line(&format!("tools   {}", tools.join(", ")));
            output.line(&format!("source  {} at {}", skill.source.repo, skill.source.commit_sha));
            output.line(&format!("sha256  {sha256}"));
        }
    }
    Ok(0)
}

fn add(args: &SiteAdd, context: &Context) -> Result<(), Error> {
    let (password, given) = match (&args.password_env, &args.password_file) {
        (Some(variable), _) => (PasswordSource::Environment(variable.clone()), None),
        (None, Some(file)) => {
            let whole = std::path::absolute(file)
                .map_err(|error| Error::new(Exit::Usage, "usage", format!("`{}`: {error}", file.display())))?;
            (PasswordSource::File(whole.display().to_string()), None)
        }
        (None, None) if args.password_keyring => (PasswordSource::Keyring, Some(text(Path::new("-"))?)),
        (None, None) => (PasswordSource::Kept, Some(text(Path::new("-"))?)),
    };
    let setup = SiteSetup { name: site::name(&args.name)?, url: args.url.clone(), user: args.user.clone(), password };
    let options = &context.options.of_site(&setup.name).or_else(|_| here(context))?;
    let decider = Decider::new(&args.signer, options)?;
    decider.agrees(&format!("let plans act on {} as `{}`?", setup.url, setup.user))?;
    let key = decider.key(options)?;
    let added = App::open(options)?.add_site(&setup, given.as_deref().map(str::trim), &key)?;
    one(&added, context);
    Ok(())
}

fn list(context: &Context) -> Result<(), Error> {
    let mut sites = Vec::new();
    for place in context.options.site_places()? {
        sites.extend(context.look_at(&place)?.sites()?);
    }
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.site-list/1", body: Sites { sites } });
        return Ok(());
    }
    if sites.is_empty() {
        context.output.line("no sites");
    }
    for site in sites {
        context.output.line(&format!("{}  {}  {}", site.name, site.url, site.user));
    }
    Ok(())
}

fn runs(named: Option<&str>, context: &Context) -> Result<(), Error> {
    let name = named.map(site::name).transpose()?;
    let places = match &name {
        Some(name) => vec![context.options.of_site(name)?],
        None => context.options.site_places()?,
    };
    let mut runs: Vec<SiteRunView> = Vec::new();
    for place in places {
        runs.extend(context.look_at(&place)?.site_runs(named, LISTED)?);
    }
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.site-runs/1", body: Runs { runs } });
        return Ok(());
    }
    if runs.is_empty() {
        context.output.line("no runs");
    }
    for run in runs {
        context.output.line(&format!("{}  {}  {}  {} calls", run.run_id, run.site, run.state, run.steps.len()));
    }
    Ok(())
}

/// The project whose record has this run.
fn holder(run: &RunId, context: &Context) -> Result<Options, Error> {
    let places = context.options.site_places()?;
    let holds = |place: &&Options| App::look(place).is_ok_and(|app| app.site_run(run).is_ok());
    places.iter().find(holds).map_or_else(|| here(context), |place| Ok(place.clone()))
}

fn run_id(text: &str) -> Result<RunId, Error> {
    RunId::parse(text).map_err(|_| {
        let message = format!("`{}` is no run", exacta_kernel::text::excerpt(text, 60));
        Error::new(Exit::Usage, "RUN_NOT_FOUND", message).hint("`exacta site runs` shows them, with their whole ids")
    })
}

fn resolved(args: &SiteResolve, context: &Context) -> Result<u8, Error> {
    let run = run_id(&args.run)?;
    let context = &Context { options: holder(&run, context)?, ..context.clone() };
    let mut app = App::resume(&context.options)?;
    context.tell_recovered(&app);
    app.site_run(&run)?;
    let said = Said { step: &args.step, done: args.word == Landed::Landed, signer: &args.signer };
    let ended = resolve::word(&mut app, run.as_str(), &said, context)?;
    resolve::report(ended, &app, context)
}

fn show_run(id: &str, context: &Context) -> Result<(), Error> {
    let run = run_id(id)?;
    let view = context.look_at(&holder(&run, context)?)?.site_run(&run)?;
    let output = &context.output;
    if output.is_json() {
        output.json(&view);
        return Ok(());
    }
    output.line(&format!("run {}  {}  {}", view.run_id, view.site, view.state));
    output.line(&format!("plan {}", view.plan_id));
    for step in &view.steps {
        let page = step.page_id.map_or_else(String::new, |id| format!("  page {id}"));
        let stored = step.stored.as_deref().map_or_else(String::new, |stored| format!("  stored {stored}"));
        output.line(&format!(
            "{}  {}  {}{page}{stored}  rollback {}",
            step.step_id, step.tool, step.state, step.rollback
        ));
    }
    if let Some(error) = &view.error {
        output.line(&format!("{}: {}", error.code, error.message));
    }
    Ok(())
}

fn one(site: &SiteView, context: &Context) {
    let output = &context.output;
    if output.is_json() {
        output.json(&Face { schema: "exacta.site/1", body: site });
        return;
    }
    output.line(&format!("{}  {}  {}", site.name, site.url, site.user));
    output.line(&format!("tools     {}", site.tools.join(", ")));
    output.line(&format!("manifest  {}", site.manifest_sha256.as_deref().unwrap_or("not asked yet")));
    output.line(&format!(
        "signed    {}",
        site.signed_by.as_deref().unwrap_or("by nobody who counts: `exacta site add` again")
    ));
    if !site.password_present {
        output.note("its password is not there");
    }
}

fn sync(args: &SkillSync, context: &Context) -> Result<(), Error> {
    let options = &here(context)?;
    let decider = Decider::new(&args.signer, options)?;
    decider.agrees(&format!("take the skills of {} over?", args.repo))?;
    let key = decider.key(options)?;
    let (set, changed) = App::open(options)?.sync_skills(&args.repo, &args.commit, &key)?;
    if context.output.is_json() {
        let ids: Vec<&String> = set.skills.keys().collect();
        let body = json!({ "repo": set.repo, "commit_sha": set.commit_sha, "sha256": set.sha256, "changed": changed, "skills": ids });
        context.output.json(&Face { schema: "exacta.skill-sync/1", body });
        return Ok(());
    }
    let told = if changed { "taken over" } else { "unchanged" };
    context.output.line(&format!("{} skills of {} at {}: {told}", set.skills.len(), set.repo, set.commit_sha));
    Ok(())
}

fn draft(args: &SiteDraftArgs, context: &Context) -> Result<u8, Error> {
    let inputs: Map<String, Value> = serde_json::from_str(&text(&args.inputs)?).map_err(|error| {
        let message = format!("`{}` is no JSON object: {error}", args.inputs.display());
        Error::new(Exit::Usage, "RUN_INVALID_INPUT", message).hint("such as {\"pages\": [{\"title\": \"Prices\"}]}")
    })?;
    let answer = args.planner_output.as_deref().map(text).transpose()?;
    let site = site::name(&args.name)?;
    let planner = answer.as_deref().map_or(Planner::Provider(args.provider.as_deref()), Planner::Answered);
    let (policy_preset, model_preference) = (args.preset.as_deref(), args.prefer.as_deref());
    let (skill_id, goal, inputs) = (args.skill.as_str(), args.goal.as_str(), &inputs);
    let new =
        NewDraft { site: &site, skill_id, goal, inputs, planner, policy_preset, model_preference, request_id: None };
    let mut app = App::resume(&context.options.of_site(&site)?)?;
    context.tell_recovered(&app);
    let drafted = match app.draft_for_site(&new)? {
        Drafted::Plan(drafted) => drafted,
        Drafted::NoContract(findings) => return Err(no_contract(&findings)),
    };
    for note in &drafted.notes {
        context.output.note(note);
    }
    context.output.json(&drafted);
    let validated = drafted.status == "validated";
    Ok(if validated { Exit::Confirm.code() } else { Exit::Denied.code() })
}

/// A planner's answer that is no contract.
fn no_contract(findings: &[Finding]) -> Error {
    let words = |finding: &Finding| format!("{} {}", finding.pointer.as_deref().unwrap_or("/"), finding.message);
    let places: Vec<String> = findings.iter().map(words).collect();
    let Some(first) = findings.first() else { return Error::fault("internal", "nothing is wrong with the answer") };
    Error::new(Exit::Denied, first.code.as_str(), format!("the planner's answer is no plan: {}", first.message))
        .hint(first.hint.clone())
        .places(places)
}

/// Where new sites and skills live: in the project here, or on the desk.
fn here(context: &Context) -> Result<Options, Error> {
    match App::would_make(&context.options)? {
        None => Ok(context.options.clone()),
        Some(_) => context.options.desk(),
    }
}

fn filter(args: &SkillList) -> Result<SkillFilter, Error> {
    let class = args.safety_class.as_ref().map(|class| serde_json::from_value(json!(class))).transpose();
    let safety_class = class.map_err(|_| {
        let message = "a skill's class is read, write_draft or write_publish";
        Error::new(Exit::Usage, "usage", message).hint("such as `--safety-class read`")
    })?;
    let SkillList { tag, search, limit, offset, deprecated, .. } = args.clone();
    Ok(SkillFilter { tag, safety_class, deprecated: deprecated.then_some(true), search, offset, limit })
}

/// The text of a file that the user named, or of standard input.
fn text(path: &Path) -> Result<String, Error> {
    let (bytes, refused) = read_named(path)?;
    if refused.is_some() {
        return Err(Error::new(Exit::Denied, "PLAN_TOO_LARGE", format!("`{}` is too large", path.display())));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(Exit::Usage, "usage", format!("`{}` is not UTF-8", path.display())))
}
