//! One exchange with a site, within limits of size and time. Redirects are never followed.

use crate::address::SiteUrl;
use crate::error::SiteError;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Method, Response, Url};
use serde_json::Value;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::Runtime;
use zeroize::Zeroizing;

/// The largest answer that is read.
const MOST: usize = 32 << 20;

/// How often something is read that could not be; nothing is ever written twice.
const READS: u32 = 4;

/// The longest pause that a site may ask for before it is read again.
const LONGEST_PAUSE: u64 = 5;

/// A user of a site, with the application password. It is never shown, and gone from memory afterwards.
#[derive(Clone)]
pub struct Account {
    user: String,
    password: Zeroizing<String>,
}

/// How long is waited for what.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// To connect.
    pub connect: Duration,
    /// For a whole answer.
    pub answer: Duration,
    /// For an act to show whose answer was lost.
    pub settle: Duration,
}

/// Asks one site as one user.
pub struct Client {
    base: SiteUrl,
    account: Account,
    http: reqwest::Client,
    runtime: Runtime,
    patience: Patience,
    /// Tells one question from every other, so that no cache answers it.
    questions: AtomicU64,
    /// Whether addresses are written with `?rest_route=`, as on a site without pretty links.
    plain: bool,
    /// The address that the site gives itself.
    home: String,
}

/// What a site answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) body: Value,
    /// How many there are of what was listed.
    pub(crate) total: Option<u64>,
}

/// A part of a question's address.
pub(crate) type Query<'q> = &'q [(&'q str, String)];

impl Account {
    /// A user's name and application password.
    #[must_use]
    pub fn new(user: &str, password: &str) -> Self {
        Self { user: user.to_owned(), password: Zeroizing::new(password.trim().to_owned()) }
    }

    /// The user's name.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({:?}, …)", self.user)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?}, {:?})", self.base, self.account)
    }
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(10), answer: seconds(60), settle: seconds(20) }
    }
}

