//! Profiles, the Safety Policy, and approvers.

use super::key::{Decider, new_passphrase};
use super::{Context, Face, source};
use crate::args::{
    ApproverAdd, ApproverCommand, ApproverRemove, PolicyCheck, PolicyCommand, PolicyExplain, PolicySet, ProfileCommand,
    ProfileSet, Signer,
};
use crate::render::{plan, setting as text};
use exacta_app::settings::{ApproverView, PolicyView, Settings};
use exacta_app::view::GateView;
use exacta_app::{Error, Exit, ProfileView, Request};
use exacta_kernel::approval::ApproverName;
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::gate::Question;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::rule::Operation;
use exacta_kernel::policy::safety::SafetyPolicy;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Profiles {
    profiles: Vec<text::ProfileText>,
}

#[derive(Debug, Serialize)]
struct Approvers {
    approvers: Vec<ApproverView>,
}

#[derive(Debug, Serialize)]
struct Checked {
    file: Option<String>,
    version: String,
    sha256: String,
}

/// `exacta profile …`
pub fn profile(command: &ProfileCommand, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    match command {
        ProfileCommand::List if output.is_json() => {
            let profiles = Profile::ALL.into_iter().map(text::ProfileText::of).collect();
            output.json(&Face { schema: "exacta.profile-list/1", body: Profiles { profiles } });
        }
        ProfileCommand::List => output.rows(Profile::ALL.into_iter().flat_map(text::profile).collect()),
        ProfileCommand::Show { name } if output.is_json() => {
            output.json(&Face { schema: "exacta.profile/1", body: text::ProfileText::of((*name).into()) });
        }
        ProfileCommand::Show { name } => output.rows(text::profile((*name).into())),
        ProfileCommand::Current => current(&context.look()?.profile_view()?, context),
        ProfileCommand::Set(args) => return set_profile(args, context),
    }
    Ok(0)
}

fn current(view: &ProfileView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.current-profile/1", body: view });
    } else {
        context.output.rows(text::current(view));
    }
}

fn set_profile(args: &ProfileSet, context: &Context) -> Result<u8, Error> {
    let mut app = context.open()?;
    let (now, wanted) = (app.profile_view()?, Profile::from(args.name));
    if wanted <= now.chosen && args.signer.approver_key.is_none() {
        current(&app.set_profile(wanted, None)?, context);
        return Ok(0);
    }
    if wanted > now.ceiling {
        // Refused with the reason; no person needs to be asked.
        app.set_profile(wanted, None)?;
    }
    let decider = Decider::new(&args.signer, &context.options)?;
    if decider.is_person() {
        context.output.aside(text::profile(wanted));
    }
    if !decider.agrees(&format!("change the profile from {} to {}?", now.chosen.name(), wanted.name()))? {
        return Ok(Exit::Confirm.code());
    }
    current(&app.set_profile(wanted, Some(&decider.key(&context.options)?))?, context);
    Ok(0)
}

/// `exacta policy …`
pub fn policy(command: &PolicyCommand, context: &Context) -> Result<u8, Error> {
    match command {
        PolicyCommand::Show => {
            let view = Settings::open(&context.options)?.policy()?;
            if context.output.is_json() {
                context.output.json(&Face { schema: "exacta.policy/1", body: view });
            } else {
                let place = view.file.as_deref().unwrap_or("built in");
                context.output.note(&format!("version {}, {place}, sha256 {}", view.version, view.sha256));
                context.output.text(&exacta_kernel::text::visible(&view.text));
            }
            Ok(0)
        }
        PolicyCommand::Check(args) => check_policy(args, context),
        PolicyCommand::Explain(args) => explain(args, context),
        PolicyCommand::Set(args) => set_policy(args, context),
        PolicyCommand::Reset(signer) => reset_policy(signer, context),
    }
}

fn check_policy(args: &PolicyCheck, context: &Context) -> Result<u8, Error> {
    let checked = match &args.file {
        None => {
            let view = Settings::open(&context.options)?.policy()?;
            Checked { file: view.file, version: view.version, sha256: view.sha256 }
        }
        Some(path) => {
            let file = path.display().to_string();
            let policy = SafetyPolicy::parse(&text_of(path)?, &file)
                .map_err(|error| Error::new(Exit::Denied, "policy_broken", error.to_string()).hint(error.hint))?;
            Checked { file: Some(file), version: policy.version.clone(), sha256: policy.hash().to_string() }
        }
    };
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.policy-check/1", body: checked });
    } else {
        let file = checked.file.as_deref().unwrap_or("the built-in policy");
        context.output.text(&format!("{file}: version {}, sha256 {}\n", checked.version, checked.sha256));
    }
    Ok(0)
}

fn explain(args: &PolicyExplain, context: &Context) -> Result<u8, Error> {
    let Some(file) = &args.file else { return suppose(args, context) };
    let view = exacta_app::check(&context.options, &source::read_named(file)?, &Request::default())?;
    if context.output.is_json() {
        context.output.json(&view);
    } else {
        context.output.rows([plan::head(&view), plan::findings(&view), plan::gates(&view)].concat());
    }
    Ok(0)
}

