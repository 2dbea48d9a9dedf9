//! Text → check: a table of phrasings, English and imperative. What is not in the table is not understood, and is then
//! shown to a person; so the table holds only what can be meant in one way.

use super::Check;
use super::pattern::Pattern;
use super::token::{Mark, Token, has_file_extension, tokens};
use crate::prelude::*;
use crate::proposal::{Constraint, ConstraintKind, Scope};

/// What a phrasing forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    LeaveAlone,
    Only,
    NoDeletions,
    NoNewDependencies,
    KeepApi,
    Avoid,
}

/// The phrasings. `a|b` is a choice, `x?` may be left out, capitals name a list of [`words`]; `PATHS` is one or more paths
/// (or `this file`, or nothing where the constraint's target says which), `CODE` one or more pieces of code in backticks,
/// `CHANGING` one or more verbs of which at least one means a change.
const PHRASES: &[(Meaning, &str)] = &[
    (Meaning::LeaveAlone, "leave|keep PATHS ALONE"),
    (Meaning::LeaveAlone, "PATHS STAY ALONE"),
    (Meaning::LeaveAlone, "NOT CHANGING PATHS"),
    (Meaning::LeaveAlone, "NOT make any? CHANGES IN PATHS"),
    (Meaning::LeaveAlone, "no CHANGES IN PATHS"),
    (Meaning::LeaveAlone, "PATHS MUSTNOT be? CHANGED"),
    (Meaning::LeaveAlone, "stay|keep out of PATHS"),
    (Meaning::LeaveAlone, "treat PATHS as read-only"),
    (Meaning::Only, "only PATHS"),
    (Meaning::Only, "only CHANGING PATHS"),
    (Meaning::Only, "CHANGING only PATHS"),
    (Meaning::Only, "CHANGING nothing OUTSIDE PATHS"),
    (Meaning::Only, "NOT CHANGING ANYTHING OUTSIDE PATHS"),
    (Meaning::Only, "no CHANGES OUTSIDE PATHS"),
    (Meaning::Only, "limit|restrict|confine ALL? CHANGES to PATHS"),
    (Meaning::Only, "CHANGES only IN PATHS"),
    (Meaning::Only, "only CHANGES IN PATHS"),
    (Meaning::Only, "ALL? CHANGES MAY be|stay IN PATHS"),
    (Meaning::Only, "only PATHS MAY be? CHANGED"),
    (Meaning::Only, "stay IN PATHS"),
    (Meaning::NoDeletions, "no file? deletions|deletion|deletes"),
    (Meaning::NoDeletions, "no deletions IN PATHS"),
    (Meaning::NoDeletions, "NOT DELETE any? existing? FILES"),
    (Meaning::NoDeletions, "NOT DELETE PATHS"),
    (Meaning::NoDeletions, "DELETE no existing? FILES"),
    (Meaning::NoDeletions, "no existing? FILES MAY be DELETED"),
    (Meaning::NoDeletions, "existing? FILES MUSTNOT be DELETED"),
    (Meaning::NoDeletions, "PATHS MUSTNOT be DELETED"),
    (Meaning::NoNewDependencies, "no NEW OUTER? DEPENDENCIES"),
    (Meaning::NoNewDependencies, "no NEW OUTER? DEPENDENCIES MAY be ADDED"),
    (Meaning::NoNewDependencies, "NOT ADD any|a? NEW? OUTER? DEPENDENCIES"),
    (Meaning::NoNewDependencies, "ADD no NEW? OUTER? DEPENDENCIES"),
    (Meaning::KeepApi, "KEEP the? existing? API ALONE?"),
    (Meaning::KeepApi, "KEEP the? existing? API stable|compatible"),
    (Meaning::KeepApi, "the? existing? API STAY ALONE"),
    (Meaning::KeepApi, "the? existing? API STAY stable"),
    (Meaning::KeepApi, "NOT BREAK the? existing? API"),
    (Meaning::KeepApi, "no CHANGES IN the? existing? API"),
    (Meaning::KeepApi, "NOT make any? CHANGES IN the? existing? API"),
    (Meaning::KeepApi, "no API CHANGES"),
    (Meaning::KeepApi, "the? existing? API MUSTNOT change|break"),
    (Meaning::KeepApi, "the? existing? API MUSTNOT be CHANGED"),
    (Meaning::KeepApi, "the? existing? API MUSTNOT be broken"),
    (Meaning::Avoid, "NOT USE the? CODE KINDS?"),
    (Meaning::Avoid, "use no CODE KINDS?"),
    (Meaning::Avoid, "no new? CODE KINDS?"),
    (Meaning::Avoid, "no new? use|uses|usage of CODE"),
    (Meaning::Avoid, "avoid using|calling? the? CODE KINDS?"),
    (Meaning::Avoid, "CODE MUSTNOT be used|called|imported|introduced"),
];

