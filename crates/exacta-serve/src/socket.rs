//! A socket that was opened before this program was started: systemd's socket activation.

use exacta_app::{Error, Exit};
use rustix::fd::OwnedFd;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use std::net::TcpListener;

/// The number of the first open file that is given (`SD_LISTEN_FDS_START`).
const FIRST: i32 = 3;

/// The socket that whoever started this process opened for it, if one was.
///
/// # Errors
/// If there are several, or it is none that connections come to.
pub fn given() -> Result<Option<TcpListener>, Error> {
    let told = |name: &str| std::env::var(name).ok()?.parse::<i32>().ok();
    // What was meant for another process is not ours.
    if told("LISTEN_PID") != Some(getpid().as_raw_pid()) {
        return Ok(None);
    }
    match told("LISTEN_FDS") {
        None | Some(0) => Ok(None),
        Some(1) => listener().map(Some),
        Some(several) => Err(unusable(&format!("there are {several} of them"))),
    }
}

fn listener() -> Result<TcpListener, Error> {
    let failed = |error: rustix::io::Errno| unusable(&error.to_string());
    let own = pidfd_open(getpid(), PidfdFlags::empty()).map_err(failed)?;
    let socket: OwnedFd = pidfd_getfd(own, FIRST, PidfdGetfdFlags::empty()).map_err(failed)?;
    // The one that was given stays open as long as this process; nothing that is started from here gets it.
    close_fds::set_fds_cloexec_threadsafe(FIRST, &[]);
    let accepts = rustix::net::sockopt::socket_acceptconn(&socket).map_err(failed)?;
    if !accepts {
        return Err(unusable("no connections come to it"));
    }
    let listener = TcpListener::from(socket);
    match listener.local_addr() {
        Ok(_) => Ok(listener),
        Err(error) => Err(unusable(&error.to_string())),
    }
}

fn unusable(why: &str) -> Error {
    Error::new(
        Exit::Usage,
        "socket_unusable",
        format!("the socket that this server was started with cannot be used: {why}"),
    )
    .hint("a socket unit for it has one `ListenStream=` with an address and a port")
}
