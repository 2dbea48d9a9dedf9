//! The Safety Policy as a commented file.

use super::caps::Caps;
use super::command::{Command, Commands};
use super::file::Limit;
use super::rule::{Rule, RuleAction, When, level_name};
use super::safety::SafetyPolicy;
use crate::capability::Capability;
use crate::prelude::*;
use serde::Serialize;

const HEAD: &str = "\
# The Safety Policy: what the operator allows, in every project. Nothing overrides it; a project's own
# `.exacta/config.toml` can only tighten it. Keys that are left out have the values of the built-in policy.
# Have a changed copy checked before it is put in force; docs/policy.md has every key.
";

/// Writes a policy so that it reads back as the same.
pub(super) fn safety(policy: &SafetyPolicy) -> String {
    let mut out = Writer { text: HEAD.to_owned() };
    out.key("Your own name for this state of the policy; bound into every plan.", "version", &policy.version);
    out.key("The highest profile there can be: SAFE, DEV or FULL-AUTO.", "ceiling", &policy.ceiling);
    out.key(
        "What may be reached over the network: NONE, AI_ONLY, or CONFIGURED for what you configured.",
        "network_scope",
        &policy.network_scope,
    );
    out.key(
        "Which AI providers a plan may come from: LOCAL_ONLY, TRUSTED_CLOUD, UNTRUSTED_CLOUD.",
        "provider_classes",
        &policy.provider_classes,
    );
    out.key(
        "Whether a command without a terminal may start what a person approved; what policy alone allows it may.",
        "command_line_execute",
        &policy.command_line_execute,
    );
    let names: Vec<&str> = Capability::ALL.iter().map(|capability| capability.name()).collect();
    out.key(&format!("What no plan may give or use: {}.", names.join(", ")), "forbid", &policy.forbid);
    out.key(
        "Paths no plan may touch, as in .gitignore; `.git` and `.exacta` are protected in any case.",
        "protected_paths",
        &policy.protected_paths,
    );
    out.key(
        "Profile default rules that are switched off: confirm-deletion, confirm-new-source, confirm-lookalike.",
        "disable_default_rules",
        &policy.disable_default_rules,
    );
    out.key(
        "Whether a person is asked about a plan of a connected agent that did not declare its model.",
        "require_model",
        &policy.require_model,
    );
    out.key(
        "Whether the provider of a plan that was asked for here is asked who answers there before it runs; one that does not answer blocks it.",
        "verify_model_at_execution",
        &policy.verify_model_at_execution,
    );
    out.key(
        "Connected agents, by name, that may start what a person approved.",
        "execute_agents",
        &policy.execute_agents,
    );
    out.key(
        "The program, by its absolute path, and arguments that is told (JSON on its standard input) when a person is needed.",
        "notify_command",
        &policy.notify_command,
    );
    out.line("\n# Limits; docs/policy.md has the least and the most of each.\n[caps]");
    for cap in Caps::ALL {
        let value = policy.caps.get(cap.name).unwrap_or(cap.default);
        out.line(&format!("{} = {value} #{}", cap.name, cap.about));
    }
    out.line("\n# How long the bytes that undo needs are kept, and the room they may take.\n[before_images]");
    out.line(&format!("days = {}\nmax_mib = {}", policy.before_images.days, policy.before_images.max_mib));
    out.projects(&policy.projects);
    policy.constraints.iter().for_each(|limit| out.constraint(limit));
    out.rules(&policy.rules);
    out.text
}

struct Writer {
    text: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn key(&mut self, about: &str, name: &str, value: &impl Serialize) {
        self.line(&format!("\n# {about}\n{name} = {}", inline(value)));
    }

    fn projects(&mut self, projects: &BTreeMap<String, Commands>) {
        if projects.is_empty() {
            self.line(
                "\n# Build and check commands of a project, by its absolute path or its id. No shell reads them.",
            );
            self.line("# [[projects.\"/home/me/app\".checks]]\n# argv = [\"cargo\", \"test\"]");
            self.line("# timeout_seconds = 600\n# writes = [\"target\"]\n# reads = [\"/home/me/shared\"]");
        }
        for (project, commands) in projects {
            let project = inline(project);
            self.line(&format!("\n[projects.{project}]"));
            if let Some(build) = &commands.build {
                self.line(&format!("\n[projects.{project}.build]"));
                self.command(build);
            }
            for check in &commands.checks {
                self.line(&format!("\n[[projects.{project}.checks]]"));
                self.command(check);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        self.line(&format!("name = {}\nargv = {}", inline(&command.name), inline(&command.argv)));
        self.line(&format!("timeout_seconds = {}", command.timeout_seconds));
        self.line(&format!("writes = {}\nreads = {}", inline(&command.writes), inline(&command.reads)));
    }

    fn constraint(&mut self, limit: &Limit) {
        let constraint = &limit.constraint;
        self.line(&format!("\n[[constraints]]\nid = {}", inline(&constraint.id)));
        self.line(&format!("type = {}\nscope = {}", inline(&constraint.kind), inline(&constraint.scope)));
        if let Some(target) = &constraint.target {
            self.line(&format!("target = {}", inline(target)));
        }
        self.line(&format!("description = {}", inline(&constraint.description)));
    }

    fn rules(&mut self, rules: &[Rule]) {
        if rules.is_empty() {
            self.line(
                "\n# Rules ask for a person (confirm) or forbid (deny); all that match count, the strictest wins.",
            );
            self.line("# [[rules]]\n# id = \"migrations\"");
            self.line("# when = { operation = [\"file_modify\", \"file_delete\"], path = [\"db/migrations\"] }");
            self.line("# action = \"deny\"\n# reason = \"a migration that has run is never changed\"");
            self.line("# examples.match = [{ operation = \"file_modify\", path = \"db/migrations/001.sql\" }]");
            self.line("# examples.no_match = [{ operation = \"file_create\", path = \"db/migrations/002.sql\" }]");
        }
        rules.iter().for_each(|rule| self.rule(rule));
    }

    fn rule(&mut self, rule: &Rule) {
        let action = match rule.action {
            RuleAction::Confirm => "confirm",
            RuleAction::Deny => "deny",
        };
        self.line(&format!("\n[[rules]]\nid = {}", inline(&rule.id)));
        self.line(&format!("when = {}\naction = \"{action}\"", when(&rule.when)));
        self.line(&format!("reason = {}", inline(&rule.reason)));
    }
}

fn when(when: &When) -> String {
    let levels: Vec<&str> = when.risk.iter().map(|level| level_name(*level)).collect();
    let conditions = [
        ("operation", inline(&when.operation)),
        ("risk", inline(&levels)),
        ("path", inline(&when.path)),
        ("domain", inline(&when.domain)),
        ("intent", inline(&when.intent)),
        ("profile", inline(&when.profile)),
    ];
    let given = conditions.iter().filter(|(_, list)| list != "[]");
    let given: Vec<String> = given.map(|(name, list)| format!("{name} = {list}")).collect();
    format!("{{ {} }}", given.join(", "))
}

/// A value on one line.
fn inline(value: &impl Serialize) -> String {
    toml::Value::try_from(value).map(|value| value.to_string()).unwrap_or_default()
}
