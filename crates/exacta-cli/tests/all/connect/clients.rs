//! The real programs, from npm, pinned.

use exacta_connect::Client;
use exacta_testkit::npm;
use std::fs;
use std::path::{Path, PathBuf};

/// The package of a program, and where the program is in it.
const fn package(client: Client) -> (&'static str, &'static str) {
    match client {
        Client::Codex => {
            ("@openai/codex@0.166.0", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")
        }
        Client::Claude => ("@anthropic-ai/claude-code@2.1.325", ".bin/claude"),
        Client::Gemini => ("@google/gemini-cli@0.61.0", ".bin/gemini"),
        Client::Opencode => ("opencode-ai@1.18.33", ".bin/opencode"),
        Client::Copilot => ("@github/copilot@1.0.102", ".bin/copilot"),
        Client::Cline => ("cline@3.0.65", ".bin/cline"),
    }
}

/// A folder in which a program is under its own name; nothing where it cannot be had, which is said.
#[track_caller]
pub fn installed(client: Client, place: &Path) -> Option<PathBuf> {
    let (package, program) = package(client);
    let modules = npm(Path::new(env!("CARGO_TARGET_TMPDIR")), &[package])?;
    let folder = place.join("programs");
    fs::create_dir_all(&folder).unwrap();
    let link = folder.join(client.name());
    if !link.exists() {
        std::os::unix::fs::symlink(modules.join(program), link).unwrap();
    }
    Some(folder)
}
