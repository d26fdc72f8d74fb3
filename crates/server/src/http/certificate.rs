//! The TLS certificate of the API's listener: read from two files, and reloaded when they change.
//!
//! [`super::listener`] uses it for each new connection; the job [`run`] polls the files. An unusable pair, such as a
//! half-written one, changes nothing: the old pair is used until a valid one is found.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use anyhow::{Context, bail};
use arc_swap::ArcSwap;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lastro_background::metrics::prometheus::{Exposition, Kind};
use lastro_background::wait::{stopped, tick};
use lastro_config::{CertificateFiles, TlsSettings};
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_rustls::{Accept, TlsAcceptor};
use x509_cert::der::Decode;

/// Largest file read. A certificate chain has a few kilobytes.
const LARGEST_FILE: u64 = 1024 * 1024;
/// Bytes of a response that a TLS session may buffer for its socket: one write of hyper, and its framing.
/// Further writes are not accepted, so that we see how much the client has read.
const LARGEST_SESSION_BUFFER: usize = 32 * 1024;
/// Protocols offered, in order of preference.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A certificate that ends sooner is worth a warning, as in the alerts of `deploy/`.
const EXPIRES_SOON: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Digest of the files when last read; `None` if they could not be read.
type Seen = Option<[u8; 32]>;

/// The reason why a certificate that can be used should be renewed, with the day of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// Clients reject it.
    Expired(Date),
    ExpiresSoon(Date),
}

#[derive(Debug)]
pub struct Certificate {
    files: CertificateFiles,
    settings: TlsSettings,
    config: ArcSwap<ServerConfig>,
    /// Digest of the last files read, usable or not: each content is checked, and logged, once.
    seen: Mutex<Seen>,
    /// Whether the current files are unusable, so that an older pair is in use.
    rejected: AtomicBool,
    /// The end of the validity of the certificate in use, in seconds since 1970.
    expires_at: AtomicI64,
}

impl Certificate {
    /// Loads the configured certificate; `None` for plain HTTP. An unusable pair is an error.
    pub fn open(settings: &TlsSettings) -> anyhow::Result<Option<Self>> {
        let Some(files) = settings.files()? else { return Ok(None) };
        let pair = Pair::read(&files)?;
        let config = ArcSwap::from(pair.config(&files)?);
        warn_of_readers(&files.key);
        let seen = Mutex::new(Some(pair.digest()));
        let (rejected, expires_at) = (AtomicBool::new(false), AtomicI64::new(pair.expires_at(&files)?));
        Ok(Some(Self { files, settings: settings.clone(), config, seen, rejected, expires_at }))
    }

    /// Whether the certificate in use has expired, or will soon.
    pub fn complaint(&self) -> Option<Complaint> {
        let end = Timestamp::from_second(self.expires_at.load(Ordering::Relaxed)).ok()?;
        let (day, left) = (end.to_zoned(TimeZone::UTC).date(), end.duration_since(Timestamp::now()));
        match () {
            () if left.is_negative() => Some(Complaint::Expired(day)),
            () if left < EXPIRES_SOON => Some(Complaint::ExpiresSoon(day)),
            () => None,
        }
    }

    /// Logs that the certificate in use should be renewed.
    pub fn warn_of_expiry(&self) {
        match self.complaint() {
            Some(Complaint::Expired(day)) => {
                tracing::warn!("the certificate expired on {day}; clients reject it");
            }
            Some(Complaint::ExpiresSoon(day)) => tracing::warn!("the certificate expires on {day}"),
            None => {}
        }
    }

    /// Starts the handshake with the current certificate.
    pub fn accept<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) -> Accept<S> {
        TlsAcceptor::from(self.config.load_full())
            .accept_with(stream, |session| session.set_buffer_limit(Some(LARGEST_SESSION_BUFFER)))
    }

    /// Reads the files. A new pair is used from the next connection on.
    pub fn look(&self) {
        let read = Pair::read(&self.files);
        let seen = read.as_ref().ok().map(Pair::digest);
        if std::mem::replace(&mut *self.seen.lock(), seen) == seen {
            return;
        }
        let usable = read.and_then(|pair| Ok((pair.config(&self.files)?, pair.expires_at(&self.files)?)));
        self.rejected.store(usable.is_err(), Ordering::Relaxed);
        match usable {
            Ok((config, expires_at)) => {
                self.config.store(config);
                self.expires_at.store(expires_at, Ordering::Relaxed);
                warn_of_readers(&self.files.key);
                tracing::info!("the certificate changed; new connections get the new one");
                self.warn_of_expiry();
            }
            Err(error) => {
                tracing::warn!(
                    "the certificate files cannot be used; keeping the old certificate: {error:#}"
                );
            }
        }
    }
}

/// Writes the metrics; without a certificate, only their names.
pub fn render(certificate: Option<&Certificate>, out: &mut Exposition) {
    let help =
        "Whether the files of the certificate cannot be used as they are, so that an older one is shown.";
    let mut family = out.family("lastro_tls_certificate_rejected", Kind::Gauge, help);
    if let Some(certificate) = certificate {
        family.sample(&[], u8::from(certificate.rejected.load(Ordering::Relaxed)));
    }
    let help = "When the certificate in use expires, in seconds since 1970.";
    let mut family = out.family("lastro_tls_certificate_expiry_seconds", Kind::Gauge, help);
    if let Some(certificate) = certificate {
        family.sample(&[], certificate.expires_at.load(Ordering::Relaxed));
    }
}

