//! Which model each credential last said it is, per project. A plan is compared with it at execution.
//!
//! Each credential has a file of its own, so that what one agent says can neither change nor hide what another said.

use crate::document::{self, Document};
use crate::file::Lock;
use crate::{Home, HomeError};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use exacta_kernel::proposal::ModelClaim;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a credential last said of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredIdentity {
    /// The model; `None` where it declared none.
    pub model: Option<ModelClaim>,
    /// When.
    pub at: Timestamp,
}

impl Document for DeclaredIdentity {
    const SCHEMA: &'static str = "exacta.identity/1";
}

impl Home {
    /// What a credential last said it is; `None` where it was never seen in this project.
    ///
    /// # Errors
    /// Where the record is damaged or could have been changed by others.
    pub fn declared_identity(
        &self,
        project: &ProjectId,
        credential: &str,
    ) -> Result<Option<DeclaredIdentity>, HomeError> {
        Ok(document::read(&self.identity_file(project, credential))?)
    }

    /// Records what a credential says it is now.
    ///
    /// # Errors
    /// As [`Home::declared_identity`], and where it cannot be written.
    pub fn set_declared_identity(
        &self,
        project: &ProjectId,
        credential: &str,
        identity: &DeclaredIdentity,
    ) -> Result<(), HomeError> {
        let lock = Lock::on(&self.identities(project))?;
        Ok(document::write(&lock, &self.identity_file(project, credential), identity)?)
    }

    fn identities(&self, project: &ProjectId) -> PathBuf {
        self.state.join("identities").join(project.as_str())
    }

    /// Named by the hash of the credential: what it is called may be anything.
    fn identity_file(&self, project: &ProjectId, credential: &str) -> PathBuf {
        self.identities(project).join(format!("{}.json", Digest::of(credential.as_bytes())))
    }
}
