//! The programs that are known, and where they keep their settings.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A program that runs agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Client {
    /// OpenAI's codex.
    Codex,
    /// Claude Code.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// GitHub's Copilot CLI.
    Copilot,
    /// Cline's CLI.
    Cline,
}

/// How a program is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Its own ways to write are taken from it; plans are the only way left.
    Guard,
    /// Its edits are recorded as plans; nothing determined is stopped.
    Record,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Codex, Self::Claude, Self::Gemini, Self::Opencode, Self::Copilot, Self::Cline];

    /// Its name on the command line, which is also its credential's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
            Self::Cline => "cline",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "Claude Code",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
            Self::Copilot => "Copilot CLI",
            Self::Cline => "Cline",
        }
    }

    /// The program of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Whether it has settings that take its own ways to write from it.
    #[must_use]
    pub const fn can_guard(self) -> bool {
        !matches!(self, Self::Cline)
    }
}

impl Mode {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Record => "record",
        }
    }
}

/// Where programs keep their settings and where they are found, as the environment says.
#[derive(Debug, Clone)]
pub struct Places {
    home: PathBuf,
    codex: Option<PathBuf>,
    claude: Option<PathBuf>,
    copilot: Option<PathBuf>,
    config: Option<PathBuf>,
    path: OsString,
}

impl Places {
    /// As the variables say; nothing if there is no home folder.
    #[must_use]
    pub fn find(variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let folder = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Some(Self {
            home: folder("HOME").filter(|home| home.is_absolute())?,
            codex: folder("CODEX_HOME"),
            claude: folder("CLAUDE_CONFIG_DIR"),
            copilot: folder("COPILOT_HOME"),
            config: folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()),
            path: variable("PATH").unwrap_or_default(),
        })
    }

    /// codex's settings.
    #[must_use]
    pub fn codex(&self) -> PathBuf {
        self.codex.clone().unwrap_or_else(|| self.home.join(".codex")).join("config.toml")
    }

    /// codex's hooks.
    #[must_use]
    pub fn codex_hooks(&self) -> PathBuf {
        self.codex().with_file_name("hooks.json")
    }

    /// Claude Code's settings.
    #[must_use]
    pub fn claude(&self) -> PathBuf {
        self.claude.clone().unwrap_or_else(|| self.home.join(".claude")).join("settings.json")
    }

    /// The file that Claude Code keeps servers in, beside much that it writes itself.
    #[must_use]
    pub fn claude_servers(&self) -> PathBuf {
        self.claude.clone().unwrap_or_else(|| self.home.clone()).join(".claude.json")
    }

    /// Gemini CLI's settings.
    #[must_use]
    pub fn gemini(&self) -> PathBuf {
        self.home.join(".gemini/settings.json")
    }

    /// A policy of Gemini CLI's that is ours alone.
    #[must_use]
    pub fn gemini_policy(&self) -> PathBuf {
        self.home.join(".gemini/policies/exacta.toml")
    }

    /// opencode's settings: the file that there is.
    #[must_use]
    pub fn opencode(&self) -> PathBuf {
        let folder = self.config.clone().unwrap_or_else(|| self.home.join(".config")).join("opencode");
        let commented = folder.join("opencode.jsonc");
        if commented.exists() { commented } else { folder.join("opencode.json") }
    }

    /// Copilot CLI's servers.
    #[must_use]
    pub fn copilot(&self) -> PathBuf {
        self.copilot.clone().unwrap_or_else(|| self.home.join(".copilot")).join("mcp-config.json")
    }

    /// The launcher that starts Copilot CLI with the flags that guard it.
    #[must_use]
    pub fn launcher(&self) -> PathBuf {
        self.home.join(".local/bin/exacta-copilot")
    }

    /// Where a program of this name is, if it can be started.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        std::env::split_paths(&self.path).map(|folder| folder.join(name)).find(|path| is_program(path))
    }
}

/// Whether there is something that can be started.
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
