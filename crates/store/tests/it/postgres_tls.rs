//! TLS to a PostgreSQL whose certificate is for `localhost` and signed by a private authority.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use lastro_store::{Options, Result, Store, StoreError, open_with};

use crate::conformance::Place;
use crate::postgres::{TemporaryDatabase, run};

fn authority() -> PathBuf {
    std::env::var("LASTRO_TEST_POSTGRES_CA")
        .expect("these tests need the certificate authority of a PostgreSQL, as `scripts/servers` makes it")
        .into()
}

/// Opens the database under this host name, with these parameters.
async fn opened(
    place: &TemporaryDatabase,
    host: &str,
    parameters: &str,
    ca: Option<PathBuf>,
) -> Result<Arc<dyn Store>> {
    let url = place.url().replace("127.0.0.1", host).replace("sslmode=disable", parameters);
    open_with(&url, &Options { ca, ..Options::default() }).await
}

/// Whether the connections of an open store are encrypted.
async fn is_encrypted(place: &TemporaryDatabase, store: &dyn Store) -> bool {
    store.list_keys().await.unwrap();
    let question = format!(
        "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
            WHERE datname = '{}' AND application_name = 'lastro'",
        place.name()
    );
    run(&place.url(), &question).unwrap() == "t"
}

#[tokio::test]
async fn a_signed_certificate_with_the_right_name_is_trusted() {
    let place = TemporaryDatabase::new();
    let named = format!("sslrootcert={}", authority().display());
    for parameters in [format!("sslmode=verify-full&{named}"), format!("sslmode=require&{named}"), named] {
        let store = opened(&place, "localhost", &parameters, None).await.unwrap();
        assert!(is_encrypted(&place, &*store).await, "{parameters}");
    }
    let store = opened(&place, "localhost", "", Some(authority())).await.unwrap();
    assert!(is_encrypted(&place, &*store).await);
}

#[tokio::test]
async fn another_name_is_trusted_only_with_verify_ca() {
    let place = TemporaryDatabase::new();
    for parameters in ["sslmode=verify-full", "sslmode=require", ""] {
        let refusal = opened(&place, "127.0.0.1", parameters, Some(authority())).await.unwrap_err();
        assert!(matches!(&refusal, StoreError::Io(sentence) if sentence.contains("trusted")), "{refusal}");
    }
    let store = opened(&place, "127.0.0.1", "sslmode=verify-ca", Some(authority())).await.unwrap();
    assert!(is_encrypted(&place, &*store).await);
}

#[tokio::test]
async fn certificates_of_other_authorities_are_rejected() {
    let place = TemporaryDatabase::new();
    for parameters in ["sslmode=require", "sslmode=verify-ca", "sslmode=verify-full", "sslrootcert=system"] {
        let refusal = opened(&place, "localhost", parameters, None).await.unwrap_err();
        assert!(matches!(&refusal, StoreError::Io(sentence) if sentence.contains("trusted")), "{refusal}");
    }
}

#[tokio::test]
async fn connections_are_encrypted_by_default_if_possible() {
    let place = TemporaryDatabase::new();
    for (parameters, encrypted) in [("", true), ("sslmode=prefer", true), ("sslmode=disable", false)] {
        let store = opened(&place, "127.0.0.1", parameters, None).await.unwrap();
        assert_eq!(is_encrypted(&place, &*store).await, encrypted, "{parameters}");
        drop(store);
        place.close_connections();
    }
}

#[tokio::test]
async fn errors_name_an_invalid_authority_file() {
    let directory = tempfile::tempdir().unwrap();
    let place = TemporaryDatabase::new();
    let (missing, empty) = (directory.path().join("missing.pem"), directory.path().join("empty.pem"));
    std::fs::write(&empty, "no certificate").unwrap();
    for file in [missing, empty] {
        let refusal = opened(&place, "localhost", "", Some(file.clone())).await.unwrap_err().to_string();
        assert!(refusal.contains(&file.display().to_string()), "{refusal}");
    }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls").join(name)
}

/// A TLS acceptor with this certificate of the fixtures.
fn acceptor(name: &str) -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_file(fixture(&format!("{name}.crt"))).unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture(&format!("{name}.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Acts as a PostgreSQL server until it receives a password, and returns everything received over TLS.
async fn told(stream: TcpStream, acceptor: &TlsAcceptor) -> std::io::Result<Vec<u8>> {
    const PASSWORD_PLEASE: &[u8] = b"R\0\0\0\x08\0\0\0\x03";
    let (mut stream, mut wish, mut words) = (stream, [0; 8], vec![0; 1024]);
    stream.read_exact(&mut wish).await?;
    stream.write_all(b"S").await?;
    let mut stream = acceptor.accept(stream).await?;
    let mut length = stream.read(&mut words).await?;
    stream.write_all(PASSWORD_PLEASE).await?;
    length += stream.read(&mut words[length..]).await?;
    words.truncate(length);
    Ok(words)
}

/// The error of opening, and the text that a server with this certificate received.
async fn tried(certificate: &str) -> (StoreError, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "postgres://lastro:s3cret@localhost:{}/lastro?sslmode=verify-full",
        listener.local_addr().unwrap().port()
    );
    let acceptor = acceptor(certificate);
    let telling = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        told(stream, &acceptor).await.unwrap_or_default()
    });
    let options = Options { ca: Some(fixture("authority.crt")), ..Options::default() };
    let refusal = open_with(&url, &options).await.unwrap_err();
    (refusal, String::from_utf8_lossy(&telling.await.unwrap()).into_owned())
}

#[tokio::test]
async fn an_untrusted_server_receives_no_password() {
    for certificate in ["foreign", "expired"] {
        let (refusal, heard) = tried(certificate).await;
        assert!(matches!(&refusal, StoreError::Io(sentence) if sentence.contains("trusted")), "{refusal}");
        assert_eq!(heard, "");
    }
    // A server with a good certificate receives it.
    let (_, heard) = tried("good").await;
    assert!(heard.contains("s3cret"), "{heard}");
}
