//! TLS handshakes: a client that does not finish one is closed as idle, and does not block others.

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

/// The start of a ClientHello that announces more bytes than follow.
const HALF_A_GREETING: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

#[tokio::test]
async fn unfinished_handshakes_are_closed_as_idle() {
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
async fn a_handshake_sent_byte_by_byte_gets_no_extra_time() {
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
async fn hanging_handshakes_do_not_block_other_clients() {
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

/// A TLS session buffers little, so an unread response is detected.
#[tokio::test]
async fn unread_responses_end_tls_connections_too() {
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
    // Two whole records of a ClientHello of 65,535 bytes.
    let greeting = [&[1, 0, 0xff, 0xff][..], &[0; 2 * 16_384 - 4]].concat();
    for part in greeting.chunks(16_384) {
        raw.send(&[&[0x16, 3, 1, 0x40, 0], part].concat()).await;
    }
    soon(async || metric(&app, "lastro_pending_bytes ").await >= 16 * 1024).await;
    drop(raw);
    soon(async || metric(&app, "lastro_pending_bytes ").await == 0).await;
}
