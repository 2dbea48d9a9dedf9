//! Agents' tokens.

use super::key::Decider;
use super::{Context, Face};
use crate::args::{TokenAdd, TokenCommand};
use exacta_app::settings::Settings;
use exacta_app::{Error, TokenView};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Tokens {
    tokens: Vec<TokenView>,
}

#[derive(Debug, Serialize)]
struct Added {
    #[serde(flatten)]
    view: TokenView,
    token: String,
}

/// `exacta token …`
pub fn token(command: &TokenCommand, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    match command {
        TokenCommand::Add(args) => add(args, context)?,
        TokenCommand::Revoke(args) => {
            Settings::open(&context.options)?.revoke_token(&args.name)?;
            if output.is_json() {
                list(context)?;
            } else {
                output.line(&format!("the token of `{}` no longer counts", args.name));
            }
        }
        TokenCommand::List => list(context)?,
    }
    Ok(0)
}

fn add(args: &TokenAdd, context: &Context) -> Result<(), Error> {
    let mut settings = Settings::open(&context.options)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("give `{}` a token for {} days?", args.name, args.days))?;
    let (view, token) = settings.add_token(&args.name, &args.scopes, args.days, &decider.key(&context.options)?)?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.token/1", body: Added { view, token } });
    } else {
        context.output.line(&token);
        context.output.note("this is the only time that it is shown; `exacta token revoke` ends it");
    }
    Ok(())
}

fn list(context: &Context) -> Result<(), Error> {
    let tokens = Settings::look(&context.options)?.tokens()?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.token-list/1", body: Tokens { tokens } });
        return Ok(());
    }
    if tokens.is_empty() {
        context.output.line("no tokens");
    }
    for token in tokens {
        let until = if token.expired { "expired" } else { "until" };
        let refused = token.refused.map(|why| format!("  does not count: {why}")).unwrap_or_default();
        let scopes = token.scopes.join(",");
        context.output.line(&format!("{}  {scopes}  {until} {}{refused}", token.name, token.expires_at));
    }
    Ok(())
}
