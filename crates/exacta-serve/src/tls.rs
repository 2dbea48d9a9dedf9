//! TLS, for whoever reaches the server from another machine: the operator's certificate and key, rustls, nothing older than TLS 1.2.

use exacta_app::{Error, Exit, Options};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Where the certificate and its key are.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate, and those that lead to one that others trust; PEM.
    pub certificate: PathBuf,
    /// Its key; PEM, and nobody else's to read.
    pub key: PathBuf,
}

/// What answers a handshake.
///
/// # Errors
/// If the files cannot be read or do not belong together, or others can read the key.
pub fn acceptor(files: &TlsFiles, options: &Options) -> Result<TlsAcceptor, Error> {
    for file in [&files.certificate, &files.key] {
        outside(file, options)?;
    }
    let certificates = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(&files.certificate, &error.to_string()))?;
    if certificates.is_empty() {
        return Err(unusable(&files.certificate, "there is no certificate in it"));
    }
    private(&files.key)?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| unusable(&files.key, &error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| unusable(&files.certificate, &error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// That no agent can read or exchange a file.
fn outside(file: &Path, options: &Options) -> Result<(), Error> {
    let path = std::path::absolute(file).map_err(|error| unusable(file, &error.to_string()))?;
    match exacta_app::project_on_the_way(options, &path)? {
        None => Ok(()),
        Some(project) => {
            let why = format!("it is reached through the project `{}`, where agents write", project.display());
            Err(unusable(file, &why).hint("keep certificate and key outside every project"))
        }
    }
}

/// That nobody else can read the key.
#[expect(clippy::disallowed_methods, reason = "the operator's own file, outside every project")]
fn private(key: &Path) -> Result<(), Error> {
    let found = std::fs::metadata(key).map_err(|error| unusable(key, &error.to_string()))?;
    if found.mode() & 0o077 == 0 {
        return Ok(());
    }
    let (path, mode) = (key.display(), found.mode() & 0o777);
    Err(Error::new(Exit::Usage, "tls_unusable", format!("others can read the key `{path}`: its mode is {mode:o}"))
        .hint(format!("`chmod 600 {path}`")))
}

fn unusable(path: &Path, why: &str) -> Error {
    Error::new(Exit::Usage, "tls_unusable", format!("cannot use `{}` for TLS: {why}", path.display()))
        .hint("`--tls-certificate` and `--tls-key` name PEM files that belong together")
}
