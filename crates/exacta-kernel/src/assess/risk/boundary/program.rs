//! Whether a file called `build.rs` can be a build script. Cargo takes the one beside a `Cargo.toml` and runs its `main`; a
//! module of that name, somewhere in sources or tests, has none.
//!
//! Where a package begins is not in a plan, so the folder alone proves nothing: `src/rust/build.rs` may be a build script.

use crate::facts::FileContent;
use crate::prelude::*;
use crate::scan::change::FileChange;

/// Folders in which modules lie.
const MODULES: &[&str] = &["src", "tests", "benches", "examples"];

/// Whether a `build.rs` lies where modules do, and cannot be run, before the change or after it.
pub(super) fn is_module(change: &FileChange<'_>) -> bool {
    let mut parts = change.path.as_str().rsplit('/');
    let named = parts.next() == Some("build.rs");
    let runs = |content: Option<&FileContent>| content.is_some_and(|content| may_run(content.bytes()));
    named && parts.any(|folder| MODULES.contains(&folder)) && !runs(change.before) && !runs(change.after)
}

/// Whether Rust code may have a `main`: by that word, or by a macro or another file that may bring it. What cannot be read may.
fn may_run(text: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(text) else { return true };
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let script = start.starts_with("#!") && !start.starts_with("#![");
    script || start.starts_with("---") || brings_main(text).unwrap_or(true)
}

/// The same of its tokens; none for code that Rust cannot read either.
fn brings_main(text: &str) -> Option<bool> {
    let (mut rest, mut depth, mut last) = (text, 0_usize, "");
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (token, after) = rest.split_at(word.max(rest.chars().next().map_or(1, char::len_utf8)));
        rest = match token {
            "main" | "no_main" | "include" => return Some(true),
            "r" | "br" if after.trim_start_matches('#').starts_with('"') => skip_raw(after)?,
            // Whether this begins a raw string depends on the edition.
            "cr" if after.starts_with(['"', '#']) => return None,
            "\"" => skip_string(after)?,
            "'" => skip_char(after)?,
            "/" if after.starts_with('/') => after.split_once('\n').map_or("", |(_, rest)| rest),
            "/" if after.starts_with('*') => skip_comment(after)?,
            "!" if depth == 0 && is_word(last) && last != "macro_rules" && !after.starts_with('=') => {
                return Some(true);
            }
            _ => after,
        };
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if !token.trim_ascii().is_empty() && token != "/" {
            last = token;
        }
    }
    Some(false)
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// What follows a raw string, from the marks after its `r`.
fn skip_raw(after: &str) -> Option<&str> {
    let (marks, inside) = after.split_once('"')?;
    let at = memchr::memmem::find(inside.as_bytes(), format!("\"{marks}").as_bytes())?;
    inside.get(at + 1 + marks.len()..)
}

fn skip_string(inside: &str) -> Option<&str> {
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })?;
    inside.get(end + 1..)
}

/// What follows a character, or the mark of a lifetime.
fn skip_char(inside: &str) -> Option<&str> {
    let mut chars = inside.chars();
    match chars.next()? {
        '\\' => {
            chars.next()?;
            chars.as_str().split_once('\'').map(|(_, rest)| rest)
        }
        _ => Some(chars.as_str().strip_prefix('\'').unwrap_or(inside)),
    }
}

/// What follows a comment, from its first star; comments nest.
fn skip_comment(after: &str) -> Option<&str> {
    let mut rest = after.get(1..)?;
    let mut open = 1;
    while open > 0 {
        let at = memchr::memchr2_iter(b'/', b'*', rest.as_bytes())
            .find(|at| rest.get(*at..).is_some_and(|rest| rest.starts_with("/*") || rest.starts_with("*/")))?;
        let (opens, next) = (rest.get(at..)?.starts_with('/'), rest.get(at + 2..)?);
        open = if opens { open + 1 } else { open - 1 };
        rest = next;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_run() {
        for text in [
            "fn main() {}",
            "  pub(crate) fn r#main() {}",
            "#![no_main]\n#[unsafe(export_name = \"m\")] extern \"C\" fn m() {}",
            "include!(\"real.rs\");",
            "generate_entry!{}",
            "tool::entry !();",
            "use other::main;",
            "const A: &str = \"\\\\\"; fn main() {} // \"",
            "const A: char = '\"'; fn main() {} const B: char = '\"';",
            "const A: u8 = b'\\''; fn main() {} const B: u8 = b'\\'';",
            "fn a<'a>(x: &'a u8) {} fn main() {}",
            "/* /* */ \" */ fn main() {} // \"",
            "/*/ \" */ fn main() {} // \"",
            "const A: &str = r\"\\\"; fn main() {} // \"",
            "const A: &str = r#\"\"\"#; fn main() {} // \"",
            "const A: &CStr = cr\"\\\"; fn a() {} // \"",
            "// \"\nfn main() {} // \"",
            "#!/usr/bin/env x \"\nfn main() {}\n// \"",
            "\u{feff}#!/x \"\nfn main() {}\n// \"",
            "---\n\"\n---\nfn main() {}\n// \"",
            "fn a() { \"unclosed }",
            "fn a() {} }",
            "/* unclosed",
        ] {
            assert!(may_run(text.as_bytes()), "{text}");
        }
        assert!(may_run(b"fn a() { \"\xff\" }"));
    }

    #[test]
    fn what_is_only_a_module() {
        for text in [
            "",
            "#![allow(dead_code)]\n//! fn main() {}\nuse crate::main_file;\n",
            "#[cargo_test]\nfn builds() {\n    p.file(\"src/main.rs\", \"fn main() {}\");\n    assert!(a != b);\n}\n",
            "fn a() {\n    let x = r#\"\n        fn main() { \"x\" }\n    \"#;\n    let y = br\"main\";\n}\n",
            "/* fn main() {} /* main */ main */ fn a<'a>(x: &'a str) -> char { '\\'' }",
            "const A: bool = B != C;",
            "macro_rules! a { () => { b!() } }",
            "fn a() -> ! { panic!(\"main\") }",
        ] {
            assert!(!may_run(text.as_bytes()), "{text}");
        }
    }
}
