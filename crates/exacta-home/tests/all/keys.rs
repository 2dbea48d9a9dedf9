//! Key files: sealed and plain, right and wrong passphrases, and damage.

use crate::{at, home};
use exacta_home::{KeyError, KeyFile};
use exacta_kernel::approval::{ApproverName, Statement, Verb};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{PlanId, ProjectId};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const SOME_ID: &str = "019a2f3e-7c1d-7e2a-9b4f-0123456789ab";

fn name(text: &str) -> ApproverName {
    ApproverName::parse(text).unwrap()
}

fn statement(approver: &str) -> Statement {
    let (project, plan) = (ProjectId::parse(SOME_ID).unwrap(), PlanId::parse(SOME_ID).unwrap());
    Statement::new(Verb::Approve, project, plan, Digest::of(b"plan"), name(approver), at(0), at(60))
}

#[test]
fn a_plain_key_signs_for_its_owner_alone() {
    let (_folder, home) = home();
    let path = home.key_path(&name("ada"));
    KeyFile::generate(&name("ada"), None).unwrap().0.save(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    let file = KeyFile::load(&path).unwrap();
    assert!(!file.is_encrypted());
    let key = file.unlock(None).unwrap();
    let signed = key.sign(&statement("ada")).unwrap();
    assert!(file.public_key().verifies(&signed.statement.signing_bytes().unwrap(), &signed.signature));
    assert!(matches!(key.sign(&statement("bob")), Err(KeyError::NotTheirs { .. })));
}

#[test]
fn a_sealed_key_opens_with_its_passphrase_alone() {
    let (_folder, home) = home();
    let path = home.key_path(&name("ada"));
    let (file, made) = KeyFile::generate(&name("ada"), Some("correct horse")).unwrap();
    file.save(&path).unwrap();
    let file = KeyFile::load(&path).unwrap();
    assert!(file.is_encrypted());
    assert!(matches!(file.unlock(None), Err(KeyError::PassphraseNeeded(_))));
    assert!(matches!(file.unlock(Some("wrong horse")), Err(KeyError::WrongPassphrase(_))));
    assert_eq!(file.unlock(Some("correct horse")).unwrap().public_key(), made.public_key());
    assert!(matches!(KeyFile::generate(&name("ada"), Some("")), Err(KeyError::EmptyPassphrase)));
}

#[test]
fn a_changed_key_file_does_not_open() {
    let (_folder, home) = home();
    let path = home.key_path(&name("ada"));
    KeyFile::generate(&name("ada"), Some("pass")).unwrap().0.save(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let other = KeyFile::generate(&name("bob"), None).unwrap().0.public_key().to_string();
    let own = KeyFile::load(&path).unwrap().public_key().to_string();
    let opened = |changed: &str| {
        assert_ne!(changed, text);
        fs::write(&path, changed).unwrap();
        KeyFile::load(&path).and_then(|file| file.unlock(Some("pass"))).map(|_| ()).unwrap_err()
    };
    assert!(matches!(opened(&text.replace("\"ada\"", "\"bob\"")), KeyError::WrongPassphrase(_)));
    assert!(matches!(opened(&text.replace(&own, &other)), KeyError::WrongPassphrase(_)));
    assert!(matches!(opened(&text.replace("\"passes\": 3", "\"passes\": 1")), KeyError::WrongPassphrase(_)));
    assert!(matches!(opened(&text.replace("\"passes\": 3", "\"passes\": 4000000000")), KeyError::Damaged(_)));
    assert!(matches!(opened(&text.replace("65536", "4000000000")), KeyError::Damaged(_)));
    for damaged in ["", "{}", "null", &text.replace("exacta.key/1", "exacta.key/2"), &text.replace("argon2id", "none")]
    {
        assert!(matches!(opened(damaged), KeyError::File(_)), "{damaged}");
    }
}

#[test]
fn neither_errors_nor_debug_output_tell_a_seed() {
    let (_folder, home) = home();
    let path = home.key_path(&name("ada"));
    let (file, key) = KeyFile::generate(&name("ada"), None).unwrap();
    file.save(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let seed = text.split('"').find(|part| part.len() == 64).unwrap();
    assert!(!format!("{file:?} {key:?}").contains(seed));
    for damaged in
        [text.replace(seed, &seed[1..]), text.replace(seed, &seed.to_uppercase()), text.replace("\"seed\"", "\"sead\"")]
    {
        fs::write(&path, damaged).unwrap();
        if let Err(error) = KeyFile::load(&path) {
            let told = format!("{error} {error:?} {:?}", error.hint());
            assert!(!told.to_lowercase().contains(&seed[1..20]), "{told}");
        }
    }
}

#[test]
fn a_key_is_never_overwritten_and_never_shared() {
    let (_folder, home) = home();
    let path = home.key_path(&name("ada"));
    assert!(matches!(KeyFile::load(&path), Err(KeyError::Missing(_))));
    KeyFile::generate(&name("ada"), None).unwrap().0.save(&path).unwrap();
    let first = fs::read(&path).unwrap();
    assert!(matches!(KeyFile::generate(&name("ada"), None).unwrap().0.save(&path), Err(KeyError::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), first);
    for shared in [0o640, 0o604] {
        fs::set_permissions(&path, fs::Permissions::from_mode(shared)).unwrap();
        assert!(matches!(KeyFile::load(&path), Err(KeyError::File(_))), "{shared:o}");
    }
}

#[test]
fn the_log_has_a_key_of_its_own_that_stays() {
    let (_folder, home) = home();
    assert!(home.log_public_key().unwrap().is_none());
    let keys: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| home.log_key().unwrap().public_key())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(keys.iter().all(|key| *key == keys[0]), "of many who come first, one makes it");
    assert_eq!(home.log_public_key().unwrap(), Some(keys[0]));
    let key = home.log_key().unwrap();
    assert!(key.public_key().verifies(b"checkpoint", &key.sign(b"checkpoint")));
}
