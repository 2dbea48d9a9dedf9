//! Which models are asked: those that the user set up, and no others.

use super::wish::Wish;
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, ErrorCode, Exit};
use crate::pick;
use exacta_kernel::binding::{ModelIdentity, ProviderClass};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::provider::{Price, ProviderName};
use exacta_provider::{Answer, Cancel, Delta, Fault, FaultKind, Model, Request};
use std::collections::BTreeSet;

/// The models of one ask.
pub struct Models {
    /// Writes plan and changes.
    pub maker: Box<dyn Model>,
    /// Reads the request, where it is another one.
    pub reader: Option<Box<dyn Model>>,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
}

/// The name of a provider that is none.
pub(super) const NOBODY: &str = "none";

impl App {
    /// The models of the provider of this name, or of those that `exacta provider use` chose.
    ///
    /// # Errors
    /// `ASK_NO_PROVIDER` if none is set up; if there is none of this name, or it cannot be used.
    pub fn models(&self, name: Option<&str>) -> Result<Models, Error> {
        self.authorize(Act::Propose)?;
        let (maker, reader) = self.chosen(name)?;
        let (_, provider) = crate::provider::open(&self.home, &maker)?;
        let price = provider.price();
        let reader = match reader.filter(|reader| *reader != maker) {
            Some(reader) => Some(Box::new(crate::provider::open(&self.home, &reader)?.1) as Box<dyn Model>),
            None => None,
        };
        Ok(Models { maker: Box::new(provider), reader, price })
    }

    /// The models for a wish: those of [`App::models`], or nobody where none is set up and none is needed.
    ///
    /// # Errors
    /// As for [`App::models`].
    pub fn models_for(&self, name: Option<&str>, wish: &Wish) -> Result<Models, Error> {
        self.authorize(Act::Propose)?;
        let name = name.filter(|name| *name != NOBODY);
        match self.models(name) {
            Err(error) if error.code == ErrorCode::ASK_NO_PROVIDER && wish.needs_no_model() => {
                Ok(Models { maker: Box::new(Nobody), reader: None, price: Some(Price::default()) })
            }
            models => models,
        }
    }

    /// Who is asked for a plan, and who what the user wants.
    fn chosen(&self, name: Option<&str>) -> Result<(ProviderName, Option<ProviderName>), Error> {
        let list = self.home.providers()?;
        if list.providers.is_empty() {
            return Err(no_provider());
        }
        if let Some(name) = name {
            // Who is named does everything.
            let known = list.providers.iter().find(|setup| setup.name.as_str() == name);
            let unknown = || {
                let names: Vec<&str> = list.providers.iter().map(|setup| setup.name.as_str()).collect();
                let message = format!("there is no provider `{}`", exacta_kernel::text::excerpt(name, 40));
                Error::new(Exit::Usage, "provider_unknown", message).hint(format!("there are {}", names.join(", ")))
            };
            return Ok((known.ok_or_else(unknown)?.name.clone(), None));
        }
        let policy = self.in_force()?.policy;
        let picked = pick::picked(&self.home, &list, |class| policy.allows_provider(class))?;
        Ok((picked.plan, Some(picked.intent)))
    }
}

/// In the place of a model where nothing is to be sent.
#[derive(Debug)]
pub struct Nobody;

impl Model for Nobody {
    fn name(&self) -> &str {
        NOBODY
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            provider: "none".to_owned(),
            model: "none".to_owned(),
            version: None,
            local_sha256: None,
            capabilities: BTreeSet::new(),
            limits: exacta_kernel::binding::Limits::default(),
            class: ProviderClass::LocalOnly,
        }
    }

    fn answer(&mut self, request: &Request, _: &mut dyn FnMut(Delta<'_>), _: &Cancel) -> Result<Answer, Fault> {
        let kind = FaultKind::Setup { why: "no provider is set up".to_owned() };
        Err(Fault { kind, provider: "none".to_owned(), origin: "nowhere".to_owned(), stage: request.stage, tries: 0 })
    }
}

/// None is set up.
pub(super) fn no_provider() -> Error {
    let hint = hint!["on this machine:  ", Remedy::ProviderLocal, "\nin the cloud:     ", Remedy::ProviderCloud];
    Error::new(Exit::Confirm, ErrorCode::ASK_NO_PROVIDER, "no AI provider is set up; add one, and ask again").hint(hint)
}
