//! What the two ends of a sandbox tell each other before the agent begins: a byte, some words, and handles.
//!
//! Handles are passed, not inherited: whatever else is open here stays here.

use rustix::cmsg_space;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;

/// The most handles in a message.
pub const MOST: usize = 24;

/// The longest message, in bytes.
const LONGEST: usize = 4096;

/// Two ends that keep messages apart: two that are sent one right after the other are heard as two.
pub fn pair() -> std::io::Result<(UnixStream, UnixStream)> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    Ok((ours.into(), theirs.into()))
}

/// Says something, with handles.
pub fn tell(to: impl AsFd, words: &[u8], handles: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !handles.is_empty() && !control.push(SendAncillaryMessage::ScmRights(handles)) {
        return Err(Errno::TOOBIG);
    }
    let words = words.get(..LONGEST.min(words.len())).unwrap_or_default();
    sendmsg(to, &[IoSlice::new(words)], &mut control, SendFlags::NOSIGNAL).map(drop)
}

/// Words, and handles.
pub type Heard = (Vec<u8>, Vec<OwnedFd>);

/// What the other end says; nothing if it is gone.
pub fn hear(from: impl AsFd) -> Result<Option<Heard>, Errno> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut words = vec![0; LONGEST];
    let received = loop {
        let mut slices = [IoSliceMut::new(&mut words)];
        match recvmsg(from.as_fd(), &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            received => break received?,
        }
    };
    let mut handles = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(passed) = message {
            handles.extend(passed);
        }
    }
    words.truncate(received.bytes);
    Ok((!words.is_empty()).then_some((words, handles)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that cannot be started says so right after all was ready.
    #[test]
    fn two_messages_are_heard_as_two() {
        let (here, there) = pair().unwrap();
        tell(&there, b"ready", &[there.as_fd()]).unwrap();
        tell(&there, b"no such program", &[]).unwrap();
        drop(there);
        let (words, handles) = hear(&here).unwrap().unwrap();
        assert_eq!((words.as_slice(), handles.len()), (&b"ready"[..], 1));
        drop(handles);
        assert_eq!(hear(&here).unwrap().unwrap().0, b"no such program");
        assert!(hear(&here).unwrap().is_none(), "the other end is gone");
    }
}
