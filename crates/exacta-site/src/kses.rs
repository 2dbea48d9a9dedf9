//! What WordPress takes out of, or writes differently in, the content of a page.

use serde_json::Value;

/// The elements that a user without `unfiltered_html` may keep: WordPress's list for posts.
const KEPT: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "bdo",
    "big",
    "blockquote",
    "br",
    "button",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "main",
    "map",
    "mark",
    "menu",
    "nav",
    "object",
    "ol",
    "p",
    "pre",
    "q",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
];

/// What a user without `unfiltered_html` would take out of this content by saving the page, whatever field is changed: each once,
/// as it is written. Doubtful ones count: what is lost cannot be put back by that user.
#[must_use]
pub fn elements_lost(content: &str) -> Vec<String> {
    let mut lost = Vec::new();
    let mut add = |what: String| {
        if !lost.contains(&what) {
            lost.push(what);
        }
    };
    for (name, rest) in tags(content) {
        if !KEPT.contains(&name.as_str()) {
            add(format!("<{name}>"));
            continue;
        }
        for attribute in attributes(rest) {
            let (attribute, value) = attribute;
            let scheme: String = value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(11).collect();
            let scheme = scheme.to_ascii_lowercase();
            if attribute.starts_with("on") {
                add(format!("<{name} {attribute}>"));
            } else if ["javascript:", "vbscript:", "data:"].iter().any(|bad| scheme.starts_with(bad)) {
                add(format!("<{name} {attribute}=\"{}…\">", scheme.split(':').next().unwrap_or_default()));
            } else if name == "object"
                || matches!(attribute.as_str(), "srcset" | "sizes" | "formaction" | "srcdoc") && name != "img"
            {
                add(format!("<{name} {attribute}>"));
            }
        }
    }
    rewritten(content).into_iter().for_each(|what| add(what.to_owned()));
    lost
}

/// What is not taken out but written differently, for good: characters that stand for themselves, and some ways to write elements.
fn rewritten(content: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let (text, blocks) = outside_of_elements(content);
    if text.contains(['<', '>']) {
        found.push("a `<` or `>` that stands for itself");
    }
    if content.split('&').skip(1).any(|rest| !is_reference(rest)) {
        found.push("an `&` that stands for itself");
    }
    if content
        .match_indices("/>")
        .any(|(at, _)| content.get(..at).is_some_and(|before| !before.ends_with(char::is_whitespace)))
    {
        found.push("a `/>` without a blank before it");
    }
    if blocks {
        found.push("a `<`, `>` or `&` in the attributes of a block");
    }
    found
}

/// The text between elements and comments, and whether a block's attributes have characters that are escaped.
fn outside_of_elements(content: &str) -> (String, bool) {
    let (mut text, mut blocks, mut rest) = (String::new(), false, content);
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        let comment = tag.strip_prefix("<!--");
        let end = match comment {
            Some(inside) => inside.find("-->").map(|end| end + "<!--".len() + "-->".len()),
            None if tag.get(1..).is_some_and(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')) => {
                tag.find('>').map(|end| end + 1)
            }
            None => None,
        };
        let Some(end) = end else {
            text.push('<');
            rest = tag.get(1..).unwrap_or_default();
            continue;
        };
        let whole = tag.get(..end).unwrap_or_default();
        let inside = comment.and(whole.strip_prefix("<!--")).and_then(|inside| inside.strip_suffix("-->"));
        blocks |=
            inside.is_some_and(|inside| inside.trim_start().starts_with("wp:") && inside.contains(['<', '>', '&']));
        rest = tag.get(end..).unwrap_or_default();
    }
    text.push_str(rest);
    (text, blocks)
}

/// Whether what follows an `&` makes it a reference that WordPress leaves alone.
fn is_reference(rest: &str) -> bool {
    const NAMES: &[&str] = &[
        "amp", "lt", "gt", "quot", "nbsp", "copy", "reg", "trade", "hellip", "mdash", "ndash", "lsquo", "rsquo",
        "ldquo", "rdquo", "euro", "laquo", "raquo", "bull", "middot", "times", "shy", "auml", "ouml", "uuml", "Auml",
        "Ouml", "Uuml", "szlig", "eacute",
    ];
    let Some((name, _)) = rest.split_once(';') else { return false };
    match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix('x') {
            Some(digits) => (1..=6).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit()),
            None => (1..=7).contains(&number.len()) && number.chars().all(|c| c.is_ascii_digit()),
        },
        None => NAMES.contains(&name),
    }
}

