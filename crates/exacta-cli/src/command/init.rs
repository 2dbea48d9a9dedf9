//! The first command in a project.

use super::approver::name;
use super::key::{Decider, new_passphrase};
use super::{Context, Face};
use crate::args::Init;
use crate::prompt::Person;
use crate::render::setting as text;
use exacta_app::settings::{ApproverView, Settings};
use exacta_app::{App, Configuration, Error, Exit, ProfileView};
use exacta_kernel::policy::profile::Profile;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct InitView {
    project: String,
    project_id: String,
    profile: ProfileView,
    #[serde(skip_serializing_if = "Option::is_none")]
    approver: Option<ApproverView>,
}

/// `exacta init`: makes the project's record, the person's first key, and asks once for the profile.
pub fn init(args: &Init, context: &Context) -> Result<u8, Error> {
    let context = &Context { options: context.options.to_begin()?, output: context.output };
    let listed = Settings::names(&context.options)?;
    sensible(args, &listed, context)?;
    let is_chosen = App::profile_is_chosen(&context.options)? && !args.anew;
    let mut app = if args.anew { anew(args, context)? } else { context.open()? };
    let approver = if App::needs_first_approver(&context.options)? { first_approver(args, context)? } else { None };
    if is_chosen && approver.is_none() && args.profile.is_none() {
        context.output.note("this project was set up before: nothing changes");
    }
    let chosen = match args.profile {
        Some(profile) => Some(profile.into()),
        None if is_chosen => None,
        None => ask_profile(&app.profile_view()?, context)?,
    };
    let profile = match chosen {
        Some(profile) => choose(&mut app, profile, args, context)?,
        None => app.profile_view()?,
    };
    let begun = InitView {
        project: app.path().display().to_string(),
        project_id: app.project_id().to_string(),
        profile,
        approver,
    };
    print(begun, context);
    Ok(0)
}

/// Refuses what could be done only in part, before anything is made.
fn sensible(args: &Init, listed: &[String], context: &Context) -> Result<(), Error> {
    if let Some(wanted) = args.approver.as_ref().filter(|wanted| !listed.is_empty() && !listed.contains(wanted)) {
        let wanted = exacta_kernel::text::excerpt(wanted, 64);
        let message = format!("`{wanted}` would not be the first approver: there is {}", listed.join(", "));
        return Err(Error::new(Exit::Usage, "approver_exists", message)
            .hint("`exacta init` needs no name then; add another with `exacta approver add NAME`"));
    }
    let raises = match args.profile.map(Profile::from) {
        Some(profile) => profile > App::chosen_profile(&context.options)?,
        None => false,
    };
    if raises && args.signer.approver_key.is_none() && !Person::is_present() {
        return Err(Error::new(Exit::Confirm, "person_needed", "raising the profile needs a person")
            .hint("give the command at a terminal, or first `exacta init` and then `exacta profile set` with `--approver-key FILE`"));
    }
    if args.no_passphrase && !listed.is_empty() {
        context.output.note("there is an approver already, so no key is made");
    }
    Ok(())
}

/// The project with a new record, the old one put aside.
fn anew(args: &Init, context: &Context) -> Result<App, Error> {
    let key = if App::anew_takes_person(&context.options)? {
        let decider = Decider::new(&args.signer, &context.options)?;
        decider.agrees(
            "its plans can no longer be executed or undone\ngive up the record of this project and begin a new one?",
        )?;
        Some(decider.key(&context.options)?)
    } else {
        None
    };
    let (app, aside) = App::anew(&context.options, key.as_ref())?;
    if let Some(aside) = aside {
        context.output.note(&format!("the old records are in `{}`", aside.path.display()));
        if let Configuration::Unusable(why) = aside.configuration {
            context.output.note(&format!("the project's configuration stays there and no longer counts: {why}"));
        }
    }
    Ok(app)
}

fn first_approver(args: &Init, context: &Context) -> Result<Option<ApproverView>, Error> {
    let wanted = args.approver.clone().unwrap_or_else(login);
    if !args.no_passphrase && !Person::is_present() {
        context.output.note("there is no approver yet: run `exacta approver add NAME` in a terminal");
        return Ok(None);
    }
    let name = name(&wanted)?;
    let passphrase = if args.no_passphrase { None } else { Some(new_passphrase(&wanted)?) };
    App::first_approver(&context.options, &name, passphrase.as_deref()).map(Some)
}

/// Asks once, showing what each means. Without a person, and where there is no choice, it stays as it is.
fn ask_profile(now: &ProfileView, context: &Context) -> Result<Option<Profile>, Error> {
    let Ok(person) = Person::present() else { return Ok(None) };
    let offered: Vec<Profile> = Profile::ALL.into_iter().filter(|profile| *profile <= now.ceiling).collect();
    if offered.len() < 2 {
        return Ok(None);
    }
    let names: Vec<&str> = offered.iter().map(|profile| profile.name()).collect();
    context.output.aside(offered.iter().copied().flat_map(text::profile).collect());
    loop {
        let answer = person.ask(&format!("which profile for this project? [{}] ", now.chosen.name()))?;
        let found = offered.iter().copied().find(|profile| profile.name().eq_ignore_ascii_case(&answer));
        match found {
            None if answer.is_empty() => return Ok(Some(now.chosen)),
            None => person.say(&format!("type {}\n", names.join(" or ")))?,
            Some(profile) => return Ok(Some(profile)),
        }
    }
}

/// Lowering is free, raising is signed by the person.
fn choose(app: &mut App, profile: Profile, args: &Init, context: &Context) -> Result<ProfileView, Error> {
    let now = app.profile_view()?;
    if profile <= now.chosen || profile > now.ceiling {
        return app.set_profile(profile, None);
    }
    let key = Decider::new(&args.signer, &context.options)?.key(&context.options)?;
    app.set_profile(profile, Some(&key))
}

fn print(begun: InitView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.init/1", body: begun });
        return;
    }
    let output = &context.output;
    output.line(&format!("project {}", begun.project));
    output.line(&format!("profile {}", begun.profile.in_force.name()));
    if let Some(approver) = &begun.approver {
        let path = approver.key_path.as_deref().unwrap_or("elsewhere");
        output.line(&format!("approver {}, key {path}", approver.name));
    }
    output.note("try a proposal with `exacta check FILE`; `exacta schema` says what one looks like");
}

fn login() -> String {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    if user.is_empty() { "me".to_owned() } else { user }
}
