//! What the user's own words name: paths, symbols, limits. Read by rule, never by a model, because a person is not asked about files
//! that the user named.

use exacta_kernel::constraint;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::{Constraint, ConstraintKind, Scope};

/// The most characters of a name that is taken for one.
const LONGEST: usize = 200;

/// What a request names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Words that look like paths, as written, without a line number.
    pub paths: Vec<String>,
    /// Words that look like names in code.
    pub symbols: Vec<String>,
    /// Those of them that are not marked as code, so that they may be something else.
    pub prose: Vec<String>,
}

/// Finds them.
pub(super) fn named(text: &str) -> Named {
    let mut named = Named::default();
    for (word, marked) in words(text) {
        let path = without_line(word);
        if is_path(path, marked) {
            push(&mut named.paths, path);
        } else if is_symbol(word, marked) {
            push(&mut named.symbols, word.trim_end_matches("()"));
            if !marked {
                push(&mut named.prose, word.trim_end_matches("()"));
            }
        }
    }
    named
}

fn push(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|other| other == word) {
        list.push(word.to_owned());
    }
}

/// The words of a text without the punctuation around them, and whether each was marked as code.
fn words(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        // Between backticks: every second part, if they come in pairs.
        if at % 2 == 1 && !part.contains('\n') && part.len() <= LONGEST {
            found.push((part.trim(), true));
            continue;
        }
        let bare = part.split_whitespace().map(without_punctuation);
        found.extend(bare.filter(|word| !word.is_empty() && word.len() <= LONGEST).map(|word| (word, false)));
    }
    found
}

/// A word as it is meant: `(src/a.rs),` is `src/a.rs`, and `load()` keeps its parentheses.
fn without_punctuation(word: &str) -> &str {
    let after = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ']' | '>' | '"' | '\'' | '”' | '’');
    let before = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '(' | '[' | '<');
    let word = word.trim_start_matches(before).trim_end_matches(after);
    match word.strip_suffix(')') {
        Some(inner) if !inner.contains('(') => inner.trim_end_matches(after),
        _ => word,
    }
}

/// `src/a.rs:12` and `src/a.rs:12:3` are `src/a.rs`.
fn without_line(word: &str) -> &str {
    let strip = |word: &str| {
        word.rsplit_once(':')
            .filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            .map(|(path, _)| path.len())
    };
    let once = strip(word).and_then(|end| word.get(..end)).unwrap_or(word);
    strip(once).and_then(|end| once.get(..end)).unwrap_or(once)
}

/// A path beneath the project: it has a folder in it, or an ending that files have.
fn is_path(word: &str, marked: bool) -> bool {
    let word = word.strip_prefix("./").unwrap_or(word);
    let bare = word.strip_suffix('/').unwrap_or(word);
    if word.contains("://") || word.contains(char::is_whitespace) || RelPath::parse(bare).is_err() {
        return false;
    }
    let name = bare.rsplit('/').next().unwrap_or(bare);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let has_ending = ending.is_some_and(|it| {
        (1..=5).contains(&it.len())
            && it.chars().all(|c| c.is_ascii_alphanumeric())
            && it.starts_with(|c: char| c.is_ascii_lowercase())
    });
    let foldered = word.contains('/') && (marked || word.ends_with('/') || has_ending);
    let known = matches!(name, "Makefile" | "Dockerfile" | "LICENSE" | "README" | "CHANGELOG" | ".gitignore");
    // `obj.method` is a name in code; a file's ending is one of the usual ones.
    foldered || known || (has_ending && ending.is_some_and(usual_ending))
}

fn usual_ending(ending: &str) -> bool {
    const USUAL: &[&str] = &[
        "bash", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "go", "gradle", "h", "hpp", "html", "ini",
        "java", "js", "json", "jsx", "kt", "lock", "lua", "md", "mjs", "mod", "php", "proto", "ps1", "py", "rb", "rs",
        "rst", "scala", "scss", "sh", "sql", "svg", "swift", "tex", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml",
        "yml", "zsh",
    ];
    USUAL.contains(&ending)
}

/// A name in code: marked as such, or written as no word of a language is.
fn is_symbol(word: &str, marked: bool) -> bool {
    let called = word.strip_suffix("()").unwrap_or(word);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = called.split("::").flat_map(|part| part.split('.')).collect();
    if parts.is_empty() || !parts.iter().all(|part| is_name(part)) {
        return false;
    }
    let joined = called.trim_matches('_').contains('_');
    let humps =
        called.chars().skip(1).any(|c| c.is_ascii_uppercase()) && called.chars().any(|c| c.is_ascii_lowercase());
    marked || called != word || joined || humps || called.contains("::")
}

