//! The user's own home folder, as the system has it: `HOME` is whatever the caller says.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// The home folder of whoever runs this, if the system's list of accounts has one.
#[must_use]
pub fn home() -> Option<PathBuf> {
    of(&std::fs::read("/etc/passwd").ok()?, rustix::process::getuid().as_raw())
}

fn of(accounts: &[u8], user: u32) -> Option<PathBuf> {
    let mut lines = accounts.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b':'));
    let home = lines.find_map(|mut fields| {
        let id = std::str::from_utf8(fields.nth(2)?).ok()?.parse::<u32>().ok()?;
        (id == user).then(|| fields.nth(2)).flatten()
    });
    home.map(|home| PathBuf::from(OsStr::from_bytes(home))).filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_47_a_home_folder_is_found_by_the_users_number() {
        let accounts = b"root:x:0:0:root:/root:/bin/sh\n# 7\n\nodd:x:no:1::/odd:\nme:x:1000:1000:M, E:/home/m e:/bin/sh\nnone:x:7:7:::\n";
        let cases = [(0, Some("/root")), (1000, Some("/home/m e")), (7, None), (8, None)];
        for (user, expected) in cases {
            assert_eq!(of(accounts, user), expected.map(PathBuf::from), "{user}");
        }
    }
}
