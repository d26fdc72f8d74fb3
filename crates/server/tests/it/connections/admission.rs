//! Connection limits: per address and in total.

use std::net::IpAddr;
use std::sync::Arc;

use lastro::http::connections::Connections;
use lastro_model::ManualClock;

use super::{LARGE, Raw, closed_as, metric, open, opened, pass, unsent};
use crate::app::{TestApp, connections, soon};

async fn crowded(most: u32, most_per_address: u32) -> TestApp {
    TestApp::start_with(|setup| {
        setup.settings.connections = connections(most, most_per_address);
    })
    .await
}

async fn silent(app: &TestApp, number: usize) -> Vec<Raw> {
    let mut raws = Vec::new();
    for _ in 0..number {
        raws.push(Raw::connect(app).await);
    }
    raws
}

#[tokio::test]
async fn connections_are_limited_per_address() {
    let app = crowded(100, 4).await;
    let _silent = silent(&app, 4).await;
    opened(&app, 4).await;
    assert!(!Raw::connect(&app).await.is_served().await, "a fifth is closed at once");
    assert_eq!(metric(&app, "lastro_connections_refused_total ").await, 1);
    assert!(Raw::connect_from(&app, "127.0.0.2").await.is_served().await);
}

#[tokio::test]
async fn silent_connections_make_room_for_their_own_address() {
    let app = crowded(100, 4).await;
    let mut silent = silent(&app, 4).await;
    opened(&app, 4).await;
    pass(&app, 2);
    assert!(Raw::connect(&app).await.is_served().await);
    silent[0].rest().await;
    assert!(closed_as(&app, "crowded").await >= 1);
}

#[tokio::test]
async fn silent_connections_make_room_for_other_addresses() {
    let app = crowded(8, 8).await;
    let _silent = silent(&app, 8).await;
    opened(&app, 8).await;
    pass(&app, 2);
    for address in ["127.0.0.2", "127.0.0.3", "127.0.0.1"] {
        assert!(Raw::connect_from(&app, address).await.is_served().await, "{address}");
        pass(&app, 2);
    }
}

/// Connections being answered are not closed; new ones wait in the system's queue.
#[tokio::test]
async fn busy_connections_are_not_closed_for_new_ones() {
    let app = crowded(2, 2).await;
    let (mut first, mut second) = (Raw::connect(&app).await, Raw::connect(&app).await);
    first.ask(LARGE).await;
    second.ask(LARGE).await;
    soon(async || unsent(&app) > 2 * 16 * 1024).await;
    let mut third = Raw::connect_from(&app, "127.0.0.2").await;
    third.ask("/health").await;
    pass(&app, 3);
    assert_eq!(open(&app), 2);
    drop(first);
    assert_eq!(third.status().await, Some(200));
    assert_eq!(second.status().await, Some(200));
}

#[tokio::test]
async fn trusted_proxies_have_no_per_address_limit() {
    let app = TestApp::start_with(|setup| {
        setup.settings.connections = connections(100, 2);
        setup.settings.trusted_proxies = "127.0.0.1/32".to_owned();
    })
    .await;
    let mut many = silent(&app, 20).await;
    opened(&app, 20).await;
    for raw in &mut many {
        assert!(raw.is_served().await);
    }
    let _two = (Raw::connect_from(&app, "127.0.0.2").await, Raw::connect_from(&app, "127.0.0.2").await);
    assert!(!Raw::connect_from(&app, "127.0.0.2").await.is_served().await, "the limit of the others stands");
}

#[test]
fn ipv6_connections_are_counted_per_64_bit_network() {
    let connections = Arc::new(Connections::new(connections(100, 2), Arc::new(ManualClock::starting_at(0))));
    let admitted = |address: &str| connections.admit(address.parse::<IpAddr>().unwrap(), false);
    let held = [admitted("2001:db8::1"), admitted("2001:db8::ffff:2"), admitted("2001:db8:0:1::1")];
    assert!(held.iter().all(Option::is_some));
    assert!(admitted("2001:db8::3").is_none());
    assert!(admitted("2001:db8:0:1::2").is_some());
    drop(held);
    assert!(connections.is_empty() && admitted("2001:db8::3").is_some());
}
