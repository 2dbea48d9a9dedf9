//! System calls that no command of a sandbox may make: keyrings (the user's unlocked key may be there), tracing, kernel
//! interfaces that a build never needs, and whatever gives a file more rights than whoever starts it.
//!
//! A folder in `writes` outlives the sandbox. A set-user-id program in it would lend the operator's rights to everybody, so no
//! call may set such a mode, and none may give a file attributes, among which are capabilities.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;

/// The filter as `bwrap --seccomp` reads it.
///
/// # Errors
/// Where this architecture has none.
pub fn bytes() -> Result<Vec<u8>, String> {
    let program = program().map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(program.len() * 8);
    for instruction in program {
        bytes.extend(instruction.code.to_ne_bytes());
        bytes.extend([instruction.jt, instruction.jf]);
        bytes.extend(instruction.k.to_ne_bytes());
    }
    Ok(bytes)
}

fn program() -> Result<BpfProgram, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = calls::DENIED.iter().map(|call| (*call, Vec::new())).collect();
    denied.insert(calls::SOCKET, vec![foreign_family()?]);
    denied.insert(calls::SOCKETPAIR, named_pair()?);
    denied.insert(calls::IOCTL, typing()?);
    for (call, mode) in calls::SET_MODE {
        denied.insert(*call, set_id(*mode, None)?);
    }
    for (call, flags) in calls::OPEN {
        denied.insert(*call, set_id(flags + 1, Some(*flags))?);
    }
    // As for a call that the user is not allowed. Calls of another architecture end the command.
    let filter = SeccompFilter::new(denied, SeccompAction::Allow, SeccompAction::Errno(EPERM), arch)?;
    let filter: BpfProgram = filter.try_into()?;
    Ok(missing().into_iter().chain(filter).collect())
}

/// A socket of a family that no network namespace holds back, such as one to the machine's host. Local ones are among them: whoever can
/// write to a folder that the command sees could pass it a handle by one, such as a handle of `/`, and it would reach by that whatever
/// it is not shown.
fn foreign_family() -> Result<SeccompRule, BackendError> {
    let others = FAMILIES.map(|family| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family));
    SeccompRule::new(others.into_iter().collect::<Result<_, _>>()?)
}

/// A pair of sockets whose ends need not stay a pair: one that sends single messages can be parted, be given a name, and hear from
/// everybody.
fn named_pair() -> Result<Vec<SeccompRule>, BackendError> {
    let rule = |argument, how, value| {
        SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)?])
    };
    let kinds = (0..=SOCKET_KIND).filter(|kind| !PAIRS.contains(kind));
    let mut rules = vec![rule(0, SeccompCmpOp::Ne, LOCAL_FAMILY)?];
    for kind in kinds {
        rules.push(rule(1, SeccompCmpOp::MaskedEq(SOCKET_KIND), kind)?);
    }
    Ok(rules)
}

/// What puts characters into a terminal as if the user had typed them.
fn typing() -> Result<Vec<SeccompRule>, BackendError> {
    let rule =
        |request| SeccompRule::new(vec![SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?]);
    TYPING.into_iter().map(rule).collect()
}

/// Whether an argument is a mode with set-user-id or set-group-id. Where the call has flags, it is a mode only if they ask for a
/// new file; otherwise anything may stand there.
fn set_id(mode: u8, flags: Option<u8>) -> Result<Vec<SeccompRule>, BackendError> {
    let has = |argument: u8, bit: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bit), bit)
    };
    let mut rules = Vec::new();
    for bit in SET_ID {
        match flags {
            None => rules.push(SeccompRule::new(vec![has(mode, bit)?])?),
            Some(flags) => {
                for new in NEW_FILE {
                    rules.push(SeccompRule::new(vec![has(flags, new)?, has(mode, bit)?])?);
                }
            }
        }
    }
    Ok(rules)
}