/// What the gates would say of something like this.
fn suppose(args: &PolicyExplain, context: &Context) -> Result<u8, Error> {
    let question = Question {
        operation: args.operation.as_deref().map(operation).transpose()?,
        path: args.path.as_deref().map(path).transpose()?,
        domain: None,
        intent: None,
        risk: args.risk,
        quality: BasisPoints(args.quality * 100),
        system_level: args.system_level,
        unchecked: false,
    };
    let explanation = context.look()?.explain(&question)?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.explanation/1", body: explanation });
    } else {
        let gates: Vec<GateView> = explanation.gates.iter().map(GateView::from).collect();
        context.output.rows(plan::verdicts(explanation.verdict, explanation.notice, &gates));
    }
    Ok(0)
}

fn operation(name: &str) -> Result<Operation, Error> {
    Operation::parse(name).ok_or_else(|| {
        Error::new(
            Exit::Usage,
            "operation_unknown",
            format!("no operation `{}`", exacta_kernel::text::excerpt(name, 40)),
        )
        .hint(format!("one of {}", Operation::names().join(", ")))
    })
}

fn path(text: &str) -> Result<RelPath, Error> {
    RelPath::parse(text).map_err(|error| Error::new(Exit::Usage, "path_invalid", error.to_string()).hint(error.hint))
}

fn set_policy(args: &PolicySet, context: &Context) -> Result<u8, Error> {
    let file = args.file.display().to_string();
    let text = text_of(&args.file)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    if !decider.agrees(&format!("put `{file}` into force as the safety policy of all your projects?"))? {
        return Ok(Exit::Confirm.code());
    }
    let view = Settings::open(&context.options)?.set_policy(&text, &file, &decider.key(&context.options)?)?;
    changed_policy(&view, context);
    Ok(0)
}

fn reset_policy(signer: &Signer, context: &Context) -> Result<u8, Error> {
    let decider = Decider::new(signer, &context.options)?;
    if !decider.agrees("go back to the built-in safety policy for all your projects?")? {
        return Ok(Exit::Confirm.code());
    }
    let view = Settings::open(&context.options)?.reset_policy(&decider.key(&context.options)?)?;
    changed_policy(&view, context);
    Ok(0)
}

fn changed_policy(view: &PolicyView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.policy/1", body: view });
    } else {
        context.output.text(&format!("safety policy {} is in force, sha256 {}\n", view.version, view.sha256));
    }
}

/// `exacta approver …`
pub fn approver(command: &ApproverCommand, context: &Context) -> Result<u8, Error> {
    match command {
        ApproverCommand::Add(args) => add_approver(args, context),
        ApproverCommand::Remove(args) => remove_approver(args, context),
        ApproverCommand::List => {
            let approvers = Settings::open(&context.options)?.approvers()?;
            if context.output.is_json() {
                context.output.json(&Face { schema: "exacta.approver-list/1", body: Approvers { approvers } });
            } else {
                context.output.rows(text::approvers(&approvers));
            }
            Ok(0)
        }
    }
}

fn add_approver(args: &ApproverAdd, context: &Context) -> Result<u8, Error> {
    let name = name(&args.name)?;
    let mut settings = Settings::open(&context.options)?;
    let first = settings.approvers()?.is_empty();
    let by = if first { None } else { Some(Decider::new(&args.signer, &context.options)?) };
    if let Some(decider) = &by
        && !decider.agrees(&format!("let `{name}` approve plans in all your projects?"))?
    {
        return Ok(Exit::Confirm.code());
    }
    let passphrase = if args.no_passphrase { None } else { Some(new_passphrase(&args.name)?) };
    let key = by.map(|decider| decider.key(&context.options)).transpose()?;
    let added = settings.add_approver(&name, passphrase.as_deref(), key.as_ref())?;
    print_added(&added, context);
    Ok(0)
}

/// Tells about a new approver and where the key is.
pub fn print_added(added: &ApproverView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.approver/1", body: added });
    } else {
        let path = added.key_path.as_deref().unwrap_or("elsewhere");
        context.output.text(&format!("approver `{}`, key {path}\n", added.name));
    }
}

fn remove_approver(args: &ApproverRemove, context: &Context) -> Result<u8, Error> {
    let name = name(&args.name)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    if !decider.agrees(&format!("take `{name}` off the list of approvers?"))? {
        return Ok(Exit::Confirm.code());
    }
    let mut settings = Settings::open(&context.options)?;
    settings.remove_approver(&name, &decider.key(&context.options)?)?;
    let approvers = settings.approvers()?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.approver-list/1", body: Approvers { approvers } });
    } else {
        context.output.text(&format!("`{name}` is no longer an approver\n"));
    }
    Ok(0)
}

/// The name of an approver, if it can be one.
pub fn name(text: &str) -> Result<ApproverName, Error> {
    ApproverName::parse(text).map_err(|error| {
        Error::new(Exit::Usage, "name_invalid", error.to_string()).hint("letters, digits, `.`, `-` and `_`")
    })
}

fn text_of(path: &std::path::Path) -> Result<String, Error> {
    String::from_utf8(source::file(path)?).map_err(|_| {
        Error::new(Exit::Denied, "policy_broken", format!("`{}` is not UTF-8", path.display()))
            .hint("write the policy as TOML in UTF-8")
    })
}
