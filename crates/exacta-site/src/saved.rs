//! What WordPress makes of content when it is saved, whoever saves it.

use crate::kses::attributes;
use crate::manifest::Manifest;
use std::borrow::Cow;

/// What the references to characters 128 to 159 become: those of Windows-1252, or nothing.
const CHARACTERS: [u32; 32] = [
    8364, 0, 8218, 402, 8222, 8230, 8224, 8225, 710, 8240, 352, 8249, 338, 0, 381, 0, 0, 8216, 8217, 8220, 8221, 8226,
    8211, 8212, 732, 8482, 353, 8250, 339, 0, 382, 376,
];

/// The content as it is stored; borrowed where nothing changes.
pub(crate) fn saved<'c>(content: &'c str, manifest: &Manifest) -> Cow<'c, str> {
    let content = references(content);
    if !links_are_marked(manifest) {
        return content;
    }
    match marked(&content) {
        Some(marked) => Cow::Owned(marked),
        None => content,
    }
}

fn references(content: &str) -> Cow<'_, str> {
    let mut content = Cow::Borrowed(content);
    for (number, to) in (128..).zip(CHARACTERS) {
        let from = format!("&#{number};");
        if content.contains(&from) {
            let to = if to == 0 { String::new() } else { format!("&#{to};") };
            content = Cow::Owned(content.replace(&from, &to));
        }
    }
    content
}

/// Whether this version marks links that open elsewhere with `rel="noopener"`: those before 6.7 do.
fn links_are_marked(manifest: &Manifest) -> bool {
    let Some(version) = &manifest.version else { return false };
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < (6, 7)
}

fn marked(content: &str) -> Option<String> {
    let mut out = String::new();
    let mut pieces = content.split("<a ");
    out.push_str(pieces.next()?);
    let mut changed = false;
    for piece in pieces {
        let link = piece.split_once('>').and_then(|(inside, rest)| Some((marked_link(inside)?, rest)));
        changed |= link.is_some();
        match link {
            Some((link, rest)) => out.push_str(&format!("<a {link}>{rest}")),
            None => out.push_str(&format!("<a {piece}")),
        }
    }
    changed.then_some(out)
}

/// The attributes of a link that opens elsewhere, with its mark; `None` where nothing changes.
fn marked_link(inside: &str) -> Option<String> {
    let mut all = attributes(inside);
    if !all.iter().any(|(name, _)| name == "target") {
        return None;
    }
    match all.iter_mut().find(|(name, _)| name == "rel") {
        Some((_, value)) if value.split_whitespace().any(|word| word == "noopener") => {}
        Some((_, value)) => value.push_str(" noopener"),
        None => all.push(("rel".to_owned(), "noopener".to_owned())),
    }
    let all: Vec<String> = all.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    let all = all.join(" ");
    (all != inside).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_references() {
        assert_eq!(references("&#150; &#8211; &#129;x"), "&#8211; &#8211; x");
        assert_eq!(
            marked("a <a href=\"x\" target='_blank'>b</a>").unwrap(),
            "a <a href=\"x\" target=\"_blank\" rel=\"noopener\">b</a>"
        );
        assert_eq!(marked("<a href=\"x\">b</a> <abbr>"), None);
        assert_eq!(marked("<a target=\"_blank\" rel=\"noopener\">b</a>"), None);
    }
}
