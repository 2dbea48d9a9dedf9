//! System calls that no command of a sandbox may make: keyrings (the user's unlocked key may be there), tracing, kernel
//! interfaces that a build never needs.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// The filter as `bwrap --seccomp` reads it.
pub(super) fn bytes() -> Result<Vec<u8>, String> {
    let program = program().map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(program.len() * 8);
    for instruction in program {
        bytes.extend(instruction.code.to_ne_bytes());
        bytes.extend([instruction.jt, instruction.jf]);
        bytes.extend(instruction.k.to_ne_bytes());
    }
    Ok(bytes)
}

fn program() -> Result<BpfProgram, seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(seccompiler::Error::Backend)?;
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = calls(&NUMBERS).map(|call| (call, Vec::new())).collect();
    for call in calls(&[SOCKET]) {
        denied.insert(call, vec![foreign_family().map_err(seccompiler::Error::Backend)?]);
    }
    // EPERM, as for a call that the user is not allowed.
    let filter = SeccompFilter::new(denied, SeccompAction::Allow, SeccompAction::Errno(1), arch)
        .map_err(seccompiler::Error::Backend)?;
    filter.try_into().map_err(seccompiler::Error::Backend)
}

/// Calls by number. On x86_64 each has a second one, by which 32-bit-pointer programs call it.
fn calls(numbers: &[i64]) -> impl Iterator<Item = i64> {
    const X32: i64 = 0x4000_0000;
    let x32 = numbers.iter().filter(|_| cfg!(target_arch = "x86_64")).map(|call| call | X32);
    numbers.iter().copied().chain(x32)
}

/// A socket of a family that no network namespace holds back, such as one to the machine's host.
fn foreign_family() -> Result<SeccompRule, seccompiler::BackendError> {
    let others = FAMILIES.map(|family| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family));
    SeccompRule::new(others.into_iter().collect::<Result<_, _>>()?)
}

/// `AF_UNIX, AF_INET, AF_INET6, AF_NETLINK`: these end at the sandbox's own network namespace, or at the files it sees.
const FAMILIES: [u64; 4] = [1, 2, 10, 16];

/// `socket`.
const SOCKET: i64 = if cfg!(target_arch = "x86_64") { 41 } else { 198 };

/// `add_key, request_key, keyctl, ptrace, process_vm_readv, process_vm_writev, bpf, perf_event_open, userfaultfd, io_uring_*`.
#[cfg(target_arch = "x86_64")]
const NUMBERS: [i64; 12] = [248, 249, 250, 101, 310, 311, 321, 298, 323, 425, 426, 427];

/// As above. Other architectures have no numbers here, and `seccompiler` refuses them, so nothing runs there unfiltered.
#[cfg(not(target_arch = "x86_64"))]
const NUMBERS: [i64; 12] = [217, 218, 219, 117, 270, 271, 280, 241, 282, 425, 426, 427];
