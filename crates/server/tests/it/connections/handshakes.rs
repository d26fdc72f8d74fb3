//! Handshakes of TLS: who does not finish one is silent like any other, and keeps nobody from being served.

use tempfile::TempDir;

use super::{LARGE, Raw, closed_as, metric, open, opened, pass, unsent, usual};
use crate::app::{TestApp, soon};
use crate::certificates::{TestCertificate, serve_tls};

async fn start(certificate: &TestCertificate, directory: &TempDir) -> TestApp {
    certificate.write(directory.path());
    TestApp::start_with(|setup| {
        usual(setup);
        serve_tls(setup, directory);
    })
    .await
}

/// The beginning of a greeting that promises more than comes.
const HALF_A_GREETING: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

#[tokio::test]
async fn a_handshake_that_is_not_finished_ends_with_the_silent() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    for sent in [&b""[..], b"\x16", HALF_A_GREETING] {
        let app = start(&certificate, &directory).await;
        let mut raw = Raw::connect(&app).await;
        raw.send(sent).await;
        opened(&app, 1).await;
        pass(&app, 30);
        assert_eq!(open(&app), 1, "{sent:?}");
        pass(&app, 1);
        raw.rest().await;
        opened(&app, 0).await;
        assert_eq!(closed_as(&app, "idle").await, 1, "{sent:?}");
    }
}

#[tokio::test]
async fn a_greeting_that_comes_byte_by_byte_has_as_long_as_any_other() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let mut raw = Raw::connect(&app).await;
    opened(&app, 1).await;
    for byte in HALF_A_GREETING.chunks(1).take(7) {
        let _ = raw.0.try_write(byte);
        pass(&app, 5);
        tokio::task::yield_now().await;
    }
    raw.rest().await;
    opened(&app, 0).await;
}

#[tokio::test]
async fn others_are_served_beside_handshakes_that_hang() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let mut hanging = Vec::new();
    for _ in 0..50 {
        let mut raw = Raw::connect(&app).await;
        raw.send(HALF_A_GREETING).await;
        hanging.push(raw);
    }
    opened(&app, 50).await;
    let url = format!("https://{}/health", app.service.address);
    assert_eq!(certificate.client().build().unwrap().get(url).send().await.unwrap().status(), 200);
}

/// What a session holds back is little: an answer that nobody reads is seen as one.
#[tokio::test]
async fn an_answer_that_nobody_reads_ends_the_connection_over_tls_too() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let client = certificate.client().http1_only().build().unwrap();
    let _unread = client.get(format!("https://{}{LARGE}", app.service.address)).send().await.unwrap();
    let mut before = 0;
    soon(async || {
        let now = unsent(&app);
        std::mem::replace(&mut before, now) == now && now > 0
    })
    .await;
    pass(&app, 60);
    assert_eq!(open(&app), 1);
    pass(&app, 1);
    opened(&app, 0).await;
    assert_eq!((unsent(&app), closed_as(&app, "unread").await), (0, 1));
}

#[tokio::test]
async fn bytes_of_an_unfinished_handshake_are_charged() {
    let (certificate, directory) = (TestCertificate::new(), TempDir::new().unwrap());
    let app = start(&certificate, &directory).await;
    let mut raw = Raw::connect(&app).await;
    // Two whole records of a greeting that has 65,535 bytes.
    let greeting = [&[1, 0, 0xff, 0xff][..], &[0; 2 * 16_384 - 4]].concat();
    for part in greeting.chunks(16_384) {
        raw.send(&[&[0x16, 3, 1, 0x40, 0], part].concat()).await;
    }
    soon(async || metric(&app, "lastro_pending_bytes ").await >= 16 * 1024).await;
    drop(raw);
    soon(async || metric(&app, "lastro_pending_bytes ").await == 0).await;
}
