//! The AI providers.

use super::ask::dollars;
use super::key::Decider;
use super::{Context, Face};
use crate::args::{Kind, ProviderAdd, ProviderCommand, ProviderUse};
use crate::fail;
use crate::interrupt::Orderly;
use crate::prompt::Person;
use crate::render::provider as text;
use exacta_app::provider::{Cancel, Key, Offer, ProviderView, class_of, offers};
use exacta_app::settings::Settings;
use exacta_app::{Error, Exit};
use exacta_kernel::binding::Limits;
use exacta_kernel::provider::{KeySource, Price, ProviderKind, ProviderName, ProviderSetup};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct List {
    providers: Vec<ProviderView>,
}

/// `exacta provider …`
pub fn provider(command: &ProviderCommand, context: &Context) -> Result<u8, Error> {
    match command {
        ProviderCommand::Add(args) => add(args, context),
        ProviderCommand::List => {
            let providers = Settings::look(&context.options)?.providers()?;
            print_list(providers, context);
            Ok(0)
        }
        ProviderCommand::Test(args) => {
            let name = name(&args.name)?;
            let settings = Settings::look(&context.options)?;
            let orderly = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
            let tested = settings.test_provider(&name, &Cancel::from(orderly.shared_flag()))?;
            print_one(&tested, context);
            Ok(0)
        }
        ProviderCommand::Remove(args) => {
            let name = name(&args.name)?;
            let mut settings = Settings::open(&context.options)?;
            settings.remove_provider(&name)?;
            if context.output.is_json() {
                print_list(settings.providers()?, context);
            } else {
                context.output.line(&format!("provider `{name}` is removed"));
            }
            Ok(0)
        }
        ProviderCommand::Use(args) => choose(args, context),
    }
}

fn choose(args: &ProviderUse, context: &Context) -> Result<u8, Error> {
    let chosen = args.name.as_deref().map(name).transpose()?;
    let intent = args.intent.as_deref().map(name).transpose()?;
    let mut settings = Settings::open(&context.options)?;
    match &chosen {
        Some(chosen) => settings.use_provider(chosen, intent.as_ref())?,
        None => settings.use_best_providers()?,
    }
    print_list(settings.providers()?, context);
    Ok(0)
}

/// What a million tokens cost, where it is said.
fn price(args: &ProviderAdd) -> Result<Option<Price>, Error> {
    let (Some(input), Some(output)) = (&args.price_input, &args.price_output) else { return Ok(None) };
    Ok(Some(Price { input: dollars(input)?, output: dollars(output)? }))
}

fn add(args: &ProviderAdd, context: &Context) -> Result<u8, Error> {
    let setup = match (&args.name, args.kind, &args.model) {
        (Some(called), Some(kind), Some(model)) => described(args, called, kind, model)?,
        (None, None, None) => offered()?,
        _ => {
            return Err(Error::new(Exit::Usage, "usage", "a provider needs a name, `--kind` and `--model`")
                .hint("without any of them, at a terminal, `exacta provider add` offers what it finds"));
        }
    };
    let mut settings = Settings::open(&context.options)?;
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&text::question(&setup))?;
    if setup.key == KeySource::Keyring {
        ask_for_key(&setup.name)?;
    }
    let added = settings.set_provider(&setup, &decider.key(&context.options)?)?;
    print_one(&added, context);
    if !context.output.is_json() && !added.key_present {
        context.output.note("its key is not there yet");
    }
    Ok(0)
}

