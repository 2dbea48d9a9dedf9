//! Finds out what a user can do on a site, and says in words what is wrong.

use crate::client::Client;
use crate::error::SiteError;
use crate::manifest::{Manifest, PageRights};
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use serde_json::Value;
use std::collections::BTreeSet;

/// What is wrong with a site, a user or the way between: a stable code, what was found, and what helps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Trouble {
    /// The stable code.
    pub code: &'static str,
    /// What was found.
    pub message: String,
    /// What helps.
    pub hint: Hint,
}

/// Asks a site what it is and what the user can do there. The client that comes back knows how the site writes its addresses.
///
/// # Errors
/// [`Trouble`] in words.
pub fn probe(client: Client) -> Result<(Client, Manifest), Trouble> {
    let (client, index, plain_links) = index(client)?;
    let home = home(&index);
    let client = client.with_home(&home);
    let manifest = described(&client, &index, home, plain_links)?;
    Ok((client, manifest))
}

/// The same before a run, in three requests: what the user may do, the version, and the meta fields are asked again; the types of
/// content, the templates and whether there are revisions are those of a moment ago.
///
/// # Errors
/// [`Trouble`] in words.
pub fn probe_again(client: &Client, then: &Manifest) -> Result<Manifest, Trouble> {
    let index = client.get("/", &[]).map_err(|error| Trouble::of(&error))?.body;
    let me = me(client, &index)?;
    Ok(Manifest {
        home: home(&index),
        version: client.version(),
        user_id: user_id(&me),
        user: text(&me, "username"),
        rights: rights(&me),
        meta: meta(client, &index)?,
        ..then.clone()
    })
}

/// What a client that knows how the site writes its addresses finds there now.
pub(crate) fn manifest(client: &Client) -> Result<Manifest, Trouble> {
    let index = client.get("/", &[]).map_err(|error| Trouble::of(&error))?.body;
    described(client, &index, home(&index), client.has_plain_links())
}