/// The lists that [`PHRASES`] name.
fn words(list: &str) -> Option<&'static [&'static str]> {
    Some(match list {
        "NOT" => &["do not", "don't", "not", "never", "must not", "may not", "should not", "shall not", "cannot"],
        "MUSTNOT" => &["must not", "may not", "should not", "shall not", "cannot", "must never"],
        "MAY" => &["may", "must", "should", "can", "shall"],
        "ALONE" => &["alone", "untouched", "unchanged", "unmodified", "intact", "as is", "as it is", "as they are"],
        "STAY" => &["stay", "stays", "remain", "remains", "must stay", "must remain", "should stay", "must be left"],
        "CHANGED" => &["changed", "modified", "touched", "edited", "altered", "updated", "change"],
        "CHANGES" => &["change", "changes", "edits", "modifications", "the changes"],
        "ALL" => &["all", "all the", "your", "the"],
        "IN" => &["in", "inside", "within", "under", "to"],
        "OUTSIDE" => &["outside", "outside of", "except", "except for", "other than", "but", "beyond", "besides"],
        "ANYTHING" => &["anything", "any file", "any files", "files", "any code", "code"],
        "DELETE" => &["delete", "remove"],
        "DELETED" => &["deleted", "removed"],
        "FILES" => &["file", "files"],
        "ADD" => &["add", "introduce", "install", "pull in", "bring in"],
        "ADDED" => &["added", "introduced", "installed"],
        "NEW" => &["new", "additional", "extra", "further", "more"],
        "OUTER" => &["external", "third-party", "third party", "runtime"],
        "DEPENDENCIES" => {
            &["dependencies", "dependency", "packages", "package", "crates", "crate", "libraries", "library"]
        }
        "KEEP" => &["keep", "preserve", "maintain", "retain"],
        "API" => &["public api", "public apis", "public interface", "public interfaces", "public signatures"],
        "BREAK" => &["break", "change", "modify", "alter", "touch"],
        "USE" => &["use", "call", "import", "introduce", "invoke", "add"],
        "KINDS" => &["function", "functions", "macro", "macros", "keyword", "blocks", "code", "calls", "statements"],
        _ => return None,
    })
}

/// Verbs that mean a change, and those that may stand beside them.
const CHANGING: &[&str] = &["change", "modify", "touch", "edit", "alter", "update", "rewrite"];
const BESIDE: &[&str] = &["delete", "remove", "add", "create", "rename", "move"];

/// Ways to point at the constraint's target, and words before a path that add nothing.
const POINTERS: &[&str] = &["this file", "these files", "this path", "these paths", "this folder", "it", "them"];
const BEFORE_PATHS: &[&str] = &[
    "the file",
    "the files",
    "the folder",
    "the folders",
    "the directory",
    "files in",
    "files under",
    "files inside",
    "any files in",
    "any file in",
    "anything in",
    "anything under",
    "anything inside",
    "code in",
    "the path",
    "the paths",
    "file",
    "files",
    "the",
];

/// Words before the phrase that add nothing.
const BEFORE: &[&str] =
    &["please", "the plan", "this plan", "the change", "this change", "steps", "you", "we", "the agent"];

/// The longest piece of code that is searched for, in bytes.
const MAX_CODE: usize = 128;

