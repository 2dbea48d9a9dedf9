//! Owner, group and extended attributes: kept, or the reason why they cannot be.

use crate::handle::{retry, stat};
use rustix::fd::BorrowedFd;
use rustix::fs::{Gid, Uid, XattrFlags};
use rustix::io::Errno;
use std::ffi::CString;

/// What a folder hands down as access rules to files made in it.
const DEFAULT_ACL: &str = "system.posix_acl_default";

/// Attributes that vouch for a file's content or give it powers: they must not pass to other content.
const BOUND_TO_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Gives `to` the owner, group and extended attributes of `from`, or says what it cannot have.
pub(super) fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), String> {
    copy_owner(from, to).map_err(|errno| format!("its owner and group cannot be kept: {errno}"))?;
    let theirs = names(from).map_err(|errno| format!("its extended attributes cannot be listed: {errno}"))?;
    let ours = names(to).map_err(|errno| format!("extended attributes cannot be listed: {errno}"))?;
    for name in &ours {
        if !theirs.contains(name) {
            retry(|| rustix::fs::fremovexattr(to, name.as_c_str())).map_err(|errno| lost(name, errno))?;
        }
    }
    for name in &theirs {
        if BOUND_TO_CONTENT.contains(&name.as_bytes()) {
            return Err(format!("its attribute `{}` holds for its present content only", name.to_string_lossy()));
        }
        copy_one(from, to, name).map_err(|errno| lost(name, errno))?;
    }
    Ok(())
}

/// Whether files made in this folder get access rules from it.
pub(super) fn hands_down_access(folder: BorrowedFd<'_>) -> Result<bool, Errno> {
    match retry(|| rustix::fs::fgetxattr_query(folder, DEFAULT_ACL)) {
        Ok(size) => Ok(size > 0),
        Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn copy_owner(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
    let (theirs, ours) = (stat(from)?, stat(to)?);
    if (theirs.stx_uid, theirs.stx_gid) == (ours.stx_uid, ours.stx_gid) {
        return Ok(());
    }
    let (owner, group) = (Uid::from_raw(theirs.stx_uid), Gid::from_raw(theirs.stx_gid));
    retry(|| rustix::fs::fchown(to, Some(owner), Some(group)))
}

fn copy_one(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &CString) -> Result<(), Errno> {
    let value = value(from, name)?;
    // Most often it is there already, handed down by the folder; some may not be set even to what they are.
    if self::value(to, name).is_ok_and(|ours| ours == value) {
        return Ok(());
    }
    retry(|| rustix::fs::fsetxattr(to, name.as_c_str(), &value, XattrFlags::empty()))
}

fn names(file: BorrowedFd<'_>) -> Result<Vec<CString>, Errno> {
    let query = || rustix::fs::flistxattr_query(file);
    let list = match sized(query, |buffer| rustix::fs::flistxattr(file, buffer)) {
        Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
        answer => answer?,
    };
    Ok(list
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .filter_map(|name| CString::new(name).ok())
        .collect())
}

fn value(file: BorrowedFd<'_>, name: &CString) -> Result<Vec<u8>, Errno> {
    let query = || rustix::fs::fgetxattr_query(file, name.as_c_str());
    sized(query, |buffer| rustix::fs::fgetxattr(file, name.as_c_str(), buffer))
}

/// Asks for the size, then for the bytes, again if they grew in between.
fn sized(
    query: impl Fn() -> Result<usize, Errno>,
    read: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    loop {
        let mut buffer = vec![0_u8; retry(&query)?];
        if buffer.is_empty() {
            return Ok(buffer);
        }
        match retry(|| read(&mut buffer)) {
            Ok(filled) => {
                buffer.truncate(filled);
                return Ok(buffer);
            }
            Err(Errno::RANGE) => {}
            Err(errno) => return Err(errno),
        }
    }
}

fn lost(name: &CString, errno: Errno) -> String {
    format!("its attribute `{}` cannot be kept: {errno}", name.to_string_lossy())
}
