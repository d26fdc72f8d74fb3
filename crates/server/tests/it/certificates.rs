//! Certificates that a test makes for itself, as files of an operator.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lastro::state::Setup;
use tempfile::TempDir;

/// A certificate for this machine that vouches for itself, and its key.
pub(crate) struct TestCertificate {
    der: Vec<u8>,
    key: Vec<u8>,
}

impl TestCertificate {
    pub(crate) fn new() -> Self {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        Self { der: made.cert.der().to_vec(), key: made.signing_key.serialize_der() }
    }

    pub(crate) fn certificate_pem(&self) -> String {
        pem("CERTIFICATE", &self.der)
    }

    pub(crate) fn key_pem(&self) -> String {
        pem("PRIVATE KEY", &self.key)
    }

    /// Puts both where [`serve_tls`] has them read.
    pub(crate) fn write(&self, directory: &Path) {
        std::fs::write(directory.join("tls.crt"), self.certificate_pem()).unwrap();
        std::fs::write(directory.join("tls.key"), self.key_pem()).unwrap();
    }

    /// A client that believes this certificate and no other.
    pub(crate) fn client(&self) -> reqwest::ClientBuilder {
        crate::app::client().tls_certs_only([reqwest::Certificate::from_der(&self.der).unwrap()])
    }
}

/// Has the service show the certificate of that directory.
pub(crate) fn serve_tls(setup: &mut Setup, directory: &TempDir) {
    let tls = &mut setup.settings.tls;
    (tls.tls_cert, tls.tls_key) =
        (Some(directory.path().join("tls.crt")), Some(directory.path().join("tls.key")));
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<_> =
        text.as_bytes().chunks(64).map(|line| String::from_utf8(line.to_vec()).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}
