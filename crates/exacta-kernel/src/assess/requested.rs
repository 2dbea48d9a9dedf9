//! Requested capabilities: what a plan would give or use, whatever it says it is for. From its boundaries, its steps and what was
//! found in it; every boundary and every danger is listed here, with what it gives.

use super::Reason;
use crate::action::Tier;
use crate::action::primitive::PrimitiveId;
use crate::action::tool::Tool;
use crate::capability::Capability;
use crate::facts::source::Area;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Step};
use crate::scan::change::FileChange;
use crate::scan::source::Role;
use crate::scan::{DependencyKind, Place, Signals};
use Capability::{
    AgentConfiguration, Ci, Dependency, DependencySource, Network, Permissions, Publish, SecretsAccess, Send, Shell,
};
use serde::{Deserialize, Serialize};

/// One capability that a plan requests, why, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Requested {
    /// What.
    pub capability: Capability,
    /// What gives or uses it.
    pub reason: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

type Gives = &'static [Capability];

/// What each boundary gives, by the reason that it is one.
pub(super) const BOUNDARIES: &[(&str, Gives)] = &[
    ("defines what runs on a build server", &[Ci, Shell]),
    ("is deployed and run as soon as it is pushed", &[Ci, Publish]),
    ("defines a container and what runs in it", &[Shell]),
    ("steers a bot that changes or reviews the project", &[Ci, AgentConfiguration]),
    ("decides what scanners and audits overlook", &[]),
    ("steers git or runs in its hooks", &[Shell]),
    ("is run by a package manager or compiler by itself", &[Shell]),
    ("is run by an editor by itself, or decides what it runs", &[Shell]),
    ("is run by a shell or tool as soon as the folder is entered", &[Shell]),
    ("instructs an agent or grants it something", &[AgentConfiguration]),
    ("decides where packages, tools and credentials come from", &[DependencySource, SecretsAccess]),
    ("decides who owns or may do what", &[Permissions]),
    ("starts by itself on the machine it is installed on", &[Shell]),
    ("grants a program network, shell or system access", &[Network, Shell, Permissions]),
    ("is Exacta's own configuration", &[Permissions]),
    ("decides how a program may use the network", &[Network]),
    ("decides what runs beside every build", &[Shell]),
    ("decides what runs when the project is built", &[Shell]),
    ("decides which other programs may call this one", &[Permissions]),
    ("decides which packages may run scripts", &[Shell, Dependency]),
    ("decides which program runs every build", &[Shell]),
    ("decides which proxy or setting every build uses", &[Network, DependencySource]),
    ("decides who may do what in a cloud account", &[Permissions]),
    ("decides who may do what in a cluster", &[Permissions]),
    ("decides who may reach what in a cloud account", &[Network, Permissions]),
    ("decides who may reach what in a cluster", &[Network, Permissions]),
    ("decides with which credentials packages are fetched", &[SecretsAccess, DependencySource]),
    ("decides with which tools the project is built", &[DependencySource]),
    ("grants a browser extension access", &[Network, Permissions]),
    ("grants a container power over all containers", &[Shell, Permissions]),
    ("grants a container the network of its host", &[Network]),
    ("grants a container the processes of its host", &[Permissions]),
    ("grants a container the rights of its host", &[Permissions]),
    ("grants a program everything", &[Shell, Network, Permissions, SecretsAccess]),
    ("grants a program the network", &[Network]),
    ("grants a program the shell", &[Shell]),
    ("grants a program what it asks for", &[Shell, Network, Permissions, SecretsAccess]),
    ("is run by MSBuild in every build", &[Shell]),
    ("is run by Maven in every build", &[Shell]),
    ("is run by Xcode in every build", &[Shell]),
    ("is run by a package manager by itself", &[Shell]),
    ("is run when a package is installed or removed", &[Shell]),
    ("is run when the app is deployed", &[Shell, Ci]),
    ("runs by itself or decides what may run", &[Shell]),
    ("steers tools that run by themselves", &[Shell]),
    ("cannot be read, so that nobody knows what it makes run by itself", &[Shell]),
];

