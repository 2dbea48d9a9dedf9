//! Exacta's providers: asks a model, and tells what answered.
//!
//! [`Model`] is all that the rest of the program sees: a request goes in, pieces of the answer come out while it arrives, and at the
//! end there is an [`Answer`] or a [`Fault`]. Inside it is asynchronous, outside it blocks. What holds for every kind of provider:
//!
//! - **The same model or none.** A request is repeated at most [`RETRIES`] times, always to the same provider and model, and only
//!   before the first byte of an answer. A model whose name changes between two answers is a fault.
//! - **It ends.** There are limits on connecting, on the first byte, on silence, on an event that stays unfinished, on the whole, and on
//!   the size of an answer; and [`Cancel`] ends it at any moment.
//! - **Nothing leaks.** A fault, a `Debug` output and a name never hold a key, a prompt or a part of an answer; error texts of servers,
//!   which may quote all three, are read for their codes and dropped.
//! - **Nowhere else.** Redirects are refused, and a loopback address is reached without a proxy and without asking a name server.
//!
//! An answer is untrusted text; whoever reads it parses it strictly.

mod answer;
mod cancel;
mod draft;
mod endpoint;
mod fault;
mod find;
mod frame;
mod http;
mod key;
mod limits;
mod probe;
mod provider;
mod request;
mod status;
mod version;
mod weights;
mod wire;

pub use answer::{Answer, Content, Delta, Finish, Served, Source, Usage};
pub use cancel::Cancel;
pub use endpoint::{Endpoint, EndpointError};
pub use fault::{Fault, FaultKind, Phase, Refusal};
pub use find::{Offer, offers};
pub use key::{Key, KeyError};
pub use limits::{Patience, RETRIES};
pub use provider::Provider;
pub use request::{Message, Request, Role, Shape, Stage};

use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::provider::{Price, WeightsFile};

/// A model that can be asked. One value is one conversation: the model that answered first is the only one that may answer later.
pub trait Model {
    /// What the user calls the provider.
    fn name(&self) -> &str;

    /// What is known of the model: its configuration, and what the newest answer said.
    fn identity(&self) -> ModelIdentity;

    /// What its tokens cost, where somebody knows.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Looks up what tells the weights of a local model from others, where its server says that: once in a
    /// conversation. What cannot be looked up stays unknown.
    fn look_at_weights(&mut self, _cancel: &Cancel) {}

    /// The file of its weights, where it is on this machine and was hashed.
    fn weights_file(&self) -> Option<&WeightsFile> {
        None
    }

    /// Asks, tells `sink` what happens on the way, and returns the whole answer.
    ///
    /// # Errors
    /// [`Fault`], after all retries. Nothing of the answer counts then, whatever `sink` has seen of it.
    fn answer(&mut self, request: &Request, sink: &mut dyn FnMut(Delta<'_>), cancel: &Cancel) -> Result<Answer, Fault>;
}
