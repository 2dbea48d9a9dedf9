//! What the store needs from outside the project: a key that signs checkpoints, and a place to pin them.

use exacta_kernel::approval::{PublicKey, Signature};
use exacta_kernel::audit::{CheckpointError, SignedCheckpoint};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint::Hint;
use std::any::Any;

/// Signs checkpoints with the log's key and remembers the newest one outside the project, where no agent can rewrite it.
pub trait CheckpointSigner: Send + Sync {
    /// The key's public half.
    fn public_key(&self) -> PublicKey;

    /// The Ed25519 signature over these bytes.
    ///
    /// # Errors
    /// [`SignerError`] if the key cannot be used.
    fn sign(&self, bytes: &[u8]) -> Result<Signature, SignerError>;

    /// Keeps every other process from remembering a checkpoint of this project, as long as what is given back lives. The lock on the
    /// records does not: whoever can write in the project can copy them, and two processes then hold the locks of two copies.
    ///
    /// # Errors
    /// [`SignerError`] if another process holds it too long.
    fn hold(&self) -> Result<Hold, SignerError>;

    /// The newest checkpoint remembered for this project.
    ///
    /// # Errors
    /// [`SignerError`] if it cannot be read.
    fn pinned(&self) -> Result<Option<Pin>, SignerError>;

    /// Gets a checkpoint ready to be remembered: written, and on disk unless `durable` is false. All that can well fail fails
    /// here, while nothing has happened yet; what is left to [`Staged`] is to give a file its name. Called with growing
    /// sizes, while the log is locked.
    ///
    /// # Errors
    /// [`SignerError`] if it cannot be written, or contradicts the one remembered.
    fn stage(&self, checkpoint: &SignedCheckpoint, durable: bool) -> Result<Staged, SignerError>;

    /// Remembers a checkpoint at once.
    ///
    /// # Errors
    /// As [`CheckpointSigner::stage`].
    fn pin(&self, checkpoint: &SignedCheckpoint, durable: bool) -> Result<(), SignerError> {
        self.stage(checkpoint, durable)?()
    }
}

/// Remembers the checkpoint that was staged; where it is not called, nothing is remembered. After a crash of the machine the one
/// before may be remembered again: an older pin is weaker, not wrong.
pub type Staged = Box<dyn FnOnce() -> Result<(), SignerError>>;

/// The right to move a project's pin, given up when it is dropped.
pub type Hold = Box<dyn Any + Send>;

/// A checkpoint remembered outside the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// How many entries the log had.
    pub size: u64,
    /// The root of its Merkle tree then.
    pub root: Digest,
}

/// Why a checkpoint could not be signed or remembered.
#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    /// What is remembered cannot be read or written.
    #[error("the checkpoint that your configuration remembers cannot be used: {why}")]
    Pin {
        /// Why not.
        why: String,
        /// What would help.
        hint: Hint,
    },
    /// The signature does not fit the key.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}