/// What each dangerous operation gives or uses.
pub(super) const DANGERS: &[(&str, Gives)] = &[
    ("changes a shell's startup file", &[Shell]),
    ("changes which keys may log in", &[Permissions]),
    ("changes who may become root", &[Permissions]),
    ("gives a container the rights of its host", &[Permissions]),
    ("gives a program another user's rights", &[Permissions]),
    ("gives everyone write access", &[Permissions]),
    ("grants root without a password", &[Permissions]),
    ("installs something that runs by itself", &[Shell]),
    ("lets a stranger log in by key", &[Permissions, Network]),
    ("lets everyone write the file", &[Permissions]),
    ("lets somebody in without the proper check", &[Permissions]),
    ("mines cryptocurrency", &[Network]),
    ("opens a reverse shell", &[Shell, Network]),
    ("overwrites a disk", &[Shell]),
    ("passes over git's hooks", &[]),
    ("reads the cloud's own credentials", &[SecretsAccess]),
    ("removes a folder of the system or the user's home", &[Shell]),
    ("removes data or machines in the cloud", &[Shell]),
    ("runs decoded text as code", &[Shell]),
    ("runs downloaded text as code", &[Shell, Network]),
    ("runs text from a pipe as code", &[Shell]),
    ("runs what a request says", &[Shell, Network]),
    ("sends a visitor's cookies away", &[SecretsAccess, Network]),
    ("sends private keys or credentials away", &[SecretsAccess, Network]),
    ("sends a visitor's cookies away", &[SecretsAccess, Network]),
    ("sends the whole environment away", &[SecretsAccess, Network]),
    ("sends who and where it runs away by the names it looks up", &[Network]),
    ("sets a setuid or setgid bit", &[Permissions]),
    ("silences a finding of a security scanner", &[]),
    ("skips a test that ran before", &[]),
    ("switches a protection of the system off", &[Permissions]),
    ("switches off a protection of a web application", &[]),
    ("switches off the verification of TLS certificates or host keys", &[Network]),
    ("switches off the verification of signatures or host keys", &[DependencySource]),
];

