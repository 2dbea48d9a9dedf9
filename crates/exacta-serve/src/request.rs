//! A request that passed the gate, as a handler sees it.

use crate::body::Bytes;
use crate::credential::Credential;
use crate::place::Place;
use crate::problem::refuse;
use crate::session::Session;
use crate::state::Server;
use exacta_app::{App, Caller, Error};
use exacta_kernel::id::PlanId;
use std::sync::Arc;

/// What somebody asks for.
pub struct Request {
    /// The server.
    pub server: Arc<Server>,
    /// The project that it is about, where there is one.
    pub place: Option<Arc<Place>>,
    /// Who asks.
    pub caller: Caller,
    /// What was shown of that.
    pub credential: Credential,
    /// The path.
    pub path: String,
    /// The parts of the path that the route names, in order.
    pub named: Vec<String>,
    /// What follows the question mark.
    pub query: Vec<(String, String)>,
    /// The fields of a form; empty where the body is none.
    pub form: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// What the asker calls this request, or a name of ours.
    pub request_id: String,
}

impl Request {
    /// A field of the form; empty where there is none.
    #[must_use]
    pub fn field(&self, name: &str) -> &str {
        value(&self.form, name).unwrap_or_default()
    }

    /// A field of the query.
    #[must_use]
    pub fn asked(&self, name: &str) -> Option<&str> {
        value(&self.query, name)
    }

    /// A named part of the path.
    #[must_use]
    pub fn part(&self, at: usize) -> &str {
        self.named.get(at).map(String::as_str).unwrap_or_default()
    }

    /// The plan that the path names: only a whole id counts.
    ///
    /// # Errors
    /// If it is none.
    pub fn plan(&self) -> Result<PlanId, Error> {
        PlanId::parse(self.part(0)).map_err(|_| {
            refuse("plan_unknown", "there is no such plan", "the inbox and the history link to every plan")
        })
    }

    /// The project that it is about.
    ///
    /// # Errors
    /// If there are several, and none was named.
    pub fn place(&self) -> Result<&Arc<Place>, Error> {
        self.place.as_ref().ok_or_else(|| {
            refuse(
                "project_required",
                "this server has several projects, or none, and the request does not say which it is about",
                "`?project=ID`; `/api/v2/projects` has the ids",
            )
        })
    }

    /// The project that was named, or all.
    #[must_use]
    pub fn places(&self) -> Vec<Arc<Place>> {
        self.place.as_ref().map_or_else(|| self.server.places.all(), |place| vec![Arc::clone(place)])
    }

    /// The project for whoever asks, to look at only.
    ///
    /// # Errors
    /// If it cannot be used, or none is meant.
    pub fn look(&self) -> Result<App, Error> {
        self.place()?.look(&self.caller)
    }

    /// The project for whoever asks, to decide or act.
    ///
    /// # Errors
    /// If it cannot be used, or none is meant.
    pub fn act(&self) -> Result<App, Error> {
        self.place()?.act(&self.caller)
    }

    /// The session of whoever asks from the page.
    ///
    /// # Errors
    /// If there is none.
    pub fn session(&self) -> Result<&Arc<Session>, Error> {
        self.credential.session().ok_or_else(|| {
            refuse("unauthenticated", "this needs an approver's session", "open the link that `exacta serve` printed")
        })
    }
}

fn value<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
}

/// The fields of a query or a form: `a=b&c=d`, with `+` and `%20` for blanks.
#[must_use]
pub fn fields(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|two| u8::from_str_radix(core::str::from_utf8(two).ok()?, 16).ok());
        match (byte, escape) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_as_browsers_write_them() {
        let told = fields("a=1&b=x+y%20%C3%BC&part=s1%3A1&part=s2&=&%zz=%&lone");
        let expected =
            [("a", "1"), ("b", "x y ü"), ("part", "s1:1"), ("part", "s2"), ("", ""), ("%zz", "%"), ("lone", "")];
        assert_eq!(told, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
