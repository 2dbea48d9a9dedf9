//! Who may approve.

use super::key::{Decider, new_passphrase, reopen};
use super::{Context, Face};
use crate::args::{ApproverAdd, ApproverCommand, ApproverPassphrase, ApproverRemove};
use crate::prompt::Person;
use crate::render::setting as text;
use exacta_app::settings::{ApproverView, Settings, key_of, own_key};
use exacta_app::{Error, Exit};
use exacta_kernel::approval::ApproverName;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Approvers {
    approvers: Vec<ApproverView>,
}

/// `exacta approver …`
pub fn approver(command: &ApproverCommand, context: &Context) -> Result<u8, Error> {
    match command {
        ApproverCommand::Add(args) => add_approver(args, context),
        ApproverCommand::Remove(args) => remove_approver(args, context),
        ApproverCommand::Passphrase(args) => passphrase(args, context),
        ApproverCommand::Lock => lock(context),
        ApproverCommand::List => {
            let approvers = Settings::look(&context.options)?.approvers()?;
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
    if let Some(decider) = &by {
        decider.agrees(&format!("let `{name}` approve plans in all your projects?"))?;
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
        context.output.line(&format!("approver `{}`, key {path}", added.name));
    }
}

fn remove_approver(args: &ApproverRemove, context: &Context) -> Result<u8, Error> {
    let name = name(&args.name)?;
    let mut settings = Settings::open(&context.options)?;
    settings.removable(&name)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("take `{name}` off the list of approvers?"))?;
    settings.remove_approver(&name, &decider.key(&context.options)?)?;
    let approvers = settings.approvers()?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.approver-list/1", body: Approvers { approvers } });
    } else {
        context.output.line(&format!("`{name}` is no longer an approver"));
    }
    Ok(0)
}

#[derive(Debug, Serialize)]
struct Changed {
    name: String,
    key_path: String,
    sealed: bool,
}

fn passphrase(args: &ApproverPassphrase, context: &Context) -> Result<u8, Error> {
    // A script, or an agent in its terminal, could set one that nobody knows.
    Person::present()?;
    let file = match &args.name {
        Some(text) => key_of(&context.options, &name(text)?)?,
        None => own_key(&context.options, None)?,
    };
    let key = reopen(&file)?;
    let passphrase = if args.no_passphrase { None } else { Some(new_passphrase(file.name().as_str())?) };
    let path = Settings::look(&context.options)?.change_passphrase(&key, passphrase.as_deref())?;
    let (name, key_path, sealed) = (file.name().to_string(), path.display().to_string(), passphrase.is_some());
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.approver-key/1", body: Changed { name, key_path, sealed } });
    } else {
        let how = if sealed { "has its new passphrase" } else { "needs no passphrase any more" };
        context.output.line(&format!("the key of `{name}` {how}: {key_path}"));
        context.output.note("copies of the old file still open with the old passphrase: remove them");
    }
    Ok(0)
}

#[derive(Debug, Serialize)]
struct Locked {
    locked: bool,
}

fn lock(context: &Context) -> Result<u8, Error> {
    Settings::look(&context.options)?.forget_passphrases()?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.approver-lock/1", body: Locked { locked: true } });
    } else {
        context.output.line("forgotten: the next decision at this terminal asks for the passphrase");
    }
    Ok(0)
}

/// The name of an approver, if it can be one.
pub fn name(text: &str) -> Result<ApproverName, Error> {
    ApproverName::parse(text).map_err(|error| {
        Error::new(Exit::Usage, "name_invalid", error.to_string())
            .hint("a letter or digit, then letters, digits, `.`, `_`, `-` and `@`")
    })
}
