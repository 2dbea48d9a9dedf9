//! Every route there is: one table. What is not in it is not there.

use crate::answer::Answer;
use crate::request::Request;
use crate::{acts, pages};
use exacta_app::Error;

/// How a route is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Changes nothing.
    Get,
    /// May change something.
    Post,
}

/// Who may ask at all. What they may do is decided by the application, for the caller that this makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody on this machine.
    Open,
    /// An approver's session; by POST with the session's own form token.
    Session,
}

/// What answers.
#[derive(Clone, Copy)]
pub enum Handler {
    /// A function on a worker's thread.
    Work(fn(&Request) -> Result<Answer, Error>),
    /// The stream of events.
    Live,
}

/// One route.
pub struct Route {
    /// How.
    pub method: Method,
    /// Where: parts in braces are named.
    pub path: &'static str,
    /// Who.
    pub access: Access,
    /// By whom it is answered.
    pub handler: Handler,
}

const fn get(path: &'static str, access: Access, handler: fn(&Request) -> Result<Answer, Error>) -> Route {
    Route { method: Method::Get, path, access, handler: Handler::Work(handler) }
}

const fn post(path: &'static str, handler: fn(&Request) -> Result<Answer, Error>) -> Route {
    Route { method: Method::Post, path, access: Access::Session, handler: Handler::Work(handler) }
}

/// A route, for whoever checks them all.
#[derive(Debug, Clone, Copy)]
pub struct RouteView {
    /// How.
    pub method: Method,
    /// Where.
    pub path: &'static str,
    /// Whether a session is needed.
    pub session: bool,
}

/// Every route there is.
pub fn routes() -> impl Iterator<Item = RouteView> {
    ROUTES.iter().map(|route| RouteView {
        method: route.method,
        path: route.path,
        session: route.access == Access::Session,
    })
}

/// All routes.
pub static ROUTES: &[Route] = &[
    get("/assets/page.css", Access::Open, pages::asset),
    get("/assets/page.js", Access::Open, pages::asset),
    get("/assets/icon.svg", Access::Open, pages::asset),
    get("/open/{link}", Access::Open, pages::opening),
    Route { method: Method::Post, path: "/open", access: Access::Open, handler: Handler::Work(acts::open) },
    get("/", Access::Session, pages::inbox),
    get("/history", Access::Session, pages::history),
    get("/plans/{id}", Access::Session, pages::plan),
    get("/runs/{id}/undo", Access::Session, pages::undo),
    Route { method: Method::Get, path: "/events", access: Access::Session, handler: Handler::Live },
    post("/plans/{id}/approve", acts::approve),
    post("/plans/{id}/reject", acts::reject),
    post("/plans/{id}/revise", acts::revise),
    post("/plans/{id}/select", acts::select),
    post("/plans/{id}/withdraw", acts::withdraw),
    post("/plans/{id}/run", acts::run),
    post("/plans/{id}/cancel", acts::cancel),
    post("/plans/{id}/resubmit", acts::resubmit),
    post("/runs/{id}/undo", acts::undo),
];

impl Route {
    /// The named parts of a path, if it is one of this route.
    #[must_use]
    pub fn matches(&self, path: &str) -> Option<Vec<String>> {
        let (mut own, mut given) = (self.path.split('/'), path.split('/'));
        let mut named = Vec::new();
        loop {
            match (own.next(), given.next()) {
                (None, None) => return Some(named),
                (Some(own), Some(given)) if own.starts_with('{') && !given.is_empty() => named.push(given.to_owned()),
                (Some(own), Some(given)) if own == given => {}
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_whole() {
        let route = get("/plans/{id}", Access::Session, pages::plan);
        assert_eq!(route.matches("/plans/x"), Some(vec!["x".to_owned()]));
        for other in ["/plans", "/plans/", "/plans/x/", "/plans/x/y", "/Plans/x", "//plans/x"] {
            assert_eq!(route.matches(other), None, "{other}");
        }
    }

    /// What changes something is a POST of a session; what is open to anybody shows nothing of a project.
    #[test]
    fn the_table() {
        let open: Vec<&str> =
            ROUTES.iter().filter(|route| route.access == Access::Open).map(|route| route.path).collect();
        assert_eq!(open, ["/assets/page.css", "/assets/page.js", "/assets/icon.svg", "/open/{link}", "/open"]);
        let get: Vec<&str> =
            ROUTES.iter().filter(|route| route.method == Method::Get).map(|route| route.path).collect();
        assert!(
            get.iter().all(|path| !path.contains("approve") && !path.contains("run/") && !path.ends_with("/select"))
        );
    }
}
