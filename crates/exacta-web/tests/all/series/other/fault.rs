//! What such sites send when they fail.

use super::super::Sent;
use super::noise::Format;

pub(super) const KINDS: [&str; 16] = [
    "500",
    "404",
    "429",
    "410",
    "cut",
    "empty",
    "database",
    "upstream",
    "denied",
    "captcha",
    "listing",
    "php",
    "login page",
    "json error",
    "moved away",
    "under construction",
];

type Site = (&'static str, Format, &'static str);

pub(super) fn sent(kind: usize, (_, format, own): Site, whole: &str) -> Sent {
    let html = "text/html; charset=utf-8";
    let page = |title: &str, body: &str| {
        (
            200,
            html.to_owned(),
            format!("<html><head><title>{title}</title></head><body>{body}</body></html>").into_bytes(),
        )
    };
    let status = |status: u16, body: &str| (status, html.to_owned(), body.as_bytes().to_vec());
    match KINDS[kind] {
        "500" => status(500, "<h1>Internal Server Error</h1>"),
        "404" => status(404, whole),
        "429" => status(429, "slow down"),
        "410" => status(410, "Gone"),
        // A plain text that ends too soon looks like one that ends: it is a database error instead.
        "cut" if format != Format::Text => {
            let end = (0..=whole.len() / 2).rev().find(|end| whole.is_char_boundary(*end)).unwrap_or(0);
            (200, own.to_owned(), whole.as_bytes()[..end].to_vec())
        }
        "empty" => (200, own.to_owned(), b" \r\n".to_vec()),
        "cut" | "database" => page("Database Error", "<h1>Error establishing a database connection</h1>"),
        "upstream" => (
            200,
            "text/plain".to_owned(),
            b"upstream connect error or disconnect/reset before headers. reset reason: connection failure".to_vec(),
        ),
        "denied" => {
            page("Access denied", "<h1>Error 1020</h1><p>Access denied. You do not have access to this site.</p>")
        }
        "captcha" => page("Verify", "<h1>Please verify you are a human</h1><div class=\"g-recaptcha\"></div>"),
        "listing" => page("Index of /", "<h1>Index of /</h1><hr><pre><a href=\"../\">../</a></pre><hr>"),
        "php" => page(
            "",
            "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to a member function on null in /var/www/index.php:14",
        ),
        "login page" => page(
            "Log in",
            "<form method=post><label>E-mail <input name=email></label><label>Password <input type=password name=pw></label><button>Log in</button></form>",
        ),
        "json error" => (
            200,
            "application/json".to_owned(),
            b"{\"status\":\"error\",\"message\":\"internal failure\",\"code\":500}".to_vec(),
        ),
        "moved away" => page("Moved", "<p>This site has moved. You will be redirected shortly.</p>"),
        _ => page("Welcome", "<h1>Under construction</h1><p>This site is coming soon.</p>"),
    }
}
