//! The change, laid out in a folder of ours for the overlay: files to write, names to delete.

use super::SandboxError;
use exacta_kernel::plan::Change;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// A folder that goes away with this value.
pub(super) struct Staging {
    folder: PathBuf,
}

impl Staging {
    /// Lays a change out below `scratch`.
    pub fn lay_out(scratch: &Path, changes: &[Change]) -> Result<Self, SandboxError> {
        let folder = scratch.join(format!("check-{}", uuid::Uuid::now_v7().simple()));
        let staging = Self { folder };
        staging.fill(changes).map_err(SandboxError::io("lay the change out for the command"))?;
        Ok(staging)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Why the sandbox could not be set up, if the set-up said so.
    pub fn refusal(&self) -> Option<String> {
        std::fs::read_to_string(self.folder.join("refused")).ok()
    }

    fn fill(&self, changes: &[Change]) -> std::io::Result<()> {
        let folder = |path: &Path| DirBuilder::new().recursive(true).mode(0o700).create(path);
        let written = self.folder.join("written");
        folder(&written)?;
        folder(&self.folder.join("layers"))?;
        let mut deleted = Vec::new();
        for change in changes {
            match &change.after {
                None => {
                    deleted.extend_from_slice(change.path.as_str().as_bytes());
                    deleted.push(0);
                }
                Some(content) => {
                    let path = written.join(change.path.as_str());
                    if let Some(parent) = path.parent() {
                        // The overlay's own folders keep their modes; these are only the way there.
                        DirBuilder::new().recursive(true).mode(0o755).create(parent)?;
                    }
                    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
                    file.write_all(content.bytes())?;
                    file.set_permissions(std::fs::Permissions::from_mode(content.mode() & 0o777))?;
                }
            }
        }
        std::fs::write(self.folder.join("deleted"), deleted)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What cannot be removed is only space, and is swept by the next recovery.
        let _left_over = std::fs::remove_dir_all(&self.folder);
    }
}
