//! Names beside a target that some file system takes for the same.

use crate::handle::open_beneath;
use exacta_kernel::path::fold_part;
use rustix::fd::OwnedFd;
use rustix::fs::OFlags;

/// `FS_CASEFOLD_FL`: names in this folder are folded (ext4, f2fs).
const CASEFOLD: u32 = 0x4000_0000;

/// Magic numbers of file systems that fold names: FAT, exFAT, NTFS (two drivers), CIFS, SMB2, HFS+.
const FOLDING: [u64; 7] = [0x4d44, 0x2011_bab0, 0x5346_544e, 0x7366_746e, 0xff53_4d42, 0xfe53_4d42, 0x482b];

/// Whether the file system takes names in this folder that differ by case for the same.
pub(super) fn folds(folder: &OwnedFd) -> bool {
    let Ok(readable) = open_beneath(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY) else { return false };
    let flagged = rustix::fs::ioctl_getflags(&readable).is_ok_and(|flags| flags.bits() & CASEFOLD != 0);
    flagged || rustix::fs::fstatfs(&readable).is_ok_and(|fs| is_folding(fs.f_type))
}

/// Names in this folder that fold to the same as `name` but are spelled otherwise, as paths, sorted.
pub(super) fn lookalikes(folder: &OwnedFd, name: &str, above: Option<&str>) -> Vec<String> {
    let Ok(readable) = open_beneath(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY) else { return Vec::new() };
    let Ok(entries) = rustix::fs::Dir::new(readable) else { return Vec::new() };
    let key = fold_part(name);
    let mut found: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str().map(str::to_owned).ok())
        .filter(|other| other != name && !matches!(other.as_str(), "." | "..") && fold_part(other) == key)
        .map(|other| above.map_or_else(|| other.clone(), |above| format!("{above}/{other}")))
        .collect();
    found.sort();
    found
}

/// The type of `f_type` differs between platforms.
fn is_folding(magic: impl TryInto<i64>) -> bool {
    magic.try_into().is_ok_and(|magic| FOLDING.contains(&(magic as u64 & 0xffff_ffff)))
}
