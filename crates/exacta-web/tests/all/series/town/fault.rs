//! Pages that are there instead of another.

use super::doc::Doc;

pub(crate) const KINDS: [&str; 17] = [
    "404",
    "503",
    "cut",
    "empty",
    "json",
    "soft 404",
    "soft 500",
    "maintenance",
    "login",
    "consent",
    "bot",
    "scripts",
    "parked",
    "collapsed",
    "emptied",
    "rate",
    "default",
];

/// The page that is there instead: status, type, body.
pub(crate) fn fault(kind: usize, doc: &Doc, site: usize) -> (u16, &'static str, String) {
    let html = "text/html; charset=utf-8";
    let alone = |title: &str, body: &str| {
        (200, html, format!("<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"))
    };
    let within = |heading: &str, text: &str| {
        let doc = Doc {
            title: format!("{heading} | Example Town"),
            heading: heading.to_owned(),
            paragraphs: vec![text.to_owned()],
            facts: Vec::new(),
            items: Vec::new(),
            ..doc.clone()
        };
        (200, html, doc.html(site))
    };
    match KINDS[kind] {
        "404" => (404, html, "<h1>Not Found</h1>".to_owned()),
        "503" => (503, html, "<h1>Service Unavailable</h1>".to_owned()),
        "cut" => {
            let whole = doc.html(site);
            (200, html, whole[..whole.len() * 3 / 5].to_owned())
        }
        "empty" => (200, html, "\n".to_owned()),
        "json" => (200, "application/json", "{\"error\":{\"code\":500,\"message\":\"backend\"}}".to_owned()),
        "soft 404" => within("Page not found", "Sorry, the page you are looking for does not exist or has been moved."),
        "soft 500" => within("Something went wrong", "An unexpected error occurred. Please try again later."),
        "maintenance" => alone(
            "Example Town",
            "<h1>We'll be back soon</h1><p>Our site is undergoing scheduled maintenance. Thank you for your patience.</p>",
        ),
        "login" => alone(
            "Sign in",
            "<h1>Welcome</h1><form><input type=text name=user><input type=password name=p><button>Sign in</button></form><p>Forgot your password?</p>",
        ),
        "consent" => alone(
            "Example Town",
            "<h1>Before you continue</h1><p>We use cookies and data to deliver and maintain services. Accept all or reject all.</p><button>Accept all</button>",
        ),
        "bot" => alone(
            "Just a moment...",
            "<h1>Checking your browser before accessing example.com</h1><p>This process is automatic. Ray ID: 7ab3</p>",
        ),
        "scripts" => alone(
            &doc.title,
            "<div id=root></div><script src=/app.js></script><noscript>You need to enable JavaScript to run this app.</noscript>",
        ),
        "parked" => alone(
            "example.com",
            "<h1>example.com</h1><p>This domain is for sale! Buy this domain now.</p><ul><li>Related searches</li></ul>",
        ),
        "collapsed" => alone(&doc.title, &format!("<h1>{}</h1>", doc.heading)),
        "emptied" => {
            let doc = Doc {
                heading: String::new(),
                paragraphs: Vec::new(),
                facts: Vec::new(),
                items: Vec::new(),
                image: String::new(),
                button: (String::new(), true),
                ..doc.clone()
            };
            (200, html, doc.html(site))
        }
        "rate" => alone("Too many requests", "<p>You have sent too many requests. Slow down.</p>"),
        _ => alone(
            "Welcome to nginx!",
            "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working.</p>",
        ),
    }
}
