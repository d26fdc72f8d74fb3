//! Test certificates from `fixtures/tls`, written as an operator's files.

use std::path::Path;

use lastro::setup::Setup;
use tempfile::TempDir;

/// A self-signed certificate for this machine, and its key.
pub(crate) struct TestCertificate {
    certificate: &'static str,
    key: &'static str,
}

impl TestCertificate {
    pub(crate) fn new() -> Self {
        let certificate = include_str!("../../../../fixtures/tls/own-1.crt");
        Self { certificate, key: include_str!("../../../../fixtures/tls/own-1.key") }
    }

    /// A second certificate for the same names.
    pub(crate) fn other() -> Self {
        let certificate = include_str!("../../../../fixtures/tls/own-2.crt");
        Self { certificate, key: include_str!("../../../../fixtures/tls/own-2.key") }
    }

    /// One that nobody accepts any more.
    pub(crate) fn expired() -> Self {
        let certificate = include_str!("../../../../fixtures/tls/expired.crt");
        Self { certificate, key: include_str!("../../../../fixtures/tls/expired.key") }
    }

    pub(crate) fn certificate_pem(&self) -> &str {
        self.certificate
    }

    pub(crate) fn key_pem(&self) -> &str {
        self.key
    }

    /// Writes both files to the paths that [`serve_tls`] sets.
    pub(crate) fn write(&self, directory: &Path) {
        std::fs::write(directory.join("tls.crt"), self.certificate).unwrap();
        std::fs::write(directory.join("tls.key"), self.key).unwrap();
    }

    /// A client that trusts only this certificate.
    pub(crate) fn client(&self) -> reqwest::ClientBuilder {
        let certificate = reqwest::Certificate::from_pem(self.certificate.as_bytes()).unwrap();
        crate::app::client().tls_certs_only([certificate])
    }
}

/// Configures the service with the certificate in the directory.
pub(crate) fn serve_tls(setup: &mut Setup, directory: &TempDir) {
    let tls = &mut setup.settings.tls;
    (tls.tls_cert, tls.tls_key) =
        (Some(directory.path().join("tls.crt")), Some(directory.path().join("tls.key")));
}
