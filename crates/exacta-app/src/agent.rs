//! Who gives commands here: the user, or one of the user's agents under its own name.

use crate::error::{Error, Exit};

/// The longest name of an agent, in bytes.
const LONGEST: usize = 64;

/// The name that an agent goes by on the command line. It tells agents of one user apart; it proves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentName(String);

impl AgentName {
    /// Reads a name.
    ///
    /// # Errors
    /// If it is empty, too long, does not begin with a letter or digit, or has other characters than lower-case letters,
    /// digits, `.`, `_` and `-`.
    pub fn parse(name: &str) -> Result<Self, Error> {
        if is_name(name) {
            return Ok(Self(name.to_owned()));
        }
        let message = format!("`{}` cannot be the name of an agent", exacta_kernel::text::excerpt(name, LONGEST));
        Err(Error::new(Exit::Usage, "agent_invalid", message).hint(
            "use 1 to 64 lower-case letters, digits, `.`, `_` and `-`, a letter or digit first, as in `--agent codex` or `EXACTA_AGENT=codex`",
        ))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a text can be a name: short and plain. Names become names of files, so none begins with a dot, as `..` and
/// hidden files do, or with a dash, as options do.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    text.len() <= LONGEST
        && text.bytes().all(plain)
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// The credential that plans are submitted with: the user's, or that of one of the user's agents.
pub(crate) fn credential(agent: Option<&AgentName>) -> String {
    let user = rustix::process::getuid().as_raw();
    agent.map_or_else(|| format!("cli:{user}"), |agent| format!("cli:{user}:{}", agent.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for good in ["codex", "a", "claude-code.2_x", &"x".repeat(64)] {
            assert_eq!(AgentName::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "Codex",
            "a b",
            "a:b",
            "a/b",
            "é",
            "a\n",
            "\u{202e}a",
            ".",
            "..",
            "..x",
            ".lock",
            "-x",
            "_x",
            &"x".repeat(65),
        ] {
            let error = AgentName::parse(bad).unwrap_err();
            assert_eq!((error.exit, error.code.as_str()), (Exit::Usage, "agent_invalid"), "{bad:?}");
        }
    }
}
