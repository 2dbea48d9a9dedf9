//! Names that are allowed and still deserve a question: a shell or a program would read them as something else.

/// A new file deeper than this is no place where people look for one.
const DEEPEST: usize = 32;

/// Why somebody should look at a new file of this name; `None` for the names that people give.
pub(super) fn reason(path: &str) -> Option<&'static str> {
    if path.split('/').count() > DEEPEST {
        return Some("the new file lies more than 32 folders deep");
    }
    path.split('/').find_map(of_part)
}

fn of_part(part: &str) -> Option<&'static str> {
    if part.starts_with('-') {
        return Some("programs read the new name as an option");
    }
    if part.starts_with('~') {
        return Some("shells read the new name as a home folder");
    }
    if has_variable(part) || part.contains('`') {
        return Some("shells read the new name as a variable or command");
    }
    if part.contains(['<', '>', '|', '"', '?', '*']) {
        return Some("the new name has a character that shells and other systems keep for themselves");
    }
    part.starts_with(' ').then_some("the new name begins with a space")
}

/// `$HOME`, `${x}`, `$(x)` and `%TEMP%`; not `$id`, which routers name files by, nor `Outer$Inner`.
fn has_variable(part: &str) -> bool {
    let shouted = |name: &str| !name.is_empty() && name.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    let word =
        |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(shouted) == Some(true);
    let percent = part.split('%').skip(1).step_by(2).any(shouted) && part.matches('%').count() > 1;
    part.contains("${") || part.contains("$(") || part.strip_prefix('$').is_some_and(word) || percent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn only_names_that_mean_something_else() {
        for path in [
            "-rf",
            "a/-x.txt",
            "--help/a",
            "~",
            "~/x",
            "~root/.bashrc",
            "$HOME/x",
            "a/$PATH",
            "${x}/a",
            "a$(id).txt",
            "`id`",
            "%TEMP%/x",
            "a<b",
            "a>b",
            "a|b",
            "a\"b",
            "a?b",
            "a*b",
            " a",
        ] {
            assert!(reason(path).is_some(), "{path}");
        }
        for path in [
            "a-b.txt",
            "app/routes/$id.tsx",
            "app/$lang.$page.tsx",
            "Outer$Inner.java",
            "100%.md",
            "50%-70%.txt",
            "a~",
            "a b.txt",
            "[id].tsx",
            "(group)/page.tsx",
            "@types/x.d.ts",
            "+page.svelte",
            "_x",
            ".env.example",
            "R&D.md",
            "it's.md",
            "#1.md",
        ] {
            assert_eq!(reason(path), None, "{path}");
        }
        assert!(reason(&"a/".repeat(31).chars().chain("b".chars()).collect::<String>()).is_none());
        assert!(reason(&"a/".repeat(32).chars().chain("b".chars()).collect::<String>()).is_some());
    }
}
