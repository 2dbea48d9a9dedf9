//! The weights of a model on this machine, by hash, where the server says which file it reads.

use crate::cancel::Cancel;
use exacta_kernel::hash::{Digest, Hashing};
use exacta_kernel::provider::WeightsFile;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use serde_json::Value;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// What every file of weights that llama.cpp reads begins with.
const MAGIC: &[u8; 4] = b"GGUF";
const PIECE: usize = 1 << 20;

/// The file that llama.cpp reads, as its `/props` has it.
pub fn named(props: &Value) -> Option<&Path> {
    let path = Path::new(props.get("model_path")?.as_str()?);
    path.is_absolute().then_some(path)
}

/// The hash of a file of weights. What an earlier look found is believed while the file is the same to the last stamp.
///
/// The server chooses the path. A file that is not weights is therefore not read beyond its first bytes, so that no server
/// learns, and no record keeps, the hash of something else.
#[expect(clippy::disallowed_methods, reason = "the file is no project's; only its hash is taken")]
pub fn hashed(path: &Path, earlier: Option<&WeightsFile>, cancel: &Cancel) -> Option<WeightsFile> {
    // A pipe that somebody put there would otherwise wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut file = File::from(open(path, flags, Mode::empty()).ok()?);
    let stamp = stamp(&file)?;
    if let Some(known) = earlier.filter(|known| known.stamp == stamp) {
        return Some(known.clone());
    }
    let sha256 = digest(&mut file, cancel)?;
    // Somebody who writes to it meanwhile leaves a hash of neither file.
    (self::stamp(&file)? == stamp).then_some(WeightsFile { stamp, sha256 })
}

fn digest(file: &mut File, cancel: &Cancel) -> Option<Digest> {
    let mut magic = [0; 4];
    file.read_exact(&mut magic).ok().filter(|()| magic == *MAGIC)?;
    let mut hash = Hashing::default();
    hash.update(&magic);
    let mut piece = vec![0; PIECE];
    loop {
        let read = file.read(&mut piece).ok()?;
        if cancel.is_cancelled() {
            return None;
        }
        match piece.get(..read)? {
            [] => return Some(hash.finish()),
            bytes => hash.update(bytes),
        }
    }
}

/// What changes when a regular file does; none for anything else.
fn stamp(file: &File) -> Option<String> {
    let stat = fstat(file).ok()?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    is_file.then(|| {
        format!(
            "{}:{}:{}:{}.{}:{}.{}",
            stat.st_dev,
            stat.st_ino,
            stat.st_size,
            stat.st_mtime,
            stat.st_mtime_nsec,
            stat.st_ctime,
            stat.st_ctime_nsec
        )
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own folder")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_weights_are_hashed_and_again_when_they_change() {
        let folder = std::env::temp_dir().join(format!("exacta-weights-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        std::fs::write(at("model.gguf"), b"GGUF and numbers").unwrap();
        std::fs::write(at("secret"), b"not weights").unwrap();
        std::fs::write(at("short"), b"GG").unwrap();
        let look = |name: &str, earlier| hashed(&at(name), earlier, &Cancel::new());
        let first = look("model.gguf", None).unwrap();
        assert_eq!(first.sha256, Digest::of(b"GGUF and numbers"));
        for other in ["secret", "short", "missing", "."] {
            assert_eq!(look(other, None), None, "{other}");
        }
        // As long as the file is the same, what was found is believed.
        let believed = WeightsFile { sha256: Digest::of(b"earlier"), ..first.clone() };
        assert_eq!(look("model.gguf", Some(&believed)), Some(believed.clone()));
        std::fs::write(at("model.gguf"), b"GGUF and others!").unwrap();
        assert_eq!(look("model.gguf", Some(&believed)).unwrap().sha256, Digest::of(b"GGUF and others!"));
        let stopped = Cancel::new();
        stopped.cancel();
        assert_eq!(hashed(&at("model.gguf"), None, &stopped), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_file_that_a_server_names() {
        for (props, expected) in [
            (json!({ "model_path": "/models/m.gguf" }), Some("/models/m.gguf")),
            (json!({ "model_path": "m.gguf" }), None),
            (json!({ "model_path": 3 }), None),
            (json!({}), None),
        ] {
            assert_eq!(named(&props), expected.map(Path::new), "{props}");
        }
    }
}