impl Client {
    /// A client of one site. Asks nothing yet.
    ///
    /// # Errors
    /// If the machine offers no way to ask.
    pub fn new(base: SiteUrl, account: Account, patience: Patience) -> Result<Self, SiteError> {
        // It is installed once in a process; a second time changes nothing.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut http = reqwest::Client::builder()
            .redirect(Policy::none())
            .connect_timeout(patience.connect)
            .pool_max_idle_per_host(0)
            .referer(false)
            .user_agent(concat!("exacta/", env!("CARGO_PKG_VERSION")));
        if base.is_loopback() {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|_| SiteError::Local("no client can be made here".to_owned()))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| SiteError::Local(format!("nothing can be asked from here: {error}")))?;
        let home = base.as_str().to_owned();
        let begin = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64);
        Ok(Self { base, account, http, runtime, patience, questions: AtomicU64::new(begin), plain: false, home })
    }

    /// The same, for a site without pretty links.
    #[must_use]
    pub const fn with_plain_links(mut self, plain: bool) -> Self {
        self.plain = plain;
        self
    }

    /// Whether addresses are written without pretty links.
    pub(crate) const fn has_plain_links(&self) -> bool {
        self.plain
    }

    /// The same, for a site that gives itself another address than it is reached at.
    #[must_use]
    pub fn with_home(mut self, home: &str) -> Self {
        home.trim_end_matches('/').clone_into(&mut self.home);
        self
    }

    /// Whether an address is one of this site.
    pub(crate) fn is_own(&self, address: &str) -> bool {
        let beneath =
            |home: &str| address.strip_prefix(home).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        beneath(self.base.as_str()) || beneath(&self.home)
    }

    /// The site's address.
    #[must_use]
    pub const fn base(&self) -> &SiteUrl {
        &self.base
    }

    /// Who asks.
    #[must_use]
    pub fn user(&self) -> &str {
        self.account.user()
    }

    pub(crate) const fn patience(&self) -> Patience {
        self.patience
    }

    /// Reads. What could not be read for a moment is read again: that changes nothing.
    pub(crate) fn get(&self, route: &str, query: Query<'_>) -> Result<Reply, SiteError> {
        let mut pause = Duration::from_millis(100);
        for _ in 1..READS {
            let error = match self.ask(Method::GET, route, query, None) {
                Err(error) => error,
                reply => return reply,
            };
            let asked = error.pause().filter(|seconds| *seconds <= LONGEST_PAUSE).map(Duration::from_secs);
            let passing = matches!(
                error,
                SiteError::NotSent(_)
                    | SiteError::Cut
                    | SiteError::NotJson { status: 500..=599, .. }
                    | SiteError::Refused { status: 500..=599, .. }
            );
            if asked.is_none() && !passing {
                return Err(error);
            }
            std::thread::sleep(asked.unwrap_or(pause));
            pause = pause.saturating_mul(3);
        }
        self.ask(Method::GET, route, query, None)
    }

    /// What can be asked of a route, and in which form.
    pub(crate) fn options(&self, route: &str) -> Result<Reply, SiteError> {
        self.ask(Method::OPTIONS, route, &[], None)
    }

    /// The version of WordPress, where its front page tells it.
    pub(crate) fn version(&self) -> Option<String> {
        let url = Url::parse(self.base.as_str()).ok()?;
        let read = async {
            let mut response = self.http.get(url).header(ACCEPT_ENCODING, "identity").send().await.ok()?;
            whole(&mut response).await.ok()
        };
        let page = self.runtime.block_on(async { tokio::time::timeout(self.patience.answer, read).await }).ok()??;
        let page = String::from_utf8_lossy(&page);
        let (_, rest) = page.split_once("content=\"WordPress ")?;
        let version = rest.split('"').next()?;
        let plain = version.len() <= 40 && version.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
        plain.then(|| version.to_owned())
    }

    /// Writes, once.
    pub(crate) fn post(&self, route: &str, body: &Value) -> Result<Reply, SiteError> {
        self.ask(Method::POST, route, &[("context", "edit".to_owned())], Some(body))
    }

    /// Moves to the trash, once. Never `force`: nothing is deleted for good.
    pub(crate) fn delete(&self, route: &str) -> Result<Reply, SiteError> {
        self.ask(Method::DELETE, route, &[("force", "false".to_owned())], None)
    }

    fn ask(&self, method: Method, route: &str, query: Query<'_>, body: Option<&Value>) -> Result<Reply, SiteError> {
        let url = self.url(route, query)?;
        let body = body.map(serde_json::to_vec).transpose();
        let body = body.map_err(|_| SiteError::Local("the request cannot be written".to_owned()))?;
        // A time limit can only be made where time is kept.
        let exchange = async { tokio::time::timeout(self.patience.answer, self.exchange(method, url, body)).await };
        match self.runtime.block_on(exchange) {
            Ok(reply) => reply,
            Err(_) => Err(SiteError::Late(self.patience.answer)),
        }
    }

    async fn exchange(&self, method: Method, url: Url, body: Option<Vec<u8>>) -> Result<Reply, SiteError> {
        let mut request = self
            .http
            .request(method, url)
            .basic_auth(&self.account.user, Some(self.account.password.as_str()))
            .header(ACCEPT, "application/json")
            .header(ACCEPT_ENCODING, "identity")
            .header(CACHE_CONTROL, "no-cache");
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let mut response = request.send().await.map_err(|error| self.lost(&error))?;
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
            return Err(SiteError::Redirect { status, to: exacta_kernel::text::visible_line(to).into_owned() });
        }
        let head = Head::of(status, response.headers());
        let bytes = whole(&mut response).await?;
        head.reply(&bytes)
    }

    fn lost(&self, error: &reqwest::Error) -> SiteError {
        if error.is_connect() || error.is_builder() {
            // reqwest's words have the address in them, never a header.
            let why = if error.is_timeout() { "nobody answers at its address" } else { "no connection to its address" };
            return SiteError::NotSent(why.to_owned());
        }
        if error.is_timeout() { SiteError::Late(self.patience.answer) } else { SiteError::Cut }
    }

    fn url(&self, route: &str, query: Query<'_>) -> Result<Url, SiteError> {
        let base = self.base.as_str();
        let text = if self.plain { format!("{base}/?rest_route={route}") } else { format!("{base}/wp-json{route}") };
        let mut url = Url::parse(&text).map_err(|_| SiteError::Local(format!("`{text}` is no address")))?;
        let question = self.questions.fetch_add(1, Ordering::Relaxed);
        url.query_pairs_mut().extend_pairs(query).append_pair("_exacta", &question.to_string());
        Ok(url)
    }
}