/// Answers some calls as a kernel does that lacks them, before anything else is looked at: their arguments are in memory, where no
/// filter sees them, and programs know how to do without them. The same for every call with the bit by which programs with 32-bit
/// pointers call on x86_64: some have other numbers there, and hardly any system has such programs.
fn missing() -> Vec<sock_filter> {
    let answer = |errno: u32| sock_filter { code: RETURN, jt: 0, jf: 0, k: SECCOMP_ERRNO | errno };
    let mut program = vec![
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: IF_AT_LEAST, jt: 0, jf: 1, k: X32 },
        answer(ENOSYS),
    ];
    let unknown = calls::UNKNOWN.iter().map(|call| (*call, ENOSYS));
    let unsupported = calls::SET_ATTRIBUTE.iter().map(|call| (*call, EOPNOTSUPP));
    for (call, errno) in unknown.chain(unsupported) {
        program.extend([sock_filter { code: IF_EQUAL, jt: 0, jf: 1, k: call }, answer(errno)]);
    }
    program
}

/// Instructions of the filter: load the number of the call, compare it, answer.
const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

/// The answer that fails a call with an error.
const SECCOMP_ERRNO: u32 = 0x0005_0000;

const EPERM: u32 = 1;
const ENOSYS: u32 = 38;
const EOPNOTSUPP: u32 = 95;

/// The bit of calls by programs with 32-bit pointers.
const X32: u32 = 0x4000_0000;

/// `TIOCSTI, TIOCLINUX`.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// `S_ISUID, S_ISGID`.
const SET_ID: [u64; 2] = [0o4000, 0o2000];

/// `O_CREAT`, and the bit that `O_TMPFILE` has alone.
const NEW_FILE: [u64; 2] = [0o100, 0o20_000_000];

/// `AF_INET, AF_INET6, AF_NETLINK`: these end at the sandbox's own network namespace.
const FAMILIES: [u64; 3] = [2, 10, 16];

/// `AF_UNIX`.
const LOCAL_FAMILY: u64 = 1;

/// The bits of a socket's type that are no flags.
const SOCKET_KIND: u64 = 0xf;

/// `SOCK_STREAM, SOCK_SEQPACKET`: each end hears from the other and from nobody else, also if it is given a name.
const PAIRS: [u64; 2] = [1, 5];

/// Calls by number. Other architectures have none here, and `seccompiler` refuses them, so nothing runs there unfiltered.
#[cfg(target_arch = "x86_64")]
mod calls {
    /// `add_key, request_key, keyctl, ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, bpf, perf_event_open, userfaultfd`.
    pub const DENIED: [i64; 10] = [248, 249, 250, 101, 310, 311, 438, 321, 298, 323];
    pub const IOCTL: i64 = 16;
    pub const SOCKET: i64 = 41;
    pub const SOCKETPAIR: i64 = 53;
    /// `chmod, fchmod, fchmodat, fchmodat2, creat, mkdir, mkdirat, mknod, mknodat`, each with the place of its mode.
    pub const SET_MODE: &[(i64, u8)] =
        &[(90, 1), (91, 1), (268, 2), (452, 2), (85, 1), (83, 1), (258, 2), (133, 1), (259, 2)];
    /// `open, openat`, each with the place of its flags; the mode follows.
    pub const OPEN: &[(i64, u8)] = &[(2, 1), (257, 2)];
    /// `openat2, io_uring_setup, io_uring_enter, io_uring_register`.
    pub const UNKNOWN: [u32; 4] = [437, 425, 426, 427];
    /// `setxattr, lsetxattr, fsetxattr, setxattrat`.
    pub const SET_ATTRIBUTE: [u32; 4] = [188, 189, 190, 463];
}

/// As above; what there is only as a call with `at` is missing.
#[cfg(not(target_arch = "x86_64"))]
mod calls {
    pub const DENIED: [i64; 10] = [217, 218, 219, 117, 270, 271, 438, 280, 241, 282];
    pub const IOCTL: i64 = 29;
    pub const SOCKET: i64 = 198;
    pub const SOCKETPAIR: i64 = 199;
    /// `fchmod, fchmodat, fchmodat2, mkdirat, mknodat`.
    pub const SET_MODE: &[(i64, u8)] = &[(52, 1), (53, 2), (452, 2), (34, 2), (33, 2)];
    /// `openat`.
    pub const OPEN: &[(i64, u8)] = &[(56, 2)];
    pub const UNKNOWN: [u32; 4] = [437, 425, 426, 427];
    pub const SET_ATTRIBUTE: [u32; 4] = [5, 6, 7, 463];
}
