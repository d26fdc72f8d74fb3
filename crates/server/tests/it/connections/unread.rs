//! Clients that do not read their responses are disconnected; slow readers are not.

use lastro_model::Plan;

use super::{
    LARGE, Multiplexed, Raw, closed_as, leap, open, opened, pass, rarely_swept, take, unsent, usual,
};
use crate::app::{TestApp, soon};

/// Waits until there are unsent bytes and no more of them are sent.
async fn stuck(app: &TestApp) {
    let mut before = 0;
    soon(async || {
        let now = unsent(app);
        std::mem::replace(&mut before, now) == now && now > 0
    })
    .await;
}

#[tokio::test]
async fn an_unread_response_ends_the_connection() {
    let app = TestApp::start_with(usual).await;
    let mut raw = Raw::connect(&app).await;
    raw.ask(LARGE).await;
    stuck(&app).await;
    pass(&app, 60);
    assert_eq!(open(&app), 1);
    pass(&app, 1);
    opened(&app, 0).await;
    assert_eq!((unsent(&app), closed_as(&app, "unread").await), (0, 1));
    assert!(raw.rest().await < 4_000_000, "it was cut off");
}

#[tokio::test]
async fn a_suspended_service_spares_the_readers() {
    let app = TestApp::start_with(rarely_swept).await;
    let mut raw = Raw::connect(&app).await;
    raw.ask(LARGE).await;
    stuck(&app).await;
    leap(&app, 600);
    assert_eq!(closed_as(&app, "unread").await, 0);
    pass(&app, 61);
    assert_eq!(closed_as(&app, "unread").await, 1);
}

/// Replies to pings, and windows opened by next to nothing, are not progress.
#[tokio::test]
async fn a_closed_http_2_window_ends_the_connection() {
    for window in [0, 1] {
        let app = TestApp::start_with(usual).await;
        let mut client = Multiplexed::connect(&app, window).await;
        let mut body = client.body("/docs/openapi.yaml").await;
        for _ in 0..7 {
            if window > 0 {
                assert_eq!(take(&mut body).await, Some(1));
            }
            stuck(&app).await;
            pass(&app, 9);
        }
        client.ended().await;
        assert_eq!((unsent(&app), closed_as(&app, "unread").await), (0, 1), "{window}");
    }
}

#[tokio::test]
async fn a_stalled_stream_is_detected_beside_active_ones() {
    let app = TestApp::start_with(usual).await;
    let mut client = Multiplexed::connect(&app, 60_000).await;
    let _stalled = client.body("/docs/openapi.yaml").await;
    for _ in 0..6 {
        let mut read = client.body("/health").await;
        while read.data().await.is_some() {}
        pass(&app, 10);
    }
    assert_eq!(open(&app), 1);
    pass(&app, 1);
    client.ended().await;
    assert_eq!(closed_as(&app, "unread").await, 1);
}

/// Sixteen kilobytes every fifty seconds, for much longer than any timeout.
#[tokio::test]
async fn a_client_that_reads_slowly_gets_everything() {
    let app = TestApp::start_with(usual).await;
    let mut client = Multiplexed::connect(&app, 16 * 1024).await;
    let (mut body, mut received, mut steps) = (client.body("/docs/openapi.yaml").await, 0, 1);
    while let Some(length) = take(&mut body).await {
        received += length;
        if received >= steps * 16 * 1024 {
            steps += 1;
            pass(&app, 50);
        }
    }
    assert_eq!(received, app.get("/docs/openapi.yaml").send().await.expect(200).plain().len());
}

#[tokio::test]
async fn a_slow_export_goes_on_and_a_stalled_one_ends() {
    let app = TestApp::start_with(usual).await;
    let key = app.ample_key(Plan::Gold).await;
    let mut client = Multiplexed::connect(&app, 16 * 1024).await;
    let asked = client.ask_with("/api/v1/export/filings", &[("x-api-key", &key)]).await.unwrap();
    assert_eq!(asked.status(), 200);
    let mut body = asked.into_body();
    let mut received = 0;
    for steps in 1..=4 {
        while received < steps * 16 * 1024 {
            received += take(&mut body).await.unwrap();
        }
        stuck(&app).await;
        pass(&app, 50);
    }
    assert_eq!((open(&app), app.service.app.exports.running()), (1, 1));
    pass(&app, 61);
    client.ended().await;
    soon(async || app.service.app.exports.running() == 0).await;
    assert_eq!(unsent(&app), 0);
}

/// Response headers alone fill memory as well.
#[tokio::test]
async fn pipelined_requests_wait_while_responses_are_unread() {
    const REQUESTS: usize = 20_000;
    let app = TestApp::start_with(usual).await;
    let raw = Raw::connect(&app).await;
    let (reading, mut writing) = raw.0.into_split();
    let flood = b"OPTIONS /health HTTP/1.1\r\nhost: x\r\n\r\n".repeat(REQUESTS);
    let sending = tokio::spawn(async move {
        let _ = tokio::io::AsyncWriteExt::write_all(&mut writing, &flood).await;
        writing
    });
    let answered = async || {
        let (_, metrics) = app.admin("/metrics").await;
        let line = metrics.lines().find(|line| line.contains("status=\"204\""));
        line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    };
    let mut before: usize = 0;
    soon(async || {
        let now = answered().await;
        std::mem::replace(&mut before, now) == now && now > 0
    })
    .await;
    assert!(before < REQUESTS / 2, "{before} were answered");
    pass(&app, 61);
    pass(&app, 4);
    opened(&app, 0).await;
    sending.abort();
    drop(reading);
}
