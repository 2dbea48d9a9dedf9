//! Names that are made to be taken for well-known ones.

use super::format::Ecosystem;
use crate::prelude::*;

/// Words that are put before or after a well-known name to make a new one.
const AFFIXES: &[&str] =
    &["python", "py", "js", "node", "npm", "rs", "rust", "lib", "official", "real", "fixed", "go", "ruby", "net"];
/// Shorter names are too near to one another to tell.
const SHORTEST: usize = 4;

/// The well-known name that this one resembles without being one.
pub(super) fn known(ecosystem: Ecosystem, name: &str) -> Option<String> {
    let plain = plain(name);
    // For PyPI, `ruamel-yaml` and `ruamel.yaml` are one name.
    let one =
        |known: &str| known.eq_ignore_ascii_case(name) || (ecosystem == Ecosystem::Pypi && self::plain(known) == plain);
    if names(ecosystem).any(one) {
        return None;
    }
    names(ecosystem)
        .filter(|known| known.len() >= SHORTEST)
        .find(|known| resembles(&plain, known))
        .map(ToOwned::to_owned)
}

/// The well-known names; each list says where it comes from.
fn names(ecosystem: Ecosystem) -> impl Iterator<Item = &'static str> {
    list(ecosystem).lines().filter(|line| !line.starts_with('#'))
}

const fn list(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Cargo => include_str!("known/cargo.txt"),
        Ecosystem::Npm => include_str!("known/npm.txt"),
        Ecosystem::Pypi => include_str!("known/pypi.txt"),
        Ecosystem::Go => include_str!("known/go.txt"),
        Ecosystem::Composer => include_str!("known/composer.txt"),
        Ecosystem::Gem => include_str!("known/gem.txt"),
        Ecosystem::Maven => include_str!("known/maven.txt"),
        Ecosystem::Nuget => include_str!("known/nuget.txt"),
        Ecosystem::Other => "",
    }
}

/// `name` is plain already.
fn resembles(name: &str, known: &str) -> bool {
    let known = plain(known);
    let near = known.len() >= 5 && one_apart(name, &known);
    name == known || near || look(name) == look(&known) || is_extended(name, &known) || is_swapped(name, &known)
}

/// Lower case, with every separator the same.
fn plain(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '_' | '.') { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// One letter more, less or other, or two neighbours exchanged. Digits at the end tell honest versions apart.
fn one_apart(name: &str, known: &str) -> bool {
    let (a, b) = (name.as_bytes(), known.as_bytes());
    if a.len().abs_diff(b.len()) > 1 || (differs_in_number(name, known)) {
        return false;
    }
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    match (a, b) {
        ([_, rest_a @ ..], [_, rest_b @ ..]) if a.len() == b.len() => {
            rest_a == rest_b
                || matches!((a, b), ([p, q, more_a @ ..], [r, s, more_b @ ..]) if p == s && q == r && more_a == more_b)
        }
        ([_, rest @ ..], shorter) if a.len() > b.len() => rest == shorter,
        (shorter, [_, rest @ ..]) => rest == shorter,
        _ => false,
    }
}

/// `sha1` and `sha2`, `psycopg2` and `psycopg3`, `h2` and `h3`.
fn differs_in_number(a: &str, b: &str) -> bool {
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    stem(a) == stem(b)
}

/// Letters that look alike made the same, separators dropped.
fn look(name: &str) -> String {
    let name = name.replace("rn", "m").replace("vv", "w").replace("cl", "d");
    let same = |c: char| match c {
        '0' => 'o',
        '1' | 'i' => 'l',
        '5' => 's',
        '3' => 'e',
        other => other,
    };
    name.chars().filter(|c| *c != '-').map(same).collect()
}

/// `python-requests`, `requests-js`, `expressjs`.
fn is_extended(name: &str, known: &str) -> bool {
    let rest = name.strip_prefix(known).or_else(|| name.strip_suffix(known));
    known.len() >= 5 && rest.is_some_and(|rest| rest.len() < name.len() && AFFIXES.contains(&rest.trim_matches('-')))
}

/// `fns-date` for `date-fns`.
fn is_swapped(name: &str, known: &str) -> bool {
    known.split_once('-').is_some_and(|(first, second)| name.split_once('-') == Some((second, first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookalikes() {
        for (ecosystem, name, resembled) in [
            (Ecosystem::Npm, "expres", "express"),
            (Ecosystem::Npm, "lodahs", "lodash"),
            (Ecosystem::Npm, "crossenv", "cross-env"),
            (Ecosystem::Npm, "fns-date", "date-fns"),
            (Ecosystem::Npm, "expressjs", "express"),
            (Ecosystem::Pypi, "reqeusts", "requests"),
            (Ecosystem::Pypi, "python-requests", "requests"),
            (Ecosystem::Pypi, "djang0", "django"),
            (Ecosystem::Pypi, "ruamel-yami", "ruamel.yaml"),
            (Ecosystem::Cargo, "serde-json", "serde_json"),
            (Ecosystem::Cargo, "rustdecimal", "rust_decimal"),
            (Ecosystem::Cargo, "tokioo", "tokio"),
            (Ecosystem::Go, "github.com/gorilla/muxx", "github.com/gorilla/mux"),
            (Ecosystem::Maven, "com.google.guava:guave", "com.google.guava:guava"),
        ] {
            assert_eq!(known(ecosystem, name).as_deref(), Some(resembled), "{name}");
        }
    }

    #[test]
    fn names_of_their_own() {
        for (ecosystem, name) in [
            (Ecosystem::Npm, "express"),
            (Ecosystem::Npm, "left-pad"),
            (Ecosystem::Npm, "react-markdown"),
            (Ecosystem::Npm, "@acme/express"),
            (Ecosystem::Pypi, "psycopg3"),
            (Ecosystem::Pypi, "ruamel-yaml"),
            (Ecosystem::Pypi, "authlib"),
            (Ecosystem::Pypi, "pandas-stubs"),
            (Ecosystem::Cargo, "sha3"),
            (Ecosystem::Cargo, "syntect"),
            (Ecosystem::Cargo, "serde_json"),
            (Ecosystem::Gem, "rubocop-minitest"),
        ] {
            assert_eq!(known(ecosystem, name), None, "{name}");
        }
    }
}
