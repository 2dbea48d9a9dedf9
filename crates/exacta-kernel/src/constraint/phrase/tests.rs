use super::*;

/// A compiled text in short: `leave a b`, `only a`, `no-delete`, `no-deps`, `api`, `avoid x`, or `-`.
fn meaning(kind: ConstraintKind, scope: Scope, target: Option<&str>, text: &str) -> String {
    let target = target.map(ToOwned::to_owned);
    let constraint = Constraint { id: "c".to_owned(), kind, scope, target, description: text.to_owned() };
    let listed = |word: &str, patterns: Vec<Pattern>| {
        let names: Vec<&str> = patterns.iter().map(Pattern::as_str).collect();
        format!("{word} {}", names.join(" ")).trim_end().to_owned()
    };
    match compile(&constraint) {
        None => "-".to_owned(),
        Some(Check::LeaveAlone(patterns)) => listed("leave", patterns),
        Some(Check::Only(patterns)) => listed("only", patterns),
        Some(Check::NoDeletions(patterns)) => listed("no-delete", patterns),
        Some(Check::NoNewDependencies) => "no-deps".to_owned(),
        Some(Check::KeepApi) => "api".to_owned(),
        Some(Check::Avoid(texts)) => format!("avoid {}", texts.join(" ")),
    }
}

#[test]
fn must() {
    for (text, expected) in [
        ("leave `src/db/` alone", "leave src/db"),
        ("Leave src/db/ untouched.", "leave src/db"),
        ("Please do not touch `src/a.rs` or `src/b.rs`.", "leave src/a.rs src/b.rs"),
        ("Don’t modify 'README.md', LICENSE.md/ and \"docs/\"", "leave README.md LICENSE.md docs"),
        ("Never edit files in `migrations/**`", "leave migrations/**"),
        ("The plan must not change or delete `a.txt`", "leave a.txt"),
        ("`config.toml` must not be modified", "leave config.toml"),
        ("`config.toml` must not change", "leave config.toml"),
        ("`src` stays untouched", "leave src"),
        ("no changes to `Cargo.lock`", "leave Cargo.lock"),
        ("do not make any changes in tests/*.rs", "leave tests/*.rs"),
        ("stay out of `vendor/`", "leave vendor"),
        ("keep `schema.sql` as is", "leave schema.sql"),
        ("only `src/a.rs`", "only src/a.rs"),
        ("Only change `src/` and `tests/`", "only src tests"),
        ("change only src/a.rs", "only src/a.rs"),
        ("modify nothing outside `src/`", "only src"),
        ("do not touch anything outside of `src/`", "only src"),
        ("do not modify files other than `a.md`", "only a.md"),
        ("No changes outside `src/`!", "only src"),
        ("limit changes to `src/**`", "only src/**"),
        ("all changes must stay within `src/`", "only src"),
        ("only `a.rs` may be changed", "only a.rs"),
        ("no deletions", "no-delete"),
        ("Do not delete any files.", "no-delete"),
        ("not delete files", "no-delete"),
        ("never delete `a.txt`", "no-delete a.txt"),
        ("no files may be deleted", "no-delete"),
        ("existing files must not be removed", "no-delete"),
        ("no new dependencies", "no-deps"),
        ("Do not add any new third-party dependencies", "no-deps"),
        ("don't add packages", "no-deps"),
        ("must not introduce a new dependency", "no-deps"),
        ("add no dependencies", "no-deps"),
        ("keep the public API", "api"),
        ("Preserve the existing public interface unchanged", "api"),
        ("do not break the public API", "api"),
        ("the public API must not change", "api"),
        ("the public api must remain stable", "api"),
        ("no public API changes", "api"),
        ("do not use `unsafe`", "avoid unsafe"),
        ("Do not use `unsafe` blocks", "avoid unsafe"),
        ("avoid `eval`, `exec` and 'os.system('", "avoid eval exec os.system("),
        ("avoid calling `println!`", "avoid println!"),
        ("no `unwrap()` calls", "avoid unwrap()"),
        ("`panic!` must not be used", "avoid panic!"),
        ("do not use `process.env` or `lodash/fp`", "avoid process.env lodash/fp"),
    ] {
        assert_eq!(meaning(ConstraintKind::Must, Scope::Global, None, text), expected, "{text}");
    }
}

