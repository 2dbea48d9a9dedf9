//! The one schema that a signed or logged document can have.

/// Defines `Schema`: written as this name, and read as nothing else.
macro_rules! schema_name {
    ($name:expr) => {
        /// The one schema such a document can have.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "crate::prelude::String", into = "crate::prelude::String")]
        struct Schema;

        impl TryFrom<crate::prelude::String> for Schema {
            type Error = crate::prelude::String;

            fn try_from(text: crate::prelude::String) -> Result<Self, Self::Error> {
                if text == $name { Ok(Self) } else { Err(crate::prelude::format!("expected schema `{}`", $name)) }
            }
        }

        impl From<Schema> for crate::prelude::String {
            fn from(_: Schema) -> Self {
                Self::from($name)
            }
        }
    };
}
pub(crate) use schema_name;
