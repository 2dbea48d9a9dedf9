//! A configured provider as a [`Model`]: the retries, the key, and what is known of the model.

use crate::answer::{Answer, Delta, Served, Source};
use crate::cancel::Cancel;
use crate::draft::Draft;
use crate::endpoint::Endpoint;
use crate::fault::{Fault, FaultKind, Phase};
use crate::frame::Framing;
use crate::http::{self, Outgoing, Watch};
use crate::key::Key;
use crate::limits::{BACKOFF, Patience, RETRIES};
use crate::request::{Request, Stage};
use crate::wire::{self, Wire};
use crate::{Model, version};
use exacta_kernel::binding::{Limits, ModelIdentity, ProviderClass};
use exacta_kernel::hash::Digest;
use exacta_kernel::provider::{KeySource, Price, Probed, ProviderKind, ProviderSetup, WeightsFile};
use reqwest::{Client, Url};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// A configured provider, ready to be asked.
pub struct Provider {
    setup: ProviderSetup,
    endpoint: Endpoint,
    wire: &'static dyn Wire,
    key: Option<Key>,
    client: Client,
    patience: Patience,
    /// None only while it is dropped.
    runtime: Option<Runtime>,
    /// What answered first in this conversation.
    served: Served,
    /// The weights, by hash, where a test found them out.
    weights: Option<Digest>,
    /// Their file, where they are on this machine and were hashed here.
    weights_file: Option<WeightsFile>,
    /// Whether this conversation looked them up.
    looked: bool,
}

impl Provider {
    /// Makes a provider ready. Nothing is sent yet.
    ///
    /// # Errors
    /// [`FaultKind::Setup`] if the configuration cannot be used, [`FaultKind::KeyMissing`] if its key is not where it should be.
    pub fn open(setup: &ProviderSetup) -> Result<Self, Fault> {
        let key = match &setup.key {
            KeySource::None => Ok(None),
            KeySource::Environment(variable) => Key::from_environment(variable).map(Some),
            KeySource::Keyring => Key::from_keyring(setup.name.as_str()).map(Some),
        };
        let place = || match &setup.key {
            KeySource::Environment(variable) => format!("the environment variable `{variable}`"),
            KeySource::Keyring | KeySource::None => "the keyring".to_owned(),
        };
        let key = key.map_err(|_| fault(setup, Stage::Test, 0, FaultKind::KeyMissing { place: place() }))?;
        Self::with_key(setup, key)
    }

