//! TLS on the API's own listener, for deployments without a proxy.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

#[derive(Debug, Clone, Args)]
pub struct TlsSettings {
    /// PEM file with the certificate and its chain; the API is then served over TLS only
    #[arg(long, env = "LASTRO_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key; both files are reloaded when they change
    #[arg(long, env = "LASTRO_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Interval of checking the files for changes.
    #[arg(skip = Duration::from_secs(5))]
    pub tls_poll_interval: Duration,
}

/// The files of a certificate and its private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl TlsSettings {
    /// The files, or `None` for plain HTTP. One without the other is an error.
    pub fn files(&self) -> anyhow::Result<Option<CertificateFiles>> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                Ok(Some(CertificateFiles { certificate: certificate.clone(), key: key.clone() }))
            }
            (None, None) => Ok(None),
            (Some(_), None) => {
                bail!("--tls-cert needs --tls-key, the file with the certificate's private key")
            }
            (None, Some(_)) => bail!("--tls-key needs --tls-cert, the file with the key's certificate"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Serve;

    #[test]
    fn certificate_and_key_must_be_given_together() {
        let files = |certificate: Option<&str>, key: Option<&str>| {
            let mut settings = Serve::defaults().unwrap().tls;
            (settings.tls_cert, settings.tls_key) = (certificate.map(Into::into), key.map(Into::into));
            settings.files()
        };
        assert_eq!(files(None, None).unwrap(), None);
        assert_eq!(files(Some("a"), Some("b")).unwrap().unwrap().key, std::path::Path::new("b"));
        assert!(files(Some("a"), None).unwrap_err().to_string().contains("--tls-key"));
        assert!(files(None, Some("b")).unwrap_err().to_string().contains("--tls-cert"));
    }
}
