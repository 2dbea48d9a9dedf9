//! Which styles hide text. Only what surely hides counts: what is shown too much is read, what is hidden too much is missed.

use std::collections::BTreeSet;

/// The most selectors that are kept.
const SELECTORS: usize = 1_000;

/// What the style sheets of a message hide: elements, classes and ids.
#[derive(Debug, Default)]
pub(super) struct Hiding {
    /// `div`, `.class`, `#id`.
    selectors: BTreeSet<String>,
}

impl Hiding {
    /// Reads the `<style>` elements of a message.
    pub(super) fn of(html: &str) -> Self {
        let lower = html.to_ascii_lowercase();
        let mut hiding = Self::default();
        let mut rest = lower.as_str();
        while let Some((_, after)) = rest.split_once("<style") {
            let Some((_, content)) = after.split_once('>') else { break };
            let (sheet, next) = content.split_once("</style").unwrap_or((content, ""));
            hiding.read(sheet);
            rest = next;
        }
        hiding
    }

    /// Whether an element with these attributes is hidden.
    pub(super) fn hides(&self, name: &str, attributes: &[(String, String)]) -> bool {
        if self.selectors.is_empty() {
            return false;
        }
        let value =
            |wanted: &str| attributes.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str());
        let class = value("class").to_ascii_lowercase();
        self.selectors.contains(name)
            || class.split_whitespace().take(32).any(|class| self.selectors.contains(&format!(".{class}")))
            || self.selectors.contains(&format!("#{}", value("id").to_ascii_lowercase()))
    }

    /// Rules of one level; what is within `@media` holds only sometimes, and is passed over.
    fn read(&mut self, sheet: &str) {
        let (mut depth, mut start, mut selector) = (0_usize, 0, "");
        for (at, byte) in sheet.bytes().enumerate() {
            match byte {
                b'{' => {
                    if depth == 0 {
                        selector = sheet.get(start..at).unwrap_or_default();
                    }
                    depth += 1;
                    start = at + 1;
                }
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0
                        && !selector.contains('@')
                        && declarations_hide(sheet.get(start..at).unwrap_or_default())
                    {
                        self.keep(selector);
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
    }

    fn keep(&mut self, selectors: &str) {
        for selector in selectors.split(',').map(str::trim) {
            let simple = |text: &str| {
                !text.is_empty()
                    && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
            };
            let name = selector.strip_prefix(['.', '#']).unwrap_or(selector);
            if simple(name) && self.selectors.len() < SELECTORS {
                self.selectors.insert(selector.to_owned());
            }
        }
    }
}

/// Whether the attributes of an element hide it.
pub(super) fn hides(attributes: &[(String, String)]) -> bool {
    attributes.iter().any(|(name, value)| match name.as_str() {
        "hidden" => true,
        "style" => declarations_hide(&value.to_ascii_lowercase()),
        _ => false,
    })
}

fn declarations_hide(declarations: &str) -> bool {
    let mut all: Vec<(String, String)> = Vec::new();
    for declaration in declarations.split(';').take(64) {
        if let Some((name, value)) = declaration.split_once(':') {
            let value = value.replace("!important", "");
            all.push((name.trim().to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    let value = |wanted: &str| all.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let is = |name: &str, hiding: &[&str]| value(name).is_some_and(|value| hiding.contains(&value));
    let nothing = |name: &str| value(name).is_some_and(|value| size(value).is_some_and(|size| size <= 0.0));
    let away = |name: &str| value(name).is_some_and(|value| size(value).is_some_and(|size| size <= -500.0));
    let cut = is("overflow", &["hidden"]);
    is("display", &["none"])
        || is("visibility", &["hidden", "collapse"])
        || is("mso-hide", &["all"])
        || nothing("opacity")
        || value("font-size").is_some_and(|value| {
            size(value).is_some_and(|size| size <= 2.0 && !value.ends_with("em") && !value.ends_with('%'))
                || nothing("font-size")
        })
        || (nothing("max-height") || nothing("max-width"))
        || (cut && (nothing("height") || nothing("width")))
        || ["text-indent", "left", "top", "margin-left"].into_iter().any(away)
        || value("color").is_some_and(|color| {
            color == "transparent" || value("background-color").or(value("background")) == Some(color)
        })
}

/// A number before its unit; units are taken for pixels, since only nothing and very far away count.
fn size(value: &str) -> Option<f32> {
    let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '-' | '.')).take(12).collect();
    digits.parse().ok()
}