    /// As [`Provider::open`], with the key given.
    ///
    /// # Errors
    /// [`FaultKind::Setup`].
    pub fn with_key(setup: &ProviderSetup, key: Option<Key>) -> Result<Self, Fault> {
        let told = |kind| fault(setup, Stage::Test, 0, kind);
        let unfit = |why: String| told(FaultKind::Setup { why });
        let endpoint = Endpoint::of(setup).map_err(|error| unfit(error.to_string()))?;
        let patience =
            setup.timeout_seconds.map_or_else(Patience::default, |whole| Patience::of(Duration::from_secs(whole)));
        let client = http::client(&endpoint, patience).map_err(told)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self {
            wire: wire::of(setup).map_err(told)?,
            endpoint,
            key,
            client,
            patience,
            runtime: Some(runtime.map_err(|error| unfit(format!("the system gives no event loop: {error}")))?),
            served: Served::default(),
            weights: None,
            weights_file: None,
            looked: false,
            setup: setup.clone(),
        })
    }

    /// With other limits of time.
    #[must_use]
    pub const fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// With what an earlier test found out. What the user said counts more.
    #[must_use]
    pub fn knowing(mut self, probed: &Probed) -> Self {
        let (said, found) = (self.setup.limits, probed.limits);
        self.setup.limits = Limits {
            context: said.context.or(found.context),
            input: said.input.or(found.input),
            output: said.output.or(found.output),
        };
        self.setup.capabilities.get_or_insert_with(|| probed.capabilities.clone());
        self.weights = probed.local_sha256;
        self
    }

    /// With the file of weights that was hashed before: the same file need not be hashed again.
    #[must_use]
    pub fn knowing_weights(mut self, file: Option<WeightsFile>) -> Self {
        self.weights_file = file;
        self
    }

    pub(crate) fn set_weights_file(&mut self, file: WeightsFile) {
        self.weights_file = Some(file);
    }

    /// Goes on with a conversation that began in another process: this model answered there.
    #[must_use]
    pub fn resuming(mut self, model: Option<String>) -> Self {
        self.served = Served { model, from: Source::Response };
        self
    }

    /// What answered in this conversation.
    #[must_use]
    pub const fn served(&self) -> &Served {
        &self.served
    }

    /// Asks the server for something else than an answer of the model.
    pub(crate) fn look_up(&self, url: Url, body: Option<&Value>, cancel: &Cancel) -> Result<Value, FaultKind> {
        let headers = http::headers(self.wire.headers(self.key.as_ref()))?;
        let outgoing = Outgoing { url, headers, body: body.map(|body| body.to_string().into_bytes()) };
        let watch = Watch { patience: self.patience, began: Instant::now(), cancel };
        let gone = FaultKind::Setup { why: "it was closed".to_owned() };
        self.runtime.as_ref().ok_or(gone)?.block_on(http::value(&self.client, &outgoing, watch))
    }

    /// What it is set up as.
    pub(crate) const fn setup(&self) -> &ProviderSetup {
        &self.setup
    }

    /// Where it is.
    pub(crate) const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn outgoing(&self, request: &Request) -> Result<Outgoing, FaultKind> {
        let (path, query) = self.wire.path(&self.setup);
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let mut url = self.endpoint.below(self.setup.kind, &parts);
        url.set_query(query);
        let body = serde_json::to_vec(&self.wire.body(&self.setup, &self.accepted(request)))
            .map_err(|_| FaultKind::BadRequest { status: 0 })?;
        Ok(Outgoing { url, headers: http::headers(self.wire.headers(self.key.as_ref()))?, body: Some(body) })
    }

    /// The request with schemas that the provider takes: services refuse bounds on lengths, which servers on this machine keep to.
    fn accepted(&self, request: &Request) -> Request {
        let mut request = request.clone();
        if self.setup.class != ProviderClass::LocalOnly {
            for shape in request.tool.iter_mut().chain(&mut request.schema) {
                wire::drop_bounds(&mut shape.schema);
            }
        }
        request
    }

    /// Asks once.
    async fn attempt(
        &self,
        request: &Request,
        outgoing: &Outgoing,
        watch: Watch<'_>,
        sink: &mut dyn FnMut(Delta<'_>),
    ) -> Result<Answer, FaultKind> {
        let mut draft = Draft::new(request, sink);
        let framing = http::ask(&self.client, outgoing, self.wire, watch, &mut draft).await?;
        let (content, finish, usage, served) = draft.into_content()?;
        self.same_model(&served)?;
        let body = outgoing.body.as_deref().unwrap_or_default();
        Ok(Answer {
            content,
            usage,
            served,
            finish,
            request_sha256: Digest::of(body),
            tries: 1,
            streamed: framing != Framing::Whole,
        })
    }

    /// The model that answered first is the only one that may.
    fn same_model(&self, served: &Served) -> Result<(), FaultKind> {
        match (&self.served.model, &served.model) {
            (Some(was), Some(is)) if was != is => Err(FaultKind::ModelChanged { was: was.clone(), is: is.clone() }),
            _ => Ok(()),
        }
    }

    /// Asks, and asks again where that can help.
    async fn persist(
        &self,
        request: &Request,
        sink: &mut dyn FnMut(Delta<'_>),
        cancel: &Cancel,
    ) -> Result<Answer, (FaultKind, u32)> {
        let outgoing = self.outgoing(request).map_err(|kind| (kind, 0))?;
        let watch = Watch { patience: self.patience, began: Instant::now(), cancel };
        let mut tries = 0;
        loop {
            tries += 1;
            let mut began = false;
            let mut told = |delta: Delta<'_>| {
                began = true;
                sink(delta);
            };
            let kind = match self.attempt(request, &outgoing, watch, &mut told).await {
                Ok(answer) => return Ok(Answer { tries, ..answer }),
                Err(kind) => kind,
            };
            if began || tries > RETRIES || !kind.passes() {
                return Err((kind, tries));
            }
            let after = pause(&kind, tries);
            sink(Delta::Retry { number: tries, after, code: kind.code() });
            let slept = tokio::time::sleep(after);
            watch.wait(slept, Phase::Whole, self.patience.whole).await.map_err(|kind| (kind, tries))?;
        }
    }
}

impl Model for Provider {
    fn name(&self) -> &str {
        self.setup.name.as_str()
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { local_sha256: self.weights, ..version::identity(&self.setup, &self.served) }
    }

    fn look_at_weights(&mut self, cancel: &Cancel) {
        // What a test found may be long ago: each conversation looks for itself, once. Which file a server reads is
        // asked only where a test found that it tells: not every server bears a question that it does not know.
        let tells = self.setup.kind == ProviderKind::Ollama || self.weights.is_some();
        if tells && !std::mem::replace(&mut self.looked, true) {
            self.weights = self.digest(cancel);
        }
    }

    fn weights_file(&self) -> Option<&WeightsFile> {
        self.weights_file.as_ref()
    }

    /// What the user said; a server on this machine costs nothing.
    fn price(&self) -> Option<Price> {
        let local = self.setup.class == ProviderClass::LocalOnly;
        self.setup.price.or_else(|| local.then(Price::default))
    }

    fn answer(&mut self, request: &Request, sink: &mut dyn FnMut(Delta<'_>), cancel: &Cancel) -> Result<Answer, Fault> {
        let gone = FaultKind::Setup { why: "it was closed".to_owned() };
        let Some(runtime) = &self.runtime else { return Err(fault(&self.setup, request.stage, 0, gone)) };
        let answer = runtime
            .block_on(self.persist(request, sink, cancel))
            .map_err(|(kind, tries)| fault(&self.setup, request.stage, tries, kind))?;
        if answer.served.model.is_some() {
            self.served = answer.served.clone();
        }
        Ok(answer)
    }
}

/// A name server that does not answer holds up nobody.
impl Drop for Provider {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// How long to wait before the next try.
fn pause(kind: &FaultKind, tries: u32) -> Duration {
    let backoff = BACKOFF.saturating_mul(1 << tries.saturating_sub(1).min(8));
    match kind {
        FaultKind::RateLimited { retry_after: Some(asked) } => (*asked).max(Duration::from_millis(1)),
        _ => backoff,
    }
}

/// A fault of this provider.
pub(crate) fn fault(setup: &ProviderSetup, stage: Stage, tries: u32, kind: FaultKind) -> Fault {
    let origin = Endpoint::parse(&setup.url).map_or_else(|_| "its address".to_owned(), |endpoint| endpoint.origin());
    Fault { kind, provider: setup.name.to_string(), origin, stage, tries }
}
