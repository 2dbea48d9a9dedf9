//! What a command prints: passed on as it comes, its end kept.

use super::Ended;
use crate::handle::retry;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much of the end is kept, in bytes.
const KEPT: usize = 64 * 1024;

/// How often a cancel is looked for while a command is silent. A signal that raises it need not interrupt a wait.
const LOOK: Duration = Duration::from_millis(50);

/// How long a command may go on.
pub(super) struct Limit<'a> {
    pub deadline: Instant,
    pub cancel: &'a AtomicBool,
}

impl Limit<'_> {
    /// How a command ends now, if it must.
    pub fn reached(&self) -> Option<Ended> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(Ended::Cancelled)
        } else {
            (Instant::now() >= self.deadline).then_some(Ended::TimedOut)
        }
    }

    fn next_look(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).min(LOOK)
    }
}

/// What was read.
pub(super) struct Printed {
    /// Its end.
    pub tail: String,
    /// How much it was in all, in bytes.
    pub total: u64,
}

/// The reading end of a command's output.
pub(super) struct Output {
    reader: OwnedFd,
    tail: VecDeque<u8>,
    total: u64,
}

impl Output {
    /// A pipe: the reading end, and the end for the command.
    pub fn pipe() -> std::io::Result<(Self, OwnedFd)> {
        let (reader, writer) = std::io::pipe()?;
        Ok((Self { reader: reader.into(), tail: VecDeque::new(), total: 0 }, writer.into()))
    }

    /// Reads until everybody who could write is gone, or the limit is reached.
    pub fn read_within(&mut self, limit: &Limit<'_>, watch: &mut dyn FnMut(&[u8])) -> std::io::Result<()> {
        let mut chunk = vec![0_u8; 16 * 1024];
        while limit.reached().is_none() {
            let turn = Timespec::try_from(limit.next_look()).map_err(|_| Errno::INVAL)?;
            let mut fds = [PollFd::new(&self.reader, PollFlags::IN)];
            if retry(|| poll(&mut fds, Some(&turn)))? == 0 {
                continue;
            }
            let n = retry(|| rustix::io::read(&self.reader, chunk.as_mut_slice()))?;
            let bytes = chunk.get(..n).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            watch(bytes);
            self.keep(bytes);
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        self.tail.extend(bytes);
        let over = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..over);
    }

    /// Reads no more. Whoever still writes is refused, and does not wait until there is room.
    pub fn close(self) -> Printed {
        let bytes: Vec<u8> = self.tail.into();
        Printed { tail: String::from_utf8_lossy(&bytes).into_owned(), total: self.total }
    }
}