/// What the first lines of an answer say.
struct Head {
    status: u16,
    json: bool,
    html: bool,
    retry_after: Option<u64>,
    total: Option<u64>,
}

impl Head {
    fn of(status: u16, headers: &HeaderMap) -> Self {
        let text =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().trim().to_owned();
        let kind = text("content-type").to_ascii_lowercase();
        Self {
            status,
            json: kind.starts_with("application/json"),
            html: kind.starts_with("text/html"),
            retry_after: text(RETRY_AFTER.as_str()).parse().ok(),
            total: text("x-wp-total").parse().ok(),
        }
    }

    /// The answer, if it is one.
    fn reply(self, bytes: &[u8]) -> Result<Reply, SiteError> {
        let Self { status, json, html, retry_after, total } = self;
        let body = json.then(|| serde_json::from_slice::<Value>(bytes).ok()).flatten();
        let Some(body) = body else { return Err(SiteError::NotJson { status, html, retry_after }) };
        if (200..300).contains(&status) {
            return Ok(Reply { body, total });
        }
        let word = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or("unknown");
        let message = exacta_kernel::text::excerpt(&without_tags(word("message")), 200).to_string();
        let code = exacta_kernel::text::excerpt(word("code"), 60).to_string();
        Err(SiteError::Refused { status, code, message, retry_after })
    }
}

/// A whole body, if it is not too large.
async fn whole(response: &mut Response) -> Result<Vec<u8>, SiteError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|_| SiteError::Cut)? {
        if body.len() + bytes.len() > MOST {
            return Err(SiteError::TooLarge(MOST));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

/// WordPress writes its messages as HTML.
fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shows_the_password() {
        let account = Account::new("ann", "abcd efgh");
        let site = SiteUrl::parse("http://127.0.0.1:1").unwrap();
        let client = Client::new(site, account.clone(), Patience::default()).unwrap();
        let error = client.ask(Method::GET, "/", &[], None).unwrap_err();
        assert!(matches!(error, SiteError::NotSent(_)), "{error:?}");
        let shown = format!("{account:?} {client:?} {error:?} {error}");
        assert!(!shown.contains("abcd") && shown.contains("ann"), "{shown}");
    }

    #[test]
    fn what_is_an_answer() {
        let head = |status, kind: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, kind.parse().unwrap());
            Head::of(status, &headers)
        };
        for (status, kind, body, is) in [
            (200, "application/json; charset=UTF-8", "{\"id\":1}", "ok"),
            (200, "text/html", "{\"id\":1}", "the site answers with a page of HTML where JSON belongs (status 200)"),
            (
                200,
                "application/json",
                "{\"id\":",
                "the site answers with something else where JSON belongs (status 200)",
            ),
            (
                401,
                "application/json",
                r#"{"code":"a","message":"<b>no</b>"}"#,
                "the site refuses: no (`a`, status 401)",
            ),
        ] {
            let reply = head(status, kind).reply(body.as_bytes());
            assert_eq!(reply.map_or_else(|error| error.to_string(), |_| "ok".to_owned()), is);
        }
    }
}