/// The check that a constraint's text means, if it can be told.
pub(super) fn compile(constraint: &Constraint) -> Option<Check> {
    let tokens = tokens(&constraint.description)?;
    let tokens = without_subject(&tokens);
    match constraint.kind {
        ConstraintKind::Must | ConstraintKind::Prefer => understood(tokens, constraint, |_| true),
        // `MUST_NOT delete files` and `MUST_NOT do not delete files` are both meant as a prohibition; anything else with
        // two negations is not understood.
        ConstraintKind::MustNot => understood(tokens, constraint, is_prohibition)
            .or_else(|| understood(&after(&["do", "not"], tokens), constraint, is_prohibition))
            .or_else(|| understood(&after(&["no"], tokens), constraint, is_prohibition)),
    }
}

fn is_prohibition(phrase: &str) -> bool {
    phrase.split(' ').any(|element| matches!(element, "NOT" | "MUSTNOT" | "no"))
}

fn after(prefix: &[&str], tokens: &[Token]) -> Vec<Token> {
    prefix.iter().map(|word| Token::Word((*word).to_owned())).chain(tokens.iter().cloned()).collect()
}

fn without_subject(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    while let Some(after) = BEFORE.iter().find_map(|words| strip_words(words, rest)) {
        rest = after;
    }
    let modal = ["must", "should", "shall"].iter().find_map(|word| strip_words(word, rest));
    match modal {
        Some(after) if ["not", "never"].iter().all(|word| strip_words(word, after).is_none()) => after,
        _ => rest,
    }
}

fn understood(tokens: &[Token], constraint: &Constraint, usable: impl Fn(&str) -> bool) -> Option<Check> {
    PHRASES.iter().filter(|(_, phrase)| usable(phrase)).find_map(|(meaning, phrase)| {
        let elements: Vec<&str> = phrase.split(' ').collect();
        let mut found =
            Found { has_target: constraint.target.is_some() && constraint.scope != Scope::Step, ..Found::default() };
        if matches(&elements, tokens, &mut found) { check(*meaning, found, constraint) } else { None }
    })
}

/// What a phrase caught.
#[derive(Debug, Clone, Default)]
struct Found {
    has_target: bool,
    paths: Vec<String>,
    code: Vec<String>,
}

fn matches(elements: &[&str], tokens: &[Token], found: &mut Found) -> bool {
    let Some((element, elements)) = elements.split_first() else { return tokens.is_empty() };
    let (element, optional) = element.strip_suffix('?').map_or((*element, false), |element| (element, true));
    let saved = found.clone();
    for rest in ways(element, tokens, found) {
        if matches(elements, rest, found) {
            return true;
        }
    }
    *found = saved;
    optional && matches(elements, tokens, found)
}

/// What is left of the tokens after each way to read the element.
fn ways<'t>(element: &str, tokens: &'t [Token], found: &mut Found) -> Vec<&'t [Token]> {
    match element {
        "PATHS" => paths(tokens, found),
        "CODE" => names(tokens, is_code).map_or_else(Vec::new, |(code, rest)| {
            found.code = code;
            vec![rest]
        }),
        "CHANGING" => verbs(tokens).into_iter().collect(),
        list => match words(list) {
            Some(choices) => choices.iter().filter_map(|words| strip_words(words, tokens)).collect(),
            None => list.split('|').filter_map(|word| strip_words(word, tokens)).collect(),
        },
    }
}

fn strip_words<'t>(words: &str, tokens: &'t [Token]) -> Option<&'t [Token]> {
    words.split(' ').try_fold(tokens, |tokens, word| match tokens.split_first() {
        Some((Token::Word(first), rest)) if first == word => Some(rest),
        _ => None,
    })
}

fn paths<'t>(tokens: &'t [Token], found: &mut Found) -> Vec<&'t [Token]> {
    let start = BEFORE_PATHS.iter().find_map(|words| strip_words(words, tokens)).unwrap_or(tokens);
    if let Some((paths, rest)) = names(start, |_, _| true) {
        found.paths = paths;
        return vec![rest];
    }
    if !found.has_target {
        return Vec::new();
    }
    POINTERS.iter().filter_map(|words| strip_words(words, tokens)).chain([tokens]).collect()
}

