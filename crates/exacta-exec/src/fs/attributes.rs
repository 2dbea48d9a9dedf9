//! Owner, group, flags and extended attributes: kept, or the reason why they cannot be.

use crate::handle::{retry, stat};
use rustix::fd::BorrowedFd;
use rustix::fs::{Gid, IFlags, Uid, XattrFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::CString;

/// What a folder hands down as access rules to files made in it.
const DEFAULT_ACL: &str = "system.posix_acl_default";

/// Attributes that vouch for a file's content or give it powers: they must not pass to other content.
const BOUND_TO_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// What a file has besides bytes and mode.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attributes {
    pub(crate) owner: u32,
    pub(crate) group: u32,
    /// What `chattr` sets, as far as it belongs to the file and not to how its bytes lie on the disk.
    pub(crate) flags: u32,
    /// Extended attributes, access rules and labels among them. In a journal names and values are in hexadecimal: they are any bytes.
    #[serde(with = "hexadecimal")]
    pub(crate) extended: BTreeMap<CString, Vec<u8>>,
}

impl Attributes {
    /// An attribute that holds for the present content of its file only, and so stands against changing it.
    pub(crate) fn bound_to_content(&self) -> Option<String> {
        let bound = self.extended.keys().find(|name| BOUND_TO_CONTENT.contains(&name.as_bytes()))?;
        Some(bound.to_string_lossy().into_owned())
    }
}

/// Flags that belong to a file: what is done when it is written, read, dumped or deleted. Immutable and append-only ones are refused
/// before.
const FLAGS: IFlags = IFlags::COMPRESSED
    .union(IFlags::JOURNALING)
    .union(IFlags::NOATIME)
    .union(IFlags::NOCOW)
    .union(IFlags::NODUMP)
    .union(IFlags::NOTAIL)
    .union(IFlags::SECURE_REMOVAL)
    .union(IFlags::SYNC)
    .union(IFlags::UNRM);

/// The flags of a file, of those that belong to it; none where its file system has no flags.
pub(super) fn flags(file: BorrowedFd<'_>) -> Result<u32, Errno> {
    match retry(|| rustix::fs::ioctl_getflags(file)) {
        Ok(flags) => Ok(flags.intersection(FLAGS).bits()),
        Err(Errno::NOTTY | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(0),
        Err(errno) => Err(errno),
    }
}

/// Gives a file exactly these flags of those that belong to it.
fn flag(file: BorrowedFd<'_>, flags: u32) -> Result<(), Errno> {
    if self::flags(file)? == flags {
        return Ok(());
    }
    let others = retry(|| rustix::fs::ioctl_getflags(file))?.difference(FLAGS);
    retry(|| rustix::fs::ioctl_setflags(file, others.union(IFlags::from_bits_retain(flags))))?;
    // Some file systems say yes to what they do not do.
    if self::flags(file)? == flags { Ok(()) } else { Err(Errno::OPNOTSUPP) }
}

/// The extended attributes of a file.
pub(super) fn extended(file: BorrowedFd<'_>) -> Result<BTreeMap<CString, Vec<u8>>, Errno> {
    let mut extended = BTreeMap::new();
    for name in names(file)? {
        match value(file, &name) {
            Ok(value) => drop(extended.insert(name, value)),
            // Taken away since it was listed.
            Err(Errno::NODATA) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(extended)
}

/// Gives a file exactly these attributes, or says what it cannot have.
pub(super) fn give(file: BorrowedFd<'_>, attributes: &Attributes) -> Result<(), String> {
    own(file, attributes).map_err(|errno| format!("its owner and group cannot be kept: {errno}"))?;
    flag(file, attributes.flags).map_err(|errno| format!("its flags (`lsattr`) cannot be kept: {errno}"))?;
    let ours = extended(file).map_err(|errno| format!("extended attributes cannot be listed: {errno}"))?;
    for name in ours.keys().filter(|name| !attributes.extended.contains_key(*name)) {
        retry(|| rustix::fs::fremovexattr(file, name.as_c_str())).map_err(|errno| lost(name, errno))?;
    }
    for (name, value) in &attributes.extended {
        // Most often it is there already, handed down by the folder; some may not be set even to what they are.
        if ours.get(name) != Some(value) {
            retry(|| rustix::fs::fsetxattr(file, name.as_c_str(), value, XattrFlags::empty()))
                .map_err(|errno| lost(name, errno))?;
        }
    }
    Ok(())
}

/// Bytes as text.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::collections::BTreeMap;
    use std::ffi::CString;

    pub(super) fn serialize<S: Serializer>(map: &BTreeMap<CString, Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(map.iter().map(|(name, value)| (text(name.as_bytes()), text(value))))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<CString, Vec<u8>>, D::Error> {
        let odd = || D::Error::custom("not bytes in hexadecimal");
        let map = BTreeMap::<String, String>::deserialize(from)?;
        let pair = |(name, value): (String, String)| {
            let name = bytes(&name).and_then(|name| CString::new(name).ok()).ok_or_else(odd)?;
            Ok((name, bytes(&value).ok_or_else(odd)?))
        };
        map.into_iter().map(pair).collect()
    }

    fn text(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn bytes(text: &str) -> Option<Vec<u8>> {
        let pairs = text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
        pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
    }
}

/// Whether files made in this folder get access rules from it.
pub(super) fn hands_down_access(folder: BorrowedFd<'_>) -> Result<bool, Errno> {
    match retry(|| rustix::fs::fgetxattr_query(folder, DEFAULT_ACL)) {
        Ok(size) => Ok(size > 0),
        Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn own(file: BorrowedFd<'_>, attributes: &Attributes) -> Result<(), Errno> {
    let ours = stat(file)?;
    if (attributes.owner, attributes.group) == (ours.stx_uid, ours.stx_gid) {
        return Ok(());
    }
    let (owner, group) = (Uid::from_raw(attributes.owner), Gid::from_raw(attributes.group));
    retry(|| rustix::fs::fchown(file, Some(owner), Some(group)))
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
