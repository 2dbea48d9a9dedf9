//! The closed list of things a rule can be about.

use crate::action::primitive::PrimitiveId;
use crate::action::tool::Tool;
use crate::prelude::*;
use serde::Serialize;

/// One thing that a plan does: a step type, a primitive, a site tool, or a change to a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Operation(&'static str);

impl Operation {
    /// A file is created.
    pub const FILE_CREATE: Self = Self("file_create");
    /// A file keeps nothing, or almost nothing, of what was in it.
    pub const FILE_EMPTY: Self = Self("file_empty");
    /// A file is deleted.
    pub const FILE_DELETE: Self = Self("file_delete");
    /// The operator's build command is run.
    pub const BUILD: Self = Self("build");
    /// A site tool is called, whichever.
    pub const TOOL_CALL: Self = Self("tool_call");
    /// A dependency is added.
    pub const DEPENDENCY_ADD: Self = Self("dependency_add");
    /// A dependency is removed.
    pub const DEPENDENCY_REMOVE: Self = Self("dependency_remove");
    /// A dependency's version changes.
    pub const DEPENDENCY_VERSION: Self = Self("dependency_version");
    /// A dependency comes from a registry or source it did not come from before.
    pub const DEPENDENCY_NEW_SOURCE: Self = Self("dependency_new_source");
    /// A lock file takes other content for the same version of a dependency.
    pub const DEPENDENCY_CONTENT: Self = Self("dependency_content");
    /// A dependency's name resembles a well-known one.
    pub const DEPENDENCY_LOOKALIKE: Self = Self("dependency_lookalike");

    const FIXED: [Self; 12] = [
        Self::FILE_CREATE,
        Self("file_modify"),
        Self::FILE_EMPTY,
        Self::FILE_DELETE,
        Self::BUILD,
        Self::TOOL_CALL,
        Self::DEPENDENCY_ADD,
        Self::DEPENDENCY_REMOVE,
        Self::DEPENDENCY_VERSION,
        Self::DEPENDENCY_NEW_SOURCE,
        Self::DEPENDENCY_CONTENT,
        Self::DEPENDENCY_LOOKALIKE,
    ];

    /// Every operation, in the order they are documented.
    pub fn all() -> impl Iterator<Item = Self> {
        let primitives = PrimitiveId::ALL.iter().map(|id| Self::from(*id));
        Self::FIXED.into_iter().chain(primitives).chain(crate::action::tool::REGISTRY.iter().map(Self::from))
    }

    /// The operation of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|operation| operation.0 == name)
    }

    /// The name as it is written in a rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The names of all operations.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::all().map(Self::name).collect()
    }
}

impl From<PrimitiveId> for Operation {
    fn from(id: PrimitiveId) -> Self {
        Self(id.name())
    }
}

impl From<&Tool> for Operation {
    fn from(tool: &Tool) -> Self {
        Self(tool.name)
    }
}
