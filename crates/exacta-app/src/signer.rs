//! The log's key and the pinned checkpoint: both in the user's own folder, where no agent can rewrite them.

use crate::error::Error;
use exacta_exec::JournalKey;
use exacta_home::{FileError, Home, HomeError, LogKey};
use exacta_kernel::approval::{PublicKey, Signature};
use exacta_kernel::audit::SignedCheckpoint;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use exacta_record::{CheckpointSigner, Hold, Pin, SignerError, Staged};

/// Signs and pins the checkpoints of one project.
pub(crate) struct Signer {
    home: Home,
    project: ProjectId,
    key: LogKey,
}

impl Signer {
    pub fn new(home: &Home, project: &ProjectId) -> Result<Self, Error> {
        Ok(Self { home: home.clone(), project: project.clone(), key: home.log_key()? })
    }

    /// What this project's journals are sealed with. A signature by the log's key over a text that nothing else signs is a
    /// secret that only this user can make, and always the same one.
    pub fn journal_key(&self) -> JournalKey {
        let text = format!("exacta.journal-key/1\0{}", self.project);
        JournalKey::new(*Digest::of(self.key.sign(text.as_bytes()).as_bytes()).as_bytes())
    }
}

impl Signer {
    /// The same for journals of effects: another text, and so another key.
    pub fn effect_key(&self) -> exacta_effect::JournalKey {
        let text = format!("exacta.effect-journal-key/1\0{}", self.project);
        exacta_effect::JournalKey::new(*Digest::of(self.key.sign(text.as_bytes()).as_bytes()).as_bytes())
    }
}

impl CheckpointSigner for Signer {
    fn public_key(&self) -> PublicKey {
        self.key.public_key()
    }

    fn sign(&self, bytes: &[u8]) -> Result<Signature, SignerError> {
        Ok(self.key.sign(bytes))
    }

    fn hold(&self) -> Result<Hold, SignerError> {
        Ok(Box::new(self.home.hold_pin(&self.project).map_err(unusable)?))
    }

    fn pinned(&self) -> Result<Option<Pin>, SignerError> {
        let pin = self.home.pin(&self.project).map_err(unusable)?;
        Ok(pin.map(|pin| Pin { size: pin.size, root: pin.root }))
    }

    fn stage(&self, checkpoint: &SignedCheckpoint, durable: bool) -> Result<Staged, SignerError> {
        let head = checkpoint.checkpoint();
        let pin = exacta_home::Pin { size: head.size, root: head.root, checkpoint: checkpoint.note().to_owned() };
        let staged = self.home.stage_pin(&self.project, &pin, durable).map_err(unusable)?;
        Ok(Box::new(|| staged.put().map_err(unusable)))
    }
}

/// Only a pin that cannot be understood is to be moved away: the log would be believed as it stands.
fn unusable(error: HomeError) -> SignerError {
    let hint = match &error {
        HomeError::File(FileError::Malformed { .. }) => {
            "the file is damaged: move it away; the log is then taken as it is, and remembered again".into()
        }
        other => other.hint(),
    };
    SignerError::Pin { why: error.to_string(), hint }
}
