//! Arguments of the server.

use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

/// `exacta serve`
#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen, on this machine; port 0 takes any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7437")]
    pub listen: SocketAddr,
    /// Whose page it is; default: the owner of the oldest key here
    #[arg(long, value_name = "NAME")]
    pub approver: Option<String>,
    /// Let other machines reach it, with TLS
    #[arg(long, requires = "tls_certificate")]
    pub beyond_this_machine: bool,
    /// The certificate for TLS, and those that lead to a trusted one: a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's key: a PEM file that nobody else can read
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// The name by which other machines reach it, as in the certificate
    #[arg(long, value_name = "HOST", requires = "tls_certificate", value_parser = host)]
    pub name: Option<String>,
    /// Open the page in your browser
    #[arg(long)]
    pub open: bool,
    /// Print systemd user units (a socket and its service) that serve the same, and end
    #[arg(long)]
    pub unit: bool,
}

/// A name without a port: letters, digits, dots and hyphens, as names of hosts have.
fn host(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    if is_name { Ok(text.to_ascii_lowercase()) } else { Err("a host's name, such as `build.example.com`".to_owned()) }
}