/// Content with the attributes of its blocks in one form, whichever way they are written.
pub(crate) fn block_form(content: &str) -> String {
    const OPEN: &str = "<!-- wp:";
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find(OPEN) {
        let (before, block) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = block.find("-->") else {
            rest = block;
            break;
        };
        let (comment, after) = block.split_at(end);
        out.push_str(&comment_form(comment));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A block's comment with its attributes as plain JSON.
fn comment_form(comment: &str) -> String {
    let json = comment.find('{').zip(comment.rfind('}')).and_then(|(from, to)| {
        let value: Value = serde_json::from_str(comment.get(from..=to)?).ok()?;
        Some(format!("{}{value}{}", comment.get(..from)?, comment.get(to + 1..)?))
    });
    json.unwrap_or_else(|| comment.to_owned())
}

/// The elements that begin in a text, lower case, each with what follows its name up to its end.
fn tags(content: &str) -> impl Iterator<Item = (String, &str)> {
    content.split('<').skip(1).filter_map(|piece| {
        let length = piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != ':').unwrap_or(piece.len());
        let (name, rest) = piece.split_at(length);
        if name.is_empty() {
            // Processing instructions are taken out; comments and ends of elements are not.
            return piece.starts_with('?').then(|| ("?".to_owned(), ""));
        }
        let rest = rest.split_once('>').map_or(rest, |(inside, _)| inside);
        Some((name.to_ascii_lowercase(), rest))
    })
}

/// The attributes in the rest of an element: name in lower case, and value.
pub(crate) fn attributes(rest: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
    while !rest.is_empty() {
        let length = rest.find(|c: char| c.is_whitespace() || c == '=' || c == '/').unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('=').map(str::trim_start) {
            None => ("", after),
            Some(quoted) if quoted.starts_with(['"', '\'']) => {
                let quote = quoted.chars().next().unwrap_or('"');
                let inside = quoted.get(1..).unwrap_or_default();
                inside.split_once(quote).unwrap_or((inside, ""))
            }
            Some(plain) => plain.split_at(plain.find(char::is_whitespace).unwrap_or(plain.len())),
        };
        if name.is_empty() && after.len() == rest.len() {
            break;
        }
        found.push((name.to_ascii_lowercase(), value.to_owned()));
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost() {
        for (content, lost) in [
            ("<p class=\"x\">a</p><!-- wp:paragraph --><img src='a.png' alt=\"x\" />", &[][..]),
            ("<p>a</p><iframe src=\"https://x\"></iframe><IFRAME>", &["<iframe>"]),
            ("<script>1</script><style>a{}</style>", &["<script>", "<style>"]),
            ("<p onclick=\"x()\">", &["<p onclick>"]),
            ("<a href=\" java\nscript:x\">", &["<a href=\"javascript…\">"]),
            ("<a href=data:text/html,x>", &["<a href=\"data…\">"]),
            ("<?php echo 1; ?>", &["<?>", "a `<` or `>` that stands for itself"]),
            ("<svg><path/></svg>", &["<svg>", "<path>", "a `/>` without a blank before it"]),
            ("a < b and 1<2", &["<2>", "a `<` or `>` that stands for itself"]),
            ("a && b &amp; c", &["an `&` that stands for itself"]),
            ("<hr/><br />", &["a `/>` without a blank before it"]),
            ("<form><input type=text></form>", &["<form>", "<input>"]),
        ] {
            assert_eq!(elements_lost(content), lost, "{content}");
        }
    }

    #[test]
    fn blocks_are_the_same_however_they_are_written() {
        let plain = "<!-- wp:a/b {\"x\":\"<b>&\",\"n\":1} --><p>1</p><!-- /wp:a/b -->";
        let escaped = "<!-- wp:a/b {\"x\":\"\\u003cb\\u003e\\u0026\",\"n\":1} --><p>1</p><!-- /wp:a/b -->";
        assert_eq!(block_form(plain), block_form(escaped));
        assert_ne!(block_form(plain), block_form(&escaped.replace("\"n\":1", "\"n\":2")));
        assert_ne!(block_form(plain), block_form(&escaped.replace("<p>1", "<p>2")));
        let broken = "<!-- wp:a {\"x\": --> text <!-- wp:";
        assert_eq!(block_form(broken), broken);
    }
}
