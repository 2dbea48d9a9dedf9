//! Commands in groups, the commonest first, as `exacta help` lists them.

use clap::Command;
use std::fmt::Write as _;

/// Columns of a name in the list.
const NAME: usize = 14;

/// Columns of the help.
const WIDTH: usize = 80;

/// What a group is for, and its commands. A test finds a command that is in none, or in two.
const GROUPS: &[(&str, &[&str])] = &[
    ("Begin", &["demo", "init", "doctor"]),
    (
        "Decide what an agent proposes",
        &["review", "run", "serve", "list", "show", "diff", "approve", "reject", "revise", "edit"],
    ),
    ("After the decision", &["execute", "undo", "status", "log", "cancel", "recover", "resubmit", "withdraw"]),
    ("Propose, by hand or by program", &["check", "submit", "wait", "ask", "schema"]),
    ("Agents", &["connect", "agent", "mcp", "hook", "token"]),
    ("Beyond files", &["autopilot", "site", "skill"]),
    ("Settings and record", &["policy", "profile", "approver", "provider", "session", "audit"]),
    ("Help", &["help", "completions", "man"]),
];

/// The same command line, whose help lists its commands in groups.
pub fn grouped(command: Command) -> Command {
    let mut list = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(list, "{title}:");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            list.push_str(&entry(name, &about.unwrap_or_default()));
        }
        list.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    ))
}

/// A name and what it does, in as many lines as that takes.
fn entry(name: &str, about: &str) -> String {
    let mut lines = vec![format!("  {name:<NAME$}")];
    for word in about.split_whitespace() {
        let is_full = lines.last().is_some_and(|line| {
            line.trim().len() > name.len() && line.chars().count() + word.chars().count() > WIDTH - 1
        });
        if is_full {
            lines.push(" ".repeat(NAME + 2));
        }
        if let Some(line) = lines.last_mut() {
            if !line.ends_with(' ') {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::GROUPS;
    use clap::CommandFactory as _;
    use std::collections::BTreeMap;

    #[test]
    fn every_command_is_in_one_group() {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            *found.entry(name).or_default() += 1;
        }
        let command = crate::args::Cli::command();
        let mut all: Vec<&str> =
            command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(clap::Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), all);
        assert!(found.values().all(|times| *times == 1), "{found:?}");
    }
}
