//! Rules as they stand in a file, and their examples, which are checked when the file is read.

use super::builtin::is_reserved;
use super::{Operation, Rule, RuleAction, RuleSet, Subject, When};
use crate::level::Level;
use crate::path::RelPath;
use crate::policy::error::PolicyError;
use crate::policy::file::{MAX_ENTRIES, Source, Words, listed};
use crate::prelude::*;
use crate::profile::Profile;
use crate::proposal::{Domain, IntentKind};
use core::fmt;
use serde::Deserialize;
use serde::de::{SeqAccess, Visitor, value::SeqAccessDeserializer};
use toml::Spanned;

/// A rule as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::policy) struct RuleFile {
    id: Spanned<String>,
    when: WhenFile,
    action: Spanned<String>,
    reason: Spanned<String>,
    #[serde(default)]
    examples: ExamplesFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhenFile {
    operation: Option<Spanned<OneOrMore>>,
    risk: Option<Spanned<OneOrMore>>,
    path: Option<Spanned<OneOrMore>>,
    domain: Option<Spanned<OneOrMore>>,
    intent: Option<Spanned<OneOrMore>>,
    profile: Option<Spanned<OneOrMore>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ExamplesFile {
    r#match: Vec<Spanned<ExampleFile>>,
    no_match: Vec<Spanned<ExampleFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleFile {
    operation: Option<Spanned<String>>,
    risk: Option<Spanned<String>>,
    path: Option<Spanned<String>>,
    domain: Option<Spanned<String>>,
    intent: Option<Spanned<String>>,
    profile: Option<Spanned<String>>,
}

/// Reads the rules of one file.
pub(in crate::policy) fn rules(
    source: Source<'_>,
    file: Vec<RuleFile>,
    set: RuleSet,
) -> Result<Vec<Rule>, PolicyError> {
    let mut seen = BTreeSet::new();
    let mut rules = Vec::new();
    for entry in file {
        let span = entry.id.span();
        let rule = rule(source, entry, set)?;
        if is_reserved(&rule.id) {
            let message = format!("rule id `{}` is the name of a built-in rule", rule.id);
            return source.error(span, &message, "choose another id");
        }
        if !seen.insert(rule.id.clone()) {
            let message = format!("rule `{}` is there twice", rule.id);
            return source.error(span, &message, "give each its own id");
        }
        if rules.len() == MAX_ENTRIES {
            return source.error(span, &format!("more than {MAX_ENTRIES} rules"), "join some of them");
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn rule(source: Source<'_>, file: RuleFile, set: RuleSet) -> Result<Rule, PolicyError> {
    let id = source.name(&file.id, "rule")?;
    let action = match file.action.get_ref().as_str() {
        "confirm" => RuleAction::Confirm,
        "deny" => RuleAction::Deny,
        other => {
            let message = format!("unknown action `{other}`, expected one of `confirm`, `deny`");
            return source.error(file.action.span(), &message, "rules only tighten: there is no way to allow");
        }
    };
    let when = when(source, file.when)?;
    let reason = source.text(file.reason, "reason")?;
    examples(source, &id, &when, file.examples)?;
    Ok(Rule { id, set, when, action, reason, line: source.line(&file.id.span()) })
}

fn when(source: Source<'_>, file: WhenFile) -> Result<When, PolicyError> {
    let path = match file.path {
        Some(list) => source.globs(entries(source, list)?)?,
        None => super::Globs::default(),
    };
    Ok(When {
        operation: words(source, file.operation, operation)?,
        risk: words(source, file.risk, level)?,
        path,
        domain: words(source, file.domain, domain)?,
        intent: words(source, file.intent, intent)?,
        profile: words(source, file.profile, profile)?,
    })
}

/// Every example must come out as it says, or the rule does not mean what its author thinks.
fn examples(source: Source<'_>, id: &str, when: &When, file: ExamplesFile) -> Result<(), PolicyError> {
    let matching = file.r#match.into_iter().map(|example| (example, true));
    for (example, expected) in matching.chain(file.no_match.into_iter().map(|example| (example, false))) {
        let span = example.span();
        if when.covers(&subject(source, example.into_inner())?) != expected {
            let how =
                if expected { "does not match an example of `match`" } else { "matches an example of `no_match`" };
            let message = format!("rule `{id}` {how}");
            return source.error(span, &message, "correct the rule's `when` or the example");
        }
    }
    Ok(())
}

fn subject(source: Source<'_>, file: ExampleFile) -> Result<Subject, PolicyError> {
    let path = file.path.map(|path| match RelPath::parse(path.get_ref()) {
        Ok(parsed) => Ok(parsed),
        Err(error) => source.error(path.span(), &error.to_string(), "write it relative to the project root"),
    });
    Ok(Subject {
        operations: one(source, file.operation, operation)?.into_iter().collect(),
        path: path.transpose()?,
        risk: one(source, file.risk, level)?,
        domain: one(source, file.domain, domain)?,
        intent: one(source, file.intent, intent)?,
        profile: one(source, file.profile, profile)?,
    })
}

/// What a word can be read as: the value, or what was expected.
type Read<T> = fn(&str) -> Result<T, String>;

fn words<T: Ord>(
    source: Source<'_>,
    list: Option<Spanned<OneOrMore>>,
    read: Read<T>,
) -> Result<BTreeSet<T>, PolicyError> {
    let Some(list) = list else { return Ok(BTreeSet::new()) };
    entries(source, list)?.into_iter().map(|word| checked(source, &word, read)).collect()
}

fn one<T>(source: Source<'_>, word: Option<Spanned<String>>, read: Read<T>) -> Result<Option<T>, PolicyError> {
    word.map(|word| checked(source, &word, read)).transpose()
}

fn checked<T>(source: Source<'_>, word: &Spanned<String>, read: Read<T>) -> Result<T, PolicyError> {
    read(word.get_ref()).or_else(|expected| {
        let shown: String = word.get_ref().chars().take(64).collect();
        source.error(word.span(), &format!("`{shown}` is not {expected}"), source.hint)
    })
}

/// The words of a condition. One that can never hold is a mistake.
fn entries(source: Source<'_>, list: Spanned<OneOrMore>) -> Result<Words, PolicyError> {
    let span = list.span();
    match list.into_inner() {
        OneOrMore::One(word) => Ok(vec![Spanned::new(span, word)]),
        OneOrMore::More(words) if words.is_empty() => {
            source.error(span, "an empty list never matches", "leave the key out to match everything")
        }
        OneOrMore::More(words) => Ok(words),
    }
}

fn operation(word: &str) -> Result<Operation, String> {
    Operation::parse(word).ok_or_else(|| format!("an operation, expected one of {}", listed(&Operation::names())))
}

fn level(word: &str) -> Result<Level, String> {
    match word {
        "low" => Ok(Level::Low),
        "medium" => Ok(Level::Medium),
        "high" => Ok(Level::High),
        _ => Err("a risk level, expected one of `low`, `medium`, `high`".to_owned()),
    }
}

fn domain(word: &str) -> Result<Domain, String> {
    match word {
        "files" => Ok(Domain::Files),
        "autopilot" => Ok(Domain::Autopilot),
        "site" => Ok(Domain::Site),
        _ => Err("a domain, expected one of `files`, `autopilot`, `site`".to_owned()),
    }
}

fn intent(word: &str) -> Result<String, String> {
    let names: Vec<&str> = IntentKind::CLOSED.iter().map(|(name, _)| *name).collect();
    let known = IntentKind::parse(word).map(|kind| kind.name().to_owned());
    known.ok_or_else(|| format!("an intent, expected a skill or one of {}", listed(&names)))
}

fn profile(word: &str) -> Result<Profile, String> {
    let known = Profile::ALL.into_iter().find(|profile| profile.name() == word);
    known.ok_or_else(|| format!("a profile, expected one of {}", listed(&Profile::ALL.map(Profile::name))))
}

/// One word, or a list of words.
enum OneOrMore {
    One(String),
    More(Words),
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = OneOrMore;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<OneOrMore, A::Error> {
                Words::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMore::More)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
