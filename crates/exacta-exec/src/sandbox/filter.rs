//! System calls that no command of a sandbox may make: keyrings (the user's unlocked key may be there), tracing, kernel
//! interfaces that a build never needs.

use rustix::fd::{AsRawFd as _, OwnedFd};
use rustix::fs::{MemfdFlags, SeekFrom};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use std::collections::BTreeMap;

/// A filter in memory, to be handed to `bwrap` by number.
pub(super) struct FilterFile(OwnedFd);

impl FilterFile {
    /// The number that `bwrap --seccomp` takes; inherited by child processes.
    pub fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }
}

/// The filter as a file in memory.
pub(super) fn memory_file() -> Result<FilterFile, String> {
    let program = program().map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(program.len() * 8);
    for instruction in program {
        bytes.extend(instruction.code.to_ne_bytes());
        bytes.extend([instruction.jt, instruction.jf]);
        bytes.extend(instruction.k.to_ne_bytes());
    }
    let file = rustix::fs::memfd_create("exacta-filter", MemfdFlags::empty()).map_err(|errno| errno.to_string())?;
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let n = rustix::io::write(&file, rest).map_err(|errno| errno.to_string())?;
        rest = rest.get(n..).unwrap_or_default();
    }
    rustix::fs::seek(&file, SeekFrom::Start(0)).map_err(|errno| errno.to_string())?;
    Ok(FilterFile(file))
}

fn program() -> Result<BpfProgram, seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(seccompiler::Error::Backend)?;
    let denied: BTreeMap<i64, Vec<seccompiler::SeccompRule>> = calls().map(|call| (call, Vec::new())).collect();
    // EPERM, as for a call that the user is not allowed.
    let filter = SeccompFilter::new(denied, SeccompAction::Allow, SeccompAction::Errno(1), arch)
        .map_err(seccompiler::Error::Backend)?;
    filter.try_into().map_err(seccompiler::Error::Backend)
}

/// The denied calls by number. On x86_64 each has a second one, by which 32-bit-pointer programs call it.
fn calls() -> impl Iterator<Item = i64> {
    const X32: i64 = 0x4000_0000;
    let x32 = NUMBERS.iter().filter(|_| cfg!(target_arch = "x86_64")).map(|call| call | X32);
    NUMBERS.iter().copied().chain(x32)
}

/// `add_key, request_key, keyctl, ptrace, process_vm_readv, process_vm_writev, bpf, perf_event_open, userfaultfd, io_uring_*`.
#[cfg(target_arch = "x86_64")]
const NUMBERS: [i64; 12] = [248, 249, 250, 101, 310, 311, 321, 298, 323, 425, 426, 427];

/// As above. Other architectures have no numbers here, and `seccompiler` refuses them, so nothing runs there unfiltered.
#[cfg(not(target_arch = "x86_64"))]
const NUMBERS: [i64; 12] = [217, 218, 219, 117, 270, 271, 280, 241, 282, 425, 426, 427];
