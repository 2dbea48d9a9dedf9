//! Which parts of a page a rule means: a small part of CSS (tags, `#id`, `.class`, `[attribute]`, `[attribute=value]`, descendants, `>` children),
//! matched while the page is read, in the same time for each element however deep it lies.

use html5ever::tokenizer::Tag;
use std::fmt;

/// The most rules of each kind.
const MAX_RULES: usize = 32;
/// The most parts of one.
const MAX_PARTS: usize = 16;

/// A rule that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError(String);

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

/// What is chosen of a page, and what is ignored in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selectors {
    chosen: Vec<Selector>,
    ignored: Vec<Selector>,
}

/// How far an element has come in one selector: the parts that it matches itself, and those that it or one above it does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    own: u32,
    above: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Selector {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Part {
    /// It must be a child of what the part before it matches.
    child: bool,
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    attributes: Vec<(String, Option<String>)>,
}

impl Selectors {
    pub(crate) fn new(chosen: &[String], ignored: &[String]) -> Result<Self, SelectorError> {
        if chosen.len() > MAX_RULES || ignored.len() > MAX_RULES {
            return Err(SelectorError(format!("more than {MAX_RULES} rules")));
        }
        let parse = |texts: &[String]| texts.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>();
        Ok(Self { chosen: parse(chosen)?, ignored: parse(ignored)? })
    }

    pub(crate) fn len(&self) -> usize {
        self.chosen.len() + self.ignored.len()
    }

    /// Nothing is chosen, so all of the page is.
    pub(crate) fn chooses_all(&self) -> bool {
        self.chosen.is_empty()
    }

    /// How far an element comes, given how far the one around it came.
    pub(crate) fn step(&self, above: Option<&[Found]>, name: &str, tag: &Tag, found: &mut [bool]) -> Vec<Found> {
        let all = self.chosen.iter().chain(&self.ignored).enumerate();
        let steps = all.map(|(index, selector)| {
            let above = above.and_then(|above| above.get(index)).copied().unwrap_or_default();
            let own = selector.own(above, name, tag);
            if own & selector.last() != 0
                && let Some(found) = found.get_mut(index)
            {
                *found = true;
            }
            Found { own, above: above.above | own }
        });
        steps.collect()
    }

    pub(crate) fn is_chosen(&self, steps: &[Found]) -> bool {
        self.chosen.iter().zip(steps).any(|(selector, step)| step.own & selector.last() != 0)
    }

    pub(crate) fn is_ignored(&self, steps: &[Found]) -> bool {
        let steps = steps.get(self.chosen.len()..).unwrap_or_default();
        self.ignored.iter().zip(steps).any(|(selector, step)| step.own & selector.last() != 0)
    }
}

impl Selector {
    fn last(&self) -> u32 {
        1_u32.checked_shl(u32::try_from(self.parts.len()).unwrap_or(u32::MAX).saturating_sub(1)).unwrap_or(0)
    }

    fn own(&self, above: Found, name: &str, tag: &Tag) -> u32 {
        let mut own = 0;
        for (index, part) in self.parts.iter().enumerate() {
            let bit = 1_u32 << index.min(31);
            let before = if part.child { above.own } else { above.above };
            if (index == 0 || before & (bit >> 1) != 0) && part.matches(name, tag) {
                own |= bit;
            }
        }
        own
    }
}

impl Part {
    fn matches(&self, name: &str, tag: &Tag) -> bool {
        let value =
            |wanted: &str| tag.attrs.iter().find(|given| &*given.name.local == wanted).map(|given| &*given.value);
        self.tag.as_ref().is_none_or(|tag| tag == name)
            && self.id.as_ref().is_none_or(|id| value("id") == Some(id))
            && self.classes.iter().all(|class| {
                value("class").is_some_and(|given| given.split_ascii_whitespace().any(|given| given == class))
            })
            && self.attributes.iter().all(|(name, wanted)| match (value(name), wanted) {
                (Some(given), Some(wanted)) => given == wanted,
                (given, None) => given.is_some(),
                (None, Some(_)) => false,
            })
    }
}

fn parse(text: &str) -> Result<Selector, SelectorError> {
    let wrong =
        |why: &str| SelectorError(format!("`{}` is no selector: {why}", exacta_kernel::text::excerpt(text, 100)));
    let mut parts = Vec::new();
    let mut child = false;
    for word in text.replace('>', " > ").split_ascii_whitespace() {
        if word == ">" {
            if child || parts.is_empty() {
                return Err(wrong("`>` needs a part on both sides"));
            }
            child = true;
            continue;
        }
        parts.push(Part {
            child,
            ..part(word).ok_or_else(|| wrong("tags, `#id`, `.class`, `[attribute=value]`, spaces and `>` are known"))?
        });
        child = false;
    }
    if child || parts.is_empty() || parts.len() > MAX_PARTS {
        return Err(wrong("it has no parts, too many, or one is missing"));
    }
    Ok(Selector { parts })
}

fn part(word: &str) -> Option<Part> {
    let mut part = Part::default();
    let end = word.find(['#', '.', '[']).unwrap_or(word.len());
    let (tag, mut rest) = word.split_at(end);
    if !tag.is_empty() && tag != "*" {
        part.tag = Some(ident(tag)?.to_ascii_lowercase());
    }
    while let Some(kind) = rest.chars().next() {
        let body = rest.get(1..)?;
        if kind == '[' {
            let (inside, after) = body.split_once(']')?;
            let (name, value) = inside
                .split_once('=')
                .map_or((inside, None), |(name, value)| (name, Some(value.trim_matches(['"', '\'']).to_owned())));
            part.attributes.push((ident(name)?.to_ascii_lowercase(), value));
            rest = after;
            continue;
        }
        let end = body.find(['#', '.', '[']).unwrap_or(body.len());
        let (name, after) = body.split_at(end);
        match kind {
            '#' => part.id = Some(ident(name)?.to_owned()),
            '.' => part.classes.push(ident(name)?.to_owned()),
            _ => return None,
        }
        rest = after;
    }
    Some(part)
}

fn ident(name: &str) -> Option<&str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    (!name.is_empty() && name.len() <= 100 && name.chars().all(plain)).then_some(name)
}
