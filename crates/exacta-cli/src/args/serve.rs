//! Arguments of the server.

use clap::Args;
use std::net::SocketAddr;

/// `exacta serve`
#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen, on this machine; port 0 takes any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7437")]
    pub listen: SocketAddr,
    /// Whose page it is; default: the owner of the oldest key here
    #[arg(long, value_name = "NAME")]
    pub approver: Option<String>,
    /// Open the page in your browser
    #[arg(long)]
    pub open: bool,
    /// Print a systemd user unit that serves this project, and end
    #[arg(long)]
    pub unit: bool,
}