/// Everything a plan requests, each reason once, in the order of the capabilities.
pub(super) fn requested(
    plan: &Plan,
    steps: &[FileChange<'_>],
    whole: Option<&[FileChange<'_>]>,
    boundaries: &[Reason],
    signals: &Signals,
) -> Vec<Requested> {
    let mut found = BTreeSet::new();
    let mut add = |gives: &[Capability], reason: &str, place: &Place| {
        found.extend(gives.iter().map(|capability| Requested {
            capability: *capability,
            reason: reason.to_owned(),
            path: place.path.clone(),
            line: place.line,
            step: place.step.clone(),
        }));
    };
    for reason in boundaries {
        let place = Place { step: reason.step.clone(), path: reason.path.clone(), line: reason.line };
        add(of_boundary(&reason.message), &reason.message, &place);
    }
    for danger in &signals.dangers {
        add(of_danger(&danger.what), &danger.what, &danger.place);
    }
    for secret in &signals.secrets {
        add(&[SecretsAccess], &format!("holds what may be a secret ({})", secret.what), &secret.place);
    }
    for change in &signals.dependencies {
        if change.change != DependencyKind::Removed {
            add(&[Dependency], &format!("changes the dependency `{}`", change.name), &change.place);
        }
        if change.new_source.is_some() || change.change == DependencyKind::Source {
            add(&[DependencySource], &format!("`{}` comes from elsewhere", change.name), &change.place);
        }
        if change.runs_script {
            add(&[Shell], &format!("`{}` runs a script when it is installed", change.name), &change.place);
        }
    }
    let mut known = BTreeSet::new();
    for change in steps.iter().chain(whole.unwrap_or_default()).filter(|change| change.role != Role::Test) {
        let is_whole = !change.earlier.is_empty();
        for used in change.code.into_iter().flat_map(|code| &code.areas).filter(|used| used.line.is_some()) {
            // What the steps show already is the same call, at another line perhaps.
            if known.insert((change.path, used.area, &used.what)) || !is_whole {
                add(of_area(used.area), &format!("code calls `{}`", used.what), &change.place(used.line));
            }
        }
    }
    for step in &plan.proposal().steps {
        let place = Place { step: Some(step.id.clone()), ..Place::default() };
        add(of_step(step), &format!("a step of type `{}`", step.action.name()), &place);
    }
    found.into_iter().collect()
}

/// A boundary that is not in the list gives whatever can be forbidden: nobody knows what it does.
fn of_boundary(message: &str) -> Gives {
    BOUNDARIES.iter().find(|(why, _)| message.ends_with(why)).map_or(&Capability::ALL, |(_, gives)| gives)
}

fn of_danger(what: &str) -> Gives {
    if what.starts_with("takes `") {
        return &[Dependency];
    }
    DANGERS.iter().find(|(known, _)| *known == what).map_or(&Capability::ALL, |(_, gives)| gives)
}

/// What a call into a sensitive area uses.
const fn of_area(area: Area) -> Gives {
    match area {
        Area::Processes => &[Shell],
        Area::Listeners => &[Network],
        Area::Secrets => &[SecretsAccess],
        Area::Permissions => &[Permissions],
        Area::Authentication | Area::Authorisation | Area::Cryptography | Area::Deserialisation | Area::Queries => &[],
    }
}

/// What a step uses by its type. File steps are judged by what changes.
fn of_step(step: &Step) -> Gives {
    match &step.action {
        Action::FileCreate(_) | Action::FileModify(_) | Action::FileDelete { .. } => &[],
        Action::Build => &[Shell],
        Action::Primitive { id, .. } => of_primitive(*id),
        Action::ToolCall { tool, arguments } if Tool::tier_of(tool, arguments) < Tier::High => &[Network],
        Action::ToolCall { .. } => &[Network, Publish],
    }
}

const fn of_primitive(id: PrimitiveId) -> Gives {
    match id {
        PrimitiveId::ReadWeb | PrimitiveId::ReadSources => &[Network],
        PrimitiveId::ReadVaultFile => &[SecretsAccess],
        PrimitiveId::SendEmail => &[Send, Network],
        PrimitiveId::ScheduleRun
        | PrimitiveId::ReadForwardedEmail
        | PrimitiveId::AggregateDailySummary
        | PrimitiveId::TriageEmail
        | PrimitiveId::WriteOutcomeDraft
        | PrimitiveId::WriteEmailDraft => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_boundary_is_listed_with_what_it_gives() {
        let paths = include_str!("risk/boundary/paths.txt").lines().filter_map(|line| line.strip_prefix("= "));
        let contents = include_str!("risk/boundary/contents.txt").lines().filter(|line| !line.starts_with('#'));
        let contents = contents.filter_map(|line| line.split('|').nth(2)).map(str::trim);
        for why in paths.chain(contents) {
            assert!(BOUNDARIES.iter().any(|(known, _)| *known == why), "`{why}` is not listed");
        }
    }

    #[test]
    fn every_danger_is_listed_with_what_it_gives() {
        for what in crate::scan::danger_names() {
            assert!(DANGERS.iter().any(|(known, _)| *known == what), "`{what}` is not listed");
        }
    }

    #[test]
    fn no_row_hides_another() {
        for (at, (why, _)) in BOUNDARIES.iter().enumerate() {
            let first = BOUNDARIES.iter().position(|(known, _)| why.ends_with(known));
            assert_eq!(first, Some(at), "`{why}` is taken for another row");
        }
    }

    #[test]
    fn every_capability_has_its_word() {
        for capability in Capability::ALL {
            assert_eq!(serde_json::to_value(capability).unwrap(), capability.name());
        }
    }
}
