//! The rules that stand in no file: those nothing switches off, and the defaults of the profiles.

use super::{Operation, Rule, RuleAction, RuleSet, When};
use crate::action::Reversibility;
use crate::action::primitive::PrimitiveId;
use crate::action::tool::REGISTRY;
use crate::prelude::*;
use crate::profile::Profile;

/// Rules that always hold.
#[must_use]
pub fn built_in() -> Vec<Rule> {
    let approval = PrimitiveId::ALL.iter().filter(|id| id.needs_approval()).map(|id| Operation::from(*id));
    let final_primitives =
        PrimitiveId::ALL.iter().filter(|id| id.reversibility() == Reversibility::Irreversible).map(|id| (*id).into());
    let final_tools =
        REGISTRY.iter().filter(|tool| tool.reversibility == Reversibility::Irreversible).map(Operation::from);
    vec![
        rule("approval-required", RuleSet::BuiltIn, approval, &[], "this always needs a person's approval"),
        rule(
            "cannot-be-undone",
            RuleSet::BuiltIn,
            // What a build command writes is nobody's before-image.
            final_primitives.chain(final_tools).chain([Operation::BUILD]),
            &[],
            "this cannot be undone",
        ),
        rule("site-plans", RuleSet::BuiltIn, [Operation::TOOL_CALL], &[], "a person approves every plan for a site"),
    ]
}

/// The defaults of the profiles. SAFE needs none: there, everything is confirmed.
#[must_use]
pub fn profile_defaults() -> Vec<Rule> {
    let both: &[Profile] = &[Profile::Dev, Profile::FullAuto];
    let default =
        |id, operation, profiles: &[Profile], reason| rule(id, RuleSet::ProfileDefault, [operation], profiles, reason);
    vec![
        rule(
            "confirm-deletion",
            RuleSet::ProfileDefault,
            [Operation::FILE_DELETE, Operation::FILE_EMPTY],
            &[Profile::Dev],
            "a file is deleted, or almost nothing is left of it",
        ),
        default(
            "confirm-new-source",
            Operation::DEPENDENCY_NEW_SOURCE,
            both,
            "a dependency comes from a new registry or source",
        ),
        default(
            "confirm-other-content",
            Operation::DEPENDENCY_CONTENT,
            both,
            "a lock file takes another hash or address for the same version",
        ),
        default(
            "confirm-lookalike",
            Operation::DEPENDENCY_LOOKALIKE,
            both,
            "a dependency's name resembles a well-known one",
        ),
    ]
}

/// Whether a rule in a file may not take this name.
pub(super) fn is_reserved(id: &str) -> bool {
    RESERVED.contains(&id) || built_in().iter().chain(&profile_defaults()).any(|rule| rule.id == id)
}

/// Under this name the gate reports a target that the policy protects.
pub(in crate::policy) const PROTECTED_PATHS: &str = "protected-paths";
/// Under this name the gate reports a step that reaches beyond the network scope.
pub(in crate::policy) const NETWORK_SCOPE: &str = "network-scope";

/// Names under which the gates report what is no rule of a file.
const RESERVED: [&str; 4] = [PROTECTED_PATHS, NETWORK_SCOPE, "provider-classes", "build-command"];

/// A rule that denies what reaches out, for a network scope narrower than everything configured.
pub(in crate::policy) fn network_scope(set: RuleSet) -> Rule {
    const REACHES_OUT: [PrimitiveId; 5] = [
        PrimitiveId::ReadWeb,
        PrimitiveId::ReadSources,
        PrimitiveId::TriageEmail,
        PrimitiveId::WriteEmailDraft,
        PrimitiveId::SendEmail,
    ];
    let operations = REACHES_OUT.into_iter().map(Operation::from).chain([Operation::TOOL_CALL]);
    let denied = rule(NETWORK_SCOPE, set, operations, &[], "the network scope does not cover this");
    Rule { action: RuleAction::Deny, ..denied }
}

/// A rule that denies every change beneath protected paths.
pub(in crate::policy) fn protected_paths(set: RuleSet, path: crate::policy::glob::Globs) -> Rule {
    let denied = rule(PROTECTED_PATHS, set, [], &[], "the path is protected");
    Rule { action: RuleAction::Deny, when: When { path, ..When::default() }, ..denied }
}

fn rule(
    id: &str,
    set: RuleSet,
    operations: impl IntoIterator<Item = Operation>,
    profiles: &[Profile],
    reason: &str,
) -> Rule {
    let when = When {
        operation: operations.into_iter().collect(),
        profile: profiles.iter().copied().collect(),
        ..When::default()
    };
    Rule { id: id.to_owned(), set, when, action: RuleAction::Confirm, reason: reason.to_owned(), line: 0 }
}
