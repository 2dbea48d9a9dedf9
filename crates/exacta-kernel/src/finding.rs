//! One thing wrong with a proposal or plan: a stable code, the place, a message and what would help.

use crate::prelude::*;
use crate::secret::mask;
use crate::text::visible_line;
use alloc::borrow::Cow;
use core::fmt;
use serde::Serialize;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal $(, $rule:literal)?;)*) => {
        /// The stable names of everything that can be wrong with a plan. `docs/findings.md` explains each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $variant,)*
        }

        impl Code {
            /// Every code, in the order of the specification.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The code as it is written everywhere.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// The number of the validation rule, where the specification gives one.
            #[must_use]
            pub const fn rule(self) -> Option<&'static str> {
                match self { $(Code::$variant => codes!(@rule $($rule)?),)* }
            }
        }
    };
    (@rule $rule:literal) => { Some($rule) };
    (@rule) => { None };
}

codes! {
    /// The text is larger than a plan or a step may be.
    TooLarge = "PLAN_TOO_LARGE";
    /// The text is not UTF-8.
    NotUtf8 = "PLAN_NOT_UTF8";
    /// More than one fenced block.
    ParseMultiblock = "PLAN_PARSE_MULTIBLOCK";
    /// Not exactly one JSON object.
    ParseNonjson = "PLAN_PARSE_NONJSON";
    /// JSON that is not a proposal.
    SchemaInvalid = "PLAN_SCHEMA_INVALID";
    /// An intent type outside the closed list.
    IntentUnknown = "PLAN_INTENT_UNKNOWN";
    /// Steps of more than one domain.
    DomainMixed = "PLAN_DOMAIN_MIXED";
    /// No steps.
    Empty = "PLAN_EMPTY", "PV-1";
    /// A dependency on a step that does not exist.
    DependencyUnknown = "PLAN_DEPENDENCY_UNKNOWN", "PV-2";
    /// Steps that depend on each other in a circle.
    DependencyCycle = "PLAN_DEPENDENCY_CYCLE", "PV-3";
    /// `order` is not 1..n, or puts a step before one it depends on, or a step has too many dependencies.
    OrderInvalid = "PLAN_ORDER_INVALID", "PV-3";
    /// A path that leaves the project.
    PathOutside = "PLAN_PATH_OUTSIDE", "PV-4";
    /// A path that is not well formed, or passes through something that is not a folder.
    PathInvalid = "PLAN_PATH_INVALID", "PV-4";
    /// A path into `.exacta` or `.git`.
    PathProtected = "PLAN_PATH_PROTECTED";
    /// The token estimate exceeds the budget.
    TokenBudgetExceeded = "PLAN_TOKEN_BUDGET_EXCEEDED", "PV-5";
    /// Too many steps.
    StepCapExceeded = "PLAN_STEP_CAP_EXCEEDED", "PV-6";
    /// Too many files.
    FileCapExceeded = "PLAN_FILE_CAP_EXCEEDED", "PV-6";
    /// A change to a binary file through a diff.
    BinaryFile = "PLAN_BINARY_FILE", "PV-7";
    /// A target that is too large.
    TargetTooLarge = "PLAN_TARGET_TOO_LARGE";
    /// A constraint is violated, or a `MUST` is not satisfied by any step.
    ConstraintViolated = "PLAN_CONSTRAINT_VIOLATED", "PS-1";
    /// Two constraints that no plan can keep together.
    ConstraintConflict = "PLAN_CONSTRAINT_CONFLICT", "PS-1";
    /// Two steps change the same file without an order between them.
    Conflict = "PLAN_CONFLICT", "PS-2";
    /// A file is deleted and changed in the same plan.
    DeleteConflict = "PLAN_DELETE_CONFLICT", "PS-3";
    /// A create of what exists.
    TargetExists = "PLAN_TARGET_EXISTS";
    /// A modify or delete of what does not exist.
    TargetMissing = "PLAN_TARGET_MISSING";
    /// The target is not in the state its author saw.
    TargetChanged = "PLAN_TARGET_CHANGED";
    /// Bytes of a new file that are no base64, or are text.
    PayloadInvalid = "PLAN_PAYLOAD_INVALID";
    /// The target cannot be read, or is not a regular file.
    TargetUnusable = "PLAN_TARGET_UNUSABLE";
    /// A diff that is malformed or changes nothing.
    DiffInvalid = "PLAN_DIFF_INVALID";
    /// A diff for another path than the step's target.
    DiffPathMismatch = "PLAN_DIFF_PATH_MISMATCH";
    /// A diff or edit that does not apply to the file, or not in exactly one place.
    DiffContext = "PLAN_DIFF_CONTEXT";
    /// A rename in a diff.
    DiffRename = "PLAN_DIFF_RENAME";
    /// A copy in a diff.
    DiffCopy = "PLAN_DIFF_COPY";
    /// A binary patch.
    DiffBinary = "PLAN_DIFF_BINARY";
    /// A change to a submodule.
    DiffSubmodule = "PLAN_DIFF_SUBMODULE";
    /// A change to a symbolic link.
    DiffSymlink = "PLAN_DIFF_SYMLINK";
    /// A plan that is not made well enough.
    QualityInsufficient = "PLAN_QUALITY_INSUFFICIENT";
    /// A tool that is not in the registry or not offered by the site.
    InvalidTool = "PLAN_INVALID_TOOL";
    /// A tool that the skill does not allow.
    ToolNotAllowed = "PLAN_TOOL_NOT_ALLOWED";
    /// Too many pages.
    PageCapExceeded = "PLAN_PAGE_CAP_EXCEEDED";
    /// Too expensive.
    CostCapExceeded = "PLAN_COST_CAP_EXCEEDED";
    /// A primitive that is refused in this recipe, or a recipe whose steps are not its sequence.
    PrimitiveRefused = "PLAN_PRIMITIVE_REFUSED";
    /// A host or recipient that the user did not name.
    NotAllowlisted = "PLAN_NOT_ALLOWLISTED";
    /// A parameter of a primitive whose value it does not take.
    ParameterInvalid = "PLAN_PARAMETER_INVALID";
    /// A step that writes or sends, without the exact bytes.
    PayloadMissing = "PLAN_PAYLOAD_MISSING";
    /// Sending is not switched on for this autopilot.
    SendDisabled = "SEND_DISABLED";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One thing wrong, where it is, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The stable name of the problem.
    pub code: Code,
    /// The validation rule's number, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The id of the step it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The path it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// JSON pointer into the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What is wrong: lower case, one line, names in backticks.
    pub message: String,
    /// What would fix it.
    pub hint: String,
}

impl Finding {
    /// A finding about the whole plan. Whatever the texts quote, nothing in them stays hidden, and no secret stands in them.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let owned = |text: Cow<'_, str>| if let Cow::Owned(other) = text { Some(other) } else { None };
        let shown = |text: String| {
            let masked = owned(mask(&text)).unwrap_or(text);
            owned(visible_line(&masked)).unwrap_or(masked)
        };
        Self {
            code,
            rule: code.rule(),
            step: None,
            path: None,
            pointer: None,
            message: shown(message.into()),
            hint: shown(hint.into()),
        }
    }

    /// The same, about one step.
    #[must_use]
    pub fn in_step(mut self, id: &str) -> Self {
        self.step = Some(id.to_owned());
        self
    }

    /// The same, about one path.
    #[must_use]
    pub fn at_path(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// The same, at one place of the proposal.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_to_users() {
        let page = include_str!("../../../docs/findings.md");
        for code in Code::ALL {
            assert!(page.contains(&format!("`{code}`")), "docs/findings.md says nothing of {code}");
        }
    }
}