#[test]
fn what_can_be_meant_otherwise_is_not_understood() {
    for text in [
        "",
        "handle errors",
        "use `serde`",
        "delete files",
        "do not delete anything",
        "do not remove `validate()` calls from the handler",
        "do not touch the database layer",
        "do not touch src or tests",
        "do not touch client/server",
        "do not modify Node.js",
        "do not use recursion",
        "do not use \"magic numbers\"",
        "do not use 'recursion'",
        "do not use `eval(...)`",
        "do not use `console.*`",
        "do not add `src/new.rs`",
        "do not use `config.json`",
        "do not introduce `vendor/`",
        "leave `../x` alone",
        "leave `/etc` alone",
        "leave `[a` alone",
        "no dependencies",
        "no breaking changes",
        "keep the API",
        "do not change `a.rs`. Do change `b.rs`",
        "do not change `a.rs` unless it is needed",
        "do not change `a.rs` except the imports",
        "do not only change `a.rs`",
        "leave this file alone",
        "do not modify",
        "do not create files in `src/`",
        "do not delete `a",
        "only touch what is needed",
        "never say never",
    ] {
        assert_eq!(meaning(ConstraintKind::Must, Scope::Global, None, text), "-", "{text}");
    }
    let long = format!("do not touch {}", "`a.rs`, ".repeat(1000));
    assert_eq!(meaning(ConstraintKind::Must, Scope::Global, None, &long), "-");
}

#[test]
fn must_not() {
    for (text, expected) in [
        ("delete files", "no-delete"),
        ("delete `a.txt`", "no-delete a.txt"),
        ("do not delete files", "no-delete"),
        ("deletions", "no-delete"),
        ("touch `src/db/`", "leave src/db"),
        ("modify or delete `a.txt`", "leave a.txt"),
        ("change anything outside `src/`", "only src"),
        ("add new dependencies", "no-deps"),
        ("new dependencies", "no-deps"),
        ("change the public API", "api"),
        ("use `unsafe`", "avoid unsafe"),
        ("`a.rs` must not be changed", "leave a.rs"),
        ("the plan must not delete files", "no-delete"),
        // Two negations, or none that fits.
        ("leave `a.rs` alone", "-"),
        ("keep the public API", "-"),
        ("only change `a.rs`", "-"),
        ("avoid `unsafe`", "-"),
        ("log passwords", "-"),
    ] {
        assert_eq!(meaning(ConstraintKind::MustNot, Scope::Global, None, text), expected, "{text}");
    }
}

#[test]
fn the_target_says_which_file() {
    for (scope, target, text, expected) in [
        (Scope::File, "src/a.rs", "do not modify", "leave src/a.rs"),
        (Scope::File, "src/a.rs", "leave this file alone", "leave src/a.rs"),
        (Scope::File, "src", "do not touch it", "leave src"),
        (Scope::File, "src/a.rs", "do not modify `src/a.rs`", "leave src/a.rs"),
        (Scope::File, "src/", "do not modify `src`", "leave src"),
        (Scope::File, "src/a.rs", "do not modify `src/b.rs`", "-"),
        (Scope::File, "src/**", "only these files", "only src/**"),
        (Scope::File, "src/a.rs", "no deletions", "no-delete"),
        (Scope::File, "src/a.rs", "do not delete this file", "no-delete"),
        (Scope::File, "src/a.rs", "keep the public API", "api"),
        (Scope::File, "src/a.rs", "do not use `unsafe`", "avoid unsafe"),
        (Scope::File, "/etc", "do not modify", "-"),
        (Scope::Global, "src/a.rs", "do not modify", "leave src/a.rs"),
        (Scope::Global, "src/a.rs", "no deletions", "-"),
        (Scope::Global, "src/a.rs", "do not use `unsafe`", "-"),
        (Scope::Step, "s1", "do not modify", "-"),
        (Scope::Step, "s1", "do not modify `a.rs`", "leave a.rs"),
        (Scope::Step, "s1", "no deletions", "no-delete"),
    ] {
        assert_eq!(meaning(ConstraintKind::Must, scope, Some(target), text), expected, "{scope:?} {target} {text}");
    }
}
