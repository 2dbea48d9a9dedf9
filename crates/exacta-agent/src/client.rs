//! The agents' programs that people use: what each needs of the user's configuration, and whom it speaks to.

use crate::beneath;
use crate::copy::subtree;
use crate::difference::compare;
use crate::error::AgentError;
use crate::tree::{Name, Tree};
use crate::walk::{Kept, tree};
use rustix::fd::AsFd as _;
use rustix::fs::FileType;
use std::path::Path;

/// The most files of a client's configuration that are copied.
const MOST_FILES: usize = 5_000;

/// The largest of them, in bytes.
const LARGEST: i64 = 16 << 20;

/// A client.
#[derive(Debug)]
pub struct Client {
    /// What its program is called.
    pub program: &'static str,
    /// Its configuration, beneath the home folder: what it starts with, and no history of other projects.
    pub configuration: &'static [&'static str],
    /// Variables that it reads; with `*` at the end, all that begin so.
    pub variables: &'static [&'static str],
    /// Hosts of its provider; with `*.` in front, all beneath.
    pub hosts: &'static [&'static str],
}

/// All that are known.
pub const CLIENTS: [Client; 7] = [
    Client {
        program: "claude",
        configuration: &[
            ".claude.json",
            ".claude/.credentials.json",
            ".claude/CLAUDE.md",
            ".claude/agents",
            ".claude/commands",
            ".claude/settings.json",
            ".claude/skills",
        ],
        variables: &["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*", "IS_SANDBOX"],
        hosts: &["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
    },
    Client {
        program: "codex",
        configuration: &[
            ".codex/AGENTS.md",
            ".codex/auth.json",
            ".codex/config.toml",
            ".codex/prompts",
            ".codex/rules",
            ".codex/skills",
        ],
        variables: &["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*"],
        hosts: &["api.openai.com", "auth.openai.com", "chatgpt.com"],
    },
    Client {
        program: "gemini",
        configuration: &[
            ".gemini/GEMINI.md",
            ".gemini/commands",
            ".gemini/google_accounts.json",
            ".gemini/oauth_creds.json",
            ".gemini/policies",
            ".gemini/settings.json",
        ],
        variables: &["GEMINI_*", "GOOGLE_GEMINI_*", "GOOGLE_API_KEY"],
        hosts: &["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
    },
    Client {
        program: "opencode",
        configuration: &[".config/opencode", ".local/share/opencode/auth.json"],
        variables: &["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*"],
        hosts: &[
            "api.anthropic.com",
            "api.openai.com",
            "generativelanguage.googleapis.com",
            "opencode.ai",
            "models.dev",
        ],
    },
    Client {
        program: "copilot",
        configuration: &[".copilot/config.json", ".copilot/mcp-config.json", ".copilot/settings.json"],
        variables: &["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
        hosts: &["api.github.com", "github.com", "*.githubcopilot.com"],
    },
    Client {
        program: "cline",
        configuration: &[".cline/data/settings"],
        variables: &["CLINE_*", "ANTHROPIC_*", "OPENAI_*"],
        hosts: &["api.cline.bot", "api.anthropic.com", "api.openai.com"],
    },
    Client {
        program: "aider",
        configuration: &[".aider.conf.yml", ".aider.model.settings.yml"],
        variables: &["AIDER_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*"],
        hosts: &["api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"],
    },
];

/// Variables whose value is the address of a provider: the user's word that it is spoken to.
const ADDRESSES: [&str; 7] = [
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "GOOGLE_GEMINI_BASE_URL",
    "COPILOT_PROVIDER_BASE_URL",
    "AIDER_OPENAI_API_BASE",
    "OLLAMA_HOST",
];

/// The client that a program is, by its name.
#[must_use]
pub fn of(program: &Path) -> Option<&'static Client> {
    let name = program.file_name()?;
    CLIENTS.iter().find(|client| name == client.program)
}

impl Client {
    /// Those of the user's variables that it reads.
    pub fn takes(&self, name: &str) -> bool {
        let fits = |known: &&str| known.strip_suffix('*').map_or(*known == name, |start| name.starts_with(start));
        self.variables.iter().any(fits) || ADDRESSES.contains(&name)
    }
}

/// The provider's address, if a variable of this name is for that.
#[must_use]
pub fn address(name: &str, value: &str) -> Option<String> {
    ADDRESSES.contains(&name).then(|| if value.contains("://") { value.to_owned() } else { format!("http://{value}") })
}

/// Copies a client's configuration into a new home folder, and gives what is there then. No link is followed, and none is copied.
///
/// # Errors
/// If the new folder cannot be written.
pub fn furnish(client: Option<&Client>, home: &Path, into: &Path) -> Result<Tree, AgentError> {
    let new = beneath::hold(into)?;
    if let (Some(client), Ok(old)) = (client, beneath::hold(home)) {
        let mut count = 0;
        let mut wanted = |facts: &rustix::fs::Stat| {
            count += 1;
            let is_link = FileType::from_raw_mode(facts.st_mode) == FileType::Symlink;
            count <= MOST_FILES && facts.st_size <= LARGEST && !is_link
        };
        for path in client.configuration {
            subtree(old.as_fd(), new.as_fd(), &Name::from(path.as_bytes()), &mut wanted)?;
        }
    }
    tree(new.as_fd(), &Kept::all())
}

/// What an agent left in its home folder that was not there, by name; caches and the like are not told.
///
/// # Errors
/// If the folder cannot be read.
pub fn left(before: &Tree, home: &Path) -> Result<Vec<String>, AgentError> {
    let now = tree(beneath::hold(home)?.as_fd(), &Kept::all())?;
    let difference = compare(before, &now);
    let told = |path: &String| !path.starts_with(".cache/") && !path.starts_with(".npm/");
    let files = difference.changed.iter().map(|changed| changed.path.to_string());
    let rest = difference.rest.into_iter().filter(|rest| rest.why != crate::difference::Why::EmptyFolder);
    Ok(files.chain(rest.map(|rest| rest.path)).filter(told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_takes_its_own_variables() {
        let claude = of(Path::new("/opt/bin/claude")).unwrap();
        for (name, takes) in [
            ("ANTHROPIC_API_KEY", true),
            ("IS_SANDBOX", true),
            ("OPENAI_BASE_URL", true),
            ("AWS_SECRET_ACCESS_KEY", false),
            ("SSH_AUTH_SOCK", false),
        ] {
            assert_eq!(claude.takes(name), takes, "{name}");
        }
        assert!(of(Path::new("make")).is_none());
        assert_eq!(address("OLLAMA_HOST", "127.0.0.1:11434").as_deref(), Some("http://127.0.0.1:11434"));
    }

    #[test]
    fn configuration_comes_along_without_histories_and_links() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        for (path, text) in [
            (".claude/settings.json", "{}"),
            (".claude/agents/a/b.md", "x"),
            (".claude/projects/p.jsonl", "secret"),
            (".ssh/id", "key"),
        ] {
            std::fs::create_dir_all(old.join(path).parent().unwrap()).unwrap();
            std::fs::write(old.join(path), text).unwrap();
        }
        std::os::unix::fs::symlink("../.ssh/id", old.join(".claude/agents/key")).unwrap();
        std::os::unix::fs::symlink(".ssh/id", old.join(".claude.json")).unwrap();
        std::fs::create_dir(&new).unwrap();
        let base = furnish(of(Path::new("claude")), &old, &new).unwrap();
        let names: Vec<String> = base.entries.keys().map(ToString::to_string).collect();
        assert_eq!(names, [".claude/agents/a/b.md", ".claude/settings.json"]);
        std::fs::write(new.join(".claude/settings.json"), "{\"a\":1}").unwrap();
        std::fs::write(new.join(".bashrc"), "x").unwrap();
        std::fs::create_dir_all(new.join(".cache/x")).unwrap();
        std::fs::write(new.join(".cache/x/y"), "x").unwrap();
        assert_eq!(left(&base, &new).unwrap(), [".bashrc", ".claude/settings.json"]);
    }
}
