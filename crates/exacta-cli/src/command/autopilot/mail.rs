//! The user's mail accounts.

use super::{Context, Face, done};
use crate::args::{MailAdd, MailCommand};
use crate::command::key::Decider;
use exacta_app::Error;
use exacta_app::mail::{MailSetup, MailView, PasswordSource};
use exacta_app::settings::Settings;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Serialize)]
struct Accounts {
    accounts: Vec<MailView>,
}

/// `exacta autopilot mail …`
pub(super) fn mail(command: &MailCommand, context: &Context) -> Result<u8, Error> {
    match command {
        MailCommand::Add(args) => add(args, context)?,
        MailCommand::List => list(context)?,
        MailCommand::Test(args) => {
            let offers = Settings::look(&context.options)?.test_mail(&args.account)?;
            if context.output.is_json() {
                context.output.json(&Face { schema: "exacta.mail-test/1", body: offers });
            } else {
                let has = |what: bool| if what { "yes" } else { "no" };
                let (archive, drafts, sent) = (has(offers.archive), has(offers.drafts), has(offers.sent));
                context
                    .output
                    .line(&format!("{}  it lets you in; {} messages in the inbox", offers.name, offers.messages));
                context.output.line(&format!("  folders: archive {archive}, drafts {drafts}, sent {sent}"));
            }
        }
        MailCommand::Remove(args) => {
            Settings::open(&context.options)?.remove_mail(&args.account)?;
            done(context, &format!("mail account `{}` is removed", args.account));
        }
    }
    Ok(0)
}

fn add(args: &MailAdd, context: &Context) -> Result<(), Error> {
    let MailAdd { account, imap, smtp, user, from, .. } = args;
    let password = match (&args.password_env, &args.password_file) {
        (Some(name), _) => PasswordSource::Environment(name.clone()),
        (None, file) => PasswordSource::File(full(file.as_deref().unwrap_or(Path::new("")))),
    };
    let (imap, smtp, user, from) = (imap.clone(), smtp.clone(), user.clone(), from.clone());
    let setup = MailSetup { name: account.clone(), imap, smtp, user, from, password };
    let mut settings = Settings::open(&context.options)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("Let autopilots that you give it use `{}` at {}?", setup.user, setup.smtp))?;
    let view = settings.add_mail(&setup, &decider.key(&context.options)?)?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.mail-account/1", body: view });
    } else {
        context.output.line(&line(&view));
        context.output.note(&format!("`exacta autopilot mail test {account}` tries it"));
    }
    Ok(())
}

/// A path that means the same wherever a command is given.
fn full(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}

fn list(context: &Context) -> Result<(), Error> {
    let accounts = Settings::look(&context.options)?.mail_accounts()?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.mail-accounts/1", body: Accounts { accounts } });
        return Ok(());
    }
    if accounts.is_empty() {
        context.output.note("there are no mail accounts; `exacta autopilot mail add` adds one");
    }
    for account in accounts {
        context.output.line(&line(&account));
    }
    Ok(())
}

fn line(view: &MailView) -> String {
    let MailView { setup, signed_by, counts } = view;
    let signed =
        if *counts { format!("signed by {signed_by}") } else { "not signed as it is: add it again".to_owned() };
    format!("{}  {}  {}  {}  {signed}", setup.name, setup.from, setup.imap, setup.smtp)
}