/// The provider that the arguments describe.
fn described(args: &ProviderAdd, called: &str, kind: Kind, model: &str) -> Result<ProviderSetup, Error> {
    let kind = ProviderKind::from(kind);
    let url = args.url.as_deref().or(kind.usual_url()).ok_or_else(|| {
        Error::new(Exit::Usage, "usage", format!("`{}` has no usual place: name it with `--url`", kind.name()))
            .hint("for llama.cpp on this machine: `--url http://127.0.0.1:8080`")
    })?;
    let local = class_of(url)?;
    // A key goes only to the place it is for: another address gets one only where the user names it.
    let usual = kind.usual_key().filter(|_| args.url.is_none());
    let key = match (&args.key_env, args.key_keyring, usual) {
        (Some(variable), _, _) => KeySource::Environment(variable.clone()),
        (None, true, _) => KeySource::Keyring,
        (None, false, Some(variable)) => KeySource::Environment(variable.to_owned()),
        (None, false, None) => KeySource::None,
    };
    Ok(ProviderSetup {
        name: name(called)?,
        kind,
        api: args.api.map(Into::into),
        model: model.to_owned(),
        url: url.to_owned(),
        key,
        class: args.class.map_or(local, Into::into),
        limits: Limits { context: args.context, input: args.input, output: args.output },
        capabilities: None,
        timeout_seconds: args.timeout,
        price: price(args)?,
    })
}

/// The provider that a person picks from what is found here.
fn offered() -> Result<ProviderSetup, Error> {
    let person = Person::present().map_err(|error| {
        error.hint("name it: `exacta provider add NAME --kind KIND --model MODEL --approver-key FILE`")
    })?;
    let found = offers(&Cancel::new());
    if found.is_empty() {
        let message = "no model server runs on this machine, and no key is in the environment";
        return Err(Error::new(Exit::Usage, "PROVIDER_NONE_FOUND", message)
            .hint("start Ollama or llama.cpp, or set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY"));
    }
    let mut listed = Vec::new();
    for offer in &found {
        listed.extend(offer.models.iter().map(|model| (offer, Some(model))));
        if offer.models.is_empty() {
            listed.push((offer, None));
        }
    }
    for (number, (offer, model)) in listed.iter().enumerate() {
        person.say(&format!("{:>3}  {}\n", number + 1, text::offer(offer, model.map(String::as_str))))?;
    }
    let answer = person.ask("which one? ")?;
    let number = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let picked = number.and_then(|number| listed.get(number));
    let (offer, model) = picked.ok_or_else(|| Error::new(Exit::Usage, "usage", "none of these was named"))?;
    let model = match model {
        Some(model) => (*model).clone(),
        None => person.ask("which model? ")?.trim().to_owned(),
    };
    let called = person.ask("what do you call it? ")?;
    picked_setup(offer, model, called.trim())
}

fn picked_setup(offer: &Offer, model: String, called: &str) -> Result<ProviderSetup, Error> {
    Ok(ProviderSetup {
        name: name(called)?,
        kind: offer.kind,
        api: None,
        model,
        url: offer.url.clone(),
        key: offer.key_env.map_or(KeySource::None, |variable| KeySource::Environment(variable.to_owned())),
        class: class_of(&offer.url)?,
        limits: Limits::default(),
        capabilities: None,
        timeout_seconds: None,
        price: None,
    })
}

/// Asks for the key and puts it into the keyring, if it is not there yet.
fn ask_for_key(name: &ProviderName) -> Result<(), Error> {
    if Key::from_keyring(name.as_str()).is_ok() {
        return Ok(());
    }
    let person = Person::present()?;
    let silence = person.silence()?;
    let typed = person.passphrase(&format!("key of `{name}`: "))?;
    silence.end()?;
    let kept = Key::new(typed.into()).and_then(|key| key.to_keyring(name.as_str()));
    kept.map_err(|error| {
        Error::new(Exit::Usage, "PROVIDER_KEY_MISSING", format!("the key of `{name}` was not kept: {error}"))
            .hint("put it into a variable and name that: `--key-env NAME`")
    })
}

fn print_list(providers: Vec<ProviderView>, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.provider-list/1", body: List { providers } });
    } else {
        context.output.rows(text::providers(&providers));
    }
}

fn print_one(provider: &ProviderView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.provider/1", body: provider });
    } else {
        context.output.rows(text::providers(std::slice::from_ref(provider)));
    }
}

fn name(text: &str) -> Result<ProviderName, Error> {
    ProviderName::parse(text)
        .map_err(|error| Error::new(Exit::Usage, "name_invalid", error.to_string()).hint("such as `local` or `work`"))
}
