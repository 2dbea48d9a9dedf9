//! What helps is data (`exacta_kernel::hint`): no crate beneath the surfaces says which command does it.

use crate::sources::{crates, sources};

/// Crates that word hints or write what other programs start, and `exacta-testkit`, which is for tests alone.
const WORDING: [&str; 6] =
    ["exacta-cli", "exacta-connect", "exacta-host", "exacta-serve", "exacta-testkit", "exacta-view"];

/// What can come after `exacta` at the beginning of a literal and is no command: the format of a cache.
const OTHERS: [&str; 1] = ["context"];

#[test]
fn no_command_is_named_beneath_the_surfaces() {
    let checked: Vec<String> = crates().into_iter().filter(|name| !WORDING.contains(&name.as_str())).collect();
    assert!(checked.len() > 10, "{checked:?}");
    let mut found = Vec::new();
    for name in checked {
        for source in sources(&name) {
            let commands = source.code.lines().filter(|line| names_command(line));
            found.extend(commands.map(|line| format!("{name}/src/{}: {}", source.name, line.trim())));
        }
    }
    assert!(
        found.is_empty(),
        "say it as a `Remedy` (`exacta-kernel/src/hint.rs`), which each surface words:\n{}",
        found.join("\n")
    );
}

#[test]
fn a_command_is_found() {
    assert!(names_command(r#".hint("run `exacta audit verify`")"#));
    assert!(names_command(r#"format!("exacta show {id}")"#));
    assert!(names_command(r#""on this machine:  exacta provider add""#));
    assert!(!names_command(r#""its tables are not those that exacta made""#));
    assert!(!names_command("use exacta_kernel::hint;"));
}

/// Whether a line names the program as one types it: in backticks, at the beginning of a literal or after a colon, with what is typed after it.
fn names_command(line: &str) -> bool {
    line.match_indices("exacta ").any(|(at, name)| {
        let (before, after) = (line[..at].trim_end_matches(' '), &line[at + name.len()..]);
        let word = after.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        before.ends_with(['`', '"', ':'])
            && after.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '{' || letter == '-')
            && !OTHERS.contains(&word)
    })
}
