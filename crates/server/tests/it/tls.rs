//! TLS without a proxy: protocols, certificates, and clients that do not use TLS.

use std::time::Duration;

use lastro::setup::Setup;
use lastro_model::Plan;
use reqwest::Version;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, soon};
use crate::certificates::{TestCertificate, serve_tls};

const LARGE: &str = "/docs/assets/scalar.js";

async fn start(certificate: &TestCertificate, directory: &TempDir) -> TestApp {
    start_with(certificate, directory, |_| {}).await
}

async fn start_with(
    certificate: &TestCertificate,
    directory: &TempDir,
    change: impl FnOnce(&mut Setup),
) -> TestApp {
    certificate.write(directory.path());
    TestApp::start_with(|setup| {
        serve_tls(setup, directory);
        change(setup);
    })
    .await
}

fn url(app: &TestApp, path: &str) -> String {
    format!("https://{}{path}", app.service.address)
}

/// A client of each HTTP version, with the version expected in responses.
fn clients(certificate: &TestCertificate) -> [(reqwest::Client, Version); 2] {
    [
        (certificate.client().build().unwrap(), Version::HTTP_2),
        (certificate.client().http1_only().build().unwrap(), Version::HTTP_11),
    ]
}

#[tokio::test]
async fn both_http_versions_work_over_tls() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    for (client, version) in clients(&certificate) {
        let answer = client.get(url(&app, "/api/v1/market/overview")).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.version()), (200, version));
        assert_eq!(answer.headers()["x-plan"], "free");
        assert!(answer.text().await.unwrap().contains("selic"));
    }
}

#[tokio::test]
async fn requests_that_wait_are_answered_over_tls() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let key = app.ample_key(Plan::Platinum).await;
    for (client, _) in clients(&certificate) {
        for _ in 0..2 {
            let request = client.get(url(&app, "/api/v1/changes?wait=1")).header("x-api-key", &key);
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 200);
            assert!(answer.text().await.unwrap().contains("\"next\":"));
        }
    }
}

#[tokio::test]
async fn a_large_response_arrives_whole() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let mut bodies = Vec::new();
    for (client, _) in clients(&certificate) {
        bodies.push(client.get(url(&app, LARGE)).send().await.unwrap().bytes().await.unwrap());
    }
    assert!(bodies[0].len() > 2_000_000 && bodies[0] == bodies[1]);
}

#[tokio::test]
async fn the_metrics_show_when_the_certificate_expires() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let (_, metrics) = app.admin("/metrics").await;
    assert!(metrics.contains("\nlastro_tls_certificate_expiry_seconds 4905311744\n"), "{metrics}");
    assert!(metrics.contains("\nlastro_tls_certificate_rejected 0\n"), "{metrics}");
}

/// A page of another origin is rejected; our own page is accepted, under its scheme here.
#[tokio::test]
async fn our_own_pages_are_recognised_by_their_origin() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    for (client, _) in clients(&certificate) {
        for (origin, status) in [(url(&app, ""), 201), ("https://evil.example".to_owned(), 403)] {
            let asked = client.post(url(&app, "/api/v1/plans/register")).header("origin", origin);
            let answer = asked.body(r#"{"name":"Ana","email":"ana@example.com"}"#).send().await.unwrap();
            assert_eq!(answer.status(), status);
        }
    }
}

#[tokio::test]
async fn a_new_certificate_is_used_without_a_restart() {
    let (old, new, directory) = (TestCertificate::new(), TestCertificate::other(), TempDir::new().unwrap());
    let quickly = |setup: &mut Setup| setup.settings.tls.tls_poll_interval = Duration::from_millis(20);
    let app = start_with(&old, &directory, quickly).await;
    let kept = old.client().build().unwrap();
    assert_eq!(kept.get(url(&app, "/health")).send().await.unwrap().status(), 200);
    assert!(new.client().build().unwrap().get(url(&app, "/health")).send().await.is_err());
    new.write(directory.path());
    // A client that keeps no connection receives the certificate each time.
    let asks_anew = new.client().pool_max_idle_per_host(0).build().unwrap();
    soon(async || asks_anew.get(url(&app, "/health")).send().await.is_ok()).await;
    assert_eq!(kept.get(url(&app, "/health")).send().await.unwrap().status(), 200, "it goes on as it was");
    assert!(old.client().build().unwrap().get(url(&app, "/health")).send().await.is_err());
}

#[tokio::test]
async fn an_unusable_certificate_is_reported_and_the_old_one_kept() {
    let (old, new, directory) = (TestCertificate::new(), TestCertificate::other(), TempDir::new().unwrap());
    let quickly = |setup: &mut Setup| setup.settings.tls.tls_poll_interval = Duration::from_millis(20);
    let app = start_with(&old, &directory, quickly).await;
    let becomes = async |value: u8| {
        let line = format!("\nlastro_tls_certificate_rejected {value}\n");
        soon(async || app.admin("/metrics").await.1.contains(&line)).await;
    };
    becomes(0).await;
    // Half of a new pair.
    std::fs::write(directory.path().join("tls.crt"), new.certificate_pem()).unwrap();
    becomes(1).await;
    let anew = old.client().build().unwrap().get(url(&app, "/health")).send().await.unwrap();
    assert_eq!(anew.status(), 200);
    std::fs::write(directory.path().join("tls.key"), new.key_pem()).unwrap();
    becomes(0).await;
    let anew = new.client().build().unwrap().get(url(&app, "/health")).send().await.unwrap();
    assert_eq!(anew.status(), 200);
}

#[tokio::test]
async fn plain_http_connections_are_closed_and_no_others() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let mut plain = TcpStream::connect(app.service.address).await.unwrap();
    plain.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ =
        tokio::time::timeout(Duration::from_secs(5), plain.read_to_end(&mut answer)).await.expect("an end");
    assert!(!answer.starts_with(b"HTTP") && answer.len() < 64, "{answer:?}");
    soon(async || app.service.app.connections.is_empty()).await;
    for (client, _) in clients(&certificate) {
        assert_eq!(client.get(url(&app, "/health")).send().await.unwrap().status(), 200);
    }
    assert_eq!(app.admin("/readyz").await.0, 200, "the operator's listener stays as it was");
}

#[tokio::test]
async fn a_hanging_handshake_ends_at_shutdown() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let mut silent = TcpStream::connect(app.service.address).await.unwrap();
    soon(async || app.service.app.connections.len() == 1).await;
    // Without the time limit of a shutdown.
    let finished = app.service.app.connections.finish();
    tokio::time::timeout(Duration::from_secs(5), finished).await.expect("an end");
    assert_eq!(silent.read(&mut [0; 8]).await.unwrap_or(0), 0);
}
