//! Bounds tags before they are read: html5ever compares each attribute of a tag with all before it, so a tag with tens of thousands takes seconds.

use std::borrow::Cow;

/// The most attributes of a tag that are read.
const MAX_ATTRIBUTES: usize = 256;

/// Elements whose text is not markup.
const RAW: [&[u8]; 8] = [b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes"];

/// The page without what its tags have too many of; itself where they have not.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(start) = find(bytes, at, b"<") {
        let rest = bytes.get(start + 1..).unwrap_or_default();
        at = if rest.starts_with(b"!--") {
            find(bytes, start + 4, b"-->").map_or(bytes.len(), |end| end + 3)
        } else if rest.strip_prefix(b"/").unwrap_or(rest).first().is_some_and(u8::is_ascii_alphabetic) {
            let tag = tag(bytes, start + 1);
            cuts.extend(tag.cut.map(|cut| (cut, tag.end)));
            after_raw(bytes, start + 1, tag.end)
        } else {
            start + 1
        };
    }
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (cut, end) in cuts {
        out.push_str(text.get(from..cut).unwrap_or_default());
        from = end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let found = match what {
        [byte] => rest.iter().position(|other| other == byte),
        _ => rest.windows(what.len()).position(|window| window == what),
    };
    found.map(|found| from + found)
}

/// Where the text of an element ends that is not markup; the tag's end for any other.
fn after_raw(bytes: &[u8], name: usize, end: usize) -> usize {
    let given = bytes.get(name..).unwrap_or_default();
    let is = |raw: &[u8]| {
        let named = given.get(..raw.len()).is_some_and(|start| start.eq_ignore_ascii_case(raw));
        named && given.get(raw.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
    };
    let Some(raw) = RAW.iter().find(|raw| is(raw)) else { return end };
    let mut at = end;
    while let Some(close) = find(bytes, at, b"</") {
        if bytes.get(close + 2..close + 2 + raw.len()).is_some_and(|name| name.eq_ignore_ascii_case(raw)) {
            return close;
        }
        at = close + 2;
    }
    bytes.len()
}

/// A tag: where it ends (before its `>`), and from where it has too many attributes.
struct Tag {
    end: usize,
    cut: Option<usize>,
}

fn tag(bytes: &[u8], from: usize) -> Tag {
    let mut count = 0_usize;
    let mut cut = None;
    let mut within = true;
    let mut value = false;
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return Tag { end: at, cut },
            b'"' | b'\'' if value => at = find(bytes, at + 1, &[*byte]).unwrap_or(bytes.len()),
            b'=' if within || value => value = true,
            _ if byte.is_ascii_whitespace() => within = false,
            b'/' if !value => within = false,
            _ if value => {
                // A value without quotes goes on to the next white space.
                let rest = bytes.get(at..).unwrap_or_default();
                let length =
                    rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>').unwrap_or(rest.len());
                at += length.saturating_sub(1);
                (value, within) = (false, false);
            }
            _ if !within => {
                count += 1;
                within = true;
                if count > MAX_ATTRIBUTES && cut.is_none() {
                    cut = Some(at);
                }
            }
            _ => {}
        }
        if matches!(byte, b'"' | b'\'') && value {
            (value, within) = (false, false);
        }
        at += 1;
    }
    Tag { end: bytes.len(), cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_too_many_is_cut() {
        let many = |count: usize| (0..count).map(|index| format!(" a{index}=\"x > {index}\"")).collect::<String>();
        for fine in [
            "",
            "<p>x</p>",
            "a < b",
            "<p a=b c='d>' e>",
            "<!-- <p",
            "<script>a<b x='</script><p>",
            &format!("<p{}>x</p>", many(256)),
        ] {
            assert_eq!(bounded(fine), fine);
        }
        let cut = bounded(&format!("<p>y</p><p{}>x</p><b>", many(5_000))).into_owned();
        assert!(cut.starts_with("<p>y</p><p a0=") && cut.ends_with("a255=\"x > 255\" >x</p><b>"), "{cut}");
        assert!(bounded(&format!("<!--<a x=\"--><p{}>x", " a=b/c".repeat(9_000))).len() < 3_000);
        assert!(bounded(&format!("<title><a x='</title><p {}>x", "a/".repeat(9_000))).len() < 3_000);
    }
}
