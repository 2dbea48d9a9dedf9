//! Which model each credential last said it is, per project. A plan is compared with it at execution.

use super::file::Lock;
use super::record::{self, Record};
use super::{Home, HomeError};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use exacta_kernel::proposal::ModelClaim;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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

/// By the hash of the credential: what it is called may be anything, and is nobody else's business.
#[derive(Default, Serialize, Deserialize)]
struct Identities(BTreeMap<Digest, DeclaredIdentity>);

impl Record for Identities {
    const SCHEMA: &'static str = "exacta.identities/1";
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
        let identities: Option<Identities> = record::read(&self.identity_file(project))?;
        Ok(identities.and_then(|Identities(mut all)| all.remove(&Digest::of(credential.as_bytes()))))
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
        let path = self.identity_file(project);
        let lock = Lock::on(&self.identities())?;
        let mut identities: Identities = record::read(&path)?.unwrap_or_default();
        identities.0.insert(Digest::of(credential.as_bytes()), identity.clone());
        Ok(record::write(&lock, &path, &identities)?)
    }

    fn identities(&self) -> PathBuf {
        self.state.join("identities")
    }

    fn identity_file(&self, project: &ProjectId) -> PathBuf {
        self.identities().join(format!("{project}.json"))
    }
}