/// The address that a site gives itself.
fn home(index: &Value) -> String {
    index.get("home").or_else(|| index.get("url")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn described(client: &Client, index: &Value, home: String, plain_links: bool) -> Result<Manifest, Trouble> {
    let me = me(client, index)?;
    let rights = rights(&me);
    if !rights.edit {
        return Err(Trouble {
            code: "SITE_AUTH",
            message: format!("the user `{}` may not edit pages on {}", client.user(), client.base()),
            hint: role_needed(),
        });
    }
    let (post_types, templates, meta) = (post_types(client)?, templates(client), meta(client, index)?);
    Ok(Manifest {
        url: client.base().to_string(),
        home,
        plain_links,
        version: client.version(),
        user_id: user_id(&me),
        user: text(&me, "username"),
        rights,
        revisions: revisions(client)?,
        post_types,
        templates,
        meta,
    })
}

impl Trouble {
    fn of(error: &SiteError) -> Self {
        Self { code: error.code(), message: error.to_string(), hint: error.hint() }
    }
}

/// The index of the interface, with pretty links or without.
fn index(client: Client) -> Result<(Client, Value, bool), Trouble> {
    let is_index = |body: &Value| {
        body.get("namespaces").and_then(Value::as_array).is_some_and(|list| list.iter().any(|name| name == "wp/v2"))
    };
    let first = client.get("/", &[]);
    if let Ok(reply) = &first
        && is_index(&reply.body)
    {
        return Ok((client, reply.body.clone(), false));
    }
    let client = client.with_plain_links(true);
    if let Ok(reply) = client.get("/", &[])
        && is_index(&reply.body)
    {
        return Ok((client, reply.body, true));
    }
    Err(match first {
        Err(error @ (SiteError::NotJson { .. } | SiteError::Refused { status: 404, .. })) => Trouble {
            code: "SITE_UNREACHABLE",
            message: format!("no WordPress REST interface is at {}: {error}", client.base()),
            hint: "the address is wrong, or a plugin or the host switches the interface off; `/wp-json/` must answer with JSON".into(),
        },
        Err(error) => Trouble::of(&error),
        Ok(_) => Trouble {
            code: "SITE_UNREACHABLE",
            message: format!("what answers at {} is not WordPress's interface", client.base()),
            hint: "add the site with the address of its front page".into(),
        },
    })
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn user_id(me: &Value) -> u64 {
    me.get("id").and_then(Value::as_u64).unwrap_or_default()
}

fn role_needed() -> Hint {
    hint!["give the user the role that ", Remedy::SiteRole, " prints"]
}

/// The user, as the site knows them.
fn me(client: &Client, index: &Value) -> Result<Value, Trouble> {
    let trouble = |message: String, hint: Hint| Trouble { code: "SITE_AUTH", message, hint };
    let user = client.user();
    let me = match client.get("/wp/v2/users/me", &[("context", "edit".to_owned())]) {
        Ok(reply) => reply.body,
        Err(SiteError::Refused { status: 401, code, .. }) if code == "rest_not_logged_in" => {
            if index.pointer("/authentication/application-passwords").is_none() {
                let message = format!("{} takes no application passwords", client.base());
                return Err(trouble(
                    message,
                    "the site needs https, and no plugin may switch application passwords off".into(),
                ));
            }
            let message =
                format!("{} takes `{user}` for nobody: it refuses the password, or never saw it", client.base());
            let hint = "use an application password (Users → Profile), not the one you log in with; if it is right, the host strips the `Authorization` header (for Apache: `CGIPassAuth On`, or `SetEnvIf Authorization \"(.*)\" HTTP_AUTHORIZATION=$1`)".into();
            return Err(trouble(message, hint));
        }
        Err(SiteError::Refused { status: 401, code, .. }) => {
            let message = format!("{} refuses the user `{user}` (`{code}`)", client.base());
            return Err(trouble(
                message,
                "use an application password (Users → Profile), not the one you log in with; it belongs to one user"
                    .into(),
            ));
        }
        Err(SiteError::Refused { status: 403, .. }) => {
            return Err(trouble(format!("the user `{user}` may not see itself on {}", client.base()), role_needed()));
        }
        Err(error) => return Err(Trouble::of(&error)),
    };
    let is = |name: &str| me.get(name).and_then(Value::as_str).is_some_and(|name| name.eq_ignore_ascii_case(user));
    if is("username") || is("email") {
        return Ok(me);
    }
    let other = me.get("username").and_then(Value::as_str).unwrap_or("somebody else");
    Err(trouble(
        format!("the password is one of `{other}`, not of `{user}`"),
        "add the site with the user that the password belongs to".into(),
    ))
}

fn rights(me: &Value) -> PageRights {
    let may = |name: &str| me.pointer(&format!("/capabilities/{name}")).and_then(Value::as_bool).unwrap_or(false);
    PageRights {
        edit: may("edit_pages"),
        edit_others: may("edit_others_pages"),
        edit_published: may("edit_published_pages"),
        publish: may("publish_pages"),
        delete: may("delete_pages"),
        delete_others: may("delete_others_pages"),
        delete_published: may("delete_published_pages"),
        unfiltered_html: may("unfiltered_html"),
    }
}

fn post_types(client: &Client) -> Result<BTreeSet<String>, Trouble> {
    let reply = client.get("/wp/v2/types", &[]).map_err(|error| Trouble::of(&error))?;
    Ok(reply.body.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect())
}

/// The templates of the theme that pages can have; only some users are told.
fn templates(client: &Client) -> Option<BTreeSet<String>> {
    let reply = client.get("/wp/v2/templates", &[("context", "edit".to_owned())]).ok()?;
    let list = reply.body.as_array()?.iter();
    let custom = list.filter(|template| template.get("is_custom").and_then(Value::as_bool) == Some(true));
    Some(custom.filter_map(|template| template.get("slug")?.as_str().map(ToOwned::to_owned)).collect())
}

/// The meta fields of pages: the index says what a page is made of, else the interface itself does.
fn meta(client: &Client, index: &Value) -> Result<BTreeSet<String>, Trouble> {
    let ways = index.pointer("/routes/~1wp~1v2~1pages/endpoints").and_then(Value::as_array).into_iter().flatten();
    let fields = ways.filter_map(|way| way.pointer("/args/meta/properties")?.as_object()).next();
    if let Some(fields) = fields {
        return Ok(fields.keys().cloned().collect());
    }
    let reply = client.options("/wp/v2/pages").map_err(|error| Trouble::of(&error))?;
    let fields = reply.body.pointer("/schema/properties/meta/properties").and_then(Value::as_object);
    Ok(fields.into_iter().flatten().map(|(name, _)| name.clone()).collect())
}

/// Whether a page that was changed has revisions.
fn revisions(client: &Client) -> Result<Option<bool>, Trouble> {
    let query = [
        ("context", "edit".to_owned()),
        ("status", "any".to_owned()),
        ("orderby", "modified".to_owned()),
        ("per_page", "20".to_owned()),
        ("_fields", "date_gmt,modified_gmt,status,_links".to_owned()),
    ];
    let reply = client.get("/wp/v2/pages", &query).map_err(|error| Trouble::of(&error))?;
    let (mut has, mut changed) = (false, false);
    for page in reply.body.as_array().into_iter().flatten() {
        has |= page.pointer("/_links/version-history/0/count").and_then(Value::as_u64).is_some_and(|count| count > 0);
        changed |= page.get("status").is_some_and(|status| status == "publish")
            && page.get("date_gmt") != page.get("modified_gmt");
    }
    Ok(if has { Some(true) } else { changed.then_some(false) })
}
