//! Rights and certificates, as `docs/operations.md` describes them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lastro_quota::{LimitClass, Settings, Unit};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::replica::Replica;
use crate::server::Redis;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rights_named_in_the_manual_are_enough() {
    let mut redis = Redis::own();
    redis.make_old();
    let manual = include_str!("../../../../docs/operations.md");
    let line = manual.lines().find(|line| line.starts_with("ACL SETUSER")).expect("the line of the manual");
    redis.command(&line.replace(">PASSWORD", ">s3cret").split(' ').collect::<Vec<_>>());
    redis.url = redis.url.replace("redis://", "redis://lastro:s3cret@");
    let fleet = Replica::fleet(&redis, 2, 60_000_000_000).await;
    let replica = &fleet[0];
    assert!(replica.quota.is_shared(LimitClass::Keys));
    // One is admitted, and Redis itself refuses the other, whose replica knows no refusal yet.
    for (replica, is_admitted) in fleet.iter().zip([true, false]) {
        assert_eq!(replica.take(&replica.of_address(1, 1)).await.verdict.admitted, is_admitted);
        assert_eq!(
            replica.quota.calls(LimitClass::Addresses).failed.load(std::sync::atomic::Ordering::Relaxed),
            0
        );
    }
    for limit in [30, 20_000] {
        for _ in 0..3 {
            let claim = replica.of_key(limit);
            let charge = replica.take(&claim).await;
            assert_ne!(charge.unit, Unit::Own, "Redis decided");
            replica.quota.give_back(&claim, charge);
        }
    }
    let running = replica.begin_export("a", 1).await;
    assert!(running.is_some() && replica.begin_export("b", 1).await.is_none());
    drop(running);
    assert_eq!(replica.quota.calls(LimitClass::Keys).failed.load(std::sync::atomic::Ordering::Relaxed), 0);
    redis.url = redis.url.replace("s3cret", "wrong");
    let locked_out = Replica::fleet(&redis, 1, 60_000_000_000).await;
    assert!(!locked_out[0].quota.is_shared(LimitClass::Keys));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_is_checked_with_the_given_authorities() {
    let (certificate, key) = (fixture("own-1.crt"), fixture("own-1.key"));
    let (redis, port) = Redis::with_tls(&certificate, &key);
    redis.make_old();
    let url = format!("rediss://127.0.0.1:{port}");
    let connected = async |authorities| {
        let settings = Settings::new(&url, authorities, "lastro").unwrap();
        let quota = Replica::quota(settings);
        quota.connect().await;
        quota.is_shared(LimitClass::Keys)
    };
    assert!(connected(Some(certificate.as_path())).await);
    assert!(!connected(None).await, "the public authorities do not know it");
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls").join(name)
}

/// Connects to a server for `localhost` with this certificate. Returns the first bytes that the server receives, or why
/// the handshake failed.
async fn first_bytes(certificate: &str) -> Result<String, String> {
    let chain = vec![CertificateDer::from_pem_file(fixture(&format!("{certificate}.crt"))).unwrap()];
    let key = PrivateKeyDer::from_pem_file(fixture(&format!("{certificate}.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("rediss://lastro:s3cret@localhost:{}", listener.local_addr().unwrap().port());
    let receiving = async move {
        let (stream, _) = listener.accept().await.unwrap();
        // The connection of the other class is refused.
        drop(listener);
        let accepted = TlsAcceptor::from(Arc::new(config)).accept(stream).await;
        let mut stream = accepted.map_err(|error| error.to_string())?;
        let mut bytes = vec![0; 1024];
        let length = stream.read(&mut bytes).await.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
    };
    let quota = Replica::quota(Settings::new(&url, Some(&fixture("authority.crt")), "lastro").unwrap());
    let (received, ()) = tokio::join!(receiving, quota.connect());
    received
}

#[tokio::test]
async fn a_server_with_an_invalid_certificate_gets_no_password() {
    for (certificate, alert) in [("foreign", "UnknownCA"), ("expired", "CertificateExpired")] {
        let refusal = first_bytes(certificate).await.unwrap_err();
        assert!(refusal.contains(alert), "{refusal}");
    }
    let received = first_bytes("good").await.unwrap();
    assert!(received.contains("s3cret"), "{received}");
}
