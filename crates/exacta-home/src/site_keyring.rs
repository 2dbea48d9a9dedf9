//! Application passwords of sites in the user's keyring of the Linux kernel: other users cannot read it, every login of this one can, and
//! it is empty when the machine was switched off.

use exacta_kernel::site::SiteName;
use linux_keyutils::{Key, KeyError, KeyPermissionsBuilder, KeyRing, KeyRingIdentifier, Permission};
use zeroize::Zeroizing;

/// The longest password that is kept.
const MOST: usize = 4096;

/// The password of a site; none where none is kept.
pub(crate) fn read(name: &SiteName) -> Option<Zeroizing<String>> {
    let mut buffer = Zeroizing::new(vec![0_u8; MOST]);
    let size = found(name)?.read(&mut *buffer).ok()?;
    let text = str::from_utf8(buffer.get(..size)?).ok()?;
    Some(Zeroizing::new(text.to_owned())).filter(|text| !text.is_empty())
}

/// Keeps the password of a site.
pub(crate) fn keep(name: &SiteName, password: &str) -> Result<(), KeyError> {
    let added = keyring()?.add_key(&description(name), password.as_bytes())?;
    // A login whose session keyring does not lead to the user's has to read it too.
    added.set_perms(KeyPermissionsBuilder::builder().posessor(Permission::ALL).user(Permission::ALL).build())
}

/// Takes the password of a site out, if it is there.
pub(crate) fn forget(name: &SiteName) {
    if let Some(found) = found(name) {
        let _gone = found.invalidate();
    }
}

fn found(name: &SiteName) -> Option<Key> {
    keyring().and_then(|ring| ring.search(&description(name))).ok()
}

fn keyring() -> Result<KeyRing, KeyError> {
    KeyRing::from_special_id(KeyRingIdentifier::User, true)
}

fn description(name: &SiteName) -> String {
    format!("exacta:site:{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_until_it_is_forgotten() {
        let name = SiteName::parse(&format!("test-{}", std::process::id())).unwrap();
        if exacta_testkit::offers(keep(&name, "abcd efgh").is_ok(), "the kernel's keyring") {
            assert_eq!(read(&name).as_deref().map(String::as_str), Some("abcd efgh"));
            keep(&name, "ijkl").unwrap();
            assert_eq!(read(&name).as_deref().map(String::as_str), Some("ijkl"));
            forget(&name);
            assert_eq!(read(&name), None);
        }
    }
}
