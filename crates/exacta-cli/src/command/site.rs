//! The user's sites and skills.

use super::key::Decider;
use super::source::read_named;
use super::{Context, Face};
use crate::args::{SiteAdd, SiteCommand, SiteDraftArgs, SkillCommand, SkillSync};
use exacta_app::settings::Settings;
use exacta_app::site::{self, NewDraft};
use exacta_app::{Error, Exit, SiteView, SkillView};
use exacta_kernel::site::{PasswordSource, SiteSetup};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

#[derive(Debug, Serialize)]
struct Sites {
    sites: Vec<SiteView>,
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
        SiteCommand::Show(args) => one(&Settings::look(&context.options)?.site(&site::name(&args.name)?)?, context),
        SiteCommand::Probe(args) => {
            one(&Settings::look(&context.options)?.probe_site(&site::name(&args.name)?)?, context);
        }
        SiteCommand::Role => {
            if context.output.is_json() {
                context.output.json(&Face { schema: "exacta.site-role/1", body: json!({ "php": site::role() }) });
            } else {
                context.output.text(&site::role());
            }
        }
        SiteCommand::Remove(args) => {
            Settings::open(&context.options)?.remove_site(&site::name(&args.name)?)?;
            if context.output.is_json() {
                list(context)?;
            } else {
                context.output.line(&format!("site `{}` is removed", args.name));
            }
        }
        SiteCommand::Draft(args) => return draft(args, context),
    }
    Ok(0)
}

/// `exacta skill …`
pub fn skill(command: &SkillCommand, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    match command {
        SkillCommand::Sync(args) => sync(args, context)?,
        SkillCommand::List => {
            let skills = Settings::look(&context.options)?.skills()?;
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
            let view = Settings::look(&context.options)?.skill(&args.id)?;
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
        (None, None) => (PasswordSource::Kept, Some(text(Path::new("-"))?)),
    };
    let setup = SiteSetup { name: site::name(&args.name)?, url: args.url.clone(), user: args.user.clone(), password };
    let mut settings = Settings::open(&context.options)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("let plans act on {} as `{}`?", setup.url, setup.user))?;
    let added = settings.add_site(&setup, given.as_deref().map(str::trim), &decider.key(&context.options)?)?;
    one(&added, context);
    Ok(())
}

fn list(context: &Context) -> Result<(), Error> {
    let sites = Settings::look(&context.options)?.sites()?;
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

fn one(site: &SiteView, context: &Context) {
    let output = &context.output;
    if output.is_json() {
        output.json(&Face { schema: "exacta.site/1", body: site });
        return;
    }
    output.line(&format!("{}  {}  {}", site.name, site.url, site.user));
    output.line(&format!("tools     {}", site.tools.join(", ")));
    output.line(&format!("manifest  {}", site.manifest_sha256.as_deref().unwrap_or("not asked yet")));
    if !site.password_present {
        output.note("its password is not there");
    }
}

fn sync(args: &SkillSync, context: &Context) -> Result<(), Error> {
    let mut settings = Settings::open(&context.options)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("take the skills of {} over?", args.repo))?;
    let (set, changed) = settings.sync_skills(&args.repo, &args.commit, &decider.key(&context.options)?)?;
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
    let answer = text(&args.planner_output)?;
    let site = site::name(&args.name)?;
    let new =
        NewDraft { site: &site, skill_id: &args.skill, goal: &args.goal, inputs: &inputs, planner_output: &answer };
    let drafted = context.open_or_make()?.draft_for_site(&new)?;
    for note in &drafted.notes {
        context.output.note(note);
    }
    context.output.json(&drafted);
    let validated = drafted.status == "validated";
    Ok(if validated { Exit::Confirm.code() } else { Exit::Denied.code() })
}

/// The text of a file that the user named, or of standard input.
fn text(path: &Path) -> Result<String, Error> {
    let (bytes, refused) = read_named(path)?;
    if refused.is_some() {
        return Err(Error::new(Exit::Denied, "PLAN_TOO_LARGE", format!("`{}` is too large", path.display())));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(Exit::Usage, "usage", format!("`{}` is not UTF-8", path.display())))
}