/// Names with `,`, `and`, `or` between them.
fn names(tokens: &[Token], fits: impl Fn(&str, Mark) -> bool) -> Option<(Vec<String>, &[Token])> {
    let (first, mut rest) = name(tokens, &fits)?;
    let mut names = vec![first];
    while let Some((next, after)) = joined(rest).and_then(|after| name(after, &fits)) {
        names.push(next);
        rest = after;
    }
    Some((names, rest))
}

fn name<'t>(tokens: &'t [Token], fits: &impl Fn(&str, Mark) -> bool) -> Option<(String, &'t [Token])> {
    match tokens.split_first()? {
        (Token::Name { text, mark }, rest) if fits(text, *mark) => Some((text.clone(), rest)),
        _ => None,
    }
}

fn joined(tokens: &[Token]) -> Option<&[Token]> {
    let comma = match tokens.split_first()? {
        (Token::Comma, rest) => Some(rest),
        _ => None,
    };
    let rest = comma.unwrap_or(tokens);
    ["and", "or", "nor", "&"].iter().find_map(|word| strip_words(word, rest)).or(comma)
}

fn verbs(tokens: &[Token]) -> Option<&[Token]> {
    let verb = |tokens| {
        let of = |list: &[&str]| list.iter().find_map(|word| strip_words(word, tokens));
        of(CHANGING).map(|rest| (true, rest)).or_else(|| of(BESIDE).map(|rest| (false, rest)))
    };
    let (mut changing, mut rest) = verb(tokens)?;
    while let Some((another, after)) = joined(rest).and_then(verb) {
        changing |= another;
        rest = after;
    }
    changing.then_some(rest)
}

/// Code is marked as such; a quotation counts only if no prose looks like it, so that "magic numbers" is not searched for.
/// The name of a file is not code: it could be the file that is meant.
fn is_code(text: &str, mark: Mark) -> bool {
    let elided = text.contains("...") || text.contains(['…', '*', '\n']) || text.len() > MAX_CODE;
    let a_file = has_file_extension(text) || text.ends_with('/');
    let unlike_prose = !text.contains(' ') && text.chars().any(|c| !c.is_alphabetic());
    !elided && !a_file && (mark == Mark::Backticks || (mark == Mark::Quotes && unlike_prose))
}

fn check(meaning: Meaning, found: Found, constraint: &Constraint) -> Option<Check> {
    let patterns = patterns(&found.paths, constraint);
    // A check of something else than paths covers the whole plan, or what the scope says; a stray target is a doubt.
    let covered = constraint.target.is_none() || constraint.scope != Scope::Global;
    match meaning {
        Meaning::LeaveAlone => patterns.filter(|it| !it.is_empty()).map(Check::LeaveAlone),
        Meaning::Only => patterns.filter(|it| !it.is_empty()).map(Check::Only),
        Meaning::NoDeletions if found.paths.is_empty() => covered.then(|| Check::NoDeletions(Vec::new())),
        Meaning::NoDeletions => patterns.map(Check::NoDeletions),
        Meaning::NoNewDependencies => covered.then_some(Check::NoNewDependencies),
        Meaning::KeepApi => covered.then_some(Check::KeepApi),
        Meaning::Avoid => covered.then_some(Check::Avoid(found.code)),
    }
}

/// The paths of the text, or the constraint's target. Where both are given and differ, it cannot be told what is meant.
fn patterns(written: &[String], constraint: &Constraint) -> Option<Vec<Pattern>> {
    let written: Vec<Pattern> = written.iter().map(|text| Pattern::parse(text)).collect::<Option<_>>()?;
    let target = match (constraint.scope, constraint.target.as_deref()) {
        (Scope::Step, _) | (_, None) => return Some(written),
        (Scope::Global | Scope::File, Some(target)) => Pattern::parse(target)?.known_path(),
    };
    (written.is_empty() || written == [target.clone()]).then(|| vec![target])
}

#[cfg(test)]
mod tests;
