//! An ask that is not typed into a terminal: who asks waits elsewhere, and answers questions by asking again.

use super::{AskEnd, AskEvent, Asking, Until, Wish};
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_provider::{Cancel, Model};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What somebody asks for.
#[derive(Debug, Clone)]
pub enum Errand {
    /// In words.
    New(String),
    /// An ask that stopped at a question, and the answer to it: the field, and what it is.
    Answered {
        /// The ask.
        ask: String,
        /// What was asked.
        field: String,
        /// The answer.
        answer: String,
    },
}

impl App {
    /// Whether the user set up a provider that can be asked.
    ///
    /// # Errors
    /// If the list of providers cannot be read.
    pub fn has_provider(&self) -> Result<bool, Error> {
        self.authorize(Act::Read)?;
        Ok(!self.home.providers()?.providers.is_empty())
    }

    /// Asks the models that the user chose for a plan, as [`App::ask`] does; nothing is run.
    ///
    /// # Errors
    /// If nobody can be asked, or there is no such ask to go on with. Whatever happens after that is in [`AskEnd`].
    pub fn ask_for(
        &mut self,
        errand: Errand,
        cancel: Arc<AtomicBool>,
        observer: &mut dyn FnMut(&AskEvent),
    ) -> Result<AskEnd, Error> {
        self.authorize(Act::Propose)?;
        let (wish, resume) = match errand {
            Errand::New(text) => (Wish { text, ..Wish::default() }, None),
            Errand::Answered { ask, field, answer } => {
                let kept = self.kept_ask(&ask)?;
                let mut wish = kept.wish.clone();
                wish.answers.insert(field, answer);
                (wish, Some((ask, kept)))
            }
        };
        if wish.text.trim().is_empty() {
            return Err(
                Error::new(Exit::Usage, "ASK_TEXT", "nothing is asked for").hint("say what is to be done, and where")
            );
        }
        let provider = resume.as_ref().map(|(_, kept)| kept.provider.clone());
        let mut models = self.models_for(provider.as_deref(), &wish)?;
        let cancel = Cancel::from(cancel);
        Ok(self.ask(Asking {
            wish,
            until: Until::Done,
            resume,
            revision: None,
            price: models.price,
            maker: &mut *models.maker,
            reader: models.reader.as_deref_mut().map(|reader| reader as &mut dyn Model),
            cancel: &cancel,
            observer,
            transcript: None,
        }))
    }
}