/// The limits that a request states, each as a constraint that is compiled. What cannot be compiled is the request itself.
pub(super) fn limits(text: &str) -> Vec<Constraint> {
    let mut found: Vec<Constraint> = Vec::new();
    for clause in clauses(text) {
        let description = positive(clause);
        let constraint = Constraint {
            id: format!("words-{}", found.len() + 1),
            kind: ConstraintKind::Must,
            scope: Scope::Global,
            target: None,
            description,
        };
        let is_new = !found.iter().any(|other| other.description == constraint.description);
        if is_new && constraint::is_understood(&constraint) {
            found.push(constraint);
        }
    }
    found
}

/// The parts of a request that could each be a limit: sentences, and what follows a joining word.
fn clauses(text: &str) -> Vec<&str> {
    const JOINS: [&str; 9] = [", but ", " but ", "; ", ", and ", " and ", ", ", " while ", " – ", " - "];
    let sentences = text.split(['\n', ';', '!', '?']).flat_map(|line| line.split(". "));
    let mut all = Vec::new();
    for sentence in sentences.map(str::trim).filter(|it| !it.is_empty()) {
        all.push(sentence);
        let first = JOINS.iter().filter_map(|join| sentence.find(join)).min();
        all.extend(first.and_then(|end| sentence.get(..end)));
        if let Some(at) = sentence.find("without ") {
            all.extend(sentence.get(at..));
        }
        for join in JOINS {
            for (at, _) in sentence.match_indices(join) {
                let rest = sentence.get(at + join.len()..).unwrap_or_default();
                all.push(rest);
                // Up to the next join, so that "and do not touch x, it is old" is understood.
                let end = JOINS.iter().filter_map(|join| rest.find(join)).min();
                all.extend(end.and_then(|end| rest.get(..end)));
            }
        }
    }
    all.into_iter().map(|clause| clause.trim().trim_end_matches(['.', ','])).collect()
}

/// `without touching x` as `do not touch x`.
fn positive(clause: &str) -> String {
    const DOING: [(&str, &str); 9] = [
        ("touching", "touch"),
        ("changing", "change"),
        ("modifying", "modify"),
        ("editing", "edit"),
        ("adding", "add"),
        ("deleting", "delete"),
        ("removing", "remove"),
        ("breaking", "break"),
        ("using", "use"),
    ];
    let Some(rest) = clause.strip_prefix("without ") else { return clause.to_owned() };
    for (doing, verb) in DOING {
        if let Some(rest) = rest.strip_prefix(doing) {
            return format!("do not {verb}{rest}");
        }
    }
    format!("no {rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names_are_told_from_words() {
        let cases: [(&str, &[&str], &[&str]); 9] = [
            ("fix the crash in src/config.py when it is empty", &["src/config.py"], &[]),
            ("`parse_config` in config.py:12 fails", &["config.py"], &["parse_config"]),
            ("add a --verbose flag. It prints more.", &[], &[]),
            ("rename loadUser() and UserStore.get", &[], &["loadUser", "UserStore.get"]),
            ("see https://example.com/a.py and and/or e.g. this", &[], &[]),
            ("the Makefile, `docs/` and Cargo.toml", &["Makefile", "docs/", "Cargo.toml"], &[]),
            ("../etc/passwd and /etc/passwd", &[], &[]),
            ("\"src/a.ts\" (src/b.ts:3:7), 'src/c.ts'!", &["src/a.ts", "src/b.ts", "src/c.ts"], &[]),
            ("std::fs::read is slow; node.js too", &["node.js"], &["std::fs::read"]),
        ];
        for (text, paths, symbols) in cases {
            let found = named(text);
            assert_eq!(
                (found.paths.as_slice(), found.symbols.as_slice()),
                (own(paths).as_slice(), own(symbols).as_slice()),
                "{text}"
            );
        }
    }

    fn own(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn limits_in_the_request_become_constraints() {
        let cases: [(&str, &[&str]); 7] = [
            ("fix the crash, but do not touch `billing/`", &["do not touch `billing/`"]),
            ("add a flag without adding new dependencies", &["do not add new dependencies"]),
            ("speed it up and keep the public API", &["keep the public API"]),
            ("Fix it. Only change src/a.py. Thanks", &["Only change src/a.py"]),
            ("add a test for the parser", &[]),
            ("do not touch `a/`, do not delete files and add a flag", &["do not touch `a/`", "do not delete files"]),
            ("without deleting any files, tidy up", &["do not delete any files"]),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = limits(text).into_iter().map(|it| it.description).collect();
            assert_eq!(found, own(expected), "{text}");
        }
    }
}