/// Polls the files every few seconds.
pub async fn run(certificate: Arc<Certificate>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(certificate.settings.tls_poll_interval) => {}
        }
        let looking = Arc::clone(&certificate);
        tokio::select! {
            // A read that hangs, as on an unavailable disk, does not delay shutdown.
            () = stopped(&mut stop) => return,
            looked = tokio::task::spawn_blocking(move || looking.look()) => {
                if let Err(error) = looked {
                    tracing::error!(%error, "could not check the certificate files");
                }
            }
        }
    }
}

/// The contents of the two files.
struct Pair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Pair {
    fn read(files: &CertificateFiles) -> anyhow::Result<Self> {
        Ok(Self { certificate: content(&files.certificate)?, key: content(&files.key)? })
    }

    fn digest(&self) -> [u8; 32] {
        let length = self.certificate.len().to_be_bytes();
        Sha256::new()
            .chain_update(length)
            .chain_update(&self.certificate)
            .chain_update(&self.key)
            .finalize()
            .into()
    }

    fn chain(&self, files: &CertificateFiles) -> anyhow::Result<Vec<CertificateDer<'static>>> {
        let shown = files.certificate.display();
        let chain = CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<Vec<_>, _>>();
        let Ok(chain) = chain else { bail!("{shown} is no PEM file") };
        if chain.is_empty() {
            bail!("{shown} holds no certificate in PEM form");
        }
        Ok(chain)
    }

    /// The end of the validity of the server's own certificate, in seconds since 1970.
    fn expires_at(&self, files: &CertificateFiles) -> anyhow::Result<i64> {
        let chain = self.chain(files)?;
        let own = chain.first().and_then(|own| x509_cert::Certificate::from_der(own).ok());
        let end = own.map(|own| own.tbs_certificate.validity.not_after.to_unix_duration().as_secs());
        let end = end.and_then(|seconds| i64::try_from(seconds).ok());
        end.with_context(|| format!("{} cannot be read as a certificate", files.certificate.display()))
    }

    /// Builds the configuration for TLS 1.2 and 1.3.
    fn config(&self, files: &CertificateFiles) -> anyhow::Result<Arc<ServerConfig>> {
        let (shown, key_shown) = (files.certificate.display(), files.key.display());
        let chain = self.chain(files)?;
        // The error is dropped: it may quote the file's content.
        let Ok(key) = PrivateKeyDer::from_pem_slice(&self.key) else {
            bail!("{key_shown} holds no private key in PEM form that needs no passphrase");
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| match error {
                rustls::Error::InconsistentKeys(_) => {
                    anyhow::anyhow!("the key in {key_shown} does not belong to the certificate in {shown}")
                }
                other => anyhow::anyhow!("{shown} and {key_shown} cannot be used: {other}"),
            })?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(Arc::new(config))
    }
}

fn content(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > LARGEST_FILE {
        bail!("{shown} is too large for a certificate or a key");
    }
    Ok(bytes)
}

fn warn_of_readers(key: &Path) {
    const READABLE_BY_OTHERS: u32 = 0o004;
    let mode = std::fs::metadata(key).map(|metadata| metadata.permissions().mode());
    if mode.is_ok_and(|mode| mode & READABLE_BY_OTHERS != 0) {
        tracing::warn!("every user of this machine can read the private key in {}", key.display());
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use lastro_config::Serve;

    const OLD: [&str; 2] = [
        include_str!("../../../../fixtures/tls/own-1.crt"),
        include_str!("../../../../fixtures/tls/own-1.key"),
    ];
    const NEW: [&str; 2] = [
        include_str!("../../../../fixtures/tls/own-2.crt"),
        include_str!("../../../../fixtures/tls/own-2.key"),
    ];

    struct Files(TempDir);

    impl Files {
        fn write(&self, name: &str, content: &str) {
            std::fs::write(self.0.path().join(name), content).unwrap();
        }

        fn open(&self) -> Certificate {
            let mut settings = Serve::defaults().unwrap().tls;
            let file = |name| Some(self.0.path().join(name));
            (settings.tls_cert, settings.tls_key) = (file("certificate"), file("key"));
            Certificate::open(&settings).unwrap().unwrap()
        }
    }

    #[test]
    fn keeps_the_old_pair_until_a_valid_one_replaces_it() {
        let files = Files(TempDir::new().unwrap());
        let ([old, old_key], [new, new_key]) = (OLD, NEW);
        files.write("certificate", old);
        files.write("key", old_key);
        let certificate = files.open();
        let first = certificate.config.load_full();
        let is_first = |certificate: &Certificate| Arc::ptr_eq(&first, &certificate.config.load_full());
        certificate.look();
        assert!(is_first(&certificate), "nothing has changed");
        for broken in [new, "", "no PEM", "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n"] {
            files.write("certificate", broken);
            certificate.look();
            assert!(is_first(&certificate), "{broken}");
        }
        std::fs::remove_file(files.0.path().join("certificate")).unwrap();
        certificate.look();
        assert!(is_first(&certificate), "it is away");
        files.write("certificate", new);
        files.write("key", new_key);
        certificate.look();
        assert!(!is_first(&certificate), "a good pair is there");
        let second = certificate.config.load_full();
        certificate.look();
        assert!(Arc::ptr_eq(&second, &certificate.config.load_full()), "it is read once");
    }

    #[test]
    fn rejects_files_that_are_too_large() {
        assert!(content(Path::new("/dev/zero")).unwrap_err().to_string().contains("is too large"));
    }
}
