//! A site with pages, and runs on it.

use crate::spine;
use exacta_effect::{EffectError, Effects, Folder, JournalKey, Options, Outcome};
use exacta_kernel::permit::Permit;
use exacta_site::{Account, Client, Images, Manifest, Op, Page, Pages, Patience, Request, SiteUrl, draft_call, probe};
use exacta_testkit::WordPress;
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

pub const KEY: JournalKey = JournalKey::new([7; 32]);
pub const VERSION: &str = "6.5";

pub const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(10), answer: Duration::from_secs(30), settle: Duration::from_secs(20) };

/// As one user, without a probe.
pub fn client(wordpress: &WordPress, user: &str, patience: Patience) -> Client {
    let account = Account::new(user, wordpress.password(user));
    Client::new(SiteUrl::parse(&wordpress.url()).unwrap(), account, patience).unwrap()
}

/// As one user, with what that user can do.
pub fn probed(wordpress: &WordPress, user: &str) -> (Client, Manifest) {
    probe(client(wordpress, user, PATIENCE)).unwrap_or_else(|trouble| panic!("{trouble:?}"))
}

/// The user's state, and what is kept of pages in it.
pub struct State {
    pub folder: TempDir,
}

impl State {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn held(&self) -> Folder {
        Folder::open(self.folder.path()).unwrap()
    }

    pub fn images(&self) -> Images {
        Images::open(&self.held()).unwrap()
    }

    /// Everything that is kept of pages, as text.
    pub fn kept(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.folder.path().join("site/kept")).into_iter().flatten();
        let text = |path: std::path::PathBuf| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        folder.map(|entry| text(entry.unwrap().path())).collect()
    }

    /// From staging to the end, as the app does it.
    pub fn run(&self, client: &Client, permit: Permit) -> Result<Outcome, EffectError> {
        let pages = Pages::new("blog", client, self.images());
        let effects = Effects::open(&self.held(), &KEY, vec![&pages]).unwrap();
        let never = AtomicBool::new(false);
        let entered = effects.permitted(permit).stage()?.entered();
        entered.perform(&mut Options { cancel: &never, holds: &|| Ok(()), observer: &mut |_| {} })
    }

    /// How a run ended, by its journal.
    pub fn outcome(&self, client: &Client, run: &exacta_kernel::id::RunId) -> Option<Outcome> {
        let pages = Pages::new("blog", client, self.images());
        Effects::open(&self.held(), &KEY, vec![&pages]).unwrap().outcome(run).unwrap()
    }

    pub fn recover(&self, client: &Client) -> Vec<exacta_effect::Recovered> {
        let pages = Pages::new("blog", client, self.images());
        let effects = Effects::open(&self.held(), &KEY, vec![&pages]).unwrap();
        effects.recover(&|_| true).unwrap()
    }
}

/// One page's step, drafted on the site as it is now.
pub fn drafted(
    client: &Client,
    manifest: &Manifest,
    number: usize,
    (op, id): (Op, Option<u64>),
    fields: Value,
) -> Value {
    let fields: Map<String, Value> = fields.as_object().unwrap().clone();
    let call = draft_call(client, manifest, &Request { op, id, fields: &fields }).unwrap_or_else(|no| panic!("{no:?}"));
    spine::step(number, tool(op), &Value::Object(call.arguments))
}

pub const fn tool(op: Op) -> &'static str {
    match op {
        Op::Create => "content.create_page",
        Op::Update => "content.update_page",
        Op::Publish => "content.publish_page",
        Op::Trash => "content.trash_page",
    }
}

/// A page made by the plain interface, as a person would.
pub fn make(wordpress: &WordPress, user: &str, fields: &Value) -> u64 {
    ask(wordpress, user, "POST", "/wp/v2/pages", fields)["id"].as_u64().unwrap()
}

/// What a plain client gets, through `curl`.
pub fn ask(wordpress: &WordPress, user: &str, method: &str, route: &str, body: &Value) -> Value {
    ask_at(&wordpress.url(), (user, wordpress.password(user)), method, route, body)
}

/// The same, where only the site's address is known.
pub fn ask_at(url: &str, (user, password): (&str, &str), method: &str, route: &str, body: &Value) -> Value {
    let mut curl = std::process::Command::new("curl");
    curl.args(["-s", "-m", "120", "-X", method, "-u", &format!("{user}:{password}")]);
    if !body.is_null() {
        curl.args(["-H", "Content-Type: application/json", "-d", &body.to_string()]);
    }
    let output = exacta_testkit::output(curl.arg(format!("{url}/wp-json{route}")).stdin(std::process::Stdio::null()));
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

/// Every page that there is, in the trash too.
pub fn all(client: &Client) -> Vec<Page> {
    let list = exacta_site::inventory(client, &["any", "trash"]).unwrap();
    let list: Value = serde_json::from_slice(&list.bytes).unwrap();
    let ids: Vec<u64> = list["pages"].as_array().unwrap().iter().filter_map(|page| page["id"].as_u64()).collect();
    let pages = client.pages(&ids).unwrap();
    assert_eq!(pages.len(), ids.len());
    pages
}

pub fn fields(number: usize) -> Value {
    json!({ "title": format!("New title {number}"), "content": format!("<p>New words {number}, as agreed.</p>") })
}
