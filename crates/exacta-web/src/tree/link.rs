//! Where links and images lead, without what differs although they lead to the same.

/// Parameters that say who came from where, or keep a cache from answering.
const TRACKING: [&str; 27] = [
    "_",
    "_ga",
    "cachebust",
    "cb",
    "csrf",
    "dclid",
    "fbclid",
    "gclid",
    "hash",
    "mc_cid",
    "mc_eid",
    "msclkid",
    "nonce",
    "phpsessid",
    "r",
    "rand",
    "ref",
    "rnd",
    "s",
    "sess",
    "session",
    "sessionid",
    "sid",
    "t",
    "token",
    "ts",
    "v",
];

/// The normal form of what a link leads to; empty for one that leads nowhere else.
pub(crate) fn target(href: &str, host: &str) -> String {
    let href: String = href.trim().chars().filter(|c| !c.is_control()).take(2_048).collect();
    let lower = href.to_ascii_lowercase();
    if href.is_empty() || href.starts_with('#') || lower.starts_with("javascript:") || lower.starts_with("data:") {
        return String::new();
    }
    let rest = ["https://", "http://", "//"]
        .iter()
        .find_map(|scheme| lower.starts_with(scheme).then(|| href.get(scheme.len()..)).flatten());
    let rest = rest.map(|rest| without_host(rest, host)).unwrap_or(href.as_str());
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path: Vec<&str> = path
        .split('/')
        .map(|part| if is_random(part) { "*" } else { part.split(';').next().unwrap_or_default() })
        .collect();
    let path = path.join("/");
    let mut kept: Vec<&str> = query.split(['&', ';']).filter(|pair| !is_tracking(pair)).collect();
    kept.sort_unstable();
    let path = path.trim_end_matches('/').trim_start_matches("./");
    let path = if path.is_empty() { "/" } else { path };
    let whole = if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) };
    whole.split_whitespace().collect()
}

fn without_host<'u>(rest: &'u str, host: &str) -> &'u str {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let bare = |name: &str| name.trim_start_matches("www.").to_ascii_lowercase();
    if !host.is_empty() && bare(authority) == bare(host) { path } else { rest }
}

fn is_tracking(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let name = name.to_ascii_lowercase();
    pair.is_empty()
        || name.starts_with("utm_")
        || TRACKING.contains(&name.as_str())
        || is_random(value)
        || (value.len() >= 9 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// Whether a machine drew it: long, letters and figures mixed.
pub(crate) fn is_random(part: &str) -> bool {
    part.len() >= 16
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=' | b'%'))
        && part.bytes().any(|byte| byte.is_ascii_digit())
        && part.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The name of an image's file, without what a build puts into it.
pub(crate) fn image(src: &str) -> String {
    let path = src.split(['?', '#']).next().unwrap_or_default();
    if path.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        return String::new();
    }
    let file: String = path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .take(80)
        .collect();
    let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
    let parts: Vec<&str> = stem.split(['.', '-', '_', '@']).filter(|part| !is_build(part)).collect();
    parts.join("-")
}

/// Hexadecimal digits of a hash, or a size.
fn is_build(part: &str) -> bool {
    let hex = part.len() >= 6
        && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        && part.bytes().any(|byte| byte.is_ascii_digit());
    let size = part.split('x').all(|side| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit()))
        && part.contains('x');
    hex || size || is_random(part) || matches!(part, "2x" | "3x" | "min")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links() {
        for (href, expected) in [
            ("/a/b?utm_source=x&v=3", "/a/b"),
            ("https://www.example.com/a/", "/a"),
            ("http://example.com/a?id=7#top", "/a?id=7"),
            ("https://other.org/a", "other.org/a"),
            ("#top", ""),
            ("javascript:void(0)", ""),
            ("/a;jsessionid=1234", "/a"),
            ("/a?sid=9f8e7d6c5b4a39281706&page=2", "/a?page=2"),
            ("/a?ts=1699999999", "/a"),
            ("mailto:a@b.org", "mailto:a@b.org"),
            ("/a?b=2&a=1", "/a?a=1&b=2"),
        ] {
            assert_eq!(target(href, "example.com"), expected, "{href}");
        }
        for (src, expected) in [
            ("/img/logo.3f2a9c1d.png?x=1", "logo"),
            ("https://cdn1.example.com/photo-2.jpg", "photo-2"),
            ("photo-300x200.jpg", "photo"),
            ("data:image/png;base64,xxxx", ""),
        ] {
            assert_eq!(image(src), expected, "{src}");
        }
    }
}
